"""Valid policy and budget strings, and presets (SPEC 11, 12, 15.1)."""

from reference import delays, fields, presets, printing, strings
from reference.numbers import MAX, WORD_MAX

from cases.table import dump, rows

EVERY = ",".join(f"{key}=none" for key in strings.KEYS["policy"] if key != "base")


def text_cases():
    for growth in fields.KINDS["growth"]:
        pair = "waits=1s" if growth == "steps" else "base=1s"
        yield text(f"head-{growth}", f"{growth}:{pair}", "a growth as the head")
    for head in strings.SHORTHANDS:
        yield text(f"head-{head}", f"{head}:base=100ms,cap=20s", "a shorthand as the head")
    for row in rows(HEADS):
        yield text(*row)
    for unit, ns in fields.UNITS.items():
        yield text(f"unit-{unit}", f"constant:base=3{unit}", f"{ns} ns each")
        if ns > 1:
            yield text(f"unit-{unit}-half", f"constant:base=0.5{unit}", "half a unit")
    for row in rows(VALUES):
        yield text(*row)
    for kind in fields.KINDS["budget"]:
        yield text(f"budget-{kind}", kind, "only the kind, with its defaults", "budget")
    for row in rows(BUDGETS):
        yield text(*row, "budget")


def text(id, string, why, of="policy"):
    string = string.replace(" ", "")
    value = strings.parse(of, string)
    canonical = printing.printed(of, value)
    assert strings.parse(of, canonical) == value, string
    case = {"id": id, "why": why, "of": of, "text": string, "canonical": canonical}
    return case | ({"policy": dump(printing.shown(of, value))} if of == "policy" else {})


def preset_cases():
    for of, strings_of in presets.PRESETS.items():
        for preset, string in strings_of.items():
            value = strings.parse(of, preset)
            assert value == strings.parse(of, string)
            case = {
                "id": f"{of}-{preset}",
                "why": f"the {of} of this name",
                "of": of,
                "preset": preset,
                "string": string,
                "canonical": printing.printed(of, value),
            }
            if of == "policy":
                case["windows"] = [str(delays.window(value, index)) for index in range(10)]
            yield case


HEADS = f"""
head-preset-alone | default | a preset without pairs
head-preset-override | default:base=50ms,cap=10s | pairs replace the values of the preset
head-preset-max_attempts | default:max_attempts=10 | max_attempts removes the preset's max_retries
head-preset-max_attempts-none | default:max_attempts=none | max_attempts=none removes the preset's max_retries, too
head-preset-jitter | envoy:jitter=full | another jitter removes the preset's slot
head-preset-jitter-same | envoy:jitter=slotted,jitter_slot=2ms |
  the same jitter removes the slot, too, so it is set again
head-preset-jitter-before | envoy:jitter_slot=2ms,jitter=slotted |
  jitter removes nothing that another pair sets, in any order
head-preset-jitter-none | grpc-connect:jitter=none | jitter=none removes the preset's ratios
head-preset-jitter-ratio | grpc-connect:jitter=0.5 | a ratio replaces the preset's ratio
head-preset-jitter_above | grpc-connect:jitter_above=0.3 | only one of the preset's ratios is replaced
head-preset-jitter_below-none | grpc-connect:jitter_below=none | only one of the preset's ratios is removed
head-preset-ratio-over-kind | google-cloud:jitter=0.1 | a ratio removes the preset's jitter_max
head-preset-several | grpc-retry:retry_after=none,max_retries=none,cap=none,jitter=none |
  none removes kinds, counts and durations
head-preset-multiplier-none | cenkalti-v4:multiplier=none,max_elapsed=none | none restores the default multiplier
head-decorrelated-cap_on-none | decorrelated:base=1s,cap_on=none | none removes what a shorthand set
head-full-jitter | full:base=1s,jitter=equal | a pair replaces the jitter of a shorthand
head-decorrelated-full | decorrelated:base=1s,cap=9s,jitter=full | another jitter keeps the shorthand's cap on the delay
none-of-nothing | constant:base=1s,cap=none,increment=none,jitter_slot=none,max_attempts=none |
  none for fields that are not set
none-of-every-key | constant:base=1s,{EVERY} | every key accepts none, but base is required
retry_after_max-none | constant:base=1s,retry_after_max=none | no limit prints as none
retry_after_max-longest | constant:base=1s,retry_after_max=9223372036854775807ns | the longest duration is no limit
retry_after_max-longest-but-one | constant:base=1s,retry_after_max=9223372036854775806ns | a nanosecond less is a limit
retry_after_max-default | constant:base=1s,retry_after_max=1h | the default is not printed
retry_after_max-default-minutes | constant:base=1s,retry_after_max=60m | the default in another unit is not printed
retry_after_max-more | constant:base=1s,retry_after_max=3600000000001ns | a nanosecond more than the default is printed
retry_after_max-zero | constant:base=1s,retry_after_max=0s | 0 is neither none nor the default
retry_after_max-preset | aws-sdk-2026:retry_after_max=none | none lifts the default limit of a preset
retry_after_max-every | grpc-retry:retry_after=none,retry_after_max=none,retry_after_max_extra=none |
  none for all three fields
retry_after_max_extra-longest | constant:base=1s,retry_after_max_extra=9223372036854775807ns |
  the longest duration is the default of retry_after_max_extra
order | exponential:retry_after_max=3s,cap=20s,floor=1ms,base=1s | pairs in any order are printed by field number
every-field |
  exponential:base=1s,multiplier=3,offset=1s,cap=60s,cap_on=delay,floor=2s,jitter=proportional,jitter_below=0.1,
  jitter_above=0.2,max_retries=7,max_elapsed=1h,throttled_base=5s,retry_after=spread,retry_after_max=10s,
  retry_after_max_extra=4s |
  every field that exponential growth and proportional jitter use
every-field-linear | linear:base=1s,increment=2s,jitter=additive,jitter_max=3s,jitter_increment=4s |
  the fields of linear growth and of additive jitter
every-field-polynomial | polynomial:base=1s,power=3,origin=0,jitter=slotted,jitter_slot=100ms |
  the fields of polynomial growth and of slotted jitter
defaults-given |
  exponential:base=1s,multiplier=2,offset=0s,cap={MAX}ns,cap_on=window,floor=0s,jitter=none,max_retries=4294967296,
  max_elapsed={MAX}ns,throttled_base=1s,retry_after=at_least,retry_after_max=1h,retry_after_max_extra={MAX}ns |
  fields that equal their defaults are not printed
defaults-given-linear | linear:base=1500ms,increment=1.5s | an increment that equals the base is not printed
defaults-given-polynomial | polynomial:base=1s,power=2,origin=1 | power 2 and origin 1 are the defaults
defaults-given-additive | constant:base=1s,jitter=additive,jitter_max=0s,jitter_increment=0s |
  jitter_max is always printed, jitter_increment of 0 is not
defaults-given-decorrelated | decorrelated:base=1s,multiplier=3 | the default multiplier of decorrelated jitter is 3
decorrelated-two | decorrelated:base=1s,multiplier=2 | 2 is not the default multiplier of decorrelated jitter
every-field-steps |
  steps:waits=5s/5m/30m,offset=1s,cap=1h,floor=1ms,jitter=10%,max_retries=3,max_elapsed=1d,attempt_timeout=10s,
  reset_after=10m,elapsed_from=failure |
  the fields of growth in steps, and those of attempts
steps-one | steps:waits=0s | a wait of 0 is printed
steps-forms | steps:waits=0.5s/1500ms/007m/120s/0d | each wait is a duration of its own form
steps-sixteen | steps:waits=1s/2s/3s/4s/5s/6s/7s/8s/9s/10s/11s/12s/13s/14s/15s/16s | the most waits
steps-longest | steps:waits={"/".join([f"{MAX}ns"] * 16)} | the longest printed list
steps-preset | svix:waits=1s/2s | other waits than those of a preset
attempt_timeout-one | constant:base=1s,attempt_timeout=1ns | the shortest limit of an attempt
attempt_timeout-longest | constant:base=1s,attempt_timeout={MAX}ns | the longest duration is no limit
attempt_timeout-none | constant:base=1s,attempt_timeout=none | none for a field that is not set
reset_after-one | constant:base=1s,reset_after=1ns | any attempt begins the count anew
reset_after-longest | constant:base=1s,reset_after={MAX}ns | the longest duration is never
elapsed_from-begin | constant:base=1s,elapsed_from=begin | the default is not printed
elapsed_from-none | constant:base=1s,elapsed_from=none | none for a kind
max_attempts | constant:base=1s,max_attempts=1 | max_attempts is printed as max_retries
max_attempts-most | constant:base=1s,max_attempts=4294967297 | 2^32 retries are the default
max_retries-zero | constant:base=1s,max_retries=0 | 0 is not the default
growth-not-stalled | exponential:base=100ns,multiplier=1.01 | the smallest base that grows with 1.01
jitter-ratio | constant:base=1s,jitter=0.25 | a ratio sets jitter_below and jitter_above
jitter-ratio-zero | constant:base=1s,jitter=0 | two ratios of 0 print as one
jitter-ratio-one | constant:base=1s,jitter=100% | a ratio of 1
jitter-parts-equal | constant:base=1s,jitter=proportional,jitter_below=2/6,jitter_above=1/3 |
  equal ratios print as one, in lowest terms
jitter-parts-zero | constant:base=1s,jitter=proportional,jitter_below=0,jitter_above=0% | equal ratios of 0 print as one
jitter-parts-unlike | constant:base=1s,jitter=proportional,jitter_below=1/3,jitter_above=0.5 |
  different ratios print as two fields
jitter-below-alone | constant:base=1s,jitter=proportional,jitter_below=0.5,jitter_above=0 |
  a jitter_above of 0 is not printed
jitter-above-alone | constant:base=1s,jitter=proportional,jitter_below=0,jitter_above=0.5 |
  a jitter_below of 0 is not printed
jitter-above-alone-given | constant:base=1s,jitter=proportional,jitter_above=0.5 | jitter_below is not set
"""
VALUES = f"""
duration-zero | constant:base=0ns | zero prints as 0s
duration-zero-days | constant:base=000.000d | zero with digits after the dot
duration-leading-zeros | constant:base=007.10s | leading and trailing zeros
duration-long-zeros | constant:base={"0" * 60}1.{"0" * 60}ms | more zeros than a 64-bit number has digits
duration-nanosecond | constant:base=0.000000001s | the ninth digit of a second
duration-whole-ns | constant:base=5.0ns | a fraction of 0
duration-longest | constant:base=9223372036854775807ns | the longest duration
duration-longest-days | constant:base=106751d | the most whole days
duration-longest-seconds | constant:base=9223372036.854775807s | the longest, in seconds
duration-long-fraction | constant:base=0.00000000015625d | a fraction of a day that is a whole number of nanoseconds
duration-hours-from-seconds | constant:base=7200s | printed in the largest unit that divides it
duration-minutes-from-seconds | constant:base=5400s | printed in minutes, because hours do not divide it
duration-days-from-hours | constant:base=48h | 48 h print as 2 days
duration-days-not-from-hours | constant:base=25h | 25 h do not print in days
ratio-whole | exponential:base=1s,multiplier=3 | a ratio without a dot
ratio-decimal | exponential:base=1s,multiplier=1.6 | a decimal ratio
ratio-decimal-zeros | exponential:base=1s,multiplier=01.60 | leading and trailing zeros
ratio-decimal-many-zeros | exponential:base=1s,multiplier=1.5{"0" * 40} |
  trailing zeros are dropped before the terms are checked
ratio-decimal-25-zeros | exponential:base=1s,multiplier=1.5{"0" * 25} |
  more trailing zeros than a 64-bit power of ten has
ratio-decimal-two-digits | exponential:base=1s,multiplier=1.25{"0" * 40} | zeros after two digits
ratio-fraction | exponential:base=1s,multiplier=8/5 | a fraction that prints as a decimal
ratio-fraction-unreduced | exponential:base=1s,multiplier=16/10 | a fraction that reduces
ratio-fraction-thirds | exponential:base=1s,multiplier=4/3 | a fraction that does not print as a decimal
ratio-fraction-zeros | exponential:base=1s,multiplier=0008/0005 | leading zeros
ratio-percent | exponential:base=1s,multiplier=160% | a percentage
ratio-percent-decimal | exponential:base=1s,multiplier=137.5% | a percentage with a dot
ratio-percent-zeros | exponential:base=1s,multiplier=150.000% | trailing zeros of a percentage are dropped
ratio-finest | exponential:base=1s,multiplier=1000000/499979 | the largest terms
ratio-64 | exponential:base=1s,multiplier={WORD_MAX}/{WORD_MAX // 3} | the largest first term
ratio-64-both | exponential:base=1s,multiplier={WORD_MAX}/{WORD_MAX} | the largest terms
ratio-large-terms | exponential:base=1s,multiplier=4294967294/2147483647 | terms of 32 bits that reduce
ratio-larger-terms | exponential:base=1s,multiplier=18446744073709551614/9223372036854775807 |
  terms of 64 bits that reduce
ratio-steepest | exponential:base=1s,multiplier=1000000 | the largest multiplier
ratio-hundredth | exponential:base=1s,multiplier=101% | 1.01 is the smallest multiplier above 1
ratio-one | exponential:base=1s,multiplier=5/5 | a multiplier of 1 is allowed
ratio-millionth | constant:base=1s,jitter=0.000001 | six digits after the dot
ratio-percent-finest | constant:base=1s,jitter=0.0001% | a millionth as a percentage
count-zeros | polynomial:base=1s,power=0003,origin=0 | leading zeros
count-many-zeros | constant:base=1s,max_retries={"0" * 100}5 | more leading zeros than a 64-bit number has digits
longest-line | constant:base={"0" * 1008}1s | 1024 bytes are allowed
"""
BUDGETS = """
budget-quota-every | quota:max_tokens=1000000,cost=1000000,cost_throttled=1,cost_timeout=2 | every field of a quota
budget-quota-defaults | quota:max_tokens=500,cost=5,cost_throttled=5,cost_timeout=5 |
  fields that equal their defaults are not printed
budget-quota-costs-follow | quota:cost=7,cost_throttled=7,cost_timeout=5 | costs that equal the cost are not printed
budget-quota-least | quota:max_tokens=1,cost=1 | one token
budget-throttle-most | throttle:max_tokens=1000,ratio=1/3 | gRPC's upper limit
budget-ratio-none | ratio:ratio=0 | a ratio of 0
budget-ratio-all | ratio:ratio=100%,max_tokens=1 | a ratio of 1
budget-rate-longest | rate:max_tokens=100000,per=1d | 100000 tokens a day
budget-rate-shortest | rate:max_tokens=1,per=1ns | one token a nanosecond
budget-rate-units | rate:per=60s | 60 s are a minute, the default
budget-ttl-ends | ttl:ttl=1s,min_per_second=1000000,ratio=0 | the limits of the fields
budget-ttl-longest | ttl:ttl=1m,min_per_second=0 | the longest ttl
budget-concurrent-most | concurrent:min_concurrent=4294967295,ratio=1/1 | the largest min_concurrent
budget-preset-override | aws-sdk-2026:max_tokens=100,cost_throttled=none | a preset with pairs
budget-preset-none | aws-sdk-2026:cost=none,cost_throttled=none | none removes all that a preset set
"""
