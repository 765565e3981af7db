"""Policy and budget strings that break a rule of SPEC 8 or 15.2 (SPEC 11.6)."""

from cases.invalid_strings import error
from cases.table import rows


def broken_rules():
    for of, table in (("policy", POLICIES), ("budget", BUDGETS)):
        for id, string, why in rows(table):
            yield error(id, why, string, of)


POLICIES = f"""
rule-base-missing | full | a field that nothing set: the end of the string
rule-base-missing-pairs | full:cap=20s | a field that nothing set: the end, after the pairs
rule-base-none | default:base=none | the pair base=none is the pair of the field
rule-base-none-of-nothing | full:base=none,cap=5s | base=none is the pair of the field, even without a preset
rule-jitter_max-missing | constant:base=1s,jitter=additive | a field that nothing set
rule-jitter_slot-taken-back | envoy:jitter=slotted | the jitter removed the preset's value: the end of the string
rule-jitter_below-taken-back | grpc-connect:jitter=proportional | the jitter removed the preset's ratios
rule-jitter_below-none | k8s-conflict:jitter_above=none | none removed the preset's ratio
rule-jitter_below-both-none | grpc-connect:jitter_above=none,jitter_below=none | none removed the preset's ratio
rule-not-exponential | sidekiq:jitter=decorrelated | the growth is set by the head
rule-not-exponential-growth | linear:base=1s,jitter=decorrelated | the growth is set by the head
rule-unused | constant:base=1s,multiplier=2 | unused is reported at the key
rule-unused-later | constant:power=2,base=1s,multiplier=2,increment=1s | fields are checked by number, not by position
rule-unused-jitter | full:base=1s,jitter_above=0.5 | a field that the jitter does not use
rule-unused-head | gax:jitter=decorrelated,offset=1s | the pair's field is unused with the new jitter
rule-unused-head-preset | oban:jitter=decorrelated | the preset's field is unused with the new jitter
rule-unused-ratio | constant:base=1s,jitter=0.5,jitter_slot=1s | a ratio as the jitter does not use jitter_slot
rule-jitter_max-unused | google-cloud:jitter_max=2s,jitter=none | a pair's jitter_max stays when the jitter changes
rule-given-twice | full:base=1s,max_retries=2,max_attempts=3 | given_twice is reported at the key of max_attempts
rule-given-twice-order | full:base=1s,max_attempts=3,max_retries=2 |
  given_twice is reported at max_attempts, in any order
rule-waits-missing | steps | no waits: the end of the string
rule-waits-none | svix:waits=none | waits=none is the pair of the field
rule-waits-17 | steps:waits={"/".join(["1s"] * 17)} | too many waits, at the value
rule-waits-40 | steps:waits={"/".join(["1s"] * 40)} | a list of forty waits has the same value as one of seventeen
rule-waits-too-large | steps:waits=1s/9223372036854775808ns | a wait one nanosecond too long, at the value
rule-waits-unused | full:base=1s,waits=1s/2s | only steps have waits
rule-waits-base | steps:base=1s,waits=1s | steps have no base
rule-waits-decorrelated | svix:jitter=decorrelated | decorrelated jitter needs exponential growth
rule-waits-cap | svix:floor=1m,cap=1s | the floor of a pair above its cap
rule-attempt_timeout | default:attempt_timeout=0s | a limit of 0
rule-reset_after | default:reset_after=0s | a limit of 0
rule-too-large | full:base=9223372036854775808ns | too_large is reported at the value
rule-too-large-days | full:base=300000d | a duration above 64 bits becomes 2^64 - 1
rule-too-large-digits | full:base={"9" * 60}s | a number of 60 digits becomes 2^64 - 1
rule-given-twice-before-range | full:base=1s,max_retries=2,max_attempts=0 |
  given_twice is checked before the range of max_attempts
rule-too-large-count | constant:base=1s,max_retries=18446744073709551616 | a count above 64 bits becomes 2^64 - 1
rule-too-large-retries | constant:base=1s,max_retries=4294967297 | one above 2^32
rule-too-large-attempts | constant:base=1s,max_attempts=4294967298 | one above 2^32 + 1
rule-too-large-elapsed | constant:base=1s,max_elapsed=9223372036854775808ns | one nanosecond too long
rule-too-large-retry_after_max | constant:base=1s,retry_after_max=9223372036854775808ns | one nanosecond too long
rule-too-large-retry_after_max_extra | constant:base=1s,retry_after_max_extra=9223372036854775808ns |
  one nanosecond too long
rule-too-small-attempts | default:max_attempts=0 | 0 attempts
rule-too-small-power | polynomial:base=1s,power=0 | power 0
rule-too-small-slot | constant:base=1s,jitter=slotted,jitter_slot=0s | a slot of 0
rule-too-small-multiplier | exponential:base=1s,multiplier=0.5 | a multiplier below 1
rule-too-small-multiplier-near | exponential:base=1s,multiplier=100.5% | a multiplier between 1 and 1.01
rule-too-large-jitter | constant:base=1s,jitter=1.5 |
  a ratio above 1 as the jitter: field jitter_below, at the value of jitter
rule-too-large-jitter-unreduced | constant:base=1s,jitter=150% | the value is reported in lowest terms
rule-too-large-jitter_above | constant:base=1s,jitter=proportional,jitter_above=3/2 | a ratio above 1
rule-ratio-too-fine | exponential:base=1s,multiplier=1000001 | a term above a million is an error of clause 8
rule-ratio-too-fine-decimal | exponential:base=1s,multiplier=1.0000001 | seven digits after the dot
rule-ratio-too-fine-first | constant:multiplier=5000000000,base=1s | the first term above 32 bits
rule-ratio-too-fine-second | constant:base=1s,multiplier=1/5000000000 | the second term above 32 bits
rule-ratio-too-fine-64 | exponential:base=1s,multiplier=0.0000000004 | terms of 64 bits that reduce to 32
rule-ratio-too-fine-jitter | constant:base=1s,jitter=1/1000001 | a ratio as the jitter with a term above a million
rule-cap-below-base | full:base=30s,cap=20s | cap_below_base is reported at the value of the cap
rule-cap-below-base-head | default:base=30s | the cap is set by the head
rule-cap-below-base-order | full:cap=20s,base=30s | cap_below_base is reported at the cap, in any order
rule-offset-above-cap | full:base=1s,cap=2s,offset=3s | offset_above_cap is reported at the offset
rule-offset-above-cap-head | oban:cap=5s | the offset is set by the head
rule-floor-above-cap | full:base=1s,cap=2s,floor=3s | floor_above_cap is reported at the floor
rule-floor-above-cap-head | gax:base=0s,cap=0s | the floor is set by the head
rule-growth-stalls | exponential:base=1ns,multiplier=1.5 | growth_stalls is reported at the base
rule-growth-stalls-head | ethernet:multiplier=1.01,base=5ns | the base replaces the preset's
rule-throttled-above-cap | full:base=1s,cap=2s,throttled_base=3s | the error is reported at throttled_base
rule-throttled-above-cap-head | aws-sdk-2026:cap=500ms | throttled_base is set by the head
rule-throttled-stalls | exponential:base=1s,multiplier=1.5,throttled_base=1ns | the error is reported at throttled_base
rule-throttled-stalls-later | exponential:base=10ms,multiplier=1.01,throttled_base=50ns |
  50 ns is below 100 ns, the least base that grows with 1.01
rule-stalls-before-throttled-above-cap | exponential:base=1ns,multiplier=1.5,cap=5ns,throttled_base=9ns |
  growth_stalls of the base is checked before throttled_base
rule-throttled-above-cap-before-stalls | exponential:base=0s,multiplier=1.01,cap=5ns,throttled_base=9ns |
  a throttled_base above the cap is checked before growth_stalls
rule-zero-cap | constant:base=1s,cap=0s | a cap of 0 is a cap
rule-first-by-clause | polynomial:floor=9s,cap=1s,power=17,base=5s |
  the order of the rules decides, not the order of the pairs
rule-syntax-first | constant:base=9999999d,multiplier=2,cap=x | all pairs are read before clause 8 is checked
rule-end | linear:cap={"0" * 900}1s | the end of a long string
"""
BUDGETS = """
budget-unused | quota:ratio=0.1 | a field of another kind
budget-unused-first | rate:ttl=5s,cost=1 | fields are checked by number, not by position
budget-unused-ratio | rate:ratio=1/4 | the value of a ratio is n * 2^32 + d
budget-unused-duration | throttle:per=90s | a duration
budget-unused-preset | finagle:max_tokens=5 | a field that the preset's kind does not use
budget-unused-before-range | rate:ratio=3/2 | unused is checked before the range
budget-tokens-zero | quota:max_tokens=0 | 0 tokens
budget-tokens-quota | quota:max_tokens=1000001 | above 1000000
budget-tokens-ratio | ratio:max_tokens=1000001 | above 1000000
budget-tokens-throttle | throttle:max_tokens=1001 | above gRPC's limit of 1000
budget-tokens-rate | rate:max_tokens=100001 | above 100000
budget-tokens-huge | rate:max_tokens=99999999999999999999999 | above 64 bits
budget-cost-zero | quota:cost=0 | a cost of 0
budget-cost-above | quota:max_tokens=10,cost=11 | a cost above the tokens
budget-cost-default | quota:max_tokens=4 | a default above the tokens: the end of the string
budget-cost-five | quota:cost=5,max_tokens=4 | the default, set: the value
budget-cost-five-unused | rate:cost=5 | the default, set for a kind without it
budget-cost-preset | aws-sdk-2026:max_tokens=10 | a preset's cost above the tokens: the head
budget-cost_throttled-above | quota:max_tokens=10,cost_throttled=11 | a cost above the tokens
budget-cost_throttled-five | quota:max_tokens=4,cost=1,cost_throttled=5 | only of cost is this the default
budget-cost_timeout-above | quota:max_tokens=10,cost_timeout=11 | a cost above the tokens
budget-cost_timeout-zero | quota:cost_timeout=0 | a cost of 0
budget-cost_timeout-preset | aws-sdk-standard:max_tokens=9 | the preset's cost_timeout above the tokens: the head
budget-ratio-above | ratio:ratio=3/2 | a ratio above 1
budget-ratio-above-unreduced | throttle:ratio=150% | the value is reported in lowest terms
budget-ratio-fine | ttl:ratio=1/1000001 | a term above a million
budget-ratio-zero-denominator | concurrent:ratio=1/0 | denominator 0
budget-per-zero | rate:per=0s | a duration of 0
budget-per-long | rate:per=86401s | more than a day
budget-ttl-short | ttl:ttl=999ms | less than a second
budget-ttl-long | ttl:ttl=61s | more than a minute
budget-min_per_second-large | ttl:min_per_second=1000001 | above 1000000
budget-min_concurrent-large | concurrent:min_concurrent=4294967296 | above 32 bits
budget-order | quota:cost=0,max_tokens=0 | max_tokens is checked before cost
budget-order-ratio | throttle:max_tokens=0,ratio=2 | max_tokens is checked before ratio
budget-missing_unit | rate:per=60 | a duration without a unit
budget-not_a_duration | ttl:ttl=short | a word instead of a duration
budget-unknown_unit | ttl:ttl=10sec | a count has no unit
budget-duration_too_fine | rate:per=0.5ns | half a nanosecond
"""
