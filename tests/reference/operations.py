"""Clause 13: decisions."""

from reference.budgets import Unlimited
from reference.delays import delay
from reference.numbers import MAX, WORD_MAX, draw, sample, sat

OUTCOMES = ["success", "transient", "throttled", "timeout", "permanent"]
REASONS = ["success", "permanent", "max_retries", "max_elapsed", "deadline", "budget", "cancelled"]


class Operation:  # 13.1
    def __init__(self, policy, stream, begun, deadline=None, budget=None):
        self.policy, self.stream = policy, stream
        self.begun, self.deadline = begun, deadline
        self.budget = budget or Unlimited()
        self.retries = 0
        self.reason = None
        self.held = 0  # tokens or slots of the budget (15.3)
        self.budget.operation_begins(begun)

    def outcome(self, outcome, now, retry_after=None):
        """13.4: ("wait", delay), or (reason, the delay that will not be waited)."""
        if self.reason:  # 13.6
            return self.reason, 0
        self.budget.attempt_is_over(self)
        if outcome == "success":
            self.budget.operation_succeeded(self)
            return self.end("success")
        if outcome == "permanent":
            return self.end("permanent")
        self.budget.attempt_failed()
        if self.retries >= self.policy["max_retries"]:
            return self.end("max_retries")
        d = self.delay(outcome, retry_after)
        limit = self.policy["max_elapsed"]
        if limit < MAX and max(0, now - self.begun) + d > limit:
            return self.end("max_elapsed", d)
        if self.deadline not in (None, WORD_MAX) and now + d > self.deadline:
            return self.end("deadline", d)
        if not self.budget.grants(self, outcome, now):
            return self.end("budget", d)
        self.retries += 1
        return "wait", d

    def cancel(self):  # 13.6
        if self.reason:
            return self.reason, 0
        self.budget.attempt_is_over(self)
        return self.end("cancelled")

    def refuse(self):  # 13.8
        if self.reason:
            return self.reason
        self.retries = max(0, self.retries - 1)
        self.budget.attempt_is_over(self)
        return self.end("budget")[0]

    def end(self, reason, d=0):
        self.reason = reason
        self.budget.operation_ended()
        return reason, d

    def delay(self, outcome, retry_after):  # step 6
        p, n = self.policy, self.retries
        if outcome == "throttled":
            p = p | {"base": p["throttled_base"]}
        d = delay(p, self.stream, n)
        if retry_after is None:
            return d
        h = min(retry_after, p["retry_after_max"], sat(d + p["retry_after_max_extra"]))  # 13.5
        match p["retry_after"]:
            case "at_least":
                return max(d, h)
            case "exact":
                return h
            case "spread":
                return sample(draw(self.stream, n), h, sat(h + h // 2))
