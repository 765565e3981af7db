"""A case of decisions.json, written step by step."""

from reference import budgets, operations, streams, strings


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

    def outcome(self, operation, outcome, now=0, retry_after=None):
        asked = self.operations[operation]
        answer = answered(asked.outcome(outcome, now, retry_after))
        more = {"outcome": outcome, "retry_after": word(retry_after), "answer": answer, "retries": asked.retries}
        self.step(operation, "outcome", now, **more)
        return self

    def succeed(self, operation, now=0):
        return self.outcome(operation, "success", now)

    def server_asks(self, operation, *waits):
        """A transient failure at time 0 for each retry_after."""
        for retry_after in waits:
            self.outcome(operation, "transient", retry_after=retry_after)
        return self

    def cancel(self, operation, now=0):
        answer = answered(self.operations[operation].cancel())
        self.step(operation, "cancel", now, answer=answer)
        return self

    def step(self, operation, do, now, **more):
        self.case["steps"].append({"operation": operation, "do": do, "now": str(now), **more})

    def fail(self, operation, *times, outcome="transient"):
        for now in times:
            self.outcome(operation, outcome, now)
        return self


def word(value):
    return None if value is None else str(value)


def answered(answer):
    what, delay = answer
    return {"wait": str(delay)} if what == "wait" else {"stop": what, "delay": str(delay)}
