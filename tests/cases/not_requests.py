"""Lines that are not requests (tests/README.md, Evaluators): why, and the bytes.

Most are a valid object, one of whose members is missing or has a value of another type.
"""

BYTES = {
    "an empty line is a line": b"",
    "spaces": b"  ",
    "a carriage return alone": b"\r",
    "a byte order mark": b'\xef\xbb\xbf{"policy":"none"}',
    "a byte that is not UTF-8 in a string": b'{"policy":"none","key":"\xff"}',
    "a byte that is not UTF-8 after the object": b'{"policy":"none"}\xff',
    "a surrogate as UTF-8": b'{"policy":"none","key":"\xed\xa0\x80"}',
    "a character that is longer than necessary": b'{"policy":"none","key":"\xc1\xa1"}',
    "a character that is cut off": b'{"policy":"none","key":"\xe2\x82"}',
    "a zero byte": b'{"policy":"none"}\0',
    "a form feed is no white space": b'\x0c{"policy":"none"}',
    "a vertical tab is no white space": b'\x0b{"policy":"none"}',
    "a no-break space is no white space": b'\xc2\xa0{"policy":"none"}',
    "not an object": b"5",
    "null is not an object": b"null",
    "a list is not an object": b"[]",
    "a request in a list": b'[{"policy":"none"}]',
    "a string": b'"none"',
    "a string with a lone surrogate": rb'["\ud800"]',
    "a policy string that is not JSON": b"none",
    "no member": b"{}",
    "only other members": b'{"Policy":"none","seed":"1"}',
    "the end is missing": b'{"policy":"none"',
    "the end of a string is missing": b'{"policy":"none',
    "two objects": b'{"policy":"none"}{"policy":"none"}',
    "a comma after the object": b'{"policy":"none"},',
    "a comma after the last member": b'{"policy":"none",}',
    "a comma before the first member": b'{,"policy":"none"}',
    "no comma": b'{"policy":"none" "seed":"1"}',
    "no colon": b'{"policy" "none"}',
    "a name without quotes": b'{policy:"none"}',
    "single quotes": b"{'policy':'none'}",
    "a comment": b'{"policy":"none"/* */}',
    "a comment in a list": b'{"policy":"none","x":[1/* */]}',
    "a comment before the object": b'/* */{"policy":"none"}',
    "a comment after a number sign": b'{"policy":"none"} # x',
    "a comment after the object": b'{"policy":"none"} // x',
    "an unknown escape": rb'{"policy":"none","key":"\x41"}',
    "an escape that is cut off": rb'{"policy":"none","key":"\u004"}',
    "a tab in a string": b'{"policy":"none","key":"\t"}',
    "a zero byte in a string": b'{"policy":"none","key":"\0"}',
    "a raw 0x10 in a string": b'{"policy":"none","key":"\x10"}',
    "a raw 0x1a in a string": b'{"policy":"none","key":"\x1a"}',
    "a raw 0x1f in a string": b'{"policy":"none","key":"\x1f"}',
    "a raw 0x1f in a string that is ignored": b'{"policy":"none","x":["\x1f"]}',
    "a lone surrogate in a member": rb'{"policy":"none\udfff"}',
    "a lone surrogate in a key": rb'{"policy":"none","key":"\ud800"}',
    "surrogates in the wrong order": rb'{"policy":"none","key":"\ude00\ud83d"}',
    "a lone surrogate in a member that is ignored": rb'{"policy":"none","x":[{"y":"\ud83d"}]}',
    "a lone surrogate in a name": rb'{"policy":"none","x":{"\udc00":1}}',
    "a broken number in a member that is ignored": b'{"policy":"none","x":01}',
    "a comma after the last element": b'{"policy":"none","x":[1,]}',
    "a comma alone in a list": b'{"policy":"none","x":[,]}',
    "a comma after the last member of another object": b'{"policy":"none","x":{"y":1,}}',
    "NaN in a member that is ignored": b'{"policy":"none","x":NaN}',
    "-Infinity in a list that is ignored": b'{"policy":"none","x":[-Infinity]}',
    "a form feed between tokens": b'{"policy":\x0c"none"}',
    "a word in a member that is ignored": b'{"policy":"none","x":True}',
    "the last policy counts": b'{"policy":"none","policy":5}',
    "a preview without a policy": b'{"preview":{"first":0,"count":1}}',
    "a fit without a policy": b'{"fit":{"field":"base","attempts":1,"total":"0"}}',
    "steps without a policy": b'{"steps":[]}',
    "delays without a policy": b'{"delays":{"via":"at","index":0,"count":1}}',
    "a seed of 99 digits": b'{"policy":"none","seed":"' + b"9" * 99 + b'"}',
}

# What is not of a type, as JSON, without the quotes of most strings.
NO_WHOLE = ["-1", "0.5", "1e-1", "18446744073709551616", "1e99", '"0"', '"1"', "null", "true", "[]"]
NO_JSON = ["NaN", "Infinity", "01", "+1", ".5", "1.", "0x1"]
NO_DIGITS = ["0", "5", "null", "true", '""', '"-1"', '"1s"']
STRANGE = ['"-0"', '"+1"', '" 1"', '"1 "', '"1.0"', '"1e3"', '"0x1"', '"1_0"', r'"\u0663"', '"²"']
NO_TIME = [*NO_DIGITS, '"9223372036854775808"']
NO_WORD = [*NO_DIGITS, '"18446744073709551616"']
NO_BOOLEAN = ["null", "1", '"true"']
NO_TEXT = ["5", "[]", "{}", "false", '["sre"]']
NO_OBJECT = ["null", "5", '"base"', "[]", '[{"first":0,"count":1}]']
NO_LIST = ["null", "{}", "[null]", "[[]]", '["begin"]', "[{}]", '[[{"operation":0,"do":"begin","now":"0"}]]']


def no_whole(limit, *others):
    return [*NO_WHOLE[:5], str(limit + 1), *NO_WHOLE[5:], *others]


def no_name(of, *others):
    """Names of properties that many languages know are no names of ours."""
    return ["null", "2", f'["{of}"]', f'"{of.capitalize()}"', '"constructor"', '"toString"', '"__proto__"', *others]


NO_OUTCOME = no_name("timeout", '"Success"', '"cancelled"', '"refused"')
NO_EVENT = no_name("attempt_failed", '"none"', '"begin"')
NO_TIMES = no_whole(100_000, "0")

STEP = '{"policy":"none","steps":['
BEGUN = STEP + '{"operation":0,"do":"begin","now":"0"},'
MEMBER = (
    '{"budget":"sre","exchange":{"local":"sre","lease":1,"fallback":"0","timeout":"1","seed":"0",'
    '"steps":[{"do":"begin","now":"0"},'
)

# What is before and after an object; its members, each with its valid value and values of other types. A member that may
# be left out has a name with a question mark.
OBJECTS = [
    ("", "",
     {"policy": ('"none"', ["null", "5", '["none"]']), "index?": ("0", no_whole(2**32 - 1, *NO_JSON)),
      "seed?": ('"0"', [*NO_WORD, *STRANGE]), "key?": ('""', NO_TEXT)}),
    ('{"policy":"none","preview":', "}", {"first": ("0", no_whole(10_000)), "count": ("1", no_whole(1000))}),
    ('{"policy":{"growth":"constant","base":"1"},"delays":', "}",
     {"via": ('"at"', no_name("at", '"index"')), "index": ("0", no_whole(2**32 - 1, "4294967295.5", "4294967295")),
      "count": ("2", no_whole(10_000))}),
    ('{"delays":{"via":"at","index":0,"count":1},"policy":', "}",
     {"growth?": ('"exponential"', ["null", *NO_TEXT]), "jitter?": ('"full"', ["null", *NO_TEXT]),
      "cap_on?": ('"delay"', ["null", "1"]), "retry_after?": ('"ignore"', ["null", "1"]),
      "base?": ('"1"', [*NO_WORD, *STRANGE]), "power?": ('"2"', NO_WORD), "max_retries?": ('"2"', NO_WORD),
      "multiplier?": ('"2/1"', [*NO_WORD, '"1"', '"1/"', '"/1"', '"1/2/3"', '"1 /2"', '"-1/2"', '"4294967296/1"']),
      "jitter_below?": ('"1/2"', ["null", "0.5", '"0.5"', '"50%"', '"1/4294967296"'])}),
    ('{"policy":"none","fit":', "}",
     {"field": ('"base"', no_name("base", '"floor"')), "attempts": ("1", no_whole(2**32 - 1)),
      "total": ('"0"', NO_TIME)}),
    (STEP, "]}",
     {"operation": ("0", no_whole(2**32 - 1)), "do": ('"begin"', no_name("begin", '"end"', '"outcome"', '"cancel"')),
      "now": ('"0"', NO_WORD), "deadline?": ('"0"', [value for value in NO_WORD if value != "null"])}),
    (BEGUN, "]}",
     {"operation": ("0", ["1"]), "do": ('"outcome"', ['"begin"']), "now": ('"0"', NO_WORD),
      "outcome": ('"transient"', NO_OUTCOME),
      "retry_after?": ('"0"', [value for value in NO_TIME if value != "null"])}),
    (BEGUN, "]}", {"operation": ("0", ["1"]), "do": ('"cancel"', []), "now": ('"0"', [])}),
    ('{"policy":"none","retry_after":', "}", {"value": ('"120"', ["null", *NO_TEXT]), "now": ('"0"', NO_TIME)}),
    ('{"policy":"none","response":', "}",
     {"status": ("429", no_whole(2**16 - 1)), "fields": ('""', ["null", *NO_TEXT]), "now": ('"0"', NO_TIME)}),
    ('{"policy":"none","budget":"sre","state":', "}",
     {"text?": ("null", NO_TEXT), "events": ("[]", [*NO_LIST, '["attempt_over"]'])}),
    ('{"budget":"sre","state":{"events":[', "]}}",
     {"event": ('"attempt_over"', no_name("attempt_over", '"none"')), "now": ('"0"', NO_WORD),
      "held?": ('"0"', NO_WORD)}),
    ('{"budget":"sre","state":{"events":[', "]}}",
     {"event": ('"retry_requested"', []), "now": ('"0"', []), "outcome": ('"timeout"', NO_OUTCOME),
      "held?": ('"0"', ['"x"'])}),
    ('{"policy":"none","budget":"sre","exchange":', "}",
     {"local": ('"sre"', ["null", *NO_TEXT]), "lease": ("1", no_whole(1000, "0")),
      "fallback": ('"0"', [*NO_WORD, '"share"', '"1000001"', '"18446744073709551614"']), "timeout": ('"1"', NO_TIME),
      "seed": ('"0"', NO_WORD), "steps": ("[]", NO_LIST)}),
    (MEMBER, "]}}", {"do": ('"late"', no_name("late", '"flush"', '"play"')), "now": ('"0"', NO_WORD)}),
    (MEMBER, "]}}",
     {"do": ('"note"', []), "now": ('"0"', []), "event": ('"attempt_failed"', NO_EVENT), "held?": ('"0"', NO_WORD),
      "local?": ("true", NO_BOOLEAN), "times?": ("1", NO_TIMES)}),
    (MEMBER, "]}}",
     {"do": ('"request"', []), "now": ('"0"', []), "outcome": ('"timeout"', NO_OUTCOME), "times?": ("1", NO_TIMES)}),
    (MEMBER, "]}}", {"do": ('"cancel"', []), "now": ('"0"', []), "outcome": ('"timeout"', NO_OUTCOME)}),
    (MEMBER, "]}}",
     {"do": ('"step"', []), "now": ('"0"', []), "store_now": ('"0"', NO_WORD), "text?": ("null", NO_TEXT)}),
    (MEMBER, "]}}", {"do": ('"failed"', []), "now": ('"0"', []), "stored": ("true", NO_BOOLEAN)}),
    # A step that may not come now is checked, too.
    (MEMBER, "]}}", {"do": ('"begin"', []), "now": ('"0"', ['"x"'])}),
]  # fmt: skip

# What is before and after a value of another type.
NONE, SRE = '{"policy":"none"', '{"policy":"none","budget":"sre"'
EVENTLESS = '{"state":{"events":[]},"budget":'
MEMBERLESS = '{"exchange":{"local":"sre","lease":1,"fallback":"0","timeout":"1","seed":"0","steps":[]},"budget":'
VALUES = [
    *((f'{NONE},"{form}":', NO_OBJECT) for form in ("preview", "fit", "retry_after", "response")),
    ('{"policy":{"growth":"constant","base":"1"},"delays":', NO_OBJECT),
    ('{"delays":{"via":"at","index":0,"count":1},"policy":', ["null", "5", '"none"', "[]"]),
    *((f'{SRE},"{form}":', NO_OBJECT) for form in ("state", "exchange")),
    (f'{NONE},"steps":', NO_LIST),
    (f'{NONE},"steps":[],"budget":', NO_TEXT),
    *((form, ["null", *NO_TEXT]) for form in (EVENTLESS, MEMBERLESS)),
]

# Steps that may not come now.
OPERATIONS = {
    "an outcome before the beginning": STEP + '{"operation":0,"do":"outcome","now":"0","outcome":"success"}]}',
    "a cancellation before the beginning": STEP + '{"operation":0,"do":"cancel","now":"0"}]}',
    "a success checks its retry_after, too": BEGUN
    + '{"operation":0,"do":"outcome","now":"0","outcome":"success","retry_after":"-1"}]}',
    "an operation begins twice": BEGUN + '{"operation":0,"do":"begin","now":"0"}]}',
    "an operation that was cancelled begins": BEGUN
    + '{"operation":0,"do":"cancel","now":"0"},{"operation":0,"do":"begin","now":"0"}]}',
}


def not_requests():
    """Each line once, with the first reason."""
    found = {line: why for why, line in BYTES.items()}
    for why, text in texts():
        found.setdefault(text.encode(), why)
    return [(why, line) for line, why in found.items()]


def texts():
    yield from OPERATIONS.items()
    for before, values in VALUES:
        yield from ((f"a value of another type: {value}", f"{before}{value}}}") for value in values)
    for before, after, members in OBJECTS:
        required = {name: value for name, (value, _) in members.items() if not name.endswith("?")}
        # Not every object needs a member.
        broken = [("an object without members", {})] if required else []
        for name, (_, wrong) in members.items():
            name = name.removesuffix("?")
            broken += [(f"{name} is {value}", required | {name: value}) for value in wrong]
            if name in required:
                rest = {other: value for other, value in required.items() if other != name}
                broken.append((f"{name} is missing", rest))
        for why, values in broken:
            text = ",".join(f'"{name}":{value}' for name, value in values.items())
            yield why, f"{before}{{{text}}}{after}"
