"""The evaluator (see tests/README.md at the root): reads lines of JSON and writes delays, previews,
fits, decisions, steps of budgets, exchanges of shared ones, or the waits that HTTP responses ask for, one JSON object
per line. It reads requests as that of the reference does."""

import contextlib
import json
import sys
from array import array
from fractions import Fraction
from itertools import islice
from pathlib import Path

import vectors
from backoff_rs import (
    Backoff,
    Budget,
    BudgetState,
    Operation,
    Policy,
    PolicyError,
    RandomStream,
    http_verdict,
)
from backoff_rs._backoff import _Member, _parse_retry_after_ns
from vectors import optional, seconds

sys.path.append(str(Path(__file__).parents[2] / "tests"))

import wire
from evaluate_members import Player, event_of, outcome_of
from reference import fields, members

LINES = 4096
MAX_NS, MAX_INDEX = 2**63 - 1, 2**32 - 1


def answer(line):
    """The answer to a line."""
    try:
        request = Request(wire.decoded(line))
        form = next((FORMS[name] for name in FORMS if name in request), delay)
        found = form(request)
        found = request.error or found
    except wire.NotARequest:
        found = {"error": "not_a_request", "at": 0}
    return ENCODE(found) + "\n"


ENCODE = json.JSONEncoder(separators=(",", ":")).encode


class Request(dict):
    """The members of a request, and the answer to the first policy or budget that is invalid. A valid
    one takes its place, because the rest of the request is read, too."""

    error = None

    def refuse(self, **error):
        self.error = self.error or error

    def policy(self):
        text = wire.string(self, "policy")
        try:
            return Policy.parse(text)
        except PolicyError as error:
            self.refuse(error=error.code, at=error.at)
            return Policy.parse("none")

    def budget(self, within=None, of="budget"):
        text = wire.string(self if within is None else within, of)
        try:
            return Budget.parse(text)
        except PolicyError as error:
            self.refuse(error=error.code, at=error.at, of=of)
            return Budget.parse("rate")

    def asked(self, form):
        return wire.an_object(self[form])

    def stream(self):
        seed, key = wire.seed(self), wire.key(self)
        return RandomStream(seed) if key is None else RandomStream(seed, key)


# Forms.


def details(error):
    """The answer to a policy that is invalid, but not at a place of a string."""
    value, limit = str(error.value), str(error.limit)
    return {"error": error.code, "field": error.field, "value": value, "limit": limit}


def delay(request):
    policy, stream = request.policy(), request.stream()
    ns = policy.delay_ns(stream, wire.whole(request, "index", MAX_INDEX, 0))
    return {"canonical": str(policy), "delay_ns": str(ns)}


def delays(request):
    asked, stream = request.asked("delays"), request.stream()
    given = wire.an_object(wire.member(request, "policy"))
    chosen = {name: field(given, name) for name in fields.FIELDS if name in given}
    via = wire.name_of(asked, "via", ["window", "at", "fill", "next", "reset"])
    index, count = wire.whole(asked, "index", MAX_INDEX), wire.whole(asked, "count", 10_000)
    if index + count > 2**32:
        raise wire.NotARequest
    try:
        policy = vectors.policy(chosen)
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


def field(given, name):
    """The text of a field, checked."""
    if name in fields.KINDS:
        return wire.string(given, name)
    if name in fields.LISTS:
        return list(map(str, wire.words(given, name)))
    if name not in fields.RATIOS:
        return str(wire.word(given, name))
    terms = wire.string(given, name).split("/")
    if len(terms) != 2:
        raise wire.NotARequest
    return "/".join(str(wire.digits(term, MAX_INDEX)) for term in terms)


def taken(backoff, count):
    """The next delays; fewer than count if the iterator ends."""
    found = []
    with contextlib.suppress(StopIteration):
        for _ in range(count):
            found.append(backoff.next_ns())
    return found


ROW = ["min", "mean", "max", "total_min", "total_mean", "total_max"]


def preview(request):
    policy, asked = request.policy(), request.asked("preview")
    first, count = wire.whole(asked, "first", 10_000), wire.whole(asked, "count", 1000)
    rows = islice(policy.preview(first + count), first, None)
    return {"rows": [[str(getattr(row, f"{name}_ns")) for name in ROW] for row in rows]}


def fit(request):
    policy, asked = request.policy(), request.asked("fit")
    name = wire.name_of(asked, "field", ["base", "cap"])
    attempts, total = wire.whole(asked, "attempts", MAX_INDEX), wire.time(asked, "total")
    try:
        return {"canonical": str(getattr(policy, f"fit_{name}")(attempts, seconds(total)))}
    except PolicyError as error:
        return details(error)


def steps(request):
    policy, stream = request.policy(), request.stream()
    budget = None if request.get("budget") is None else request.budget()
    operations, answers = {}, []
    for step in wire.a_list(request, "steps"):
        number, now = wire.whole(step, "operation", MAX_INDEX), wire.word(step, "now")
        do = wire.name_of(step, "do", ["begin", "outcome", "limit", "cancel"])
        if (do == "begin") is (number in operations):
            raise wire.NotARequest
        if do == "begin":
            deadline = wire.word_or_none(step, "deadline")
            operations[number] = Operation(
                policy, stream, now_ns=now, deadline_ns=deadline, budget=budget
            )
            continue
        operation = operations[number]
        if do == "limit":
            limit, index = operation.attempt_limit_ns(now), operation.retry_index(now)
            answers.append({"limit": wire.shown(limit), "index": index})
            continue
        if do == "cancel":
            found = {"stop": operation.cancel(), "delay": "0"}
        else:
            wait, own = (
                optional(seconds, wire.time_or_none(step, name))
                for name in ("retry_after", "own_delay")
            )
            decision = operation.decide(outcome_of(step), now_ns=now, retry_after=wait, delay=own)
            ns = str(decision.delay_ns)
            found = {"wait": ns} if decision else {"stop": decision.reason, "delay": ns}
        answers.append(found | {"retries": operation.retries})
    return {"canonical": str(policy), "budget": optional(str, budget), "answers": answers}


def retry_after(request):
    asked = request.asked("retry_after")
    value, now = wire.string(asked, "value"), seconds(wire.time(asked, "now"))
    return {"retry_after": wire.shown(_parse_retry_after_ns(value, now=now))}


class Headers(list):
    """The lines of a response, as a client has them that keeps each."""

    def items(self):
        return self


def response(request):
    asked = request.asked("response")
    status, now = wire.whole(asked, "status", 2**16 - 1), seconds(wire.time(asked, "now"))
    lines = wire.string(asked, "fields").split("\n")
    lines = [line.removesuffix("\r").partition(":") for line in lines]
    # As Latin-1, which clients take the bytes of headers for.
    pairs = ((name, value.encode().decode("latin-1")) for name, colon, value in lines if colon)
    verdict = http_verdict(status, Headers(pairs), now=now)
    wait = optional(nanoseconds, verdict.retry_after)
    return {"outcome": verdict.outcome, "retry_after": wire.shown(wait)}


def nanoseconds(wait):
    """A float of seconds, which may not tell the nanosecond of a long wait."""
    ns = round(Fraction(wait) * 10**9)
    return ns if ns < 2**53 else min(round(ns, -6), MAX_NS)


def state(request):
    budget, asked, answers = request.budget(), request.asked("state"), []
    current, text = BudgetState.full(budget), wire.string_or_none(asked, "text")
    try:
        current = current if text is None else BudgetState.parse(budget, text)
    except PolicyError as error:
        request.refuse(error=error.code, at=0, of="text")
    for event in wire.a_list(asked, "events"):
        (name, held), now = event_of(event), wire.word(event, "now")
        is_request = name == "retry_requested"
        outcome = outcome_of(event) if is_request else None
        current, granted, holds = current.step(name, now_ns=now, outcome=outcome, held=held)
        granted = granted if is_request else None
        answers.append({"granted": granted, "holds": str(holds), "state": str(current)})
    return {"budget": str(budget), "answers": answers}


def exchange(request):
    budget, asked = request.budget(), request.asked("exchange")
    local = request.budget(asked, "local")
    lease, fallback = wire.whole(asked, "lease", 1000, least=1), wire.word(asked, "fallback")
    if members.MAX_COUNT < fallback < members.REFUSE:
        raise wire.NotARequest
    if budget.kind == "concurrent":
        request.refuse(error="not_shared", at=0, of="budget")
        budget = Budget.parse("rate")
    timeout, seed = wire.time(asked, "timeout"), wire.word(asked, "seed")
    player = Player(Member(budget, local, lease, fallback, timeout, seed))
    answers = list(map(player.play, wire.a_list(asked, "steps")))
    stats = {name: str(count) for name, count in player.member.stats()}
    return {"budget": str(budget), "local": str(local), "answers": answers, "stats": stats}


class Member:
    """A member with the methods of that of the reference."""

    def __init__(self, *configuration):
        self._member = _Member(*configuration)
        self.exchange = None

    def __getattr__(self, name):
        return getattr(self._member, name)

    @property
    def timeout(self):
        return self._member.timeout_ns()

    def note(self, event, now, held, is_local):
        self._member.note(event, held, is_local, now)

    def request(self, outcome, now):
        granted, held, is_local = self._member.request(outcome, now) or (None, 0, False)
        return {None: "waits", True: "granted", False: "refused"}[granted], held, is_local

    def begin(self, now):
        self._member.begin(now)
        self.exchange = "begun"

    def step(self, text, store_now):
        found = self._member.step(text, store_now)
        rows = [] if found is None else self._member.steps()
        return (*(found or (None, False)), [(*row, granted or 0) for *row, granted in rows])

    def stored(self, now):
        self.exchange = None
        names, granted, refused, held = zip(*self._member.stored(now), strict=True)
        self.gives = dict(zip(names, held, strict=True)).get
        return [dict(zip(names, counts, strict=True)) for counts in (granted, refused)]

    def failed(self, now, stored):
        self.exchange = None
        self._member.failed(stored, now)


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
