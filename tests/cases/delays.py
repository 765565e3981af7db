"""Draws, streams and delays (SPEC 2 to 7, 9)."""

from reference import delays, fields, numbers, policies, streams

from cases.policies import constant, dump, exponential, fibonacci, linear, polynomial

MAX = numbers.MAX
MS, S = 10**6, 10**9
LAST = 2**32 - 1
WORDS = [0, 1, 42, 2**63, 2**64 - 1, numbers.G]


def sequence(id, why, policy, *, seed=42, key=b"job-1", first=0, count=10):
    checked, stream = policies.policy(policy), streams.stream(seed, key)
    indices = range(first, first + count)
    return {
        "id": id,
        "why": why,
        "policy": dump(policy),
        "seed": str(seed),
        "key": None if key is None else key.hex(),
        "first": first,
        "windows": [str(delays.window(checked, i)) for i in indices],
        "delays": [str(delays.delay(checked, stream, i)) for i in indices],
    }


def seed_for(word):
    """The seed whose draw of index 0 is the word: the mixer undone."""

    def unshift(z, by):
        x = z
        for _ in range(64 // by):
            x = z ^ (x >> by)
        return x

    z = unshift(word, 31)
    z = unshift(z * pow(0x94D049BB133111EB, -1, numbers.WORD) % numbers.WORD, 27)
    z = unshift(z * pow(0xBF58476D1CE4E5B9, -1, numbers.WORD) % numbers.WORD, 30)
    return (z - numbers.G) % numbers.WORD


def draw_cases():
    why = {
        0: "the seed that weaker generators cannot take",
        1: "the smallest step from 0",
        42: "the seed of this project's examples",
        2**63: "the highest bit alone: a signed number goes negative",
        2**64 - 1: "the largest seed: the addition wraps",
        numbers.G: "a whole step of the sequence: its draws are those of seed 0, one on",
    }
    for stream in WORDS:
        for index in (0, 1, 2, 4095, 2**31, LAST):
            yield {
                "id": f"stream-{stream}-index-{index}",
                "why": f"{why[stream]}; index {index}",
                "stream": str(stream),
                "index": index,
                "draw": str(numbers.draw(stream, index)),
            }


def stream_cases():
    keys = [
        ("none", None, "no key: the stream is the seed"),
        ("empty", b"", "an empty key is a key"),
        ("job-1", b"job-1", "a short key: one word of SipHash"),
        ("job-2", b"job-2", "its neighbour, unlike it in every bit"),
        ("seven", b"1234567", "the longest key of one word"),
        ("eight", b"12345678", "exactly a word: the last word holds the length alone"),
        ("nine", b"123456789", "one byte into the second word"),
        ("uuid", b"6ba7b810-9dad-11d1-80b4-00c04fd430c8", "a UUID in text"),
        (
            "utf-8",
            "Auftrag-ä-任务-🚀".encode(),
            "text is its UTF-8, with 2, 3 and 4 bytes a letter",
        ),
        ("nul", b"a\0b", "a zero byte does not end a key"),
        ("high", bytes([255] * 16), "bytes that are not UTF-8"),
        ("long", bytes(range(256)), "the length byte of SipHash wraps to 0"),
    ]
    endless = ("endless", b"key " * 1250, "longer than what any binding hands over at once")
    for seed in (0, 42, 2**64 - 1):
        for id, key, why in [*keys, endless] if seed == 42 else keys:
            yield {
                "id": f"seed-{seed}-key-{id}",
                "why": why,
                "seed": str(seed),
                "key": None if key is None else key.hex(),
                "stream": str(streams.stream(seed, key)),
            }


def sample_cases():
    """A constant window with additive jitter samples any range: base to base + jitter_max."""
    draws = [
        ("least", 0, "the smallest draw gives the low end"),
        ("greatest", 2**64 - 1, "the largest draw gives the high end, which is in the range"),
        ("half", 2**63, "the middle"),
        ("below-half", 2**63 - 1, "just below the middle"),
        ("third", 2**64 // 3, "a draw that no power of two divides"),
    ]
    ranges = [
        ("one", 7, 7, "a range of one value: it, not 0"),
        ("two", 0, 1, "both ends of the smallest choice"),
        ("six", 5, 10, "neither end is 0"),
        ("power", 0, 2**32 - 1, "2^32 values: the high bits of the draw"),
        ("safe", 2**53, 2**54, "beyond the integers of a double"),
        ("widest", 0, MAX, "2^63 values: the product needs 127 bits"),
        ("top", MAX - 1, MAX, "the end of the longest range"),
    ]
    for range_id, low, high, range_why in ranges:
        for draw_id, word, draw_why in draws:
            seed = seed_for(word)
            assert numbers.draw(seed, 0) == word
            policy = constant(low, jitter="additive", jitter_max=high - low)
            yield sequence(
                f"{range_id}-{draw_id}",
                f"{range_why}; {draw_why}",
                policy,
                seed=seed,
                key=None,
                count=1,
            )


def growth_cases():
    yield sequence("constant", "the same window for ever", constant(500 * MS))
    yield sequence("constant-zero", "no wait at all", constant(0))
    yield sequence("constant-longest", "the longest duration there is", constant(MAX))
    yield sequence("constant-one", "the shortest", constant(1))
    yield sequence("linear", "the increment is the base unless given", linear(2 * S))
    yield sequence("linear-increment", "an increment of its own", linear(S, increment=250 * MS))
    yield sequence("linear-flat", "an increment of 0 given is not one left out", linear(S, increment=0))
    yield sequence("linear-from-zero", "base 0: the increment alone", linear(0, increment=S))
    yield sequence("linear-saturates", "past the longest duration it stays", linear(MAX // 4))
    yield sequence("linear-last", "the product overflows 64 bits", linear(MAX, cap=MAX), first=LAST - 4, count=5)
    yield sequence("exponential", "the multiplier is 2 unless given", exponential(100 * MS), count=12)
    yield sequence(
        "exponential-grpc", "gRPC's 1.6, a third of which no double holds", exponential(S, multiplier=(8, 5)), count=20
    )
    yield sequence(
        "exponential-three-halves",
        "cenkalti's 1.5, floored at each step",
        exponential(500 * MS, multiplier=(3, 2)),
        count=20,
    )
    yield sequence(
        "exponential-floors",
        "odd windows: floor(3/2 x) at each step is not floor(base * 1.5^i)",
        exponential(3, multiplier=(3, 2)),
        count=40,
    )
    yield sequence("exponential-unreduced", "16/10 is 8/5", exponential(S, multiplier=(16, 10)), count=8)
    yield sequence(
        "exponential-huge-terms",
        "terms are limited in lowest terms",
        exponential(S, multiplier=(4_000_000_000, 2_000_000_000)),
        count=8,
    )
    yield sequence("exponential-one", "a multiplier of 1 is constant", exponential(S, multiplier=(1, 1)), count=4)
    yield sequence(
        "exponential-one-last", "and no loop of 2^32 steps", exponential(S, multiplier=(7, 7)), first=LAST, count=1
    )
    yield sequence(
        "exponential-slowest",
        "the multiplier that takes the most steps to the end",
        exponential(100, multiplier=(101, 100)),
        first=4000,
        count=3,
    )
    yield sequence(
        "exponential-slowest-end", "and its end", exponential(100, multiplier=(101, 100)), first=LAST, count=1
    )
    yield sequence("exponential-steepest", "the largest multiplier", exponential(1, multiplier=(1_000_000, 1)), count=6)
    yield sequence(
        "exponential-finest", "the largest terms", exponential(10**9 + 7, multiplier=(999_999, 499_999)), count=12
    )
    yield sequence(
        "exponential-least-base", "the smallest base that 1.5 grows", exponential(2, multiplier=(3, 2)), count=6
    )
    yield sequence(
        "exponential-least-base-rounded",
        "one more than a base that stalls",
        exponential(34, multiplier=(103, 100)),
        count=6,
    )
    yield sequence("exponential-zero", "0 times anything is 0", exponential(0), count=3)
    yield sequence(
        "exponential-overflow-54",
        "2^54 ms overflowed the Go article's int",
        exponential(1000 * MS, cap=10_000 * MS),
        first=50,
        count=10,
    )
    yield sequence("exponential-overflow-64", "a shift by 64 or more is not 0", exponential(1), first=60, count=10)
    yield sequence("exponential-saturates", "growth past the longest duration stays there", exponential(2**62), count=4)
    yield sequence("exponential-last", "index 2^32 - 1", exponential(100 * MS, cap=20 * S), first=LAST, count=1)
    yield sequence("polynomial", "(i + 1)^2 unless given otherwise", polynomial(S))
    yield sequence("polynomial-river", "River: (i + 1)^4 seconds", polynomial(S, power=4), count=25)
    yield sequence(
        "polynomial-sidekiq",
        "Sidekiq: i^4 + 15 seconds, so origin 0",
        polynomial(S, power=4, origin=0, offset=15 * S),
        count=25,
    )
    yield sequence("polynomial-cube", "an odd power", polynomial(7, power=3, origin=5))
    yield sequence("polynomial-linear", "power 1, origin 0: first window 0", polynomial(S, power=1, origin=0))
    yield sequence("polynomial-saturates", "the power overflows 64 bits", polynomial(1, power=16), first=10, count=10)
    yield sequence(
        "polynomial-base-saturates",
        "the product overflows where the power does not",
        polynomial(2**40, power=2),
        first=2**12 - 3,
        count=6,
    )
    yield sequence(
        "polynomial-last", "the largest index and origin", polynomial(1, power=1, origin=LAST), first=LAST, count=1
    )
    yield sequence(
        "polynomial-last-squared", "2^66 in 64 bits", polynomial(1, power=2, origin=LAST), first=LAST, count=1
    )
    yield sequence("fibonacci", "1, 1, 2, 3, 5, 8", fibonacci(S), count=12)
    yield sequence("fibonacci-saturates", "F(92) is above 2^63", fibonacci(1), first=85, count=12)
    yield sequence("fibonacci-zero", "0 stays 0", fibonacci(0), count=3)
    yield sequence("fibonacci-last", "index 2^32 - 1", fibonacci(1, cap=S), first=LAST, count=1)
    yield sequence("offset", "an offset is added to every window", exponential(2 * S, offset=15 * S))
    yield sequence("offset-saturates", "the sum overflows", constant(MAX, offset=MAX), count=2)
    yield sequence("offset-capped", "the offset is under the cap", exponential(S, offset=3 * S, cap=10 * S), count=6)


def jitter_cases():
    base = exponential(100 * MS, cap=20 * S)
    yield sequence("none", "the window itself", {**base, "jitter": "none"})
    yield sequence("full", "0 to the window; stays random at the cap", {**base, "jitter": "full"}, count=20)
    yield sequence("full-seed-only", "without a key", {**base, "jitter": "full"}, key=None)
    yield sequence("equal", "the half that is always waited is rounded up", {**base, "jitter": "equal"}, count=20)
    for window in (0, 1, 2, 3):
        yield sequence(f"equal-{window}", "halves of the smallest windows", constant(window, jitter="equal"), count=8)
        yield sequence(f"full-{window}", "the smallest windows", constant(window, jitter="full"), count=8)
    yield sequence(
        "proportional",
        "plus and minus a fifth",
        exponential(S, multiplier=(8, 5), cap=120 * S, jitter="proportional", jitter_below=(1, 5), jitter_above=(1, 5)),
        count=20,
    )
    yield sequence(
        "proportional-below", "only shorter", constant(S, jitter="proportional", jitter_below=(1, 5)), count=8
    )
    yield sequence(
        "proportional-above",
        "only longer, as in Kubernetes",
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
        "parts of 0 given are not parts left out",
        constant(S, jitter="proportional", jitter_below=(0, 1), jitter_above=(0, 7)),
        count=3,
    )
    yield sequence(
        "proportional-thirds",
        "a part that no decimal holds",
        constant(10, jitter="proportional", jitter_below=(1, 3), jitter_above=(2, 3)),
        count=12,
    )
    yield sequence(
        "proportional-cut",
        "a part of a nanosecond is floored",
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
        "additive", "a constant width above the window", exponential(S, cap=32 * S, jitter="additive", jitter_max=S)
    )
    yield sequence(
        "additive-grows",
        "Sidekiq: the width grows with the retry",
        polynomial(S, power=4, origin=0, offset=15 * S, jitter="additive", jitter_max=10 * S, jitter_increment=10 * S),
        count=25,
    )
    yield sequence("additive-zero", "a width of 0 given", constant(S, jitter="additive", jitter_max=0), count=3)
    yield sequence(
        "additive-saturates",
        "the width saturates",
        constant(1, jitter="additive", jitter_max=MAX, jitter_increment=MAX),
        first=LAST - 2,
        count=3,
    )
    yield sequence(
        "decorrelated",
        "AWS as written: three times the last delay, capped after",
        {**base, "jitter": "decorrelated", "cap_on": "delay"},
        count=20,
    )
    yield sequence(
        "decorrelated-window",
        "the range is capped, so no delay gathers at the cap",
        {**base, "jitter": "decorrelated"},
        count=20,
    )
    yield sequence(
        "decorrelated-multiplier",
        "another multiplier than 3",
        exponential(100 * MS, multiplier=(8, 5), cap=20 * S, jitter="decorrelated"),
        count=20,
    )
    yield sequence(
        "decorrelated-base-is-cap", "a range of one value", exponential(S, cap=S, jitter="decorrelated"), count=3
    )
    yield sequence("decorrelated-zero", "0 times 3 is 0", exponential(0, jitter="decorrelated"), count=3)
    yield sequence(
        "decorrelated-beyond-doubles",
        "a previous delay that no double holds",
        exponential(2**53 + 1, jitter="decorrelated"),
        count=12,
    )
    yield sequence(
        "decorrelated-restart",
        "starts again from the base at 4096",
        {**base, "jitter": "decorrelated"},
        first=4093,
        count=6,
    )
    yield sequence(
        "decorrelated-last", "index 2^32 - 1 in bounded steps", {**base, "jitter": "decorrelated"}, first=LAST, count=1
    )
    yield sequence(
        "slotted-ethernet",
        "IEEE 802.3 at 10 Mb/s: r slots, r below 2^min(n, 10)",
        exponential(102_400, cap=52_428_800, jitter="slotted", jitter_slot=51_200),
        count=15,
    )
    yield sequence(
        "slotted-remainder",
        "a window that is no whole number of slots",
        constant(10, jitter="slotted", jitter_slot=3),
        count=8,
    )
    yield sequence(
        "slotted-long-slot",
        "a slot longer than the window: no slot is waited",
        constant(10, jitter="slotted", jitter_slot=11),
        count=3,
    )
    yield sequence("slotted-zero", "a window of 0", constant(0, jitter="slotted", jitter_slot=1), count=2)
    yield sequence(
        "slotted-saturates",
        "a floor above the last slot",
        constant(MAX, floor=MAX, jitter="slotted", jitter_slot=2**62),
        count=2,
    )
    yield sequence(
        "draw-index-kept",
        "without jitter the draws are counted all the same",
        {**base, "jitter": "full"},
        first=7,
        count=3,
    )


def cap_cases():
    spread = {"jitter": "proportional", "jitter_below": (1, 2), "jitter_above": (1, 2)}
    for cap_on in fields.KINDS["cap_on"]:
        more = {"cap_on": cap_on}
        yield sequence(
            f"full-{cap_on}",
            "the old AWS SDK caps the delay: delays gather at 20 s",
            exponential(S, cap=20 * S, jitter="full", **more),
            count=30,
        )
        yield sequence(
            f"equal-{cap_on}",
            "half of the capped window, or half of the whole one",
            exponential(S, cap=20 * S, jitter="equal", **more),
            count=12,
        )
        yield sequence(
            f"proportional-{cap_on}",
            "cenkalti goes above its maximum, Resilience4j does not",
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
            f"none-{cap_on}", "the cap is what every client waits", exponential(S, cap=5 * S, **more), count=6
        )
        yield sequence(
            f"decorrelated-{cap_on}",
            "the cap on the range, or on the delay",
            exponential(5 * MS, cap=2 * S, jitter="decorrelated", **more),
            count=20,
        )
        yield sequence(
            f"fibonacci-{cap_on}",
            "growth goes on under a cap on the delay",
            fibonacci(S, cap=10 * S, jitter="full", **more),
            count=10,
        )
        yield sequence(
            f"cap-is-base-{cap_on}",
            "a cap equal to the base is not below it",
            exponential(S, cap=S, jitter="full", **more),
            count=4,
        )
        yield sequence(
            f"cap-zero-{cap_on}",
            "base and cap 0: 0 is a cap, not its absence",
            exponential(0, cap=0, jitter="full", **more),
            count=3,
        )
        yield sequence(
            f"saturated-{cap_on}",
            "growth past 2^63 before the cap: no overflow, no hot loop",
            exponential(100 * MS, cap=20 * S, jitter="equal", **more),
            first=60,
            count=8,
        )
        yield sequence(
            f"saturated-last-{cap_on}",
            "and at the last index",
            exponential(100 * MS, multiplier=(8, 5), cap=20 * S, jitter="full", **more),
            first=LAST,
            count=1,
        )
    for jitter in ("none", "full", "equal"):
        for floor in (0, 150 * MS, S):
            yield sequence(
                f"floor-{floor}-{jitter}",
                "a floor of nothing, inside the range, above it",
                exponential(100 * MS, cap=S, floor=floor, jitter=jitter),
                count=6,
            )
    yield sequence("floor-gax", "gax: 1 ns to the window", exponential(S, cap=30 * S, floor=1, jitter="full"))
    yield sequence(
        "floor-proportional", "the range above the floor is sampled, not clamped", constant(S, floor=900 * MS, **spread)
    )
    yield sequence(
        "floor-additive",
        "the floor inside an additive range",
        constant(S, floor=1500 * MS, jitter="additive", jitter_max=S),
    )
    yield sequence(
        "floor-additive-above",
        "a range below the floor becomes the floor",
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
        "no slot of the window reaches the floor",
        constant(1000, cap=5000, floor=2001, jitter="slotted", jitter_slot=100),
        count=3,
    )
    yield sequence(
        "floor-is-cap", "floor equal to cap: one value", exponential(S, cap=8 * S, floor=8 * S, jitter="full"), count=3
    )
    yield sequence("widest", "0 to 2^63 - 1: the delay is half the draw", constant(MAX, jitter="full"), count=4)


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
    def parts(id, why, policy, counts, seed=42, key=b"job-1"):
        checked, stream = policies.policy(policy), streams.stream(seed, key)
        runs = []
        for count in counts:
            runs.append([str(delays.delay(checked, stream, i)) for i in range(count)])
            stream = numbers.advance(stream, count)
        return {
            "id": id,
            "why": why,
            "policy": dump(policy),
            "seed": str(seed),
            "key": None if key is None else key.hex(),
            "runs": runs,
            "stream": str(stream),
        }

    full = exponential(100 * MS, cap=20 * S, jitter="full")
    yield parts("full", "a reset never repeats a draw", full, [3, 3, 3])
    yield parts("at-once", "a reset before the first delay changes nothing", full, [0, 2, 0, 0, 2])
    yield parts("prefetched", "draws fetched ahead and not taken do not count", full, [1, 65, 1])
    yield parts(
        "decorrelated",
        "the previous delay is forgotten",
        exponential(100 * MS, cap=20 * S, jitter="decorrelated"),
        [5, 5],
    )
    yield parts("fibonacci", "the growth starts again", fibonacci(S, jitter="equal"), [6, 6])
    yield parts("none", "without jitter the draws are counted all the same", exponential(S), [4, 2])
    yield parts("seed-wraps", "the stream wraps", full, [2, 2], seed=2**64 - 1, key=None)
