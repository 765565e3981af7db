"""A case of decisions.json, written step by step."""

import re

from reference import budgets, operations, streams, strings

from cases.table import number, paragraphs


class Scenario:
    """A case under construction: the steps so far, with the answers of the reference."""

    def __init__(self, id, why, policy, budget=None, seed=42, key=b"job-1"):
        self.case = {
            "id": id,
            "why": why,
            "policy": policy,
            "budget": budget,
            "seed": str(seed),
            "key": None if key is None else key.hex(),
            "steps": [],
        }
        self.policy, self.stream = strings.parse("policy", policy), streams.stream(seed, key)
        self.budget = budget and budgets.new_budget(strings.parse("budget", budget))
        self.operations = {}

    def begin(self, operation, now=0, deadline=None):
        self.operations[operation] = operations.Operation(self.policy, self.stream, now, deadline, self.budget)
        self.step(operation, "begin", now, deadline=word(deadline))
        return self

    def outcome(self, operation, outcome, now=0, retry_after=None, own_delay=None):
        asked = self.operations[operation]
        answer = answered(asked.outcome(outcome, now, retry_after, own_delay))
        more = {"outcome": outcome, "retry_after": word(retry_after), "answer": answer, "retries": asked.retries}
        if own_delay is not None:
            more["own_delay"] = word(own_delay)
        self.step(operation, "outcome", now, **more)
        return self

    def limit(self, operation, now=0):
        asked = self.operations[operation]
        self.step(operation, "limit", now, limit=word(asked.attempt_limit(now)), index=asked.index(now))
        return self

    def cancel(self, operation, now=0):
        answer = answered(self.operations[operation].cancel())
        self.step(operation, "cancel", now, answer=answer)
        return self

    def step(self, operation, do, now, **more):
        self.case["steps"].append({"operation": operation, "do": do, "now": str(now), **more})

    def tell(self, steps):
        """Steps such as `begin:1s fail*2 #1 begin cancel #0 throttled:0:7s`: the number of an operation, 0 at first; what
        it does, and the time; then a deadline or a retry_after. `fail:1s,2s` fails twice. `own:1s:5s` fails with an own delay of 5s, and `limit:1s` asks for the limit of an attempt."""
        operation = 0
        for step in steps.split():
            if step.startswith("#"):
                operation = int(step[1:])
                continue
            do, times, more, count = re.fullmatch(r"(\w+)(?::([^:*]+))?(?::([^*]+))?(?:\*(\d+))?", step).groups()
            more = more and number(more)
            for now in map(number, (times or "0").split(",") * int(count or 1)):
                match do:
                    case "begin":
                        self.begin(operation, now, more)
                    case "cancel":
                        self.cancel(operation, now)
                    case "limit":
                        self.limit(operation, now)
                    case "own":
                        self.outcome(operation, "transient", now, None, more)
                    case "fail":
                        self.outcome(operation, "transient", now, more)
                    case outcome:
                        self.outcome(operation, outcome, now, more)
        return self


def scenarios(table):
    """The scenarios of a table: `id: why`, and below it the policy, perhaps a budget, and the steps."""
    for id, why, first, steps in paragraphs(table):
        policy, *more = first.split()
        budget = [word for word in more if word != "no-key"]
        key = None if "no-key" in more else b"job-1"
        yield Scenario(id, why, policy, *budget, key=key).tell(steps)


def word(value):
    return None if value is None else str(value)


def answered(answer):
    what, delay = answer
    return {"wait": str(delay)} if what == "wait" else {"stop": what, "delay": str(delay)}
