"""Decisions without budgets (SPEC 13), and how they work together with budgets (SPEC 15)."""

from reference import numbers

from cases import budgets, random_operations, retry_afters
from cases.scenario import Scenario

WORD_MAX, MAX, S = numbers.WORD_MAX, numbers.MAX, 10**9


def decision_cases():
    parts = plain, retry_afters.decisions, times, budgets.decisions, shared, random_operations.decisions
    for part in parts:
        for scenario in part():
            yield scenario.case


# fmt: off
# One scenario a paragraph, with several steps a line.


def plain():
    """13.4, without retry_afters, clocks and budgets."""
    yield (Scenario("success-at-once", "one attempt", "default")
        .begin(0).succeed(0, 5))
    yield (Scenario("success-after-retries", "two retries", "default")
        .begin(0).fail(0, 0, S).succeed(0, 2 * S))
    yield (Scenario("permanent", "a permanent failure is not retried", "default")
        .begin(0).outcome(0, "permanent"))
    yield (Scenario("permanent-after-retry", "a permanent failure ends an operation that was retried", "default")
        .begin(0).fail(0, 0).outcome(0, "permanent", S))
    yield (Scenario("max_retries", "three retries, but not a fourth", "default")
        .begin(0).fail(0, 0, S, 2 * S, 3 * S))
    yield (Scenario("max_retries-zero", "no retry", "constant:base=1s,max_retries=0")
        .begin(0).fail(0, 0))
    yield (Scenario("max_attempts", "max_attempts=1 allows no retry", "constant:base=1s,max_attempts=1")
        .begin(0).fail(0, 0))
    yield (Scenario("success-at-the-limit", "the last retry may succeed", "constant:base=1s,max_retries=1")
        .begin(0).fail(0, 0).succeed(0, S))
    yield (Scenario("no-limit", "without max_retries, retries do not end", "constant:base=1s")
        .begin(0).fail(0, *range(0, 30 * S, S)))
    yield (Scenario("kinds-of-failure", "all three kinds of failure are retried", "none")
        .begin(0).outcome(0, "transient").outcome(0, "throttled").outcome(0, "timeout").succeed(0))
    for end, why in (("success", "success"), ("permanent", "a permanent failure"), ("transient", "max_retries")):
        yield (Scenario(f"after-{end}", f"after {why} nothing changes", "default:max_retries=0")
            .begin(0).outcome(0, end, 1).succeed(0, 2).outcome(0, "transient", 3, retry_after=S)
            .outcome(0, "permanent", 4).cancel(0, 5))
    yield (Scenario("cancel-at-once", "cancelled before the first attempt is over", "default")
        .begin(0).cancel(0).cancel(0, 1).succeed(0, 2))
    yield (Scenario("cancel-while-waiting", "cancelled during a wait", "default")
        .begin(0).fail(0, 0).cancel(0, 1).fail(0, 2))
    yield (Scenario("stream", "no key: the stream is the seed", "full:base=1s,cap=20s", key=None)
        .begin(0).fail(0, 0, 0, 0))
    yield (Scenario("one-stream", "two operations with one stream have the same delays", "full:base=1s,cap=20s")
        .begin(0).begin(1).fail(0, 0, 0).fail(1, 0, 0, 0).fail(0, 0))
    yield (Scenario("decorrelated", "a retry_after does not change later delays of decorrelated jitter",
                    "decorrelated:base=100ms,cap=20s")
        .begin(0).fail(0, 0, 0).outcome(0, "transient", 0, retry_after=30 * S).fail(0, 0))

    throttled = "exponential:base=50ms,cap=20s,throttled_base=1s"
    yield (Scenario("throttled_base", "throttled failures use the throttled base", throttled)
        .begin(0).fail(0, 0).fail(0, 0, outcome="throttled").fail(0, 0).fail(0, 0, outcome="timeout")
        .fail(0, 0, 0, outcome="throttled"))
    yield (Scenario("throttled_base-aws", "throttled failures use the same draw", "aws-sdk-2026:max_retries=6")
        .begin(0).begin(1).fail(0, 0, 0, 0, 0).fail(1, 0, 0, 0, 0, outcome="throttled"))
    yield (Scenario("throttled_base-default", "the default throttled base is the base", "exponential:base=50ms")
        .begin(0).fail(0, 0, 0, outcome="throttled"))
    yield (Scenario("throttled_base-zero", "a throttled base of 0", "exponential:base=50ms,throttled_base=0s")
        .begin(0).fail(0, 0, 0, outcome="throttled").fail(0, 0))
    yield (Scenario("throttled_base-decorrelated", "the whole decorrelated chain grows from the throttled base",
                    "decorrelated:base=50ms,cap=20s,throttled_base=1s")
        .begin(0).fail(0, 0, 0).fail(0, 0, 0, outcome="throttled"))
    yield (Scenario("throttled_base-linear", "the increment stays as it is",
                    "linear:base=1s,increment=10ms,throttled_base=3s")
        .begin(0).fail(0, 0, 0).fail(0, 0, 0, outcome="throttled"))
    yield (Scenario("throttled_base-linear-default", "a default increment stays the base",
                    "linear:base=1s,throttled_base=3s")
        .begin(0).fail(0, 0, 0).fail(0, 0, 0, outcome="throttled"))
    for growth in ("constant", "polynomial", "fibonacci"):
        yield (Scenario(f"throttled_base-{growth}", "throttled_base with another growth",
                        f"{growth}:base=1s,throttled_base=3s")
            .begin(0).fail(0, 0, 0).fail(0, 0, 0, outcome="throttled"))
    yield (Scenario("throttled_base-cap", "the cap limits the throttled base's windows",
                    "exponential:base=1s,cap=8s,throttled_base=4s")
        .begin(0).fail(0, 0, 0, 0, outcome="throttled"))


def times():
    """13.4, steps 7 and 8."""
    for id, why, now in (
        ("exactly", "ends exactly at the limit", 9 * S),
        ("by-one", "ends 1 ns after the limit", 9 * S + 1),
    ):
        yield (Scenario(f"max_elapsed-{id}", f"a wait that {why}", "constant:base=1s,max_elapsed=10s")
            .begin(0, 100).outcome(0, "transient", 100 + now))
        yield (Scenario(f"deadline-{id}", f"a wait that {why}", "constant:base=1s")
            .begin(0, 100, deadline=100 + 10 * S).outcome(0, "transient", 100 + now))
        yield (Scenario(f"max_elapsed-retry_after-{id}", f"a retry_after that {why}",
                        "constant:base=1ms,max_elapsed=10s")
            .begin(0).outcome(0, "transient", now, retry_after=S))
        yield (Scenario(f"deadline-retry_after-{id}", f"a retry_after that {why}",
                        "constant:base=1ms,retry_after=exact")
            .begin(0, deadline=10 * S).outcome(0, "transient", now, retry_after=S))
    yield (Scenario("max_elapsed-zero", "max_elapsed=0s allows no wait above 0", "constant:base=1ns,max_elapsed=0s")
        .begin(0).fail(0, 0))
    yield (Scenario("max_elapsed-zero-wait-zero", "max_elapsed=0s allows a wait of 0",
                    "constant:base=0s,max_elapsed=0s")
        .begin(0).fail(0, 0, 0, 1))
    yield (Scenario("max_elapsed-time-back", "a time before the start counts as the start",
                    "constant:base=1s,max_elapsed=1s")
        .begin(0, 50 * S).fail(0, 20 * S, 0).fail(0, 50 * S + 1))
    yield (Scenario("max_elapsed-time-back-too-long", "a time before the start does not shorten the wait",
                    "constant:base=2s,max_elapsed=1s")
        .begin(0, 50 * S).fail(0, 20 * S))
    yield (Scenario("max_elapsed-cenkalti", "no wait ends after 15 minutes", "cenkalti-v4")
        .begin(0, S).fail(0, S, 300 * S, 600 * S, 890 * S, 899 * S, 901 * S))
    yield (Scenario("max_elapsed-longest", "without max_elapsed a wait may begin later than the longest duration",
                    "none")
        .begin(0).fail(0, MAX, MAX + 1, WORD_MAX))
    yield (Scenario("max_elapsed-longest-wait", "a wait that ends at the longest duration, and one that ends later",
                    "constant:base=1ns")
        .begin(0, 7).fail(0, MAX + 6).fail(0, MAX + 7))
    yield (Scenario("max_elapsed-overflow", "no limit: the sum exceeds 2^64", "constant:base=9223372036854775807ns")
        .begin(0, 0).fail(0, 0, 1, WORD_MAX))
    yield (Scenario("max_elapsed-longest-set", "the longest max_elapsed is no limit",
                    f"constant:base=1s,max_elapsed={MAX}ns")
        .begin(0).fail(0, MAX - S, MAX - S + 1, WORD_MAX))
    yield (Scenario("max_elapsed-none", "no limit in place of a preset's", "cenkalti-v4:max_elapsed=none")
        .begin(0).fail(0, 901 * S, MAX, WORD_MAX))
    for id, why, now in (
        ("exactly", "a wait that ends exactly at it", MAX - 2),
        ("by-one", "a wait that ends 1 ns after it", MAX - 1),
        ("overflow", "the sum exceeds 2^63", WORD_MAX),
    ):
        yield (Scenario(f"max_elapsed-longest-limit-{id}", f"{MAX - 1} ns is a limit: {why}",
                        f"constant:base=1ns,max_elapsed={MAX - 1}ns")
            .begin(0).fail(0, now))
    yield (Scenario("max_elapsed-longest-limit-wait", "a wait one nanosecond above the limit, at the start",
                    f"constant:base={MAX}ns,max_elapsed={MAX - 1}ns")
        .begin(0).fail(0, 0))
    yield (Scenario("max_elapsed-none-deadline", "without max_elapsed the deadline still stops a wait",
                    "constant:base=9223372036854775807ns")
        .begin(0, 5, deadline=WORD_MAX - 1).fail(0, MAX).fail(0, MAX + 1))
    yield (Scenario("max_elapsed-none-retry_after", "no limit stops the longest retry_after",
                    "constant:base=1s,retry_after_max=none")
        .begin(0).outcome(0, "transient", S, retry_after=MAX).outcome(0, "transient", WORD_MAX, retry_after=WORD_MAX))
    yield (Scenario("deadline-overflow", "the sum exceeds 2^64", "constant:base=9223372036854775807ns")
        .begin(0, WORD_MAX, deadline=WORD_MAX - 1).fail(0, WORD_MAX))
    yield (Scenario("deadline-last-instant", "2^64 - 2 is the last possible deadline", "constant:base=1ns")
        .begin(0, WORD_MAX - 2, deadline=WORD_MAX - 1).fail(0, WORD_MAX - 2, WORD_MAX - 1))
    yield (Scenario("deadline-is-none", "2^64 - 1 is no deadline", "constant:base=1h")
        .begin(0, WORD_MAX - 1, deadline=WORD_MAX).fail(0, WORD_MAX - 1, WORD_MAX))
    yield (Scenario("deadline-none-overflow", "without a deadline a wait may end after 2^64", "constant:base=1h")
        .begin(0, WORD_MAX).fail(0, WORD_MAX))
    yield (Scenario("deadline-past", "a deadline before the start", "none")
        .begin(0, 10, deadline=9).fail(0, 10))
    yield (Scenario("deadline-now", "a wait of 0 ends at the deadline", "none")
        .begin(0, 10, deadline=10).fail(0, 10, 11))
    yield (Scenario("deadline-zero", "0 is a deadline, not a missing one", "none")
        .begin(0, deadline=0).fail(0, 0, 1))
    yield (Scenario("deadline-success", "a success after the deadline is a success", "default")
        .begin(0, deadline=5).succeed(0, 10))
    yield (Scenario("order-retries-elapsed", "max_retries is checked before max_elapsed, and reports no delay",
                    "constant:base=1s,max_retries=0,max_elapsed=0s")
        .begin(0, deadline=0).fail(0, 5))
    yield (Scenario("order-elapsed-deadline", "max_elapsed is checked before the deadline",
                    "constant:base=1s,max_elapsed=0s")
        .begin(0, deadline=0).fail(0, 5))
    yield (Scenario("order-permanent", "a permanent failure is checked before all limits",
                    "constant:base=1s,max_retries=0,max_elapsed=0s")
        .begin(0, deadline=0).outcome(0, "permanent", 5))
    yield (Scenario("throttled-elapsed", "the delay of the throttled base exceeds max_elapsed",
                    "constant:base=1s,throttled_base=9s,max_elapsed=5s")
        .begin(0).fail(0, 0).fail(0, 0, outcome="throttled"))


def shared():
    """15.3 beside the other limits, and operations beside each other."""
    for reason, policy, deadline in (
        ("max_retries", "constant:base=1s,max_retries=1", None),
        ("max_elapsed", "constant:base=1s,max_elapsed=1s", None),
        ("deadline", "constant:base=1s", S),
    ):
        for budget in (
            "quota:max_tokens=10",
            "ratio:max_tokens=2,ratio=0",
            "rate:max_tokens=2,per=1d",
            "ttl:ttl=1s,min_per_second=2,ratio=0",
            "concurrent:min_concurrent=1,ratio=0",
        ):
            kind = budget.split(":")[0]
            yield (Scenario(f"spared-{kind}-{reason}", f"nothing is spent on a retry that {reason} stops", policy,
                            budget)
                .begin(0, 0, deadline).fail(0, 0, 1).begin(1).fail(1, 0).begin(2).fail(2, 0))
    yield (Scenario("order-deadline-budget", "the deadline is checked before the budget", "constant:base=1s",
                    "quota:max_tokens=5")
        .begin(0).fail(0, 0).begin(1, deadline=0).fail(1, 0).begin(2).fail(2, 0))
    yield (Scenario("budget-retry_after", "a refusal reports the retry_after's delay", "constant:base=1s",
                    "concurrent:min_concurrent=0,ratio=0")
        .begin(0).server_asks(0, 9 * S))
    yield (Scenario("budget-no-retry", "an empty budget does not affect a success", "default",
                    "concurrent:min_concurrent=0,ratio=0")
        .begin(0).succeed(0))
    yield (Scenario("shared-quota", "three operations share a quota", "default", "quota:max_tokens=20")
        .begin(0).begin(1, 1).begin(2, 2).fail(0, 10).fail(1, 11).fail(2, 12).fail(0, 20).fail(1, 21).succeed(2, 22)
        .begin(3, 23).fail(3, 24, 25))
    yield (Scenario("shared-throttle", "the failures of others close the throttle", "default", "grpc-retry")
        .begin(0).begin(1).begin(2).begin(3).fail(0, 1).fail(1, 1).fail(2, 1).fail(3, 1).fail(0, 2).fail(1, 2)
        .succeed(2, 2).succeed(3, 3))
