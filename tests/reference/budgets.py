"""Clauses 15.3 to 15.6: which retries a budget grants, and its state as text."""

import re
from types import SimpleNamespace

from reference.fields import SECOND
from reference.numbers import WORD_MAX, scale


class Unlimited:
    """Grants every retry. Each kind overrides the transitions that it uses. What gives or takes tokens
    may happen several times at once."""

    def operation_begins(self, now, times=1):
        pass

    def attempt_is_over(self, operation):
        pass

    def attempt_failed(self, times=1):
        pass

    def grants(self, operation, outcome, now):
        return True

    def operation_succeeded(self, operation, times=1):
        pass

    def operation_ended(self):
        pass

    def numbers(self):
        """The numbers of 15.5, without the version."""
        return [self.level]

    def read(self, numbers):
        (self.level,) = numbers


class Quota(Unlimited):
    def __init__(self, b):
        self.b = b
        self.level = b["max_tokens"]

    def grants(self, operation, outcome, now):
        b = self.b
        costs = {"throttled": b["cost_throttled"], "timeout": b["cost_timeout"]}
        c = costs.get(outcome, b["cost"])
        if self.level < c:
            return False
        self.level -= c
        operation.held = c
        return True

    def operation_succeeded(self, operation, times=1):
        self.level = min(self.b["max_tokens"], self.level + times * (operation.held or 1))

    def level_at(self, now):
        """15.9: the level, the highest one and the unit. It changes nothing."""
        return self.level, self.b["max_tokens"], 1


class Throttle(Unlimited):
    def __init__(self, b):
        self.full = self.level = 1000 * b["max_tokens"]
        self.n, self.d = b["ratio"]

    def attempt_failed(self, times=1):
        self.level = max(0, self.level - 1000 * times)

    def grants(self, operation, outcome, now):
        return 2 * self.level > self.full

    def operation_succeeded(self, operation, times=1):
        self.level = min(self.full, self.level + 1000 * self.n // self.d * times)

    def level_at(self, now):
        return self.level, self.full, 1000


class Ratio(Unlimited):
    def __init__(self, b):
        self.n, self.d = b["ratio"]
        self.full = self.level = self.d * b["max_tokens"]

    def operation_begins(self, now, times=1):
        self.level = min(self.full, self.level + self.n * times)

    def grants(self, operation, outcome, now):
        if self.level < self.d:
            return False
        self.level -= self.d
        return True

    def level_at(self, now):
        return self.level, self.full, self.d


class Rate(Unlimited):
    def __init__(self, b):
        self.b = b
        self.full = self.level = b["per"] * b["max_tokens"]
        self.last = None

    def grants(self, operation, outcome, now):
        last = now if self.last is None else self.last
        self.last = max(last, now)
        self.level = min(self.full, self.level + (self.last - last) * self.b["max_tokens"])
        if self.level < self.b["per"]:
            return False
        self.level -= self.b["per"]
        return True

    def numbers(self):
        return [self.level, self.last or 0]

    def read(self, numbers):
        self.level, self.last = numbers

    def level_at(self, now):
        passed = 0 if self.last is None else max(0, now - self.last)
        filled = min(self.full, self.level + passed * self.b["max_tokens"])
        return filled, self.full, self.b["per"]


class Ttl(Unlimited):
    SLICES = 10

    def __init__(self, b):
        self.length = b["ttl"] // self.SLICES
        self.n, self.d = b["ratio"]
        self.reserve = b["min_per_second"] * b["ttl"] * self.d // SECOND
        self.levels = {}  # by the number of the slice
        self.latest = 0

    def slice_of(self, now):
        self.latest = max(self.latest, now // self.length)
        return self.latest

    def add(self, at, change):
        self.levels[at] = self.levels.get(at, 0) + change

    def operation_begins(self, now, times=1):
        self.add(self.slice_of(now), self.n * times)

    def grants(self, operation, outcome, now):
        at = self.slice_of(now)
        last = range(at - self.SLICES + 1, at + 1)
        if sum(self.levels.get(slice, 0) for slice in last) + self.reserve < self.d:
            return False
        self.add(at, -self.d)
        return True

    def places(self):
        """The last 10 slices in the order of their places."""
        return sorted(
            range(self.latest - self.SLICES + 1, self.latest + 1), key=lambda s: s % self.SLICES
        )

    def numbers(self):
        return [self.latest, *(self.levels.get(slice, 0) for slice in self.places())]

    def read(self, numbers):
        self.latest, *levels = numbers
        self.levels = dict(zip(self.places(), levels, strict=True))

    def level_at(self, now):
        at = max(self.latest, now // self.length)
        last = range(at - self.SLICES + 1, at + 1)
        left = sum(self.levels.get(slice, 0) for slice in last) + self.reserve
        return max(0, left), self.reserve, self.d


class Concurrent(Unlimited):
    def __init__(self, b):
        self.b = b
        self.active = self.retrying = 0

    def operation_begins(self, now, times=1):
        self.active += times

    def attempt_is_over(self, operation):
        if operation.held:
            operation.held = 0
            self.retrying -= 1

    def grants(self, operation, outcome, now):
        limit = max(self.b["min_concurrent"], scale(self.active, self.b["ratio"]))
        if self.retrying >= limit:
            return False
        self.retrying += 1
        operation.held = 1
        return True

    def operation_ended(self):
        self.active -= 1

    def numbers(self):
        return [self.active, self.retrying]

    def read(self, numbers):
        self.active, self.retrying = numbers

    def level_at(self, now):
        slots = max(self.b["min_concurrent"], scale(self.active, self.b["ratio"]))
        return max(0, slots - self.retrying), slots, 1


BUDGETS = {
    "quota": Quota,
    "throttle": Throttle,
    "ratio": Ratio,
    "rate": Rate,
    "ttl": Ttl,
    "concurrent": Concurrent,
}


def new_budget(b):
    return BUDGETS[b["budget"]](b)


EVENTS = [
    "operation_began",
    "attempt_over",
    "attempt_failed",
    "retry_requested",
    "operation_succeeded",
    "operation_ended",
]


class BudgetState:
    """15.5, 15.6: changes in place, unlike the state of the core."""

    def __init__(self, b, text=None):
        self.b = b
        self.budget = new_budget(b)
        self.version = 0
        if text is not None:
            self.version, *numbers = map(int, text.split(" "))
            self.budget.read(numbers)

    def text(self):
        return " ".join(map(str, [self.version, *self.budget.numbers()]))

    def step(self, event, now, outcome=None, held=0, times=1):
        """Whether the retry is granted (None if none was requested), and what the operation then holds."""
        before, operation = self.budget.numbers(), SimpleNamespace(held=held)
        granted = None
        match event:
            case "operation_began":
                self.budget.operation_begins(now, times)
            case "attempt_over":
                self.budget.attempt_is_over(operation)
            case "attempt_failed":
                self.budget.attempt_failed(times)
            case "retry_requested":
                granted = self.budget.grants(operation, outcome, now)
            case "operation_succeeded":
                self.budget.operation_succeeded(operation, times)
            case "operation_ended":
                self.budget.operation_ended()
        self.saturate()
        changed = self.budget.numbers() != before
        self.version = (self.version + changed) % (WORD_MAX + 1)
        return granted, operation.held if granted else 0

    def saturate(self):
        """15.6: no number leaves its range."""
        if self.b["budget"] == "ttl":
            latest, *levels = self.budget.numbers()
            self.budget.read([latest, *(min(max(level, -(2**63)), 2**63 - 1) for level in levels)])
        else:
            self.budget.read([min(max(number, 0), WORD_MAX) for number in self.budget.numbers()])


NUMBER = "(?:0|[1-9][0-9]*)"
LEVEL_OF_SLICE = "(?:0|-?[1-9][0-9]*)"
FORMS = {
    "ttl": [NUMBER] * 2 + [LEVEL_OF_SLICE] * Ttl.SLICES,
    "rate": [NUMBER] * 3,
    "concurrent": [NUMBER] * 3,
}


def is_state_text(b, text):  # 15.5
    kind = b["budget"]
    if not re.fullmatch(" ".join(FORMS.get(kind, [NUMBER] * 2)), text):
        return False
    numbers = list(map(int, text.split(" ")))
    if kind == "ttl" and any(
        level != min(max(level, -(2**63)), 2**63 - 1) for level in numbers[2:]
    ):
        return False
    if kind in ("quota", "throttle", "ratio", "rate") and numbers[1] > new_budget(b).level:
        return False
    return max(numbers) <= WORD_MAX
