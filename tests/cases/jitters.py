"""Delays of each jitter (SPEC 6)."""

from reference.numbers import MAX

from cases.sequences import sequence, sequences
from cases.table import policy

LAST = 2**32 - 1


def jitter_cases():
    yield from sequences(FIRST)
    yield sequence("full-seed-only", "without a key", policy("exponential:base=100ms,cap=20s,jitter=full"), key=None)
    yield from sequences(STEPS)
    yield from sequences(OTHERS)


FIRST = """
none | exponential:base=100ms,cap=20s,jitter=none | no jitter: the window itself
full | exponential:base=100ms,cap=20s,jitter=full | 0 to the window, also at the cap | 20
full-limits | exponential:base=100ms,cap=20s,jitter=full,max_retries=3,max_elapsed=1s |
  limits end an iterator, and affect no delay and no batch
"""
STEPS = """
steps-full | steps:waits=5s/5m/30m,jitter=full | jitter of each wait
steps-equal | steps:waits=5s/5m/30m,jitter=equal | jitter of each wait
steps-proportional | steps:waits=5s/5m/30m,jitter=proportional,jitter_below=1/10,jitter_above=1/10 | jitter of each wait
steps-additive | steps:waits=5s/5m/30m,jitter=additive,jitter_max=1s,jitter_increment=2s | the width grows with the index
steps-slotted | steps:waits=1s/0/7s,jitter=slotted,jitter_slot=300ms | slots of each wait
steps-cap-window | steps:waits=5s/5m/1s,cap=10s,jitter=full | a cap on the window
steps-cap-delay | steps:waits=5s/5m/1s,cap=10s,cap_on=delay,jitter=full | a cap on the delay
steps-floor | steps:waits=1s/10s/0,floor=5s,jitter=full | a floor above two waits
steps-offset | steps:waits=1s/2s,offset=1m,jitter=equal | an offset is part of the window
"""
OTHERS = f"""
equal | exponential:base=100ms,cap=20s,jitter=equal | the lower half is rounded up | 20
equal-0 | constant:base=0,jitter=equal | halves of the smallest windows | 8
full-0 | constant:base=0,jitter=full | the smallest windows | 8
equal-1 | constant:base=1,jitter=equal | halves of the smallest windows | 8
full-1 | constant:base=1,jitter=full | the smallest windows | 8
equal-2 | constant:base=2,jitter=equal | halves of the smallest windows | 8
full-2 | constant:base=2,jitter=full | the smallest windows | 8
equal-3 | constant:base=3,jitter=equal | halves of the smallest windows | 8
full-3 | constant:base=3,jitter=full | the smallest windows | 8
proportional | exponential:base=1s,multiplier=8/5,cap=120s,jitter=proportional,jitter_below=1/5,jitter_above=1/5 |
  plus or minus a fifth | 20
proportional-below | constant:base=1s,jitter=proportional,jitter_below=1/5 | only below the window | 8
proportional-above | exponential:base=10ms,multiplier=5/1,jitter=proportional,jitter_above=1/10 |
  only above the window, as in Kubernetes | 4
proportional-all | constant:base=1s,jitter=proportional,jitter_below=1/1,jitter_above=1/1 |
  from 0 to twice the window | 8
proportional-nothing | constant:base=1s,jitter=proportional,jitter_below=0/1,jitter_above=0/7 |
  ratios of 0 are not missing ones | 3
proportional-thirds | constant:base=10,jitter=proportional,jitter_below=1/3,jitter_above=2/3 |
  a ratio without a finite decimal | 12
proportional-cut | constant:base=4,jitter=proportional,jitter_below=1/5,jitter_above=1/5 |
  a fraction of a nanosecond is rounded down | 4
proportional-saturates | constant:base={MAX},jitter=proportional,jitter_below=0/1,jitter_above=1/1 |
  the upper end saturates | 3
additive | exponential:base=1s,cap=32s,jitter=additive,jitter_max=1s | a constant range above the window
additive-grows | polynomial:base=1s,power=4,origin=0,offset=15s,jitter=additive,jitter_max=10s,jitter_increment=10s |
  Sidekiq: the range grows with the index | 25
additive-zero | constant:base=1s,jitter=additive,jitter_max=0 | a range of one value | 3
additive-saturates | constant:base=1,jitter=additive,jitter_max={MAX},jitter_increment={MAX} |
  the upper end saturates | 3 from 4294967293
additive-wraps | constant:base=1s,jitter=additive,jitter_max=1s,jitter_increment=8589934592 |
  jitter_increment * i reaches 2^64 exactly, and then a little more | 5 from 2147483646
additive-wraps-last | constant:base=1s,jitter=additive,jitter_max=1s,jitter_increment=4294967297 |
  jitter_increment * i is a multiple of 2^64 plus a small number | 1 from {LAST}
decorrelated | exponential:base=100ms,cap=20s,jitter=decorrelated,cap_on=delay |
  as in the AWS article: up to three times the previous delay, then capped | 20
decorrelated-window | exponential:base=100ms,cap=20s,jitter=decorrelated |
  the cap limits the range, so delays do not accumulate at the cap | 20
decorrelated-multiplier | exponential:base=100ms,multiplier=8/5,cap=20s,jitter=decorrelated |
  a multiplier other than 3 | 20
decorrelated-base-is-cap | exponential:base=1s,cap=1s,jitter=decorrelated | a range of one value | 3
decorrelated-zero | exponential:base=0,jitter=decorrelated | base 0 stays 0 | 3
decorrelated-beyond-doubles | exponential:base=9007199254740993,jitter=decorrelated |
  a previous delay that no double represents exactly | 12
decorrelated-restart | exponential:base=100ms,cap=20s,jitter=decorrelated |
  the chain restarts from the base at index 4096 | 6 from 4093
decorrelated-restart-delay | exponential:base=100ms,cap=20s,jitter=decorrelated,cap_on=delay |
  the chain also restarts where the cap is on the delay | 2 from 4095
decorrelated-restart-second | exponential:base=100ms,cap=20s,jitter=decorrelated |
  the chain restarts again at index 8192 | 5 from 8190
decorrelated-last | exponential:base=100ms,cap=20s,jitter=decorrelated |
  index 2^32 - 1 takes a bounded number of steps | 1 from {LAST}
slotted-ethernet | exponential:base=102400,cap=52428800,jitter=slotted,jitter_slot=51200 |
  IEEE 802.3 at 10 Mb/s: r slots, r below 2^min(n, 10) | 15
slotted-remainder | constant:base=10,jitter=slotted,jitter_slot=3 | a window that is not a whole number of slots | 8
slotted-long-slot | constant:base=10,jitter=slotted,jitter_slot=11 | a slot longer than the window gives 0 slots | 3
slotted-zero | constant:base=0,jitter=slotted,jitter_slot=1 | a window of 0 | 2
slotted-saturates | constant:base={MAX},floor={MAX},jitter=slotted,jitter_slot=4611686018427387904 |
  a floor that is rounded up past the maximum | 2
draw-index-kept | exponential:base=100ms,cap=20s,jitter=full |
  every index consumes one draw, also without jitter | 3 from 7
"""
