"""One budget for many processes, over a store in memory. test_conformance.py plays what the core decides."""

import asyncio
import contextlib
import copy
import functools
import gc
import itertools
import os
import pickle
import subprocess
import sys
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import loops
import pytest
import trio
from backoff_rs import (
    Budget,
    BudgetExchange,
    ExchangeStep,
    PolicyError,
    SharedBudget,
    SharedBudgetStats,
    _budget_queue,
    _budget_session,
    _budget_worker,
    permanent,
    retry,
    retrying,
)
from budget_stores import MemoryStore

#: Ends no test by itself.
LONG = 30
#: Five retries.
QUOTA = "quota:max_tokens=25,cost=5"
KEY = "backoff:server:quota:max_tokens=25"
FORMS = [
    loops.called,
    *(loops.ASYNC[name] for name in ("asyncio-call", "trio", "asyncio-block-with")),
]
FORMS = pytest.mark.parametrize("form", FORMS, ids=["called", "asyncio", "trio", "attempts"])


def shared(store, **options):
    return SharedBudget(store, **{"name": "server", "budget": QUOTA, "timeout": LONG, **options})


def reporting(store, **options):
    """A budget, and the exchanges that it reports."""
    exchanges = []
    return shared(store, on_exchange=exchanges.append, **options), exchanges


def events_of(budget, succeed_at=99, form=loops.called, **options):
    """Runs a loop whose calls fail until one succeeds."""
    events, failure = [], ConnectionError("refused")
    options = {
        "policy": "constant:base=1ns,max_retries=20",
        "on": ConnectionError,
        "budget": budget,
        "log": False,
        "on_retry": events.append,
        "on_stop": events.append,
        **options,
    }
    with contextlib.suppress(ConnectionError):
        form(loops.Script(*[failure] * (succeed_at - 1), "done"), **options)
    return events


def run(*arguments, **options):
    """The end of such a loop."""
    return events_of(*arguments, **options)[-1]


@pytest.fixture
def clock(monkeypatch):
    """A clock that the test advances."""
    clock = [10**12]
    monkeypatch.setattr(_budget_queue, "monotonic_ns", lambda: clock[0])
    monkeypatch.setattr(_budget_worker, "monotonic_ns", lambda: clock[0])
    return clock


@FORMS
def test_two_processes_share_one_account(form):
    """As two do that have the same store."""
    store = MemoryStore()
    end = run(shared(store), 4, form)
    # Three retries, and the success gave back what the last one cost.
    assert (end.reason, end.attempts, store.state()) == ("success", 4, "3 10")
    end = run(shared(store), form=form)
    assert (end.reason, end.attempts, end.delay_ns) == ("budget", 3, 1)
    assert not end.budget_is_local
    assert store.calls.count("swap") == 5


def test_the_steps_are_those_of_an_operation():
    """SPEC 13.4: after each failure its event, then the request."""
    store = MemoryStore()
    budget, exchanges = reporting(store, budget="throttle:max_tokens=4")
    assert run(budget, 2).reason == "success"
    assert run(budget, on=lambda _: "throttled").reason == "budget"
    with pytest.raises(KeyError):
        retry(on=Exception, budget=budget).call(loops.Script(permanent(KeyError("wrong"))))
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


@pytest.mark.parametrize("granted_locally", [True, False])
def test_what_an_operation_holds_goes_back_to_the_side_that_granted(clock, granted_locally):
    """What the last retry cost, after its outcome."""
    store = MemoryStore()
    budget, exchanges = reporting(store, budget="quota:max_tokens=100,cost=5,cost_timeout=9")
    if granted_locally:
        store.faults["load"].append(OSError("away"))
    outcomes = iter(["transient", "timeout"])
    run(budget, 3, on=lambda _: next(outcomes))
    clock[0] += 2 * 10**9
    budget.flush()
    held = [step.held for step in exchanges[-1].steps if step.event == "operation_succeeded"]
    assert held == [0 if granted_locally else 9]


def test_an_operation_without_a_retry_holds_nothing():
    """A success would give it back, if a retry cost as much."""
    budget, exchanges = reporting(MemoryStore(), budget="quota:max_tokens=25,cost=1")
    run(budget, 1)
    assert budget.flush()
    steps = [(step.event, step.held) for exchange in exchanges for step in exchange.steps]
    assert steps == [("operation_began", 0), ("operation_succeeded", 0)]


def test_requests_that_arrive_during_an_exchange_go_together():
    store, gate = MemoryStore(), threading.Event()
    store.faults["load"].append(gate)
    budget, exchanges = reporting(store)
    loop = functools.partial(run, budget, policy="constant:base=1ns,max_retries=1")
    with ThreadPoolExecutor(4) as pool:
        ends = [pool.submit(loop)]
        while not store.calls:
            time.sleep(0.001)
        ends += [pool.submit(loop) for _ in range(3)]
        while len(budget._worker._queue.requests) < 3:
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
    budget, exchanges = reporting(store)
    assert run(budget, 2).reason == "success"
    assert [exchange.before for exchange in exchanges] == ["2 10"]
    assert store.state() == "3 5"
    assert store.calls == ["load", "swap"] * 3


def test_others_that_are_always_faster(clock):
    store = MemoryStore()
    budget, exchanges = reporting(store)
    store.faults["swap"].append("faster")
    store.faster.append("7 25 | 0 1 0")
    swap = store.compare_and_swap

    def compare_and_swap(*arguments):
        clock[0] += LONG * 10**9
        return swap(*arguments)

    store.compare_and_swap = compare_and_swap
    assert run(budget).budget_is_local
    assert isinstance(budget.last_error, TimeoutError)
    assert budget.flush()
    assert [exchange.stored for exchange in exchanges] == ["lost", "yes"]
    assert exchanges[0].error is not None
    assert exchanges[0].after.startswith("1 20 | ")


def test_a_request_during_a_late_exchange_gets_a_local_answer(clock):
    """The exchange is stored, and the store counts as away after it."""
    store, gate = MemoryStore(), threading.Event()
    store.faults["swap"].append(gate)
    budget = shared(store)
    loop = functools.partial(events_of, budget, policy="constant:base=1ns,max_retries=1")
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(loop)
        while "swap" not in store.calls:
            time.sleep(0.001)
        second = pool.submit(loop)
        while len(budget._worker._queue.requests) < 2:
            time.sleep(0.001)
        clock[0] += LONG * 10**9
        gate.set()
        assert [each.result()[0].budget_is_local for each in (first, second)] == [False, True]
    assert (store.calls, budget.last_error) == (["load", "swap"], None)


def test_a_process_that_stands_still_while_it_decides_refuses(monkeypatch):
    """The second for which the store counts as away is over before the local budget is asked."""
    times = itertools.count(10**12, 2 * 10**9)
    for module in (_budget_queue, _budget_worker):
        monkeypatch.setattr(module, "monotonic_ns", lambda: next(times))
    budget = shared(MemoryStore(), timeout=0.05)
    monkeypatch.setattr(budget._worker, "_start", lambda: RuntimeError("no thread"))
    end = run(budget)
    assert (end.reason, end.attempts, end.budget_is_local) == ("budget", 1, True)


def test_an_exchange_is_due_in_seconds(clock):
    """After 1.5 s, says the core in nanoseconds; a flush waits for nothing."""
    member = SimpleNamespace(due_in={clock[0]: 1_500_000_000}.get)
    queue = _budget_queue.BudgetQueue(member, LONG)
    assert queue.due_in() == 1.5
    clock[0] += 1
    assert queue.due_in() is None
    queue.flushes.append(_budget_queue.Flush())
    assert queue.due_in() == 0


def test_no_budget_decides_on_a_success(clock):
    store = MemoryStore()
    store.faults["load"].append(ConnectionError("refused"))
    events = events_of(shared(store), 2)
    assert [event.budget_is_local for event in events] == [True, False]


@FORMS
@pytest.mark.parametrize("fault", [ConnectionError("refused"), ValueError("of the store")])
def test_the_fallback_decides_while_the_store_is_away(form, clock, fault):
    store = MemoryStore()
    store.faults["load"].append(fault)
    budget = shared(store, local_budget="quota:max_tokens=15,cost=5")
    events = events_of(budget, form=form)
    assert (events[-1].reason, events[-1].attempts) == ("budget", 4)
    assert [event.budget_is_local for event in events] == [True] * 4
    assert budget.last_error is fault
    # The store is asked again after one second.
    clock[0] += 990_000_000
    assert run(budget, form=form).budget_is_local
    assert store.calls == ["load"]
    clock[0] += 20_000_000
    end = run(budget, form=form)
    assert (end.reason, end.attempts, end.budget_is_local) == ("budget", 6, False)
    assert budget.last_error is fault


def test_every_exchange_is_reported():
    """SPEC 15.7, rule 12. A flush asks a store that is away, too."""
    away, store = OSError("away"), MemoryStore()
    budget, exchanges = reporting(store)

    def flush():
        run(budget, 1)
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
    counts = [[step.count for step in exchange.steps] for exchange in exchanges]
    assert counts == [[1, 1], [], [], [3, 3], [1, 1]]
    assert [exchange.after for exchange in exchanges[1:3]] == ["", ""]
    assert [exchange.error for exchange in exchanges[:2]] == [None, away]
    assert "hello" in str(exchanges[2].error)
    assert isinstance(exchanges[3].error, ConnectionError)


def test_flush_waits_for_on_exchange():
    """Whoever flushes before the end of the process has seen all exchanges."""
    flushing, reported = threading.Event(), []

    def on_exchange(exchange):
        flushing.wait(LONG)
        time.sleep(0.05)
        reported.append(exchange)

    never = "ttl:min_per_second=0,ratio=0"
    budget = shared(MemoryStore(), budget=never, on_exchange=on_exchange)
    # The exchange refuses the retry before on_exchange returns, and then there is nothing to send.
    assert run(budget).reason == "budget"
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
def test_what_is_granted_while_the_store_is_away(clock, options, want):
    store = MemoryStore()
    store.states[KEY] = f"0 25 | {store.now_ns // (60 * 10**9)} 3 0"
    budget = shared(store, local_budget="quota:max_tokens=40,cost=1", **options)
    run(budget, 2)
    clock[0] = 10**18
    store.faults["load"].append(OSError("away"))
    first = [events_of(budget, policy="immediate:max_retries=1")[0] for _ in range(40)]
    assert sum(event.reason is None for event in first) == want
    assert budget.stats == SharedBudgetStats(2, 1, 0, 40, 4)


@pytest.mark.parametrize(
    ("loaded", "error"),
    [
        (("0 26 ", 0), "load() returned '0 26 ', which is not a state of the budget quota"),
        (("", 0), "load() returned '', which is not a state"),
        ((b"0 25", 0), "load() must return a str or None as its text, not bytes"),
        (("0 25", -1), "load() returned the time -1, which is not from 0 to"),
        (("0 25", 2**64), f"load() returned the time {2**64}, which"),
        (("0 25", None), "load() must return an int as its time, not NoneType"),
        (("0 25", True), "load() must return an int as its time, not bool"),
        (None, "load() must return a text or None, and the time, not None"),
        (("0 25", 0, 0), "load() must return a text or None, and the time, not ('0 25', 0, 0)"),
    ],
)
def test_what_a_store_must_not_return(loaded, error):
    store = MemoryStore()
    store.load = lambda _key: loaded
    budget = shared(store)
    end = run(budget)
    assert (end.reason, end.budget_is_local) == ("budget", True)
    assert error in str(budget.last_error)
    assert store.states == {}


@pytest.mark.parametrize("answer", [None, 1, "false"])
def test_a_swap_that_answers_no_bool_is_unknown(answer):
    store = MemoryStore()
    store.compare_and_swap = lambda *_: answer
    budget, exchanges = reporting(store)
    assert run(budget).budget_is_local
    assert exchanges[0].stored == "unknown"
    assert "compare_and_swap() must return a bool, not" in str(budget.last_error)


def test_a_hundred_events_are_sent_without_a_request():
    store, sent = MemoryStore(), threading.Event()
    budget = shared(store, on_exchange=lambda _: sent.set())
    for _ in range(49):
        run(budget, 1)
    assert store.calls == []
    run(budget, 1)
    assert sent.wait(LONG)


@FORMS
def test_a_store_that_never_answers(form):
    store, gate = MemoryStore(), threading.Event()
    store.faults["load"].append(gate)
    budget = shared(store, timeout=0.05)
    begun = time.monotonic()
    end = run(budget, form=form)
    assert (end.reason, end.attempts, end.budget_is_local) == ("budget", 6, True)
    assert isinstance(budget.last_error, TimeoutError)
    # The first exchange has a second.
    assert "did not answer within 1 s" in str(budget.last_error)
    assert not budget.flush()
    assert budget._worker._queue.flushes == []
    assert time.monotonic() - begun < LONG
    # It still hangs: nobody waits for it again.
    for _ in range(200):
        assert run(budget, form=form).budget_is_local
    gate.set()


def test_a_lease_saves_round_trips():
    store = MemoryStore()
    end = run(shared(store, lease=3))
    assert (end.reason, end.attempts) == ("budget", 6)
    # Three, then the two that are left, then none.
    assert store.calls == ["load", "swap", "load", "swap", "load"]
    assert store.state() == "5 0"


def call_async(budget, **options):
    return loops.call_async(
        loops.Script(ConnectionError()),
        **{"policy": "constant:base=1h", "on": OSError, "budget": budget, "log": False, **options},
    )


def test_a_cancelled_loop_leaves_no_request():
    store, gate = MemoryStore(), threading.Event()
    store.faults["load"].append(gate)
    budget, exchanges = reporting(store)

    async def cancel():
        tasks = [asyncio.create_task(call_async(budget))]
        while not store.calls:
            await asyncio.sleep(0.001)
        tasks += [asyncio.create_task(call_async(budget)) for _ in range(2)]
        while len(budget._worker._queue.requests) < 2:
            await asyncio.sleep(0.001)
        for task in tasks:
            task.cancel()
        return await asyncio.gather(*tasks, return_exceptions=True)

    results = asyncio.run(cancel())
    assert {type(result) for result in results} == {asyncio.CancelledError}
    assert budget._worker._queue.requests == []
    gate.set()
    assert budget.flush()
    events = {step.event.value for exchange in exchanges for step in exchange.steps}
    assert events == {"operation_began", "attempt_failed"}


def test_trio_cancels_a_loop_that_asks():
    store, gate, reasons = MemoryStore(), threading.Event(), []
    store.faults["load"].append(gate)

    budget = shared(store)

    async def cancel():
        with trio.move_on_after(0.05):
            await call_async(budget, on_stop=lambda event: reasons.append(event.reason))
        return "cancelled"

    assert trio.run(cancel) == "cancelled"
    assert reasons == ["cancelled"]
    assert budget._worker._queue.requests == []
    gate.set()


def test_an_interrupted_loop_leaves_no_request(monkeypatch):
    class Interrupted(threading.Event):
        def wait(self, timeout=None):
            raise KeyboardInterrupt

    store, gate, reasons = MemoryStore(), threading.Event(), []
    store.faults["load"].append(gate)
    budget = shared(store)
    monkeypatch.setattr(_budget_session, "threading", SimpleNamespace(Event=Interrupted))
    with pytest.raises(KeyboardInterrupt):
        run(budget, on_stop=lambda event: reasons.append(event.reason))
    assert reasons == ["cancelled"]
    assert budget._worker._queue.requests == []
    gate.set()


def test_an_answer_for_an_event_loop_that_is_closed_ends_nothing():
    store, gate = MemoryStore(), threading.Event()
    store.faults["load"].append(gate)
    budget, loop = shared(store), asyncio.new_event_loop()
    pending = call_async(budget)

    async def begin():
        while not budget._worker._queue.requests:
            await asyncio.sleep(0.001)

    task = loop.create_task(pending)
    # Nobody says that it is still pending.
    task._log_destroy_pending = False
    loop.run_until_complete(begin())
    loop.close()
    gate.set()
    assert budget.flush()
    assert run(budget, 2).reason == "success"
    pending.close()


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
    assert run(budget).reason == "budget"
    budget.flush()
    assert "on_exchange of the budget server failed" in caplog.text
    assert isinstance(budget.last_error, ZeroDivisionError)


def test_a_slow_hook_is_named():
    gate = threading.Event()
    budget = shared(MemoryStore(), timeout=0.05, on_exchange=lambda _: gate.wait(LONG))
    run(budget)
    assert str(budget.last_error) == "on_exchange did not return within 0.05 s"
    gate.set()


def test_an_invalid_local_budget_is_named():
    with pytest.raises(PolicyError) as error:
        shared(MemoryStore(), local_budget="quotas")
    assert error.value.__notes__ == ["in local_budget 'quotas'"]


def test_code_of_the_caller_cannot_end_the_thread(caplog):
    def leave(_exchange):
        raise SystemExit

    budget = shared(MemoryStore(), on_exchange=leave)
    for _ in range(2):
        run(budget, 1)
        assert budget.flush()
    assert "SystemExit" in str(budget.last_error)
    store = MemoryStore()
    store.faults["load"] += [asyncio.CancelledError()] * 2
    budget = shared(store)
    assert run(budget).budget_is_local
    assert not budget.flush()
    assert "CancelledError" in str(budget.last_error)
    assert budget.stats.failed_exchanges == 2


def test_a_flush_that_interrupts_the_budget_does_not_wait(monkeypatch):
    """As a signal handler does."""
    budget = shared(MemoryStore())
    run(budget, 1)
    with budget._worker._changed, monkeypatch.context() as patch:
        patch.setattr(budget._worker, "_start", lambda: pytest.fail("it waits"))
        assert not budget.flush()
    assert budget.flush()


def test_an_idle_thread_ends(monkeypatch):
    monkeypatch.setattr(_budget_worker, "_IDLE", 0.01)
    store = MemoryStore()
    budget = shared(store)
    for _ in range(2):
        run(budget, 2)
        thread = budget._worker._thread
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
        end = run(budget)
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
    run(budget, 1)
    with ThreadPoolExecutor(2) as pool:
        # The pool has started its threads, and no other starts.
        pool.submit(pool.submit(int).result).result(LONG)
        monkeypatch.setattr(budget._worker, "_start", lambda: RuntimeError("no thread"))
        first = pool.submit(budget.flush)
        assert loading.wait(LONG)
        run(budget, 1)
        second = pool.submit(budget.flush)
        while not budget._worker._queue.flushes:
            time.sleep(0.001)
        assert store.calls == []
        may_load.set()
        assert first.result(LONG)
        assert second.result(LONG)
    # The second changes nothing.
    assert store.calls == ["load", "swap", "load"]
    assert in_hook == [False, False]


AT_THE_END = """
import os
import backoff_rs
from budget_stores import MemoryStore

class Client:
    def __init__(self):
        self.budget = backoff_rs.SharedBudget(MemoryStore(), "client", "quota")

    def __del__(self):
        os.write(1, b"%d" % self.budget.flush())

client = Client()
backoff_rs.retrying(on=(), budget=client.budget).call(int)
"""


def test_a_flush_of_an_object_that_the_end_of_the_interpreter_deletes():
    command = [sys.executable, "-c", AT_THE_END]
    ended = subprocess.run(
        command, cwd=Path(__file__).parent, capture_output=True, timeout=LONG, check=True
    )
    assert (ended.stdout, ended.stderr) == (b"1", b"")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without forks")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_has_a_thread_of_its_own():
    from test_fork import in_child

    # The child has a copy of it.
    store = MemoryStore()
    budget = shared(store, lease=2)
    run(budget, 2)
    assert budget._worker._queue.member.has_unsent()
    # Another thread of the parent may have held the lock.
    with budget._worker._changed:
        child = in_child(lambda: [budget._worker._queue.member.has_unsent(), run(budget).attempts])
    # Three of five retries are left, and only the parent has what was leased and the success.
    assert child == [False, 4]
    assert run(budget).attempts == 6


def test_many_threads_spend_no_more_than_there_is():
    store = MemoryStore()
    budgets = [shared(store, budget="quota:max_tokens=500,cost=5") for _ in range(4)]
    events = []
    with ThreadPoolExecutor(16) as pool:
        loop = functools.partial(run, on_retry=events.append)
        ends = list(pool.map(loop, budgets * 16))
    # While they contend, each takes up to a sixteenth along, which may be left over.
    assert 100 - 4 * 6 <= len(events) <= 100
    assert {end.reason for end in ends} <= {"budget", "max_retries"}
    assert not any(event.budget_is_local for event in events)
    assert store.state() == "100 0"


class AsyncStore:
    async def load(self, key):
        """Would be awaited by nobody."""

    async def compare_and_swap(self, key, expected, new):
        """The same."""


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
