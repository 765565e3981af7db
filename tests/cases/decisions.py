"""Operations and budgets (SPEC 13, 15)."""

import random

from reference import budgets, fields, numbers, operations, streams, strings

MAX, WORD_MAX = numbers.MAX, 2**64 - 1
MS, S = 10**6, 10**9
HOUR = 3600 * S


class Scenario:
    """A case that is being written: what is asked of the reference, and what it answers."""

    def __init__(self, id, why, policy, budget=None, seed=42, key=b"job-1"):
        self.case = {
            "id": id,
            "why": why,
            "policy": policy,
            "budget": budget,
            "seed": str(seed),
            "key": None if key is None else key.hex(),
            "steps": [],
        }
        self.policy, self.stream = strings.parse("policy", policy), streams.stream(seed, key)
        self.budget = budget and budgets.new_budget(strings.parse("budget", budget))
        self.operations = {}

    def begin(self, operation, now=0, deadline=None):
        self.operations[operation] = operations.Operation(self.policy, self.stream, now, deadline, self.budget)
        self.step(operation, "begin", now, deadline=word(deadline))
        return self

    def outcome(self, operation, outcome, now=0, retry_after=None):
        asked = self.operations[operation]
        answer = answered(asked.outcome(outcome, now, retry_after))
        more = {"outcome": outcome, "retry_after": word(retry_after), "answer": answer, "retries": asked.retries}
        self.step(operation, "outcome", now, **more)
        return self

    def cancel(self, operation, now=0):
        answer = answered(self.operations[operation].cancel())
        self.step(operation, "cancel", now, answer=answer)
        return self

    def step(self, operation, do, now, **more):
        self.case["steps"].append({"operation": operation, "do": do, "now": str(now), **more})

    def fail(self, operation, *times, outcome="transient"):
        for now in times:
            self.outcome(operation, outcome, now)
        return self


def word(value):
    return None if value is None else str(value)


def answered(answer):
    what, delay = answer
    return {"wait": str(delay)} if what == "wait" else {"stop": what, "delay": str(delay)}


def decision_cases():
    for scenario in (*plain(), *retry_afters(), *times(), *budget_kinds(), *shared(), *at_random()):
        yield scenario.case


def plain():
    """13.4, without retry_afters, clocks and budgets."""
    yield (Scenario("success-at-once", "one attempt", "default").begin(0).outcome(0, "success", 5))
    yield (
        Scenario("success-after-retries", "two retries", "default").begin(0).fail(0, 0, S).outcome(0, "success", 2 * S)
    )
    yield (Scenario("permanent", "is not retried", "default").begin(0).outcome(0, "permanent"))
    yield (
        Scenario("permanent-after-retry", "and ends what was retried", "default")
        .begin(0)
        .fail(0, 0)
        .outcome(0, "permanent", S)
    )
    yield (Scenario("max_retries", "three retries and no fourth", "default").begin(0).fail(0, 0, S, 2 * S, 3 * S))
    yield (Scenario("max_retries-zero", "no retry at all", "constant:base=1s,max_retries=0").begin(0).fail(0, 0))
    yield (Scenario("max_attempts", "one attempt is no retry", "constant:base=1s,max_attempts=1").begin(0).fail(0, 0))
    yield (
        Scenario("success-at-the-limit", "the last retry may succeed", "constant:base=1s,max_retries=1")
        .begin(0)
        .fail(0, 0)
        .outcome(0, "success", S)
    )
    yield (
        Scenario("no-limit", "without max_retries there is always another", "constant:base=1s")
        .begin(0)
        .fail(0, *range(0, 30 * S, S))
    )
    yield (
        Scenario("kinds-of-failure", "all three are retried", "none")
        .begin(0)
        .outcome(0, "transient")
        .outcome(0, "throttled")
        .outcome(0, "timeout")
        .outcome(0, "success")
    )
    for end, why in (("success", "success"), ("permanent", "a permanent failure"), ("transient", "max_retries")):
        yield (
            Scenario(f"after-{end}", f"after {why} nothing changes", "default:max_retries=0")
            .begin(0)
            .outcome(0, end, 1)
            .outcome(0, "success", 2)
            .outcome(0, "transient", 3, retry_after=S)
            .outcome(0, "permanent", 4)
            .cancel(0, 5)
        )
    yield (
        Scenario("cancel-at-once", "before the first attempt is over", "default")
        .begin(0)
        .cancel(0)
        .cancel(0, 1)
        .outcome(0, "success", 2)
    )
    yield (
        Scenario("cancel-while-waiting", "in the middle of a wait", "default")
        .begin(0)
        .fail(0, 0)
        .cancel(0, 1)
        .fail(0, 2)
    )
    yield (
        Scenario("stream", "no key: the stream is the seed", "full:base=1s,cap=20s", key=None).begin(0).fail(0, 0, 0, 0)
    )
    yield (
        Scenario("one-stream", "two operations of one stream wait alike", "full:base=1s,cap=20s")
        .begin(0)
        .begin(1)
        .fail(0, 0, 0)
        .fail(1, 0, 0, 0)
        .fail(0, 0)
    )
    yield (
        Scenario(
            "decorrelated", "the delay is that of the index, whatever was waited", "decorrelated:base=100ms,cap=20s"
        )
        .begin(0)
        .fail(0, 0, 0)
        .outcome(0, "transient", 0, retry_after=30 * S)
        .fail(0, 0)
    )

    throttled = "exponential:base=50ms,cap=20s,throttled_base=1s"
    yield (
        Scenario("throttled_base", "a longer base while the server is throttling", throttled)
        .begin(0)
        .fail(0, 0)
        .fail(0, 0, outcome="throttled")
        .fail(0, 0)
        .fail(0, 0, outcome="timeout")
        .fail(0, 0, 0, outcome="throttled")
    )
    yield (
        Scenario("throttled_base-aws", "with the draw of the same index", "aws-sdk-2026:max_retries=6")
        .begin(0)
        .begin(1)
        .fail(0, 0, 0, 0, 0)
        .fail(1, 0, 0, 0, 0, outcome="throttled")
    )
    yield (
        Scenario("throttled_base-default", "the base unless it is given", "exponential:base=50ms")
        .begin(0)
        .fail(0, 0, 0, outcome="throttled")
    )
    yield (
        Scenario("throttled_base-zero", "0 is a base", "exponential:base=50ms,throttled_base=0s")
        .begin(0)
        .fail(0, 0, 0, outcome="throttled")
        .fail(0, 0)
    )
    yield (
        Scenario(
            "throttled_base-decorrelated",
            "grows from the throttled base",
            "decorrelated:base=50ms,cap=20s,throttled_base=1s",
        )
        .begin(0)
        .fail(0, 0, 0)
        .fail(0, 0, 0, outcome="throttled")
    )
    yield (
        Scenario("throttled_base-linear", "an increment of its own", "linear:base=1s,increment=10ms,throttled_base=3s")
        .begin(0)
        .fail(0, 0, 0)
        .fail(0, 0, 0, outcome="throttled")
    )
    yield (
        Scenario(
            "throttled_base-linear-default",
            "an increment that was not given is the base all the same",
            "linear:base=1s,throttled_base=3s",
        )
        .begin(0)
        .fail(0, 0, 0)
        .fail(0, 0, 0, outcome="throttled")
    )
    for growth in ("constant", "polynomial", "fibonacci"):
        yield (
            Scenario(f"throttled_base-{growth}", "of another growth", f"{growth}:base=1s,throttled_base=3s")
            .begin(0)
            .fail(0, 0, 0)
            .fail(0, 0, 0, outcome="throttled")
        )
    yield (
        Scenario("throttled_base-cap", "the cap holds for it", "exponential:base=1s,cap=8s,throttled_base=4s")
        .begin(0)
        .fail(0, 0, 0, 0, outcome="throttled")
    )


def retry_afters():
    """13.5."""
    base = "full:base=1s,cap=20s"
    for mode in fields.KINDS["retry_after"]:
        yield (
            Scenario(f"retry_after-{mode}", "shorter and longer than the delay, and 0", f"{base},retry_after={mode}")
            .begin(0)
            .outcome(0, "transient", retry_after=1)
            .outcome(0, "throttled", retry_after=30 * S)
            .outcome(0, "timeout", retry_after=0)
            .outcome(0, "transient", retry_after=3 * S + 1)
            .outcome(0, "transient")
        )
        yield (
            Scenario(
                f"retry_after-{mode}-max",
                "retry_after_max hit exactly, by 1 ns, and passed by far",
                f"constant:base=1s,retry_after={mode},retry_after_max=5s",
            )
            .begin(0)
            .outcome(0, "transient", retry_after=5 * S - 1)
            .outcome(0, "transient", retry_after=5 * S)
            .outcome(0, "transient", retry_after=5 * S + 1)
            .outcome(0, "transient", retry_after=WORD_MAX)
        )
        yield (
            Scenario(
                f"retry_after-{mode}-extra",
                "retry_after_max_extra is counted from the delay",
                f"exponential:base=1s,retry_after={mode},retry_after_max_extra=5s",
            )
            .begin(0)
            .outcome(0, "transient", retry_after=6 * S - 1)
            .outcome(0, "transient", retry_after=7 * S)
            .outcome(0, "transient", retry_after=9 * S + 1)
            .outcome(0, "transient", retry_after=WORD_MAX)
        )
        yield (
            Scenario(
                f"retry_after-{mode}-longest",
                "a retry_after above 2^63 counts as 2^63 - 1",
                f"constant:base=1s,retry_after={mode},retry_after_max=none",
            )
            .begin(0)
            .outcome(0, "transient", retry_after=MAX - 1 - S)
            .outcome(0, "transient", retry_after=MAX)
            .outcome(0, "transient", retry_after=MAX + 1)
            .outcome(0, "transient", retry_after=WORD_MAX)
        )
        yield (
            Scenario(
                f"retry_after-{mode}-extra-saturates",
                "the delay and retry_after_max_extra pass 2^63",
                f"constant:base=9223372036854775000ns,retry_after={mode},retry_after_max=none,retry_after_max_extra=1h",
            )
            .begin(0)
            .outcome(0, "transient", retry_after=WORD_MAX)
        )
        yield (
            Scenario(
                f"retry_after-{mode}-bounds-zero",
                "bounds of 0 leave nothing of a retry_after",
                f"constant:base=1s,retry_after={mode},retry_after_max=0s,retry_after_max_extra=0s",
            )
            .begin(0)
            .outcome(0, "transient", retry_after=MAX)
            .outcome(0, "transient", retry_after=0)
        )
        yield (
            Scenario(
                f"retry_after-{mode}-default",
                "retry_after_max is 1 h unless given: below it, at it, above it",
                f"constant:base=1s,retry_after={mode}",
            )
            .begin(0)
            .outcome(0, "transient", retry_after=HOUR - 1)
            .outcome(0, "transient", retry_after=HOUR)
            .outcome(0, "transient", retry_after=HOUR + 1)
            .outcome(0, "transient", retry_after=WORD_MAX)
        )
        yield (
            Scenario(
                f"retry_after-{mode}-default-extra",
                "the smaller of 1 h and the delay with retry_after_max_extra",
                f"linear:base=30m,retry_after={mode},retry_after_max_extra=29m",
            )
            .begin(0)
            .outcome(0, "transient", retry_after=2 * HOUR)
            .outcome(0, "transient", retry_after=2 * HOUR)
            .outcome(0, "transient", retry_after=HOUR - 1)
        )
        yield (
            Scenario(f"retry_after-{mode}-default-delay", "a delay above 1 h", f"constant:base=2h,retry_after={mode}")
            .begin(0)
            .outcome(0, "transient", retry_after=3 * HOUR)
            .outcome(0, "transient", retry_after=HOUR // 2)
        )
        yield (
            Scenario(
                f"retry_after-{mode}-none",
                "retry_after_max=none: no limit",
                f"constant:base=1s,retry_after={mode},retry_after_max=none",
            )
            .begin(0)
            .outcome(0, "transient", retry_after=HOUR + 1)
            .outcome(0, "transient", retry_after=1000 * HOUR)
        )
        yield (
            Scenario(
                f"retry_after-{mode}-none-extra",
                "retry_after_max_extra limits it all the same",
                f"constant:base=1s,retry_after={mode},retry_after_max=none,retry_after_max_extra=2h",
            )
            .begin(0)
            .outcome(0, "transient", retry_after=3 * HOUR)
        )
    yield (
        Scenario("retry_after-default-grpc", "1 h limits a preset's pushback too", "grpc-retry")
        .begin(0)
        .outcome(0, "transient", retry_after=HOUR + 1)
    )
    yield (
        Scenario(
            "retry_after-default-max_elapsed",
            "the limited retry_after is what max_elapsed sees",
            "constant:base=1s,max_elapsed=1h",
        )
        .begin(0)
        .outcome(0, "transient", retry_after=WORD_MAX)
        .outcome(0, "transient", 1, retry_after=WORD_MAX)
    )
    yield (
        Scenario(
            "retry_after-extra-zero",
            "the retry_after is at most the delay",
            "constant:base=1s,retry_after=exact,retry_after_max_extra=0s",
        )
        .begin(0)
        .outcome(0, "transient", retry_after=2 * S)
        .outcome(0, "transient", retry_after=S - 1)
    )
    yield (
        Scenario("retry_after-aws", "AWS: between the delay and 5 s more", "aws-sdk-2026:max_retries=5")
        .begin(0)
        .outcome(0, "throttled", retry_after=MS)
        .outcome(0, "throttled", retry_after=2 * S)
        .outcome(0, "throttled", retry_after=60 * S)
    )
    yield (
        Scenario("retry_after-grpc", "gRPC's pushback is exact", "grpc-retry")
        .begin(0)
        .outcome(0, "transient", retry_after=7 * S)
        .outcome(0, "transient", retry_after=0)
        .outcome(0, "transient")
        .outcome(0, "transient", retry_after=1)
    )
    yield (
        Scenario("retry_after-spread-small", "half of the smallest retry_afters", "constant:base=1s,retry_after=spread")
        .begin(0)
        .outcome(0, "transient", retry_after=1)
        .outcome(0, "transient", retry_after=2)
        .outcome(0, "transient", retry_after=3)
        .outcome(0, "transient", retry_after=2)
    )
    yield (
        Scenario(
            "retry_after-above-cap", "a cap does not hold for a retry_after", "constant:base=1s,cap=2s,cap_on=delay"
        )
        .begin(0)
        .outcome(0, "transient", retry_after=9 * S)
    )
    yield (
        Scenario(
            "retry_after-throttled",
            "extra is counted from the delay of the throttled base",
            "constant:base=1s,throttled_base=4s,retry_after=exact,retry_after_max_extra=1s",
        )
        .begin(0)
        .outcome(0, "throttled", retry_after=9 * S)
        .outcome(0, "transient", retry_after=9 * S)
    )
    yield (
        Scenario("retry_after-not-too-late", "max_retries before the retry_after", "constant:base=1s,max_retries=0")
        .begin(0)
        .outcome(0, "transient", retry_after=9 * S)
    )


def times():
    """13.4, steps 7 and 8."""
    for id, why, now in (("exactly", "ends exactly then", 9 * S), ("by-one", "ends 1 ns later", 9 * S + 1)):
        yield (
            Scenario(f"max_elapsed-{id}", f"a wait that {why}", "constant:base=1s,max_elapsed=10s")
            .begin(0, 100)
            .outcome(0, "transient", 100 + now)
        )
        yield (
            Scenario(f"deadline-{id}", f"a wait that {why}", "constant:base=1s")
            .begin(0, 100, deadline=100 + 10 * S)
            .outcome(0, "transient", 100 + now)
        )
        yield (
            Scenario(f"max_elapsed-retry_after-{id}", f"a retry_after that {why}", "constant:base=1ms,max_elapsed=10s")
            .begin(0)
            .outcome(0, "transient", now, retry_after=S)
        )
        yield (
            Scenario(f"deadline-retry_after-{id}", f"a retry_after that {why}", "constant:base=1ms,retry_after=exact")
            .begin(0, deadline=10 * S)
            .outcome(0, "transient", now, retry_after=S)
        )
    yield (
        Scenario("max_elapsed-zero", "no wait, however short", "constant:base=1ns,max_elapsed=0s").begin(0).fail(0, 0)
    )
    yield (
        Scenario("max_elapsed-zero-wait-zero", "but a wait of 0", "constant:base=0s,max_elapsed=0s")
        .begin(0)
        .fail(0, 0, 0, 1)
    )
    yield (
        Scenario(
            "max_elapsed-time-back",
            "a time before the beginning counts as the beginning",
            "constant:base=1s,max_elapsed=1s",
        )
        .begin(0, 50 * S)
        .fail(0, 20 * S, 0)
        .fail(0, 50 * S + 1)
    )
    yield (
        Scenario("max_elapsed-time-back-too-long", "but shortens no wait", "constant:base=2s,max_elapsed=1s")
        .begin(0, 50 * S)
        .fail(0, 20 * S)
    )
    yield (
        Scenario("max_elapsed-cenkalti", "no wait beyond 15 minutes", "cenkalti-v4")
        .begin(0, S)
        .fail(0, S, 300 * S, 600 * S, 890 * S, 899 * S, 901 * S)
    )
    yield (
        Scenario(
            "max_elapsed-longest", "from the first instant to the last is longer than the longest duration", "none"
        )
        .begin(0)
        .fail(0, MAX, MAX + 1)
    )
    yield (
        Scenario("max_elapsed-longest-wait", "a wait may end exactly at the longest duration", "constant:base=1ns")
        .begin(0, 7)
        .fail(0, MAX + 6)
        .fail(0, MAX + 7)
    )
    yield (
        Scenario("max_elapsed-overflow", "the sum passes 2^64", "constant:base=9223372036854775807ns")
        .begin(0, 0)
        .fail(0, WORD_MAX)
    )
    yield (
        Scenario("deadline-overflow", "the sum passes 2^64", "constant:base=9223372036854775807ns")
        .begin(0, WORD_MAX, deadline=WORD_MAX - 1)
        .fail(0, WORD_MAX)
    )
    yield (
        Scenario("deadline-last-instant", "the last instant that can be a deadline", "constant:base=1ns")
        .begin(0, WORD_MAX - 2, deadline=WORD_MAX - 1)
        .fail(0, WORD_MAX - 2, WORD_MAX - 1)
    )
    yield (
        Scenario("deadline-is-none", "the instant after it is none", "constant:base=1h")
        .begin(0, WORD_MAX - 1, deadline=WORD_MAX)
        .fail(0, WORD_MAX - 1, WORD_MAX)
    )
    yield (
        Scenario("deadline-none-overflow", "without a deadline a wait may end after all time", "constant:base=1h")
        .begin(0, WORD_MAX)
        .fail(0, WORD_MAX)
    )
    yield (Scenario("deadline-past", "before the beginning", "none").begin(0, 10, deadline=9).fail(0, 10))
    yield (Scenario("deadline-now", "a wait of 0 ends now", "none").begin(0, 10, deadline=10).fail(0, 10, 11))
    yield (Scenario("deadline-zero", "0 is a deadline, not its absence", "none").begin(0, deadline=0).fail(0, 0, 1))
    yield (
        Scenario("deadline-success", "a success after the deadline is one", "default")
        .begin(0, deadline=5)
        .outcome(0, "success", 10)
    )
    yield (
        Scenario(
            "order-retries-elapsed",
            "max_retries before max_elapsed, and tells no delay",
            "constant:base=1s,max_retries=0,max_elapsed=0s",
        )
        .begin(0, deadline=0)
        .fail(0, 5)
    )
    yield (
        Scenario("order-elapsed-deadline", "max_elapsed before the deadline", "constant:base=1s,max_elapsed=0s")
        .begin(0, deadline=0)
        .fail(0, 5)
    )
    yield (
        Scenario(
            "order-permanent", "a permanent failure before all limits", "constant:base=1s,max_retries=0,max_elapsed=0s"
        )
        .begin(0, deadline=0)
        .outcome(0, "permanent", 5)
    )
    yield (
        Scenario(
            "throttled-elapsed",
            "the throttled base is too long for the time",
            "constant:base=1s,throttled_base=9s,max_elapsed=5s",
        )
        .begin(0)
        .fail(0, 0)
        .fail(0, 0, outcome="throttled")
    )


def budget_kinds():
    """15.3, each kind alone."""
    free = "none"
    yield (
        Scenario("quota", "two retries of 5, the third is refused", free, "quota:max_tokens=14")
        .begin(0)
        .fail(0, 0, 0, 0)
    )
    yield (
        Scenario("quota-exactly", "a level that is the cost is enough", free, "quota:max_tokens=10")
        .begin(0)
        .fail(0, 0, 0, 0)
    )
    yield (
        Scenario("quota-refund", "a success gives back what the last retry took", free, "quota:max_tokens=10")
        .begin(0)
        .fail(0, 0, 0)
        .outcome(0, "success")
        .begin(1)
        .fail(1, 0, 0)
    )
    yield (
        Scenario(
            "quota-refund-last",
            "the last cost, not the sum, nor the first",
            free,
            "quota:max_tokens=17,cost=4,cost_timeout=10,cost_throttled=3",
        )
        .begin(0)
        .fail(0, 0)
        .fail(0, 0, outcome="timeout")
        .fail(0, 0, outcome="throttled")
        .outcome(0, "success")
        .begin(1)
        .fail(1, 0)
    )
    yield (
        Scenario("quota-one-back", "a success without a retry gives one token", free, "quota:max_tokens=6")
        .begin(0)
        .fail(0, 0, 0)
        .begin(1)
        .fail(1, 0)
        .begin(2)
        .outcome(2, "success")
        .begin(3)
        .outcome(3, "success")
        .begin(4)
        .outcome(4, "success")
        .begin(5)
        .fail(5, 0)
        .begin(6)
        .outcome(6, "success")
        .begin(7)
        .fail(7, 0, 0)
    )
    yield (
        Scenario("quota-full", "never more than its tokens", free, "quota:max_tokens=5")
        .begin(0)
        .outcome(0, "success")
        .begin(1)
        .outcome(1, "success")
        .begin(2)
        .fail(2, 0, 0)
    )
    yield (
        Scenario("quota-permanent", "a permanent failure gives nothing back", free, "quota:max_tokens=5")
        .begin(0)
        .fail(0, 0)
        .outcome(0, "permanent")
        .begin(1)
        .fail(1, 0)
    )
    yield (
        Scenario("quota-cancel", "nor does a caller that gives up", free, "quota:max_tokens=5")
        .begin(0)
        .fail(0, 0)
        .cancel(0)
        .begin(1)
        .fail(1, 0)
    )
    yield (
        Scenario("quota-aws", "AWS 2026: 14, or 5 if throttled", free, "aws-sdk-2026:max_tokens=38")
        .begin(0)
        .fail(0, 0)
        .fail(0, 0, outcome="throttled")
        .fail(0, 0, outcome="timeout")
        .fail(0, 0, 0, outcome="throttled")
    )
    yield (
        Scenario(
            "quota-refused-then-cheaper",
            "a refusal ends the operation, a cheaper retry of another is granted",
            free,
            "quota:max_tokens=10,cost=10,cost_throttled=1",
        )
        .begin(0)
        .begin(1)
        .fail(0, 0, outcome="throttled")
        .fail(0, 0)
        .fail(1, 0, outcome="throttled")
    )
    yield (
        Scenario("quota-refused-refund", "a refused operation gives back nothing", free, "quota:max_tokens=5")
        .begin(0)
        .fail(0, 0, 0)
        .outcome(0, "success")
        .begin(1)
        .fail(1, 0)
    )
    yield (
        Scenario(
            "quota-delay-told", "the delay that was not begun is told", "exponential:base=1s", "quota:max_tokens=5"
        )
        .begin(0)
        .fail(0, 0, 0)
    )

    yield (
        Scenario("throttle", "gRPC: below half of the tokens no retry", free, "grpc-retry")
        .begin(0)
        .fail(0, 0, 0, 0, 0, 0)
    )
    yield (Scenario("throttle-half", "exactly half is not enough", free, "throttle:max_tokens=2").begin(0).fail(0, 0))
    yield (Scenario("throttle-odd", "half of an odd number", free, "throttle:max_tokens=3").begin(0).fail(0, 0, 0))
    yield (
        Scenario("throttle-success", "a success gives a tenth", free, "throttle:max_tokens=4,ratio=0.5")
        .begin(0)
        .fail(0, 0, 0)
        .begin(1)
        .outcome(1, "success")
        .begin(2)
        .outcome(2, "success")
        .begin(3)
        .outcome(3, "success")
        .begin(4)
        .fail(4, 0)
    )
    ten = Scenario(
        "throttle-thousandths",
        "thousandths of a token, the rest is cut off each time",
        free,
        "throttle:max_tokens=3,ratio=0.1501",
    )
    ten.begin(0).fail(0, 0, 0)
    for operation in range(1, 11):
        ten.begin(operation).outcome(operation, "success")
    yield ten.begin(11).begin(12).fail(11, 0).fail(12, 0)
    yield (
        Scenario(
            "throttle-two-thirds",
            "666 thousandths: cut off after the multiplication",
            free,
            "throttle:max_tokens=3,ratio=2/3",
        )
        .begin(0)
        .fail(0, 0, 0)
        .begin(1)
        .outcome(1, "success")
        .begin(2)
        .outcome(2, "success")
        .begin(3)
        .fail(3, 0)
        .begin(4)
        .outcome(4, "success")
        .begin(5)
        .fail(5, 0)
    )
    yield (
        Scenario("throttle-full", "never more than its tokens", free, "throttle:max_tokens=3,ratio=1")
        .begin(0)
        .outcome(0, "success")
        .begin(1)
        .fail(1, 0, 0)
    )
    yield (
        Scenario("throttle-empty", "never less than nothing", free, "throttle:max_tokens=3,ratio=1")
        .begin(0)
        .fail(0, 0, 0)
        .begin(1)
        .fail(1, 0)
        .begin(2)
        .fail(2, 0)
        .begin(3)
        .fail(3, 0)
        .begin(4)
        .outcome(4, "success")
        .begin(5)
        .outcome(5, "success")
        .begin(6)
        .outcome(6, "success")
        .begin(7)
        .fail(7, 0, 0)
    )
    yield (
        Scenario(
            "throttle-counts-all",
            "a failure counts that max_retries stops",
            "constant:base=0s,max_retries=1",
            "throttle:max_tokens=5",
        )
        .begin(0)
        .fail(0, 0, 0)
        .begin(1)
        .fail(1, 0)
    )
    yield (
        Scenario(
            "throttle-counts-stopped",
            "failures count whatever stops them",
            "constant:base=1s,max_elapsed=1s",
            "throttle:max_tokens=4",
        )
        .begin(0)
        .fail(0, S)
        .begin(1)
        .fail(1, S)
        .begin(2, S)
        .fail(2, S)
    )
    yield (
        Scenario(
            "throttle-permanent", "permanent failures and cancellations cost nothing", free, "throttle:max_tokens=3"
        )
        .begin(0)
        .outcome(0, "permanent")
        .begin(1)
        .cancel(1)
        .begin(2)
        .fail(2, 0)
        .outcome(2, "permanent")
        .begin(3)
        .fail(3, 0)
    )

    yield (
        Scenario("ratio", "ten tokens to begin with, and a tenth for each operation", free, "sre")
        .begin(0)
        .fail(0, *[0] * 12)
    )
    yield (
        Scenario("ratio-begins", "five operations give a token", free, "ratio:max_tokens=1,ratio=0.2")
        .begin(0)
        .fail(0, 0, 0)
        .begin(1)
        .begin(2)
        .begin(3)
        .begin(4)
        .fail(1, 0)
        .begin(5)
        .fail(2, 0)
        .fail(3, 0)
    )
    yield (
        Scenario("ratio-full", "never more than its tokens", free, "ratio:max_tokens=2,ratio=1")
        .begin(0)
        .begin(1)
        .begin(2)
        .fail(0, 0, 0, 0)
    )
    yield (
        Scenario("ratio-third", "three thirds are one", free, "ratio:max_tokens=1,ratio=1/3")
        .begin(0)
        .fail(0, 0)
        .begin(1)
        .begin(2)
        .fail(1, 0)
        .begin(3)
        .begin(4)
        .fail(3, 0)
        .begin(5)
        .begin(6)
        .begin(7)
        .fail(5, 0)
    )
    yield (
        Scenario("ratio-none", "a ratio of 0 never refills", free, "ratio:max_tokens=1,ratio=0")
        .begin(0)
        .fail(0, 0)
        .begin(1)
        .fail(1, 0)
    )
    yield (
        Scenario("ratio-success", "success gives nothing back", free, "ratio:max_tokens=1,ratio=0")
        .begin(0)
        .fail(0, 0)
        .outcome(0, "success")
        .begin(1)
        .fail(1, 0)
    )

    yield (
        Scenario("rate", "full, then one each 20 s", free, "rate:max_tokens=3")
        .begin(0, S)
        .fail(0, S, S, S)
        .begin(1, S)
        .fail(1, S)
        .fail(0, 20 * S)
        .begin(2, 21 * S)
        .fail(2, 21 * S - 1)
        .begin(3, 21 * S)
        .fail(3, 21 * S)
        .begin(4, 21 * S)
        .fail(4, 21 * S)
    )
    yield (
        Scenario("rate-full", "never more than its tokens", free, "rate:max_tokens=2,per=1s")
        .begin(0)
        .fail(0, 0, 100 * S, 100 * S, 100 * S)
    )
    yield (
        Scenario("rate-begins", "full at the first retry, whatever the clock says", free, "rate:max_tokens=1,per=1d")
        .begin(0, WORD_MAX)
        .fail(0, WORD_MAX, WORD_MAX)
    )
    yield (
        Scenario("rate-long-pause", "from the first instant to the last", free, "rate:max_tokens=100000,per=1d")
        .begin(0)
        .fail(0, 0)
        .begin(1)
        .fail(1, MAX // 2)
        .begin(2, WORD_MAX)
        .fail(2, WORD_MAX)
    )
    yield (
        Scenario(
            "rate-time-back",
            "an earlier time neither refills nor drains, and does not count twice",
            free,
            "rate:max_tokens=2,per=2s",
        )
        .begin(0, 10 * S)
        .fail(0, 10 * S, 10 * S)
        .begin(1, 9 * S)
        .fail(1, 9 * S)
        .begin(2, 11 * S)
        .fail(2, 11 * S)
        .begin(3, 10 * S)
        .fail(3, 10 * S)
        .begin(4, 11 * S)
        .fail(4, 11 * S)
        .begin(5, 12 * S)
        .fail(5, 12 * S)
    )
    yield (
        Scenario("rate-refused-counts", "a refused retry moves the time on", free, "rate:max_tokens=1,per=10s")
        .begin(0)
        .fail(0, 0, 4 * S)
        .begin(1)
        .fail(1, 9 * S)
        .begin(2)
        .fail(2, 2 * S)
        .begin(3)
        .fail(3, 10 * S)
    )
    yield (
        Scenario("rate-uneven", "parts of a nanosecond are kept", free, "rate:max_tokens=3,per=10ns")
        .begin(0)
        .fail(0, 0, 0, 0, 4)
        .begin(1)
        .fail(1, 6)
        .begin(2)
        .fail(2, 7, 10)
        .begin(3)
        .fail(3, 14)
        .begin(4)
        .fail(4, 14)
    )

    yield (
        Scenario("ttl-finagle", "a reserve of 100 retries in 10 s is more than these", free, "finagle")
        .begin(0)
        .fail(0, *[0] * 20)
    )
    yield (
        Scenario("ttl-reserve", "ten in ten seconds, without deposits", free, "ttl:min_per_second=1,ratio=0")
        .begin(0)
        .fail(0, *[0] * 11)
    )
    yield (
        Scenario("ttl-deposits", "five operations give a retry", free, "ttl:min_per_second=0")
        .begin(0)
        .begin(1)
        .begin(2)
        .begin(3)
        .fail(0, 0)
        .begin(4)
        .fail(1, 0)
        .fail(2, 0)
        .begin(5)
        .begin(6)
        .begin(7)
        .begin(8)
        .begin(9)
        .fail(3, 0)
        .fail(4, 0)
    )
    yield (
        Scenario(
            "ttl-expiry",
            "a deposit lasts for ten slices, its own among them",
            free,
            "ttl:ttl=1s,min_per_second=0,ratio=1",
        )
        .begin(0, 0)
        .begin(1, 0)
        .begin(2, 99 * MS)
        .fail(0, 0)
        .fail(1, S - 1)
        .fail(2, S)
    )
    yield (
        Scenario(
            "ttl-expiry-withdrawal",
            "so does a withdrawal: the reserve comes back",
            free,
            "ttl:ttl=1s,min_per_second=1,ratio=0",
        )
        .begin(0)
        .fail(0, 50 * MS)
        .begin(1)
        .fail(1, 999 * MS)
        .begin(2)
        .fail(2, 1000 * MS)
        .begin(3)
        .fail(3, 1999 * MS)
        .begin(4)
        .fail(4, 2 * S)
    )
    yield (
        Scenario(
            "ttl-slices",
            "slices begin at multiples of a tenth, not at the first use",
            free,
            "ttl:ttl=1s,min_per_second=0,ratio=1",
        )
        .begin(0, 50 * MS)
        .begin(1, 99 * MS)
        .begin(2, 100 * MS)
        .fail(0, 1000 * MS)
        .fail(1, 1000 * MS)
        .begin(3, 1100 * MS)
        .fail(2, 1100 * MS)
        .fail(3, 1100 * MS)
    )
    yield (
        Scenario(
            "ttl-odd",
            "a tenth of the ttl is cut to whole nanoseconds",
            free,
            "ttl:ttl=1000000009ns,min_per_second=0,ratio=1",
        )
        .begin(0, 100_000_000)
        .fail(0, 1_099_999_999)
        .begin(1, 99_999_999 + 2 * S)
        .fail(1, 3 * S)
    )
    yield (
        Scenario("ttl-reserve-cut", "a reserve of parts of a retry", free, "ttl:ttl=1500ms,min_per_second=1,ratio=1/3")
        .begin(0)
        .fail(0, 0, 0)
        .begin(1)
        .begin(2)
        .fail(1, 0)
        .begin(3)
        .fail(2, 0)
    )
    yield (
        Scenario(
            "ttl-reserve-parts",
            "a reserve of 9 fifths and a deposit of one are 2 retries: it is divided last",
            free,
            "ttl:ttl=1800ms,min_per_second=1,ratio=0.2",
        )
        .begin(0)
        .fail(0, 1, 2, 3)
    )
    yield (
        Scenario(
            "ttl-negative",
            "withdrawals may stand below the deposits of their slice",
            free,
            "ttl:ttl=1s,min_per_second=2,ratio=1/2",
        )
        .begin(0)
        .fail(0, 0, 0, 0)
        .begin(1, 500 * MS)
        .begin(2, 500 * MS)
        .fail(1, 500 * MS)
        .fail(2, 500 * MS)
        .begin(3, S)
        .fail(3, S, S, S)
    )
    yield (
        Scenario(
            "ttl-time-back",
            "an earlier time counts as in the latest slice",
            free,
            "ttl:ttl=1s,min_per_second=0,ratio=1",
        )
        .begin(0, 5 * S)
        .begin(1, 2 * S)
        .fail(0, 5900 * MS)
        .fail(1, 0)
        .begin(2, 0)
        .fail(2, 6 * S + 800 * MS)
    )
    yield (
        Scenario(
            "ttl-refused-counts",
            "a refused retry moves the latest slice on",
            free,
            "ttl:ttl=1s,min_per_second=0,ratio=1",
        )
        .begin(0, 0)
        .fail(0, 5 * S)
        .begin(1, 0)
        .begin(2, 0)
        .fail(1, 5900 * MS)
        .fail(2, 6 * S)
    )
    yield (
        Scenario(
            "ttl-late-write",
            "what comes late lasts as long as what came in time",
            free,
            "ttl:ttl=1s,min_per_second=0,ratio=1",
        )
        .begin(0, 900 * MS)
        .begin(1, 0)
        .fail(0, 1899 * MS)
        .fail(1, 1899 * MS)
        .begin(2, 1900 * MS)
        .begin(3, 0)
        .fail(2, 2899 * MS)
        .fail(3, 2900 * MS)
    )
    yield (
        Scenario("ttl-gap", "a long pause forgets everything", free, "ttl:ttl=60s,min_per_second=0,ratio=1")
        .begin(0)
        .begin(1, 3600 * S)
        .fail(1, 7200 * S)
        .begin(2, WORD_MAX)
        .fail(2, WORD_MAX, WORD_MAX)
    )
    yield (
        Scenario("ttl-steady", "one in five, minute after minute", free, "ttl:ttl=1s,min_per_second=0")
        .begin(0, 0)
        .begin(1, 200 * MS)
        .begin(2, 400 * MS)
        .begin(3, 600 * MS)
        .begin(4, 800 * MS)
        .fail(0, 900 * MS)
        .begin(5, 1000 * MS)
        .fail(1, 1000 * MS)
        .begin(6, 1200 * MS)
        .begin(7, 1400 * MS)
        .begin(8, 1600 * MS)
        .fail(2, 1600 * MS)
        .begin(9, 1800 * MS)
        .fail(3, 1800 * MS)
        .begin(10, 2000 * MS)
        .fail(4, 2000 * MS)
    )

    yield (
        Scenario("concurrent", "three at a time", free, "envoy")
        .begin(0)
        .begin(1)
        .begin(2)
        .begin(3)
        .fail(0, 0)
        .fail(1, 0)
        .fail(2, 0)
        .fail(3, 0)
    )
    yield (
        Scenario("concurrent-same", "one operation retries one at a time", free, "concurrent:min_concurrent=1")
        .begin(0)
        .fail(0, *[0] * 6)
    )
    yield (
        Scenario(
            "concurrent-released", "by success, by permanent, by giving up", free, "concurrent:min_concurrent=1,ratio=0"
        )
        .begin(0)
        .begin(1)
        .fail(0, 0)
        .outcome(0, "success")
        .fail(1, 0)
        .outcome(1, "permanent")
        .begin(2)
        .begin(3)
        .begin(4)
        .fail(2, 0)
        .fail(3, 0)
        .cancel(2)
        .fail(4, 0)
    )
    yield (
        Scenario("concurrent-refused", "a refused operation holds nothing", free, "concurrent:min_concurrent=0,ratio=0")
        .begin(0)
        .fail(0, 0)
        .cancel(0)
        .begin(1)
        .fail(1, 0)
    )
    yield (
        Scenario(
            "concurrent-released-once",
            "an operation that has ended releases nothing again",
            free,
            "concurrent:min_concurrent=1,ratio=0",
        )
        .begin(0)
        .fail(0, 0)
        .outcome(0, "success")
        .begin(1)
        .fail(1, 0)
        .outcome(0, "success")
        .cancel(0)
        .begin(2)
        .fail(2, 0)
    )
    yield (
        Scenario(
            "concurrent-released-by-stop",
            "a stop for another reason releases too",
            "constant:base=0s,max_retries=1",
            "concurrent:min_concurrent=1,ratio=0",
        )
        .begin(0)
        .begin(1)
        .fail(0, 0, 0)
        .fail(1, 0)
    )
    yield (
        Scenario("concurrent-part", "half of the active operations", free, "concurrent:min_concurrent=0,ratio=1/2")
        .begin(0)
        .fail(0, 0)
        .begin(1)
        .begin(2)
        .fail(1, 0)
        .begin(3)
        .fail(2, 0)
        .begin(4)
        .begin(5)
        .fail(4, 0)
        .fail(5, 0)
    )
    yield (
        Scenario(
            "concurrent-ended",
            "operations that have ended are not active",
            free,
            "concurrent:min_concurrent=0,ratio=1/2",
        )
        .begin(0)
        .begin(1)
        .begin(2)
        .begin(3)
        .outcome(0, "success")
        .outcome(1, "permanent")
        .cancel(1)
        .cancel(0)
        .cancel(2)
        .fail(3, 0)
        .begin(4)
        .begin(5)
        .fail(4, 0)
        .fail(5, 0)
    )
    yield (
        Scenario("concurrent-all", "every active operation", free, "concurrent:min_concurrent=0,ratio=1")
        .begin(0)
        .begin(1)
        .fail(0, 0)
        .fail(1, 0)
        .fail(0, 0)
        .outcome(1, "success")
        .fail(0, 0)
    )


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
            yield (
                Scenario(f"spared-{kind}-{reason}", f"nothing is spent on a retry that {reason} stops", policy, budget)
                .begin(0, 0, deadline)
                .fail(0, 0, 1)
                .begin(1)
                .fail(1, 0)
                .begin(2)
                .fail(2, 0)
            )
    yield (
        Scenario(
            "order-deadline-budget", "the deadline before an empty budget", "constant:base=1s", "quota:max_tokens=5"
        )
        .begin(0)
        .fail(0, 0)
        .begin(1, deadline=0)
        .fail(1, 0)
        .begin(2)
        .fail(2, 0)
    )
    yield (
        Scenario(
            "budget-retry_after",
            "the delay not begun is that of the retry_after",
            "constant:base=1s",
            "concurrent:min_concurrent=0,ratio=0",
        )
        .begin(0)
        .outcome(0, "transient", retry_after=9 * S)
    )
    yield (
        Scenario(
            "budget-no-retry",
            "a budget that is empty does not mind success",
            "default",
            "concurrent:min_concurrent=0,ratio=0",
        )
        .begin(0)
        .outcome(0, "success")
    )
    yield (
        Scenario("shared-quota", "three operations drain one quota", "default", "quota:max_tokens=20")
        .begin(0)
        .begin(1, 1)
        .begin(2, 2)
        .fail(0, 10)
        .fail(1, 11)
        .fail(2, 12)
        .fail(0, 20)
        .fail(1, 21)
        .outcome(2, "success", 22)
        .begin(3, 23)
        .fail(3, 24, 25)
    )
    yield (
        Scenario("shared-throttle", "the failures of others close the throttle", "default", "grpc-retry")
        .begin(0)
        .begin(1)
        .begin(2)
        .begin(3)
        .fail(0, 1)
        .fail(1, 1)
        .fail(2, 1)
        .fail(3, 1)
        .fail(0, 2)
        .fail(1, 2)
        .outcome(2, "success", 2)
        .outcome(3, "success", 3)
    )


# Of the 60 that are drawn, two for each kind of budget: those with the most different answers.
KEPT = {12, 42, 25, 55, 8, 56, 15, 45, 10, 46, 29, 41}


def at_random():
    rng = random.Random(20_260)
    for number in range(60):
        kind = fields.KINDS["budget"][number % 6]
        scenario = Scenario(
            f"random-{number}",
            f"{kind}, drawn at random",
            random_policy(rng),
            random_budget(rng, kind),
            seed=rng.getrandbits(64),
            key=rng.choice([None, rng.randbytes(8)]),
        )
        now, running, begun = rng.choice([0, 0, rng.randrange(10**12), rng.getrandbits(64)]), [], 0
        most = rng.randint(1, 4)
        for _ in range(rng.randint(10, 40)):
            now += rng.choice([0, 0, 1, MS, 50 * MS, 300 * MS, S, 3 * S, -S, -100 * MS, rng.randrange(10 * S)])
            now = min(max(now, 0), WORD_MAX)
            if len(running) < most and (not running or rng.random() < 0.4):
                deadline = now + rng.choice([0, S, 20 * S, 60 * S]) if rng.random() < 0.3 else None
                scenario.begin(begun, now, deadline and min(deadline, WORD_MAX))
                running.append(begun)
                begun += 1
                continue
            operation = rng.choice(running)
            if rng.random() < 0.06:
                scenario.cancel(operation, now)
            else:
                outcome = rng.choices(operations.OUTCOMES, [20, 40, 15, 15, 4])[0]
                failed = outcome in ("transient", "throttled", "timeout")
                retry_after = rng.choice([0, 1, MS, S, 7 * S, 100 * S, MAX, WORD_MAX, rng.randrange(10 * S)])
                scenario.outcome(operation, outcome, now, retry_after if failed and rng.random() < 0.25 else None)
            # Most operations that have ended make room, some are asked once more.
            if scenario.operations[operation].reason and rng.random() < 0.8:
                running.remove(operation)
        if number in KEPT:
            yield scenario


def random_policy(rng):
    line = rng.choice(
        [
            "full:base=100ms,cap=20s",
            "equal:base=50ms,cap=5s",
            "decorrelated:base=100ms,cap=20s",
            "constant:base=1s,jitter=0.3",
            "linear:base=200ms",
            "fibonacci:base=100ms,jitter=full",
            "polynomial:base=100ms,jitter=additive,jitter_max=1s",
            "exponential:base=10ms,cap=2s,jitter=slotted,jitter_slot=5ms",
        ]
    )
    for pair in (
        "max_retries=3",
        "max_retries=8",
        "max_elapsed=10s",
        "throttled_base=1s",
        "retry_after_max=5s",
        "retry_after_max_extra=2s",
    ):
        if rng.random() < 0.3 and pair.split("=")[0] not in line:
            line += f",{pair}"
    if "retry_after_max=" not in line:
        line += ",retry_after_max=none"
    return f"{line},retry_after={rng.choice(fields.KINDS['retry_after'])}"


def random_budget(rng, kind):
    """Small ones, so that they refuse."""
    tokens, ratio = rng.randint(1, 4), rng.choice(["0", "0.1", "1/3", "0.5", "1"])
    return {
        "quota": f"quota:max_tokens={10 * tokens},cost_throttled={rng.randint(1, 10)},cost_timeout={rng.randint(1, 10)}",
        "throttle": f"throttle:max_tokens={tokens + 3},ratio={ratio}",
        "ratio": f"ratio:max_tokens={tokens},ratio={ratio}",
        "rate": f"rate:max_tokens={tokens},per={rng.choice(['1s', '7s', '1m'])}",
        "ttl": f"ttl:ttl={rng.choice(['1s', '3s', '10s'])},min_per_second={rng.randint(0, 1)},ratio={ratio}",
        "concurrent": f"concurrent:min_concurrent={rng.randint(0, 2)},ratio={ratio}",
    }[kind]
