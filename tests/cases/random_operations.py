"""Random sequences of operations on random budgets."""

import random

from reference import fields, numbers, operations

from cases.scenario import Scenario

WORD_MAX, MAX = numbers.WORD_MAX, numbers.MAX
MS, S = 10**6, 10**9
# Two of the ten random sequences for each kind of budget: those with the most different answers.
KEPT = {12, 42, 25, 55, 8, 56, 15, 45, 10, 46, 29, 41}
POLICIES = """
full:base=100ms,cap=20s equal:base=50ms,cap=5s decorrelated:base=100ms,cap=20s constant:base=1s,jitter=0.3
linear:base=200ms fibonacci:base=100ms,jitter=full polynomial:base=100ms,jitter=additive,jitter_max=1s
exponential:base=10ms,cap=2s,jitter=slotted,jitter_slot=5ms
"""
PAIRS = "max_retries=3 max_retries=8 max_elapsed=10s throttled_base=1s retry_after_max=5s retry_after_max_extra=2s"


def decisions():
    rng = random.Random(20_260)
    for number in range(60):
        kind = fields.KINDS["budget"][number % 6]
        scenario = Scenario(
            f"random-{number}",
            f"a random sequence on a budget of kind {kind}",
            random_policy(rng),
            random_budget(rng, kind),
            seed=rng.getrandbits(64),
            key=rng.choice([None, rng.randbytes(8)]),
        )
        now, running, begun = rng.choice([0, 0, rng.randrange(10**12), rng.getrandbits(64)]), [], 0
        limit = rng.randint(1, 4)
        for _ in range(rng.randint(10, 40)):
            now += rng.choice([0, 0, 1, MS, 50 * MS, 300 * MS, S, 3 * S, -S, -100 * MS, rng.randrange(10 * S)])
            now = min(max(now, 0), WORD_MAX)
            if len(running) < limit and (not running or rng.random() < 0.4):
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
            # Most operations that have ended are removed; the others are used once more.
            if scenario.operations[operation].reason and rng.random() < 0.8:
                running.remove(operation)
        if number in KEPT:
            yield scenario


def random_policy(rng):
    string = rng.choice(POLICIES.split())
    for pair in PAIRS.split():
        if rng.random() < 0.3 and pair.split("=")[0] not in string:
            string += f",{pair}"
    if "retry_after_max=" not in string:
        string += ",retry_after_max=none"
    return f"{string},retry_after={rng.choice(fields.KINDS['retry_after'])}"


def random_budget(rng, kind):
    """A small budget, so that it refuses retries."""
    tokens, ratio = rng.randint(1, 4), rng.choice(["0", "0.1", "1/3", "0.5", "1"])
    return {
        "quota": f"quota:max_tokens={10 * tokens}"
        f",cost_throttled={rng.randint(1, 10)},cost_timeout={rng.randint(1, 10)}",
        "throttle": f"throttle:max_tokens={tokens + 3},ratio={ratio}",
        "ratio": f"ratio:max_tokens={tokens},ratio={ratio}",
        "rate": f"rate:max_tokens={tokens},per={rng.choice(['1s', '7s', '1m'])}",
        "ttl": f"ttl:ttl={rng.choice(['1s', '3s', '10s'])},min_per_second={rng.randint(0, 1)},ratio={ratio}",
        "concurrent": f"concurrent:min_concurrent={rng.randint(0, 2)},ratio={ratio}",
    }[kind]
