"""Clauses 11.1 to 11.6: parsing of policy and budget strings.

`of` is "policy" or "budget". Parsing works on one character for each byte, so that positions are
those of 11.1.
"""

from reference import budget_fields, policies
from reference.errors import PolicyError
from reference.fields import BUDGET_FIELDS, FIELDS, KINDS
from reference.numbers import MAX
from reference.parse_error import ParseError
from reference.presets import PRESETS
from reference.values import ratio, value_of

MAX_LENGTH = 1024
SHORTHANDS = {  # 11.2
    "full": {"growth": "exponential", "jitter": "full"},
    "equal": {"growth": "exponential", "jitter": "equal"},
    "decorrelated": {"growth": "exponential", "jitter": "decorrelated", "cap_on": "delay"},
}
KEYS = {
    "policy": [field for field in FIELDS if field != "growth"],  # 11.3
    "budget": [field for field in BUDGET_FIELDS if field != "budget"],  # 15.1
}
NONE_SETS = {"retry_after_max": {"retry_after_max": MAX}}  # 11.3, rule 2
ALSO_REMOVES = {  # 11.3, rules 3 and 4
    "jitter": ["jitter_below", "jitter_above", "jitter_max", "jitter_increment", "jitter_slot"],
    "max_attempts": ["max_retries"],
}
CHECK = {"policy": policies.policy, "budget": budget_fields.budget}


def parse(of, text):
    """The policy or the budget that a string stands for, or ParseError."""
    return read(of, text)[0]


def read(of, text):  # 11.5
    """`parse`, and the fields that the string sets."""
    string = text.encode().decode("latin-1")
    if len(string) > MAX_LENGTH:
        raise ParseError("text_too_long", MAX_LENGTH, "")
    head, colon, rest = string.partition(":")
    if head not in HEADS[of]:
        raise ParseError("unknown_head", 0, head, names=HEADS[of])

    from_head = dict(HEADS[of][head])
    from_pairs = {}
    places = {}  # the key and the value of the pair that used a key or set a field
    at = len(head) + 1
    for pair in rest.split(",") if colon else []:
        key, _, value = pair.partition("=")
        if key not in KEYS[of]:
            raise ParseError("unknown_key", at, key, names=KEYS[of])
        if value == "":
            raise ParseError("missing_value", at + len(pair), "", key)
        value_at = at + len(key) + 1
        sets = pair_sets(key, value, value_at)
        if any(field in places for field in (key, *sets)):
            raise ParseError("repeated_key", at, key)
        from_pairs |= sets
        places |= dict.fromkeys((key, *sets), ((at, key), (value_at, value)))
        for field in (key, *ALSO_REMOVES.get(key, ())):
            from_head.pop(field, None)
        at += len(pair) + 1

    fields = from_head | from_pairs
    try:
        return CHECK[of](fields), fields
    except PolicyError as error:  # 11.6
        if error.field in places:
            key, value = places[error.field]
            place = key if error.code in ("unused", "given_twice") else value
        elif error.field in from_head:
            place = 0, head
        else:
            place = len(string), ""
        details = error.field, error.value, error.limit
        raise ParseError(error.code, *place, *details, message=str(error)) from None


def pair_sets(key, value, at):  # 11.3
    if value == "none":
        return NONE_SETS.get(key, {})
    if key == "jitter" and value[0].isdecimal():
        part = ratio(key, value, at)
        return {"jitter": "proportional", "jitter_below": part, "jitter_above": part}
    return {key: value_of(key, value, at)}


HEADS = {
    "policy": {growth: {"growth": growth} for growth in KINDS["growth"]} | SHORTHANDS,
    "budget": {kind: {"budget": kind} for kind in KINDS["budget"]},
}
for of, presets in PRESETS.items():
    HEADS[of] |= {preset: read(of, string)[1] for preset, string in presets.items()}
