"""The evaluator (see tests/README.md at the root): reads lines of JSON and writes delays, previews,
fits, decisions, steps of budgets, exchanges of shared ones, or the waits that HTTP responses ask for, one JSON object
per line."""

import contextlib
import json
import re
from array import array
from fractions import Fraction
from itertools import islice

import vectors
from backoff_rs import (
    Backoff,
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
from vectors import optional, seconds

NOT_A_REQUEST = {"error": "not_a_request", "at": 0}
LINES = 4096
MAX_NS, MAX_INDEX, MAX_WORD = 2**63 - 1, 2**32 - 1, 2**64 - 1
MAX_TIMES, MAX_LEASE, MAX_PROCESSES = 100_000, 1000, 1_000_000
VIA = ["window", "at", "fill", "next", "reset"]
FIELDS = [
    *("growth", "base", "increment", "multiplier", "power", "origin", "offset", "cap", "cap_on"),
    *("floor", "jitter", "jitter_below", "jitter_above", "jitter_max", "jitter_increment"),
    *("jitter_slot", "max_retries", "max_attempts", "max_elapsed", "throttled_base"),
    *("retry_after", "retry_after_max", "retry_after_max_extra"),
]


def answer(line):
    """The answer to a line. ValueError or KeyError: it is not a request."""
    try:
        request = Request(decoded(line))
        form = next((name for name in FORMS if name in request), None)
        found = FORMS[form](request) if form else delay(request)
        found = request.error or found
    except (ValueError, KeyError, RecursionError):
        found = NOT_A_REQUEST
    return ENCODE(found) + "\n"


ENCODE = json.JSONEncoder(separators=(",", ":")).encode


class Request(dict):
    """The members of a request, and the answer to the first policy or budget that is invalid. A valid
    one takes its place, because the rest of the request is read, too."""

    error = None

    def refuse(self, **error):
        self.error = self.error or error

    def policy(self):
        text = an(str, self["policy"])
        try:
            return Policy.parse(text)
        except PolicyError as error:
            self.refuse(error=error.code, at=error.at)
            return Policy.parse("none")

    def budget(self, text, of="budget"):
        try:
            return Budget.parse(an(str, text))
        except PolicyError as error:
            self.refuse(error=error.code, at=error.at, of=of)
            return Budget.parse("rate")

    def stream(self):
        seed, key = digits(self.get("seed", "0")), optional(string, self.get("key"))
        return RandomStream(seed) if key is None else RandomStream(seed, key)


# Reading members.


def not_json(name):
    raise ValueError(f"{name} is not JSON")


# A number of any length is accepted; a float holds every whole number of a request.
DECODER = json.JSONDecoder(parse_int=float, parse_float=float, parse_constant=not_json)
PAIR = re.compile(r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..")
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def decoded(line):
    text = line.decode()
    if SURROGATE.search(text) and SURROGATE.search(PAIR.sub(" ", text.replace(r"\\", " "))):
        raise ValueError("a lone surrogate")
    return an(dict, DECODER.decode(text))


def an(kind, value):
    """The value itself, which is of this type."""
    if type(value) is not kind:
        raise ValueError(f"not a {kind.__name__}")
    return value


def string(value):
    return an(str, value)


def objects(values):
    return [an(dict, value) for value in an(list, values)]


def one_of(names, value):
    if value not in names:
        raise ValueError("not one of these names")
    return value


def whole(value, limit=MAX_INDEX, least=0):
    if not (least <= an(float, value) <= limit and value.is_integer()):
        raise ValueError("not a whole number within its limits")
    return int(value)


def digits(text, limit=MAX_WORD):
    if not (an(str, text).isascii() and text.isdigit()):
        raise ValueError("not digits")
    # int() rejects a long run of zeros.
    number = int(text.lstrip("0")[:21] or 0)
    if number > limit:
        raise ValueError("above the limit")
    return number


def time(text):
    return digits(text, MAX_NS)


def outcome_of(step):
    return Outcome(an(str, step["outcome"]))


def event_of(step):
    """What happened, and what the operation holds."""
    return BudgetEvent(an(str, step["event"])), digits(step.get("held", "0"))


def times_of(step):
    return range(whole(step.get("times", 1.0), MAX_TIMES, 1))


# Forms.


def details(error):
    """The answer to a policy that is invalid, but not at a place of a string."""
    value, limit = str(error.value), str(error.limit)
    return {"error": error.code, "field": error.field, "value": value, "limit": limit}


def delay(request):
    policy, stream = request.policy(), request.stream()
    ns = policy.delay_ns(stream, whole(request.get("index", 0.0)))
    return {"canonical": str(policy), "delay_ns": str(ns)}


def delays(request):
    asked = an(dict, request["delays"])
    fields, stream, via = an(dict, request["policy"]), request.stream(), one_of(VIA, asked["via"])
    index, count = whole(asked["index"]), whole(asked["count"], 10_000)
    if index + count > 2**32:
        raise ValueError("above the last index")
    fields = {name: field(name, fields[name]) for name in FIELDS if name in fields}
    try:
        policy = vectors.policy(fields)
    except PolicyError as error:
        return details(error)
    if via == "window":
        found = [policy.window_ns(i) for i in range(index, index + count)]
    elif via == "at":
        found = [policy.delay_ns(stream, i) for i in range(index, index + count)]
    elif via == "fill":
        found = array("Q", bytes(8 * count))
        assert policy.fill_ns(stream, found, index) == count
    else:
        backoff = Backoff(policy, stream)
        if via == "reset":
            taken(backoff, index)
            backoff.reset()
        found = taken(backoff, count)
    return {"delays": list(map(str, found))}


def field(name, value):
    """The text of a field, checked."""
    if name in vectors.RATIOS:
        n, d = an(str, value).split("/")
        return f"{digits(n, MAX_INDEX)}/{digits(d, MAX_INDEX)}"
    return string(value) if name in vectors.KINDS else str(digits(value))


def taken(backoff, count):
    """The next delays; fewer than count if the iterator ends."""
    found = []
    with contextlib.suppress(StopIteration):
        for _ in range(count):
            found.append(backoff.next_ns())
    return found


ROW = ["min", "mean", "max", "total_min", "total_mean", "total_max"]


def preview(request):
    asked = an(dict, request["preview"])
    policy, first, count = (
        request.policy(),
        whole(asked["first"], 10_000),
        whole(asked["count"], 1000),
    )
    rows = islice(policy.preview(first + count), first, None)
    return {"rows": [[str(getattr(row, f"{name}_ns")) for name in ROW] for row in rows]}


def fit(request):
    asked = an(dict, request["fit"])
    policy, name = request.policy(), one_of(["base", "cap"], asked["field"])
    attempts, total = whole(asked["attempts"]), seconds(time(asked["total"]))
    try:
        return {"canonical": str(getattr(policy, f"fit_{name}")(attempts, total))}
    except PolicyError as error:
        return details(error)


def steps(request):
    policy, stream = request.policy(), request.stream()
    budget = optional(request.budget, request.get("budget"))
    operations, answers = {}, []
    for step in objects(request["steps"]):
        number, now = whole(step["operation"]), digits(step["now"])
        do = one_of(["begin", "outcome", "cancel"], step["do"])
        if (do == "begin") is (number in operations):
            raise ValueError("not a step")
        if do == "begin":
            deadline = optional(digits, step.get("deadline"))
            operations[number] = Operation(
                policy, stream, now_ns=now, deadline_ns=deadline, budget=budget
            )
            continue
        operation = operations[number]
        if do == "cancel":
            found = {"stop": operation.cancel(), "delay": "0"}
        else:
            wait = optional(seconds, optional(time, step.get("retry_after")))
            decision = operation.decide(outcome_of(step), now_ns=now, retry_after=wait)
            ns = str(decision.delay_ns)
            found = {"wait": ns} if decision else {"stop": decision.reason, "delay": ns}
        answers.append(found | {"retries": operation.retries})
    return {"canonical": str(policy), "budget": optional(str, budget), "answers": answers}


def retry_after(request):
    asked = an(dict, request["retry_after"])
    wait = _parse_retry_after_ns(an(str, asked["value"]), now=seconds(time(asked["now"])))
    return {"retry_after": optional(str, wait)}


class Headers(list):
    """The lines of a response, as a client has them that keeps each."""

    def items(self):
        return self


def response(request):
    asked = an(dict, request["response"])
    status, now = whole(asked["status"], 2**16 - 1), seconds(time(asked["now"]))
    lines = an(str, asked["fields"]).split("\n")
    lines = [line.removesuffix("\r").partition(":") for line in lines]
    # As Latin-1, which clients take the bytes of headers for.
    fields = ((name, value.encode().decode("latin-1")) for name, colon, value in lines if colon)
    verdict = http_verdict(status, Headers(fields), now=now)
    wait = optional(nanoseconds, verdict.retry_after)
    return {"outcome": verdict.outcome, "retry_after": optional(str, wait)}


def nanoseconds(wait):
    """A float of seconds, which may not tell the nanosecond of a long wait."""
    ns = round(Fraction(wait) * 10**9)
    return ns if ns < 2**53 else min(round(ns, -6), MAX_NS)


def state(request):
    asked = an(dict, request["state"])
    budget, text = request.budget(request["budget"]), optional(string, asked.get("text"))
    current, answers = BudgetState.full(budget), []
    try:
        current = current if text is None else BudgetState.parse(budget, text)
    except PolicyError as error:
        request.refuse(error=error.code, at=0, of="text")
    for event in objects(asked["events"]):
        (kind, held), now = event_of(event), digits(event["now"])
        is_request = kind is BudgetEvent.RETRY_REQUESTED
        outcome = outcome_of(event) if is_request else None
        current, granted, holds = current.step(kind, now_ns=now, outcome=outcome, held=held)
        granted = granted if is_request else None
        answers.append({"granted": granted, "holds": str(holds), "state": str(current)})
    return {"budget": str(budget), "answers": answers}


def exchange(request):
    asked = an(dict, request["exchange"])
    budget, local = request.budget(request["budget"]), request.budget(asked["local"], "local")
    if str(budget).startswith("concurrent"):
        request.refuse(error="not_shared", at=0, of="budget")
        budget = Budget.parse("rate")
    lease, fallback = whole(asked["lease"], MAX_LEASE, 1), digits(asked["fallback"])
    if MAX_PROCESSES < fallback < MAX_WORD:
        raise ValueError("not a fallback")
    timeout, seed = time(asked["timeout"]), digits(asked["seed"])
    player = Player(_Member(budget, local, lease, fallback, timeout, seed))
    answers = list(map(player.play, objects(asked["steps"])))
    stats = {name: str(count) for name, count in player.member.stats()}
    return {"budget": str(budget), "local": str(local), "answers": answers, "stats": stats}


NOT_NOW = {"error": "not_now"}


class Player:
    """A member, and how far its exchange is. An action reads all of its step before it says whether it
    may come now."""

    ACTIONS = ("note", "request", "cancel", "begin", "step", "stored", "lost", "failed", "late")

    def __init__(self, member):
        self.member = member
        self.is_exchanging = self.is_stepped = False

    def play(self, step):
        do, now = one_of(self.ACTIONS, step["do"]), digits(step["now"])
        answer, member = getattr(self, do)(step, now), self.member
        if answer is NOT_NOW:
            return answer
        return (answer or {}) | {
            "away": member.is_away(now),
            "due_in": optional(str, member.due_in(now)),
            "unsent": member.has_unsent(),
            "timeout": str(member.timeout_ns()),
        }

    def note(self, step, now):
        (kind, held), local = event_of(step), an(bool, step.get("local", False))
        for _ in times_of(step):
            self.member.note(kind, held, local, now)

    def request(self, step, now):
        outcome = outcome_of(step)
        for _ in times_of(step):
            answer = self.member.request(outcome, now)
        granted, held, local = answer or (False, 0, False)
        name = "waits" if answer is None else "granted" if granted else "refused"
        return {"answer": name, "held": str(held), "local": local}

    def cancel(self, step, _):
        self.member.cancel(outcome_of(step))

    def begin(self, _, now):
        if self.is_exchanging:
            return NOT_NOW
        self.member.begin(now)
        self.is_exchanging = True

    def step(self, step, _):
        text, store_now = optional(string, step.get("text")), digits(step["store_now"])
        if not self.is_exchanging:
            return NOT_NOW
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

    def stored(self, _, now):
        if not self.is_stepped:
            return NOT_NOW
        rows = self.member.stored(now)
        self.is_exchanging = self.is_stepped = False
        _, *columns = zip(*rows, strict=True)
        names = ["granted", "refused", "held"]
        return {name: list(map(str, column)) for name, column in zip(names, columns, strict=True)}

    def lost(self, _, now):
        if not self.is_exchanging:
            return NOT_NOW
        self.is_stepped = False
        return {"wait": optional(str, self.member.lost(now))}

    def failed(self, step, now):
        stored = an(bool, step["stored"])
        if not self.is_exchanging:
            return NOT_NOW
        self.member.failed(stored, now)
        self.is_exchanging = self.is_stepped = False

    def late(self, _, now):
        self.member.late(now)


# In this order.
FORMS = {
    "retry_after": retry_after,
    "response": response,
    "state": state,
    "exchange": exchange,
    "steps": steps,
    "fit": fit,
    "preview": preview,
    "delays": delays,
}


if __name__ == "__main__":
    with open(0, "rb", 1 << 20) as lines, open(1, "w", encoding="ascii", newline="\n") as out:
        while chunk := list(islice(lines, LINES)):
            out.write("".join(map(answer, chunk)))
