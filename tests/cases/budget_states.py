"""The state of a budget as text, and its steps (SPEC 15.5, 15.6)."""

import random

from reference import budgets, strings

WORD_MAX = 2**64 - 1
S = 10**9
KINDS = ["quota", "throttle", "ratio", "rate", "ttl", "concurrent"]
RETRIED = ["transient", "throttled", "timeout"]


class Steps:
    """A case under construction."""

    def __init__(self, id, why, budget, start=None):
        self.case = {"id": id, "why": why, "budget": budget, "start": start, "steps": []}
        self.state = budgets.BudgetState(strings.parse("budget", budget), start)

    def step(self, event, now=0, outcome=None, held=0):
        granted, holds = self.state.step(event, now, outcome, held)
        self.case["steps"].append(
            {
                "event": event,
                "outcome": outcome,
                "held": str(held),
                "now": str(now),
                "granted": granted,
                "holds": str(holds),
                "state": self.state.text(),
            }
        )
        return holds

    def retry(self, *times, outcome="transient"):
        for now in times:
            self.step("retry_requested", now, outcome)
        return self

    def events(self, *events, now=0):
        for event in events:
            self.step(event, now, "transient" if event == "retry_requested" else None)
        return self


def budget_state_cases():
    for steps in (*by_hand(), *at_the_limits(), *at_random()):
        yield steps.case


# fmt: off
# One case a paragraph, with several steps a line.


def by_hand():
    for kind in KINDS:
        yield (Steps(f"full-{kind}", "every event once on a full budget", kind)
            .retry(S).events(*budgets.EVENTS, now=2 * S))
    yield Steps("unchanged", "a refused retry does not change the version", "ratio:max_tokens=1").retry(0, 0, 0)
    yield (Steps("costs", "the cost depends on the outcome, and the operation holds it",
                 "aws-sdk-2026:max_tokens=38,cost_timeout=20")
        .retry(0, outcome="timeout").retry(0, outcome="throttled").retry(0))
    refund = Steps("refund", "a success gives back what the operation holds", "quota:max_tokens=10")
    refund.step("operation_succeeded", held=refund.step("retry_requested", outcome="transient"))
    yield refund.events("operation_succeeded")
    yield (Steps("throttle", "failures take tokens, and successes earn the ratio", "grpc-retry")
        .events(*["attempt_failed"] * 5).retry(0).events(*["operation_succeeded"] * 11).retry(0))
    yield (Steps("rate-back", "a time before the latest request adds nothing", "rate:max_tokens=2,per=1s")
        .retry(5 * S, 5 * S, 4 * S, 5 * S, 5 * S + S // 2))
    yield (Steps("ttl-negative", "a slice may spend what earlier slices earned", "ttl:ttl=10s,min_per_second=0,ratio=1")
        .events("operation_began", "operation_began").retry(S, S, S, 11 * S))
    slot = Steps("slots", "a slot is free when the attempt is over", "concurrent:min_concurrent=1").events(
        "operation_began"
    )
    held = slot.step("retry_requested", outcome="transient")
    slot.retry(0).step("attempt_over", held=held)
    yield slot.retry(0).events("operation_ended")
    yield (Steps("continued", "a state that was stored", "rate:max_tokens=2,per=1s", "17 1500000000 9000000000")
        .retry(9 * S, 9 * S + S // 4, 9 * S + S // 4))
    yield (Steps("continued-ttl", "slices that were stored", "finagle", "3 12 0 0 -7 5 0 0 0 0 0 1")
        .retry(12 * S, 21 * S, 22 * S))


def at_the_limits():
    """Numbers that only a store that something else wrote to holds."""
    limit = str(WORD_MAX)
    yield Steps("version-most", "after the last version comes 0", "ratio", f"{limit} 100").retry(0)
    held = Steps("held-most", "a success gives back whatever it holds, up to the full level", "quota", "0 50")
    held.step("operation_succeeded", held=400)
    held.step("operation_succeeded", held=WORD_MAX)
    yield held
    slot = Steps("held-slot", "anything held is one slot", "concurrent", "0 3 2")
    slot.step("attempt_over", held=2)
    yield slot
    other = Steps("held-ttl", "other kinds have no slots, whatever is held", "ttl")
    other.step("attempt_over", held=2)
    yield other
    yield Steps("rate-most", "the latest possible time", "rate", f"0 0 {limit}").retry(0, WORD_MAX)
    yield Steps("rate-late", "the longest possible time without a request", "rate", "0 0 0").retry(WORD_MAX)
    yield (Steps("active-most", "the count of operations stays in its range", "concurrent", f"0 {limit} 0")
        .events("operation_began").retry(0))
    yield Steps(
        "active-scaled", "the slots of the most active operations", "concurrent:ratio=1", f"0 {limit} {2**63 - 1}"
    ).retry(0)
    under = Steps("active-none", "no count is below 0", "concurrent")
    under.step("attempt_over", held=1)
    yield under.events("operation_ended")
    yield (Steps("ttl-least", "the lowest level of a slice", "ttl:ratio=1", f"0 0 {-(2**63)} 0 0 0 0 0 0 0 0 0")
        .events("operation_began").retry(0, 10 * S))
    least, limit = -(2**63), 2**63 - 1
    yield (Steps("ttl-sum", "the sum of the levels is exact, in any order", "ttl:min_per_second=0",
                 f"0 9 {limit} {limit} {least} 0 0 0 0 0 0 0")
        .retry(0))
    yield (Steps("ttl-sum-low", "the sum of the levels is below 64 bits", "ttl:min_per_second=0",
                 f"0 9 {least} {least} 0 0 0 0 0 0 0 9")
        .retry(0))
    yield Steps("ttl-before", "slices before 0 have places", "ttl:min_per_second=0", "0 0 0 0 0 0 0 5 0 0 0 0").retry(0)
    yield (Steps("ttl-most", "the highest level of a slice", "ttl", f"7 9 0 0 0 0 0 0 0 0 0 {limit}")
        .events("operation_began"))
    yield (Steps("ttl-lowest", "a level stays at the lowest, and the version with it", "ttl",
                 f"7 9 0 0 0 0 0 0 0 0 {limit} {least}")
        .retry(0))


# fmt: on


def at_random():
    rng = random.Random(20_261)
    for number in range(18):
        kind = KINDS[number % 6]
        steps = Steps(f"random-{number}", f"random events on a budget of kind {kind}", random_budget(rng, kind))
        now, held = rng.randrange(10**12), [0]
        for _ in range(rng.randint(15, 30)):
            now = max(0, now + rng.choice([0, 1, 10**6, S // 10, S, 3 * S, -S]))
            event = rng.choices(budgets.EVENTS, [4, 2, 2, 10, 2, 1])[0]
            if event == "retry_requested":
                held.append(steps.step(event, now, rng.choice(RETRIED)))
            elif event in ("attempt_over", "operation_succeeded"):
                steps.step(event, now, held=held.pop() if len(held) > 1 else 0)
            else:
                steps.step(event, now)
        yield steps


def random_budget(rng, kind):
    limit = rng.randint(5, 20)
    return {
        "quota": f"quota:max_tokens={limit},cost={rng.randint(1, 5)},cost_timeout={rng.randint(1, 5)}",
        "throttle": f"throttle:max_tokens={limit},ratio=0.{rng.randint(1, 9999)}",
        "ratio": f"ratio:max_tokens={rng.randint(1, 3)},ratio=0.{rng.randint(1, 9)}",
        "rate": f"rate:max_tokens={rng.randint(1, 5)},per={rng.randint(1, 9)}s",
        "ttl": f"ttl:ttl={rng.randint(1, 60)}s,min_per_second={rng.choice([0, 0, 1])},ratio={rng.randint(1, 3)}/3",
        "concurrent": f"concurrent:ratio=0.{rng.randint(1, 9)},min_concurrent={rng.randint(0, 2)}",
    }[kind]


def budget_state_text_cases():
    limit, level = str(WORD_MAX), str(2**63 - 1)
    valid = {
        "quota": ["0 500", "7 0", f"{limit} 499"],
        "throttle": ["0 10000"],
        "ratio": ["0 100"],
        "rate": ["0 0 0", f"1 {3600 * S} {limit}"],
        "ttl": ["0 0 0 0 0 0 0 0 0 0 0 0", f"1 {limit} -{2**63} {level} -1 1 0 0 0 0 0 0"],
        "concurrent": ["0 0 0", f"{limit} {limit} {limit}"],
    }
    invalid = {
        "quota": [
            "", "0", "0 1 2", "0  1", " 0 1", "0 1 ", "00 1", "0 01", "0 -1", "0 +1", "0 1.0", "0,1", "0\t1", "0 1\n",
            f"0 {WORD_MAX + 1}", f"{WORD_MAX + 1} 0", "0 x", "0 \u0661", "0 501", f"0 {limit}", "-1 1",
        ],
        "throttle": ["0 10001"],
        "ratio": ["0 101"],
        "rate": ["0 1", "0 1 2 3", f"0 {3600 * S + 1} 0"],
        "ttl": [
            "0 0 0 0 0 0 0 0 0 0 0", "0 0 0 0 0 0 0 0 0 0 0 0 0", f"0 0 {2**63} 0 0 0 0 0 0 0 0 0",
            f"0 0 {-(2**63) - 1} 0 0 0 0 0 0 0 0 0", "0 0 -0 0 0 0 0 0 0 0 0 0", "0 -1 0 0 0 0 0 0 0 0 0 0",
            "0 0 - 0 0 0 0 0 0 0 0 0",
        ],
        "concurrent": ["0 0", "0 0 -1"],
    }  # fmt: skip
    for texts, is_valid in ((valid, True), (invalid, False)):
        for budget in texts:
            for number, text in enumerate(texts[budget]):
                why = "a state of this kind" if is_valid else "no state of this kind prints this"
                name = f"{budget}-{'valid' if is_valid else 'invalid'}-{number}"
                yield {"id": name, "why": why, "budget": budget, "text": text, "valid": is_valid}
