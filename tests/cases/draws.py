"""Draws, streams and samples (SPEC 2 to 4)."""

from reference import numbers, streams

from cases.sequences import sequence

MAX, WORD = numbers.MAX, numbers.WORD
LAST = 2**32 - 1
WORDS = [0, 1, 42, 2**63, 2**64 - 1, numbers.G]


def draw_cases():
    why = {
        0: "seed 0, which some generators reject",
        1: "the smallest seed above 0",
        42: "the seed of this project's examples",
        2**63: "the highest bit alone: negative as a signed number",
        2**64 - 1: "the largest seed: the addition wraps",
        numbers.G: "one step of the sequence: its draws are those of seed 0, shifted by one",
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
        ("job-2", b"job-2", "a key that differs in one character"),
        ("seven", b"1234567", "the longest key of one word"),
        ("eight", b"12345678", "exactly one word: the last word holds only the length"),
        ("nine", b"123456789", "one byte in the second word"),
        ("uuid", b"6ba7b810-9dad-11d1-80b4-00c04fd430c8", "a UUID as text"),
        ("utf-8", "Auftrag-ä-任务-🚀".encode(), "text as UTF-8, with characters of 2, 3 and 4 bytes"),
        ("composed", "caf\u00e9".encode(), "an accent within its letter"),
        ("decomposed", "cafe\u0301".encode(), "the same text with an accent of its own is another key"),
        ("nul", b"a\0b", "a zero byte does not end a key"),
        ("high", bytes([255] * 16), "bytes that are not UTF-8"),
        ("128-bytes", bytes(range(128)), "the length byte has only its highest bit set"),
        ("200-bytes", b"key-" * 50, "a length byte above 127"),
        ("long", bytes(range(256)), "the length byte of SipHash wraps to 0"),
    ]
    endless = ("endless", b"key " * 1250, "longer than the buffer of any binding")
    for seed in (0, 42, 2**64 - 1):
        for id, key, why in [*keys, endless] if seed == 42 else keys:
            yield {
                "id": f"seed-{seed}-key-{id}",
                "why": why,
                "seed": str(seed),
                "key": None if key is None else key.hex(),
                "stream": str(streams.stream(seed, key)),
            }
    # The first sum of SipHash is the seed XOR one constant, plus another one.
    seed = (2**32 - 0x1A100607) ^ 0x70736575
    why = "the low half of the first sum of SipHash is exactly 2^32"
    yield {"id": "carry", "why": why, "seed": str(seed), "key": "", "stream": str(streams.stream(seed, b""))}


def sample_cases():
    """A constant window with additive jitter samples any range: base to base + jitter_max."""
    draws = [
        ("least", 0, "the smallest draw gives the low end"),
        ("greatest", 2**64 - 1, "the largest draw gives the high end"),
        ("half", 2**63, "the middle"),
        ("below-half", 2**63 - 1, "just below the middle"),
        ("third", 2**64 // 3, "a draw that no power of two divides"),
    ]
    ranges = [
        ("one", 7, 7, "a range of one value gives that value, not 0"),
        ("two", 0, 1, "the smallest range with a choice"),
        ("six", 5, 10, "a range that does not begin at 0"),
        ("power", 0, 2**32 - 1, "2^32 values: the high bits of the draw count"),
        ("safe", 2**53, 2**54, "above the exact integers of a double"),
        ("widest", 0, MAX, "2^63 values: the product needs 127 bits"),
        ("top", MAX - 1, MAX, "the top of the range of durations"),
    ]
    for range_id, low, high, range_why in ranges:
        for draw_id, word, draw_why in draws:
            seed = seed_for(word)
            assert numbers.draw(seed, 0) == word
            policy = {"growth": "constant", "base": low, "jitter": "additive", "jitter_max": high - low}
            yield sequence(f"{range_id}-{draw_id}", f"{range_why}; {draw_why}", policy, seed=seed, key=None, count=1)


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
