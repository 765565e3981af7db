"""Loops, call by call (SPEC 18)."""

from types import SimpleNamespace

from reference import budgets, loops, stats, streams, strings

MS, S = 10**6, 10**9
M, H = 60 * S, 3600 * S
STEADY = "constant:base=100ms,max_retries=3"
SEED, KEY = 42, b"job-1"
FAILED = ["transient", "throttled", "timeout"]


class Case:
    """A case under construction: loops, one after the other, that share a clock, a stream, stats and perhaps a budget."""

    def __init__(self, id, why, policy=STEADY, budget=None):
        self.case = {
            "id": id,
            "why": why,
            "policy": policy,
            "budget": budget,
            "seed": str(SEED),
            "key": KEY.hex(),
            "loops": [],
        }
        self.policy = strings.parse("policy", policy)
        self.budget = budget and budgets.new_budget(strings.parse("budget", budget))
        self.stream = streams.stream(SEED, KEY)
        self.clock = SimpleNamespace(now=0)
        self.stats = stats.RetryStats()

    def loop(self, *calls, classified=True, deadline=None, cancel=None, fail=None, delays=None):
        script = {"calls": list(calls), "classified": classified, "deadline": deadline, "cancel": cancel, "fail": fail}
        script["delays"] = delays
        loop = loops.Loop(script, self.policy, self.stream, self.clock, self.budget, self.stats)
        reason, has_failed = loop.run()
        assert loop.calls == len(calls), f"{self.case['id']}: {loop.calls} of {len(calls)} calls are made"
        last = "nothing" if not calls else "timeout" if loop.is_cut else calls[-1]["ends"]
        results = {"limits": loop.limits, "time_left": loop.time_left}
        results |= {"waits": loop.waits, "events": loop.events, "reason": reason}
        self.case["loops"].append(words({**script, **results}) | {"ends": "caller" if has_failed else last})
        operations = sum(self.stats.buckets)
        self.case["stats"] = {
            "operations": operations,
            "attempts": operations + self.stats.retries,
            "stops": {reason: count for reason, count in self.stats.stops.items() if count},
        }
        return self


def words(value):
    """Times as decimal strings, as in all vectors, and other numbers as they are."""
    if isinstance(value, dict):
        names = ("takes", "retry_after", "deadline", "after", "delay", "elapsed")
        return {
            name: [v if v is None else str(v) for v in of]
            if name in ("waits", "limits", "time_left", "list", "function")
            else str(of)
            if name in names and of is not None
            else words(of)
            for name, of in value.items()
        }
    return [words(v) for v in value] if isinstance(value, list) else value


def call(outcome, takes=0, retry_after=None, ends=None, mark=None):
    """A call with this verdict. A success is a value, anything else a failure, unless `ends` says otherwise."""
    ends = ends or ("value" if outcome == "success" else "failure")
    return {"takes": takes, "ends": ends, "mark": mark, "outcome": outcome, "retry_after": retry_after}


def at(where, call=0, **more):
    """A point of a loop."""
    return {"where": where, "call": call, **more}


OK, BUSY, NEVER = call("success"), call("transient"), call("permanent")


def loop_cases():
    parts = (ends, verdicts, times, attempts, long_attempts, own_delays, shared_budgets, cancellations, failures)
    for part in (*parts, sequences):
        for case in part():
            yield case.case


# fmt: off
# One case a paragraph, with several loops a line.


def ends():
    """18.2: how loops go on and stop."""
    yield Case("success-at-once", "one call, no wait").loop(OK)
    yield Case("success-later", "two retries").loop(BUSY, BUSY, OK)
    yield Case("success-last", "the last retry succeeds").loop(BUSY, BUSY, BUSY, OK)
    yield Case("max_retries", "no wait after the last failure").loop(BUSY, BUSY, BUSY, BUSY)
    yield Case("max_retries-0", "a policy without retries", "none:max_retries=0").loop(BUSY)
    yield Case("max_retries-0-success", "a call that succeeds", "none:max_retries=0").loop(OK)
    yield Case("permanent", "a failure that is not retried").loop(NEVER)
    yield Case("permanent-later", "after two retries").loop(BUSY, BUSY, NEVER)
    yield Case("long-wait", "longer than some timers can wait", "constant:base=30d,max_retries=1").loop(BUSY, OK)
    yield Case("no-wait", "retries without waits", "none:max_retries=2").loop(BUSY, BUSY, BUSY)
    yield Case("many", "the stats count eleven calls", "constant:base=1ms").loop(*[BUSY] * 10, OK)
    full = "full:base=100ms,cap=2s,max_retries=4"
    yield Case("jitter", "delays of the stream", full).loop(*[BUSY] * 5)
    yield (Case("throttled", "another base after throttled", "exponential:base=100ms,throttled_base=1s,max_retries=4")
        .loop(BUSY, call("throttled"), call("timeout"), call("throttled"), OK))


def verdicts():
    """18.3: how calls are classified."""
    for outcome in FAILED:
        yield Case(f"failure-{outcome}", "a failure that is retried").loop(call(outcome), OK)
        yield Case(f"value-{outcome}", "a value that is retried").loop(call(outcome, ends="value"), OK)
        yield (Case(f"value-{outcome}-last", "the last value that was retried", "none:max_retries=1")
            .loop(BUSY, call(outcome, ends="value")))
    yield Case("failure-success", "a failure is no success").loop(call("success", ends="failure"))
    yield Case("value-permanent", "a value that is not retried").loop(call("permanent", ends="value"))
    yield Case("unclassified-value", "a value is a success").loop(call(None, ends="value"), classified=False)
    yield Case("unclassified-failure", "a failure is permanent").loop(call(None, ends="failure"), classified=False)
    yield (Case("mark", "the mark of the function comes before the classification")
        .loop(BUSY, call("transient", mark="permanent")))
    for retry_after in (0, 50 * MS, 100 * MS, 700 * MS):
        yield (Case(f"retry_after-{retry_after // MS}", "a verdict with a retry_after")
            .loop(call("throttled", retry_after=retry_after), OK))
    yield (Case("retry_after-value", "a value with a retry_after")
        .loop(call("throttled", retry_after=S, ends="value"), OK))
    yield Case("retry_after-last", "no wait follows").loop(BUSY, BUSY, BUSY, call("throttled", retry_after=S))
    yield (Case("retry_after-exact", "the policy decides", "constant:base=1s,retry_after=exact,max_retries=2")
        .loop(call("throttled", retry_after=50 * MS), BUSY, OK))
    yield (Case("retry_after-exact-0", "at once", "constant:base=1s,retry_after=exact,max_retries=2")
        .loop(call("throttled", retry_after=0), BUSY, OK))


def times():
    """18.4: the time of events, and limits of time."""
    slow = call("transient", takes=30 * MS)
    yield Case("elapsed", "calls and waits take time").loop(slow, slow, call("success", takes=7 * MS))
    limit = "constant:base=100ms,max_elapsed=250ms"
    yield Case("max_elapsed", "the wait that would end too late is not waited", limit).loop(BUSY, BUSY, BUSY)
    yield Case("max_elapsed-calls", "the time of calls counts", limit).loop(slow, slow)
    yield (Case("max_elapsed-exact", "a wait may end at the limit", "constant:base=125ms,max_elapsed=250ms")
        .loop(BUSY, BUSY, BUSY))
    yield Case("max_elapsed-retry_after", "a wait that a server asks for", limit).loop(call("throttled", retry_after=S))
    yield Case("max_elapsed-success", "a late success is one", limit).loop(BUSY, call("success", takes=S))
    yield Case("max_elapsed-permanent", "a late permanent failure is one", limit).loop(BUSY, call("permanent", takes=S))
    forever = "constant:base=100ms"
    yield (Case("deadline", "the wait that would end too late is not waited", forever)
        .loop(BUSY, BUSY, BUSY, deadline=250 * MS))
    yield Case("deadline-exact", "a wait may end at the deadline", forever).loop(BUSY, BUSY, BUSY, deadline=200 * MS)
    yield Case("deadline-over", "a deadline that is over allows one call", forever).loop(BUSY, deadline=0)
    yield Case("deadline-success", "a late success is one", forever).loop(call("success", takes=S), deadline=0)
    yield Case("deadline-first", "the deadline comes before max_elapsed", limit).loop(BUSY, BUSY, deadline=150 * MS)


def attempts():
    """18.2: attempts that take longer than their limit."""
    limited = "constant:base=100ms,max_retries=2,attempt_timeout=50ms"
    long = call("transient", takes=H)
    yield Case("attempt_timeout", "an attempt ends at its limit", limited).loop(long, OK)
    yield Case("attempt_timeout-quick", "an attempt that ends in time", limited).loop(call("success", takes=49 * MS))
    yield Case("attempt_timeout-failure", "a failure in time keeps its outcome", limited).loop(
        call("throttled", takes=49 * MS), OK)
    yield Case("attempt_timeout-last", "the last attempt ends with the timeout", limited).loop(long, BUSY, long)
    yield Case("attempt_timeout-each", "each attempt has the limit", limited).loop(long, long, long)
    yield Case("attempt_timeout-unclassified", "a timeout is not classified", limited).loop(
        long, call(None, ends="value"), classified=False)
    yield Case("attempt_timeout-permanent", "not even as permanent", limited).loop(call("permanent", takes=H), OK)
    yield Case("attempt_timeout-mark", "nor by a mark", limited).loop(call("transient", takes=H, mark="permanent"), OK)
    yield Case("attempt_timeout-value", "a value that would come too late", limited).loop(call("success", takes=H), OK)
    yield (Case("attempt_timeout-deadline", "the deadline ends sooner",
                "constant:base=100ms,attempt_timeout=50ms").loop(long, long, deadline=180 * MS))
    yield (Case("attempt_timeout-deadline-over", "a deadline that is over does not count",
                "constant:base=100ms,attempt_timeout=50ms").loop(long, deadline=0))
    elapsed = "constant:base=100ms,attempt_timeout=50ms,max_elapsed=180ms"
    yield Case("attempt_timeout-max_elapsed", "max_elapsed ends sooner", elapsed).loop(long, long)
    yield (Case("attempt_timeout-elapsed_from", "max_elapsed begins with the first failure",
                f"{elapsed},elapsed_from=failure").loop(long, long))
    yield (Case("attempt_timeout-cost", "a timeout costs more", limited, "quota:max_tokens=9,cost=2,cost_timeout=7")
        .loop(long, long))
    yield Case("attempt_timeout-cancel", "a cancellation in a later call", limited).loop(
        long, BUSY, cancel=at("call", 1))
    yield Case("attempt_timeout-hook", "the hook fails after a timeout", limited).loop(long, fail=at("retry_hook"))


def long_attempts():
    """13.4, step 5: counting anew, and elapsed from the first failure."""
    steady = "exponential:base=100ms,max_retries=2,reset_after=1m"
    ran = call("transient", takes=M)
    yield Case("reset_after", "an attempt that ran long begins the count anew", steady).loop(
        BUSY, BUSY, ran, BUSY, BUSY)
    yield Case("reset_after-short", "one nanosecond less does not", steady).loop(
        BUSY, BUSY, call("transient", takes=M - 1))
    yield Case("reset_after-first", "the first attempt ran long", steady).loop(ran, BUSY, BUSY)
    yield Case("reset_after-each", "a connection that holds for a while each time", steady).loop(*[ran] * 5, OK)
    yield Case("reset_after-permanent", "a permanent failure is one", steady).loop(call("permanent", takes=M))
    yield Case("reset_after-jitter", "no draw repeats", "full:base=1s,cap=1m,max_retries=3,reset_after=1m").loop(
        BUSY, BUSY, ran, BUSY, BUSY, BUSY)
    yield Case("reset_after-max_elapsed", "max_elapsed counts anew", f"{steady},max_elapsed=1s").loop(
        call("transient", takes=2 * M), BUSY, BUSY)
    from_failure = "constant:base=100ms,max_elapsed=250ms,elapsed_from=failure"
    yield Case("elapsed_from", "a slow first attempt does not count", from_failure).loop(
        call("transient", takes=M), BUSY, BUSY)
    yield Case("elapsed_from-later", "later attempts do", from_failure).loop(
        BUSY, call("transient", takes=M))
    steps = "steps:waits=1s/5s/1m,max_retries=5"
    yield Case("steps", "the last wait stays", steps).loop(*[BUSY] * 6)


def own_delays():
    """18.9: delays of the caller."""
    full = "full:base=100ms,cap=150ms,floor=20ms,max_retries=3"
    listed = {"list": [S, 5 * S]}
    yield Case("delays-list", "two delays, two retries", full).loop(BUSY, BUSY, BUSY, delays=listed)
    yield Case("delays-list-success", "a success", full).loop(BUSY, OK, delays=listed)
    yield Case("delays-list-longer", "the policy allows fewer retries", "default:max_retries=1").loop(
        BUSY, BUSY, delays=listed)
    yield Case("delays-list-zero", "a wait of 0, below the floor", full).loop(BUSY, BUSY, delays={"list": [0]})
    yield Case("delays-function", "null is the delay of the policy", STEADY).loop(
        BUSY, BUSY, BUSY, BUSY, delays={"function": [None, 7 * S]})
    yield Case("delays-retry_after", "the longer of the two counts", full).loop(
        call("throttled", retry_after=3 * S), call("throttled", retry_after=3 * S), OK, delays=listed)
    yield Case("delays-max_elapsed", "limits count", "default:max_elapsed=4s").loop(BUSY, BUSY, delays=listed)
    yield Case("delays-deadline", "limits count", full).loop(BUSY, BUSY, deadline=4 * S, delays=listed)
    yield Case("delays-budget", "a budget counts", full, "quota:max_tokens=5,cost=5").loop(
        BUSY, BUSY, delays=listed)
    yield Case("delays-reset_after", "the index begins anew", "default:reset_after=1m,max_retries=2").loop(
        BUSY, call("transient", takes=M), BUSY, BUSY, delays=listed)
    yield Case("delays-attempt_timeout", "after a timeout, too", "default:attempt_timeout=50ms").loop(
        call("transient", takes=H), OK, delays=listed)


def shared_budgets():
    """18.2, 15.3: several loops with one budget."""
    yield Case("budget", "the second retry is refused", STEADY, "quota:max_tokens=9,cost=5").loop(BUSY, BUSY)
    yield (Case("budget-refund", "a success gives back what its retry cost", STEADY, "quota:max_tokens=9,cost=5")
        .loop(BUSY, OK).loop(BUSY, BUSY).loop(BUSY).loop(OK).loop(BUSY, BUSY))
    yield (Case("budget-cost", "the outcome decides what a retry costs", STEADY,
                "quota:max_tokens=9,cost=2,cost_timeout=7")
        .loop(call("timeout"), BUSY, BUSY).loop(NEVER))
    yield (Case("budget-throttle", "the failures of others close it", STEADY, "throttle:max_tokens=4,ratio=1")
        .loop(NEVER).loop(BUSY, BUSY).loop(BUSY).loop(OK).loop(OK).loop(BUSY).loop(OK).loop(OK).loop(BUSY, OK))
    yield (Case("budget-ratio", "each operation earns a part of a retry", STEADY, "ratio:max_tokens=1,ratio=0.5")
        .loop(BUSY, BUSY).loop(BUSY).loop(BUSY, BUSY))
    yield (Case("budget-rate", "it fills while calls take time", STEADY, "rate:max_tokens=1,per=1s")
        .loop(BUSY, BUSY).loop(call("transient", takes=S), OK))
    yield (Case("budget-concurrent", "a slot ends with its attempt", STEADY, "concurrent:ratio=0.2,min_concurrent=1")
        .loop(BUSY, BUSY, OK).loop(BUSY, NEVER).loop(BUSY, BUSY, BUSY, BUSY))
    yield (Case("budget-concurrent-cancelled", "a cancellation gives the slot back", STEADY,
                "concurrent:ratio=0.2,min_concurrent=1")
        .loop(BUSY, cancel=at("wait", after=10 * MS)).loop(BUSY, call("transient"), cancel=at("call", 1))
        .loop(BUSY, cancel=at("retry_hook")).loop(BUSY, OK))
    yield (Case("budget-concurrent-failed", "a failure of the caller's code, too", STEADY,
                "concurrent:ratio=0.2,min_concurrent=1")
        .loop(BUSY, fail=at("retry_hook")).loop(BUSY, fail=at("wait")).loop(BUSY, OK, fail=at("classification", 1))
        .loop(BUSY, OK, fail=at("stop_hook", 1)).loop(BUSY, OK))
    yield (Case("budget-limits-first", "a retry that another limit forbids costs nothing", "none:max_retries=1",
                "quota:max_tokens=5,cost=5")
        .loop(BUSY, BUSY).loop(BUSY))


def cancellations():
    """18.5: a cancellation at each point."""
    yield Case("cancel-before", "no call").loop(cancel=at("before"))
    yield Case("cancel-before-deadline", "a cancellation comes first").loop(cancel=at("before"), deadline=0)
    for number in (0, 1):
        before = [BUSY] * number
        yield Case(f"cancel-call-{number}", "a call that fails").loop(*before, BUSY, cancel=at("call", number))
        yield Case(f"cancel-call-success-{number}", "a call that succeeds").loop(*before, OK, cancel=at("call", number))
        yield (Case(f"cancel-call-permanent-{number}", "whatever the outcome")
            .loop(*before, NEVER, cancel=at("call", number)))
        yield (Case(f"cancel-classification-{number}", "by the classification")
            .loop(*before, BUSY, cancel=at("classification", number)))
        yield Case(f"cancel-hook-{number}", "by the hook").loop(*before, BUSY, cancel=at("retry_hook", number))
        for after in (0, 1 * MS, 99 * MS):
            yield (Case(f"cancel-wait-{number}-{after // MS}", "in the wait")
                .loop(*before, BUSY, cancel=at("wait", number, after=after)))
    yield (Case("cancel-last", "a failure that would have been the last", "none:max_retries=0")
        .loop(BUSY, cancel=at("call")))
    for outcome in ("transient", "permanent"):
        value = call(outcome, ends="value")
        for number in (0, 1):
            yield (Case(f"cancel-value-{outcome}-{number}", "a value that is no success")
                .loop(*[BUSY] * number, value, cancel=at("call", number)))


def failures():
    """18.6: code of the caller fails."""
    for number in (0, 2):
        before = [BUSY] * number
        yield (Case(f"fail-classification-{number}", "the classification")
            .loop(*before, BUSY, fail=at("classification", number)))
        yield (Case(f"fail-classification-value-{number}", "the classification of a value")
            .loop(*before, OK, fail=at("classification", number)))
        yield (Case(f"fail-retry_hook-{number}", "the hook for retries")
            .loop(*before, BUSY, fail=at("retry_hook", number)))
        yield Case(f"fail-wait-{number}", "the sleep").loop(*before, BUSY, fail=at("wait", number))
        yield (Case(f"fail-stop_hook-{number}", "the hook for stops, after a success")
            .loop(*before, OK, fail=at("stop_hook", number)))
        yield (Case(f"fail-stop_hook-permanent-{number}", "after a failure")
            .loop(*before, NEVER, fail=at("stop_hook", number)))
    yield Case("fail-stop_hook-cancelled", "after a cancellation").loop(cancel=at("before"), fail=at("stop_hook"))
    yield Case("fail-hook-and-cancel", "at the same moment").loop(BUSY, cancel=at("retry_hook"), fail=at("retry_hook"))
    yield (Case("fail-classification-and-cancel", "at the same moment")
        .loop(OK, cancel=at("call"), fail=at("classification")))


def sequences():
    """Loops one after the other: stats add up, and each begins anew."""
    yield (Case("stats", "one of each")
        .loop(OK).loop(BUSY, OK).loop(NEVER).loop(BUSY, BUSY, BUSY, BUSY).loop(BUSY, cancel=at("wait", after=MS))
        .loop(cancel=at("before")).loop(BUSY, fail=at("retry_hook")).loop(BUSY, deadline=0))
    yield (Case("one-stream", "loops with one stream have the same delays", "full:base=100ms,cap=2s,max_retries=2")
        .loop(BUSY, BUSY, OK).loop(BUSY, BUSY, BUSY))
