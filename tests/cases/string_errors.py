"""Policy and budget strings that cannot be read (SPEC 11.5), and all cases of text_errors.json."""

from reference.parse_error import PEERS
from reference.strings import HEADS, KEYS

from cases import string_rules
from cases.invalid_strings import budget, error


def text_error_cases():
    yield from unreadable()
    yield from reasons()
    yield from string_rules.broken_rules()


def unreadable():
    for id, why, waits in (
        ("empty-first", "nothing before the slash", "/5s"),
        ("empty-last", "nothing after the slash", "1s/"),
        ("empty-middle", "nothing between two slashes", "1s//5s"),
        ("unit", "a wait without a unit, at its end", "1s/5/9s"),
        ("unknown-unit", "the unit of the second wait", "1s/5sec/9s"),
        ("two-units", "a duration has one unit", "1s/1m30s"),
        ("too-fine", "a fraction of a nanosecond", "1s/0.5ns/2s"),
        ("not-a-duration", "the last wait", "1s/2s/fast"),
        ("semicolon", "only a slash separates", "1s;2s"),
        ("space", "a space after the slash", "1s/ 2s"),
        ("none", "none is no wait", "1s/none"),
        ("many", "the seventeenth wait is read, too", "1s/" * 16 + "x"),
    ):
        yield error(f"waits-{id}", why, f"steps:waits={waits},cap=1h")
    yield error("waits-equals", "waits need a value", "steps:waits=,cap=1h")
    yield error("waits-repeated", "a second list", "steps:waits=1s,waits=2s")
    yield error("elapsed_from-unknown", "a kind that does not exist", "default:elapsed_from=start")
    yield error("too-long", "1025 bytes", "constant:base=" + "0" * (1024 - 15) + "1s")
    yield error("too-long-bytes", "the limit counts bytes, not characters", "constant:base=" + "ä" * 506)
    for id, tail in (("2", "ä"), ("3", "任"), ("4", "🚀")):
        for length in (1023, 1024, 1025, 1026):
            zeros = length - len("constant:base=") - len(f"1s{tail}".encode())
            yield error(
                f"too-long-bytes-{id}-{length}",
                f"{length} bytes, the last {id} of which are one character",
                f"constant:base={'0' * zeros}1s{tail}",
            )
    yield error("too-long-first", "the length is checked before the head", "x" * 2000)
    yield budget("too-long", "the limit holds for budget strings, too", "q" * 1025)

    for id, why, string in (
        ("empty", "an empty string", ""),
        ("colon", "an empty head", ":base=1s"),
        ("unknown", "an unknown name", "fibbonacci:base=1s"),
        ("upper", "names are case-sensitive", "Full:base=1s"),
        ("space", "a space before the head", " full:base=1s"),
        ("space-after", "a space after the head", "full :base=1s"),
        ("newline", "a line feed at the end", "default\n"),
        ("comma", "a comma does not end the head", "full,base=1s"),
        ("nul", "a zero byte", "full\0:base=1s"),
        ("prefix", "a prefix of a name", "ful"),
        ("umlaut", "a non-ASCII head is shown byte by byte", "völl:base=1s"),
        ("quote", "a quote and a backslash are shown as they are", '"\\:x'),
        ("thirty-two", "32 bytes are shown whole", "x" * 32),
        ("thirty-three", "the 33rd byte is cut", "x" * 33),
        ("cut-letter", "the excerpt is cut inside a character", "x" * 31 + "ä"),
        ("wide", "characters of 3 and 4 bytes", "任务🚀"),
        ("delete", "DEL is escaped, ~ is not", "~\x7f"),
        ("budget", "a kind of budget is not a head of a policy", "quota"),
        ("field", "a field is not a head", "growth=full"),
    ):
        yield error(f"head-{id}", why, string)
    yield budget("head-growth", "a shorthand is not a head of a budget", "full")
    yield budget("head-default", "a preset of policies is not a head of a budget", "default")

    for id, why, string in (
        ("empty", "nothing after the colon", "full:"),
        ("comma", "nothing after the last comma", "full:base=1s,"),
        ("two-commas", "nothing between two commas", "full:base=1s,,cap=2s"),
        ("unknown", "an unknown field", "full:base=1s,bass=2s"),
        ("growth", "growth is not a key", "full:growth=linear"),
        ("upper", "names are case-sensitive", "full:Base=1s"),
        ("space", "a space after a comma", "full:base=1s, cap=2s"),
        ("space-equals", "a space before an equals sign", "full:base =1s"),
        ("no-equals", "an unknown key without a value", "full:base=1s,cup"),
        ("equals", "an empty key", "full:=1s"),
        ("colon", "a second colon", "full:base:1s"),
        ("preset", "a preset is not a key", "full:base=1s,default"),
        ("budget", "a field of a budget", "full:base=1s,max_tokens=5"),
        ("accent", "a non-ASCII key", "full:bäse=1s"),
        ("before-value", "the key is checked before its value", "full:x="),
    ):
        yield error(f"key-{id}", why, string)
    for id, why, key in (
        ("same", "a name of other libraries", "retries"),
        ("same-hyphens", "hyphens do not count", "-max-delay-"),
        ("key", "a key without its underscore", "maxretries"),
        ("key-hyphen", "a key with a hyphen", "max-retries"),
        ("cut", "32 bytes count", "max_retries" + "_" * 21 + "x"),
        ("more", "more than a peer", "timeouts"),
        ("part", "a part of a peer", "time"),
        ("two", "two peers", "min max"),
        ("upper", "capital letters do not count", "maxDelay"),
        ("upper-peer", "nor in a peer", "InitialInterval"),
        ("space", "a space comes first", "max retries"),
        ("long", "2 letters in a long name", "maxretires"),
        ("longer", "3 letters are too many", "maxxxxretries"),
        ("left-out", "a letter that was left out", "mltplier"),
        ("short", "1 letter in a short name", "bas"),
        ("shorter", "2 letters are too many", "bs"),
        ("first", "another first letter", "vase"),
        ("five", "2 letters in a name of 5", "flour"),
        ("growth", "growth is no key", "growth_"),
        ("hyphens", "hyphens only", "--"),
        ("escaped", "a byte that is escaped", "timeout\x7f"),
        ("no-equals", "a peer without a value", "steps"),
    ):
        yield error(f"peer-{id}", why, f"full:base=1s,{key}" if id == "no-equals" else f"default:{key}=5")
    why = "a name of other libraries"
    for name, peer in ((name, peer) for name, peers in PEERS.items() for peer in peers.split()):
        if name in HEADS["policy"]:
            yield error(f"peer-{peer}", why, f"{peer}:base=1s")
        elif name in KEYS["budget"]:
            yield budget(f"peer-{peer}", why, f"quota:{peer}=1")
        elif (name, peer) != ("max_retries", "backofflimit"):  # also one of the cap
            yield error(f"peer-{peer}", why, f"default:{peer}=1")
    for id, why, head in (
        ("upper", "capital letters do not count", "FullJitter"),
        ("underscore", "nor do underscores", "equal_jitter"),
        ("hyphens", "a preset without its hyphens", "awssdk2026"),
        ("no-peer", "a peer of a key is none of a head", "retries"),
    ):
        yield error(f"meant-{id}", why, f"{head}:base=1s")
    yield budget("meant-key", "a name of other libraries", "ratio:tokenRatio=0.1")
    yield budget("meant-two", "a peer of one text in the other", "throttle:backoff_limit=5")
    yield budget("peer-policy", "peers of keys of policies", "quota:retries=1")
    yield budget("peer-key", "a key with hyphens", "quota:max-tokens=1")
    yield budget("key-policy", "a field of a policy", "quota:base=1s")
    yield budget("key-unknown", "an unknown field", "ratio:max_tokens=1,ratios=1")

    for id, why, string in (
        ("no-equals", "a key without an equals sign", "full:base"),
        ("nothing", "nothing after the equals sign", "full:base="),
        ("middle", "the position is the end of the pair, not of the string", "full:base=1s,cap=,floor=1ms"),
        ("middle-no-equals", "a key without an equals sign, in the middle", "full:base=1s,cap,floor=1ms"),
        ("jitter", "a missing value of a kind", "full:base=1s,jitter="),
        ("repeated", "missing_value is checked before repeated_key", "full:base=1s,base="),
    ):
        yield error(f"value-{id}", why, string)
    yield budget("value-nothing", "a budget string", "throttle:ratio=")

    for id, why, base in (
        ("word", "a word instead of a number", "soon"),
        ("unit", "a unit without a number", "ms"),
        ("dot-first", "no digit before the dot", ".5s"),
        ("dot-last", "no digit after the dot", "1.s"),
        ("dot-last-alone", "no digit after the dot is found before the missing unit", "1."),
        ("two-dots", "two dots", "1.2.3s"),
        ("dots", "only dots", "..s"),
        ("dot-letter", "no digit between dot and unit", "1.x"),
        ("minus", "signs are not allowed", "-1s"),
        ("plus", "signs are not allowed", "+1s"),
        ("space", "a space before the number", " 1s"),
        ("infinity", "inf is not a number", "inf"),
        ("arabic", "digits of another script are not digits", "٣s"),
        ("superscript", "superscripts are not digits", "²s"),
        ("fraction", "a fraction is not a duration", "/2s"),
        ("none-upper", "none is case-sensitive", "None"),
        ("none-more", "none followed by more", "none1"),
        ("equals", "a second equals sign is part of the value", "=1s"),
        ("colon", "a colon is part of the value", ":1s"),
        ("long", "a long value is cut in the message", "x" * 100),
    ):
        yield error(f"duration-{id}", why, f"full:base={base},cap=1h")
    for id, why, base in (
        ("number", "a number without a unit", "100"),
        ("zero", "zero needs a unit, too", "0"),
        ("decimal", "a decimal without a unit", "1.5"),
        ("huge", "a number above 64 bits without a unit", "9" * 40),
    ):
        yield error(f"unit-missing-{id}", why, f"full:base={base},cap=1h")
    for id, why, base in (
        ("min", "the unit is m, not min", "1min"),
        ("upper", "names are case-sensitive", "1S"),
        ("exponent", "exponents are not allowed", "1e3s"),
        ("space", "a space before the unit", "1 s"),
        ("space-after", "a space after the unit", "1s "),
        ("micro", "the unit is us, not the micro sign", "1µs"),
        ("two", "two numbers with units", "1h30m"),
        ("two-unknown", "two numbers, the first with an unknown unit", "1xs5"),
        ("comma", "a unit that begins with x", "1x"),
        ("underscore", "digit separators are not allowed", "1_000ms"),
        ("percent", "a percentage is not a duration", "5%"),
        ("fraction", "a fraction is not a duration", "1/2s"),
        ("dot-after", "text after the unit is part of the unit", "1s.5"),
        ("nothing-before-fine", "the unit is checked before the precision", "0.1x"),
        ("nul", "a zero byte", "1s\0"),
    ):
        yield error(f"unit-{id}", why, f"full:base={base}")
    for id, why, base in (
        ("half-ns", "half a nanosecond", "0.5ns"),
        ("us", "a ten thousandth of a microsecond", "1.0001us"),
        ("s", "the tenth digit of a second", "0.0000000001s"),
        ("day", "a third of a day is not exact", "0.3333333333333333d"),
        ("huge", "the precision is checked before the size", "9" * 40 + ".5ns"),
        ("long", "more digits than a 64-bit number has", "0." + "0" * 60 + "1s"),
    ):
        yield error(f"fine-{id}", why, f"full:base={base}")
    for id, why, string in (
        ("decimal", "a ratio without a dot", "polynomial:base=1s,power=2.0"),
        ("minus", "signs are not allowed", "constant:base=1s,max_retries=-1"),
        ("hexadecimal", "hexadecimal is not allowed", "constant:base=1s,max_retries=0x10"),
        ("unit", "a count has no unit", "constant:base=1s,max_attempts=3s"),
        ("space", "spaces are not allowed", "constant:base=1s,max_retries=3 "),
        ("arabic", "digits of another script are not digits", "polynomial:base=1s,power=٣"),
        ("superscript", "superscripts are not digits", "polynomial:base=1s,power=²"),
        ("word", "a word instead of a number", "polynomial:base=1s,origin=first"),
    ):
        yield error(f"count-{id}", why, string)
    yield budget("count-decimal", "a count of a budget", "quota:cost=1.5")
    for id, why, multiplier in (
        ("word", "a word instead of a number", "fast"),
        ("dot-first", "no digit before the dot", ".5"),
        ("dot-last", "no digit after the dot", "2."),
        ("two-dots", "two dots", "1.2.3"),
        ("minus", "signs are not allowed", "-2"),
        ("exponent", "exponents are not allowed", "1e3"),
        ("unit", "a count has no unit", "2x"),
        ("fraction-dot", "the terms of a fraction are digits", "1.5/2"),
        ("fraction-dot-below", "the terms of a fraction are digits", "3/1.5"),
        ("fraction-percent", "a fraction with a percent sign", "3/2%"),
        ("fraction-open", "no denominator", "3/"),
        ("fraction-empty", "no numerator", "/2"),
        ("fraction-three", "two slashes", "8/5/2"),
        ("percent-alone", "no number before the percent sign", "%"),
        ("percent-two", "two percent signs", "200%%"),
        ("percent-first", "the percent sign comes before the number", "%200"),
        ("percent-fraction", "a fraction of a percentage", "200%/1"),
        ("percent-space", "spaces are not allowed", "200 %"),
        ("comma", "a letter before a number", "x1"),
        ("arabic", "digits of another script are not digits", "٢"),
        ("superscript", "superscripts are not digits", "²"),
    ):
        yield error(f"ratio-{id}", why, f"exponential:base=1s,multiplier={multiplier}")
    yield error("ratio-decimal-comma", "a decimal comma ends the pair", "exponential:base=1s,multiplier=1,6")
    yield error("ratio-jitter", "a jitter that begins with a digit is a ratio", "exponential:base=1s,jitter=0x")
    yield error(
        "ratio-jitter-word",
        "a jitter that begins with a digit is a ratio, not a kind",
        "exponential:base=1s,jitter=1full",
    )
    yield error(
        "ratio-jitter_above",
        "jitter_above does not accept a kind",
        "exponential:base=1s,jitter=proportional,jitter_above=full",
    )
    yield budget("ratio-word", "a ratio of a budget", "concurrent:ratio=half")
    for id, why, multiplier in (
        ("one", "denominator 0", "1/0"),
        ("zero", "numerator and denominator 0", "0/0"),
        ("zeros", "a denominator of several zeros", "1/0000"),
        ("huge", "the denominator is checked before the size of the terms", "9" * 30 + "/0"),
    ):
        yield error(f"zero-denominator-{id}", why, f"exponential:base=1s,multiplier={multiplier}")
    yield error("zero-denominator-jitter", "a ratio as the jitter", "exponential:base=1s,jitter=1/0")
    for id, why, multiplier in (
        ("64", "terms of 65 bits, although they would reduce", "36893488147419103232/18446744073709551616"),
        ("64-first", "a first term of 65 bits, which would reduce to 2", f"{2**64}/{2**63}"),
        ("64-zero", "a denominator of 65 bits, although the ratio is 0", "0/18446744073709551616"),
        ("64-reduces", "terms of 65 bits that reduce to 3/2", "30000000000000000000/20000000000000000000"),
        ("64-most", "the largest terms of 64 bits, which do not reduce", f"{2**64 - 1}/{2**64 - 2}"),
        ("40", "a denominator of 40 bits in lowest terms", "1099511627777/1099511627776"),
        ("32", "a term of 33 bits in lowest terms", "4294967296"),
        ("32-below", "a denominator of 33 bits in lowest terms", "4294967297/4294967296"),
        ("decimal", "20 digits after the dot", "1.00000000000000000001"),
        ("percent", "18 digits after the dot of a percentage", "100.000000000000000001%"),
        ("long", "a number of 500 digits", "1" * 500),
    ):
        yield error(f"ratio-terms-{id}", why, f"exponential:base=1s,multiplier={multiplier}")
    yield error(
        "ratio-terms-later",
        "a term of 32 bits breaks a rule, which comes after the text",
        "exponential:multiplier=4294967295,base=1",
    )
    yield error("ratio-terms-jitter", "a ratio as the jitter", f"exponential:base=1s,jitter=0.{'0' * 30}1")
    yield budget("ratio-terms", "a budget string", "ttl:ratio=0.000000000000000000001")
    for id, why, string in (
        ("jitter", "a name that is not a kind", "constant:base=1s,jitter=some"),
        ("jitter-dot", "a jitter that begins with a dot is not a ratio", "constant:base=1s,jitter=.5"),
        ("jitter-minus", "a jitter that begins with a sign is not a ratio", "constant:base=1s,jitter=-0.5"),
        ("jitter-arabic", "a jitter that begins with a digit of another script is not a ratio",
         "constant:base=1s,jitter=٣"),
        ("jitter-superscript", "a jitter that begins with a superscript is not a ratio", "constant:base=1s,jitter=²"),
        ("cap_on", "a name that is not a kind", "constant:base=1s,cap_on=jitter"),
        ("cap_on-number", "the number of a kind is not its name", "constant:base=1s,cap_on=1"),
        ("retry_after", "a name that is not a kind", "constant:base=1s,retry_after=atleast"),
        ("retry_after-upper", "names are case-sensitive", "constant:base=1s,retry_after=Exact"),
    ):  # fmt: skip
        yield error(f"kind-{id}", why, string)
    for id, why, string in (
        ("same", "a key directly repeated", "full:base=1s,base=1s"),
        ("later", "a key repeated later", "full:base=1s,cap=5s,floor=1ms,cap=6s"),
        ("none", "a value after none", "full:base=none,base=1s"),
        ("none-after", "none after a value", "default:cap=3s,cap=none"),
        ("none-none", "none after none", "default:cap=none,cap=none"),
        ("retry_after_max", "a value after none", "default:retry_after_max=none,retry_after_max=1s"),
        ("retry_after_max-none", "none after a value", "default:retry_after_max=1s,retry_after_max=none"),
        ("jitter", "jitter twice", "default:jitter=none,jitter=equal"),
        ("ratio-then-part", "jitter as a ratio sets jitter_above", "constant:base=1s,jitter=0.5,jitter_above=0.1"),
        ("ratio-then-part-none", "jitter as a ratio sets jitter_below, and none repeats it",
         "constant:base=1s,jitter=0.5,jitter_below=none"),
        ("part-then-ratio", "a ratio as the jitter after jitter_above", "constant:base=1s,jitter_above=0.1,jitter=0.5"),
        ("part-none-then-ratio", "a key that set nothing counts as used",
         "constant:base=1s,jitter_below=none,jitter=0.5"),
        ("value-first", "the value is checked before repeated_key", "full:base=1s,base=1"),
        ("three", "the first repeated key is reported", "full:base=1s,cap=1s,cap=1s,base=1s"),
    ):  # fmt: skip
        yield error(f"repeated-{id}", why, string)
    yield budget("repeated", "a budget string", "quota:cost=1,cost=2")


def reasons():
    """The reasons in messages (SPEC 11.7), for every code whose message shows the text."""
    for id, byte in (("space", " "), ("tab", "\t"), ("lf", "\n"), ("vt", "\v"), ("ff", "\f"), ("cr", "\r")):
        why = f"byte 0x{ord(byte):02X} is a space"
        yield error(f"reason-space-{id}-head", why, f"full{byte}")
        yield error(f"reason-space-{id}-key", why, f"full:base=1s,{byte}cap=2s")
        yield error(f"reason-space-{id}-unit", why, f"full:base=1s{byte}")
        yield budget(f"reason-space-{id}", why, f"quota:cost=5{byte}")
    for id, byte in zip(["08", "0e", "1f", "85", "a0", "3000"], "\x08\x0e\x1f\x85\xa0\u3000", strict=True):
        yield error(f"reason-space-none-{id}", f"{id} is not a space of the reason", f"full:base=1s,{byte}cap=2s")
    for id, why, string in (
        ("duration", "a value that is not a duration", "full:base= 1s"),
        ("unit", "an unknown unit", "full:base=1 s"),
        ("count", "a value that is not a count", "full:base=1s,max_retries=3 "),
        ("ratio", "a value that is not a ratio", "exponential:base=1s,multiplier=1.5 "),
        ("jitter", "a jitter that begins with a digit", "exponential:base=1s,jitter=0.5 "),
        ("kind", "a value that is not a kind", "exponential:base=1s,jitter= full"),
        ("only", "a key of one space", "full: "),
        ("between", "a space between two pairs", "full:base=1s ,cap=2s"),
        ("sentence", "a space in the middle of the text", "full jitter"),
    ):
        yield error(f"reason-space-{id}", f"spaces: {why}", string)
    for id, why, string in (
        ("head", "an unknown head", "FULL:base=1s"),
        ("head-last", "the last letter", "defaulT"),
        ("key", "an unknown key", "full:Base=1s"),
        ("unit", "an unknown unit", "full:base=100MS"),
        ("unit-one", "M is not m", "full:base=1M"),
        ("unit-two", "the capital letter is reported before a second unit", "full:base=1h30M"),
        ("duration", "a value that is not a duration", "full:base=PT1S"),
        ("count", "a value that is not a count", "full:base=1s,max_retries=0X10"),
        ("ratio", "a value that is not a ratio", "exponential:base=1s,multiplier=1E3"),
        ("kind", "an unknown kind", "full:base=1s,retry_after=AtLeast"),
        ("none", "None is not none", "default:cap=None"),
        ("a", "the first letter of the alphabet", "A"),
        ("z", "the last letter of the alphabet", "Z"),
    ):
        yield error(f"reason-capital-{id}", f"capital letters: {why}", string)
    yield budget("reason-capital-head", "capital letters in a budget string", "Quota")
    yield budget("reason-capital-key", "capital letters in a budget string", "quota:Cost=5")
    for id, why, head in (
        ("at", "@ is below A", "full@"),
        ("bracket", "[ is above Z", "full["),
        ("umlaut", "a capital letter outside ASCII is not a capital letter of the reason", "\u00c4"),
        ("greek", "a capital letter outside ASCII is not a capital letter of the reason", "\u0394"),
    ):
        yield error(f"reason-capital-none-{id}", why, head)
    for id, why, string in (
        ("both", "a space is reported before a capital letter", "full:base=1s, Cap=2s"),
        ("both-after", "a space after a capital letter is reported before it", "Full :base=1s"),
        ("space-two-units", "a space is reported before a second unit", "full:base=1m30 s"),
    ):
        yield error(f"reason-order-{id}", why, string)
    for id, byte in (("space", " "), ("capital", "X")):
        for length in (31, 32):
            yield error(
                f"reason-{id}-after-{length}",
                f"{'inside' if length < 32 else 'beyond'} the first 32 bytes",
                "x" * length + byte,
            )
        yield error(f"reason-{id}-after-wide", "32 bytes, not 32 characters", "\u00e4" * 16 + byte)
    for unit in ("d", "h", "m", "s", "ms", "us", "ns"):
        yield error(f"reason-units-{unit}", f"{unit} and a digit", f"full:base=1{unit}0")
    for id, why, base in (
        ("two", "two units", "1m30s"),
        ("three", "three units", "1h30m15s"),
        ("same", "the same unit twice", "1s1s"),
        ("decimal", "a decimal before the first unit", "1.5h30m"),
        ("long", "a long number after the first unit", "1m" + "0" * 60 + "s"),
        ("digit-nine", "the last digit", "1ms9"),
        ("unknown-second", "the second unit is unknown", "1h5x"),
    ):
        yield error(f"reason-units-{id}", f"a duration has one unit: {why}", f"full:base={base}")
    for id, why, base in (
        ("exponent", "e is not a unit", "1e3ms"),
        ("name", "min is not a unit", "1min30s"),
        ("dot", "a dot is not a digit", "1s.5"),
        ("unit", "a unit follows, not a digit", "1mss"),
        ("slash", "the character below 0", "1s/5"),
        ("colon", "the character above 9", "1s:5"),
        ("arabic", "a digit of another script", "1s\u0663"),
        ("sign", "a sign before the second number", "1h+30m"),
        ("alone", "a unit without a number is not a duration", "m30s"),
    ):
        yield error(f"reason-units-none-{id}", f"no second unit: {why}", f"full:base={base}")
    yield budget("reason-units", "a duration of a budget string", "rate:per=1m30s")
    yield budget("reason-units-ttl", "a duration of a budget string", "ttl:ttl=1s500ms,ratio=0.1")
    yield error("reason-units-head", "only a duration has units", "m30s")
    yield error("reason-units-count", "only a duration has units", "full:base=1s,max_retries=1m30s")
    for id, why, string in (
        ("end", "nothing after the colon", "default:"),
        ("comma", "only a comma", "default:,"),
        ("trailing", "a comma at the end", "full:base=1s,cap=2s,"),
        ("double", "two commas", "full:base=1s,,cap=2s"),
        ("equals", "an equals sign without a key", "full:=5"),
        ("equals-later", "an equals sign without a key, later", "full:base=1s,=5,cap=2s"),
        ("first", "a comma after the colon", "full:,base=1s"),
    ):
        yield error(f"reason-pair-{id}", f"an empty key: {why}", string)
    yield budget("reason-pair-end", "an empty key in a budget string", "ratio:")
    yield budget("reason-pair-comma", "an empty key in a budget string", "quota:cost=5,")
    yield error("reason-pair-none-head", "an empty head is not an empty key", "")
    yield error("reason-pair-none-key", "a key of one character is not empty", "full:;")
