"""Clause 16 of SPEC.md as a program."""

import reference as ref
import reference_text
from reference import MAX, sat


def preview(p):
    """16.1: The rows, each (smallest, mean, largest, and the totals of these)."""
    totals = (0, 0, 0)
    for i, row in enumerate(rows(p)):
        totals = tuple(sat(total + x) for total, x in zip(totals, row, strict=True))
        if i >= p["max_retries"] or totals[0] > p["max_elapsed"] or i == 2**32:  # 16.4
            return
        yield row + totals


def rows(p):
    """Of each index the smallest, the mean and the largest delay."""
    i = 0
    mean = largest = None
    while True:
        if p["jitter"] == "decorrelated":  # 16.3
            if i % ref.RESTART == 0:
                mean = largest = p["base"]
            least, _, largest = of_range(p, *ref.after(p, largest))
            _, mean, _ = of_range(p, *ref.after(p, mean))
            yield least, mean, largest
        else:
            yield of_range(p, *ref.ends(p, i))
        i += 1


def of_range(p, low, high):  # 16.2
    most = p["cap"] if p["cap_on"] == "delay" else MAX
    s = ref.slot(p)
    q = min(high, most // s)
    if q < low:
        mean = most
    else:
        total = s * (low + q) * (q - low + 1) // 2 + (high - q) * most
        mean = total // (high - low + 1)
    return min(most, s * low), mean, min(most, s * high)


# 16.5 Fitting


def fit(p, field, attempts, most):
    """The policy that fits, its `field` being "base" or "cap", or Refused."""
    if attempts < 1:
        raise ref.Refused("too_small", "max_attempts", attempts, 1)
    if attempts > 65_536:
        raise ref.Refused("too_large", "max_attempts", attempts, 65_536)
    if most > MAX:
        raise ref.Refused("too_large", "max_elapsed", most, MAX)
    if field == "base":
        low, high = ref.least_base(p), p["cap"]
    else:
        low, high = max(p["base"], p["offset"], p["floor"], p["throttled_base"]), MAX

    if low > high:
        raise ref.Refused("does_not_fit", field, MAX, most)
    printed = reference_text.shows("policy", p)

    def candidate(x):
        return ref.policy(printed | {field: x})

    least = total(candidate(low), attempts)
    if least > most:
        raise ref.Refused("does_not_fit", field, sat(least), most)
    while low < high:
        middle = (low + high + 1) // 2
        if total(candidate(middle), attempts) <= most:
            low = middle
        else:
            high = middle - 1
    return candidate(low)


def total(p, attempts):
    """The exact sum of the largest delays of that many attempts, without regard to 16.4."""
    largest = (row[2] for row in rows(p))
    return sum(next(largest) for _ in range(attempts - 1))
