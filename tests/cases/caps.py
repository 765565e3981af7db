"""Caps and floors (SPEC 7)."""

from reference import fields
from reference.numbers import MAX

from cases.sequences import sequences

LAST = 2**32 - 1


def cap_cases():
    for cap_on in fields.KINDS["cap_on"]:
        yield from sequences(CAPS.replace("CAP_ON", cap_on))
    for jitter in ("none", "full", "equal"):
        for floor in (0, 150_000_000, 1_000_000_000):
            yield from sequences(
                f"floor-{floor}-{jitter} | exponential:base=100ms,cap=1s,floor={floor},jitter={jitter}"
                " | a floor of 0, inside the range, and above it | 6"
            )
    yield from sequences(FLOORS)


CAPS = f"""
full-CAP_ON | exponential:base=1s,cap=20s,jitter=full,cap_on=CAP_ON |
  the old AWS SDK caps the delay: delays accumulate at 20 s | 30
equal-CAP_ON | exponential:base=1s,cap=20s,jitter=equal,cap_on=CAP_ON |
  half of the capped window, or of the uncapped one | 12
proportional-CAP_ON | exponential:base=500ms,multiplier=3/2,cap=60s,jitter=proportional,jitter_below=1/2,
  jitter_above=1/2,cap_on=CAP_ON |
  cenkalti exceeds its maximum, Resilience4j does not | 20
additive-CAP_ON | exponential:base=1s,cap=32s,jitter=additive,jitter_max=1s,cap_on=CAP_ON |
  Google Cloud caps the sum | 8
slotted-CAP_ON | exponential:base=4,cap=10,jitter=slotted,jitter_slot=4,cap_on=CAP_ON | a cap between two slots | 8
none-CAP_ON | exponential:base=1s,cap=5s,cap_on=CAP_ON | every client waits exactly the cap | 6
decorrelated-CAP_ON | exponential:base=5ms,cap=2s,jitter=decorrelated,cap_on=CAP_ON |
  the cap on the range, or on the delay | 20
fibonacci-CAP_ON | fibonacci:base=1s,cap=10s,jitter=full,cap_on=CAP_ON | the window grows beyond a cap on the delay
cap-is-base-CAP_ON | exponential:base=1s,cap=1s,jitter=full,cap_on=CAP_ON | a cap equal to the base is allowed | 4
cap-zero-CAP_ON | exponential:base=0,cap=0,jitter=full,cap_on=CAP_ON | a cap of 0 is a cap, not a missing one | 3
saturated-CAP_ON | exponential:base=100ms,cap=20s,jitter=equal,cap_on=CAP_ON |
  growth past 2^63 is capped without overflow | 8 from 60
saturated-last-CAP_ON | exponential:base=100ms,multiplier=8/5,cap=20s,jitter=full,cap_on=CAP_ON |
  growth past 2^63, at the last index | 1 from {LAST}
"""
FLOORS = f"""
floor-gax | exponential:base=1s,cap=30s,floor=1,jitter=full | gax: 1 ns to the window
floor-proportional | constant:base=1s,floor=900ms,jitter=proportional,jitter_below=1/2,jitter_above=1/2 |
  the floor raises the low end of the range and does not clamp the delay
floor-additive | constant:base=1s,floor=1500ms,jitter=additive,jitter_max=1s |
  a floor inside the range of additive jitter
floor-additive-above | constant:base=1s,floor=3s,jitter=additive,jitter_max=1s |
  a range below the floor collapses to the floor | 3
floor-decorrelated | exponential:base=100ms,cap=5s,floor=500ms,jitter=decorrelated | a floor above the base
floor-decorrelated-high | exponential:base=100ms,cap=5s,floor=4s,jitter=decorrelated |
  a floor above three times the base | 5
floor-slotted | constant:base=1000,floor=250,jitter=slotted,jitter_slot=100 |
  a floor between two slots is rounded up to a slot | 8
floor-slotted-above | constant:base=1000,cap=5000,floor=2001,jitter=slotted,jitter_slot=100 |
  the floor is above every slot of the window | 3
floor-is-cap | exponential:base=1s,cap=8s,floor=8s,jitter=full | a floor equal to the cap leaves one value | 3
widest | constant:base={MAX},jitter=full | the range 0 to 2^63 - 1: the delay is half the draw | 4
"""
