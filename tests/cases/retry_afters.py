"""Decisions with a retry_after (SPEC 13.5)."""

from reference import fields, numbers

from cases.scenario import Scenario

WORD_MAX, MAX = numbers.WORD_MAX, numbers.MAX
MS, S = 10**6, 10**9
HOUR = 3600 * S

# fmt: off
# One scenario a paragraph, with several steps a line.


def decisions():
    """13.5."""
    base = "full:base=1s,cap=20s"
    for mode in fields.KINDS["retry_after"]:
        yield (Scenario(f"retry_after-{mode}", "a retry_after that is shorter and longer than the delay, and 0",
                        f"{base},retry_after={mode}")
            .begin(0).server_asks(0, 1).outcome(0, "throttled", retry_after=30 * S).outcome(0, "timeout", retry_after=0)
            .server_asks(0, 3 * S + 1).outcome(0, "transient"))
        yield (Scenario(f"retry_after-{mode}-max", "a retry_after below, at and above retry_after_max",
                        f"constant:base=1s,retry_after={mode},retry_after_max=5s")
            .begin(0).server_asks(0, 5 * S - 1, 5 * S, 5 * S + 1, WORD_MAX))
        yield (Scenario(f"retry_after-{mode}-extra", "retry_after_max_extra is added to the delay",
                        f"exponential:base=1s,retry_after={mode},retry_after_max_extra=5s")
            .begin(0).server_asks(0, 6 * S - 1, 7 * S, 9 * S + 1, WORD_MAX))
        yield (Scenario(f"retry_after-{mode}-longest", "a retry_after near and above 2^63",
                        f"constant:base=1s,retry_after={mode},retry_after_max=none")
            .begin(0).server_asks(0, MAX - 1 - S, MAX, MAX + 1, WORD_MAX))
        yield (Scenario(f"retry_after-{mode}-extra-saturates", "the sum of delay and retry_after_max_extra saturates",
                        f"constant:base=9223372036854775000ns,retry_after={mode}"
                        ",retry_after_max=none,retry_after_max_extra=1h")
            .begin(0).server_asks(0, WORD_MAX))
        yield (Scenario(f"retry_after-{mode}-bounds-zero", "limits of 0",
                        f"constant:base=1s,retry_after={mode},retry_after_max=0s,retry_after_max_extra=0s")
            .begin(0).server_asks(0, MAX, 0))
        yield (Scenario(f"retry_after-{mode}-default", "a retry_after below, at and above the default limit of 1 h",
                        f"constant:base=1s,retry_after={mode}")
            .begin(0).server_asks(0, HOUR - 1, HOUR, HOUR + 1, WORD_MAX))
        yield (Scenario(f"retry_after-{mode}-default-extra",
                        "both limits apply: 1 h, and the delay plus retry_after_max_extra",
                        f"linear:base=30m,retry_after={mode},retry_after_max_extra=29m")
            .begin(0).server_asks(0, 2 * HOUR, 2 * HOUR, HOUR - 1))
        yield (Scenario(f"retry_after-{mode}-default-delay", "a delay above the default limit",
                        f"constant:base=2h,retry_after={mode}")
            .begin(0).server_asks(0, 3 * HOUR, HOUR // 2))
        yield (Scenario(f"retry_after-{mode}-none", "retry_after_max=none lifts the limit",
                        f"constant:base=1s,retry_after={mode},retry_after_max=none")
            .begin(0).server_asks(0, HOUR + 1, 1000 * HOUR))
        yield (Scenario(f"retry_after-{mode}-none-extra", "retry_after_max_extra still applies without retry_after_max",
                        f"constant:base=1s,retry_after={mode},retry_after_max=none,retry_after_max_extra=2h")
            .begin(0).server_asks(0, 3 * HOUR))
    yield (Scenario("retry_after-default-grpc", "the default limit applies to a preset", "grpc-retry")
        .begin(0).server_asks(0, HOUR + 1))
    yield (Scenario("retry_after-default-max_elapsed", "max_elapsed uses the limited retry_after",
                    "constant:base=1s,max_elapsed=1h")
        .begin(0).server_asks(0, WORD_MAX).outcome(0, "transient", 1, retry_after=WORD_MAX))
    yield (Scenario("retry_after-extra-zero", "the retry_after is at most the delay",
                    "constant:base=1s,retry_after=exact,retry_after_max_extra=0s")
        .begin(0).server_asks(0, 2 * S, S - 1))
    yield (Scenario("retry_after-aws", "AWS: between the delay and 5 s above it", "aws-sdk-2026:max_retries=5")
        .begin(0).outcome(0, "throttled", retry_after=MS).outcome(0, "throttled", retry_after=2 * S)
        .outcome(0, "throttled", retry_after=60 * S))
    yield (Scenario("retry_after-grpc", "gRPC's pushback is exact", "grpc-retry")
        .begin(0).server_asks(0, 7 * S, 0).outcome(0, "transient").server_asks(0, 1))
    yield (Scenario("retry_after-spread-small", "spread over half of the smallest values is rounded down",
                    "constant:base=1s,retry_after=spread")
        .begin(0).server_asks(0, 1, 2, 3, 2))
    yield (Scenario("retry_after-above-cap", "a cap does not limit a retry_after",
                    "constant:base=1s,cap=2s,cap_on=delay")
        .begin(0).server_asks(0, 9 * S))
    yield (Scenario("retry_after-throttled", "retry_after_max_extra is added to the delay of the throttled base",
                    "constant:base=1s,throttled_base=4s,retry_after=exact,retry_after_max_extra=1s")
        .begin(0).outcome(0, "throttled", retry_after=9 * S).server_asks(0, 9 * S))
    yield (Scenario("retry_after-not-too-late", "max_retries is checked before a retry_after is used",
                    "constant:base=1s,max_retries=0")
        .begin(0).server_asks(0, 9 * S))
