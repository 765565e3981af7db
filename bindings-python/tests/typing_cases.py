"""Read by mypy --strict, never run: it must accept each line, and refuse what is ignored."""

from array import array
from collections.abc import Iterator
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import assert_type

from backoff_rs import Backoff, Policy, PolicyError, Stream

policy = Policy("exponential", base=0.1, cap=20, jitter="full")
Policy("linear", base=timedelta(seconds=1), increment=Decimal("0.5"), offset=Fraction(1, 3))
Policy("exponential", base=1, multiplier=(8, 5))
Policy("polynomial", base=1, power=2, origin=0, cap_on="result")
Policy("expo", base=1)  # type: ignore[arg-type]
Policy("constant")  # type: ignore[call-arg]
Policy("constant", base="1s")  # type: ignore[arg-type]
Policy("constant", base=None)  # type: ignore[arg-type]
Policy("constant", base=1, jitter="some")  # type: ignore[arg-type]
Policy("constant", base=1, cpa=2)  # type: ignore[call-arg]
Policy("constant", 1)  # type: ignore[call-arg]
policy.base = 1  # type: ignore[misc]

stream = Stream(42, "job-1")
Stream(42, b"job-1")
Stream(42, bytearray(8))
Stream("42")  # type: ignore[arg-type]
Stream(42, None)  # type: ignore[arg-type]
Stream(42, key=None)  # type: ignore[arg-type]
assert_type(Stream.from_entropy(), Stream)
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


def refused(error: PolicyError) -> tuple[str, str, object, int]:
    base: ValueError = error
    return error.code, error.field, base, error.limit


class SubPolicy(Policy): ...  # type: ignore[misc]
