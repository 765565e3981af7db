"""Policies that are refused (SPEC 8)."""

from reference import errors, fields, numbers, policies

from cases.policies import constant, dump, exponential, fibonacci, linear, polynomial

MAX = numbers.MAX
MS, S = 10**6, 10**9


def error_cases():
    def error(id, why, policy):
        try:
            policies.policy(policy)
        except errors.PolicyError as refused:
            return {
                "id": id,
                "why": why,
                "policy": dump(policy),
                "error": {
                    "code": refused.code,
                    "field": refused.field,
                    "value": str(refused.value),
                    "limit": str(refused.limit),
                    "message": str(refused),
                },
            }
        raise AssertionError(f"{id} is valid")

    yield error("growth-missing", "no field is set", {})
    yield error("base-missing", "only the growth is set", {"growth": "constant"})
    for field, policy in (
        ("growth", {"base": 1}),
        ("jitter", constant(1)),
        ("cap_on", constant(1)),
        ("retry_after", constant(1)),
    ):
        for kind in (0, len(fields.KINDS[field]) + 1, 2**32 - 1):
            yield error(f"{field}-{kind}", "a number that is not a kind", {**policy, field: kind})
    for field in (
        "base",
        "increment",
        "offset",
        "cap",
        "floor",
        "jitter_max",
        "jitter_increment",
        "jitter_slot",
        "max_elapsed",
        "throttled_base",
        "retry_after_max",
        "retry_after_max_extra",
    ):
        base = {
            "increment": linear(1),
            "jitter_max": constant(1, jitter="additive"),
            "jitter_increment": constant(1, jitter="additive", jitter_max=1),
            "jitter_slot": constant(1, jitter="slotted"),
        }.get(field, constant(1))
        yield error(f"{field}-too-large", "one nanosecond above the longest duration", {**base, field: MAX + 1})
    yield error("base-all-ones", "the largest 64-bit number", constant(2**64 - 1))
    yield error("jitter_max-missing", "additive jitter needs jitter_max", constant(1, jitter="additive"))
    yield error("jitter_slot-missing", "slotted jitter needs jitter_slot", constant(1, jitter="slotted"))
    yield error("jitter_slot-zero", "a slot of 0 would divide by 0", constant(1, jitter="slotted", jitter_slot=0))
    yield error(
        "jitter_below-missing",
        "proportional jitter needs jitter_below or jitter_above",
        constant(1, jitter="proportional"),
    )
    for field in ("jitter_below", "jitter_above"):
        yield error(f"{field}-above-one", "a ratio above 1", constant(1, jitter="proportional", **{field: (3, 2)}))
        yield error(
            f"{field}-zero-denominator",
            "a ratio with denominator 0",
            constant(1, jitter="proportional", **{field: (1, 0)}),
        )
        yield error(
            f"{field}-too-fine", "a term above a million", constant(1, jitter="proportional", **{field: (1, 1_000_001)})
        )
    for id, why, multiplier in (
        ("half", "a window that shrinks", (1, 2)),
        ("zero", "a multiplier of 0", (0, 1)),
        ("just-above-one", "a multiplier that would need millions of steps", (1001, 1000)),
        ("below-least", "just below 1.01", (100_999, 100_000)),
        ("over-zero", "a ratio with denominator 0", (3, 0)),
        ("zero-over-zero", "0/0 is not a ratio", (0, 0)),
        ("too-large", "a numerator above a million", (1_000_001, 1)),
        ("too-fine", "a denominator above a million", (2_000_003, 1_000_001)),
        ("unreduced", "the value keeps its terms, the rule uses lowest terms", (10, 20)),
    ):
        yield error(f"multiplier-{id}", why, exponential(S, multiplier=multiplier))
    for power in (0, 17, 2**32):
        yield error(f"power-{power}", "outside 1 to 16", polynomial(1, power=power))
    yield error("origin-too-large", "above 32 bits", polynomial(1, origin=2**32))
    yield error("multiplier-unused", "an option that would be ignored silently", constant(1, multiplier=(2, 1)))
    yield error("increment-unused", "exponential growth has no increment", exponential(1, increment=1))
    yield error("power-unused", "linear growth has no power", linear(1, power=1))
    yield error("origin-unused", "only polynomial growth has an origin", fibonacci(1, origin=1))
    yield error(
        "offset-unused", "decorrelated jitter does not use the window", exponential(1, jitter="decorrelated", offset=1)
    )
    yield error(
        "jitter_below-unused", "a ratio without proportional jitter", constant(1, jitter="full", jitter_below=(1, 2))
    )
    yield error("jitter_above-unused", "a ratio without jitter", constant(1, jitter_above=(1, 3)))
    yield error("jitter_max-unused", "jitter_max without additive jitter", constant(1, jitter="equal", jitter_max=S))
    yield error("jitter_increment-unused", "jitter_increment without additive jitter", constant(1, jitter_increment=0))
    yield error(
        "jitter_slot-unused", "a slot without slotted jitter", constant(1, jitter="full", jitter_slot=1500 * MS)
    )
    for growth in ("constant", "linear", "polynomial", "fibonacci"):
        yield error(
            f"decorrelated-{growth}",
            "decorrelated needs a multiplier",
            {"growth": growth, "base": 1, "jitter": "decorrelated"},
        )
    yield error("cap-below-base", "a cap below the base", constant(10, cap=5))
    yield error("cap-zero", "a cap of 0 is a cap", constant(1, cap=0))
    yield error("offset-above-cap", "an offset above the cap", constant(1, cap=5 * S, offset=90 * S))
    yield error("floor-above-cap", "a floor above the cap", constant(1, cap=S, floor=S + 1))
    yield error("growth-stalls", "5 ns * 1.01 is rounded down to 5 ns", exponential(5, multiplier=(101, 100)))
    yield error(
        "growth-stalls-rounded-up",
        "33 * 1.03 is rounded down to 33: the minimum is rounded up to 34",
        exponential(33, multiplier=(103, 100)),
    )
    yield error("growth-stalls-one", "1 ns * 1.5 is rounded down to 1 ns", exponential(1, multiplier=(3, 2)))
    yield error(
        "order-kinds-first", "kinds are checked before other fields", {"growth": 9, "base": 2**64 - 1, "jitter": 9}
    )
    yield error(
        "order-jitter-before-cap_on",
        "kinds are checked in the order growth, jitter, cap_on",
        {"growth": "constant", "jitter": 9, "cap_on": 9},
    )
    yield error(
        "order-pair-before-fields",
        "not_exponential is checked before the other fields",
        {"growth": "linear", "jitter": "decorrelated", "multiplier": (1, 0)},
    )
    yield error(
        "order-fields-by-number", "increment (3) before multiplier (4)", constant(1, multiplier=(2, 1), increment=1)
    )
    yield error(
        "order-fields-before-relations",
        "a slot of 0 before a cap below base",
        constant(10, cap=5, jitter="slotted", jitter_slot=0),
    )
    yield error("order-cap-before-floor", "relations are checked in order", constant(10, cap=5, floor=9, offset=9))
    yield error("order-offset-before-floor", "relations are checked in order", constant(1, cap=5, floor=9, offset=9))
    yield error(
        "order-zero-denominator-before-fineness",
        "the rules of a field are checked in order",
        exponential(1, multiplier=(2_000_003, 0)),
    )
    yield error(
        "order-jitter-missing-after-floor",
        "a missing field is reported in the order of the numbers",
        constant(10, cap=2**63, jitter="slotted"),
    )
    yield error(
        "order-missing-before-unused", "base (2) before multiplier (4)", {"growth": "constant", "multiplier": (2, 1)}
    )
    yield error(
        "order-unused-before-missing",
        "multiplier (4) before jitter_slot (16)",
        constant(S, multiplier=(2, 1), jitter="slotted"),
    )
    yield error(
        "order-cap-before-stalls",
        "a cap below the base before growth_stalls",
        exponential(50, multiplier=(101, 100), cap=10),
    )
    yield error(
        "order-floor-before-stalls",
        "a floor above the cap before growth_stalls",
        exponential(50, multiplier=(101, 100), cap=60, floor=70),
    )
    yield error("multiplier-fine-unreduced", "the value keeps its terms", exponential(S, multiplier=(2_000_002, 2)))
    for field, limit in (("max_retries", 2**32), ("max_attempts", 2**32 + 1)):
        yield error(f"{field}-too-large", "one more than there are indices", constant(1, **{field: limit + 1}))
        yield error(f"{field}-all-ones", "the largest 64-bit number", constant(1, **{field: 2**64 - 1}))
    yield error("max_attempts-zero", "an operation has at least one attempt", constant(1, max_attempts=0))
    yield error("given-twice", "two fields for one limit", constant(1, max_retries=2, max_attempts=3))
    yield error(
        "given-twice-unlike",
        "two fields for one limit that contradict each other",
        constant(1, max_retries=0, max_attempts=9),
    )
    yield error(
        "given-twice-before-range",
        "the rules of a field are checked in order",
        constant(1, max_retries=2, max_attempts=0),
    )
    yield error(
        "max_retries-before-given-twice",
        "max_retries (17) before max_attempts (18)",
        constant(1, max_retries=2**33, max_attempts=3),
    )
    yield error("throttled_base-above-cap", "a throttled base above the cap", constant(1, cap=5, throttled_base=6))
    yield error(
        "throttled_base-stalls",
        "1 ns * 1.5 is rounded down to 1 ns",
        exponential(S, multiplier=(3, 2), throttled_base=1),
    )
    yield error(
        "throttled_base-stalls-default",
        "the base is checked before the throttled base",
        exponential(1, multiplier=(3, 2)),
    )
    yield error(
        "throttled_base-stalls-decorrelated",
        "the rule applies to decorrelated jitter, too",
        exponential(S, jitter="decorrelated", multiplier=(101, 100), throttled_base=99),
    )
    yield error(
        "order-cap_on-before-retry_after",
        "kinds are checked in the order jitter, cap_on, retry_after",
        constant(1, retry_after=9, cap_on=9),
    )
    yield error(
        "order-retry_after-before-pair",
        "all kinds are checked before not_exponential",
        linear(1, retry_after=0, jitter="decorrelated"),
    )
    yield error(
        "order-stalls-before-throttled",
        "growth_stalls of the base is checked before throttled_base",
        exponential(1, multiplier=(3, 2), cap=5, throttled_base=9),
    )
    yield error(
        "order-throttled-above-before-stalls",
        "too_large is checked before growth_stalls",
        exponential(0, multiplier=(101, 100), cap=5, throttled_base=9),
    )
    yield error(
        "order-elapsed-before-retry_after_max",
        "fields are checked by number",
        constant(
            1, retry_after_max_extra=MAX + 1, retry_after_max=MAX + 1, throttled_base=MAX + 1, max_elapsed=MAX + 1
        ),
    )
    yield error(
        "order-fields-before-given-twice",
        "jitter_slot (16) before max_attempts (18)",
        constant(1, jitter="slotted", jitter_slot=0, max_retries=1, max_attempts=1),
    )
    for ns, unit in ((86_400 * S, "d"), (3600 * S, "h"), (60 * S, "m"), (S, "s"), (MS, "ms"), (1000, "us"), (1, "ns")):
        yield error(
            f"text-{unit}", "durations are printed in the largest unit that divides them", constant(7 * ns, cap=3 * ns)
        )
