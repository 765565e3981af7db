"""Decisions with each kind of budget (SPEC 15.3)."""

from reference import numbers

from cases.scenario import Scenario

WORD_MAX, MAX = numbers.WORD_MAX, numbers.MAX
MS, S = 10**6, 10**9

# fmt: off
# One scenario a paragraph, with several steps a line.


def decisions():
    """15.3, each kind alone."""
    free = "none"
    yield (Scenario("quota", "two retries of 5, the third is refused", free, "quota:max_tokens=14")
        .begin(0).fail(0, 0, 0, 0))
    yield (Scenario("quota-exactly", "a level equal to the cost is enough", free, "quota:max_tokens=10")
        .begin(0).fail(0, 0, 0, 0))
    yield (Scenario("quota-refund", "a success refunds the cost of the last retry", free, "quota:max_tokens=10")
        .begin(0).fail(0, 0, 0).succeed(0).begin(1).fail(1, 0, 0))
    yield (Scenario("quota-refund-last", "a success refunds the last cost, not the first and not the sum", free,
                    "quota:max_tokens=17,cost=4,cost_timeout=10,cost_throttled=3")
        .begin(0).fail(0, 0).fail(0, 0, outcome="timeout").fail(0, 0, outcome="throttled").succeed(0).begin(1)
        .fail(1, 0))
    yield (Scenario("quota-one-back", "a success without a retry adds one token", free, "quota:max_tokens=6")
        .begin(0).fail(0, 0, 0).begin(1).fail(1, 0).begin(2).succeed(2).begin(3).succeed(3).begin(4).succeed(4).begin(5)
        .fail(5, 0).begin(6).succeed(6).begin(7).fail(7, 0, 0))
    yield (Scenario("quota-full", "the level never exceeds max_tokens", free, "quota:max_tokens=5")
        .begin(0).succeed(0).begin(1).succeed(1).begin(2).fail(2, 0, 0))
    full = Scenario("quota-full-success", "successes do not save tokens above max_tokens", free, "quota:max_tokens=5")
    for operation in range(6):
        full.begin(operation).succeed(operation)
    yield full.begin(6).fail(6, 0, 0)
    refund = Scenario("quota-full-refund", "a refund does not save tokens above max_tokens", free, "quota:max_tokens=6")
    refund.begin(0).fail(0, 0)
    for operation in range(1, 6):
        refund.begin(operation).succeed(operation)
    yield refund.succeed(0).begin(6).fail(6, 0, 0)
    yield (Scenario("quota-permanent", "a permanent failure refunds nothing", free, "quota:max_tokens=5")
        .begin(0).fail(0, 0).outcome(0, "permanent").begin(1).fail(1, 0))
    yield (Scenario("quota-cancel", "a cancellation refunds nothing", free, "quota:max_tokens=5")
        .begin(0).fail(0, 0).cancel(0).begin(1).fail(1, 0))
    yield (Scenario("quota-aws", "AWS 2026: cost 14, or 5 if throttled", free, "aws-sdk-2026:max_tokens=38")
        .begin(0).fail(0, 0).fail(0, 0, outcome="throttled").fail(0, 0, outcome="timeout")
        .fail(0, 0, 0, outcome="throttled"))
    yield (Scenario("quota-refused-then-cheaper", "after a refusal, a cheaper retry of another operation is granted",
                    free, "quota:max_tokens=10,cost=10,cost_throttled=1")
        .begin(0).begin(1).fail(0, 0, outcome="throttled").fail(0, 0).fail(1, 0, outcome="throttled"))
    yield (Scenario("quota-refused-refund", "a refused operation refunds nothing", free, "quota:max_tokens=5")
        .begin(0).fail(0, 0, 0).succeed(0).begin(1).fail(1, 0))
    yield (Scenario("quota-delay-reported", "a refusal reports the delay that will not be waited",
                    "exponential:base=1s",
                    "quota:max_tokens=5")
        .begin(0).fail(0, 0, 0))

    yield (Scenario("throttle", "gRPC: no retries at half of the tokens and below", free, "grpc-retry")
        .begin(0).fail(0, 0, 0, 0, 0, 0))
    yield (Scenario("throttle-half", "exactly half is not enough", free, "throttle:max_tokens=2")
        .begin(0).fail(0, 0))
    yield (Scenario("throttle-odd", "half of an odd number", free, "throttle:max_tokens=3")
        .begin(0).fail(0, 0, 0))
    yield (Scenario("throttle-success", "a success adds the ratio", free, "throttle:max_tokens=4,ratio=0.5")
        .begin(0).fail(0, 0, 0).begin(1).succeed(1).begin(2).succeed(2).begin(3).succeed(3).begin(4).fail(4, 0))
    ten = Scenario(
        "throttle-thousandths",
        "each deposit is rounded down to thousandths of a token",
        free,
        "throttle:max_tokens=3,ratio=0.1501",
    )
    ten.begin(0).fail(0, 0, 0)
    for operation in range(1, 11):
        ten.begin(operation).outcome(operation, "success")
    yield ten.begin(11).begin(12).fail(11, 0).fail(12, 0)
    yield (Scenario("throttle-two-thirds", "a deposit of 2/3 is 666 thousandths", free,
                    "throttle:max_tokens=3,ratio=2/3")
        .begin(0).fail(0, 0, 0).begin(1).succeed(1).begin(2).succeed(2).begin(3).fail(3, 0).begin(4).succeed(4).begin(5)
        .fail(5, 0))
    yield (Scenario("throttle-full", "the level never exceeds max_tokens", free, "throttle:max_tokens=3,ratio=1")
        .begin(0).succeed(0).begin(1).fail(1, 0, 0))
    yield (Scenario("throttle-empty", "the level never falls below 0", free, "throttle:max_tokens=3,ratio=1")
        .begin(0).fail(0, 0, 0).begin(1).fail(1, 0).begin(2).fail(2, 0).begin(3).fail(3, 0).begin(4).succeed(4).begin(5)
        .succeed(5).begin(6).succeed(6).begin(7).fail(7, 0, 0))
    yield (Scenario("throttle-counts-all", "a failure that max_retries stops counts", "constant:base=0s,max_retries=1",
                    "throttle:max_tokens=5")
        .begin(0).fail(0, 0, 0).begin(1).fail(1, 0))
    yield (Scenario("throttle-counts-stopped", "failures count, whatever stops the operation",
                    "constant:base=1s,max_elapsed=1s", "throttle:max_tokens=4")
        .begin(0).fail(0, S).begin(1).fail(1, S).begin(2, S).fail(2, S))
    yield (Scenario("throttle-permanent", "permanent failures and cancellations cost nothing", free,
                    "throttle:max_tokens=3")
        .begin(0).outcome(0, "permanent").begin(1).cancel(1).begin(2).fail(2, 0).outcome(2, "permanent").begin(3)
        .fail(3, 0))

    yield (Scenario("ratio", "ten tokens at first", free, "sre")
        .begin(0).fail(0, *[0] * 12))
    yield (Scenario("ratio-begins", "five operations add one token", free, "ratio:max_tokens=1,ratio=0.2")
        .begin(0).fail(0, 0, 0).begin(1).begin(2).begin(3).begin(4).fail(1, 0).begin(5).fail(2, 0).fail(3, 0))
    yield (Scenario("ratio-full", "the level never exceeds max_tokens", free, "ratio:max_tokens=2,ratio=1")
        .begin(0).begin(1).begin(2).fail(0, 0, 0, 0))
    yield (Scenario("ratio-third", "three deposits of 1/3 make one token", free, "ratio:max_tokens=1,ratio=1/3")
        .begin(0).fail(0, 0).begin(1).begin(2).fail(1, 0).begin(3).begin(4).fail(3, 0).begin(5).begin(6).begin(7)
        .fail(5, 0))
    yield (Scenario("ratio-none", "a ratio of 0 never refills", free, "ratio:max_tokens=1,ratio=0")
        .begin(0).fail(0, 0).begin(1).fail(1, 0))
    yield (Scenario("ratio-success", "a success refunds nothing", free, "ratio:max_tokens=1,ratio=0")
        .begin(0).fail(0, 0).succeed(0).begin(1).fail(1, 0))

    yield (Scenario("rate", "full at first, then one token every 20 s", free, "rate:max_tokens=3")
        .begin(0, S).fail(0, S, S, S).begin(1, S).fail(1, S).fail(0, 20 * S).begin(2, 21 * S).fail(2, 21 * S - 1)
        .begin(3, 21 * S).fail(3, 21 * S).begin(4, 21 * S).fail(4, 21 * S))
    yield (Scenario("rate-full", "the level never exceeds max_tokens", free, "rate:max_tokens=2,per=1s")
        .begin(0).fail(0, 0, 100 * S, 100 * S, 100 * S))
    yield (Scenario("rate-begins", "full at the first retry, at any time", free, "rate:max_tokens=1,per=1d")
        .begin(0, WORD_MAX).fail(0, WORD_MAX, WORD_MAX))
    yield (Scenario("rate-long-pause", "from the first possible time to the last", free,
                    "rate:max_tokens=100000,per=1d")
        .begin(0).fail(0, 0).begin(1).fail(1, MAX // 2).begin(2, WORD_MAX).fail(2, WORD_MAX))
    yield (Scenario("rate-wraps-signed", "time * max_tokens is just above 2^63", free, "rate:max_tokens=100000,per=1d")
        .begin(0).fail(0, 0).begin(1).fail(1, 92_233_720_368_548))
    yield (Scenario("rate-wraps", "time * max_tokens is 2^64, which does not wrap to 0", free,
                    "rate:max_tokens=4,per=1d")
        .begin(0).fail(0, 0, 0, 0, 0, 0).begin(1).fail(1, 2**62))
    yield (Scenario("rate-wraps-uneven", "time * max_tokens is 2^64 + 2", free, "rate:max_tokens=3,per=1d")
        .begin(0).fail(0, 0, 0, 0, 0).begin(1).fail(1, (2**64 + 2) // 3))
    yield (Scenario("rate-time-back", "an earlier time does not refill, and its interval does not count twice", free,
                    "rate:max_tokens=2,per=2s")
        .begin(0, 10 * S).fail(0, 10 * S, 10 * S).begin(1, 9 * S).fail(1, 9 * S).begin(2, 11 * S).fail(2, 11 * S)
        .begin(3, 10 * S).fail(3, 10 * S).begin(4, 11 * S).fail(4, 11 * S).begin(5, 12 * S).fail(5, 12 * S))
    yield (Scenario("rate-refused-counts", "a refused retry updates the latest time", free, "rate:max_tokens=1,per=10s")
        .begin(0).fail(0, 0, 4 * S).begin(1).fail(1, 9 * S).begin(2).fail(2, 2 * S).begin(3).fail(3, 10 * S))
    yield (Scenario("rate-uneven", "fractions of a token are kept", free, "rate:max_tokens=3,per=10ns")
        .begin(0).fail(0, 0, 0, 0, 4).begin(1).fail(1, 6).begin(2).fail(2, 7, 10).begin(3).fail(3, 14).begin(4)
        .fail(4, 14))

    yield (Scenario("ttl-finagle", "20 retries are within the reserve of 100", free, "finagle")
        .begin(0).fail(0, *[0] * 20))
    yield (Scenario("ttl-reserve", "the reserve allows ten retries in ten seconds", free,
                    "ttl:min_per_second=1,ratio=0")
        .begin(0).fail(0, *[0] * 11))
    yield (Scenario("ttl-deposits", "five operations allow one retry", free, "ttl:min_per_second=0")
        .begin(0).begin(1).begin(2).begin(3).fail(0, 0).begin(4).fail(1, 0).fail(2, 0).begin(5).begin(6).begin(7)
        .begin(8).begin(9).fail(3, 0).fail(4, 0))
    yield (Scenario("ttl-expiry", "a deposit lasts for ten slices, including its own", free,
                    "ttl:ttl=1s,min_per_second=0,ratio=1")
        .begin(0, 0).begin(1, 0).begin(2, 99 * MS).fail(0, 0).fail(1, S - 1).fail(2, S))
    yield (Scenario("ttl-expiry-withdrawal", "a withdrawal lasts for ten slices, including its own", free,
                    "ttl:ttl=1s,min_per_second=1,ratio=0")
        .begin(0).fail(0, 50 * MS).begin(1).fail(1, 999 * MS).begin(2).fail(2, 1000 * MS).begin(3).fail(3, 1999 * MS)
        .begin(4).fail(4, 2 * S))
    yield (Scenario("ttl-slices", "slices begin at multiples of a tenth of the ttl", free,
                    "ttl:ttl=1s,min_per_second=0,ratio=1")
        .begin(0, 50 * MS).begin(1, 99 * MS).begin(2, 100 * MS).fail(0, 1000 * MS).fail(1, 1000 * MS)
        .begin(3, 1100 * MS).fail(2, 1100 * MS).fail(3, 1100 * MS))
    yield (Scenario("ttl-odd", "a tenth of the ttl is rounded down to a nanosecond", free,
                    "ttl:ttl=1000000009ns,min_per_second=0,ratio=1")
        .begin(0, 100_000_000).fail(0, 1_099_999_999).begin(1, 99_999_999 + 2 * S).fail(1, 3 * S))
    yield (Scenario("ttl-reserve-cut", "a reserve with a fraction of a retry", free,
                    "ttl:ttl=1500ms,min_per_second=1,ratio=1/3")
        .begin(0).fail(0, 0, 0).begin(1).begin(2).fail(1, 0).begin(3).fail(2, 0))
    yield (Scenario("ttl-reserve-parts", "a reserve of 9/5 and a deposit of 1/5 allow 2 retries: nothing is rounded",
                    free, "ttl:ttl=1800ms,min_per_second=1,ratio=0.2")
        .begin(0).fail(0, 1, 2, 3))
    yield (Scenario("ttl-negative", "the level of a slice may be negative", free,
                    "ttl:ttl=1s,min_per_second=2,ratio=1/2")
        .begin(0).fail(0, 0, 0, 0).begin(1, 500 * MS).begin(2, 500 * MS).fail(1, 500 * MS).fail(2, 500 * MS).begin(3, S)
        .fail(3, S, S, S))
    yield (Scenario("ttl-time-back", "an earlier time counts in the latest slice", free,
                    "ttl:ttl=1s,min_per_second=0,ratio=1")
        .begin(0, 5 * S).begin(1, 2 * S).fail(0, 5900 * MS).fail(1, 0).begin(2, 0).fail(2, 6 * S + 800 * MS))
    yield (Scenario("ttl-refused-counts", "a refused retry updates the latest slice", free,
                    "ttl:ttl=1s,min_per_second=0,ratio=1")
        .begin(0, 0).fail(0, 5 * S).begin(1, 0).begin(2, 0).fail(1, 5900 * MS).fail(2, 6 * S))
    yield (Scenario("ttl-late-write", "a late deposit lasts as long as others of the latest slice", free,
                    "ttl:ttl=1s,min_per_second=0,ratio=1")
        .begin(0, 900 * MS).begin(1, 0).fail(0, 1899 * MS).fail(1, 1899 * MS).begin(2, 1900 * MS).begin(3, 0)
        .fail(2, 2899 * MS).fail(3, 2900 * MS))
    yield (Scenario("ttl-gap", "a long pause clears every slice", free, "ttl:ttl=60s,min_per_second=0,ratio=1")
        .begin(0).begin(1, 3600 * S).fail(1, 7200 * S).begin(2, WORD_MAX).fail(2, WORD_MAX, WORD_MAX))
    yield (Scenario("ttl-steady", "one retry in five operations, continuously", free, "ttl:ttl=1s,min_per_second=0")
        .begin(0, 0).begin(1, 200 * MS).begin(2, 400 * MS).begin(3, 600 * MS).begin(4, 800 * MS).fail(0, 900 * MS)
        .begin(5, 1000 * MS).fail(1, 1000 * MS).begin(6, 1200 * MS).begin(7, 1400 * MS).begin(8, 1600 * MS)
        .fail(2, 1600 * MS).begin(9, 1800 * MS).fail(3, 1800 * MS).begin(10, 2000 * MS).fail(4, 2000 * MS))

    yield (Scenario("concurrent", "three concurrent retries", free, "envoy")
        .begin(0).begin(1).begin(2).begin(3).fail(0, 0).fail(1, 0).fail(2, 0).fail(3, 0))
    yield (Scenario("concurrent-same", "the retries of one operation do not overlap", free,
                    "concurrent:min_concurrent=1")
        .begin(0).fail(0, *[0] * 6))
    yield (Scenario("concurrent-released", "success, permanent failure and cancellation release a retry", free,
                    "concurrent:min_concurrent=1,ratio=0")
        .begin(0).begin(1).fail(0, 0).succeed(0).fail(1, 0).outcome(1, "permanent").begin(2).begin(3).begin(4)
        .fail(2, 0).fail(3, 0).cancel(2).fail(4, 0))
    yield (Scenario("concurrent-refused", "a refused operation holds nothing", free,
                    "concurrent:min_concurrent=0,ratio=0")
        .begin(0).fail(0, 0).cancel(0).begin(1).fail(1, 0))
    yield (Scenario("concurrent-released-once", "an operation that has ended does not release twice", free,
                    "concurrent:min_concurrent=1,ratio=0")
        .begin(0).fail(0, 0).succeed(0).begin(1).fail(1, 0).succeed(0).cancel(0).begin(2).fail(2, 0))
    yield (Scenario("concurrent-released-by-stop", "a stop for another reason releases the retry",
                    "constant:base=0s,max_retries=1", "concurrent:min_concurrent=1,ratio=0")
        .begin(0).begin(1).fail(0, 0, 0).fail(1, 0))
    yield (Scenario("concurrent-part", "half of the active operations", free, "concurrent:min_concurrent=0,ratio=1/2")
        .begin(0).fail(0, 0).begin(1).begin(2).fail(1, 0).begin(3).fail(2, 0).begin(4).begin(5).fail(4, 0).fail(5, 0))
    yield (Scenario("concurrent-ended", "ended operations are not active", free,
                    "concurrent:min_concurrent=0,ratio=1/2")
        .begin(0).begin(1).begin(2).begin(3).succeed(0).outcome(1, "permanent").cancel(1).cancel(0).cancel(2).fail(3, 0)
        .begin(4).begin(5).fail(4, 0).fail(5, 0))
    yield (Scenario("concurrent-all", "every active operation may retry", free, "concurrent:min_concurrent=0,ratio=1")
        .begin(0).begin(1).fail(0, 0).fail(1, 0).fail(0, 0).succeed(1).fail(0, 0))
