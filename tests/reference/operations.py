"""Clause 13: decisions."""

from reference.budgets import Unlimited
from reference.delays import delay
from reference.numbers import MAX, WORD, WORD_MAX, G, draw, sample, sat

OUTCOMES = ["success", "transient", "throttled", "timeout", "permanent"]
REASONS = ["success", "permanent", "max_retries", "max_elapsed", "deadline", "budget", "cancelled"]


class Operation:  # 13.1
    def __init__(self, policy, stream, begun, deadline=None, budget=None):
        self.policy, self.stream = policy, stream
        self.begun, self.deadline = begun, deadline
        self.budget = budget or Unlimited()
        self.attempt_begun = begun  # None after 13.7
        self.retries = 0
        self.reason = None
        self.held = 0  # tokens or slots of the budget (15.3)
        self.budget.operation_begins(begun)

    def outcome(self, outcome, now, retry_after=None, own_delay=None):
        """13.4, 13.9: ("wait", delay), or (reason, the delay that will not be waited)."""
        if self.reason:  # 13.6
            return self.reason, 0
        self.budget.attempt_is_over(self)
        if outcome == "success":
            self.budget.operation_succeeded(self)
            return self.end("success")
        if outcome == "permanent":
            return self.end("permanent")
        self.budget.attempt_failed()
        if self.counts_anew(now):  # step 5
            self.stream = (self.stream + self.retries * G) % WORD
            self.retries, self.begun = 0, now
        elif self.retries == 0 and self.policy["elapsed_from"] == "failure":
            self.begun = now
        if self.retries >= self.policy["max_retries"]:
            return self.end("max_retries")
        d = self.delay(outcome, retry_after, own_delay)
        limit = self.policy["max_elapsed"]
        if limit < MAX and max(0, now - self.begun) + d > limit:
            return self.end("max_elapsed", d)
        if self.deadline not in (None, WORD_MAX) and now + d > self.deadline:
            return self.end("deadline", d)
        if not self.budget.grants(self, outcome, now):
            return self.end("budget", d)
        self.retries += 1
        self.attempt_begun = now + d
        return "wait", d

    def counts_anew(self, now):
        limit = self.policy["reset_after"]
        return limit < MAX and self.attempt_begun is not None and now - self.attempt_begun >= limit

    def index(self, now):  # 13.9
        """The index of the delay that follows if the attempt fails now."""
        return 0 if self.reason is None and self.counts_anew(now) else self.retries

    def attempt_limit(self, now):  # 13.10
        p = self.policy
        if p["attempt_timeout"] == MAX:
            return None
        return min([p["attempt_timeout"], *(left for left in self.ends(now) if left > 0)])

    def time_left(self, now):  # 13.11
        ends = [max(0, left) for left in self.ends(now)]
        timeout = self.policy["attempt_timeout"]
        return min(ends if timeout == MAX else [timeout, *ends], default=None)

    def ends(self, now):
        """What is left until the deadline and max_elapsed end, below 0 after it."""
        p = self.policy
        left = [] if self.deadline in (None, WORD_MAX) else [self.deadline - now]
        if p["max_elapsed"] < MAX and (p["elapsed_from"] == "begin" or self.retries > 0):
            left.append(p["max_elapsed"] - max(0, now - self.begun))
        return left

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

    def delay(self, outcome, retry_after, own_delay):  # step 7
        p, n = self.policy, self.retries
        if outcome == "throttled":
            p = p | {"base": p["throttled_base"]}
        d = delay(p, self.stream, n) if own_delay is None else sat(own_delay)
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
