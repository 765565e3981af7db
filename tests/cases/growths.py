"""Windows of each growth (SPEC 5)."""

from reference import numbers

from cases.policies import constant, exponential, fibonacci, linear, polynomial
from cases.sequences import sequence

MAX = numbers.MAX
MS, S = 10**6, 10**9
LAST = 2**32 - 1


def growth_cases():
    yield sequence("constant", "the same window at every index", constant(500 * MS))
    yield sequence("constant-zero", "no wait at all", constant(0))
    yield sequence("constant-longest", "the longest duration there is", constant(MAX))
    yield sequence("constant-one", "the shortest duration above 0", constant(1))
    yield sequence("linear", "the default increment is the base", linear(2 * S))
    yield sequence("linear-increment", "an increment that differs from the base", linear(S, increment=250 * MS))
    yield sequence("linear-flat", "an increment of 0 is not a missing one", linear(S, increment=0))
    yield sequence("linear-from-zero", "base 0 leaves the increment", linear(0, increment=S))
    yield sequence("linear-saturates", "growth stays at the longest duration", linear(MAX // 4))
    yield sequence("linear-last", "the product overflows 64 bits", linear(MAX, cap=MAX), first=LAST - 4, count=5)
    yield sequence(
        "linear-wraps",
        "increment * i reaches 2^64 exactly, and then a little more",
        linear(S, increment=2**33),
        first=2**31 - 2,
        count=5,
    )
    yield sequence(
        "linear-wraps-last",
        "increment * i is a multiple of 2^64 plus a small number",
        linear(S, increment=2**32 + 1),
        first=LAST,
        count=1,
    )
    yield sequence("exponential", "the default multiplier is 2", exponential(100 * MS), count=12)
    yield sequence(
        "exponential-grpc",
        "gRPC's 1.6, which no double represents exactly",
        exponential(S, multiplier=(8, 5)),
        count=20,
    )
    yield sequence(
        "exponential-three-halves",
        "cenkalti's 1.5, rounded down at each step",
        exponential(500 * MS, multiplier=(3, 2)),
        count=20,
    )
    yield sequence(
        "exponential-floors",
        "odd windows: floor(3/2 x) at each step is not floor(base * 1.5^i)",
        exponential(3, multiplier=(3, 2)),
        count=40,
    )
    yield sequence("exponential-unreduced", "16/10 equals 8/5", exponential(S, multiplier=(16, 10)), count=8)
    yield sequence(
        "exponential-huge-terms",
        "large terms are allowed if they reduce",
        exponential(S, multiplier=(4_000_000_000, 2_000_000_000)),
        count=8,
    )
    yield sequence(
        "exponential-one", "a multiplier of 1 is constant growth", exponential(S, multiplier=(1, 1)), count=4
    )
    yield sequence(
        "exponential-one-last",
        "the last index does not take 2^32 steps",
        exponential(S, multiplier=(7, 7)),
        first=LAST,
        count=1,
    )
    yield sequence(
        "exponential-slowest",
        "the multiplier and base that take the most steps to the maximum",
        exponential(100, multiplier=(101, 100)),
        first=4000,
        count=3,
    )
    yield sequence(
        "exponential-slowest-end",
        "the last index of the slowest growth",
        exponential(100, multiplier=(101, 100)),
        first=LAST,
        count=1,
    )
    for first in (64, 200, 500):
        yield sequence(
            f"exponential-floors-{first}",
            "rounded down at each step, far from the first index, too",
            exponential(S, multiplier=(101, 100)),
            first=first,
            count=3,
        )
    yield sequence(
        "exponential-slowest-top",
        "the last windows below the longest duration, and the first that reach it",
        exponential(100, multiplier=(101, 100)),
        first=3979,
        count=6,
    )
    yield sequence("exponential-steepest", "the largest multiplier", exponential(1, multiplier=(1_000_000, 1)), count=6)
    yield sequence(
        "exponential-finest", "the largest terms", exponential(10**9 + 7, multiplier=(999_999, 499_999)), count=12
    )
    yield sequence(
        "exponential-least-base", "the smallest base that grows with 1.5", exponential(2, multiplier=(3, 2)), count=6
    )
    yield sequence(
        "exponential-least-base-rounded",
        "one nanosecond more than a base that stalls",
        exponential(34, multiplier=(103, 100)),
        count=6,
    )
    yield sequence("exponential-zero", "base 0 stays 0", exponential(0), count=3)
    yield sequence(
        "exponential-overflow-54",
        "2^54 ms overflowed the Go article's int",
        exponential(1000 * MS, cap=10_000 * MS),
        first=50,
        count=10,
    )
    yield sequence("exponential-overflow-64", "2^64 and more does not wrap to 0", exponential(1), first=60, count=10)
    yield sequence("exponential-saturates", "growth past the longest duration stays there", exponential(2**62), count=4)
    yield sequence("exponential-last", "index 2^32 - 1", exponential(100 * MS, cap=20 * S), first=LAST, count=1)
    yield sequence("polynomial", "the default is (i + 1)^2", polynomial(S))
    yield sequence("polynomial-river", "River: (i + 1)^4 seconds", polynomial(S, power=4), count=25)
    yield sequence(
        "polynomial-sidekiq",
        "Sidekiq: i^4 + 15 seconds, so origin 0",
        polynomial(S, power=4, origin=0, offset=15 * S),
        count=25,
    )
    yield sequence("polynomial-cube", "an odd power", polynomial(7, power=3, origin=5))
    yield sequence("polynomial-linear", "power 1 and origin 0: the first window is 0", polynomial(S, power=1, origin=0))
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
        "polynomial-last-squared", "a power of 2^66", polynomial(1, power=2, origin=LAST), first=LAST, count=1
    )
    yield sequence("fibonacci", "1, 1, 2, 3, 5, 8", fibonacci(S), count=12)
    yield sequence("fibonacci-saturates", "F(92) is above 2^63", fibonacci(1), first=85, count=12)
    yield sequence("fibonacci-zero", "base 0 stays 0", fibonacci(0), count=3)
    yield sequence("fibonacci-last", "index 2^32 - 1", fibonacci(1, cap=S), first=LAST, count=1)
    yield sequence("offset", "an offset is added to every window", exponential(2 * S, offset=15 * S))
    yield sequence("offset-saturates", "base plus offset overflows", constant(MAX, offset=MAX), count=2)
    yield sequence("offset-capped", "the cap includes the offset", exponential(S, offset=3 * S, cap=10 * S), count=6)
