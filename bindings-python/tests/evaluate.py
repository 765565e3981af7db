"""The evaluator (see tests/README.md at the root): reads lines of JSON and writes delays, previews,
fits, decisions, steps of budgets, exchanges of shared ones, or the waits that HTTP responses ask for, one JSON object
per line."""

import json
import re
from fractions import Fraction
from itertools import islice

from backoff_rs import (
    Budget,
    BudgetEvent,
    BudgetState,
    Operation,
    Outcome,
    Policy,
    PolicyError,
    RandomStream,
    http_verdict,
)
from backoff_rs._backoff import _Member, _parse_retry_after_ns

NOT_A_REQUEST = '{"error":"not_a_request","at":0}\n'
LINES = 4096
LONGEST, LAST, WORD_MAX = 2**63 - 1, 2**32 - 1, 2**64 - 1
MOST_TIMES, MOST_LEASE, MOST_PROCESSES = 100_000, 1000, 1_000_000


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


def response_request(_members, asked):
    status = whole(an(dict, asked)["status"], 2**16 - 1)
    return response, status, an(str, asked["fields"]), time(asked["now"])


def state_request(members, asked):
    budget, start = an(str, members["budget"]), optional(text_of, an(dict, asked).get("text"))
    events = [(*event(an(dict, row)), time(row["now"])) for row in an(list, asked["events"])]
    return stepped, budget, start, events


def event(members, has_outcome=True):
    """What happened, what the operation holds, and the outcome of a request."""
    kind = BudgetEvent(an(str, members["event"]))
    held = digits(members.get("held", "0"), WORD_MAX)
    is_request = has_outcome and kind is BudgetEvent.RETRY_REQUESTED
    return kind, held, Outcome(an(str, members["outcome"])) if is_request else None


def exchange_request(members, asked):
    budget, local = an(str, members["budget"]), an(str, an(dict, asked)["local"])
    lease, fallback = count(asked["lease"], MOST_LEASE), digits(asked["fallback"], WORD_MAX)
    if MOST_PROCESSES < fallback < WORD_MAX:
        raise ValueError("not a fallback")
    numbers = lease, fallback, time(asked["timeout"]), digits(asked["seed"], WORD_MAX)
    steps = [member_step(an(dict, row)) for row in an(list, asked["steps"])]
    return exchanged, budget, local, numbers, steps


def member_step(step):
    """What to do, the time and the arguments."""
    do, now = an(str, step["do"]), time(step["now"])
    match do:
        case "note":
            kind, held, _ = event(step, has_outcome=False)
            arguments = kind, held, an(bool, step.get("local", False)), times(step)
        case "request":
            arguments = Outcome(an(str, step["outcome"])), times(step)
        case "cancel":
            arguments = (Outcome(an(str, step["outcome"])),)
        case "step":
            arguments = optional(text_of, step.get("text")), time(step["store_now"])
        case "failed":
            arguments = (an(bool, step["stored"]),)
        case "begin" | "stored" | "lost" | "late":
            arguments = ()
        case _:
            raise ValueError("not an action")
    return do, now, arguments


def times(step):
    return count(step.get("times", 1.0), MOST_TIMES)


# In this order.
FORMS = {
    "retry_after": retry_after_request,
    "response": response_request,
    "state": state_request,
    "exchange": exchange_request,
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


def count(value, limit):
    if whole(value, limit) == 0:
        raise ValueError("not a count")
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
    seed, key = digits(members.get("seed", "0"), WORD_MAX), optional(text_of, members.get("key"))
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


class NotABudget(Exception):
    """Its argument is the answer."""


def budget_of(text, of="budget"):
    try:
        return Budget.parse(text)
    except PolicyError as error:
        raise NotABudget({"error": error.code, "at": error.at, "of": of}) from None


def of_budget(evaluate):
    """The same function, which answers that a string is no budget."""

    def of_strings(*arguments):
        try:
            return evaluate(*arguments)
        except NotABudget as error:
            return error.args[0]

    return of_strings


@of_policy
@of_budget
def decisions(policy, budget, stream, steps):
    budget = optional(budget_of, budget)
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
    return {"retry_after": optional(str, _parse_retry_after_ns(value, now=seconds(now)))}


class Headers(list):
    """The lines of a response, as a client has them that keeps each."""

    def items(self):
        return self


def response(status, fields, now):
    lines = [line.removesuffix("\r").partition(":") for line in fields.split("\n")]
    # As Latin-1, which clients take the bytes of headers for.
    fields = ((name, value.encode().decode("latin-1")) for name, colon, value in lines if colon)
    verdict = http_verdict(status, Headers(fields), now=seconds(now))
    wait = optional(nanoseconds, verdict.retry_after)
    return {"outcome": verdict.outcome, "retry_after": optional(str, wait)}


def nanoseconds(wait):
    """A float of seconds, which may not tell the nanosecond of a long wait."""
    ns = round(Fraction(wait) * 10**9)
    return ns if ns < 2**53 else min(round(ns, -6), LONGEST)


@of_budget
def stepped(budget, text, events):
    budget, answers = budget_of(budget), []
    try:
        state = BudgetState.full(budget) if text is None else BudgetState.parse(budget, text)
    except PolicyError as error:
        return {"error": error.code, "at": 0, "of": "text"}
    for kind, held, outcome, now in events:
        state, granted, holds = state.step(kind, now_ns=now, outcome=outcome, held=held)
        is_request = kind is BudgetEvent.RETRY_REQUESTED
        granted = granted if is_request else None
        answers.append({"granted": granted, "holds": str(holds), "state": str(state)})
    return {"budget": str(budget), "answers": answers}


@of_budget
def exchanged(budget, local, numbers, steps):
    budget, local = budget_of(budget), budget_of(local, of="local")
    if str(budget).startswith("concurrent"):
        return {"error": "not_shared", "at": 0, "of": "budget"}
    player = Player(_Member(budget, local, *numbers))
    answers = [player.play(*step) for step in steps]
    stats = {name: str(count) for name, count in player.member.stats()}
    return {"budget": str(budget), "local": str(local), "answers": answers, "stats": stats}


class Player:
    """A member, and how far its exchange is."""

    def __init__(self, member):
        self.member = member
        self.is_exchanging = self.is_stepped = False

    def play(self, do, now, arguments):
        if not self.is_now(do):
            return {"error": "not_now"}
        answer, member = getattr(self, do)(now, *arguments), self.member
        return (answer or {}) | {
            "away": member.is_away(now),
            "due_in": optional(str, member.due_in(now)),
            "unsent": member.has_unsent(),
            "timeout": str(member.timeout_ns()),
        }

    def is_now(self, do):
        """One exchange at a time, and its end after its steps."""
        if do == "begin":
            return not self.is_exchanging
        if do == "stored":
            return self.is_stepped
        return do not in ("step", "lost", "failed") or self.is_exchanging

    def note(self, now, kind, held, local, times):
        for _ in range(times):
            self.member.note(kind, held, local, now)

    def request(self, now, outcome, times):
        for _ in range(times):
            answer = self.member.request(outcome, now)
        granted, held, local = answer or (False, 0, False)
        name = "waits" if answer is None else "granted" if granted else "refused"
        return {"answer": name, "held": str(held), "local": local}

    def cancel(self, _now, outcome):
        self.member.cancel(outcome)

    def begin(self, now):
        self.member.begin(now)
        self.is_exchanging = True

    def step(self, _now, text, store_now):
        found = self.member.step(text, store_now)
        self.is_stepped = found is not None
        if found is None:
            return {"after": None, "changed": False, "steps": []}
        after, changed = found
        steps = [
            {"event": kind, "outcome": outcome}
            | {"held": str(held), "count": str(count), "granted": str(granted or 0)}
            for kind, outcome, held, count, granted in self.member.steps()
        ]
        return {"after": after, "changed": changed, "steps": steps}

    def stored(self, now):
        rows = self.member.stored(now)
        self.is_exchanging = self.is_stepped = False
        _, *columns = zip(*rows, strict=True)
        names = ["granted", "refused", "held"]
        return {name: list(map(str, column)) for name, column in zip(names, columns, strict=True)}

    def lost(self, now):
        self.is_stepped = False
        return {"wait": optional(str, self.member.lost(now))}

    def failed(self, now, stored):
        self.member.failed(stored, now)
        self.is_exchanging = self.is_stepped = False

    def late(self, now):
        self.member.late(now)


if __name__ == "__main__":
    with open(0, "rb", 1 << 20) as lines, open(1, "w", encoding="ascii", newline="\n") as out:
        while chunk := list(islice(lines, LINES)):
            out.write("".join(map(answer, chunk)))
