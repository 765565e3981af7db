"""Clauses 5.2 to 7: the window and the delay of an index."""

from reference.numbers import MAX, draw, sample, sat, scale


def growth(p, i):  # 5.2
    b = p["base"]
    match p["growth"]:
        case "constant":
            return b
        case "linear":
            return sat(b + sat(p["increment"] * i))
        case "exponential":
            g = b
            for _ in range(i):
                longer = scale(g, p["multiplier"])
                if longer == g:
                    break
                g = longer
            return g
        case "polynomial":
            return sat(b * sat((i + p["origin"]) ** p["power"]))
        case "fibonacci":
            f, after = 1, 1
            for _ in range(i):
                if f > MAX:
                    break
                f, after = after, f + after
            return sat(b * f)
        case "steps":
            return p["waits"][min(i, len(p["waits"]) - 1)]


def window(p, i):  # 5.3
    w = sat(p["offset"] + growth(p, i))
    return min(p["cap"], w) if p["cap_on"] == "window" else w


# 6 Jitter, 7 Cap and floor

RESTART = 4096


def delay(p, s, i):
    if p["jitter"] == "decorrelated":  # 6.3
        d = p["base"]
        for j in range(i - i % RESTART, i + 1):
            d = decorrelated(p, s, j, d)
        return d
    return capped(p, sat(slot(p) * sample(draw(s, i), *range_at(p, i))))  # 6.2, 6.4


def decorrelated(p, s, i, previous):
    """6.3: The delay that follows the previous one."""
    return capped(p, sample(draw(s, i), *range_after(p, previous)))


def delays(p, s, first, count):
    """The delays of consecutive indices, without walking a decorrelated chain twice."""
    d = None
    for i in range(first, first + count):
        continues = p["jitter"] == "decorrelated" and d is not None and i % RESTART > 0
        d = decorrelated(p, s, i, d) if continues else delay(p, s, i)
        yield d


def slot(p):
    """The unit of the sampled value: a slot, or 1 ns."""
    return p["jitter_slot"] if p["jitter"] == "slotted" else 1


def range_at(p, i):
    """6.1, 6.2, 6.4: `low` and `high` of an index."""
    w = window(p, i)
    match p["jitter"]:
        case "none":
            return above_floor(p, w, w)
        case "full":
            return above_floor(p, 0, w)
        case "equal":
            return above_floor(p, w - w // 2, w)
        case "proportional":
            below, above = scale(w, p["jitter_below"]), scale(w, p["jitter_above"])
            return above_floor(p, w - below, sat(w + above))
        case "additive":
            width = sat(p["jitter_max"] + sat(p["jitter_increment"] * i))
            return above_floor(p, w, sat(w + width))
        case "slotted":
            low = -(-p["floor"] // slot(p))
            return low, max(low, max(w // slot(p), 1) - 1)


def range_after(p, previous):
    """6.3: `low` and `high` after the previous delay."""
    to = scale(previous, p["multiplier"])
    return above_floor(p, p["base"], min(p["cap"], to) if p["cap_on"] == "window" else to)


def above_floor(p, start, to):  # 6.2, 7.2
    low = max(start, p["floor"])
    return low, max(to, low)


def capped(p, d):  # 7.1
    return min(p["cap"], d) if p["cap_on"] == "delay" else d
