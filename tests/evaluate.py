"""The evaluator of the reference: lines of JSON in, answers out (see README.md)."""

import json
import os
import sys
from collections import deque
from itertools import islice
from multiprocessing import Pool

import evaluate_budgets
import wire
from evaluate_budgets import with_budget
from reference import (
    budgets,
    delays,
    errors,
    operations,
    parse_error,
    preview,
    printing,
    retry_after,
    streams,
    strings,
)

INDICES = 2**32


def answer(line):
    try:
        request = wire.decoded(line)
        form = next((FORMS[member] for member in FORMS if member in request), of_delay)
        answered = form(request)
    except wire.NotARequest:
        answered = {"error": "not_a_request", "at": 0}
    return json.dumps(answered, separators=(",", ":")).encode() + b"\n"


# Forms. Each reads the whole request before it evaluates anything.


def of_delay(request):
    text, stream = wire.string(request, "policy"), stream_of(request)
    index = wire.whole(request, "index", INDICES - 1, 0)

    def evaluate(policy):
        delay = delays.delay(policy, stream, index)
        return {"canonical": printing.printed("policy", policy), "delay_ns": str(delay)}

    return with_policy(text, evaluate)


def of_preview(request):
    text, asked = wire.string(request, "policy"), wire.an_object(request["preview"])
    first, count = wire.whole(asked, "first", 10_000), wire.whole(asked, "count", 1000)

    def evaluate(policy):
        rows = islice(preview.preview(policy), first, first + count)
        return {"rows": [list(map(str, row)) for row in rows]}

    return with_policy(text, evaluate)


def of_fit(request):
    text, asked = wire.string(request, "policy"), wire.an_object(request["fit"])
    field = wire.name_of(asked, "field", ["base", "cap"])
    attempts, total = wire.whole(asked, "attempts", INDICES - 1), wire.time(asked, "total")

    def evaluate(policy):
        try:
            fitted = preview.fit(policy, field, attempts, total)
        except errors.PolicyError as e:
            details = {"value": str(e.value), "limit": str(e.limit)}
            return {"error": e.code, "field": e.field, **details}
        return {"canonical": printing.printed("policy", fitted)}

    return with_policy(text, evaluate)


def of_steps(request):
    text, stream = wire.string(request, "policy"), stream_of(request)
    budget_text, steps = wire.string_or_none(request, "budget"), steps_of(request)

    def evaluate(policy):
        def answer(budget):
            return {
                "canonical": printing.printed("policy", policy),
                "budget": budget and printing.printed("budget", budget),
                "answers": list(run(steps, policy, stream, budget and budgets.new_budget(budget))),
            }

        return answer(None) if budget_text is None else with_budget(budget_text, "budget", answer)

    return with_policy(text, evaluate)


def steps_of(request):
    """The operation, the action and its arguments of each step."""
    begun, found = set(), []
    for step in wire.a_list(request, "steps"):
        operation, now = wire.whole(step, "operation", INDICES - 1), wire.time(step, "now")
        do = wire.name_of(step, "do", ["begin", "outcome", "cancel"])
        if (operation in begun) == (do == "begin"):
            raise wire.NotARequest
        begun.add(operation)
        match do:
            case "begin":
                arguments = now, wire.time_or_none(step, "deadline")
            case "outcome":
                outcome = wire.name_of(step, "outcome", operations.OUTCOMES)
                arguments = outcome, now, wire.time_or_none(step, "retry_after")
            case "cancel":
                arguments = ()
        found.append((operation, do, arguments))
    return found


def run(steps, policy, stream, budget):
    running = {}
    for operation, do, arguments in steps:
        if do == "begin":
            running[operation] = operations.Operation(policy, stream, *arguments, budget)
            continue
        asked = running[operation]
        what, delay = getattr(asked, do)(*arguments)
        answered = {"wait": str(delay)} if what == "wait" else {"stop": what, "delay": str(delay)}
        yield answered | {"retries": asked.retries}


def of_retry_after(request):
    asked = wire.an_object(request["retry_after"])
    value, now = wire.string(asked, "value"), wire.time(asked, "now")
    wait = retry_after.parse_retry_after(value, now)
    return {"retry_after": None if wait is None else str(wait)}


def of_response(request):
    asked = wire.an_object(request["response"])
    status, fields = wire.whole(asked, "status", 2**16 - 1), wire.string(asked, "fields")
    wait = retry_after.http_retry_after(status, fields, wire.time(asked, "now"))
    outcome = retry_after.of_http_status(status)
    return {"outcome": outcome, "retry_after": None if wait is None else str(wait)}


FORMS = {
    "retry_after": of_retry_after,
    "response": of_response,
    "state": evaluate_budgets.of_state,
    "exchange": evaluate_budgets.of_exchange,
    "steps": of_steps,
    "fit": of_fit,
    "preview": of_preview,
}


def stream_of(request):
    return streams.stream(wire.seed(request), wire.key(request))


def with_policy(text, evaluate):
    try:
        policy = strings.parse("policy", text)
    except parse_error.ParseError as error:
        return {"error": error.code, "at": error.at}
    return evaluate(policy)


def answers(lines):
    return b"".join(map(answer, lines))


def main():
    """Answers in the order of the lines, computed by one process for each processor."""
    chunks = iter(lambda: sys.stdin.buffer.readlines(1 << 16), [])
    out = sys.stdout.buffer
    with Pool() as pool:
        begun = deque()
        for chunk in chunks:
            begun.append(pool.apply_async(answers, (chunk,)))
            if len(begun) > 4 * os.cpu_count():
                out.write(begun.popleft().get())
        for chunk in begun:
            out.write(chunk.get())


if __name__ == "__main__":
    main()
