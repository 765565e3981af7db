"""What a budget has left (SPEC 15.9), between the steps of operations."""

import re

from reference import budgets, operations, streams, strings

from cases.table import number, paragraphs

POLICY = strings.parse("policy", "constant:base=0s")
STREAM = streams.stream(0, None)


class Levels:
    """A case under construction. Its operations have a policy without limits."""

    def __init__(self, id, why, budget):
        self.case = {"id": id, "why": why, "budget": budget, "steps": []}
        self.budget = budgets.new_budget(strings.parse("budget", budget))
        self.operations = {}
        self.level(0)

    def step(self, do, now, **more):
        self.case["steps"].append({"do": do, "now": str(now), **more})

    def level(self, now):
        names = ["level", "max", "unit"]
        level = dict(zip(names, map(str, self.budget.level_at(now)), strict=True))
        # What a store of a shared budget has (15.5).
        is_shared = not isinstance(self.budget, budgets.Concurrent)
        state = " ".join(map(str, [0, *self.budget.numbers()])) if is_shared else None
        self.step("level", now, state=state, **level)

    def tell(self, steps):
        """Steps such as `begin:1s transient*2 level:5s #1 begin success cancel`: the number of an operation, 0 at first; what
        it does, and the time, by default that of the step before. Every step is followed by the level at its time."""
        operation, now = 0, 0
        for step in steps.split():
            if step.startswith("#"):
                operation = int(step[1:])
                continue
            do, time, count = re.fullmatch(r"(\w+)(?::([^:*]+))?(?:\*(\d+))?", step).groups()
            now = number(time) if time else now
            for _ in range(int(count or 1)):
                asked = self.operations.get(operation)
                match do:
                    case "begin":
                        made = operations.Operation(POLICY, STREAM, now, None, self.budget)
                        self.operations[operation] = made
                        self.step("begin", now, operation=operation)
                    case "cancel":
                        asked.cancel()
                        self.step("cancel", now, operation=operation)
                    case "level":
                        pass
                    case outcome:
                        asked.outcome(outcome, now, None, None)
                        self.step("outcome", now, operation=operation, outcome=outcome)
                self.level(now)
        return self


def budget_level_cases():
    for parts in paragraphs(TABLE):
        yield Levels(*parts[:3]).tell(parts[3]).case


# The budget, and the steps.
TABLE = """
quota: costs by outcome, and what a success gives back
    aws-sdk-2026:cost_timeout=20 -> begin throttled timeout transient success #1 begin success #2 begin transient cancel
quota-full: a success of a full budget
    quota:max_tokens=5 -> begin success #1 begin transient*2 #2 begin transient
throttle: failures and successes in thousandths
    throttle:max_tokens=4,ratio=1/3 -> begin transient*2 #1 begin success #2 begin success #3 begin permanent
throttle-empty: failures after the last token
    throttle:max_tokens=2,ratio=1/7 -> begin transient #1 begin transient #2 begin transient #3 begin success
ratio: operations earn the numerator, retries cost the denominator
    ratio:max_tokens=3,ratio=2/7 -> begin transient*4 #1 begin #2 begin #3 begin transient
ratio-fine: a denominator of a million
    ratio:max_tokens=2,ratio=0.000001 -> begin transient #1 begin transient*2
ratio-none: operations earn nothing
    ratio:max_tokens=2,ratio=0 -> begin transient*3
rate: a refill by time, up to the highest level, and none for a time before
    rate:max_tokens=3,per=1s -> begin:1s transient*4 level:1050ms level:1500ms level:999ms transient:1500ms level:1h level:2500ms
rate-unused: no refill before the first request
    rate:max_tokens=100,per=1m -> begin:5s level:1m success level:2m
ttl: operations earn above the reserve, and slices expire
    ttl:ttl=10s,min_per_second=2,ratio=0.5 -> begin:500ms begin:700ms transient*3 level:9s level:10s level:11s begin:30s transient*22 level:35s level:50s
ttl-slices: each slice expires by itself
    ttl:ttl=10s,min_per_second=0,ratio=1 -> begin:12s begin:15s begin:18s*2 level:21s level:22s level:24s level:25s level:28s
ttl-none: no reserve
    ttl:ttl=1s,min_per_second=0,ratio=1 -> begin transient*2 level:99ms level:1s begin transient level:2s
ttl-before: a time before the latest slice is in the latest slice
    ttl:min_per_second=0,ratio=1 -> begin:100s begin level:5s transient:90s level:100s
concurrent: the slots of the active operations
    concurrent:ratio=0.5,min_concurrent=1 -> begin transient level #1 begin #2 begin #3 begin transient #1 transient #0 success #3 cancel #2 cancel #1 permanent
concurrent-none: no slots without operations
    concurrent:ratio=1,min_concurrent=0 -> begin transient #1 begin transient #1 success #0 cancel
"""
