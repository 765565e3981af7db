"""Caps and floors (SPEC 7)."""

from reference import fields, numbers

from cases.policies import constant, exponential, fibonacci
from cases.sequences import sequence

MAX = numbers.MAX
MS, S = 10**6, 10**9
LAST = 2**32 - 1


def cap_cases():
    spread = {"jitter": "proportional", "jitter_below": (1, 2), "jitter_above": (1, 2)}
    for cap_on in fields.KINDS["cap_on"]:
        more = {"cap_on": cap_on}
        yield sequence(
            f"full-{cap_on}",
            "the old AWS SDK caps the delay: delays accumulate at 20 s",
            exponential(S, cap=20 * S, jitter="full", **more),
            count=30,
        )
        yield sequence(
            f"equal-{cap_on}",
            "half of the capped window, or of the uncapped one",
            exponential(S, cap=20 * S, jitter="equal", **more),
            count=12,
        )
        yield sequence(
            f"proportional-{cap_on}",
            "cenkalti exceeds its maximum, Resilience4j does not",
            exponential(500 * MS, multiplier=(3, 2), cap=60 * S, **spread, **more),
            count=20,
        )
        yield sequence(
            f"additive-{cap_on}",
            "Google Cloud caps the sum",
            exponential(S, cap=32 * S, jitter="additive", jitter_max=S, **more),
            count=8,
        )
        yield sequence(
            f"slotted-{cap_on}",
            "a cap between two slots",
            exponential(4, cap=10, jitter="slotted", jitter_slot=4, **more),
            count=8,
        )
        yield sequence(
            f"none-{cap_on}", "every client waits exactly the cap", exponential(S, cap=5 * S, **more), count=6
        )
        yield sequence(
            f"decorrelated-{cap_on}",
            "the cap on the range, or on the delay",
            exponential(5 * MS, cap=2 * S, jitter="decorrelated", **more),
            count=20,
        )
        yield sequence(
            f"fibonacci-{cap_on}",
            "the window grows beyond a cap on the delay",
            fibonacci(S, cap=10 * S, jitter="full", **more),
            count=10,
        )
        yield sequence(
            f"cap-is-base-{cap_on}",
            "a cap equal to the base is allowed",
            exponential(S, cap=S, jitter="full", **more),
            count=4,
        )
        yield sequence(
            f"cap-zero-{cap_on}",
            "a cap of 0 is a cap, not a missing one",
            exponential(0, cap=0, jitter="full", **more),
            count=3,
        )
        yield sequence(
            f"saturated-{cap_on}",
            "growth past 2^63 is capped without overflow",
            exponential(100 * MS, cap=20 * S, jitter="equal", **more),
            first=60,
            count=8,
        )
        yield sequence(
            f"saturated-last-{cap_on}",
            "growth past 2^63, at the last index",
            exponential(100 * MS, multiplier=(8, 5), cap=20 * S, jitter="full", **more),
            first=LAST,
            count=1,
        )
    for jitter in ("none", "full", "equal"):
        for floor in (0, 150 * MS, S):
            yield sequence(
                f"floor-{floor}-{jitter}",
                "a floor of 0, inside the range, and above it",
                exponential(100 * MS, cap=S, floor=floor, jitter=jitter),
                count=6,
            )
    yield sequence("floor-gax", "gax: 1 ns to the window", exponential(S, cap=30 * S, floor=1, jitter="full"))
    yield sequence(
        "floor-proportional",
        "the floor raises the low end of the range and does not clamp the delay",
        constant(S, floor=900 * MS, **spread),
    )
    yield sequence(
        "floor-additive",
        "a floor inside the range of additive jitter",
        constant(S, floor=1500 * MS, jitter="additive", jitter_max=S),
    )
    yield sequence(
        "floor-additive-above",
        "a range below the floor collapses to the floor",
        constant(S, floor=3 * S, jitter="additive", jitter_max=S),
        count=3,
    )
    yield sequence(
        "floor-decorrelated",
        "a floor above the base",
        exponential(100 * MS, cap=5 * S, floor=500 * MS, jitter="decorrelated"),
    )
    yield sequence(
        "floor-decorrelated-high",
        "a floor above three times the base",
        exponential(100 * MS, cap=5 * S, floor=4 * S, jitter="decorrelated"),
        count=5,
    )
    yield sequence(
        "floor-slotted",
        "a floor between two slots is rounded up to a slot",
        constant(1000, floor=250, jitter="slotted", jitter_slot=100),
        count=8,
    )
    yield sequence(
        "floor-slotted-above",
        "the floor is above every slot of the window",
        constant(1000, cap=5000, floor=2001, jitter="slotted", jitter_slot=100),
        count=3,
    )
    yield sequence(
        "floor-is-cap",
        "a floor equal to the cap leaves one value",
        exponential(S, cap=8 * S, floor=8 * S, jitter="full"),
        count=3,
    )
    yield sequence(
        "widest", "the range 0 to 2^63 - 1: the delay is half the draw", constant(MAX, jitter="full"), count=4
    )
