"""Clause 18: loops, on a clock that stands still unless a call or a wait takes time."""

from reference.operations import Operation


class CallerFailed(Exception):
    """Code of the caller, such as a hook, has failed."""


def own_delays(delays):  # 18.9
    """The own delay of each index that has one."""
    given = [] if delays is None else delays.get("list") or delays["function"]
    return {index: delay for index, delay in enumerate(given) if delay is not None}


class Loop:
    """One loop of a script: `calls`, and at most one `cancel` and one `fail` at a point of the loop.

    A point is a name and the index of the call: "call", when the call ends; "classification"; "retry_hook";
    "wait", some time into the wait; "stop_hook". A cancellation may also come "before" the loop.
    """

    def __init__(self, script, policy, stream, clock, budget=None, stats=None):
        self.script = script
        self.own = own_delays(script["delays"])
        most = len(self.own) if "list" in (script["delays"] or {}) else policy["max_retries"]
        self.policy = policy | {"max_retries": min(policy["max_retries"], most)}
        self.stream = stream
        self.clock, self.budget, self.stats = clock, budget, stats
        self.operation = None
        self.begun, self.limits, self.time_left = None, [], []
        self.calls, self.waits, self.events = 0, [], []
        self.last = None  # the outcome of the last call
        self.reason = None

    def run(self):
        """18.2: the reason, and whether the loop ends with the failure of the caller's code."""
        try:
            if self.reaches("cancel", "before"):
                return self.stop("cancelled", 0), False
            self.begun = self.clock.now
            self.operation = Operation(
                self.policy, self.stream, self.begun, self.script["deadline"], self.budget
            )
            while True:
                reason, delay = self.attempt()
                if reason != "wait":
                    return self.stop(reason, delay), False
        except CallerFailed:  # 18.6
            if self.reason is None:
                self.operation.cancel()
                self.record("cancelled")
            return self.reason, True

    def attempt(self):
        call = self.script["calls"][self.calls]
        self.calls += 1
        self.limits.append(self.operation.attempt_limit(self.clock.now))
        self.time_left.append(self.operation.time_left(self.clock.now))
        self.is_cut = self.limits[-1] is not None and call["takes"] > self.limits[-1]  # 18.2
        self.clock.now += self.limits[-1] if self.is_cut else call["takes"]
        is_cancelled = self.reaches("cancel", "call")
        outcome, retry_after = ("timeout", None) if self.is_cut else self.verdict(call)
        is_cancelled |= self.reaches("cancel", "classification")
        self.last = outcome
        if is_cancelled and outcome != "success":  # 18.5
            return self.operation.cancel()
        now = self.clock.now
        own = self.own.get(self.operation.index(now))  # 18.9
        reason, delay = self.operation.outcome(outcome, now, retry_after, own)
        if reason != "wait":
            return reason, delay
        self.event("retry", None, delay)
        if self.reaches("cancel", "retry_hook"):
            return self.operation.cancel()
        self.fail("wait")
        if self.reaches("cancel", "wait"):
            self.clock.now += self.script["cancel"]["after"]
            return self.operation.cancel()
        self.clock.now += delay
        self.waits.append(delay)
        return "wait", delay

    def verdict(self, call):  # 18.3
        is_value = call["ends"] == "value"
        if call["mark"] is not None:
            return call["mark"], None
        if not self.script["classified"]:
            return ("success" if is_value else "permanent"), None
        self.fail("classification")
        outcome = call["outcome"]
        if not is_value and outcome == "success":
            outcome = "permanent"
        return outcome, call["retry_after"]

    def reaches(self, what, where):
        point = self.script[what]
        return point is not None and (point["where"], point["call"]) == (
            where,
            max(self.calls - 1, 0),
        )

    def fail(self, where):
        if self.reaches("fail", where):
            raise CallerFailed

    def stop(self, reason, delay):  # 18.5
        self.record(reason)
        self.event("stop", reason, delay)
        return reason

    def record(self, reason):
        self.reason = reason
        self.stats.record(self.calls, reason)

    def event(self, hook, reason, delay):  # 18.4
        elapsed = 0 if self.begun is None else max(0, self.clock.now - self.begun)
        self.events.append(
            {
                "hook": hook,
                "attempts": self.calls,
                "outcome": None if reason == "cancelled" else self.last,
                "reason": reason,
                "delay": delay,
                "elapsed": elapsed,
            }
        )
        self.fail(f"{hook}_hook")
