"""What tests of loops share: policies, events, and a job that waits an hour."""

from backoff_rs import Budget, Operation, Policy, RandomStream, RetryStats

#: The first delays of POLICY for job-1 under seed 42.
DELAYS = [11_399_434, 83_043_876, 229_309_811, 83_486_434, 444_551_853]
POLICY = "full:base=100ms,cap=20s,max_retries=5"
SECOND = 1_000_000_000
REFUSED, RESET = ConnectionRefusedError("refused"), ConnectionResetError("reset")
HOUR = "constant:base=1h"
#: Grants one retry at a time: after a leak it grants none.
BUDGET = "concurrent:ratio=0,min_concurrent=1"


class Events:
    """The events of the hooks, in order."""

    def __init__(self):
        self.all = []

    def on_retry(self, event):
        assert event.reason is None
        self.all.append(event)

    def on_stop(self, event):
        assert event.reason is not None
        self.all.append(event)

    @property
    def brief(self):
        return [(event.attempts, event.outcome, event.reason, event.delay_ns) for event in self.all]


def run(form, script, events=None, stats=None, **options):
    events = events or Events()
    return form(
        script,
        **{"policy": POLICY, "seed": 42, "key": "job-1", "on": OSError, "log": False}
        | {"on_retry": events.on_retry, "on_stop": events.on_stop, "stats": stats}
        | options,
    )


def stops(stats):
    return {reason.value: count for reason, count in stats.stops.items() if count}


def is_idle(budget):
    """Whether no operation holds a retry of the budget."""
    operation = Operation(Policy.parse(HOUR), RandomStream(1), now_ns=0, budget=budget)
    granted = bool(operation.decide("transient", now_ns=0))
    operation.cancel()
    return granted


class Job:
    """The options of a loop that fails and waits an hour, and its events."""

    def __init__(self, policy=HOUR):
        self.budget, self.stats = Budget.parse(BUDGET), RetryStats()
        self.stops, self.retries = [], []
        self.options = {
            "policy": policy,
            "on": ConnectionError,
            "budget": self.budget,
            "stats": self.stats,
            "on_retry": self.retries.append,
            "on_stop": self.stops.append,
            "log": False,
        }

    def is_cancelled(self, attempts):
        (stop,) = self.stops
        assert (stop.attempts, stop.reason, stop.outcome) == (attempts, "cancelled", None)
        assert (self.stats.operations, self.stats.stops["cancelled"]) == (1, 1)
        assert self.stats.attempts == max(1, attempts)
        assert is_idle(self.budget)
        return True
