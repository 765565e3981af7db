"""One budget for many processes, over a store in memory."""

import asyncio
import contextlib
import copy
import gc
import os
import pickle
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
import trio
from backoff_rs import (
    Budget,
    BudgetExchange,
    ExchangeStep,
    Operation,
    Policy,
    PolicyError,
    RandomStream,
    SharedBudget,
    SharedBudgetStats,
    StopReason,
    permanent,
    retry,
    retrying,
)
from backoff_rs import _shared_budget as module
from budget_stores import MemoryStore

#: Ends no test by itself.
LONG = 30
POLICY = "constant:base=1ns,max_retries=20"
#: Five retries.
QUOTA = "quota:max_tokens=25,cost=5"
KEY = "backoff:server:quota:max_tokens=25"


class AsyncStore:
    async def load(self, key):
        """Would be awaited by nobody."""

    async def compare_and_swap(self, key, expected, new):
        """The same."""


def shared(store, **options):
    return SharedBudget(store, **{"name": "server", "budget": QUOTA, "timeout": LONG, **options})


class Loop:
    """Runs a loop. Its calls fail unless the test makes them succeed."""

    def __init__(self, budget, *, succeed_at=None, **options):
        self.calls, self.events, self._succeed_at = 0, [], succeed_at
        self._options = {
            "policy": POLICY,
            "on": ConnectionError,
            "budget": budget,
            "log": False,
            "on_retry": self.events.append,
            "on_stop": self.events.append,
            **options,
        }

    def _call(self):
        self.calls += 1
        if self.calls != self._succeed_at:
            raise ConnectionError("refused")
        return "done"

    def _returned(self):
        """The end of the loop."""
        return self.events[-1]

    def run(self):
        with contextlib.suppress(ConnectionError):
            retry(**self._options).call(self._call)
        return self._returned()

    async def run_async(self):
        async def call():
            return self._call()

        with contextlib.suppress(ConnectionError):
            await retry(**self._options).call(call)
        return self._returned()

    async def run_attempts(self):
        with contextlib.suppress(ConnectionError):
            async for attempt in retrying(**self._options):
                async with attempt:
                    self._call()
        return self._returned()


def blocking(loop):
    return loop.run()


def in_asyncio(loop):
    return asyncio.run(loop.run_async())


def in_trio(loop):
    return trio.run(loop.run_async)


def with_attempts(loop):
    return asyncio.run(loop.run_attempts())


@pytest.fixture(params=[blocking, in_asyncio, in_trio, with_attempts])
def run(request):
    return request.param


def test_two_processes_share_one_account(run):
    """As two do that have the same store."""
    store = MemoryStore()
    first, second = Loop(shared(store), succeed_at=4), Loop(shared(store))
    assert run(first).reason == "success"
    # Three retries, and the success gave back what the last one cost.
    assert (first.calls, store.state()) == (4, "3 10")
    end = run(second)
    assert (end.reason, end.attempts, end.delay_ns) == ("budget", 3, 1)
    assert not end.budget_is_local
    assert [call for call in store.calls if call == "swap"] == ["swap"] * 5


def test_a_success_is_stored_with_the_next_request_or_a_flush(run):
    store = MemoryStore()
    budget = shared(store)
    run(Loop(budget, succeed_at=3))
    assert store.state() == "2 15"
    assert budget.flush()
    assert store.state() == "3 20"
    assert budget.flush()
    assert store.calls.count("swap") == 3


def test_the_steps_are_those_of_an_operation():
    """SPEC 13.4: after each failure its event, then the request."""
    store, exchanges = MemoryStore(), []
    budget = SharedBudget(
        store, "server", "throttle:max_tokens=4", timeout=LONG, on_exchange=exchanges.append
    )
    assert Loop(budget, succeed_at=2).run().reason == "success"
    assert Loop(budget, on=lambda _: "throttled").run().reason == "budget"
    with pytest.raises(KeyError):
        retry(on=Exception, budget=budget).call(fail_for_good)
    budget.flush()
    names = [[step.event.value for step in exchange.steps] for exchange in exchanges]
    failed = ["attempt_failed", "retry_requested"]
    assert names == [
        ["operation_began", *failed],
        ["operation_began", "operation_succeeded", *failed],
        failed,
        ["operation_began"],
    ]
    assert exchanges[0] == BudgetExchange(
        before=None,
        now_ns=store.now_ns,
        steps=(
            ExchangeStep("operation_began", None, 0, 1, None),
            ExchangeStep("attempt_failed", None, 0, 1, None),
            ExchangeStep("retry_requested", "transient", 0, 1, 1),
        ),
        after=f"1 3000 | {store.now_ns // (60 * 10**9)} 1 0",
        stored="yes",
    )
    assert exchanges[2].steps[-1] == ExchangeStep("retry_requested", "throttled", 0, 1, 0)
    # 4000 - 1000 + 100 - 1000 - 1000
    states = [exchange.after.split(" | ")[0] for exchange in exchanges[1:]]
    assert states == ["3 2100", "4 1100", "4 1100"]
    assert [exchange.stored for exchange in exchanges] == ["yes", "yes", "yes", "unchanged"]


def fail_for_good():
    raise permanent(KeyError("wrong"))


def test_a_quota_gets_back_what_the_last_retry_cost():
    store, exchanges = MemoryStore(), []
    text = "quota:max_tokens=100,cost=5,cost_timeout=9"
    budget = SharedBudget(store, "s", text, timeout=LONG, on_exchange=exchanges.append)
    outcomes = iter(["transient", "timeout"])
    Loop(budget, on=lambda _: next(outcomes), succeed_at=3).run()
    budget.flush()
    steps = [(step.event.value, step.outcome, step.held) for step in exchanges[-1].steps]
    assert steps == [("operation_succeeded", None, 9)]
    assert store.state() == "3 95"


def test_a_refused_loop_is_an_operation_that_was_refused():
    """Its stop, delay and attempts are those of Operation.refuse_retry()."""
    store = MemoryStore()
    store.states[KEY] = "9 4"
    policy, stream = Policy.parse("full:base=1h,max_retries=9"), RandomStream(1)
    operation = Operation(policy, stream, now_ns=0)
    decision = operation.decide("transient", now_ns=0)
    operation.refuse_retry()
    end = Loop(shared(store), policy=policy, stream=stream).run()
    assert (end.reason, end.delay_ns) == (operation.reason, decision.delay_ns)
    assert (end.attempts, end.reason) == (operation.attempts, StopReason.BUDGET)


def test_requests_that_arrive_during_an_exchange_go_together():
    store, gate = MemoryStore(), threading.Event()
    store.faults["load"].append(gate)
    exchanges = []
    budget = shared(store, on_exchange=exchanges.append)
    policy = "constant:base=1ns,max_retries=1"
    with ThreadPoolExecutor(4) as pool:
        ends = [pool.submit(Loop(budget, policy=policy).run)]
        while not store.calls:
            time.sleep(0.001)
        ends += [pool.submit(Loop(budget, policy=policy).run) for _ in range(3)]
        while len(budget._requests) < 3:
            time.sleep(0.001)
        gate.set()
        assert {end.result().reason for end in ends} == {"max_retries"}
    budget.flush()
    asked = [sum(s.count for s in e.steps if s.event == "retry_requested") for e in exchanges]
    # The last one has the failures after which a loop asked for nothing.
    assert asked == [4, 0]
    assert store.state() == "4 5"


def test_another_process_is_faster():
    store = MemoryStore()
    store.faults["swap"] += ["faster", "faster"]
    store.faster += ["1 20", "2 10"]
    exchanges = []
    loop = Loop(shared(store, on_exchange=exchanges.append), succeed_at=2)
    assert loop.run().reason == "success"
    assert [exchange.before for exchange in exchanges] == ["2 10"]
    assert store.state() == "3 5"
    assert store.calls == ["load", "swap"] * 3


def test_others_that_are_always_faster():
    store = MemoryStore()
    store.faults["swap"] += ["faster"] * 10_000
    store.faster += [f"{version} 20" for version in range(1, 10_000)]
    budget = shared(store, timeout=0.05)
    end = Loop(budget, succeed_at=2).run()
    assert end.reason == "success"
    assert isinstance(budget.last_error, TimeoutError)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (ConnectionError("refused"), "refused"),
        (ValueError("of the store"), "of the store"),
    ],
)
def test_the_fallback_decides_while_the_store_is_away(run, monkeypatch, fault, error):
    store = MemoryStore()
    store.faults["load"].append(fault)
    now = 1000.0
    monkeypatch.setattr(module, "monotonic_ns", lambda: int(now * 1e9))
    budget = shared(store, local_budget="quota:max_tokens=15,cost=5")
    first = Loop(budget)
    end = run(first)
    assert (end.reason, end.attempts, end.budget_is_local) == ("budget", 4, True)
    assert [event.budget_is_local for event in first.events] == [True] * 4
    assert error in str(budget.last_error)
    # The store is asked again after one second.
    now += 0.99
    assert run(Loop(budget)).budget_is_local
    assert store.calls == ["load"]
    now += 0.02
    end = run(Loop(budget))
    assert (end.reason, end.attempts, end.budget_is_local) == ("budget", 6, False)
    assert error in str(budget.last_error)


def test_every_exchange_is_reported():
    """SPEC 15.7, rule 12. A flush asks a store that is away, too."""
    away, store, exchanges = OSError("away"), MemoryStore(), []
    budget = shared(store, on_exchange=exchanges.append)

    def flush():
        Loop(budget, succeed_at=1).run()
        return budget.flush()

    assert flush()
    store.faults["load"].append(away)
    assert not flush()
    store.states[KEY] = "hello"
    assert not flush()
    store.states[KEY] = "7 20 | 0 1 0"
    store.faults["swap"].append("lost answer")
    assert not flush()
    # The steps of the last exchange may be stored, so they are forgotten.
    assert flush()
    assert [exchange.stored for exchange in exchanges] == ["yes", "no", "no", "unknown", "yes"]
    assert [exchange.before for exchange in exchanges[1:4]] == [None, "hello", "7 20 | 0 1 0"]
    assert [exchange.now_ns for exchange in exchanges[1:4]] == [0, store.now_ns, store.now_ns]
    assert [len(exchange.steps) for exchange in exchanges] == [2, 0, 0, 2, 2]
    assert [exchange.after for exchange in exchanges[1:3]] == ["", ""]
    assert [exchange.error for exchange in exchanges[:2]] == [None, away]
    assert "hello" in str(exchanges[2].error)
    assert isinstance(exchanges[3].error, ConnectionError)


def test_a_lost_exchange_is_reported(monkeypatch):
    store, exchanges = MemoryStore(), []
    budget = shared(store, on_exchange=exchanges.append)
    store.faults["swap"].append("faster")
    store.faster.append("7 25 | 0 1 0")
    now = [0]
    monkeypatch.setattr(module, "monotonic_ns", lambda: now[0])
    swap = store.compare_and_swap

    def compare_and_swap(*arguments):
        now[0] += LONG * 10**9
        return swap(*arguments)

    monkeypatch.setattr(store, "compare_and_swap", compare_and_swap)
    assert Loop(budget).run().budget_is_local
    assert budget.flush()
    assert [exchange.stored for exchange in exchanges] == ["lost", "yes"]
    assert exchanges[0].error is not None
    assert exchanges[0].after.startswith("1 20 | ")


def test_flush_waits_for_on_exchange():
    """Whoever flushes before the end of the process has seen all exchanges."""
    flushing, reported = threading.Event(), []

    def on_exchange(exchange):
        flushing.wait(LONG)
        time.sleep(0.05)
        reported.append(exchange)

    never = "ttl:min_per_second=0,ratio=0"
    budget = SharedBudget(MemoryStore(), "s", never, timeout=LONG, on_exchange=on_exchange)
    # The exchange refuses the retry before on_exchange returns, and then there is nothing to send.
    assert Loop(budget).run().reason == "budget"
    flushing.set()
    assert budget.flush()
    assert len(reported) == 1


@pytest.mark.parametrize(
    ("options", "want"),
    [
        # One of the four that the account has counted.
        ({}, 10),
        ({"processes": 8}, 5),
        ({"fallback": "whole"}, 40),
        ({"fallback": "refuse"}, 0),
    ],
)
def test_what_is_granted_while_the_store_is_away(monkeypatch, options, want):
    store = MemoryStore()
    store.states[KEY] = f"0 25 | {store.now_ns // (60 * 10**9)} 3 0"
    budget = shared(store, local_budget="quota:max_tokens=40,cost=1", **options)
    Loop(budget, succeed_at=2).run()
    monkeypatch.setattr(module, "monotonic_ns", lambda: 10**18)
    store.faults["load"].append(OSError("away"))
    granted = 0
    for _ in range(40):
        loop = Loop(budget, policy="immediate:max_retries=1")
        loop.run()
        granted += loop.events[0].reason is None
    assert granted == want
    assert budget.stats == SharedBudgetStats(2, 1, 0, 40, 4)


def test_the_fallback_has_seen_all_events():
    """It begins with what this process did before."""
    store = MemoryStore()
    budget = SharedBudget(store, "s", "throttle:max_tokens=4,ratio=1", timeout=LONG)
    Loop(budget, policy="none:max_retries=0").run()
    Loop(budget, policy="none:max_retries=0").run()
    store.faults["load"].append(OSError("away"))
    # Three failures of four: half are not left.
    end = Loop(budget).run()
    assert (end.reason, end.attempts, end.budget_is_local) == ("budget", 1, True)


@pytest.mark.parametrize("granted_locally", [True, False])
def test_what_an_operation_holds_goes_back_to_the_side_that_granted(monkeypatch, granted_locally):
    now = 1000.0
    monkeypatch.setattr(module, "monotonic_ns", lambda: int(now * 1e9))
    store, exchanges = MemoryStore(), []
    budget = shared(store, on_exchange=exchanges.append)
    if granted_locally:
        store.faults["load"].append(OSError("away"))
    Loop(budget, succeed_at=2).run()
    now += 2
    budget.flush()
    held = [step.held for step in exchanges[-1].steps if step.event == "operation_succeeded"]
    assert held == [0 if granted_locally else 5]


@pytest.mark.parametrize(
    ("text", "now_ns", "error"),
    [
        ("0 26 ", 0, "is not a state of the budget"),
        ("", 0, "is not a state"),
        (b"0 25", 0, "text must be a str, not bytes"),
        ("0 25", -1, "now_ns -1 is below 0"),
        ("0 25", 2**64, "is above"),
        ("0 25", None, "now_ns must be an int, not NoneType"),
    ],
)
def test_what_a_store_must_not_return(text, now_ns, error):
    store = MemoryStore()
    store.states[KEY], store.now_ns = text, now_ns
    budget = shared(store)
    end = Loop(budget).run()
    assert (end.reason, end.budget_is_local) == ("budget", True)
    assert error in str(budget.last_error)
    assert store.states[KEY] == text


def test_a_load_that_returns_something_else():
    class Store(MemoryStore):
        def load(self, key):
            return super().load(key)[0]

    budget = shared(Store())
    assert Loop(budget).run().budget_is_local
    assert "load() must return a text or None, and the time, not None" in str(budget.last_error)


def test_an_answer_that_is_lost_counts_once(monkeypatch):
    """What may have been stored is not sent again."""
    now = 1000.0
    monkeypatch.setattr(module, "monotonic_ns", lambda: int(now * 1e9))
    store, exchanges = MemoryStore(), []
    store.faults["swap"].append("lost answer")
    budget = SharedBudget(
        store, "s", "ratio:max_tokens=1,ratio=0.5", timeout=LONG, on_exchange=exchanges.append
    )
    loop = Loop(budget)
    assert loop.run().budget_is_local
    now += 2
    budget.flush()
    # The failure after the first retry was not lost.
    assert [exchange.stored for exchange in exchanges] == ["unknown", "unchanged"]
    assert [step.event for step in exchanges[1].steps] == ["attempt_failed"]
    assert store.state() == "1 0"


def test_events_wait_while_the_store_is_away(monkeypatch):
    """A hundred of each."""
    now = 1000.0
    monkeypatch.setattr(module, "monotonic_ns", lambda: int(now * 1e9))
    store, exchanges = MemoryStore(), []
    store.faults["load"].append(OSError("away"))
    budget = SharedBudget(
        store, "s", "ratio:max_tokens=1000", timeout=LONG, on_exchange=exchanges.append
    )
    Loop(budget, succeed_at=2).run()
    for _ in range(150):
        Loop(budget, succeed_at=1).run()
    assert store.calls == ["load"]
    now += 2
    assert budget.flush()
    counts = {step.event.value: step.count for step in exchanges[-1].steps}
    assert counts == {"operation_began": 100, "operation_succeeded": 100, "attempt_failed": 1}


def test_a_hundred_events_are_sent_without_a_request():
    store, sent = MemoryStore(), threading.Event()
    budget = shared(store, on_exchange=lambda _: sent.set())
    for _ in range(49):
        Loop(budget, succeed_at=1).run()
    assert store.calls == []
    Loop(budget, succeed_at=1).run()
    assert sent.wait(LONG)


def test_no_event_is_dropped_while_the_store_answers():
    store, gate, exchanges = MemoryStore(), threading.Event(), []
    store.faults["load"].append(gate)
    budget = shared(store, on_exchange=exchanges.append)
    for _ in range(200):
        Loop(budget, succeed_at=1).run()
    gate.set()
    assert budget.flush()
    assert sum(step.count for exchange in exchanges for step in exchange.steps) == 400


def test_a_store_that_never_answers(run):
    store, gate = MemoryStore(), threading.Event()
    store.faults["load"].append(gate)
    budget = shared(store, timeout=0.05)
    begun = time.monotonic()
    end = run(Loop(budget))
    assert (end.reason, end.attempts, end.budget_is_local) == ("budget", 6, True)
    assert isinstance(budget.last_error, TimeoutError)
    # The first exchange has a second.
    assert "did not answer within 1 s" in str(budget.last_error)
    assert not budget.flush()
    assert budget._flushes == []
    assert time.monotonic() - begun < LONG
    # It still hangs: nobody waits for it again.
    for _ in range(200):
        assert run(Loop(budget)).budget_is_local
    gate.set()


def test_an_answer_that_comes_too_late_grants_nothing():
    store, gate = MemoryStore(), threading.Event()
    store.faults["swap"].append(gate)
    budget = shared(store, timeout=0.05, local_budget="quota:max_tokens=1,cost=1")
    end = Loop(budget).run()
    assert (end.attempts, end.budget_is_local) == (2, True)
    gate.set()


def test_a_lease_saves_round_trips():
    store = MemoryStore()
    loop = Loop(shared(store, lease=3))
    end = loop.run()
    assert (end.reason, end.attempts) == ("budget", 6)
    # Three, then the two that are left, then none.
    assert store.calls == ["load", "swap", "load", "swap", "load"]
    assert store.state() == "5 0"


def test_a_lease_is_for_one_outcome():
    store = MemoryStore()
    budget = SharedBudget(
        store, "s", "quota:max_tokens=100,cost=5,cost_timeout=9", timeout=LONG, lease=2
    )
    outcomes = iter(["transient", "timeout", "transient"])
    loop = Loop(budget, on=lambda _: next(outcomes), policy="none:max_retries=3", succeed_at=4)
    loop.run()
    # The lease of the first retry served the third, and that of the second is left.
    assert store.state() == "4 72"
    assert store.calls == ["load", "swap"] * 2


def test_a_cancelled_loop_leaves_no_request():
    store, gate = MemoryStore(), threading.Event()
    store.faults["load"].append(gate)
    budget = shared(store)

    async def cancel():
        tasks = [asyncio.create_task(Loop(budget).run_async())]
        while not store.calls:
            await asyncio.sleep(0.001)
        tasks += [asyncio.create_task(Loop(budget).run_async()) for _ in range(2)]
        while len(budget._requests) < 2:
            await asyncio.sleep(0.001)
        for task in tasks:
            task.cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    results = asyncio.run(cancel())
    assert {type(result) for result in results} == {asyncio.CancelledError}
    assert budget._requests == []
    gate.set()
    budget.flush()
    assert "retry_requested" not in str(store.states)


def test_trio_cancels_a_loop_that_asks():
    store, gate = MemoryStore(), threading.Event()
    store.faults["load"].append(gate)
    budget = shared(store)
    loop = Loop(budget)

    async def cancel():
        with trio.move_on_after(0.05):
            await loop.run_async()
        return "cancelled"

    assert trio.run(cancel) == "cancelled"
    assert loop.events[-1].reason == "cancelled"
    gate.set()


def test_a_plain_attempt_of_an_async_loop_cannot_wait():
    async def attempts():
        async for attempt in retrying(on=OSError, budget=shared(MemoryStore())):
            with attempt:
                pass

    with pytest.raises(TypeError, match="use `async with attempt`"):
        asyncio.run(attempts())


def test_a_hook_that_fails_ends_nothing(caplog):
    def fail(_exchange):
        raise ZeroDivisionError

    store = MemoryStore()
    budget = shared(store, on_exchange=fail)
    assert Loop(budget).run().reason == "budget"
    budget.flush()
    assert "on_exchange of the budget server failed" in caplog.text
    assert isinstance(budget.last_error, ZeroDivisionError)


def test_a_slow_hook_is_named():
    gate = threading.Event()
    budget = shared(MemoryStore(), timeout=0.05, on_exchange=lambda _: gate.wait(LONG))
    Loop(budget).run()
    assert str(budget.last_error) == "on_exchange did not return within 0.05 s"
    gate.set()


def test_an_invalid_local_budget_is_named():
    with pytest.raises(PolicyError) as error:
        shared(MemoryStore(), local_budget="quotas")
    assert error.value.__notes__ == ["in local_budget 'quotas'"]


def test_code_of_the_caller_cannot_end_the_thread(caplog):
    class Store(MemoryStore):
        def load(self, key):
            raise asyncio.CancelledError

    def leave(_exchange):
        raise SystemExit

    budget = shared(MemoryStore(), on_exchange=leave)
    for _ in range(2):
        Loop(budget, succeed_at=1).run()
        assert budget.flush()
    assert "SystemExit" in str(budget.last_error)
    budget = shared(Store())
    assert Loop(budget).run().budget_is_local
    assert not budget.flush()
    assert "CancelledError" in str(budget.last_error)
    assert budget.stats.failed_exchanges == 2


@pytest.mark.parametrize("answer", [None, 1, "false"])
def test_a_swap_that_answers_no_bool_is_unknown(answer):
    store, exchanges = MemoryStore(), []
    store.compare_and_swap = lambda *_: answer
    budget = shared(store, on_exchange=exchanges.append)
    assert Loop(budget).run().budget_is_local
    assert exchanges[0].stored == "unknown"
    assert "compare_and_swap() must return a bool, not" in str(budget.last_error)


def test_a_flush_that_interrupts_the_budget_does_not_wait(monkeypatch):
    """As a signal handler does."""
    budget = shared(MemoryStore())
    Loop(budget, succeed_at=1).run()
    with budget._changed, monkeypatch.context() as patch:
        patch.setattr(budget, "_start", lambda: pytest.fail("it waits"))
        assert not budget.flush()
    assert budget.flush()


def test_an_idle_thread_ends(monkeypatch):
    monkeypatch.setattr(module, "_IDLE", 0.01)
    store = MemoryStore()
    budget = shared(store)
    for _ in range(2):
        Loop(budget, succeed_at=2).run()
        thread = budget._thread
        if thread is not None:
            thread.join(LONG)
            assert not thread.is_alive()
    assert store.calls == ["load", "swap"] * 2
    known = weakref.ref(budget)
    del budget, thread
    gc.collect()
    assert known() is None


def test_a_system_without_threads(monkeypatch):
    def start(_thread):
        raise RuntimeError("can't start new thread")

    store = MemoryStore()
    budget = shared(store)
    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start)
        end = Loop(budget).run()
        # This thread talks to the store.
        assert budget.flush()
        assert store.state() == "0 25"
    assert (end.attempts, end.budget_is_local) == (6, True)
    assert "can't start new thread" in str(budget.last_error)


def test_flushes_of_a_system_without_threads_take_turns(monkeypatch):
    class Store(MemoryStore):
        def load(self, key):
            loading.set()
            assert may_load.wait(LONG)
            return super().load(key)

    store, loading, may_load = Store(), threading.Event(), threading.Event()
    in_hook = []
    budget = shared(store, on_exchange=lambda _: in_hook.append(budget.flush()))
    Loop(budget, succeed_at=1).run()
    with ThreadPoolExecutor(2) as pool:
        # The pool has started its threads, and no other starts.
        pool.submit(pool.submit(int).result).result(LONG)
        monkeypatch.setattr(budget, "_start", lambda: RuntimeError("no thread"))
        first = pool.submit(budget.flush)
        assert loading.wait(LONG)
        Loop(budget, succeed_at=1).run()
        second = pool.submit(budget.flush)
        while not budget._flushes:
            time.sleep(0.001)
        assert store.calls == []
        may_load.set()
        assert first.result(LONG)
        assert second.result(LONG)
    # The second changes nothing.
    assert store.calls == ["load", "swap", "load"]
    assert in_hook == [False, False]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without forks")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_has_a_thread_of_its_own():
    from test_fork import in_child

    # The child has a copy of it.
    store = MemoryStore()
    budget = shared(store, lease=2)
    Loop(budget, succeed_at=2).run()
    assert budget._member.has_unsent()
    # Another thread of the parent may have held the lock.
    with budget._changed:
        child = in_child(lambda: [budget._member.has_unsent(), Loop(budget).run().attempts])
    # Three of five retries are left, and only the parent has what was leased and the success.
    assert child == [False, 4]
    assert Loop(budget).run().attempts == 6


def test_many_threads_spend_no_more_than_there_is():
    store = MemoryStore()
    budgets = [
        SharedBudget(store, "s", "quota:max_tokens=500,cost=5", timeout=LONG) for _ in range(4)
    ]
    events = []
    with ThreadPoolExecutor(16) as pool:
        loops = [Loop(budgets[n % 4], on_retry=events.append) for n in range(64)]
        ends = list(pool.map(Loop.run, loops))
    # While they contend, each takes up to a sixteenth along, which may be left over.
    assert 100 - 4 * 6 <= len(events) <= 100
    assert {end.reason for end in ends} <= {"budget", "max_retries"}
    assert not any(event.budget_is_local for event in events)
    assert store.state() == "100 0"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"store": object()}, TypeError, r"store has no load\(\): it is object"),
        ({"name": 5}, TypeError, "name must be a str, not int"),
        ({"name": ""}, ValueError, "name is empty"),
        ({"name": "a\0"}, ValueError, r"name 'a\\x00' has the control character '\\x00'"),
        ({"name": "a\x85"}, ValueError, "has the control character"),
        ({"name": "\ud800"}, ValueError, "name is not Unicode: it has a lone surrogate"),
        ({"name": 128 * "é"}, ValueError, "name has 256 bytes, and may have at most 255"),
        ({"budget": "quot"}, PolicyError, 'unknown name "quot"'),
        ({"budget": None}, TypeError, "budget must be a budget string, not NoneType"),
        ({"budget": "concurrent"}, ValueError, "budget 'concurrent' cannot be shared: a process"),
        ({"budget": "envoy"}, ValueError, "budget 'envoy' cannot be shared"),
        ({"local_budget": "concurrent"}, ValueError, "local_budget 'concurrent' cannot be shared"),
        ({"local_budget": 5}, TypeError, "local_budget must be a budget string, not int"),
        ({"fallback": "quota"}, ValueError, "fallback 'quota' is not 'share', 'whole' or 'refuse'"),
        ({"budget": Budget.parse(QUOTA)}, TypeError, r"not Budget: write str\(budget\)"),
        ({"store": MemoryStore}, TypeError, "store is the class MemoryStore"),
        ({"fallback": 5}, TypeError, "fallback must be a str, not int"),
        ({"fallback": "whole", "processes": 2}, ValueError, "only for the fallback 'share', not"),
        ({"processes": 0}, ValueError, "processes 0 is not from 1 to 1000000"),
        ({"processes": 2.5}, TypeError, "processes must be an int, not float"),
        ({"lease": 0}, ValueError, "lease 0 is not from 1 to 1000"),
        ({"lease": 1001}, ValueError, "lease 1001 is not"),
        ({"lease": 1.5}, TypeError, "lease must be an int, not float"),
        ({"lease": True}, TypeError, "lease must be an int, not bool"),
        ({"timeout": 0}, ValueError, "timeout 0 is not a number of seconds above 0"),
        ({"timeout": float("nan")}, ValueError, "timeout nan is not"),
        ({"timeout": float("inf")}, ValueError, "timeout inf is not"),
        ({"timeout": "1s"}, TypeError, "timeout must be a number of seconds, not str"),
        ({"on_exchange": 5}, TypeError, "on_exchange must be callable, not int"),
        ({"on_exchange": asyncio.sleep}, TypeError, "on_exchange is a coroutine function"),
        ({"store": AsyncStore()}, TypeError, r"load\(\) of the store is a coroutine function"),
    ],
)
def test_invalid_options(options, error, message):
    with pytest.raises(error, match=message):
        shared(**{"store": MemoryStore(), **options})


def test_what_it_is():
    budget = SharedBudget(MemoryStore(), "server", "aws-sdk-standard")
    assert (budget.name, budget.last_error) == ("server", None)
    # The canonical string: another configuration is another account.
    assert budget.key == "backoff:server:quota:cost_timeout=10"
    assert repr(budget) == "<SharedBudget 'server' quota:cost_timeout=10>"
    for take in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            take(budget)
    with pytest.raises(TypeError, match="budget must be a Budget, not str"):
        retry(on=(), budget="quota")
