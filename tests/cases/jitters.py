"""Delays of each jitter (SPEC 6)."""

from reference import numbers

from cases.policies import constant, exponential, polynomial
from cases.sequences import sequence

MAX = numbers.MAX
MS, S = 10**6, 10**9
LAST = 2**32 - 1


def jitter_cases():
    base = exponential(100 * MS, cap=20 * S)
    yield sequence("none", "no jitter: the window itself", {**base, "jitter": "none"})
    yield sequence("full", "0 to the window, also at the cap", {**base, "jitter": "full"}, count=20)
    yield sequence(
        "full-limits",
        "limits end an iterator, and affect no delay and no batch",
        {**base, "jitter": "full", "max_retries": 3, "max_elapsed": S},
    )
    yield sequence("full-seed-only", "without a key", {**base, "jitter": "full"}, key=None)
    yield sequence("equal", "the lower half is rounded up", {**base, "jitter": "equal"}, count=20)
    for window in (0, 1, 2, 3):
        yield sequence(f"equal-{window}", "halves of the smallest windows", constant(window, jitter="equal"), count=8)
        yield sequence(f"full-{window}", "the smallest windows", constant(window, jitter="full"), count=8)
    yield sequence(
        "proportional",
        "plus or minus a fifth",
        exponential(S, multiplier=(8, 5), cap=120 * S, jitter="proportional", jitter_below=(1, 5), jitter_above=(1, 5)),
        count=20,
    )
    yield sequence(
        "proportional-below", "only below the window", constant(S, jitter="proportional", jitter_below=(1, 5)), count=8
    )
    yield sequence(
        "proportional-above",
        "only above the window, as in Kubernetes",
        exponential(10 * MS, multiplier=(5, 1), jitter="proportional", jitter_above=(1, 10)),
        count=4,
    )
    yield sequence(
        "proportional-all",
        "from 0 to twice the window",
        constant(S, jitter="proportional", jitter_below=(1, 1), jitter_above=(1, 1)),
        count=8,
    )
    yield sequence(
        "proportional-nothing",
        "ratios of 0 are not missing ones",
        constant(S, jitter="proportional", jitter_below=(0, 1), jitter_above=(0, 7)),
        count=3,
    )
    yield sequence(
        "proportional-thirds",
        "a ratio without a finite decimal",
        constant(10, jitter="proportional", jitter_below=(1, 3), jitter_above=(2, 3)),
        count=12,
    )
    yield sequence(
        "proportional-cut",
        "a fraction of a nanosecond is rounded down",
        constant(4, jitter="proportional", jitter_below=(1, 5), jitter_above=(1, 5)),
        count=4,
    )
    yield sequence(
        "proportional-saturates",
        "the upper end saturates",
        constant(MAX, jitter="proportional", jitter_below=(0, 1), jitter_above=(1, 1)),
        count=3,
    )
    yield sequence(
        "additive", "a constant range above the window", exponential(S, cap=32 * S, jitter="additive", jitter_max=S)
    )
    yield sequence(
        "additive-grows",
        "Sidekiq: the range grows with the index",
        polynomial(S, power=4, origin=0, offset=15 * S, jitter="additive", jitter_max=10 * S, jitter_increment=10 * S),
        count=25,
    )
    yield sequence("additive-zero", "a range of one value", constant(S, jitter="additive", jitter_max=0), count=3)
    yield sequence(
        "additive-saturates",
        "the upper end saturates",
        constant(1, jitter="additive", jitter_max=MAX, jitter_increment=MAX),
        first=LAST - 2,
        count=3,
    )
    yield sequence(
        "additive-wraps",
        "jitter_increment * i reaches 2^64 exactly, and then a little more",
        constant(S, jitter="additive", jitter_max=S, jitter_increment=2**33),
        first=2**31 - 2,
        count=5,
    )
    yield sequence(
        "additive-wraps-last",
        "jitter_increment * i is a multiple of 2^64 plus a small number",
        constant(S, jitter="additive", jitter_max=S, jitter_increment=2**32 + 1),
        first=LAST,
        count=1,
    )
    yield sequence(
        "decorrelated",
        "as in the AWS article: up to three times the previous delay, then capped",
        {**base, "jitter": "decorrelated", "cap_on": "delay"},
        count=20,
    )
    yield sequence(
        "decorrelated-window",
        "the cap limits the range, so delays do not accumulate at the cap",
        {**base, "jitter": "decorrelated"},
        count=20,
    )
    yield sequence(
        "decorrelated-multiplier",
        "a multiplier other than 3",
        exponential(100 * MS, multiplier=(8, 5), cap=20 * S, jitter="decorrelated"),
        count=20,
    )
    yield sequence(
        "decorrelated-base-is-cap", "a range of one value", exponential(S, cap=S, jitter="decorrelated"), count=3
    )
    yield sequence("decorrelated-zero", "base 0 stays 0", exponential(0, jitter="decorrelated"), count=3)
    yield sequence(
        "decorrelated-beyond-doubles",
        "a previous delay that no double represents exactly",
        exponential(2**53 + 1, jitter="decorrelated"),
        count=12,
    )
    yield sequence(
        "decorrelated-restart",
        "the chain restarts from the base at index 4096",
        {**base, "jitter": "decorrelated"},
        first=4093,
        count=6,
    )
    yield sequence(
        "decorrelated-restart-delay",
        "the chain also restarts where the cap is on the delay",
        {**base, "jitter": "decorrelated", "cap_on": "delay"},
        first=4095,
        count=2,
    )
    yield sequence(
        "decorrelated-restart-second",
        "the chain restarts again at index 8192",
        {**base, "jitter": "decorrelated"},
        first=8190,
        count=5,
    )
    yield sequence(
        "decorrelated-last",
        "index 2^32 - 1 takes a bounded number of steps",
        {**base, "jitter": "decorrelated"},
        first=LAST,
        count=1,
    )
    yield sequence(
        "slotted-ethernet",
        "IEEE 802.3 at 10 Mb/s: r slots, r below 2^min(n, 10)",
        exponential(102_400, cap=52_428_800, jitter="slotted", jitter_slot=51_200),
        count=15,
    )
    yield sequence(
        "slotted-remainder",
        "a window that is not a whole number of slots",
        constant(10, jitter="slotted", jitter_slot=3),
        count=8,
    )
    yield sequence(
        "slotted-long-slot",
        "a slot longer than the window gives 0 slots",
        constant(10, jitter="slotted", jitter_slot=11),
        count=3,
    )
    yield sequence("slotted-zero", "a window of 0", constant(0, jitter="slotted", jitter_slot=1), count=2)
    yield sequence(
        "slotted-saturates",
        "a floor that is rounded up past the maximum",
        constant(MAX, floor=MAX, jitter="slotted", jitter_slot=2**62),
        count=2,
    )
    yield sequence(
        "draw-index-kept",
        "every index consumes one draw, also without jitter",
        {**base, "jitter": "full"},
        first=7,
        count=3,
    )
