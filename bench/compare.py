"""What changed between two runs.

Machines differ, and so does one machine from hour to hour. Peers that were measured beside us are the yardstick: what is
compared is our time over the geometric mean of theirs, round by round.
"""

import math
import statistics
from functools import cache

#: A difference is reported if chance makes one as large in fewer than 1 of 100 works, and if it is larger than this.
MAX_P = 0.01
MIN_CHANGE = 0.05


def changes(old, new):
    """The works that got slower, faster, larger or smaller, as text."""
    before, lines = by_work(old["rows"]), []
    for (language, work), rows in by_work(new["rows"]).items():
        old_rows = before.get((language, work))
        found = [time(old_rows, rows), *costs(old_rows, rows)] if old_rows else []
        lines += [f"{language}: {work}: {change}" for change in found if change]
    sizes = {(size["language"], size["what"]): size.get("bytes") for size in old["sizes"]}
    for size in new["sizes"]:
        language, what, now = size["language"], size["what"], size.get("bytes")
        if sizes.get((language, what), now) != now:
            lines.append(f"{language}: {what}: {now} bytes, {sizes[language, what]} before")
    return "\n".join(lines or ["nothing changed"]) + "\n"


def by_work(rows):
    works = {}
    for row in rows:
        works.setdefault((row["language"], row["work"]), []).append(row)
    return works


def time(old, new):
    """How the time changed, with the confidence that it did."""
    peers = {row["peer"] for row in old} & {row["peer"] for row in new}
    if not peers:
        return None
    before, after = (relative([row for row in rows if row["peer"] in peers]) for rows in (old, new))
    p = p_value(before, after)
    change = math.exp(statistics.median(after) - statistics.median(before)) - 1
    if p >= MAX_P or abs(change) < MIN_CHANGE:
        return None
    what = "slower" if change > 0 else "faster"
    return f"{abs(change) * 100:.0f} % {what} (confidence {min((1 - p) * 100, 99.9):.1f} %)"


def relative(rows):
    """The logarithm of our time over the geometric mean of the peers' times, for each round."""
    ours = rows[0]["ours"]["rounds_ns"]
    peers = [row["theirs"]["rounds_ns"] or [1.0] * len(ours) for row in rows]
    means = map(
        statistics.fmean, zip(*([math.log(ns) for ns in rounds] for rounds in peers), strict=True)
    )
    return [math.log(ns) - mean for ns, mean in zip(ours, means, strict=True)]


def costs(old, new):
    """Changes of what is counted, which no noise explains."""
    for name in ("bytes", "allocations", "instructions"):
        before, after = (rows[0]["ours"].get(name) for rows in (old, new))
        # Averages over many operations differ in their last digits.
        if None not in (before, after) and abs(after - before) > 0.5 + before * MIN_CHANGE:
            what = "bytes allocated" if name == "bytes" else name
            yield f"{after:.0f} {what}, {before:.0f} before"


def p_value(old, new):
    """The probability of samples at least as far apart as these if they come from one distribution: the exact two-sided
    Mann-Whitney test. It assumes nothing about the distribution. A tie counts half."""
    u = sum((a > b) + (a == b) / 2 for a in new for b in old)
    extreme = int(min(u, len(old) * len(new) - u))
    tail = sum(orders(len(old), len(new), pairs) for pairs in range(extreme + 1))
    return min(2 * tail / math.comb(len(old) + len(new), len(old)), 1.0)


@cache
def orders(old, new, pairs):
    """The number of orders of `old` and `new` values with exactly `pairs` pairs whose new value is larger."""
    if not old or not new or pairs < 0:
        return int(pairs == 0)
    # The largest value is old, or it is new and larger than all old values.
    return orders(old - 1, new, pairs) + orders(old, new - 1, pairs - old)
