"""Valid policy and budget strings, and presets (SPEC 11, 12, 15.1)."""

from reference import delays, fields, presets, printing, strings

from cases.table import dump


def text_cases():
    def text(id, why, string, of="policy"):
        value = strings.parse(of, string)
        canonical = printing.printed(of, value)
        assert strings.parse(of, canonical) == value, string
        case = {"id": id, "why": why, "of": of, "text": string, "canonical": canonical}
        return case | ({"policy": dump(printing.shown(of, value))} if of == "policy" else {})

    def budget(id, why, string):
        return text(f"budget-{id}", why, string, of="budget")

    for growth in fields.KINDS["growth"]:
        yield text(f"head-{growth}", "a growth as the head", f"{growth}:base=1s")
    for head in strings.SHORTHANDS:
        yield text(f"head-{head}", "a shorthand as the head", f"{head}:base=100ms,cap=20s")
    yield text("head-preset-alone", "a preset without pairs", "default")
    yield text("head-preset-override", "pairs replace the values of the preset", "default:base=50ms,cap=10s")
    yield text("head-preset-max_attempts", "max_attempts removes the preset's max_retries", "default:max_attempts=10")
    yield text(
        "head-preset-max_attempts-none",
        "max_attempts=none removes the preset's max_retries, too",
        "default:max_attempts=none",
    )
    yield text("head-preset-jitter", "another jitter removes the preset's slot", "envoy:jitter=full")
    yield text(
        "head-preset-jitter-same",
        "the same jitter removes the slot, too, so it is set again",
        "envoy:jitter=slotted,jitter_slot=2ms",
    )
    yield text(
        "head-preset-jitter-before",
        "jitter removes nothing that another pair sets, in any order",
        "envoy:jitter_slot=2ms,jitter=slotted",
    )
    yield text("head-preset-jitter-none", "jitter=none removes the preset's ratios", "grpc-connect:jitter=none")
    yield text("head-preset-jitter-ratio", "a ratio replaces the preset's ratio", "grpc-connect:jitter=0.5")
    yield text(
        "head-preset-jitter_above", "only one of the preset's ratios is replaced", "grpc-connect:jitter_above=0.3"
    )
    yield text(
        "head-preset-jitter_below-none", "only one of the preset's ratios is removed", "grpc-connect:jitter_below=none"
    )
    yield text("head-preset-ratio-over-kind", "a ratio removes the preset's jitter_max", "google-cloud:jitter=0.1")
    yield text(
        "head-preset-several",
        "none removes kinds, counts and durations",
        "grpc-retry:retry_after=none,max_retries=none,cap=none,jitter=none",
    )
    yield text(
        "head-preset-multiplier-none",
        "none restores the default multiplier",
        "cenkalti-v4:multiplier=none,max_elapsed=none",
    )
    yield text("head-decorrelated-cap_on-none", "none removes what a shorthand set", "decorrelated:base=1s,cap_on=none")
    yield text("head-full-jitter", "a pair replaces the jitter of a shorthand", "full:base=1s,jitter=equal")
    yield text(
        "head-decorrelated-full",
        "another jitter keeps the shorthand's cap on the delay",
        "decorrelated:base=1s,cap=9s,jitter=full",
    )
    yield text(
        "none-of-nothing",
        "none for fields that are not set",
        "constant:base=1s,cap=none,increment=none,jitter_slot=none,max_attempts=none",
    )
    yield text(
        "none-of-every-key",
        "every key accepts none, but base is required",
        "constant:base=1s," + ",".join(f"{key}=none" for key in strings.KEYS["policy"] if key != "base"),
    )

    yield text("retry_after_max-none", "no limit prints as none", "constant:base=1s,retry_after_max=none")
    yield text(
        "retry_after_max-longest",
        "the longest duration is no limit",
        "constant:base=1s,retry_after_max=9223372036854775807ns",
    )
    yield text(
        "retry_after_max-longest-but-one",
        "a nanosecond less is a limit",
        "constant:base=1s,retry_after_max=9223372036854775806ns",
    )
    yield text("retry_after_max-default", "the default is not printed", "constant:base=1s,retry_after_max=1h")
    yield text(
        "retry_after_max-default-minutes",
        "the default in another unit is not printed",
        "constant:base=1s,retry_after_max=60m",
    )
    yield text(
        "retry_after_max-more",
        "a nanosecond more than the default is printed",
        "constant:base=1s,retry_after_max=3600000000001ns",
    )
    yield text("retry_after_max-zero", "0 is neither none nor the default", "constant:base=1s,retry_after_max=0s")
    yield text(
        "retry_after_max-preset", "none lifts the default limit of a preset", "aws-sdk-2026:retry_after_max=none"
    )
    yield text(
        "retry_after_max-every",
        "none for all three fields",
        "grpc-retry:retry_after=none,retry_after_max=none,retry_after_max_extra=none",
    )
    yield text(
        "retry_after_max_extra-longest",
        "the longest duration is the default of retry_after_max_extra",
        "constant:base=1s,retry_after_max_extra=9223372036854775807ns",
    )
    yield text(
        "order",
        "pairs in any order are printed by field number",
        "exponential:retry_after_max=3s,cap=20s,floor=1ms,base=1s",
    )
    yield text(
        "every-field",
        "every field that exponential growth and proportional jitter use",
        "exponential:base=1s,multiplier=3,offset=1s,cap=60s,cap_on=delay,floor=2s"
        ",jitter=proportional,jitter_below=0.1,jitter_above=0.2,max_retries=7,max_elapsed=1h"
        ",throttled_base=5s,retry_after=spread,retry_after_max=10s,retry_after_max_extra=4s",
    )
    yield text(
        "every-field-linear",
        "the fields of linear growth and of additive jitter",
        "linear:base=1s,increment=2s,jitter=additive,jitter_max=3s,jitter_increment=4s",
    )
    yield text(
        "every-field-polynomial",
        "the fields of polynomial growth and of slotted jitter",
        "polynomial:base=1s,power=3,origin=0,jitter=slotted,jitter_slot=100ms",
    )
    yield text(
        "defaults-given",
        "fields that equal their defaults are not printed",
        "exponential:base=1s,multiplier=2,offset=0s,cap=9223372036854775807ns,cap_on=window,floor=0s,jitter=none"
        ",max_retries=4294967296,max_elapsed=9223372036854775807ns,throttled_base=1s,retry_after=at_least"
        ",retry_after_max=1h,retry_after_max_extra=9223372036854775807ns",
    )
    yield text(
        "defaults-given-linear", "an increment that equals the base is not printed", "linear:base=1500ms,increment=1.5s"
    )
    yield text(
        "defaults-given-polynomial", "power 2 and origin 1 are the defaults", "polynomial:base=1s,power=2,origin=1"
    )
    yield text(
        "defaults-given-additive",
        "jitter_max is always printed, jitter_increment of 0 is not",
        "constant:base=1s,jitter=additive,jitter_max=0s,jitter_increment=0s",
    )
    yield text(
        "defaults-given-decorrelated",
        "the default multiplier of decorrelated jitter is 3",
        "decorrelated:base=1s,multiplier=3",
    )
    yield text(
        "decorrelated-two",
        "2 is not the default multiplier of decorrelated jitter",
        "decorrelated:base=1s,multiplier=2",
    )
    yield text("max_attempts", "max_attempts is printed as max_retries", "constant:base=1s,max_attempts=1")
    yield text("max_attempts-most", "2^32 retries are the default", "constant:base=1s,max_attempts=4294967297")
    yield text("max_retries-zero", "0 is not the default", "constant:base=1s,max_retries=0")
    yield text("growth-not-stalled", "the smallest base that grows with 1.01", "exponential:base=100ns,multiplier=1.01")

    yield text("jitter-ratio", "a ratio sets jitter_below and jitter_above", "constant:base=1s,jitter=0.25")
    yield text("jitter-ratio-zero", "two ratios of 0 print as one", "constant:base=1s,jitter=0")
    yield text("jitter-ratio-one", "a ratio of 1", "constant:base=1s,jitter=100%")
    yield text(
        "jitter-parts-equal",
        "equal ratios print as one, in lowest terms",
        "constant:base=1s,jitter=proportional,jitter_below=2/6,jitter_above=1/3",
    )
    yield text(
        "jitter-parts-zero",
        "equal ratios of 0 print as one",
        "constant:base=1s,jitter=proportional,jitter_below=0,jitter_above=0%",
    )
    yield text(
        "jitter-parts-unlike",
        "different ratios print as two fields",
        "constant:base=1s,jitter=proportional,jitter_below=1/3,jitter_above=0.5",
    )
    yield text(
        "jitter-below-alone",
        "a jitter_above of 0 is not printed",
        "constant:base=1s,jitter=proportional,jitter_below=0.5,jitter_above=0",
    )
    yield text(
        "jitter-above-alone",
        "a jitter_below of 0 is not printed",
        "constant:base=1s,jitter=proportional,jitter_below=0,jitter_above=0.5",
    )
    yield text(
        "jitter-above-alone-given", "jitter_below is not set", "constant:base=1s,jitter=proportional,jitter_above=0.5"
    )

    for unit, ns in fields.UNITS.items():
        yield text(f"unit-{unit}", f"{ns} ns each", f"constant:base=3{unit}")
        if ns > 1:
            yield text(f"unit-{unit}-half", "half a unit", f"constant:base=0.5{unit}")
    for id, why, base in (
        ("zero", "zero prints as 0s", "0ns"),
        ("zero-days", "zero with digits after the dot", "000.000d"),
        ("leading-zeros", "leading and trailing zeros", "007.10s"),
        ("long-zeros", "more zeros than a 64-bit number has digits", "0" * 60 + "1." + "0" * 60 + "ms"),
        ("nanosecond", "the ninth digit of a second", "0.000000001s"),
        ("whole-ns", "a fraction of 0", "5.0ns"),
        ("longest", "the longest duration", "9223372036854775807ns"),
        ("longest-days", "the most whole days", "106751d"),
        ("longest-seconds", "the longest, in seconds", "9223372036.854775807s"),
        ("long-fraction", "a fraction of a day that is a whole number of nanoseconds", "0.00000000015625d"),
        ("hours-from-seconds", "printed in the largest unit that divides it", "7200s"),
        ("minutes-from-seconds", "printed in minutes, because hours do not divide it", "5400s"),
        ("days-from-hours", "48 h print as 2 days", "48h"),
        ("days-not-from-hours", "25 h do not print in days", "25h"),
    ):
        yield text(f"duration-{id}", why, f"constant:base={base}")
    for id, why, multiplier in (
        ("whole", "a ratio without a dot", "3"),
        ("decimal", "a decimal ratio", "1.6"),
        ("decimal-zeros", "leading and trailing zeros", "01.60"),
        ("decimal-many-zeros", "trailing zeros are dropped before the terms are checked", "1.5" + "0" * 40),
        ("decimal-25-zeros", "more trailing zeros than a 64-bit power of ten has", "1.5" + "0" * 25),
        ("fraction", "a fraction that prints as a decimal", "8/5"),
        ("fraction-unreduced", "a fraction that reduces", "16/10"),
        ("fraction-thirds", "a fraction that does not print as a decimal", "4/3"),
        ("fraction-zeros", "leading zeros", "0008/0005"),
        ("percent", "a percentage", "160%"),
        ("percent-decimal", "a percentage with a dot", "137.5%"),
        ("percent-zeros", "trailing zeros of a percentage are dropped", "150.000%"),
        ("finest", "the largest terms", "1000000/499979"),
        ("large-terms", "terms of 32 bits that reduce", "4294967294/2147483647"),
        ("larger-terms", "terms of 64 bits that reduce", "18446744073709551614/9223372036854775807"),
        ("steepest", "the largest multiplier", "1000000"),
    ):
        yield text(f"ratio-{id}", why, f"exponential:base=1s,multiplier={multiplier}")
    yield text("ratio-hundredth", "1.01 is the smallest multiplier above 1", "exponential:base=1s,multiplier=101%")
    yield text("ratio-one", "a multiplier of 1 is allowed", "exponential:base=1s,multiplier=5/5")
    yield text("ratio-millionth", "six digits after the dot", "constant:base=1s,jitter=0.000001")
    yield text("ratio-percent-finest", "a millionth as a percentage", "constant:base=1s,jitter=0.0001%")
    yield text("count-zeros", "leading zeros", "polynomial:base=1s,power=0003,origin=0")
    yield text(
        "count-many-zeros",
        "more leading zeros than a 64-bit number has digits",
        f"constant:base=1s,max_retries={'0' * 100}5",
    )
    yield text("longest-line", "1024 bytes are allowed", "constant:base=" + "0" * (1024 - 16) + "1s")

    for kind in fields.KINDS["budget"]:
        yield budget(kind, "only the kind, with its defaults", kind)
    yield budget(
        "quota-every", "every field of a quota", "quota:max_tokens=1000000,cost=1000000,cost_throttled=1,cost_timeout=2"
    )
    yield budget(
        "quota-defaults",
        "fields that equal their defaults are not printed",
        "quota:max_tokens=500,cost=5,cost_throttled=5,cost_timeout=5",
    )
    yield budget(
        "quota-costs-follow",
        "costs that equal the cost are not printed",
        "quota:cost=7,cost_throttled=7,cost_timeout=5",
    )
    yield budget("quota-least", "one token", "quota:max_tokens=1,cost=1")
    yield budget("throttle-most", "gRPC's upper limit", "throttle:max_tokens=1000,ratio=1/3")
    yield budget("ratio-none", "a ratio of 0", "ratio:ratio=0")
    yield budget("ratio-all", "a ratio of 1", "ratio:ratio=100%,max_tokens=1")
    yield budget("rate-longest", "100000 tokens a day", "rate:max_tokens=100000,per=1d")
    yield budget("rate-shortest", "one token a nanosecond", "rate:max_tokens=1,per=1ns")
    yield budget("rate-units", "60 s are a minute, the default", "rate:per=60s")
    yield budget("ttl-ends", "the limits of the fields", "ttl:ttl=1s,min_per_second=1000000,ratio=0")
    yield budget("ttl-longest", "the longest ttl", "ttl:ttl=1m,min_per_second=0")
    yield budget("concurrent-most", "the largest min_concurrent", "concurrent:min_concurrent=4294967295,ratio=1/1")
    yield budget("preset-override", "a preset with pairs", "aws-sdk-2026:max_tokens=100,cost_throttled=none")
    yield budget("preset-none", "none removes all that a preset set", "aws-sdk-2026:cost=none,cost_throttled=none")


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
