"""Previews, and policies that fit into a time (SPEC 16)."""

from itertools import islice

from reference import errors, fields, numbers, presets, preview, printing, strings

MAX = numbers.MAX
MS, S = 10**6, 10**9
COLUMNS = ["min", "mean", "max", "total_min", "total_mean", "total_max"]


def preview_cases():
    def rows(id, why, line, count=10, first=0):
        policy = strings.parse("policy", line)
        return {
            "id": id,
            "why": why,
            "policy": line,
            "first": first,
            "count": count,
            "rows": [
                {column: str(x) for column, x in zip(COLUMNS, row, strict=True)}
                for row in islice(preview.preview(policy), first, first + count)
            ],
        }

    for preset in presets.PRESETS["policy"]:
        yield rows(f"preset-{preset}", "the preset of that name", preset, 30)
    for growth in fields.KINDS["growth"]:
        yield rows(f"growth-{growth}", "no jitter: one value a row", f"{growth}:base=1s,cap=20s", 8)
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
            "a floor inside the range, then below it",
            f"equal:base=1s,cap=5s,floor=3s,cap_on={cap_on}",
            5,
        )
        yield rows(
            f"floor-above-{cap_on}", "a floor above the range", f"full:base=1s,cap=9s,floor=6s,cap_on={cap_on}", 5
        )
        yield rows(f"floor-is-cap-{cap_on}", "one value for ever", f"full:base=1s,cap=9s,floor=9s,cap_on={cap_on}", 3)
        yield rows(
            f"floor-slotted-{cap_on}",
            "a floor that is rounded up past the cap",
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
            "small numbers, every rounding",
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
        "the cap is no whole number of slots",
        "constant:base=10ns,cap=10ns,jitter=slotted,jitter_slot=4ns",
        2,
    )
    yield rows(
        "cap-between-slots-delay",
        "the cap cuts a slot",
        "exponential:base=8ns,cap=10ns,cap_on=delay,jitter=slotted,jitter_slot=4ns",
        4,
    )
    yield rows(
        "slot-longer-than-cap",
        "no slot but the first fits",
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
    yield rows("longest", "the totals saturate, and max_elapsed is not passed", f"constant:base={MAX}ns", 3)
    yield rows("zero", "nothing is waited", "none", 3)
    yield rows("max_retries-zero", "no row at all", "constant:base=1s,max_retries=0", 3)
    yield rows("max_retries", "as many rows as retries", "constant:base=1s,max_retries=2", 5)
    yield rows("count", "no more rows than were asked for", "constant:base=1s,max_retries=5", 2)
    yield rows("count-zero", "none were asked for", "constant:base=1s", 0)
    yield rows("max_elapsed", "a total that is max_elapsed is not above it", "constant:base=1s,max_elapsed=3s", 5)
    yield rows("max_elapsed-by-one", "a nanosecond less", "constant:base=1s,max_elapsed=2999999999ns", 5)
    yield rows("max_elapsed-min", "the smallest counts, not the mean", "equal:base=1s,max_elapsed=4s", 8)
    yield rows("max_elapsed-full", "the smallest of full jitter is 0", "full:base=1s,cap=2s,max_elapsed=0s", 4)
    yield rows("max_elapsed-zero", "the first row does not fit", "constant:base=1s,max_elapsed=0s", 4)
    yield rows("throttled_base", "takes no part", "constant:base=1s,throttled_base=9s", 2)
    yield rows("decorrelated-multiplier", "another multiplier", "decorrelated:base=1s,multiplier=1.5,cap=4s", 8)
    yield rows("decorrelated-saturates", "the range saturates", f"exponential:base={2**61}ns,jitter=decorrelated", 4)
    yield rows("decorrelated-zero", "base 0 stays 0", "decorrelated:base=0s", 3)
    yield rows("decorrelated-small", "every rounding", "decorrelated:base=1ns,cap=20ns", 8)
    yield rows(
        "decorrelated-restart", "starts again from the base at row 4096", "decorrelated:base=100ms", 3, first=4095
    )
    yield rows("polynomial-increment", "Sidekiq's with a short cap", "sidekiq:cap=1h,cap_on=delay", 10)


def fit_cases():
    def fit(id, why, line, field, attempts, total):
        case = {"id": id, "why": why, "policy": line, "field": field, "attempts": attempts, "total": str(total)}
        policy = strings.parse("policy", line)
        try:
            return case | {"canonical": printing.printed("policy", preview.fit(policy, field, attempts, total))}
        except errors.PolicyError as refused:
            return case | {
                "error": {
                    "code": refused.code,
                    "field": refused.field,
                    "value": str(refused.value),
                    "limit": str(refused.limit),
                    "message": str(refused),
                }
            }

    base = "full:base=100ms,cap=20s"
    for field in ("base", "cap"):
        for total in (
            0,
            1,
            2,
            100 * MS,
            300 * MS,
            700 * MS - 1,
            700 * MS,
            700 * MS + 1,
            S,
            10 * S,
            60 * S,
            80 * S,
            1000 * S,
            MAX,
        ):
            yield fit(f"{field}-full-{total}", f"four attempts within {total} ns", base, field, 4, total)
        yield fit(f"{field}-attempts-one", "one attempt waits for nothing", base, field, 1, 0)
        yield fit(f"{field}-attempts-two", "two wait once", base, field, 2, S)
        yield fit(f"{field}-attempts-zero", "there is no operation without an attempt", base, field, 0, S)
        yield fit(f"{field}-attempts-too-many", "65537", base, field, 65_537, S)
        yield fit(f"{field}-attempts-all-ones", "2^32 - 1", base, field, 2**32 - 1, S)
        yield fit(f"{field}-total-too-large", "beyond the longest duration", base, field, 4, MAX + 1)
        yield fit(f"{field}-total-all-ones", "beyond the longest duration", base, field, 4, 2**64 - 1)
        yield fit(f"{field}-attempts-before-total", "attempts are judged first", base, field, 0, 2**64 - 1)
        for preset in (
            "none",
            "default",
            "grpc-connect",
            "google-cloud",
            "ethernet",
            "sidekiq",
            "k8s-conflict",
            "aws-sdk-2026",
            "celery",
            "azure-core-java",
        ):
            yield fit(f"{field}-{preset}", "the preset, six attempts within 100 s", preset, field, 6, 100 * S)
            yield fit(f"{field}-{preset}-5s", "and within 5 s", preset, field, 6, 5 * S)
        for jitter in ("equal", "0.5", "additive,jitter_max=3s", "slotted,jitter_slot=700ms"):
            yield fit(
                f"{field}-{jitter.split(',j')[0].replace('.', '')}",
                "another jitter",
                f"fibonacci:base=1s,cap=60s,jitter={jitter}",
                field,
                8,
                40 * S,
            )
        for cap_on in fields.KINDS["cap_on"]:
            yield fit(
                f"{field}-decorrelated-{cap_on}",
                "the largest after the largest",
                f"exponential:base=1s,cap=60s,cap_on={cap_on},jitter=decorrelated",
                field,
                8,
                100 * S,
            )
            yield fit(
                f"{field}-proportional-{cap_on}",
                "a range above its window",
                f"exponential:base=1s,cap=60s,cap_on={cap_on},jitter=0.3",
                field,
                8,
                100 * S,
            )
        yield fit(
            f"{field}-decorrelated-restart",
            "4100 delays: it starts again",
            "decorrelated:base=1us,cap=1ms",
            field,
            4101,
            S,
        )
        yield fit(
            f"{field}-max_retries",
            "the limits of the policy take no part",
            "constant:base=1s,max_retries=0,max_elapsed=0s",
            field,
            5,
            20 * S,
        )
        yield fit(
            f"{field}-retry_after",
            "and are kept",
            "full:base=1s,cap=20s,max_retries=4,max_elapsed=1h,retry_after=exact,retry_after_max=9s",
            field,
            5,
            20 * S,
        )
        yield fit(
            f"{field}-jitter-zero",
            "proportional jitter of nothing is kept",
            "exponential:base=1s,cap=60s,jitter=0",
            field,
            5,
            20 * S,
        )
        yield fit(
            f"{field}-offset", "an offset that is too long alone", "exponential:base=1s,offset=30s", field, 5, 100 * S
        )
        yield fit(f"{field}-floor", "a floor that is too long alone", "full:base=1s,floor=30s", field, 5, 100 * S)
        yield fit(
            f"{field}-saturates", "the least total passes 2^63", f"constant:base={MAX}ns,floor={MAX}ns", field, 5, MAX
        )
    yield fit(
        "base-attempts-most", "65536 attempts", "linear:base=1ns,increment=0s,cap=1000ns", "base", 65_536, 30_000_000
    )
    yield fit("cap-attempts-most", "65536 attempts", "constant:base=1us", "cap", 65_536, 65_534_999)
    yield fit("base-least", "the multiplier needs 100 ns", "exponential:base=1s,multiplier=1.01", "base", 3, 201)
    yield fit(
        "base-below-least", "and 200 ns are too short for it", "exponential:base=1s,multiplier=1.01", "base", 3, 200
    )
    yield fit(
        "base-multiplier-one", "a multiplier of 1 needs nothing", "exponential:base=1s,multiplier=1", "base", 3, 2
    )
    yield fit("base-is-cap", "no longer than the cap", "constant:base=1s,cap=5s", "base", 3, MAX)
    yield fit("base-no-range", "a cap below every base that could be", "constant:base=0s,cap=0s", "base", 2, 0)
    yield fit(
        "base-no-range-to-grow",
        "a cap below every base that grows",
        "exponential:base=0s,multiplier=1.01,cap=99ns",
        "base",
        1,
        S,
    )
    yield fit("base-zero", "a base of 0 may grow", "exponential:base=0s,cap=5s", "base", 4, 7 * S)
    yield fit("base-increment-follows", "an increment that is the base follows it", "linear:base=1s", "base", 4, 60 * S)
    yield fit("base-increment-stays", "one of its own does not", "linear:base=1s,increment=2s", "base", 4, 60 * S)
    yield fit(
        "base-increment-met",
        "and is not printed where the base meets it",
        "linear:base=1s,increment=10s",
        "base",
        4,
        60 * S,
    )
    yield fit(
        "base-throttled-follows",
        "a throttled base that is the base follows it",
        "exponential:base=1s,cap=9s",
        "base",
        3,
        15 * S,
    )
    yield fit(
        "base-throttled-stays",
        "one of its own does not",
        "exponential:base=1s,cap=9s,throttled_base=2s",
        "base",
        3,
        15 * S,
    )
    yield fit(
        "base-throttled-met",
        "and is not printed where the base meets it",
        "exponential:base=1s,cap=9s,throttled_base=5s",
        "base",
        3,
        14 * S,
    )
    yield fit(
        "base-additive-too-wide",
        "the width alone is too long",
        "constant:base=1s,jitter=additive,jitter_max=30s",
        "base",
        3,
        50 * S,
    )
    yield fit("cap-least-base", "no shorter than the base", "exponential:base=3s", "cap", 5, 12 * S)
    yield fit("cap-below-base", "a nanosecond less does not fit", "exponential:base=3s", "cap", 5, 12 * S - 1)
    yield fit("cap-least-offset", "no shorter than the offset", "exponential:base=1s,offset=4s", "cap", 3, 8 * S)
    yield fit("cap-least-floor", "no shorter than the floor", "full:base=1s,floor=4s", "cap", 3, 8 * S)
    yield fit(
        "cap-least-throttled",
        "no shorter than the throttled base",
        "exponential:base=1s,throttled_base=5s",
        "cap",
        5,
        10 * S,
    )
    yield fit(
        "cap-below-throttled",
        "a nanosecond less does not fit",
        "exponential:base=1s,throttled_base=5s",
        "cap",
        5,
        13 * S - 1,
    )
    yield fit("cap-not-needed", "a policy that fits without a cap", "exponential:base=1s,cap=5s", "cap", 5, 15 * S)
    yield fit("cap-needed", "a nanosecond less needs one", "exponential:base=1s,cap=5s", "cap", 5, 15 * S - 1)
    yield fit("cap-zero", "base and cap 0", "constant:base=0s", "cap", 5, 0)
