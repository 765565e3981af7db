"""Windows of each growth (SPEC 5)."""

from reference.numbers import MAX

from cases.sequences import sequences

LAST = 2**32 - 1


def growth_cases():
    return sequences(GROWTHS)


GROWTHS = f"""
constant | constant:base=500ms | the same window at every index
constant-zero | constant:base=0 | no wait at all
constant-longest | constant:base={MAX} | the longest duration there is
constant-one | constant:base=1 | the shortest duration above 0
linear | linear:base=2s | the default increment is the base
linear-increment | linear:base=1s,increment=250ms | an increment that differs from the base
linear-flat | linear:base=1s,increment=0 | an increment of 0 is not a missing one
linear-from-zero | linear:base=0,increment=1s | base 0 leaves the increment
linear-saturates | linear:base=2305843009213693951 | growth stays at the longest duration
linear-last | linear:base={MAX},cap={MAX} | the product overflows 64 bits | 5 from 4294967291
linear-wraps | linear:base=1s,increment=8589934592 |
  increment * i reaches 2^64 exactly, and then a little more | 5 from 2147483646
linear-wraps-last | linear:base=1s,increment=4294967297 |
  increment * i is a multiple of 2^64 plus a small number | 1 from {LAST}
exponential | exponential:base=100ms | the default multiplier is 2 | 12
exponential-grpc | exponential:base=1s,multiplier=8/5 | gRPC's 1.6, which no double represents exactly | 20
exponential-three-halves | exponential:base=500ms,multiplier=3/2 | cenkalti's 1.5, rounded down at each step | 20
exponential-floors | exponential:base=3,multiplier=3/2 |
  odd windows: floor(3/2 x) at each step is not floor(base * 1.5^i) | 40
exponential-fraction-saturates | exponential:base=5000000000000000000,multiplier=9/2,cap={MAX} |
  a fraction of a window overflows 64 bits
exponential-unreduced | exponential:base=1s,multiplier=16/10 | 16/10 equals 8/5 | 8
exponential-huge-terms | exponential:base=1s,multiplier=4000000000/2000000000 |
  large terms are allowed if they reduce | 8
exponential-one | exponential:base=1s,multiplier=1/1 | a multiplier of 1 is constant growth | 4
exponential-one-last | exponential:base=1s,multiplier=7/7 | the last index does not take 2^32 steps | 1 from {LAST}
exponential-slowest | exponential:base=100,multiplier=101/100 |
  the multiplier and base that take the most steps to the maximum | 3 from 4000
exponential-slowest-end | exponential:base=100,multiplier=101/100 | the last index of the slowest growth | 1 from {LAST}
exponential-floors-64 | exponential:base=1s,multiplier=101/100 |
  rounded down at each step, far from the first index, too | 3 from 64
exponential-floors-200 | exponential:base=1s,multiplier=101/100 |
  rounded down at each step, far from the first index, too | 3 from 200
exponential-floors-500 | exponential:base=1s,multiplier=101/100 |
  rounded down at each step, far from the first index, too | 3 from 500
exponential-slowest-top | exponential:base=100,multiplier=101/100 |
  the last windows below the longest duration, and the first that reach it | 6 from 3979
exponential-steepest | exponential:base=1,multiplier=1000000/1 | the largest multiplier | 6
exponential-finest | exponential:base=1000000007,multiplier=999999/499999 | the largest terms | 12
exponential-least-base | exponential:base=2,multiplier=3/2 | the smallest base that grows with 1.5 | 6
exponential-least-base-rounded | exponential:base=34,multiplier=103/100 |
  one nanosecond more than a base that stalls | 6
exponential-zero | exponential:base=0 | base 0 stays 0 | 3
exponential-overflow-54 | exponential:base=1s,cap=10s | 2^54 ms overflowed the Go article's int | 10 from 50
exponential-overflow-64 | exponential:base=1 | 2^64 and more does not wrap to 0 | 10 from 60
exponential-saturates | exponential:base=4611686018427387904 | growth past the longest duration stays there | 4
exponential-last | exponential:base=100ms,cap=20s | index 2^32 - 1 | 1 from {LAST}
polynomial | polynomial:base=1s | the default is (i + 1)^2
polynomial-river | polynomial:base=1s,power=4 | River: (i + 1)^4 seconds | 25
polynomial-sidekiq | polynomial:base=1s,power=4,origin=0,offset=15s | Sidekiq: i^4 + 15 seconds, so origin 0 | 25
polynomial-cube | polynomial:base=7,power=3,origin=5 | an odd power
polynomial-linear | polynomial:base=1s,power=1,origin=0 | power 1 and origin 0: the first window is 0
polynomial-saturates | polynomial:base=1,power=16 | the power overflows 64 bits | 10 from 10
polynomial-base-saturates | polynomial:base=1099511627776,power=2 |
  the product overflows where the power does not | 6 from 4093
polynomial-last | polynomial:base=1,power=1,origin=4294967295 | the largest index and origin | 1 from {LAST}
polynomial-last-squared | polynomial:base=1,power=2,origin=4294967295 | a power of 2^66 | 1 from {LAST}
fibonacci | fibonacci:base=1s | 1, 1, 2, 3, 5, 8 | 12
fibonacci-saturates | fibonacci:base=1 | F(92) is above 2^63 | 12 from 85
fibonacci-zero | fibonacci:base=0 | base 0 stays 0 | 3
fibonacci-last | fibonacci:base=1,cap=1s | index 2^32 - 1 | 1 from {LAST}
steps | steps:waits=5s/5m/30m/2h/5h/10h | the windows of webhooks, and then the last one | 9
steps-one | steps:waits=1s | one wait
steps-sixteen | steps:waits=1s/2s/3s/4s/5s/6s/7s/8s/9s/10s/11s/12s/13s/14s/15s/16s | the most waits | 18
steps-down | steps:waits=5s/0/1s | waits may get shorter, and be 0 | 5
steps-zero | steps:waits=0 | no wait at all
steps-equal | steps:waits=1s/1s/2s | two equal waits are two | 5
steps-longest | steps:waits=1/{MAX} | the longest duration there is | 3
steps-last | steps:waits=1s/2s/3s | the last index | 1 from {LAST}
steps-from | steps:waits=1s/2s/3s | windows from an index on | 3 from 1
steps-offset | steps:waits=1s/2s,offset=10s | an offset is added to every wait | 3
steps-offset-saturates | steps:waits=1/{MAX},offset=2 | a wait plus the offset overflows | 3
steps-capped | steps:waits=1s/5s/2s/9s,cap=3s | the cap cuts waits | 5
steps-cap-zero | steps:waits=1s,cap=0 | a cap below the first wait | 2
offset | exponential:base=2s,offset=15s | an offset is added to every window
offset-saturates | constant:base={MAX},offset={MAX} | base plus offset overflows | 2
offset-capped | exponential:base=1s,offset=3s,cap=10s | the cap includes the offset | 6
"""
