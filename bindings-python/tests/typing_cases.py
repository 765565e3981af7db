"""Checked by mypy --strict and pyright, never run: they must accept each line without a
`type: ignore`, and reject each with one."""

from array import array
from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import assert_type

from backoff_rs import (
    Backoff,
    Budget,
    Decision,
    Operation,
    Outcome,
    Policy,
    PolicyError,
    PreviewRow,
    RandomStream,
    RetryStats,
    StopReason,
    parse_retry_after,
)

policy = Policy("exponential", base=0.1, cap=20, jitter="full")
Policy("linear", base=timedelta(seconds=1), increment=Decimal("0.5"), offset=Fraction(1, 3))
Policy("exponential", base=1, multiplier=(8, 5))
Policy("polynomial", base=1, power=2, origin=0, cap_on="delay")
Policy("expo", base=1)  # type: ignore[arg-type]
Policy("constant", base="1s")  # type: ignore[arg-type]
Policy("steps", waits=[5, timedelta(minutes=5)])
Policy("steps", waits=5)  # type: ignore[arg-type]
Policy("constant", base=1, jitter="some")  # type: ignore[arg-type]
Policy("constant", base=1, cpa=2)  # type: ignore[call-arg]
Policy("constant", 1)  # type: ignore[call-arg]
Policy("constant", base=1, max_attempts=6, max_elapsed=timedelta(1), retry_after_max_extra=0.5)
Policy("constant", base=1, max_retries=5.0)  # type: ignore[arg-type]
Policy("constant", base=1, retry_after="most")  # type: ignore[arg-type]
policy.base = 1  # type: ignore[misc]

stream = RandomStream(42, "job-1")
RandomStream(42, b"job-1")
RandomStream(42, bytearray(8))
RandomStream("42")  # type: ignore[arg-type]
RandomStream(42, None)  # type: ignore[arg-type]
assert_type(RandomStream.from_entropy(), RandomStream)
assert_type(stream.draw(0), int)

assert_type(policy.delay(stream, 0), float)
assert_type(policy.delay_ns(stream, 0), int)
assert_type(policy.delays(stream, 5, first=2), list[float])
assert_type(policy.fill_ns(stream, array("Q", [0]), 3), int)
assert_type(policy.multiplier, Fraction | None)
policy.delay(42, 0)  # type: ignore[arg-type]

delays: Iterator[float] = Backoff(policy)
assert_type(next(Backoff(policy, stream)), float)
assert_type(Backoff(policy).next_ns(), int)


assert_type(Policy.parse("default"), Policy)
Policy.parse(b"default")  # type: ignore[arg-type]
assert_type(policy.fit_base(4, timedelta(seconds=1)), Policy)
assert_type(policy.fit_cap(4, 1.5), Policy)
assert_type(policy.max_retries, int | None)
assert_type(policy.max_elapsed, float | None)
Policy("constant", base=1, cap=policy.cap, max_attempts=policy.max_attempts)
Policy("constant", base=1, retry_after_max=None, floor=policy.floor, multiplier=policy.multiplier)
Policy(
    policy.growth,
    base=policy.base,
    increment=policy.increment,
    power=None,
    origin=policy.origin,
    offset=None,
    cap_on=policy.cap_on,
    jitter=None,
    jitter_below=policy.jitter_below,
    jitter_max=policy.jitter_max,
    jitter_slot=None,
    throttled_base=None,
    retry_after=None,
)
for row in policy.preview(3):
    assert_type(row, PreviewRow)
    assert_type(row.mean, float)
    assert_type(row.total_max_ns, int)
row.mean = 1.0  # type: ignore[misc]

budget = Budget.parse("sre")
Budget()  # type: ignore[call-arg]
Budget("sre")  # type: ignore[arg-type]
with Operation(policy, stream, now_ns=0, deadline_ns=None, budget=budget) as operation:
    assert_type(operation, Operation)
Operation(policy, stream, 0)  # type: ignore[call-arg]
Operation(policy, stream)  # type: ignore[call-arg]
Operation(policy, stream, now_ns=0.5)  # type: ignore[arg-type]
decision = operation.decide(Outcome.TIMEOUT, now_ns=1, retry_after=parse_retry_after("120"))
assert_type(decision, Decision)
assert_type(decision.delay, float)
assert_type(decision.reason, StopReason | None)
operation.decide("throttled", now_ns=1, retry_after=timedelta(seconds=1))
operation.decide("slow", now_ns=1)  # type: ignore[arg-type]
operation.decide(StopReason.SUCCESS, now_ns=1)  # type: ignore[arg-type]
assert_type(operation.cancel(), StopReason)
assert_type(operation.reason, StopReason | None)

assert_type(parse_retry_after(b"120", now=datetime.now()), float | None)
assert_type(parse_retry_after("120", now=Decimal(1)), float | None)
parse_retry_after(120)  # type: ignore[arg-type]
parse_retry_after("1", now=timedelta(1))  # type: ignore[arg-type]

stats = RetryStats()
stats.record(3, "max_retries")
stats.record(operation.attempts, operation.cancel())
stats.record(3, "timeout")  # type: ignore[arg-type]
stats.record(1, Outcome.SUCCESS)  # type: ignore[arg-type]
stats += RetryStats()
assert_type(stats.stops, dict[StopReason, int])
assert_type(stats.buckets, list[int])
assert_type(RetryStats.BOUNDS, tuple[int, ...])
assert_type(stats.prometheus(), str)


def parts(error: PolicyError) -> tuple[str, str | None, object, int, int | None, str | None]:
    base: ValueError = error
    return error.code, error.field, base, error.limit, error.at, error.found


class SubPolicy(Policy): ...  # type: ignore[misc]
