"""Previews (SPEC 16.1 to 16.4)."""

from itertools import islice

from reference import fields, numbers, presets, preview, strings

MAX = numbers.MAX
MS, S = 10**6, 10**9
COLUMNS = ["min", "mean", "max", "total_min", "total_mean", "total_max"]


def preview_cases():
    def rows(id, why, string, count=10, first=0):
        policy = strings.parse("policy", string)
        return {
            "id": id,
            "why": why,
            "policy": string,
            "first": first,
            "count": count,
            "rows": [
                {column: str(x) for column, x in zip(COLUMNS, row, strict=True)}
                for row in islice(preview.preview(policy), first, first + count)
            ],
        }

    for preset in presets.PRESETS["policy"]:
        yield rows(f"preset-{preset}", "this preset", preset, 30)
    for growth in fields.KINDS["growth"]:
        yield rows(f"growth-{growth}", "no jitter: min, mean and max are equal", f"{growth}:base=1s,cap=20s", 8)
    for cap_on in fields.KINDS["cap_on"]:
        for jitter in (
            "full",
            "equal",
            "0.5",
            "additive,jitter_max=3s",
            "additive,jitter_max=0s,jitter_increment=1s",
            "slotted,jitter_slot=700ms",
            "decorrelated",
        ):
            yield rows(
                f"{jitter.split(',j')[0].replace('.', '')}{'-increment' * ('increment' in jitter)}-{cap_on}",
                "both places of the cap",
                f"exponential:base=1s,cap=5s,cap_on={cap_on},jitter={jitter}",
                6,
            )
        yield rows(
            f"floor-{cap_on}",
            "a floor inside the range, then below the range",
            f"equal:base=1s,cap=5s,floor=3s,cap_on={cap_on}",
            5,
        )
        yield rows(
            f"floor-above-{cap_on}", "a floor above the range", f"full:base=1s,cap=9s,floor=6s,cap_on={cap_on}", 5
        )
        yield rows(
            f"floor-is-cap-{cap_on}", "one value at every index", f"full:base=1s,cap=9s,floor=9s,cap_on={cap_on}", 3
        )
        yield rows(
            f"floor-slotted-{cap_on}",
            "a floor that slots round up past the cap",
            f"exponential:base=4ns,cap=10ns,floor=9ns,jitter=slotted,jitter_slot=4ns,cap_on={cap_on}",
            4,
        )
        yield rows(
            f"floor-decorrelated-{cap_on}",
            "a floor above the base",
            f"exponential:base=1s,cap=9s,floor=4s,jitter=decorrelated,cap_on={cap_on}",
            5,
        )
        yield rows(
            f"two-values-{cap_on}",
            "the mean of two values is rounded down",
            f"constant:base=1ns,cap=7ns,jitter=full,cap_on={cap_on}",
            2,
        )
        yield rows(
            f"odd-{cap_on}",
            "small numbers show every rounding",
            f"exponential:base=3ns,multiplier=3/2,cap=17ns,jitter=0.3,cap_on={cap_on}",
            8,
        )
    yield rows(
        "cap-below-range",
        "the whole range lies above a cap on the delay",
        "constant:base=8s,offset=5s,cap=10s,cap_on=delay,jitter=additive,jitter_max=2s",
        2,
    )
    yield rows(
        "cap-low-end",
        "the low end of the range is the cap",
        "constant:base=8s,offset=2s,cap=10s,cap_on=delay,jitter=additive,jitter_max=2s",
        2,
    )
    yield rows(
        "cap-between-slots",
        "the cap is not a whole number of slots",
        "constant:base=10ns,cap=10ns,jitter=slotted,jitter_slot=4ns",
        2,
    )
    yield rows(
        "cap-between-slots-delay",
        "a cap on the delay inside a slot",
        "exponential:base=8ns,cap=10ns,cap_on=delay,jitter=slotted,jitter_slot=4ns",
        4,
    )
    yield rows(
        "slot-longer-than-cap",
        "a slot longer than the cap",
        "exponential:base=8ns,cap=9ns,cap_on=delay,jitter=slotted,jitter_slot=10ns",
        4,
    )
    yield rows(
        "slot-saturates",
        "the last slot passes 2^63",
        f"constant:base={MAX}ns,floor={MAX}ns,jitter=slotted,jitter_slot={2**62 + 1}ns",
        2,
    )
    yield rows("widest", "2^63 values: sums of 128 bits", f"constant:base={MAX}ns,jitter=full", 3)
    yield rows("widest-proportional", "the upper end saturates", f"constant:base={MAX // 4 * 3}ns,jitter=1", 3)
    yield rows("longest", "the totals saturate, and do not exceed max_elapsed", f"constant:base={MAX}ns", 3)
    yield rows("zero", "delays of 0", "none", 3)
    yield rows("max_retries-zero", "no rows", "constant:base=1s,max_retries=0", 3)
    yield rows("max_retries", "as many rows as retries", "constant:base=1s,max_retries=2", 5)
    yield rows("count", "no more rows than requested", "constant:base=1s,max_retries=5", 2)
    yield rows("count-zero", "0 rows requested", "constant:base=1s", 0)
    yield rows("max_elapsed", "a total_min equal to max_elapsed is not above it", "constant:base=1s,max_elapsed=3s", 5)
    yield rows(
        "max_elapsed-by-one", "a max_elapsed one nanosecond shorter", "constant:base=1s,max_elapsed=2999999999ns", 5
    )
    yield rows("max_elapsed-first", "the first total_min is equal to max_elapsed", "constant:base=1s,max_elapsed=1s", 3)
    yield rows(
        "max_elapsed-first-by-one",
        "the first total_min is one nanosecond above max_elapsed",
        "constant:base=1000000001ns,max_elapsed=1s",
        3,
    )
    for id, why, limit in (
        ("", "a total_min of 3.5 s, equal to max_elapsed", 3500 * MS),
        ("-by-one", "a total_min one nanosecond above max_elapsed", 3500 * MS - 1),
    ):
        yield rows(f"max_elapsed-equal{id}", why, f"equal:base=1s,max_elapsed={limit}ns", 5)
    yield rows(
        "max_elapsed-longest",
        "the totals saturate at MAX, which is not above MAX",
        f"constant:base={MAX}ns,max_elapsed={MAX}ns",
        3,
    )
    yield rows(
        "max_elapsed-longest-by-one",
        "a total that saturates is above every other max_elapsed",
        f"constant:base={MAX - 1}ns,max_elapsed={MAX - 1}ns",
        3,
    )
    yield rows("max_elapsed-min", "total_min decides, not total_mean", "equal:base=1s,max_elapsed=4s", 8)
    yield rows("max_elapsed-full", "the total_min of full jitter is 0", "full:base=1s,cap=2s,max_elapsed=0s", 4)
    yield rows("max_elapsed-zero", "the first row does not fit", "constant:base=1s,max_elapsed=0s", 4)
    yield rows("throttled_base", "the throttled base has no effect", "constant:base=1s,throttled_base=9s", 2)
    yield rows("decorrelated-multiplier", "another multiplier", "decorrelated:base=1s,multiplier=1.5,cap=4s", 8)
    yield rows("decorrelated-saturates", "the range saturates", f"exponential:base={2**61}ns,jitter=decorrelated", 4)
    yield rows("decorrelated-zero", "base 0 stays 0", "decorrelated:base=0s", 3)
    yield rows("decorrelated-small", "small numbers show every rounding", "decorrelated:base=1ns,cap=20ns", 8)
    yield rows(
        "decorrelated-restart", "the chain restarts from the base at row 4096", "decorrelated:base=100ms", 3, first=4095
    )
    yield rows(
        "decorrelated-restart-second",
        "the chain restarts a second time at row 8192",
        "decorrelated:base=100ms",
        6,
        first=8190,
    )
    yield rows("polynomial-increment", "Sidekiq's policy with a short cap", "sidekiq:cap=1h,cap_on=delay", 10)
