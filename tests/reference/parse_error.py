"""Clause 11.7: the errors of policy and budget strings."""

import re

from reference.fields import UNITS

MESSAGES = {  # 11.7
    "text_too_long": "the text is longer than 1024 bytes",
    "unknown_head": "unknown name {X}",
    "unknown_key": "unknown key {X}",
    "repeated_key": "key {X} is repeated",
    "missing_value": "{F} has no value",
    "not_a_duration": "{F} {X} is not a duration such as 100ms or 1.5s",
    "missing_unit": "{F} has no unit; the units are {names}",
    "unknown_unit": "{F} has the unknown unit {X}; the units are {names}",
    "duration_too_fine": "{F} {X} is not a whole number of nanoseconds",
    "not_a_count": "{F} {X} is not a whole number",
    "not_a_ratio": "{F} {X} is not a ratio such as 2, 1.6, 8/5 or 20%",
    "zero_denominator": "{F} {X} has a zero denominator",
    "ratio_too_fine": "{F} {X} has a term above 1000000",
    "unknown_kind": "{F} {X} is unknown; the kinds are {names}",
}
LISTS = {"unknown_head": "; the names are ", "unknown_key": "; the keys are "}
PEERS = {
    "constant": "fixed const",
    "exponential": "exp expo",
    "full": "fulljitter",
    "equal": "equaljitter",
    "decorrelated": "decorrelatedjitter",
    "base": "delay min mindelay mintimeout initial initialdelay initialinterval initialbackoff startingdelay interval retrydelay",
    "increment": "step",
    "multiplier": "factor expbase backofffactor backoffmultiplier timemultiple exponent",
    "cap": "max maxdelay maxwait maxtimeout maxinterval maxbackoff backofflimit",
    "jitter": "randomize randomizationfactor",
    "max_retries": "retries maxretry limit numretries maxtimes backofflimit",
    "max_attempts": "attempts tries maxtries stop stopafterattempt numofattempts times",
    "max_elapsed": "maxtime maxelapsedtime deadline maxretrytime stopafterdelay",
    "waits": "delays steps",
    "attempt_timeout": "timeout pertrytimeout",
    "max_tokens": "tokens capacity burst",
    "ratio": "tokenratio retryratio budgetpercent percentcanretry",
    "min_concurrent": "minretryconcurrency",
}


class ParseError(Exception):
    """11.5: `message` is that of clause 8, if one of its rules is broken."""

    def __init__(self, code, at, found, field=None, value=0, limit=0, *, names=(), message=None):
        self.code, self.at = code, at
        self.found = found.encode("latin-1").decode()
        self.field, self.value, self.limit = field, value, limit
        if message is None:
            shown = excerpt(found) + reason(code, found, names)
            message = MESSAGES[code].format(F=field, X=shown, names=", ".join(names))
            if code in LISTS and "did you mean" not in shown:
                message += LISTS[code] + ", ".join(names)
        self.message = message

    def __str__(self):
        return f"at {self.at}: {self.message}"


SHOWN = 32


def excerpt(found):
    first = "".join(c if "!" <= c <= "~" else f"\\x{ord(c):02x}" for c in found[:SHOWN])
    return f'"{first}..."' if len(found) > SHOWN else f'"{first}"'


def reason(code, found, names):
    found = found[:SHOWN]
    if re.search("[ \\x09-\\x0d]", found):
        return " (spaces are not allowed)"
    if code in LISTS and (names := meant(found, names)):
        return f" (did you mean {' or '.join(names)}?)"
    if re.search("[A-Z]", found):
        return " (capital letters are not allowed)"
    if code == "unknown_unit" and re.match(f"({'|'.join(UNITS)})[0-9]", found):
        return " (a duration has one unit)"
    if code == "unknown_key" and found == "":
        return ' (a pair must follow every ":" and ",")'
    return ""


def letters(name):
    return re.sub("[_-]", "", name.lower())


def meant(found, names):
    """The names that an unknown one stands for."""
    found = letters(found)
    return [name for name in names if found in [letters(name), *PEERS.get(name, "").split()]]
