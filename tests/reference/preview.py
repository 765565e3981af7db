"""Clause 16: previews, and policies fitted into a time."""

from itertools import islice

from reference.delays import RESTART, range_after, range_at, slot
from reference.errors import PolicyError, number
from reference.numbers import MAX, sat
from reference.policies import least_base, policy
from reference.printing import shown


def preview(p):
    """16.1: The rows: (min, mean, max, total_min, total_mean, total_max)."""
    totals = (0, 0, 0)
    for i, row in enumerate(rows(p)):
        totals = tuple(sat(total + x) for total, x in zip(totals, row, strict=True))
        if i >= p["max_retries"] or totals[0] > p["max_elapsed"]:  # 16.4
            return
        yield row + totals


def rows(p):
    """(min, mean, max) of each index, without end."""
    i = 0
    mean = maximum = None
    while True:
        if p["jitter"] == "decorrelated":  # 16.3
            if i % RESTART == 0:
                mean = maximum = p["base"]
            minimum, _, maximum = of_range(p, *range_after(p, maximum))
            _, mean, _ = of_range(p, *range_after(p, mean))
            yield minimum, mean, maximum
        else:
            yield of_range(p, *range_at(p, i))
        i += 1


def of_range(p, low, high):  # 16.2
    limit = p["cap"] if p["cap_on"] == "delay" else MAX
    s = slot(p)
    q = min(high, limit // s)
    if q < low:
        mean = limit
    else:
        total = s * (low + q) * (q - low + 1) // 2 + (high - q) * limit
        mean = total // (high - low + 1)
    return min(limit, s * low), mean, min(limit, s * high)


# 16.5 Fitting


def fit(p, field, attempts, time):
    """The policy with the largest `field` ("base" or "cap") that fits, or PolicyError."""
    if attempts < 1:
        raise PolicyError("too_small", "max_attempts", attempts, 1)
    if attempts > 65_536:
        raise PolicyError("too_large", "max_attempts", attempts, 65_536)
    if time > MAX:
        raise PolicyError("too_large", "max_elapsed", time, MAX)
    if field == "base" and p["growth"] == "steps":
        raise PolicyError("unused", field, 0, number("growth", "steps"))
    if field == "base":
        low, high = least_base(p), p["cap"]
    else:
        low, high = max(p["base"], p["offset"], p["floor"], p["throttled_base"]), MAX

    if low > high:
        raise PolicyError("does_not_fit", field, MAX, time)
    printed = shown("policy", p)

    def candidate(x):
        return policy(printed | {field: x})

    smallest = total(candidate(low), attempts)
    if smallest > time:
        raise PolicyError("does_not_fit", field, sat(smallest), time)
    while low < high:
        middle = (low + high + 1) // 2
        if total(candidate(middle), attempts) <= time:
            low = middle
        else:
            high = middle - 1
    return candidate(low)


def total(p, attempts):
    """The exact sum of the maximum delays between this many attempts, without 16.4."""
    waits = attempts - 1
    if p["jitter"] == "decorrelated":
        cycles, rest = divmod(waits, RESTART)
        return (cycles and cycles * rising(p, RESTART)) + rising(p, rest)
    if waits == 0:
        return 0
    # No maximum is below the one before it, but among the waits of steps, so the rows after one as long as the last
    # are all alike.
    last = maximum(p, waits - 1)
    summed = 0
    falls = len(p["waits"]) if p["growth"] == "steps" else 0
    for i in range(waits):
        longest = maximum(p, i)
        if longest == last and i >= falls - 1:
            return summed + (waits - i) * last
        summed += longest
    return summed


def rising(p, waits):
    """`total` of a decorrelated chain without a restart: once a maximum is repeated, all follow it."""
    summed, before = 0, None
    for i, (_, _, longest) in enumerate(islice(rows(p), waits)):
        if longest == before:
            return summed + (waits - i) * longest
        summed, before = summed + longest, longest
    return summed


def maximum(p, i):
    return of_range(p, *range_at(p, i))[2]
