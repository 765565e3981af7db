"""Clause 15.3: which retries a budget grants."""

from reference.fields import SECOND
from reference.numbers import scale


class Unlimited:
    """Grants every retry. Each kind overrides the transitions that it uses."""

    def operation_begins(self, now):
        pass

    def attempt_is_over(self, operation):
        pass

    def attempt_failed(self):
        pass

    def grants(self, operation, outcome, now):
        return True

    def operation_succeeded(self, operation):
        pass

    def operation_ended(self):
        pass


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

    def operation_succeeded(self, operation):
        self.level = min(self.b["max_tokens"], self.level + (operation.held or 1))


class Throttle(Unlimited):
    def __init__(self, b):
        self.full = self.level = 1000 * b["max_tokens"]
        self.n, self.d = b["ratio"]

    def attempt_failed(self):
        self.level = max(0, self.level - 1000)

    def grants(self, operation, outcome, now):
        return 2 * self.level > self.full

    def operation_succeeded(self, operation):
        self.level = min(self.full, self.level + 1000 * self.n // self.d)


class Ratio(Unlimited):
    def __init__(self, b):
        self.n, self.d = b["ratio"]
        self.full = self.level = self.d * b["max_tokens"]

    def operation_begins(self, now):
        self.level = min(self.full, self.level + self.n)

    def grants(self, operation, outcome, now):
        if self.level < self.d:
            return False
        self.level -= self.d
        return True


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

    def operation_begins(self, now):
        self.add(self.slice_of(now), self.n)

    def grants(self, operation, outcome, now):
        at = self.slice_of(now)
        last = range(at - self.SLICES + 1, at + 1)
        if sum(self.levels.get(slice, 0) for slice in last) + self.reserve < self.d:
            return False
        self.add(at, -self.d)
        return True


class Concurrent(Unlimited):
    def __init__(self, b):
        self.b = b
        self.active = self.retrying = 0

    def operation_begins(self, now):
        self.active += 1

    def attempt_is_over(self, operation):
        if operation.held:
            operation.held = 0
            self.retrying -= 1

    def grants(self, operation, outcome, now):
        most = max(self.b["min_concurrent"], scale(self.active, self.b["ratio"]))
        if self.retrying >= most:
            return False
        self.retrying += 1
        operation.held = 1
        return True

    def operation_ended(self):
        self.active -= 1


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
