"""Lines, the errors of lines, and presets (SPEC 11, 12, 15.1)."""

from reference import delays, fields, parse_error, presets, printing, strings

from cases.policies import dump


def text_cases():
    def text(id, why, line, of="policy"):
        value = strings.parse(of, line)
        canonical = printing.printed(of, value)
        assert strings.parse(of, canonical) == value, line
        case = {"id": id, "why": why, "of": of, "text": line, "canonical": canonical}
        return case | ({"policy": dump(printing.shown(of, value))} if of == "policy" else {})

    def budget(id, why, line):
        return text(f"budget-{id}", why, line, of="budget")

    for growth in fields.KINDS["growth"]:
        yield text(f"head-{growth}", "a growth as the head", f"{growth}:base=1s")
    for head in strings.SHORTHANDS:
        yield text(f"head-{head}", "a pair as the head", f"{head}:base=100ms,cap=20s")
    yield text("head-preset-alone", "a preset is a whole line", "default")
    yield text("head-preset-override", "a pair stands in place of what the preset gave", "default:base=50ms,cap=10s")
    yield text(
        "head-preset-max_attempts", "max_attempts takes back the preset's max_retries", "default:max_attempts=10"
    )
    yield text("head-preset-max_attempts-none", "and does so when it gives nothing", "default:max_attempts=none")
    yield text("head-preset-jitter", "another jitter takes back the preset's slot", "envoy:jitter=full")
    yield text(
        "head-preset-jitter-same",
        "the same jitter takes it back too, so it is given again",
        "envoy:jitter=slotted,jitter_slot=2ms",
    )
    yield text(
        "head-preset-jitter-before", "the order of the pairs does not matter", "envoy:jitter_slot=2ms,jitter=slotted"
    )
    yield text(
        "head-preset-jitter-none", "whether it is the kind none or the word that takes back", "grpc-connect:jitter=none"
    )
    yield text("head-preset-jitter-ratio", "a ratio in place of a ratio", "grpc-connect:jitter=0.5")
    yield text("head-preset-jitter_above", "one part alone is replaced", "grpc-connect:jitter_above=0.3")
    yield text("head-preset-jitter_below-none", "one part alone is taken back", "grpc-connect:jitter_below=none")
    yield text(
        "head-preset-ratio-over-kind", "a ratio takes back the width of additive jitter", "google-cloud:jitter=0.1"
    )
    yield text(
        "head-preset-several",
        "kinds, counts and durations taken back",
        "grpc-retry:retry_after=none,max_retries=none,cap=none,jitter=none",
    )
    yield text(
        "head-preset-multiplier-none",
        "back to the default of the growth",
        "cenkalti-v4:multiplier=none,max_elapsed=none",
    )
    yield text(
        "head-decorrelated-cap_on-none",
        "what a pair as the head gave is taken back too",
        "decorrelated:base=1s,cap_on=none",
    )
    yield text("head-full-jitter", "a head that names a jitter, and another jitter", "full:base=1s,jitter=equal")
    yield text(
        "head-decorrelated-full",
        "decorrelated taken back: its cap on the delay stays",
        "decorrelated:base=1s,cap=9s,jitter=full",
    )
    yield text(
        "none-of-nothing",
        "none takes back what nothing gave",
        "constant:base=1s,cap=none,increment=none,jitter_slot=none,max_attempts=none",
    )
    yield text(
        "none-of-every-key",
        "every key takes none, but base is needed",
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
        "retry_after_max-default-minutes", "in whatever unit it is given", "constant:base=1s,retry_after_max=60m"
    )
    yield text("retry_after_max-more", "a nanosecond more is", "constant:base=1s,retry_after_max=3600000000001ns")
    yield text("retry_after_max-zero", "0 is neither none nor the default", "constant:base=1s,retry_after_max=0s")
    yield text("retry_after_max-preset", "a preset's default is 1 h too", "aws-sdk-2026:retry_after_max=none")
    yield text(
        "retry_after_max-every",
        "none of all three",
        "grpc-retry:retry_after=none,retry_after_max=none,retry_after_max_extra=none",
    )
    yield text(
        "retry_after_max_extra-longest",
        "of the other limit the longest duration is the default",
        "constant:base=1s,retry_after_max_extra=9223372036854775807ns",
    )
    yield text(
        "order", "pairs in any order, printed in theirs", "exponential:retry_after_max=3s,cap=20s,floor=1ms,base=1s"
    )
    yield text(
        "every-field",
        "every field that exponential growth can have",
        "exponential:base=1s,multiplier=3,offset=1s,cap=60s,cap_on=delay,floor=2s,jitter=proportional,jitter_below=0.1,jitter_above=0.2,max_retries=7,max_elapsed=1h,throttled_base=5s,retry_after=spread,retry_after_max=10s,retry_after_max_extra=4s",
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
        "what is given as its default is not printed",
        "exponential:base=1s,multiplier=2,offset=0s,cap=9223372036854775807ns,cap_on=window,floor=0s,jitter=none,max_retries=4294967296,max_elapsed=9223372036854775807ns,throttled_base=1s,retry_after=at_least,retry_after_max=1h,retry_after_max_extra=9223372036854775807ns",
    )
    yield text("defaults-given-linear", "an increment that is the base", "linear:base=1500ms,increment=1.5s")
    yield text("defaults-given-polynomial", "power 2 and origin 1", "polynomial:base=1s,power=2,origin=1")
    yield text(
        "defaults-given-additive",
        "a width that does not grow; the width itself is always printed",
        "constant:base=1s,jitter=additive,jitter_max=0s,jitter_increment=0s",
    )
    yield text(
        "defaults-given-decorrelated", "the multiplier of decorrelated is 3", "decorrelated:base=1s,multiplier=3"
    )
    yield text("decorrelated-two", "and 2 is not its default", "decorrelated:base=1s,multiplier=2")
    yield text("max_attempts", "printed as retries", "constant:base=1s,max_attempts=1")
    yield text("max_attempts-most", "2^32 retries are the default", "constant:base=1s,max_attempts=4294967297")
    yield text("max_retries-zero", "0 is not the default", "constant:base=1s,max_retries=0")
    yield text("growth-not-stalled", "the least base that 1.01 grows", "exponential:base=100ns,multiplier=1.01")

    yield text("jitter-ratio", "a ratio stands for both parts", "constant:base=1s,jitter=0.25")
    yield text("jitter-ratio-zero", "two parts of 0 print as one", "constant:base=1s,jitter=0")
    yield text("jitter-ratio-one", "the whole window", "constant:base=1s,jitter=100%")
    yield text(
        "jitter-parts-equal",
        "equal parts print as one, in lowest terms",
        "constant:base=1s,jitter=proportional,jitter_below=2/6,jitter_above=1/3",
    )
    yield text(
        "jitter-parts-zero", "as above, with 0", "constant:base=1s,jitter=proportional,jitter_below=0,jitter_above=0%"
    )
    yield text(
        "jitter-parts-unlike", "two parts", "constant:base=1s,jitter=proportional,jitter_below=1/3,jitter_above=0.5"
    )
    yield text(
        "jitter-below-alone",
        "the part above is 0, given or not",
        "constant:base=1s,jitter=proportional,jitter_below=0.5,jitter_above=0",
    )
    yield text(
        "jitter-above-alone",
        "the part below is 0",
        "constant:base=1s,jitter=proportional,jitter_below=0,jitter_above=0.5",
    )
    yield text(
        "jitter-above-alone-given",
        "the part below is not given",
        "constant:base=1s,jitter=proportional,jitter_above=0.5",
    )

    for unit, ns in fields.UNITS.items():
        yield text(f"unit-{unit}", f"{ns} ns each", f"constant:base=3{unit}")
        if ns > 1:
            yield text(f"unit-{unit}-half", "half of one", f"constant:base=0.5{unit}")
    for id, why, base in (
        ("zero", "zero is 0s in any unit", "0ns"),
        ("zero-days", "zero with digits after the dot", "000.000d"),
        ("leading-zeros", "zeros in front, zeros behind", "007.10s"),
        ("long-zeros", "more zeros than any integer has digits", "0" * 60 + "1." + "0" * 60 + "ms"),
        ("nanosecond", "the ninth digit of a second", "0.000000001s"),
        ("whole-ns", "a dot after which nothing is left", "5.0ns"),
        ("longest", "the longest duration", "9223372036854775807ns"),
        ("longest-days", "the most whole days", "106751d"),
        ("longest-seconds", "the longest, in seconds", "9223372036.854775807s"),
        ("long-fraction", "a part of a day that is a whole number of ns", "0.00000000015625d"),
        ("hours-from-seconds", "printed in the largest unit that divides it", "7200s"),
        ("minutes-from-seconds", "not in hours", "5400s"),
        ("days-from-hours", "24 h are a day", "48h"),
        ("days-not-from-hours", "25 h are none", "25h"),
    ):
        yield text(f"duration-{id}", why, f"constant:base={base}")
    for id, why, multiplier in (
        ("whole", "no dot", "3"),
        ("decimal", "a decimal", "1.6"),
        ("decimal-zeros", "zeros in front and behind", "01.60"),
        ("decimal-many-zeros", "zeros behind that would be a term above 2^64", "1.5" + "0" * 40),
        ("fraction", "prints as a decimal", "8/5"),
        ("fraction-unreduced", "in lowest terms", "16/10"),
        ("fraction-thirds", "prints as a fraction", "4/3"),
        ("fraction-zeros", "zeros in front", "0008/0005"),
        ("percent", "per hundred", "160%"),
        ("percent-decimal", "per hundred, with a dot", "137.5%"),
        ("percent-zeros", "zeros behind do not count", "150.000%"),
        ("finest", "the largest terms", "1000000/499979"),
        ("large-terms", "terms of 32 bits that reduce", "4294967294/2147483647"),
        ("larger-terms", "terms of 64 bits that reduce", "18446744073709551614/9223372036854775807"),
        ("steepest", "a million", "1000000"),
    ):
        yield text(f"ratio-{id}", why, f"exponential:base=1s,multiplier={multiplier}")
    yield text("ratio-hundredth", "1.01, the least above 1", "exponential:base=1s,multiplier=101%")
    yield text("ratio-one", "1, which is allowed", "exponential:base=1s,multiplier=5/5")
    yield text("ratio-millionth", "six digits after the dot", "constant:base=1s,jitter=0.000001")
    yield text("ratio-percent-finest", "the same as a percentage", "constant:base=1s,jitter=0.0001%")
    yield text("count-zeros", "zeros in front", "polynomial:base=1s,power=0003,origin=0")
    yield text("count-many-zeros", "more zeros than 64 bits have digits", f"constant:base=1s,max_retries={'0' * 100}5")
    yield text("longest-line", "1024 bytes are not too long", "constant:base=" + "0" * (1024 - 16) + "1s")

    for kind in fields.KINDS["budget"]:
        yield budget(kind, "a kind alone, with its defaults", kind)
    yield budget(
        "quota-every", "every field of a quota", "quota:max_tokens=1000000,cost=1000000,cost_throttled=1,cost_timeout=2"
    )
    yield budget("quota-defaults", "defaults given", "quota:max_tokens=500,cost=5,cost_throttled=5,cost_timeout=5")
    yield budget(
        "quota-costs-follow",
        "costs that equal the cost are not printed",
        "quota:cost=7,cost_throttled=7,cost_timeout=5",
    )
    yield budget("quota-least", "one token", "quota:max_tokens=1,cost=1")
    yield budget("throttle-most", "gRPC's largest", "throttle:max_tokens=1000,ratio=1/3")
    yield budget("ratio-none", "a ratio of 0", "ratio:ratio=0")
    yield budget("ratio-all", "a ratio of 1", "ratio:ratio=100%,max_tokens=1")
    yield budget("rate-longest", "100000 a day", "rate:max_tokens=100000,per=1d")
    yield budget("rate-shortest", "one a nanosecond", "rate:max_tokens=1,per=1ns")
    yield budget("rate-units", "60 s are a minute, the default", "rate:per=60s")
    yield budget("ttl-ends", "the ends of the ranges", "ttl:ttl=1s,min_per_second=1000000,ratio=0")
    yield budget("ttl-longest", "a minute", "ttl:ttl=1m,min_per_second=0")
    yield budget("concurrent-most", "2^32 - 1", "concurrent:min_concurrent=4294967295,ratio=1/1")
    yield budget("preset-override", "a preset and a pair", "aws-sdk-2026:max_tokens=100,cost_throttled=none")
    yield budget("preset-none", "all taken back", "aws-sdk-2026:cost=none,cost_throttled=none")


def text_error_cases():
    def error(id, why, line, of="policy"):
        try:
            strings.parse(of, line)
        except parse_error.ParseError as refused:
            return {
                "id": id,
                "why": why,
                "of": of,
                "text": line,
                "error": {
                    "code": refused.code,
                    "at": refused.at,
                    "found": refused.found,
                    "field": refused.field,
                    "value": str(refused.value),
                    "limit": str(refused.limit),
                    "message": str(refused),
                },
            }
        raise AssertionError(f"{id} is valid")

    def budget(id, why, line):
        return error(f"budget-{id}", why, line, of="budget")

    yield error("too-long", "one byte too many", "constant:base=" + "0" * (1024 - 15) + "1s")
    yield error("too-long-bytes", "bytes count, not characters", "constant:base=" + "ä" * 506)
    yield error("too-long-first", "before the head is looked at", "x" * 2000)
    yield budget("too-long", "of a budget too", "q" * 1025)

    for id, why, line in (
        ("empty", "nothing at all", ""),
        ("colon", "nothing before the colon", ":base=1s"),
        ("unknown", "no name", "fibbonacci:base=1s"),
        ("upper", "names are exact to the letter", "Full:base=1s"),
        ("space", "no space before the head", " full:base=1s"),
        ("space-after", "no space after it", "full :base=1s"),
        ("newline", "no line feed at the end", "default\n"),
        ("comma", "a comma does not end the head", "full,base=1s"),
        ("nul", "a zero byte", "full\0:base=1s"),
        ("prefix", "a part of a name", "ful"),
        ("umlaut", "found is text, shown byte by byte", "völl:base=1s"),
        ("quote", "a quote and a backslash are shown as they are", '"\\:x'),
        ("thirty-two", "32 bytes are shown whole", "x" * 32),
        ("thirty-three", "33 are not", "x" * 33),
        ("cut-letter", "cut in the middle of a letter", "x" * 31 + "ä"),
        ("wide", "letters of 3 and 4 bytes", "任务🚀"),
        ("delete", "the byte after ~, and ~", "~\x7f"),
        ("budget", "the head of a budget is none of a policy", "quota"),
        ("field", "the field's name is no head", "growth=full"),
    ):
        yield error(f"head-{id}", why, line)
    yield budget("head-growth", "the head of a policy is none of a budget", "full")
    yield budget("head-default", "nor are presets of policies", "default")

    for id, why, line in (
        ("empty", "a colon and nothing", "full:"),
        ("comma", "a comma and nothing", "full:base=1s,"),
        ("two-commas", "nothing between two commas", "full:base=1s,,cap=2s"),
        ("unknown", "no field", "full:base=1s,bass=2s"),
        ("growth", "the growth is the head alone", "full:growth=linear"),
        ("upper", "exact to the letter", "full:Base=1s"),
        ("space", "a space after a comma", "full:base=1s, cap=2s"),
        ("space-equals", "a space before an equals sign", "full:base =1s"),
        ("no-equals", "an unknown key alone", "full:base=1s,cup"),
        ("equals", "an empty key", "full:=1s"),
        ("colon", "a second colon", "full:base:1s"),
        ("preset", "a preset is no key", "full:base=1s,default"),
        ("budget", "a field of a budget", "full:base=1s,max_tokens=5"),
        ("accent", "found is text", "full:bäse=1s"),
        ("before-value", "an unknown key before its own value", "full:x="),
    ):
        yield error(f"key-{id}", why, line)
    yield budget("key-policy", "a field of a policy", "quota:base=1s")
    yield budget("key-unknown", "no field", "ratio:max_tokens=1,ratios=1")

    for id, why, line in (
        ("no-equals", "a key alone", "full:base"),
        ("nothing", "an equals sign and nothing", "full:base="),
        ("middle", "the end of the pair, not of the line", "full:base=1s,cap=,floor=1ms"),
        ("middle-no-equals", "a key alone in the middle", "full:base=1s,cap,floor=1ms"),
        ("jitter", "of a kind", "full:base=1s,jitter="),
        ("repeated", "before repeated_key", "full:base=1s,base="),
    ):
        yield error(f"value-{id}", why, line)
    yield budget("value-nothing", "of a budget", "throttle:ratio=")

    for id, why, base in (
        ("word", "a word", "soon"),
        ("unit", "a unit alone", "ms"),
        ("dot-first", "a dot needs a digit before it", ".5s"),
        ("dot-last", "and one after it", "1.s"),
        ("dot-last-alone", "and before the unit is missed", "1."),
        ("two-dots", "all digits and dots are taken", "1.2.3s"),
        ("dots", "dots alone", "..s"),
        ("dot-letter", "a dot before a letter", "1.x"),
        ("minus", "no sign", "-1s"),
        ("plus", "no sign", "+1s"),
        ("space", "no space in front", " 1s"),
        ("infinity", "no infinity", "inf"),
        ("arabic", "digits of another script are none", "٣s"),
        ("superscript", "nor are superscripts", "²s"),
        ("fraction", "a ratio is none, and has no unit", "/2s"),
        ("none-upper", "None is not none", "None"),
        ("none-more", "nor is none with more", "none1"),
        ("equals", "an equals sign belongs to the value", "=1s"),
        ("colon", "and so does a colon", ":1s"),
        ("long", "the value is shown cut off", "x" * 100),
    ):
        yield error(f"duration-{id}", why, f"full:base={base},cap=1h")
    for id, why, base in (
        ("number", "a number alone", "100"),
        ("zero", "not even zero goes without a unit", "0"),
        ("decimal", "with a dot", "1.5"),
        ("huge", "a number beyond 64 bits", "9" * 40),
    ):
        yield error(f"unit-missing-{id}", why, f"full:base={base},cap=1h")
    for id, why, base in (
        ("min", "min is m", "1min"),
        ("upper", "exact to the letter", "1S"),
        ("exponent", "no exponent", "1e3s"),
        ("space", "no space before the unit", "1 s"),
        ("space-after", "nor after it", "1s "),
        ("micro", "us is spelt with a u", "1µs"),
        ("two", "one number and one unit", "1h30m"),
        ("comma", "a comma ends a pair, so this is the unit x", "1x"),
        ("underscore", "no separators", "1_000ms"),
        ("percent", "a percentage is a ratio", "5%"),
        ("fraction", "a fraction too", "1/2s"),
        ("dot-after", "what comes after the unit belongs to it", "1s.5"),
        ("nothing-before-fine", "the unit before the fineness", "0.1x"),
        ("nul", "a zero byte", "1s\0"),
    ):
        yield error(f"unit-{id}", why, f"full:base={base}")
    for id, why, base in (
        ("half-ns", "half a nanosecond", "0.5ns"),
        ("us", "a ten thousandth of a microsecond", "1.0001us"),
        ("s", "the tenth digit of a second", "0.0000000001s"),
        ("day", "no power of ten divides a day into thirds", "0.3333333333333333d"),
        ("huge", "before it is too large", "9" * 40 + ".5ns"),
        ("long", "more digits than 64 bits have", "0." + "0" * 60 + "1s"),
    ):
        yield error(f"fine-{id}", why, f"full:base={base}")
    for id, why, line in (
        ("decimal", "no dot", "polynomial:base=1s,power=2.0"),
        ("minus", "no sign", "constant:base=1s,max_retries=-1"),
        ("hexadecimal", "no other base", "constant:base=1s,max_retries=0x10"),
        ("unit", "no unit", "constant:base=1s,max_attempts=3s"),
        ("space", "no space", "constant:base=1s,max_retries=3 "),
        ("arabic", "digits of another script are none", "polynomial:base=1s,power=٣"),
        ("superscript", "nor are superscripts", "polynomial:base=1s,power=²"),
        ("word", "a word", "polynomial:base=1s,origin=first"),
    ):
        yield error(f"count-{id}", why, line)
    yield budget("count-decimal", "a count of a budget", "quota:cost=1.5")
    for id, why, multiplier in (
        ("word", "a word", "fast"),
        ("dot-first", "a dot needs a digit before it", ".5"),
        ("dot-last", "and one after it", "2."),
        ("two-dots", "one dot", "1.2.3"),
        ("minus", "no sign", "-2"),
        ("exponent", "no exponent", "1e3"),
        ("unit", "no unit", "2x"),
        ("fraction-dot", "terms are digits", "1.5/2"),
        ("fraction-dot-below", "terms are digits", "3/1.5"),
        ("fraction-percent", "a fraction is no percentage", "3/2%"),
        ("fraction-open", "nothing below", "3/"),
        ("fraction-empty", "nothing above", "/2"),
        ("fraction-three", "one slash", "8/5/2"),
        ("percent-alone", "a number before it", "%"),
        ("percent-two", "one of them", "200%%"),
        ("percent-first", "after the number", "%200"),
        ("percent-fraction", "no fraction of percentages", "200%/1"),
        ("percent-space", "no space", "200 %"),
        ("comma", "a decimal comma ends the pair", "x1"),
        ("arabic", "digits of another script are none", "٢"),
        ("superscript", "nor are superscripts", "²"),
    ):
        yield error(f"ratio-{id}", why, f"exponential:base=1s,multiplier={multiplier}")
    yield error("ratio-decimal-comma", "a decimal comma begins a pair", "exponential:base=1s,multiplier=1,6")
    yield error("ratio-jitter", "a digit first makes it a ratio", "exponential:base=1s,jitter=0x")
    yield error("ratio-jitter-word", "a digit first, a word after it", "exponential:base=1s,jitter=1full")
    yield error("ratio-jitter_above", "of another key", "exponential:base=1s,jitter=proportional,jitter_above=full")
    yield budget("ratio-word", "a ratio of a budget", "concurrent:ratio=half")
    for id, why, multiplier in (
        ("one", "over 0", "1/0"),
        ("zero", "0 over 0", "0/0"),
        ("zeros", "over many zeros", "1/0000"),
        ("huge", "before its terms are measured", "9" * 30 + "/0"),
    ):
        yield error(f"zero-denominator-{id}", why, f"exponential:base=1s,multiplier={multiplier}")
    yield error("zero-denominator-jitter", "as a jitter", "exponential:base=1s,jitter=1/0")
    for id, why, multiplier in (
        ("64", "a term of 65 bits, whatever it would reduce to", "36893488147419103232/18446744073709551616"),
        ("64-zero", "even over it", "0/18446744073709551616"),
        ("32", "a term of 33 bits in lowest terms", "4294967296"),
        ("32-below", "below the line", "4294967297/4294967296"),
        ("decimal", "20 digits after the dot", "1.00000000000000000001"),
        ("percent", "18 digits after the dot, and two of the percentage", "100.000000000000000001%"),
        ("long", "a number of 500 digits", "1" * 500),
    ):
        yield error(f"ratio-terms-{id}", why, f"exponential:base=1s,multiplier={multiplier}")
    yield error("ratio-terms-jitter", "as a jitter", f"exponential:base=1s,jitter=0.{'0' * 30}1")
    yield budget("ratio-terms", "of a budget", "ttl:ratio=0.000000000000000000001")
    for id, why, line in (
        ("jitter", "no kind, and no digit", "constant:base=1s,jitter=some"),
        ("jitter-dot", "a dot is no digit", "constant:base=1s,jitter=.5"),
        ("jitter-minus", "nor is a sign", "constant:base=1s,jitter=-0.5"),
        ("jitter-arabic", "nor is one of another script", "constant:base=1s,jitter=٣"),
        ("jitter-superscript", "nor is a superscript", "constant:base=1s,jitter=²"),
        ("cap_on", "no kind", "constant:base=1s,cap_on=jitter"),
        ("cap_on-number", "the number of a kind is not its name", "constant:base=1s,cap_on=1"),
        ("retry_after", "no kind", "constant:base=1s,retry_after=atleast"),
        ("retry_after-upper", "exact to the letter", "constant:base=1s,retry_after=Exact"),
    ):
        yield error(f"kind-{id}", why, line)
    for id, why, line in (
        ("same", "the same key", "full:base=1s,base=1s"),
        ("later", "with others between", "full:base=1s,cap=5s,floor=1ms,cap=6s"),
        ("none", "none and a value", "full:base=none,base=1s"),
        ("none-after", "a value and none", "default:cap=3s,cap=none"),
        ("none-none", "none twice", "default:cap=none,cap=none"),
        ("retry_after_max", "none gives a value, so to speak", "default:retry_after_max=none,retry_after_max=1s"),
        ("retry_after_max-none", "none after a value", "default:retry_after_max=1s,retry_after_max=none"),
        ("jitter", "two jitters", "default:jitter=none,jitter=equal"),
        ("ratio-then-part", "a ratio gives both parts", "constant:base=1s,jitter=0.5,jitter_above=0.1"),
        ("ratio-then-part-none", "even if the part is none", "constant:base=1s,jitter=0.5,jitter_below=none"),
        ("part-then-ratio", "the other way round", "constant:base=1s,jitter_above=0.1,jitter=0.5"),
        (
            "part-none-then-ratio",
            "a key counts, even if it gave nothing",
            "constant:base=1s,jitter_below=none,jitter=0.5",
        ),
        ("value-first", "the value is read before", "full:base=1s,base=1"),
        ("three", "the first that repeats", "full:base=1s,cap=1s,cap=1s,base=1s"),
    ):
        yield error(f"repeated-{id}", why, line)
    yield budget("repeated", "of a budget", "quota:cost=1,cost=2")

    for id, why, line in (
        ("base-missing", "nothing gave it: the end of the line", "full"),
        ("base-missing-pairs", "the end of the line, after its pairs", "full:cap=20s"),
        ("base-none", "none is the pair of its field", "default:base=none"),
        ("base-none-of-nothing", "even where nothing was given", "full:base=none,cap=5s"),
        ("jitter_max-missing", "nothing gave it", "constant:base=1s,jitter=additive"),
        ("jitter_slot-taken-back", "taken back by the jitter, so not by the head", "envoy:jitter=slotted"),
        ("jitter_below-taken-back", "taken back by the jitter", "grpc-connect:jitter=proportional"),
        ("jitter_below-none", "taken back by its key", "k8s-conflict:jitter_above=none"),
        ("jitter_below-both-none", "taken back by its key", "grpc-connect:jitter_above=none,jitter_below=none"),
        ("not-exponential", "the growth is the head", "sidekiq:jitter=decorrelated"),
        ("not-exponential-growth", "the growth is the head", "linear:base=1s,jitter=decorrelated"),
        ("unused", "at the key", "constant:base=1s,multiplier=2"),
        ("unused-later", "the first by number, not by place", "constant:power=2,base=1s,multiplier=2,increment=1s"),
        ("unused-jitter", "by the jitter", "full:base=1s,jitter_above=0.5"),
        ("unused-head", "given by the head", "gax:jitter=decorrelated,offset=1s"),
        ("unused-head-preset", "given by the preset, unused by the new jitter", "oban:jitter=decorrelated"),
        ("unused-ratio", "a ratio gives no slot", "constant:base=1s,jitter=0.5,jitter_slot=1s"),
        ("jitter_max-unused", "the jitter is taken back, the pair is not", "google-cloud:jitter_max=2s,jitter=none"),
        ("given-twice", "at the key of max_attempts", "full:base=1s,max_retries=2,max_attempts=3"),
        ("given-twice-order", "whichever stands first", "full:base=1s,max_attempts=3,max_retries=2"),
        ("too-large", "at the value", "full:base=9223372036854775808ns"),
        ("too-large-days", "a duration beyond 64 bits counts as all ones", "full:base=300000d"),
        ("too-large-digits", "a number of 60 digits too", f"full:base={'9' * 60}s"),
        ("too-large-count", "a count beyond 64 bits", "constant:base=1s,max_retries=18446744073709551616"),
        ("too-large-retries", "one above 2^32", "constant:base=1s,max_retries=4294967297"),
        ("too-large-attempts", "one above 2^32 + 1", "constant:base=1s,max_attempts=4294967298"),
        ("too-large-elapsed", "one nanosecond too long", "constant:base=1s,max_elapsed=9223372036854775808ns"),
        (
            "too-large-retry_after_max",
            "one nanosecond too long",
            "constant:base=1s,retry_after_max=9223372036854775808ns",
        ),
        (
            "too-large-retry_after_max_extra",
            "one nanosecond too long",
            "constant:base=1s,retry_after_max_extra=9223372036854775808ns",
        ),
        ("too-small-attempts", "no attempt at all", "default:max_attempts=0"),
        ("too-small-power", "power 0", "polynomial:base=1s,power=0"),
        ("too-small-slot", "a slot of 0", "constant:base=1s,jitter=slotted,jitter_slot=0s"),
        ("too-small-multiplier", "below 1", "exponential:base=1s,multiplier=0.5"),
        ("too-small-multiplier-near", "between 1 and 1.01", "exponential:base=1s,multiplier=100.5%"),
        (
            "too-large-jitter",
            "a ratio given as the jitter: field jitter_below, at the jitter",
            "constant:base=1s,jitter=1.5",
        ),
        ("too-large-jitter-unreduced", "the value is in lowest terms", "constant:base=1s,jitter=150%"),
        ("too-large-jitter_above", "above 1", "constant:base=1s,jitter=proportional,jitter_above=3/2"),
        ("ratio-too-fine", "a term above a million: the words of clause 8", "exponential:base=1s,multiplier=1000001"),
        ("ratio-too-fine-decimal", "seven digits after the dot", "exponential:base=1s,multiplier=1.0000001"),
        ("ratio-too-fine-64", "terms of 64 bits that reduce to 32", "exponential:base=1s,multiplier=0.0000000004"),
        ("ratio-too-fine-jitter", "as the jitter", "constant:base=1s,jitter=1/1000001"),
        ("cap-below-base", "at the value of the cap", "full:base=30s,cap=20s"),
        ("cap-below-base-head", "the cap is the preset's", "default:base=30s"),
        ("cap-below-base-order", "at the cap, though it stands first", "full:cap=20s,base=30s"),
        ("offset-above-cap", "at the offset", "full:base=1s,cap=2s,offset=3s"),
        ("offset-above-cap-head", "the offset is the preset's", "oban:cap=5s"),
        ("floor-above-cap", "at the floor", "full:base=1s,cap=2s,floor=3s"),
        ("floor-above-cap-head", "the floor is the preset's", "gax:base=0s,cap=0s"),
        ("growth-stalls", "at the base", "exponential:base=1ns,multiplier=1.5"),
        ("growth-stalls-head", "the base is the preset's", "ethernet:multiplier=1.01,base=5ns"),
        ("throttled-above-cap", "at throttled_base", "full:base=1s,cap=2s,throttled_base=3s"),
        ("throttled-above-cap-head", "throttled_base is the preset's", "aws-sdk-2026:cap=500ms"),
        ("throttled-stalls", "at throttled_base", "exponential:base=1s,multiplier=1.5,throttled_base=1ns"),
        ("zero-cap", "0 is a cap", "constant:base=1s,cap=0s"),
        ("first-by-clause", "the rule decides, not the place", "polynomial:floor=9s,cap=1s,power=17,base=5s"),
        ("syntax-first", "all pairs are read before any rule of clause 8", "constant:base=9999999d,multiplier=2,cap=x"),
    ):
        yield error(f"rule-{id}", why, line)
    yield error("rule-end", "the end of a line of many bytes", "linear:" + "cap=" + "0" * 900 + "1s")

    for id, why, line in (
        ("unused", "a field of another kind", "quota:ratio=0.1"),
        ("unused-first", "the first by number, not by place", "rate:ttl=5s,cost=1"),
        ("unused-ratio", "a ratio's value is its word", "rate:ratio=1/4"),
        ("unused-duration", "a duration", "throttle:per=90s"),
        ("unused-preset", "of a preset's kind", "finagle:max_tokens=5"),
        ("unused-before-range", "unused, though it is out of range too", "rate:ratio=3/2"),
        ("tokens-zero", "no token", "quota:max_tokens=0"),
        ("tokens-quota", "a million is the most", "quota:max_tokens=1000001"),
        ("tokens-ratio", "a million is the most", "ratio:max_tokens=1000001"),
        ("tokens-throttle", "1000 is gRPC's most", "throttle:max_tokens=1001"),
        ("tokens-rate", "100000 is the most", "rate:max_tokens=100001"),
        ("tokens-huge", "beyond 64 bits", "rate:max_tokens=99999999999999999999999"),
        ("cost-zero", "a retry that costs nothing", "quota:cost=0"),
        ("cost-above", "a cost above the tokens", "quota:max_tokens=10,cost=11"),
        ("cost-default", "a default above the tokens: the end of the line", "quota:max_tokens=4"),
        ("cost-preset", "a preset's cost above the tokens: the head", "aws-sdk-2026:max_tokens=10"),
        ("cost_throttled-above", "a cost above the tokens", "quota:max_tokens=10,cost_throttled=11"),
        ("cost_timeout-above", "a cost above the tokens", "quota:max_tokens=10,cost_timeout=11"),
        ("cost_timeout-zero", "a retry that costs nothing", "quota:cost_timeout=0"),
        ("cost_timeout-preset", "the preset's cost of a timeout", "aws-sdk-standard:max_tokens=9"),
        ("ratio-above", "above 1", "ratio:ratio=3/2"),
        ("ratio-above-unreduced", "the value is in lowest terms", "throttle:ratio=150%"),
        ("ratio-fine", "a term above a million", "ttl:ratio=1/1000001"),
        ("ratio-zero-denominator", "over 0", "concurrent:ratio=1/0"),
        ("per-zero", "no time at all", "rate:per=0s"),
        ("per-long", "more than a day", "rate:per=86401s"),
        ("ttl-short", "less than a second", "ttl:ttl=999ms"),
        ("ttl-long", "more than a minute", "ttl:ttl=61s"),
        ("min_per_second-large", "a million is the most", "ttl:min_per_second=1000001"),
        ("min_concurrent-large", "32 bits", "concurrent:min_concurrent=4294967296"),
        ("order", "max_tokens before cost", "quota:cost=0,max_tokens=0"),
        ("missing_unit", "a duration without its unit", "rate:per=60"),
        ("not_a_duration", "no duration", "ttl:ttl=short"),
        ("unknown_unit", "no unit", "ttl:ttl=10sec"),
        ("duration_too_fine", "half a nanosecond", "rate:per=0.5ns"),
    ):
        yield budget(id, why, line)


def preset_cases():
    for of, strings_of in presets.PRESETS.items():
        for preset, line in strings_of.items():
            value = strings.parse(of, preset)
            assert value == strings.parse(of, line)
            case = {
                "id": f"{of}-{preset}",
                "why": f"the {of} of that name",
                "of": of,
                "preset": preset,
                "string": line,
                "canonical": printing.printed(of, value),
            }
            if of == "policy":
                case["windows"] = [str(delays.window(value, index)) for index in range(10)]
            yield case
