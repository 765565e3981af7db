"""Policies that are refused (SPEC 8)."""

from reference import errors, policies
from reference.numbers import MAX, WORD_MAX

from cases.table import details, dump, policy, rows

LONG = MAX + 1


def error_cases():
    for id, string, why in rows(ERRORS):
        yield {"id": id, "why": why, "policy": dump(policy(string)), "error": error_of(policy(string))}


def error_of(policy):
    try:
        policies.policy(policy)
    except errors.PolicyError as refused:
        return details(refused)
    raise AssertionError(f"{policy} is valid")


ERRORS = f"""
growth-missing |  | no field is set
base-missing | constant | only the growth is set
growth-0 | :base=1,growth=0 | a number that is not a kind
growth-7 | :base=1,growth=7 | a number that is not a kind
growth-4294967295 | :base=1,growth=4294967295 | a number that is not a kind
jitter-0 | constant:base=1,jitter=0 | a number that is not a kind
jitter-8 | constant:base=1,jitter=8 | a number that is not a kind
jitter-4294967295 | constant:base=1,jitter=4294967295 | a number that is not a kind
cap_on-0 | constant:base=1,cap_on=0 | a number that is not a kind
cap_on-3 | constant:base=1,cap_on=3 | a number that is not a kind
cap_on-4294967295 | constant:base=1,cap_on=4294967295 | a number that is not a kind
retry_after-0 | constant:base=1,retry_after=0 | a number that is not a kind
retry_after-4 | constant:base=1,retry_after=4 | a number that is not a kind
retry_after-4294967295 | constant:base=1,retry_after=4294967295 | a number that is not a kind
elapsed_from-0 | constant:base=1,elapsed_from=0 | a number that is not a kind
elapsed_from-3 | constant:base=1,elapsed_from=3 | a number that is not a kind
waits-missing | steps | steps need waits
waits-empty | steps:waits= | a list without waits
waits-17 | steps:waits=1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17 | more than sixteen waits
waits-40 | steps:waits={"/".join("1" * 40)} | a list of forty waits has the same value as one of seventeen
waits-too-large | steps:waits=1/{LONG}/2 | a wait one nanosecond above the longest duration
waits-17-too-large | steps:waits=1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/{LONG} | the number of waits comes first
waits-unused | constant:base=1,waits=1/2/3 | only steps have waits
waits-empty-unused | constant:base=1,waits= | an empty list is one
steps-base | steps:base=1,waits=1 | steps have no base
steps-throttled_base | steps:waits=1,throttled_base=1 | steps have no throttled base
steps-multiplier | steps:waits=1,multiplier=2/1 | steps have no multiplier
steps-decorrelated | steps:waits=1,jitter=decorrelated | decorrelated jitter needs exponential growth
steps-offset | steps:waits=1,offset=2,cap=1 | an offset above the cap
steps-floor | steps:waits=1,floor=2,cap=1 | a floor above the cap
attempt_timeout-zero | constant:base=1,attempt_timeout=0 | no attempt ends at once
attempt_timeout-too-large | constant:base=1,attempt_timeout={LONG} | one nanosecond above the longest duration
reset_after-zero | constant:base=1,reset_after=0 | every attempt would begin the count anew
reset_after-too-large | constant:base=1,reset_after={LONG} | one nanosecond above the longest duration
base-too-large | constant:base={LONG} | one nanosecond above the longest duration
increment-too-large | linear:base=1,increment={LONG} | one nanosecond above the longest duration
offset-too-large | constant:base=1,offset={LONG} | one nanosecond above the longest duration
cap-too-large | constant:base=1,cap={LONG} | one nanosecond above the longest duration
floor-too-large | constant:base=1,floor={LONG} | one nanosecond above the longest duration
jitter_max-too-large | constant:base=1,jitter=additive,jitter_max={LONG} | one nanosecond above the longest duration
jitter_increment-too-large | constant:base=1,jitter=additive,jitter_max=1,jitter_increment={LONG} |
  one nanosecond above the longest duration
jitter_slot-too-large | constant:base=1,jitter=slotted,jitter_slot={LONG} | one nanosecond above the longest duration
max_elapsed-too-large | constant:base=1,max_elapsed={LONG} | one nanosecond above the longest duration
throttled_base-too-large | constant:base=1,throttled_base={LONG} | one nanosecond above the longest duration
retry_after_max-too-large | constant:base=1,retry_after_max={LONG} | one nanosecond above the longest duration
retry_after_max_extra-too-large | constant:base=1,retry_after_max_extra={LONG} |
  one nanosecond above the longest duration
base-all-ones | constant:base={WORD_MAX} | the largest 64-bit number
jitter_max-missing | constant:base=1,jitter=additive | additive jitter needs jitter_max
jitter_slot-missing | constant:base=1,jitter=slotted | slotted jitter needs jitter_slot
jitter_slot-zero | constant:base=1,jitter=slotted,jitter_slot=0 | a slot of 0 would divide by 0
jitter_below-missing | constant:base=1,jitter=proportional | proportional jitter needs jitter_below or jitter_above
jitter_below-above-one | constant:base=1,jitter=proportional,jitter_below=3/2 | a ratio above 1
jitter_below-zero-denominator | constant:base=1,jitter=proportional,jitter_below=1/0 | a ratio with denominator 0
jitter_below-too-fine | constant:base=1,jitter=proportional,jitter_below=1/1000001 | a term above a million
jitter_above-above-one | constant:base=1,jitter=proportional,jitter_above=3/2 | a ratio above 1
jitter_above-zero-denominator | constant:base=1,jitter=proportional,jitter_above=1/0 | a ratio with denominator 0
jitter_above-too-fine | constant:base=1,jitter=proportional,jitter_above=1/1000001 | a term above a million
multiplier-half | exponential:base=1s,multiplier=1/2 | a window that shrinks
multiplier-zero | exponential:base=1s,multiplier=0/1 | a multiplier of 0
multiplier-just-above-one | exponential:base=1s,multiplier=1001/1000 | a multiplier that would need millions of steps
multiplier-below-least | exponential:base=1s,multiplier=100999/100000 | just below 1.01
multiplier-over-zero | exponential:base=1s,multiplier=3/0 | a ratio with denominator 0
multiplier-zero-over-zero | exponential:base=1s,multiplier=0/0 | 0/0 is not a ratio
multiplier-too-large | exponential:base=1s,multiplier=1000001/1 | a numerator above a million
multiplier-too-fine | exponential:base=1s,multiplier=2000003/1000001 | a denominator above a million
multiplier-unreduced | exponential:base=1s,multiplier=10/20 | the value keeps its terms, the rule uses lowest terms
power-0 | polynomial:base=1,power=0 | outside 1 to 16
power-17 | polynomial:base=1,power=17 | outside 1 to 16
power-4294967296 | polynomial:base=1,power=4294967296 | outside 1 to 16
origin-too-large | polynomial:base=1,origin=4294967296 | above 32 bits
multiplier-unused | constant:base=1,multiplier=2/1 | an option that would be ignored silently
increment-unused | exponential:base=1,increment=1 | exponential growth has no increment
power-unused | linear:base=1,power=1 | linear growth has no power
origin-unused | fibonacci:base=1,origin=1 | only polynomial growth has an origin
offset-unused | exponential:base=1,jitter=decorrelated,offset=1 | decorrelated jitter does not use the window
jitter_below-unused | constant:base=1,jitter=full,jitter_below=1/2 | a ratio without proportional jitter
jitter_above-unused | constant:base=1,jitter_above=1/3 | a ratio without jitter
jitter_max-unused | constant:base=1,jitter=equal,jitter_max=1s | jitter_max without additive jitter
jitter_increment-unused | constant:base=1,jitter_increment=0 | jitter_increment without additive jitter
jitter_slot-unused | constant:base=1,jitter=full,jitter_slot=1500ms | a slot without slotted jitter
decorrelated-constant | constant:base=1,jitter=decorrelated | decorrelated needs a multiplier
decorrelated-linear | linear:base=1,jitter=decorrelated | decorrelated needs a multiplier
decorrelated-polynomial | polynomial:base=1,jitter=decorrelated | decorrelated needs a multiplier
decorrelated-fibonacci | fibonacci:base=1,jitter=decorrelated | decorrelated needs a multiplier
cap-below-base | constant:base=10,cap=5 | a cap below the base
cap-zero | constant:base=1,cap=0 | a cap of 0 is a cap
offset-above-cap | constant:base=1,cap=5s,offset=90s | an offset above the cap
floor-above-cap | constant:base=1,cap=1s,floor=1000000001 | a floor above the cap
growth-stalls | exponential:base=5,multiplier=101/100 | 5 ns * 1.01 is rounded down to 5 ns
growth-stalls-rounded-up | exponential:base=33,multiplier=103/100 |
  33 * 1.03 is rounded down to 33: the minimum is rounded up to 34
growth-stalls-one | exponential:base=1,multiplier=3/2 | 1 ns * 1.5 is rounded down to 1 ns
order-kinds-first | 9:base={WORD_MAX},jitter=9 | kinds are checked before other fields
order-jitter-before-cap_on | constant:jitter=9,cap_on=9 | kinds are checked in the order growth, jitter, cap_on
order-pair-before-fields | linear:jitter=decorrelated,multiplier=1/0 |
  not_exponential is checked before the other fields
order-fields-by-number | constant:base=1,multiplier=2/1,increment=1 | increment (3) before multiplier (4)
order-fields-before-relations | constant:base=10,cap=5,jitter=slotted,jitter_slot=0 |
  a slot of 0 before a cap below base
order-cap-before-floor | constant:base=10,cap=5,floor=9,offset=9 | relations are checked in order
order-offset-before-floor | constant:base=1,cap=5,floor=9,offset=9 | relations are checked in order
order-zero-denominator-before-fineness | exponential:base=1,multiplier=2000003/0 |
  the rules of a field are checked in order
order-jitter-missing-after-floor | constant:base=10,cap={LONG},jitter=slotted |
  a missing field is reported in the order of the numbers
order-missing-before-unused | constant:multiplier=2/1 | base (2) before multiplier (4)
order-unused-before-missing | constant:base=1s,multiplier=2/1,jitter=slotted | multiplier (4) before jitter_slot (16)
order-cap-before-stalls | exponential:base=50,multiplier=101/100,cap=10 | a cap below the base before growth_stalls
order-floor-before-stalls | exponential:base=50,multiplier=101/100,cap=60,floor=70 |
  a floor above the cap before growth_stalls
multiplier-fine-unreduced | exponential:base=1s,multiplier=2000002/2 | the value keeps its terms
max_retries-too-large | constant:base=1,max_retries=4294967297 | one more than there are indices
max_retries-all-ones | constant:base=1,max_retries={WORD_MAX} | the largest 64-bit number
max_attempts-too-large | constant:base=1,max_attempts=4294967298 | one more than there are indices
max_attempts-all-ones | constant:base=1,max_attempts={WORD_MAX} | the largest 64-bit number
max_attempts-zero | constant:base=1,max_attempts=0 | an operation has at least one attempt
given-twice | constant:base=1,max_retries=2,max_attempts=3 | two fields for one limit
given-twice-unlike | constant:base=1,max_retries=0,max_attempts=9 | two fields for one limit that contradict each other
given-twice-before-range | constant:base=1,max_retries=2,max_attempts=0 | the rules of a field are checked in order
max_retries-before-given-twice | constant:base=1,max_retries=8589934592,max_attempts=3 |
  max_retries (17) before max_attempts (18)
throttled_base-above-cap | constant:base=1,cap=5,throttled_base=6 | a throttled base above the cap
throttled_base-stalls | exponential:base=1s,multiplier=3/2,throttled_base=1 | 1 ns * 1.5 is rounded down to 1 ns
throttled_base-stalls-default | exponential:base=1,multiplier=3/2 | the base is checked before the throttled base
throttled_base-stalls-decorrelated | exponential:base=1s,jitter=decorrelated,multiplier=101/100,throttled_base=99 |
  the rule applies to decorrelated jitter, too
order-cap_on-before-retry_after | constant:base=1,retry_after=9,cap_on=9 |
  kinds are checked in the order jitter, cap_on, retry_after
order-retry_after-before-pair | linear:base=1,retry_after=0,jitter=decorrelated |
  all kinds are checked before not_exponential
order-stalls-before-throttled | exponential:base=1,multiplier=3/2,cap=5,throttled_base=9 |
  growth_stalls of the base is checked before throttled_base
order-throttled-above-before-stalls | exponential:base=0,multiplier=101/100,cap=5,throttled_base=9 |
  too_large is checked before growth_stalls
order-elapsed-before-retry_after_max | constant:base=1,retry_after_max_extra={LONG},retry_after_max={LONG},
  throttled_base={LONG},max_elapsed={LONG} |
  fields are checked by number
order-fields-before-given-twice | constant:base=1,jitter=slotted,jitter_slot=0,max_retries=1,max_attempts=1 |
  jitter_slot (16) before max_attempts (18)
text-d | constant:base=7d,cap=3d | durations are printed in the largest unit that divides them
text-h | constant:base=7h,cap=3h | durations are printed in the largest unit that divides them
text-m | constant:base=7m,cap=3m | durations are printed in the largest unit that divides them
text-s | constant:base=7s,cap=3s | durations are printed in the largest unit that divides them
text-ms | constant:base=7ms,cap=3ms | durations are printed in the largest unit that divides them
text-us | constant:base=7us,cap=3us | durations are printed in the largest unit that divides them
text-ns | constant:base=7,cap=3 | durations are printed in the largest unit that divides them
"""
