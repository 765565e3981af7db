"""Previews (SPEC 16.1 to 16.4)."""

from itertools import islice

from reference import fields, presets, preview, strings
from reference.numbers import MAX

from cases.table import rows

COLUMNS = ["min", "mean", "max", "total_min", "total_mean", "total_max"]


def preview_cases():
    for preset in presets.PRESETS["policy"]:
        yield case(f"preset-{preset}", preset, "30", "this preset")
    for growth in fields.KINDS["growth"]:
        first = "waits=1s/5s/30s" if growth == "steps" else "base=1s"
        yield case(f"growth-{growth}", f"{growth}:{first},cap=20s", "8", "no jitter: min, mean and max are equal")
    for cap_on in fields.KINDS["cap_on"]:
        for row in rows(CAPS.replace("CAP_ON", cap_on)):
            yield case(*row)
    for row in rows(OTHERS):
        yield case(*row)


def case(id, string, count_and_first, why):
    policy = strings.parse("policy", string)
    count, _, first = count_and_first.partition(" from ")
    count, first = int(count), int(first or 0)
    return {
        "id": id,
        "why": why,
        "policy": string,
        "first": first,
        "count": count,
        "rows": [
            {column: str(x) for column, x in zip(COLUMNS, row, strict=True)}
            for row in islice(preview.preview(policy), first, first + count)
        ],
    }


# Id, policy, how many rows from which on, why.
CAPS = """
full-CAP_ON | exponential:base=1s,cap=5s,cap_on=CAP_ON,jitter=full | 6 | both places of the cap
equal-CAP_ON | exponential:base=1s,cap=5s,cap_on=CAP_ON,jitter=equal | 6 | both places of the cap
05-CAP_ON | exponential:base=1s,cap=5s,cap_on=CAP_ON,jitter=0.5 | 6 | both places of the cap
additive-CAP_ON | exponential:base=1s,cap=5s,cap_on=CAP_ON,jitter=additive,jitter_max=3s | 6 | both places of the cap
additive-increment-CAP_ON | exponential:base=1s,cap=5s,cap_on=CAP_ON,jitter=additive,jitter_max=0s,jitter_increment=1s |
  6 | both places of the cap
slotted-CAP_ON | exponential:base=1s,cap=5s,cap_on=CAP_ON,jitter=slotted,jitter_slot=700ms | 6 | both places of the cap
decorrelated-CAP_ON | exponential:base=1s,cap=5s,cap_on=CAP_ON,jitter=decorrelated | 6 | both places of the cap
floor-CAP_ON | equal:base=1s,cap=5s,floor=3s,cap_on=CAP_ON | 5 | a floor inside the range, then below the range
floor-above-CAP_ON | full:base=1s,cap=9s,floor=6s,cap_on=CAP_ON | 5 | a floor above the range
floor-is-cap-CAP_ON | full:base=1s,cap=9s,floor=9s,cap_on=CAP_ON | 3 | one value at every index
floor-slotted-CAP_ON | exponential:base=4ns,cap=10ns,floor=9ns,jitter=slotted,jitter_slot=4ns,cap_on=CAP_ON | 4 |
  a floor that slots round up past the cap
floor-decorrelated-CAP_ON | exponential:base=1s,cap=9s,floor=4s,jitter=decorrelated,cap_on=CAP_ON | 5 |
  a floor above the base
two-values-CAP_ON | constant:base=1ns,cap=7ns,jitter=full,cap_on=CAP_ON | 2 | the mean of two values is rounded down
odd-CAP_ON | exponential:base=3ns,multiplier=3/2,cap=17ns,jitter=0.3,cap_on=CAP_ON | 8 |
  small numbers show every rounding
"""
OTHERS = f"""
cap-below-range | constant:base=8s,offset=5s,cap=10s,cap_on=delay,jitter=additive,jitter_max=2s | 2 |
  the whole range lies above a cap on the delay
cap-low-end | constant:base=8s,offset=2s,cap=10s,cap_on=delay,jitter=additive,jitter_max=2s | 2 |
  the low end of the range is the cap
cap-between-slots | constant:base=10ns,cap=10ns,jitter=slotted,jitter_slot=4ns | 2 |
  the cap is not a whole number of slots
cap-between-slots-delay | exponential:base=8ns,cap=10ns,cap_on=delay,jitter=slotted,jitter_slot=4ns | 4 |
  a cap on the delay inside a slot
slot-longer-than-cap | exponential:base=8ns,cap=9ns,cap_on=delay,jitter=slotted,jitter_slot=10ns | 4 |
  a slot longer than the cap
slot-saturates | constant:base={MAX}ns,floor={MAX}ns,jitter=slotted,jitter_slot={2**62 + 1}ns | 2 |
  the last slot passes 2^63
widest | constant:base={MAX}ns,jitter=full | 3 | 2^63 values: sums of 128 bits
widest-proportional | constant:base={MAX // 4 * 3}ns,jitter=1 | 3 | the upper end saturates
longest | constant:base={MAX}ns | 3 | the totals saturate, and do not exceed max_elapsed
zero | none | 3 | delays of 0
steps-down | steps:waits=5s/1s/0s,jitter=0.5 | 6 | waits that get shorter
max_retries-zero | constant:base=1s,max_retries=0 | 3 | no rows
max_retries | constant:base=1s,max_retries=2 | 5 | as many rows as retries
count | constant:base=1s,max_retries=5 | 2 | no more rows than requested
count-zero | constant:base=1s | 0 | 0 rows requested
max_elapsed | constant:base=1s,max_elapsed=3s | 5 | a total_min equal to max_elapsed is not above it
max_elapsed-by-one | constant:base=1s,max_elapsed=2999999999ns | 5 | a max_elapsed one nanosecond shorter
max_elapsed-first | constant:base=1s,max_elapsed=1s | 3 | the first total_min is equal to max_elapsed
max_elapsed-first-by-one | constant:base=1000000001ns,max_elapsed=1s | 3 |
  the first total_min is one nanosecond above max_elapsed
max_elapsed-equal | equal:base=1s,max_elapsed=3500000000ns | 5 | a total_min of 3.5 s, equal to max_elapsed
max_elapsed-equal-by-one | equal:base=1s,max_elapsed=3499999999ns | 5 | a total_min one nanosecond above max_elapsed
max_elapsed-longest | constant:base={MAX}ns,max_elapsed={MAX}ns | 3 | the totals saturate at MAX, which is not above MAX
max_elapsed-longest-by-one | constant:base={MAX - 1}ns,max_elapsed={MAX - 1}ns | 3 |
  a total that saturates is above every other max_elapsed
max_elapsed-min | equal:base=1s,max_elapsed=4s | 8 | total_min decides, not total_mean
max_elapsed-full | full:base=1s,cap=2s,max_elapsed=0s | 4 | the total_min of full jitter is 0
max_elapsed-zero | constant:base=1s,max_elapsed=0s | 4 | the first row does not fit
throttled_base | constant:base=1s,throttled_base=9s | 2 | the throttled base has no effect
decorrelated-multiplier | decorrelated:base=1s,multiplier=1.5,cap=4s | 8 | another multiplier
decorrelated-saturates | exponential:base={2**61}ns,jitter=decorrelated | 4 | the range saturates
decorrelated-zero | decorrelated:base=0s | 3 | base 0 stays 0
decorrelated-small | decorrelated:base=1ns,cap=20ns | 8 | small numbers show every rounding
decorrelated-restart | decorrelated:base=100ms | 3 from 4095 | the chain restarts from the base at row 4096
decorrelated-restart-second | decorrelated:base=100ms | 6 from 8190 | the chain restarts a second time at row 8192
polynomial-increment | sidekiq:cap=1h,cap_on=delay | 10 | Sidekiq's policy with a short cap
"""
