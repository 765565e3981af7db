"""The evaluator (see tests/README.md at the root): reads lines of JSON with a policy string and
writes delays, previews, fits, decisions or Retry-After values, one JSON object per line."""

import json
import re
from fractions import Fraction
from itertools import islice

from backoff_rs import (
    Budget,
    Operation,
    Outcome,
    Policy,
    PolicyError,
    RandomStream,
    parse_retry_after_ns,
)

NOT_A_REQUEST = '{"error":"not_a_request","at":0}\n'
LINES = 4096
LONGEST, LAST = 2**63 - 1, 2**32 - 1


def answer(line):
    try:
        evaluate, *arguments = request(line)
    except (ValueError, KeyError, RecursionError):
        return NOT_A_REQUEST
    return ENCODE(evaluate(*arguments)) + "\n"


ENCODE = json.JSONEncoder(separators=(",", ":")).encode


# Reading: each form becomes a function and its arguments. ValueError or KeyError: no request.


def request(line):
    text = line.decode()
    members = an(dict, DECODER.decode(text))
    if has_lone_surrogate(text):
        raise ValueError("not Unicode")
    for name, form in FORMS.items():
        if name in members:
            return form(members, members[name])
    return delay, an(str, members["policy"]), stream(members), whole(members.get("index", 0.0))


def preview_request(members, preview):
    an(dict, preview)
    first, count = whole(preview["first"], 10_000), whole(preview["count"], 1000)
    return rows, an(str, members["policy"]), first, count


def fit_request(members, fit):
    field = an(dict, fit)["field"]
    if field not in ("base", "cap"):
        raise ValueError("not a field that fits")
    return fitted, an(str, members["policy"]), field, whole(fit["attempts"]), time(fit["total"])


def steps_request(members, steps):
    policy, budget = an(str, members["policy"]), optional(text_of, members.get("budget"))
    begun = set()
    steps = [step(begun, an(dict, members)) for members in an(list, steps)]
    return decisions, policy, budget, stream(members), steps


def step(begun, members):
    """What to do, the operation and the time, and the deadline or the outcome and the
    retry_after."""
    do, number, now = members["do"], whole(members["operation"]), time(members["now"])
    if do not in ("begin", "outcome", "cancel") or (do == "begin") is (number in begun):
        raise ValueError("not a step")
    begun.add(number)
    if do == "begin":
        return do, number, now, optional(time, members.get("deadline"))
    if do == "cancel":
        return do, number, now
    outcome = Outcome(an(str, members["outcome"]))
    return do, number, now, outcome, optional(time, members.get("retry_after"))


def retry_after_request(_members, asked):
    return retry_after, an(str, an(dict, asked)["value"]), time(asked["now"])


# In this order.
FORMS = {
    "retry_after": retry_after_request,
    "steps": steps_request,
    "fit": fit_request,
    "preview": preview_request,
}


# Reading members.


def not_json(name):
    raise ValueError(f"{name} is not JSON")


# A number of any length is accepted; a float holds every whole number of a request.
DECODER = json.JSONDecoder(parse_int=float, parse_float=float, parse_constant=not_json)
PAIR = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..")
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def has_lone_surrogate(text):
    """Whether JSON text has an escape of a lone surrogate."""
    if not SURROGATE.search(text):
        return False
    return SURROGATE.search(PAIR.sub(" ", text.replace(r"\\", " "))) is not None


def an(kind, value):
    """The value itself, which is of this type."""
    if type(value) is not kind:
        raise ValueError(f"not a {kind.__name__}")
    return value


def text_of(value):
    return an(str, value)


def optional(function, value):
    return None if value is None else function(value)


def whole(value, limit=LAST):
    if not (0 <= an(float, value) <= limit and value.is_integer()):
        raise ValueError("not a whole number within its limit")
    return int(value)


def digits(text, limit):
    if not (an(str, text).isascii() and text.isdigit()):
        raise ValueError("not digits")
    # int() rejects a long run of zeros.
    number = int(text.lstrip("0")[:21] or 0)
    if number > limit:
        raise ValueError("above the limit")
    return number


def time(text):
    return digits(text, LONGEST)


def stream(members):
    seed, key = digits(members.get("seed", "0"), 2**64 - 1), optional(text_of, members.get("key"))
    return RandomStream(seed) if key is None else RandomStream(seed, key)


# Evaluating, with the package.


def seconds(ns):
    return None if ns is None else Fraction(ns, 10**9)


def of_policy(evaluate):
    """The function of a policy as one of its string, which may be invalid."""

    def of_string(text, *arguments):
        try:
            policy = Policy.parse(text)
        except PolicyError as error:
            return {"error": error.code, "at": error.at}
        return evaluate(policy, *arguments)

    return of_string


@of_policy
def delay(policy, stream, index):
    return {"canonical": str(policy), "delay_ns": str(policy.delay_ns(stream, index))}


ROW = ["min", "mean", "max", "total_min", "total_mean", "total_max"]


@of_policy
def rows(policy, first, count):
    shown = islice(policy.preview(first + count), first, None)
    return {"rows": [[str(getattr(row, f"{name}_ns")) for name in ROW] for row in shown]}


@of_policy
def fitted(policy, field, attempts, total):
    fit = {"base": policy.fit_base, "cap": policy.fit_cap}[field]
    try:
        return {"canonical": str(fit(attempts, seconds(total)))}
    except PolicyError as error:
        value, limit = str(error.value), str(error.limit)
        return {"error": error.code, "field": error.field, "value": value, "limit": limit}


@of_policy
def decisions(policy, budget, stream, steps):
    try:
        budget = optional(Budget.parse, budget)
    except PolicyError as error:
        return {"error": error.code, "at": error.at, "of": "budget"}
    operations, answers = {}, []
    for do, number, now, *rest in steps:
        if do == "begin":
            operations[number] = Operation(
                policy, stream, now_ns=now, deadline_ns=rest[0], budget=budget
            )
            continue
        operation = operations[number]
        if do == "cancel":
            found = {"stop": operation.cancel(), "delay": "0"}
        else:
            outcome, retry_after = rest
            decision = operation.decide(outcome, now_ns=now, retry_after=seconds(retry_after))
            delay = str(decision.delay_ns)
            found = {"wait": delay} if decision else {"stop": decision.reason, "delay": delay}
        answers.append(found | {"retries": operation.retries})
    return {"canonical": str(policy), "budget": optional(str, budget), "answers": answers}


def retry_after(value, now):
    return {"retry_after": optional(str, parse_retry_after_ns(value, now=seconds(now)))}


if __name__ == "__main__":
    with open(0, "rb", 1 << 20) as lines, open(1, "w", encoding="ascii", newline="\n") as out:
        while chunk := list(islice(lines, LINES)):
            out.write("".join(map(answer, chunk)))
