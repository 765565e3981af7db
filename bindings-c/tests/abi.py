"""What programs compile in or print, so it never changes: numbers with their names, layouts, and messages.

Usage: abi.py ABI LIBRARY VERSION
"""

import ctypes
import sys

from library import ABI, CONSTANTS, NUMBERS, F, N, S, code, main, ok, parsed, printed, ref, u32, u64

#: The names of each group and the number of the first. The functions return them, where there is one.
GROUPS = [
    ("", 0, "ok unknown_kind missing unused too_large too_small zero_denominator ratio_too_fine not_exponential "
     "cap_below_base offset_above_cap floor_above_cap growth_stalls given_twice unknown_head unknown_key repeated_key "
     "missing_value not_a_duration missing_unit unknown_unit duration_too_fine not_a_ratio not_a_count text_too_long "
     "does_not_fit too_many", F.code_name),
    ("", 100, "null_pointer uninitialized unknown_field wrong_unit end no_entropy buffer_too_small not_a_retry_after "
     "too_long unknown_outcome unknown_reason damaged not_a_state unknown_event wrong_budget unsupported unknown_name "
     "not_a_prefix not_a_label",
     F.code_name),
    ("field", 1, "growth base increment multiplier power origin offset cap cap_on floor jitter jitter_below "
     "jitter_above jitter_max jitter_increment jitter_slot max_retries max_attempts max_elapsed throttled_base "
     "retry_after retry_after_max retry_after_max_extra waits attempt_timeout reset_after elapsed_from", F.field_name),
    ("field", 33, "budget max_tokens cost cost_throttled cost_timeout ratio per ttl min_per_second min_concurrent",
     F.field_name),
    ("outcome", 0, "none success transient throttled timeout permanent", F.outcome_name),
    ("reason", 0, "none success permanent max_retries max_elapsed deadline budget cancelled", F.reason_name),
    ("budget_event", 1, "operation_began attempt_over attempt_failed retry_requested operation_succeeded "
     "operation_ended", F.budget_event_name),
    ("growth", 1, "constant linear exponential polynomial fibonacci steps", lambda kind: F.kind_name(1, kind)),
    ("jitter", 1, "none full equal proportional additive decorrelated slotted", lambda kind: F.kind_name(11, kind)),
    ("cap_on", 1, "window delay", lambda kind: F.kind_name(9, kind)),
    ("retry_after", 1, "at_least exact spread", lambda kind: F.kind_name(21, kind)),
    ("elapsed_from", 1, "begin failure", lambda kind: F.kind_name(27, kind)),
    ("budget_kind", 1, "quota throttle ratio rate ttl concurrent", lambda kind: F.kind_name(33, kind)),
    ("request", 1, "granted refused waits", None),
    ("text_kind", 0, "none policy budget", None),
    ("fallback", 0, "share whole", None),
]  # fmt: skip
OTHERS = {
    "NANOSECOND": 1, "MICROSECOND": 10**3, "MILLISECOND": 10**6, "SECOND": 10**9, "MAX_NS": 2**63 - 1,
    "NO_TIME": 2**64 - 1, "FIELD_NONE": 0, "FALLBACK_REFUSE": 2**64 - 1, "TEXT_SIZE": 769, "STATS_SIZE": 4096,
    "MAX_WAITS": 16,
}  # fmt: skip
#: What the functions say of other numbers.
UNKNOWN = [
    (F.code_name, [27, 99, 119, 2**32 - 1], b"unknown_code"),
    (F.field_name, [0, 28, 31, 32, 43, 64, 2**32 - 1], b"unknown_field"),
    (F.outcome_name, [6, 257, 2**32 - 1], b"unknown_outcome"),
    (F.reason_name, [8, 257, 2**32 - 1], b"unknown_reason"),
    (F.budget_event_name, [0, 7, 257], b"unknown_event"),
    (lambda kind: F.kind_name(N.FIELD_GROWTH, kind), [0, 7, 2**32 + 1, 2**64 - 1], b"unknown_kind"),
    (lambda field: F.kind_name(field, 1), [0, N.FIELD_BASE, 2**32 - 1], b"unknown_kind"),
    (
        F.http_outcome,
        [1000, 65535, 65536 + 200, 65536 + 503, 1 << 31, 2**32 - 1],
        N.OUTCOME_PERMANENT,
    ),
]
#: The words of opaque structs, and the offsets of the members of the others.
OPAQUE = {
    "params": 64, "policy": 48, "iter": 64, "preview": 96, "budget": 32, "operation": 64, "budget_state": 32,
    "stats": 40, "budget_member": 128,
}  # fmt: skip
LAYOUTS = {
    "error": (112, "code=0 field=4 value=8 limit=16 at=24 found_length=32 text_kind=40 found=44 reserved=80"),
    "preview_row": (64, "min_ns=0 mean_ns=8 max_ns=16 total_min_ns=24 total_mean_ns=32 total_max_ns=40 reserved=48"),
    "decision": (32, "reason=0 reserved32=4 delay_ns=8 reserved=16"),
    "stats_counts": (64, "operations=0 attempts=8 retries=16 reserved=24"),
    "loop_event": (64, "attempts=0 delay_ns=8 elapsed_ns=16 outcome=24 reason=28 reserved=32"),
    "loop": (128, "attempt=0 now=8 wait=16 cancelled=24 on_retry=32 on_stop=40 policy=48 budget=56 stats=64 "
             "deadline_ns=72 attempt_with=80 delay=88 reserved=96"),
    "loop_attempt_info": (56, "number=0 time_left_ns=8 last_outcome=16 reserved32=20 reserved=24"),
    "label": (32, "name=0 name_length=8 value=16 value_length=24"),
    "budget_level": (32, "level=0 max=8 unit=16 reserved=24"),
    "budget_event": (32, "event=0 outcome=4 held=8 reserved=16"),
    "budget_answer": (32, "granted=0 changed=4 held=8 reserved=16"),
    "member_answer": (32, "answer=0 is_local=4 held=8 reserved=16"),
    "exchange_step": (48, "event=0 outcome=4 held=8 count=16 granted=24 reserved=32"),
    "exchange_answers": (192, "granted=0 refused=64 held=128"),
    "shared_budget_stats": (64, "exchanges=0 failed_exchanges=8 lost_swaps=16 local_decisions=24 processes=32 "
                            "reserved=40"),
}  # fmt: skip


def numbers():
    pinned = dict(OTHERS)
    for group, first, names, name_of in GROUPS:
        for number, name in enumerate(names.split(), first):
            pinned[f"{group}_{name}".strip("_").upper()] = number
            if name_of is not None:
                yield name, name_of(number), name.encode()
    found = {name: number for name, number in NUMBERS.items() if not name.startswith("VERSION")}
    yield "macros", found, pinned
    for name_of, others, name in UNKNOWN:
        yield name, [name_of(number) for number in others], [name] * len(others)


def from_names():
    """The number of a name, and 0 for any other text."""
    others = [
        "",
        "none",
        "Success",
        "SUCCESS",
        "success\0",
        " success",
        "succes",
        "successs",
        "transient,",
        "x" * 10**6,
    ]
    groups = {
        group: names.split() for group, _, names, _ in GROUPS if group in ("outcome", "reason")
    }
    for group, names in groups.items():
        known = {name: number for number, name in enumerate(names)}
        for name in [*groups["outcome"], *groups["reason"], *others]:
            found = getattr(F, f"{group}_from_name")(name.encode() + b"x", len(name))
            yield (group, name[:20]), found, known.get(name, 0)


def version():
    parts = [N.VERSION_MAJOR, N.VERSION_MINOR, N.VERSION_PATCH]
    yield "macros", ".".join(map(str, parts)), sys.argv[3]
    yield "number", F.version(), parts[0] * 10**6 + parts[1] * 1000 + parts[2]
    yield "macro", N.VERSION, F.version()
    yield "abi.json", ABI["version"], sys.argv[3]


def layouts():
    for name, words in OPAQUE.items():
        yield name, ctypes.sizeof(getattr(S, name)), 8 * words
    for name, (size, members) in LAYOUTS.items():
        of = getattr(S, name)
        offsets = [f"{field}={getattr(of, field).offset}" for field, _ in of._fields_]
        yield name, (ctypes.sizeof(of), " ".join(offsets)), (size, members)
    yield "all", set(vars(S)), {*OPAQUE, *LAYOUTS}


#: The message of each code that comes without a field and a string.
SENTENCES = {
    N.UNKNOWN_KIND: "the kind is unknown",
    N.MISSING: "a required field is not set",
    N.UNUSED: "the growth, the jitter or the kind of budget does not use the field",
    N.NOT_EXPONENTIAL: "decorrelated jitter requires exponential growth",
    N.CAP_BELOW_BASE: "the cap is below the base",
    N.OFFSET_ABOVE_CAP: "the offset is above the cap",
    N.FLOOR_ABOVE_CAP: "the floor is above the cap",
    N.GROWTH_STALLS: "the base is so small that the multiplier does not increase it",
    N.GIVEN_TWICE: "both max_retries and max_attempts are set",
    N.UNKNOWN_HEAD: "the string begins with an unknown name",
    N.UNKNOWN_KEY: "a key is unknown",
    N.REPEATED_KEY: "a key is repeated",
    N.MISSING_VALUE: "a key has no value",
    N.NOT_A_COUNT: "the value is not a whole number",
    N.TEXT_TOO_LONG: "the string is longer than 1024 bytes",
    N.TOO_MANY: "the list has more entries than the limit",
    N.DOES_NOT_FIT: "not even the shortest base or cap fits into the time",
    N.OK: "no error",
    N.ZERO_DENOMINATOR: "the ratio has a zero denominator",
    N.RATIO_TOO_FINE: "the ratio has a term above 4294967295",
    N.TOO_LARGE: "the value is above the limit",
    N.TOO_SMALL: "the value is below the limit",
    N.NOT_A_DURATION: "the text is not a duration such as 100ms or 1.5s",
    N.MISSING_UNIT: "the duration has no unit; the units are d, h, m, s, ms, us, ns",
    N.UNKNOWN_UNIT: "the duration has an unknown unit; the units are d, h, m, s, ms, us, ns",
    N.DURATION_TOO_FINE: "the duration is not a whole number of nanoseconds",
    N.NOT_A_RATIO: "the text is not a ratio such as 2, 1.6, 8/5 or 20%",
    N.NULL_POINTER: "a required pointer is NULL",
    N.UNINITIALIZED: "a struct is not initialised",
    N.UNKNOWN_FIELD: "the number is not a field of a policy or of a budget",
    N.WRONG_UNIT: "the value is a plain number, a ratio or a list of waits, and the field another of these",
    N.END: "there is nothing more",
    N.NO_ENTROPY: "the operating system cannot provide randomness",
    N.BUFFER_TOO_SMALL: "the buffer cannot hold the text and its terminating zero",
    N.NOT_A_RETRY_AFTER: "the value of Retry-After is neither a number of seconds nor a date, or is longer than 1024 "
    "bytes",
    N.TOO_LONG: "the length is longer than any memory",
    N.UNKNOWN_OUTCOME: "the number is not an outcome",
    N.UNKNOWN_REASON: "the number is not a reason",
    N.DAMAGED: "the memory of the budget was damaged, or the budget was copied or the process forked while a thread "
    "used it",
    N.NOT_A_STATE: "the text is not the state of a budget of this kind",
    N.UNKNOWN_EVENT: "the number is not an event of a budget",
    N.WRONG_BUDGET: "the operation began with a budget and the call has none, or the reverse",
    N.UNSUPPORTED: "a reserved word is not 0: the program needs a newer library",
    N.UNKNOWN_NAME: "the header has no constant or struct of this name",
    N.NOT_A_PREFIX: "the prefix cannot begin the name of a metric",
    N.NOT_A_LABEL: "a label has a name that it cannot have, or a value that is not UTF-8",
}
#: Errors that no function fills in: their code, field and kind of text.
GARBAGE = [
    (N.OK, N.FIELD_CAP, 0),
    (N.TOO_MANY + 1, N.FIELD_CAP, 0),
    (N.NULL_POINTER, N.FIELD_CAP, 0),
    (N.CAP_BELOW_BASE, 28, 0),
    (N.UNKNOWN_KEY, 28, N.TEXT_KIND_POLICY),
    (N.UNKNOWN_KEY, 43, N.TEXT_KIND_BUDGET),
    (N.UNKNOWN_KEY, 0, N.TEXT_KIND_BUDGET + 1),
    (N.UNKNOWN_KEY, 0, 2**32 - 1),
    (N.OK, 0, N.TEXT_KIND_POLICY),
    *((number, 0, 0) for number in [27, 99, 119, 2**32 - 1]),
]
CAP = S.error(N.CAP_BELOW_BASE, N.FIELD_CAP, 5, 10)
UNIT = S.error(N.UNKNOWN_UNIT, N.FIELD_BASE, 0, 0, 10, 1, N.TEXT_KIND_POLICY, b"x")
#: Errors, the value as a caller wrote it, and the message with it. Of a long value 128 bytes are shown.
SHOWN = [
    (CAP, b"0.005 us", b"cap 0.005 us is below base 10ns"),
    (CAP, b"", b"cap  is below base 10ns"),
    (CAP, b"\xff", b"cap \xff is below base 10ns"),
    (CAP, b"x" * 200, b"cap " + b"x" * 128 + b"... is below base 10ns"),
    (UNIT, b"5 ms", b'at 10: base has the unknown unit "x"; the units are d, h, m, s, ms, us, ns'),
]
#: Strings with bytes that JSON has not, and the start of the message.
STRINGS = [
    (b"none:b\xff=1", r'at 5: unknown key "b\xff"; '),
    (b"none:base=\x80", r'at 10: base "\x80" is not a duration'),
    (b"none\0more", r'at 0: unknown name "none\x00more"; '),
]


def shown(error, text):
    buffer = ctypes.create_string_buffer(b"x" * 9, N.TEXT_SIZE)
    return code(
        F.error_message_with(ref(error), text, len(text), buffer, len(buffer), None)
    ), buffer.value


def sentences():
    codes = {number for name, number in CONSTANTS.items() if name.startswith("BACKOFF_ERROR_")}
    yield "every code of the header", {N.OK, *codes}, set(SENTENCES)
    for number, message in SENTENCES.items():
        yield number, printed(F.error_message, S.error(code=number)), message
        yield number, shown(S.error(code=number), b"5 ms"), ("ok", message.encode())
    for number, field, kind in GARBAGE:
        error = S.error(code=number, field=field, text_kind=kind)
        buffer = ctypes.create_string_buffer(b"x", N.TEXT_SIZE)
        found = F.error_message(ref(error), buffer, len(buffer), None)
        yield (number, field, kind), (code(found), buffer.value), ("uninitialized", b"")
        yield (number, field, kind), shown(error, b"5 ms"), ("uninitialized", b"")
    for error, text, message in SHOWN:
        yield message, shown(error, text), ("ok", message)
    for text, message in STRINGS:
        error, policy = S.error(), S.policy()
        F.policy_parse(ref(policy), text, len(text), ref(error))
        yield message, printed(F.error_message, error)[: len(message)], message
    # No byte of this text begins a character at which it could be cut.
    for length in [128, 129, 200]:
        _, message = shown(CAP, b"\x80" * length)
        yield length, (message[:6], message[-19:]), (b"cap \x80\x80", b" is below base 10ns")


def messages():
    """Every combination of members has a message that fits, and that begins with the place or the field."""
    nameless = {N.UNKNOWN_HEAD, N.UNKNOWN_KEY, N.REPEATED_KEY, N.TEXT_TOO_LONG}
    fields = {field: F.field_name(field).decode() for field in [*range(1, 28), *range(33, 43)]}
    for kind in range(3):
        for number in range(N.UNKNOWN_KIND, N.TOO_MANY + 1):
            for field, name in (fields if kind == 0 else {0: "", **fields}).items():
                for value in [0, 1, 2**32, N.MAX_NS, N.NO_TIME]:
                    error = S.error(number, field, value, value, value, value, kind, b"\xff" * 36)
                    message = printed(F.error_message, error)
                    start = "at " if kind else "" if number in nameless else name
                    yield (
                        error,
                        (message.startswith(start), len(message) < N.TEXT_SIZE - 1),
                        (True, True),
                    )


RATIOS = {
    (8, 5): ["1.6", "8/5", "160%", "16/10", "1.600000000000000000000000", "16e-1", "0.16E+1"],
    (0, 1): ["0", "0/7", "0.0", "0e999999999999999999999"],
    (2, 1): ["2"],
    (1, 2): ["4294967296/8589934592"],
    (1000, 1): ["1e3"],
    (1, 10**7): ["1e-07", "0.0000001"],
    (2**32 - 1, 1): ["4294967295"],
    "ratio_too_fine": [
        "4294967296",
        "0.0000000001",
        "1e10",
        "1e-10",
        "1/4294967296",
        "18446744073709551616",
    ],
    "zero_denominator": ["1/0", "0/0"],
    "not_a_ratio": [
        *[
            "",
            "2\0",
            "1.",
            ".5",
            "1.5.2",
            "1/",
            "/1",
            "1/2/3",
            "1.5/2",
            "1,6",
            "-1",
            "+1",
            " 1",
            "1e",
            "e3",
            "1e-",
        ],
        *["1e1.5", "3/2e1", "5e1%", "0x10", "nan", "\xff"],
    ],
}


def ratios():
    for wanted, texts in RATIOS.items():
        for text in texts:
            numerator, denominator = u32(), u32()
            # The length counts, not a zero.
            found = code(
                F.ratio_parse(
                    text.encode() + b" and more",
                    len(text.encode()),
                    ref(numerator),
                    ref(denominator),
                )
            )
            pair = (numerator.value, denominator.value)
            yield (
                text,
                pair if found == "ok" else (found, pair),
                wanted if found == "ok" else (wanted, (u32().value,) * 2),
            )


def defaults():
    """What is read of fields that no string sets."""
    policy, value = parsed("policy", "constant:base=1s"), u64()
    for field, wanted in [
        (N.FIELD_CAP, N.MAX_NS),
        (N.FIELD_MAX_ATTEMPTS, 2**32 + 1),
        (N.FIELD_RETRY_AFTER_MAX, 3600 * N.SECOND),
    ]:
        ok(F.policy_get(ref(policy), field, ref(value)))
        yield field, value.value, wanted


if __name__ == "__main__":
    main([numbers, from_names, version, layouts, sentences, messages, ratios, defaults])
