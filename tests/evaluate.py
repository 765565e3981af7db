"""The evaluator of the reference: lines of JSON in, answers out (see README.md)."""

import json
import os
import sys
from collections import deque
from itertools import islice
from multiprocessing import Pool

import wire
from evaluate_members import Player, event_of, outcome_of
from reference import (
    budgets,
    delays,
    errors,
    fields,
    members,
    operations,
    parse_error,
    policies,
    preview,
    printing,
    retry_after,
    sequences,
    streams,
    strings,
)

INDICES = 2**32
#: What takes the place of an invalid string, because the rest of the request is read, too.
VALID = {"policy": "none", "budget": "rate"}


def answer(line):
    try:
        request = Request(wire.decoded(line))
        form = next((FORMS[member] for member in FORMS if member in request), of_delay)
        answered = form(request)
        answered = request.error or answered
    except wire.NotARequest:
        answered = {"error": "not_a_request", "at": 0}
    return json.dumps(answered, separators=(",", ":")).encode() + b"\n"


class Request(dict):
    """The members of a request, and the answer to the first that is invalid."""

    error = None

    def refuse(self, **error):
        self.error = self.error or error

    def parsed(self, of, text, /, **more):
        try:
            return strings.parse(of, text)
        except parse_error.ParseError as error:
            self.refuse(error=error.code, at=error.at, **more)
            return strings.parse(of, VALID[of])

    def policy(self):
        return self.parsed("policy", wire.string(self, "policy"))

    def budget(self):
        return self.parsed("budget", wire.string(self, "budget"), of="budget")

    def asked(self, form):
        return wire.an_object(self[form])

    def stream(self):
        return streams.stream(wire.seed(self), wire.key(self))


def printed_policy(policy):
    return printing.printed("policy", policy)


def printed_budget(budget):
    return printing.printed("budget", budget)


def details(error):
    """The answer to a policy that is invalid, but not at a place of a string."""
    value, limit = str(error.value), str(error.limit)
    return {"error": error.code, "field": error.field, "value": value, "limit": limit}


# Forms.


def of_delay(request):
    policy, index = request.policy(), wire.whole(request, "index", INDICES - 1, 0)
    delay = delays.delay(policy, request.stream(), index)
    return {"canonical": printed_policy(policy), "delay_ns": str(delay)}


def of_delays(request):
    asked, stream, policy = request.asked("delays"), request.stream(), policy_of_fields(request)
    via = wire.name_of(asked, "via", ["at", "fill", "next", "reset", "window"])
    index, count = wire.whole(asked, "index", INDICES - 1), wire.whole(asked, "count", 10_000)
    if index + count > INDICES:
        raise wire.NotARequest
    if via == "window":
        found = [delays.window(policy, at) for at in range(index, index + count)]
    elif via in ("at", "fill"):
        found = delays.delays(policy, stream, index, count)
    else:
        iterator = sequences.Iterator(policy, stream)
        if via == "reset":
            iterator.take(index)
            iterator.reset()
        found = iterator.take(count)
    return {"delays": list(map(str, found))}


def policy_of_fields(request):
    given = wire.an_object(wire.member(request, "policy"))
    chosen = {name: field_of(given, name) for name in fields.FIELDS if name in given}
    try:
        return policies.policy(chosen)
    except errors.PolicyError as error:
        request.refuse(**details(error))
        return strings.parse("policy", VALID["policy"])


def field_of(given, name):
    if name in fields.KINDS:
        return wire.string(given, name)
    if name in fields.LISTS:
        return wire.words(given, name)
    if name not in fields.RATIOS:
        return wire.word(given, name)
    terms = wire.string(given, name).split("/")
    if len(terms) != 2:
        raise wire.NotARequest
    return tuple(wire.digits(term, 2**32 - 1) for term in terms)


def of_preview(request):
    policy, asked = request.policy(), request.asked("preview")
    first, count = wire.whole(asked, "first", 10_000), wire.whole(asked, "count", 1000)
    rows = islice(preview.preview(policy), first, first + count)
    return {"rows": [list(map(str, row)) for row in rows]}


def of_fit(request):
    policy, asked = request.policy(), request.asked("fit")
    field = wire.name_of(asked, "field", ["base", "cap"])
    attempts, total = wire.whole(asked, "attempts", INDICES - 1), wire.time(asked, "total")
    try:
        return {"canonical": printed_policy(preview.fit(policy, field, attempts, total))}
    except errors.PolicyError as error:
        return details(error)


def of_steps(request):
    policy, stream = request.policy(), request.stream()
    budget = None if request.get("budget") is None else request.budget()
    shared = budget and budgets.new_budget(budget)
    running, answers = {}, []
    for step in wire.a_list(request, "steps"):
        number, now = wire.whole(step, "operation", INDICES - 1), wire.word(step, "now")
        do = wire.name_of(step, "do", ["begin", "outcome", "limit", "cancel"])
        if (number in running) == (do == "begin"):
            raise wire.NotARequest
        if do == "begin":
            deadline = wire.word_or_none(step, "deadline")
            running[number] = operations.Operation(policy, stream, now, deadline, shared)
            continue
        operation = running[number]
        if do == "limit":
            limit, index = operation.attempt_limit(now), operation.index(now)
            answers.append({"limit": wire.shown(limit), "index": index})
            continue
        if do == "outcome":
            wait, own = (wire.time_or_none(step, name) for name in ("retry_after", "own_delay"))
            what, delay = operation.outcome(outcome_of(step), now, wait, own)
        else:
            what, delay = operation.cancel()
        answer = {"wait": str(delay)} if what == "wait" else {"stop": what, "delay": str(delay)}
        answers.append(answer | {"retries": operation.retries})
    shown = budget and printed_budget(budget)
    return {"canonical": printed_policy(policy), "budget": shown, "answers": answers}


def of_retry_after(request):
    asked = request.asked("retry_after")
    wait = retry_after.parse_retry_after(wire.string(asked, "value"), wire.time(asked, "now"))
    return {"retry_after": wire.shown(wait)}


def of_response(request):
    asked = request.asked("response")
    status, lines = wire.whole(asked, "status", 2**16 - 1), wire.string(asked, "fields")
    wait = retry_after.http_retry_after(status, lines, wire.time(asked, "now"))
    return {"outcome": retry_after.of_http_status(status), "retry_after": wire.shown(wait)}


def of_state(request):
    budget, asked, answers = request.budget(), request.asked("state"), []
    start = wire.string_or_none(asked, "text")
    if start is not None and not budgets.is_state_text(budget, start):
        request.refuse(error="not_a_state", at=0, of="text")
        start = None
    state = budgets.BudgetState(budget, start)
    for event in wire.a_list(asked, "events"):
        (name, held), now = event_of(event), wire.word(event, "now")
        outcome = outcome_of(event) if name == "retry_requested" else None
        granted, holds = state.step(name, now, outcome, held)
        answers.append({"granted": granted, "holds": str(holds), "state": state.text()})
    return {"budget": printed_budget(budget), "answers": answers}


def of_exchange(request):
    budget, asked = request.budget(), request.asked("exchange")
    local = request.parsed("budget", wire.string(asked, "local"), of="local")
    lease, fallback = wire.whole(asked, "lease", 1000, least=1), wire.word(asked, "fallback")
    if members.MAX_COUNT < fallback < members.REFUSE:
        raise wire.NotARequest
    if budget["budget"] == "concurrent":
        request.refuse(error="not_shared", at=0, of="budget")
        budget = strings.parse("budget", VALID["budget"])
    timeout, seed = wire.time(asked, "timeout"), wire.word(asked, "seed")
    player = Player(members.Member(budget, local, lease, fallback, timeout, seed))
    return {
        "budget": printed_budget(budget),
        "local": printed_budget(local),
        "answers": list(map(player.play, wire.a_list(asked, "steps"))),
        "stats": {name: str(count) for name, count in player.member.stats().items()},
    }


FORMS = {
    "retry_after": of_retry_after,
    "response": of_response,
    "state": of_state,
    "exchange": of_exchange,
    "steps": of_steps,
    "fit": of_fit,
    "preview": of_preview,
    "delays": of_delays,
}


def answers(lines):
    return b"".join(map(answer, lines))


def main():
    """Answers in the order of the lines, computed by one process for each processor."""
    chunks = iter(lambda: sys.stdin.buffer.readlines(1 << 16), [])
    out = sys.stdout.buffer
    with Pool() as pool:
        running = deque()
        for chunk in chunks:
            running.append(pool.apply_async(answers, (chunk,)))
            if len(running) > 4 * os.cpu_count():
                out.write(running.popleft().get())
        for chunk in running:
            out.write(chunk.get())


if __name__ == "__main__":
    main()
