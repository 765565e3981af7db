"""The vectors of loops, in C and in C++, and what only loops of C have.

Usage: loops.py ABI LIBRARY LIBRARY_OF_WRAPPER_RETRY
"""

import ctypes
import sys

from library import F, N, S, filled, function, main, ok, parsed, ref
from vectors import cases, counts_of, number, or_none, stream_of

#: What C cannot express: an attempt makes its own classification, and returns an outcome.
SKIPPED = [
    "unclassified-value",
    "unclassified-failure",
    "attempt_timeout-unclassified",
    "failure-success",
    "mark",
]
CALLER_FAILED = 2**32 - 1
WRAPPER = ctypes.CDLL(sys.argv[3])
WRAPPER_RETRY = function("wrapper_retry", WRAPPER, declared="backoff_retry")
CALLER_FAILS = ctypes.c_int.in_dll(WRAPPER, "caller_fails")


class Player:
    """Plays loops that share a clock, which only calls and waits move."""

    def __init__(self, retry, stream, policy, budget=None, wait_cancels=0, is_informed=False):
        self.retry, self.stream, self.wait_cancels = retry, stream, wait_cancels
        self.now, self.stats = 0, S.stats()
        ok(F.stats_init(ref(self.stats)))
        address = lambda of: ctypes.addressof(of) if of else None  # noqa: E731
        self.kept = [policy, budget]
        self.loop = S.loop(
            policy=address(policy), budget=address(budget), stats=ctypes.addressof(self.stats)
        )
        kinds = dict(S.loop._fields_)
        for name in ["attempt", "wait", "cancelled", "on_retry", "on_stop"]:
            setattr(self.loop, name, kinds[name](getattr(self, name)))
        self.loop.now = kinds["now"](lambda _: self.now)
        if is_informed:
            self.loop.attempt = S.loop().attempt
            self.loop.attempt_with = kinds["attempt_with"](self.attempt_with)
            self.loop.delay = kinds["delay"](self.delay)

    def reaches(self, what, where):
        """Whether the script cancels or fails at this place of the last call."""
        point = self.script[what]
        return point is not None and point["where"] == where and point["call"] + 1 == self.calls

    def attempt(self, _, retry_after):
        retry_after = ctypes.c_uint64.from_address(retry_after)
        self.log.append(("call", retry_after.value == N.NO_TIME))
        if self.calls == len(self.script["calls"]):
            return N.OUTCOME_PERMANENT
        call, limit = self.script["calls"][self.calls], self.limit()
        self.calls += 1
        if limit is not None and int(call["takes"]) > limit:
            self.now += limit
            return N.OUTCOME_TIMEOUT
        self.now += int(call["takes"])
        retry_after.value = or_none(call["retry_after"])
        for where in ["call", "classification"]:
            self.is_cancelled |= self.reaches("cancel", where)
        outcome = call["outcome"]
        return outcome if isinstance(outcome, int) else number("outcome", outcome)

    def limit(self):
        """The limit of the next call."""
        limit = self.script["limits"][self.calls] if self.script.get("limits") else None
        return None if limit is None else int(limit)

    def attempt_with(self, context, at, retry_after):
        known = S.loop_attempt_info.from_address(at)
        assert not any(known.reserved)
        assert not known.reserved32
        self.known.append([known.number, known.time_left_ns, known.last_outcome])
        if "time_left" in self.script and self.calls < len(self.script["calls"]):
            # At 0 a deadline that is over is played as one that ends in a moment.
            left, is_played = self.script["time_left"][self.calls], self.script["deadline"] == "0"
            assert known.time_left_ns == (1 if is_played and self.now == 0 else or_none(left))
        return self.attempt(context, retry_after)

    def delay(self, _, index, outcome):
        self.asked.append((index, outcome))
        delays = next(iter((self.script.get("delays") or {"function": []}).values()))
        return or_none(delays[index] if index < len(delays) else None)

    def wait(self, _, delay):
        CALLER_FAILS.value = self.reaches("fail", "wait")
        if CALLER_FAILS.value:
            return 0
        if self.reaches("cancel", "wait"):
            self.now += int(self.script["cancel"]["after"])
            self.is_cancelled = not self.wait_cancels
            return 7 * self.wait_cancels
        self.log.append(("wait", delay))
        self.now += delay
        return 0

    def cancelled(self, _):
        return CALLER_FAILED * self.is_cancelled

    def event(self, at):
        event = S.loop_event.from_address(at)
        assert not any(event.reserved)
        return [event.attempts, event.delay_ns, event.elapsed_ns, event.outcome, event.reason]

    def on_retry(self, _, at):
        self.log.append(("retry", self.event(at), counts_of(self.stats).operations - self.before))
        self.is_cancelled |= self.reaches("cancel", "retry_hook")
        CALLER_FAILS.value = self.reaches("fail", "retry_hook")

    def on_stop(self, _, at):
        self.log.append(("stop", self.event(at), counts_of(self.stats).operations - self.before))
        # A loop without a call has its points at the call 0.
        CALLER_FAILS.value = (self.script["fail"] or {}).get("where") == "stop_hook"

    def play(self, script, wanted):
        self.script, self.calls, self.log = script, 0, []
        self.known, self.asked = [], []
        self.is_cancelled = (script["cancel"] or {}).get("where") == "before"
        self.before, CALLER_FAILS.value = counts_of(self.stats).operations, 0
        # 1 stands for a deadline of 0, as no wait ends at 0. 0 and NONE are both no deadline.
        deadline = script["deadline"]
        none = N.NO_TIME if self.wait_cancels else 0
        self.loop.deadline_ns = none if deadline is None else int(deadline) or 1
        end = filled(S.loop_event)
        returned = self.retry(ref(self.loop), self.stream, None, ref(end))
        yield returned, wanted
        logged = lambda name: [entry[1:] for entry in self.log if entry[0] == name]  # noqa: E731
        yield logged("call"), [(True,)] * len(script["calls"])
        yield logged("wait"), [(int(wait),) for wait in script["waits"]]
        events = [
            (event["hook"], [event["attempts"], int(event["delay"]), int(event["elapsed"]),
             number("outcome", event["outcome"]), number("reason", event["reason"])], event["hook"] == "stop")
            for event in script["events"]
        ]  # fmt: skip
        yield bytes(end) == bytes(filled(S.loop_event)), returned != N.OK
        if returned == N.OK:
            yield self.event(ctypes.addressof(end)), events[-1][1]
        if not self.loop.on_retry:
            return
        yield [entry for entry in self.log if entry[0] in ("retry", "stop")], events
        # Calls, hooks and waits take turns.
        order = [entry[0] for entry in self.log if entry[0] != "stop"]
        turns = ["call", "retry", "wait"] * len(order)
        yield order, turns[: len(order)]


def begun(policy, budget):
    operation = S.operation()
    ok(F.operation_begin(ref(operation), ref(policy), 1, 0, N.NO_TIME, ref(budget)))
    return operation


def is_granted(operation, budget):
    decision = S.decision()
    ok(
        F.operation_decide(
            ref(operation), N.OUTCOME_TRANSIENT, N.NO_TIME, 0, ref(budget), ref(decision)
        )
    )
    return decision.reason == 0


class Idle:
    """A budget that grants a retry to every two operations under way, with one operation besides the loops."""

    def __init__(self):
        self.policy = parsed("policy", "immediate")
        self.budget = parsed("budget", "concurrent:min_concurrent=0,ratio=0.5")
        self.other = begun(self.policy, self.budget)

    def checks(self):
        """The loops left nothing in the budget."""
        ok(F.operation_cancel(ref(self.other), ref(self.budget), None))
        yield is_granted(begun(self.policy, self.budget), self.budget), False
        one, two = begun(self.policy, self.budget), begun(self.policy, self.budget)
        yield (is_granted(two, self.budget), is_granted(one, self.budget)), (True, False)


def can_play(case, callers_fail):
    fails = [script["fail"]["where"] for script in case["loops"] if script["fail"]]
    return case["id"] not in SKIPPED and (
        not fails or (callers_fail and "classification" not in fails)
    )


def policy_of(case):
    """The policy. C has no list of delays: a program that has one limits the retries itself."""
    policy = parsed("policy", case["policy"])
    retries = ctypes.c_uint64()
    ok(F.policy_max_retries(ref(policy), ref(retries)))
    for script in case["loops"]:
        delays = (script["delays"] or {}).get("list")
        if delays is not None and len(delays) < retries.value:
            ok(F.policy_change(ref(policy), N.FIELD_MAX_RETRIES, len(delays), ref(policy), None))
    return policy


def loops(retry=F.retry, callers_fail=False, wanted=111):
    """Each case in two forms. False: `cancelled` cancels a loop whose wait is cut short, and there is no budget if the
    case has none. True: the wait cancels the loop, there is a budget, and attempts know what they may know."""
    played = [case for case in cases("loops") if can_play(case, callers_fail)]
    yield "played", len(played), wanted
    for case, form in [(case, form) for case in played for form in (0, 1)]:
        idle = Idle()
        budget = (
            parsed("budget", case["budget"]) if case["budget"] else idle.budget if form else None
        )
        stream = stream_of(case["seed"], case["key"])
        is_informed = bool(form or case["loops"][0]["delays"])
        player = Player(retry, stream, policy_of(case), budget, form, is_informed)
        for script in case["loops"]:
            for check in player.play(script, CALLER_FAILED if script["fail"] else N.OK):
                yield case["id"], *check
        counts, stats = counts_of(player.stats), case["stats"]
        stops = [stats["stops"].get(F.reason_name(reason).decode(), 0) for reason in range(1, 8)]
        found = [counts.operations, counts.attempts, counts.stops]
        yield (
            case["id"],
            found,
            [int(stats["operations"]), int(stats["attempts"]), list(map(int, stops))],
        )
        for check in idle.checks():
            yield case["id"], *check


def loops_of_the_wrapper():
    yield from loops(WRAPPER_RETRY, True, 123)


def script(calls, waits, events, delays=None):
    """Calls are pairs of the time that they take and the outcome."""
    names = ["hook", "attempts", "delay", "elapsed", "outcome", "reason"]
    return {
        "calls": [
            {"takes": takes, "outcome": outcome, "retry_after": None} for takes, outcome in calls
        ],
        "waits": waits,
        "events": [dict(zip(names, event, strict=True)) for event in events],
        "delays": delays and {"function": delays},
        "deadline": None,
        "cancel": None,
        "fail": None,
    }


def informed(retry, policy):
    return Player(retry, 1, parsed("policy", policy), is_informed=True)


def informed_loops():
    transient, timeout = N.OUTCOME_TRANSIENT, N.OUTCOME_TIMEOUT
    for retry in [F.retry, WRAPPER_RETRY]:
        # 5, the policy's 9 in place of no delay, and 5 after the cap and the floor of the policy.
        policy = "constant:base=9ns,cap=9ns,floor=9ns,max_retries=2,attempt_timeout=20ns,max_elapsed=25ns"
        player = informed(retry, policy)
        played = script(
            [(1, "transient"), (2, "timeout"), (3, "transient")],
            [5, 9],
            [
                ["retry", 1, 5, 1, "transient", None],
                ["retry", 2, 9, 8, "timeout", None],
                ["stop", 3, 0, 20, "transient", "max_retries"],
            ],
            ["5", None],
        )
        for check in player.play(played, N.OK):
            yield "informed", *check
        yield "known", player.known, [[1, 20, 0], [2, 19, transient], [3, 8, timeout]]
        yield "asked", player.asked, [(0, transient), (1, timeout)]
        # Without a limit there is no time. A success and a permanent failure are asked for no delay.
        for outcome, reason in [("success", "success"), ("permanent", "permanent")]:
            player = informed(retry, "constant:base=9ns")
            played = script([(1, outcome)], [], [["stop", 1, 0, 1, outcome, reason]])
            for check in player.play(played, N.OK):
                yield outcome, *check
            yield outcome, (player.known, player.asked), ([[1, N.NO_TIME, 0]], [])


def other_loops():
    for retry in [F.retry, WRAPPER_RETRY]:
        # The policy that is NULL waits for the delays in the README. Three functions are enough.
        player = Player(retry, stream_of(42, b"job-1".hex()), None)
        unused = S.loop()
        player.loop.cancelled, player.loop.on_retry, player.loop.on_stop = (
            unused.cancelled,
            unused.on_retry,
            unused.on_stop,
        )
        end = ["stop", 4, 0, 323753121, "transient", "max_retries"]
        for check in player.play(
            script([(0, "transient")] * 4, [11399434, 83043876, 229309811], [end]), N.OK
        ):
            yield "defaults", *check
        policy = parsed("policy", "constant:base=100ns")
        player = Player(retry, 0, policy)
        player.now = 1000
        events = [["retry", 1, 100, 0, "transient", None], ["stop", 2, 0, 0, "success", "success"]]
        for check in player.play(
            script([(-490, "transient"), (-490, "success")], [100], events), N.OK
        ):
            yield "a clock that goes back", *check
        for unknown in [0, 6, 99, 1 << 31, 2**32 - 1]:
            idle = Idle()
            player = Player(retry, 1, policy, idle.budget)
            for check in player.play(
                script([(0, "transient"), (0, unknown)], [100], events[:1]), N.UNKNOWN_OUTCOME
            ):
                yield unknown, *check
            counts = counts_of(player.stats)
            yield unknown, (counts.attempts, counts.stops[N.REASON_CANCELLED - 1]), (2, 1)
            for check in idle.checks():
                yield unknown, *check


if __name__ == "__main__":
    main([loops, loops_of_the_wrapper, other_loops, informed_loops])
