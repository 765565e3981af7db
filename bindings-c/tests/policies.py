"""Policies that are made in several ways are equal in every byte, and `backoff_policy_change` makes the policy that the
string with one more pair makes. The durations of such strings.

Usage: policies.py ABI LIBRARY
"""

import re
import sys
from itertools import product
from pathlib import Path

from library import CONSTANTS, F, N, S, code, filled, main, ok, parsed, printed, ref, u64
from vectors import cases, fields_of, number, params_of

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from reference import values
from reference.fields import COUNTS, KINDS, LISTS, RATIOS, UNITS
from reference.parse_error import ParseError


def strings():
    return [
        case.get("text", case.get("preset"))
        for case in cases("texts", "presets")
        if case["of"] == "policy"
    ]


def change(policy, field, value, changed, error=None):
    if isinstance(value, tuple):
        return F.policy_change_ratio(ref(policy), field, *value, ref(changed), error)
    return F.policy_change(ref(policy), field, value, ref(changed), error)


def ways(text, policy):
    """Functions that make the policy of a text in memory that they get."""
    yield "parse", lambda made: parsed("policy", text, made)
    yield "print", lambda made: parsed("policy", printed(F.policy_print, policy), made)
    for twice in ["max_retries", "max_attempts"]:
        fields = {
            name: value for name, value in fields_of("policy", policy).items() if name != twice
        }
        yield "init", lambda made, of=fields: ok(F.policy_init(ref(made), ref(params_of(of)), None))
    for name, value in fields_of("policy", policy).items():
        if isinstance(value, list):
            continue
        value = tuple(2 * int(term) for term in value.split("/")) if "/" in value else int(value)
        # A jitter unsets the fields that belong to it.
        if name != "jitter":
            of = number("field", name), value
            yield name, lambda made, of=of: ok(change(policy, *of, made))


def equal_bytes():
    for text in strings():
        policy = parsed("policy", text)
        for name, make in ways(text, policy):
            for byte in [0xA5, 0x5A]:
                made = filled(S.policy, byte)
                make(made)
                yield (text, name, byte), bytes(made), bytes(policy)
    for case in cases("fits"):
        if "error" in case:
            continue
        fit = getattr(F, f"policy_fit_{case['field']}")
        for byte in [0xA5, 0x5A]:
            policy, made = parsed("policy", case["policy"]), filled(S.policy, byte)
            asked = [ref(policy), int(case["attempts"]), int(case["total"])]
            ok(fit(*asked, ref(made), None))
            yield case["id"], bytes(made), bytes(parsed("policy", case["canonical"]))
            ok(fit(*asked, ref(policy), None))
            yield case["id"], bytes(policy), bytes(made)


def possible(name):
    """Values of a field, each with its text in a string."""
    if name in RATIOS:
        terms = [
            (0, 1),
            (1, 1),
            (1, 2),
            (8, 5),
            (101, 100),
            (3, 1),
            (10**6 + 1, 10**6),
            (2**32 - 1, 1),
        ]
        return [(pair, f"{pair[0]}/{pair[1]}") for pair in terms]
    if name in KINDS:
        kinds = {CONSTANTS[f"BACKOFF_{name}_{kind}".upper()]: kind for kind in KINDS[name]}
        return [*kinds.items(), (0, "nothing"), (len(kinds) + 1, "nothing")]
    if name in COUNTS:
        return [
            (count, str(count))
            for count in [0, 1, 2, 16, 17, 2**32, 2**32 + 1, 2**32 + 2, 2**64 - 1]
        ]
    times = [0, 1, N.MILLISECOND, N.SECOND, 3600 * N.SECOND, N.MAX_NS, N.MAX_NS + 1, N.NO_TIME]
    return [(time, f"{time}ns") for time in times]


def with_pairs():
    """Strings that one more pair may follow, each with the fields of such pairs. A growth is no pair: see `growths`."""
    names = {F.field_name(field).decode() for field in range(2, N.FIELD_ELAPSED_FROM + 1)} - LISTS
    first_word = lambda name: re.match("[a-z]*", name)[0]  # noqa: E731
    for case in cases("presets"):
        if case["of"] == "policy":
            yield case["preset"], names
    for text in {printed(F.policy_print, parsed("policy", text)) for text in strings()}:
        # A key may not be repeated, and one may belong to another of the same first word.
        keys = {first_word(pair) for pair in text.partition(":")[2].split(",")}
        yield text, {name for name in names if first_word(name) not in keys}


def changes():
    for text, names in with_pairs():
        policy = parsed("policy", text)
        for name, (value, shown) in ((one, pair) for one in names for pair in possible(one)):
            pair = f"{text}{',' if ':' in text else ':'}{name}={shown}".encode()
            field, wanted, made = number("field", name), filled(S.policy), filled(S.policy)
            error, other = filled(S.error), S.error()
            in_place = S.policy.from_buffer_copy(policy)
            expected = F.policy_parse(ref(wanted), pair, len(pair), ref(other))
            found = change(policy, field, value, made, ref(error))
            yield pair, (code(found), bytes(made)), (code(expected), bytes(wanted))
            yield pair, change(in_place, field, value, in_place), found
            yield pair, bytes(in_place), bytes(policy if found else made)
            if expected == N.UNKNOWN_KIND:  # a name that is no kind has no number
                other.value, other.limit = value, len(KINDS[name])
            plain = S.error(expected, other.field, other.value, other.limit)
            yield pair, bytes(error), bytes(plain)


#: Pairs for policies, together where the fields need each other, and pairs that break a rule.
PAIRS = [
    "jitter=0.5,max_retries=7", "jitter=proportional,jitter_above=0.5", "jitter=slotted,jitter_slot=1ms", "cap=1d,base=1h",
    "jitter=additive,jitter_max=1s", "base=1h,cap=1d", "max_attempts=3", "cap=none,max_elapsed=1h", "", "cap=1ns",
    "jitter=full,jitter_slot=1s", "base=1", "cap=1s,cap=2s", ",", "cap", "growth=linear", "max_retries=1,max_attempts=1",
]  # fmt: skip


def changes_by_text():
    for text in ["default", "immediate", "azure-core", "sidekiq", "k8s-conflict", "resilience4j"]:
        policy = parsed("policy", text)
        for pairs in PAIRS:
            before = text + ":" * bool(pairs)
            whole, pairs = (before + pairs).encode(), pairs.encode()
            wanted, made, other, error = S.policy(), S.policy(), S.error(), S.error()
            expected = F.policy_parse(ref(wanted), whole, len(whole), ref(other))
            found = F.policy_change_text(ref(policy), pairs, len(pairs), ref(made), ref(error))
            yield whole, (code(found), bytes(made)), (code(expected), bytes(wanted))
            if other.at >= len(before):  # not at the head, which the pairs do not have
                at = (error.at + len(before), error.field, error.value, error.limit, error.found)
                yield whole, at, (other.at, other.field, other.value, other.limit, other.found)
            in_place = S.policy.from_buffer_copy(policy)
            F.policy_change_text(ref(in_place), pairs, len(pairs), ref(in_place), None)
            yield whole, bytes(in_place), bytes(policy if found else made)


#: Policies, the growth that they get, and the policy or the error with its field.
GROWTHS = [
    ("constant:base=1s", "linear", "linear:base=1s"),
    ("linear:base=1s,max_retries=3", "fibonacci", "fibonacci:base=1s,max_retries=3"),
    ("full:base=1s,cap=20s", "constant", "constant:base=1s,cap=20s,jitter=full"),
    ("constant:base=1s,jitter=0.5", "exponential", "exponential:base=1s,jitter=0.5"),
    ("constant:base=1s", "polynomial", "polynomial:base=1s"),
    ("exponential:base=1s,multiplier=3", "linear", ("unused", "multiplier")),
    ("linear:base=1s,increment=2s", "constant", ("unused", "increment")),
    ("polynomial:base=1s,power=3", "exponential", ("unused", "power")),
    ("decorrelated:base=1s,cap=20s", "constant", ("not_exponential", "growth")),
]


def growths():
    for text, growth, wanted in GROWTHS:
        made, error = S.policy(), S.error()
        growth = number("growth", growth)
        found = change(parsed("policy", text), N.FIELD_GROWTH, growth, made, ref(error))
        if isinstance(wanted, str):
            yield text, (code(found), bytes(made)), ("ok", bytes(parsed("policy", wanted)))
        else:
            yield text, (code(found), F.field_name(error.field).decode()), wanted


#: Numbers and units, of which some are none.
AMOUNTS = [
    "0", "1", "007", "100", "1.5", "1.50", "0.000000001", "0.0000000001", "9223372036854775807", "9223372036854775808",
    "18446744073709551616", "106751.99", "1" * 40, "", ".", "1.", ".5", "1.5.2", "-1", "+1", "1,5", "1e3", " 1", "²", "none",
]  # fmt: skip
ENDINGS = [*UNITS, "", "S", "sec", " s", "s ", "µs", "ms1", "\0"]


def durations():
    for text in map("".join, product(AMOUNTS, ENDINGS)):
        found, data = u64(), text.encode()
        try:
            wanted = values.duration("base", data.decode("latin-1"), 0)
            wanted = ("ok", wanted) if wanted <= N.MAX_NS else ("too_large", u64().value)
        except ParseError as error:
            wanted = (error.code, u64().value)
        # The length counts, not a zero.
        returned = F.duration_parse(data + b"s", len(data), ref(found))
        yield text, (code(returned), found.value), wanted


if __name__ == "__main__":
    main([equal_bytes, changes, changes_by_text, growths, durations])
