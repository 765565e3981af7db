"""Policies of published articles, and iterators that are reset (SPEC 9)."""

from reference import numbers, policies, sequences, streams

from cases.policies import constant, dump, exponential, fibonacci
from cases.sequences import sequence

MAX = numbers.MAX
MS, S = 10**6, 10**9
LAST = 2**32 - 1


def article_cases():
    go = {"cap": 10_000 * MS}
    yield sequence(
        "go-full",
        "Go port: full jitter, base 1000 ms, cap 10000 ms",
        exponential(1000 * MS, jitter="full", **go),
        count=5,
    )
    yield sequence(
        "go-equal",
        "Go port: equal jitter, base 1000 ms, cap 10000 ms",
        exponential(1000 * MS, jitter="equal", **go),
        count=5,
    )
    yield sequence(
        "go-decorrelated",
        "Go port: decorrelated jitter, base 1000 ms, cap 10000 ms",
        exponential(1000 * MS, jitter="decorrelated", cap_on="delay", **go),
        count=5,
    )
    js = {"cap": 100 * MS}
    yield sequence(
        "js-exponential", "JavaScript port: no jitter, base 10 ms, cap 100 ms", exponential(10 * MS, **js), count=10
    )
    yield sequence(
        "js-full",
        "JavaScript port: full jitter, base 10 ms, cap 100 ms",
        exponential(10 * MS, jitter="full", **js),
        count=10,
    )
    yield sequence(
        "js-equal",
        "JavaScript port: equal jitter, base 10 ms, cap 100 ms",
        exponential(10 * MS, jitter="equal", **js),
        count=10,
    )
    yield sequence(
        "js-decorrelated",
        "JavaScript port: decorrelated jitter, base 10 ms, cap 100 ms",
        exponential(10 * MS, jitter="decorrelated", cap_on="delay", **js),
        count=10,
    )
    yield sequence(
        "ts-full",
        "TypeScript port: retryWithFullJitter, base 100 ms, cap 10000 ms, 6 attempts",
        exponential(100 * MS, cap=10_000 * MS, jitter="full"),
        count=5,
    )
    yield sequence("ts-fixed", "TypeScript article: fixed delay of 100 ms", constant(100 * MS), count=5)
    yield sequence(
        "ts-aws-sdk",
        "TypeScript article: AWS SDK, min(20 s, U(0,1) * 2^attempt)",
        exponential(S, cap=20 * S, cap_on="delay", jitter="full"),
        count=8,
    )
    google = {"cap_on": "delay", "jitter": "additive", "jitter_max": 1000 * MS}
    yield sequence(
        "google-cloud-32", "Google Cloud: min(2^n + random ms, 32 s)", exponential(S, cap=32 * S, **google), count=8
    )
    yield sequence(
        "google-cloud-64", "Google Cloud: min(2^n + random ms, 64 s)", exponential(S, cap=64 * S, **google), count=8
    )
    yield sequence(
        "ethernet",
        "Ethernet: r slots of 51.2 us, r in 0..2^min(n,10)-1, 16 attempts",
        exponential(102_400, cap=52_428_800, jitter="slotted", jitter_slot=51_200),
        count=15,
    )
    yield sequence(
        "cenkalti-v4",
        "cenkalti/backoff v4: 500 ms, factor 0.5, multiplier 1.5, 60 s",
        exponential(
            500 * MS, multiplier=(3, 2), cap=60 * S, jitter="proportional", jitter_below=(1, 2), jitter_above=(1, 2)
        ),
        count=10,
    )
    yield sequence(
        "cenkalti-v4-windows",
        "cenkalti/backoff v4: its table of intervals, before the random factor",
        exponential(500 * MS, multiplier=(3, 2), cap=60 * S),
        count=10,
    )
    yield sequence(
        "aws-general-reference", "AWS general reference: no jitter, 2^retries * 100 ms", exponential(100 * MS), count=10
    )
    yield sequence(
        "aws-blog-simulator",
        "AWS blog's simulator: full jitter, 5 ms * 2^n from n = 1, cap 2000 ms",
        exponential(10 * MS, cap=2000 * MS, jitter="full"),
        count=10,
    )


def reset_cases():
    def parts(id, why, policy, asked, seed=42, key=b"job-1"):
        iterator = sequences.Iterator(policies.policy(policy), streams.stream(seed, key))
        runs = []
        for count in asked:
            runs.append([str(delay) for delay in iterator.take(count)])
            iterator.reset()
        return {
            "id": id,
            "why": why,
            "policy": dump(policy),
            "seed": str(seed),
            "key": None if key is None else key.hex(),
            "asked": asked,
            "runs": runs,
            "stream": str(iterator.stream),
        }

    full = exponential(100 * MS, cap=20 * S, jitter="full")
    yield parts("full", "a reset never repeats a draw", full, [3, 3, 3])
    yield parts("at-once", "a reset before the first delay changes nothing", full, [0, 2, 0, 0, 2])
    yield parts("prefetched", "draws that were prefetched and not returned do not count", full, [1, 65, 1])
    yield parts(
        "decorrelated",
        "the previous delay is forgotten",
        exponential(100 * MS, cap=20 * S, jitter="decorrelated"),
        [5, 5],
    )
    yield parts("fibonacci", "the growth restarts", fibonacci(S, jitter="equal"), [6, 6])
    yield parts("none", "every index consumes one draw, also without jitter", exponential(S), [4, 2])
    yield parts("seed-wraps", "the stream wraps", full, [2, 2], seed=2**64 - 1, key=None)

    # 9.1: the end
    three = exponential(100 * MS, cap=20 * S, jitter="full", max_retries=3)
    yield parts("end", "the iterator ends after max_retries delays, and again after a reset", three, [3, 5, 3])
    yield parts("end-inside", "resets before the end, at the end and after it", three, [2, 3, 4, 1, 9])
    yield parts("end-zero", "no delay, and a reset that advances nothing", constant(S, max_retries=0), [1, 0, 2])
    yield parts("end-one", "one delay", fibonacci(S, jitter="equal", max_retries=1), [2, 1, 3])
    yield parts("end-max_attempts", "3 attempts have 2 waits", exponential(S, jitter="full", max_attempts=3), [3, 2, 5])
    yield parts("end-max_attempts-one", "1 attempt has no wait", constant(S, max_attempts=1), [1, 1])
    yield parts(
        "end-max_elapsed", "max_elapsed does not end an iterator", constant(S, jitter="full", max_elapsed=1), [4, 4]
    )
    yield parts(
        "end-max_elapsed-zero",
        "max_retries ends it, whatever max_elapsed is",
        constant(S, jitter="full", max_retries=2, max_elapsed=0),
        [3, 3],
    )
    yield parts(
        "end-decorrelated",
        "the end of a chain, and a new one from the base",
        exponential(100 * MS, cap=20 * S, jitter="decorrelated", max_retries=4),
        [6, 4, 5],
    )
    yield parts(
        "end-prefetched",
        "the end is beyond the draws that are prefetched at once",
        exponential(100 * MS, cap=20 * S, jitter="full", max_retries=65),
        [64, 66, 65],
    )
    yield parts("end-none", "2^32 retries are no limit", exponential(S, max_retries=LAST + 1), [5, 2])
