"""Policies that are fitted into a time (SPEC 16.5)."""

from reference import errors, fields, numbers, preview, printing, strings

MAX = numbers.MAX
MS, S = 10**6, 10**9


def fit_cases():
    def fit(id, why, string, field, attempts, total):
        case = {"id": id, "why": why, "policy": string, "field": field, "attempts": attempts, "total": str(total)}
        policy = strings.parse("policy", string)
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
        yield fit(f"{field}-attempts-one", "one attempt never waits", base, field, 1, 0)
        yield fit(f"{field}-attempts-two", "two attempts wait once", base, field, 2, S)
        yield fit(f"{field}-attempts-zero", "0 attempts", base, field, 0, S)
        yield fit(f"{field}-attempts-too-many", "65537 attempts", base, field, 65_537, S)
        yield fit(f"{field}-attempts-all-ones", "2^32 - 1 attempts", base, field, 2**32 - 1, S)
        yield fit(f"{field}-total-exact", "the total is not saturated", "constant:base=1s", field, 3, MAX)
        yield fit(f"{field}-base-most", "the largest base", "constant:base=1s", field, 2, MAX)
        yield fit(f"{field}-total-too-large", "above the longest duration", base, field, 4, MAX + 1)
        yield fit(f"{field}-total-all-ones", "above the longest duration", base, field, 4, 2**64 - 1)
        yield fit(f"{field}-attempts-before-total", "attempts are checked before the total", base, field, 0, 2**64 - 1)
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
            yield fit(f"{field}-{preset}", "this preset, six attempts within 100 s", preset, field, 6, 100 * S)
            yield fit(f"{field}-{preset}-5s", "this preset, six attempts within 5 s", preset, field, 6, 5 * S)
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
                "max of a row follows from max of the row before",
                f"exponential:base=1s,cap=60s,cap_on={cap_on},jitter=decorrelated",
                field,
                8,
                100 * S,
            )
            yield fit(
                f"{field}-proportional-{cap_on}",
                "a range above the window",
                f"exponential:base=1s,cap=60s,cap_on={cap_on},jitter=0.3",
                field,
                8,
                100 * S,
            )
        yield fit(
            f"{field}-decorrelated-restart",
            "4100 delays: the chain restarts",
            "decorrelated:base=1us,cap=1ms",
            field,
            4101,
            S,
        )
        yield fit(
            f"{field}-decorrelated-restart-second",
            "8200 delays: the chain restarts a second time",
            "decorrelated:base=1us,cap=1ms",
            field,
            8201,
            2 * S,
        )
        yield fit(
            f"{field}-max_retries",
            "the policy's limits have no effect",
            "constant:base=1s,max_retries=0,max_elapsed=0s",
            field,
            5,
            20 * S,
        )
        yield fit(
            f"{field}-retry_after",
            "the policy's other fields are kept",
            "full:base=1s,cap=20s,max_retries=4,max_elapsed=1h,retry_after=exact,retry_after_max=9s",
            field,
            5,
            20 * S,
        )
        yield fit(
            f"{field}-jitter-zero",
            "proportional jitter of 0 is kept",
            "exponential:base=1s,cap=60s,jitter=0",
            field,
            5,
            20 * S,
        )
        yield fit(
            f"{field}-offset", "the offset alone is too long", "exponential:base=1s,offset=30s", field, 5, 100 * S
        )
        yield fit(f"{field}-floor", "the floor alone is too long", "full:base=1s,floor=30s", field, 5, 100 * S)
        yield fit(
            f"{field}-saturates",
            "the smallest total exceeds 2^63",
            f"constant:base={MAX}ns,floor={MAX}ns",
            field,
            5,
            MAX,
        )
    yield fit(
        "base-attempts-most", "65536 attempts", "linear:base=1ns,increment=0s,cap=1000ns", "base", 65_536, 30_000_000
    )
    yield fit("cap-attempts-most", "65536 attempts", "constant:base=1us", "cap", 65_536, 65_534_999)
    yield fit(
        "base-least",
        "the multiplier needs a base of at least 100 ns",
        "exponential:base=1s,multiplier=1.01",
        "base",
        3,
        201,
    )
    yield fit(
        "base-below-least",
        "200 ns are too short for two delays of 100 ns and 101 ns",
        "exponential:base=1s,multiplier=1.01",
        "base",
        3,
        200,
    )
    yield fit(
        "base-multiplier-one",
        "a multiplier of 1 needs no minimum base",
        "exponential:base=1s,multiplier=1",
        "base",
        3,
        2,
    )
    yield fit("base-is-cap", "the base is at most the cap", "constant:base=1s,cap=5s", "base", 3, MAX)
    yield fit("base-no-range", "the cap is below every candidate", "constant:base=0s,cap=0s", "base", 2, 0)
    yield fit(
        "base-no-range-to-grow",
        "the cap is below every base that grows",
        "exponential:base=0s,multiplier=1.01,cap=99ns",
        "base",
        1,
        S,
    )
    yield fit("base-zero", "a policy with base 0", "exponential:base=0s,cap=5s", "base", 4, 7 * S)
    yield fit(
        "base-increment-follows", "an increment that equals the base follows it", "linear:base=1s", "base", 4, 60 * S
    )
    yield fit(
        "base-increment-given",
        "an increment that is given and equals the base is not printed, so it follows",
        "linear:base=1s,increment=1s",
        "base",
        4,
        60 * S,
    )
    yield fit(
        "base-increment-stays",
        "a value that differs from the base stays",
        "linear:base=1s,increment=2s",
        "base",
        4,
        60 * S,
    )
    yield fit(
        "base-increment-met",
        "a value that the new base equals is not printed",
        "linear:base=1s,increment=10s",
        "base",
        4,
        60 * S,
    )
    yield fit(
        "base-throttled-follows",
        "a throttled base that equals the base follows it",
        "exponential:base=1s,cap=9s",
        "base",
        3,
        15 * S,
    )
    yield fit(
        "base-throttled-given",
        "a throttled base that is given and equals the base is not printed, so it follows",
        "exponential:base=1s,cap=9s,throttled_base=1s",
        "base",
        3,
        15 * S,
    )
    yield fit(
        "base-throttled-stays",
        "a value that differs from the base stays",
        "exponential:base=1s,cap=9s,throttled_base=2s",
        "base",
        3,
        15 * S,
    )
    yield fit(
        "base-throttled-met",
        "a value that the new base equals is not printed",
        "exponential:base=1s,cap=9s,throttled_base=5s",
        "base",
        3,
        14 * S,
    )
    yield fit(
        "base-additive-too-wide",
        "jitter_max alone is too long",
        "constant:base=1s,jitter=additive,jitter_max=30s",
        "base",
        3,
        50 * S,
    )
    yield fit("cap-least-base", "the cap is at least the base", "exponential:base=3s", "cap", 5, 12 * S)
    yield fit(
        "cap-below-base", "a total one nanosecond shorter does not fit", "exponential:base=3s", "cap", 5, 12 * S - 1
    )
    yield fit("cap-least-offset", "the cap is at least the offset", "exponential:base=1s,offset=4s", "cap", 3, 8 * S)
    yield fit("cap-least-floor", "the cap is at least the floor", "full:base=1s,floor=4s", "cap", 3, 8 * S)
    yield fit(
        "cap-least-throttled",
        "the cap is at least the throttled base",
        "exponential:base=1s,throttled_base=5s",
        "cap",
        5,
        10 * S,
    )
    yield fit(
        "cap-below-throttled",
        "a total one nanosecond shorter does not fit",
        "exponential:base=1s,throttled_base=5s",
        "cap",
        5,
        13 * S - 1,
    )
    yield fit("cap-not-needed", "a policy that fits without a cap", "exponential:base=1s,cap=5s", "cap", 5, 15 * S)
    yield fit(
        "cap-needed", "a total one nanosecond shorter needs a cap", "exponential:base=1s,cap=5s", "cap", 5, 15 * S - 1
    )
    yield fit("cap-zero", "base and cap 0", "constant:base=0s", "cap", 5, 0)
