"""Clause 16: previews, and policies fitted into a time."""

from reference.delays import RESTART, range_after, range_at, slot
from reference.errors import PolicyError
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
    mean = largest = None
    while True:
        if p["jitter"] == "decorrelated":  # 16.3
            if i % RESTART == 0:
                mean = largest = p["base"]
            least, _, largest = of_range(p, *range_after(p, largest))
            _, mean, _ = of_range(p, *range_after(p, mean))
            yield least, mean, largest
        else:
            yield of_range(p, *range_at(p, i))
        i += 1


def of_range(p, low, high):  # 16.2
    most = p["cap"] if p["cap_on"] == "delay" else MAX
    s = slot(p)
    q = min(high, most // s)
    if q < low:
        mean = most
    else:
        total = s * (low + q) * (q - low + 1) // 2 + (high - q) * most
        mean = total // (high - low + 1)
    return min(most, s * low), mean, min(most, s * high)


# 16.5 Fitting


def fit(p, field, attempts, most):
    """The policy that fits, its `field` being "base" or "cap", or PolicyError."""
    if attempts < 1:
        raise PolicyError("too_small", "max_attempts", attempts, 1)
    if attempts > 65_536:
        raise PolicyError("too_large", "max_attempts", attempts, 65_536)
    if most > MAX:
        raise PolicyError("too_large", "max_elapsed", most, MAX)
    if field == "base":
        low, high = least_base(p), p["cap"]
    else:
        low, high = max(p["base"], p["offset"], p["floor"], p["throttled_base"]), MAX

    if low > high:
        raise PolicyError("does_not_fit", field, MAX, most)
    printed = shown("policy", p)

    def candidate(x):
        return policy(printed | {field: x})

    least = total(candidate(low), attempts)
    if least > most:
        raise PolicyError("does_not_fit", field, sat(least), most)
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
