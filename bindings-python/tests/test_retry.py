"""Loops (SPEC 18): what they call, decide, wait, tell and raise, in every form that they have.

The delays are the first of job-1 under seed 42, as the README of the repository has them.
"""

import asyncio
import gc
import pickle
import weakref

import loops
import pytest
from backoff_rs import (
    Budget,
    History,
    Outcome,
    Policy,
    PolicyError,
    RetryError,
    RetryEvent,
    Retrying,
    Stream,
    Verdict,
    permanent,
    retry,
    retry_after,
    retrying,
)
from backoff_rs.testing import fake_time

DELAYS = [11_399_434, 83_043_876, 229_309_811, 83_486_434, 444_551_853]
LINE = "full:base=100ms,cap=20s,max_retries=5"
SECOND = 1_000_000_000
REFUSED, RESET = ConnectionRefusedError("refused"), ConnectionResetError("reset")


@pytest.fixture
def time():
    with fake_time() as time:
        yield time


@pytest.fixture(params=loops.FORMS)
def form(request, time):
    return loops.FORMS[request.param]


@pytest.fixture(params=loops.FORMS | loops.GENERATORS)
def any_form(request, time):
    return (loops.FORMS | loops.GENERATORS)[request.param]


class Told:
    """The events that the hooks got, in order."""

    def __init__(self):
        self.events = []

    def on_retry(self, event):
        assert event.reason is None
        self.events.append(event)

    def on_stop(self, event):
        assert event.reason is not None
        self.events.append(event)

    @property
    def brief(self):
        return [
            (event.attempts, event.outcome, event.reason, event.delay_ns) for event in self.events
        ]


def run(form, script, told=None, history=None, **options):
    told = told or Told()
    return form(
        script,
        **{"policy": LINE, "seed": 42, "key": "job-1", "on": OSError, "log": False}
        | {"on_retry": told.on_retry, "on_stop": told.on_stop, "history": history}
        | options,
    )


def stops(history):
    return {reason.value: count for reason, count in history.stops.items() if count}


def test_it_retries_until_it_succeeds(any_form, time):
    script, told, history = loops.Script(REFUSED, RESET, "done"), Told(), History()
    assert run(any_form, script, told, history) == "done"
    assert script.calls == 3
    assert time.slept_ns == DELAYS[:2]
    assert told.brief == [
        (1, "transient", None, DELAYS[0]),
        (2, "transient", None, DELAYS[1]),
        (3, "success", "success", 0),
    ]
    assert [event.error for event in told.events] == [REFUSED, RESET, None]
    assert [event.value for event in told.events] == [None, None, "done"]
    assert [event.elapsed_ns for event in told.events] == [0, DELAYS[0], sum(DELAYS[:2])]
    assert [event.elapsed for event in told.events] == [0.0, 0.011399434, 0.09444331]
    assert told.events[0].delay == 0.011399434
    assert (history.attempts, stops(history)) == (3, {"success": 1})


def test_a_success_at_once(any_form, time):
    script, told, history = loops.Script(None), Told(), History()
    assert run(any_form, script, told, history) is None
    assert told.brief == [(1, "success", "success", 0)]
    assert (script.calls, time.slept_ns, history.attempts) == (1, [], 1)


def test_the_last_failure_is_raised_and_not_waited_for(any_form, time):
    errors = [ConnectionError(number) for number in range(3)]
    script, told, history = loops.Script(*errors), Told(), History()
    with pytest.raises(ConnectionError) as raised:
        run(any_form, script, told, history, policy="full:base=100ms,cap=20s,max_retries=2")
    assert raised.value is errors[2]
    assert time.slept_ns == DELAYS[:2]
    assert told.brief[-1] == (3, "transient", "max_retries", 0)
    assert len(told.events) == 3
    assert errors[2].__notes__ == ["backoff_rs: gave up after 3 attempts in 0.094 s: max_retries"]
    assert not hasattr(errors[1], "__notes__")
    assert (history.attempts, stops(history)) == (3, {"max_retries": 1})


def test_zero_retries_run_once(any_form, time):
    script = loops.Script(RESET)
    with pytest.raises(ConnectionResetError):
        run(any_form, script, policy="full:base=1s,max_retries=0")
    assert (script.calls, time.slept_ns) == (1, [])


def test_the_default_policy_is_the_preset(form, time):
    script = loops.Script(*[RESET] * 5)
    with pytest.raises(ConnectionResetError):
        form(script, on=OSError, seed=42, key="job-1", log=False)
    assert (script.calls, time.slept_ns) == (4, DELAYS[:3])


@pytest.mark.parametrize(
    "on",
    [
        (),
        ConnectionRefusedError,
        (ConnectionRefusedError, TimeoutError),
        lambda error: False,
        lambda error: "permanent",
        lambda error: Outcome.PERMANENT,
        lambda error: Verdict("permanent"),
        lambda error: "success",
    ],
    ids=["nothing", "type", "types", "false", "name", "outcome", "verdict", "success"],
)
def test_nothing_else_is_repeated(any_form, time, on):
    error, told, history = ConnectionResetError("reset"), Told(), History()
    with pytest.raises(ConnectionResetError) as raised:
        run(any_form, loops.Script(error), told, history, on=on, reraise=False)
    assert raised.value is error
    assert not hasattr(error, "__notes__")
    assert told.brief == [(1, "permanent", "permanent", 0)]
    assert (time.slept_ns, stops(history)) == ([], {"permanent": 1})


@pytest.mark.parametrize(
    ("answer", "outcome", "delay_ns"),
    [
        (True, "transient", DELAYS[0]),
        ("timeout", "timeout", DELAYS[0]),
        (Outcome.THROTTLED, "throttled", 10 * DELAYS[0]),
        (Verdict("throttled", hint=3), "throttled", 3 * SECOND),
        (Verdict(Outcome.TIMEOUT, hint=0.001), "timeout", DELAYS[0]),
    ],
)
def test_what_a_predicate_answers(form, time, answer, outcome, delay_ns):
    told, asked = Told(), []

    def on(error):
        asked.append(error)
        return answer

    policy = LINE + ",throttled_base=1s"
    assert run(form, loops.Script(RESET, 1), told, policy=policy, on=on) == 1
    assert told.brief[0] == (1, outcome, None, pytest.approx(delay_ns, abs=10))
    assert asked == [RESET]


@pytest.mark.parametrize("reraise", [True, False])
def test_marks_come_before_on(form, time, reraise):
    told, missing = Told(), KeyError("missing")
    script = loops.Script(retry_after(ValueError(), 2), permanent(missing))
    on = {"on": lambda error: isinstance(error, KeyError), "reraise": reraise}
    with pytest.raises(KeyError) as raised:
        run(form, script, told, **on)
    assert raised.value is missing
    assert told.brief == [
        (1, "throttled", None, 2 * SECOND),
        (2, "permanent", "permanent", 0),
    ]
    assert missing.__notes__ == ["backoff_rs: gave up after 2 attempts in 2.000 s: permanent"]


def test_polling_on_results(form, time):
    told = Told()
    script = loops.Script("pending", "throttled", "ready")
    answers = {"pending": True, "throttled": Verdict("throttled", 5), "ready": False}
    assert run(form, script, told, on=(), on_result=answers.get) == "ready"
    assert told.brief == [
        (1, "transient", None, DELAYS[0]),
        (2, "throttled", None, 5 * SECOND),
        (3, "success", "success", 0),
    ]
    assert [event.value for event in told.events] == ["pending", "throttled", "ready"]


def test_giving_up_on_a_result(form, time):
    with pytest.raises(RetryError) as raised:
        run(form, loops.Script(*range(9)), on=(), on_result=lambda _: True)
    error = raised.value
    assert (error.reason, error.attempts, error.result, error.error) == ("max_retries", 6, 5, None)
    assert (error.delay, error.elapsed) == (0.0, pytest.approx(0.851791408))
    assert error.__cause__ is None
    assert str(error) == "gave up after 6 attempts in 0.852 s: max_retries: result 5"
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.reason) == (str(error), "max_retries")


def test_a_result_that_is_permanent(form, time):
    with pytest.raises(RetryError, match=r"1 attempt in 0\.000 s: permanent: result 'gone'"):
        run(form, loops.Script("gone"), on=(), on_result=lambda _: "permanent")


def test_a_retry_error_if_asked_for(any_form, time):
    with pytest.raises(RetryError) as raised:
        run(any_form, loops.Script(*[RESET] * 9), reraise=False)
    error = raised.value
    assert (error.reason, error.attempts, error.error) == ("max_retries", 6, RESET)
    assert error.__cause__ is RESET
    assert str(error).endswith("s: max_retries: ConnectionResetError('reset')")


@pytest.mark.parametrize(
    ("options", "took_ns", "brief", "slept"),
    [
        # The second wait would end at 94 ms and more.
        ({"policy": LINE + ",max_elapsed=94ms"}, 0, (2, "max_elapsed", DELAYS[1]), 1),
        ({"policy": LINE + ",max_elapsed=95ms"}, 0, (3, "max_elapsed", DELAYS[2]), 2),
        # What the calls take counts.
        ({"policy": LINE + ",max_elapsed=95ms"}, 90_000_000, (1, "max_elapsed", DELAYS[0]), 0),
        ({"deadline_ns": 94_000_000}, 0, (2, "deadline", DELAYS[1]), 1),
        ({"deadline_ns": lambda *_: 95_000_000}, 0, (3, "deadline", DELAYS[2]), 2),
        ({"deadline_ns": lambda *_: None}, 0, (6, "max_retries", 0), 5),
        ({"deadline_ns": 0}, 0, (1, "deadline", DELAYS[0]), 0),
        # The second retry finds no tokens.
        ({"budget": "quota:max_tokens=7,cost=5"}, 0, (2, "budget", DELAYS[1]), 1),
    ],
)
def test_limits(form, options, took_ns, brief, slept):
    now, told, waits = [0], Told(), []
    script = loops.Script(*[RESET] * 9)

    def call():
        now[0] += took_ns
        return script()

    def sleep(delay):
        waits.append(round(delay * SECOND))
        now[0] += waits[-1]

    if "budget" in options:
        options = {"budget": Budget.parse(options["budget"])}
    call.calls = 0
    with pytest.raises(ConnectionResetError):
        run(scripted(form), call, told, clock_ns=lambda: now[0], sleep=sleep, **options)
    event = told.events[-1]
    assert (event.attempts, event.reason, event.delay_ns) == brief
    assert waits == DELAYS[:slept]
    assert event.elapsed_ns == now[0]


def scripted(form):
    """The form for any function."""

    class Counted:
        def __init__(self, function):
            self.function, self.calls = function, 0

        def __call__(self, *_args):
            self.calls += 1
            return self.function()

    return lambda function, **options: form(Counted(function), **options)


def test_a_budget_is_shared(form, time):
    budget, told = Budget.parse("quota:max_tokens=10,cost=5"), Told()
    for _ in range(3):
        with pytest.raises(ConnectionResetError):
            run(form, loops.Script(*[RESET] * 9), told, budget=budget)
    assert [event.reason for event in told.events] == [None, None, "budget", "budget", "budget"]


def test_a_budget_gets_back_what_a_success_held(form, time):
    budget = Budget.parse("quota:max_tokens=5,cost=5")
    for _ in range(3):
        assert run(form, loops.Script(RESET, "done"), budget=budget) == "done"


class Broken(Exception):
    pass


def broken(*_args):
    raise Broken


@pytest.mark.parametrize("hook", ["on_retry", "on", "on_result"])
def test_a_hook_or_predicate_that_fails_ends_the_loop(form, time, hook):
    """SPEC 18.6: cancelled and counted so, and nobody is told."""
    told, history = Told(), History()
    script = loops.Script("value" if hook == "on_result" else RESET, "done")
    budget = Budget.parse("concurrent:ratio=0,min_concurrent=1")
    with pytest.raises(Broken):
        run(form, script, told, history, **{"budget": budget, hook: broken})
    assert (script.calls, told.events, time.slept_ns) == (1, [], [])
    # It heard of it: the one retry that it grants at a time is free.
    assert form(loops.Script(RESET, "done"), on=OSError, budget=budget, log=False) == "done"
    assert (history.attempts, stops(history)) == (1, {"cancelled": 1})


@pytest.mark.parametrize(("result", "reason"), [("done", "success"), (KeyError(), "permanent")])
def test_a_hook_for_stops_that_fails(form, time, result, reason):
    history, script = History(), loops.Script(result)
    with pytest.raises(Broken):
        run(form, script, history=history, on_stop=broken)
    assert (script.calls, history.operations, stops(history)) == (1, 1, {reason: 1})


@pytest.mark.parametrize(
    ("answer", "raised"),
    [
        (None, TypeError),
        (1, TypeError),
        ("slow", PolicyError),
        (Verdict("slow"), PolicyError),
        (Verdict("timeout", hint=-1), PolicyError),
        (Verdict("timeout", hint="1"), TypeError),
    ],
)
def test_an_answer_that_is_none(form, time, answer, raised):
    history, script = History(), loops.Script(RESET, "done")
    with pytest.raises(raised):
        run(form, script, history=history, on=lambda _: answer)
    assert (script.calls, stops(history)) == (1, {"cancelled": 1})


@pytest.mark.parametrize("form", loops.SYNC.values(), ids=loops.SYNC)
@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_is_no_exception_is_never_repeated(form, time, interruption):
    told, history = Told(), History()
    script = loops.Script(RESET, interruption)
    with pytest.raises(interruption):
        run(form, script, told, history, on=lambda _: True)
    assert script.calls == 2
    assert told.brief[1:] == [(2, None, "cancelled", 0)]
    assert isinstance(told.events[-1].error, interruption)
    assert (history.attempts, stops(history)) == (2, {"cancelled": 1})


def test_keys_of_calls(time):
    of_job = {"key": lambda job, **_: job, "deadline_ns": lambda job, **_: None}

    @retry(LINE, on=OSError, seed=42, log=False, **of_job)
    def call(job, *, script):
        return script()

    for job in ["job-1", "job-2", "job-1"]:
        call(job, script=loops.Script(RESET, 1))
    first, second, third = time.slept_ns
    assert first == third == DELAYS[0]
    assert second == Policy.parse(LINE).delay_ns(Stream(42, "job-2"), 0)


@pytest.mark.parametrize(
    ("options", "index_0"),
    [
        ({"stream": Stream(42, "job-1")}, DELAYS[0]),
        ({"seed": 42, "key": b"job-1"}, DELAYS[0]),
        ({"seed": 42}, Policy.parse(LINE).delay_ns(Stream(42), 0)),
    ],
)
def test_streams_that_are_given(time, options, index_0):
    for _ in range(2):
        loops.called(loops.Script(RESET, 1), policy=LINE, on=OSError, log=False, **options)
    assert time.slept_ns == [index_0] * 2


def test_a_stream_from_entropy_for_each_loop():
    waits = []
    for _ in range(10):
        loops.called(loops.Script(RESET, 1), on=OSError, log=False, sleep=waits.append)
    assert len(set(waits)) == 10


async def coroutine(*_args):
    pass


@pytest.mark.parametrize(
    ("options", "raised", "message"),
    [
        ({}, TypeError, "'on'"),
        ({"on": "OSError"}, TypeError, "on must be an exception type, a tuple of them or a"),
        ({"on": (OSError, "E")}, TypeError, "on must be an exception type, a tuple of them or"),
        ({"on": KeyboardInterrupt}, TypeError, "KeyboardInterrupt is never retried"),
        ({"on": (OSError, int)}, TypeError, "int is never retried: it is no Exception"),
        ({"on": (), "policy": "ful"}, PolicyError, "ful"),
        ({"on": (), "policy": 3}, TypeError, "line must be"),
        ({"on": (), "key": "job"}, TypeError, "give seed too"),
        ({"on": (), "seed": -1}, PolicyError, "seed"),
        ({"on": (), "seed": 1, "key": 2}, TypeError, "key must be"),
        ({"on": (), "seed": 1, "stream": Stream(1)}, TypeError, "a stream and a seed"),
        ({"on": (), "stream": 42}, TypeError, "stream must be a Stream, not int"),
        ({"on": (), "budget": "sre"}, TypeError, "budget must be a Budget, not str"),
        ({"on": (), "history": 1}, TypeError, "history must be a History, not int"),
        ({"on": (), "log": 1}, TypeError, "log must be a bool"),
        ({"on": (), "log": None}, TypeError, "log must be a bool"),
        ({"on": (), "reraise": 1}, TypeError, "reraise must be a bool, not int"),
        ({"on": (), "reraise": None}, TypeError, "reraise must be a bool, not NoneType"),
        ({"on": (), "name": 1}, TypeError, "name must be a str, not int"),
        ({"on": (), "deadline_ns": 1.5}, TypeError, "deadline_ns must be an int, not float"),
        ({"on": (), "deadline_ns": -1}, PolicyError, "deadline_ns"),
        ({"on": (), "seed": -1, "key": str}, PolicyError, "seed"),
        ({"on": (), "seed": "1", "key": str}, TypeError, "seed must be an int, not str"),
        ({"on": (), "seed": 1, "key": coroutine}, TypeError, "key is a coroutine function"),
        ({"on": (), "deadline_ns": coroutine}, TypeError, "deadline_ns is a coroutine function"),
        ({"on": (), "clock_ns": coroutine}, TypeError, "clock_ns is a coroutine function"),
        ({"on": (), "on_stop": 1}, TypeError, "on_stop must be callable, not int"),
        ({"on": (), "sleep": 1}, TypeError, "sleep must be callable, not int"),
    ],
)
def test_options_that_are_refused(options, raised, message):
    with pytest.raises(raised, match=message):
        Retrying(**options)


@pytest.mark.parametrize(
    ("decorate", "message"),
    [
        (lambda: retry(on=())(staticmethod(print)), "beneath @staticmethod"),
        (lambda: retry(on=())(3), "decorates a function, not int"),
        (lambda: retry(on=(), on_result=bool)(generator), "on_result has no result to judge"),
    ],
)
def test_what_cannot_be_decorated(decorate, message):
    with pytest.raises(TypeError, match=message):
        decorate()


def generator():
    yield


def test_a_function_that_returns_a_coroutine(time):
    """It would not be retried: nothing has been called yet."""
    told, history = Told(), History()

    async def call():
        raise RESET

    with pytest.raises(TypeError, match="returned a coroutine: retry its async function"):
        run(lambda script, **options: retry(**options)(lambda: call())(), None, told, history)
    assert stops(history) == {"cancelled": 1}


@pytest.mark.parametrize("answer", [-1, 1.5, "soon"])
def test_a_deadline_of_a_call_that_is_refused(form, time, answer):
    told, script = Told(), loops.Script(1)
    with pytest.raises((PolicyError, TypeError), match="deadline_ns"):
        run(form, script, told, deadline_ns=lambda *_: answer)
    assert (script.calls, told.events) == (0, [])


def test_a_function_that_returns_a_future():
    """It is given on: to await it is the caller's."""

    @retry(on=OSError)
    def call():
        return future

    future = asyncio.Future(loop=asyncio.new_event_loop())
    assert call() is future
    future.get_loop().close()


def test_a_loop_around_the_loop(time):
    """Only that a failure is permanent holds for it, too (SPEC 18.3)."""
    inner = retry("constant:base=1s,max_retries=1", on=(), log=False)
    outer = retry("constant:base=1s,max_retries=1", on=lambda _: "timeout", log=False)

    def calls_and_slept(mark):
        script, begun = (
            loops.Script(*[mark(ConnectionResetError()) for _ in range(9)]),
            len(time.slept),
        )
        with pytest.raises(ConnectionResetError):
            outer(inner(lambda: script()))()
        return script.calls, time.slept[begun:]

    assert calls_and_slept(permanent) == (1, [])
    assert calls_and_slept(lambda error: retry_after(error, 5)) == (4, [5.0, 1.0, 5.0])


def test_attempts_are_made_in_with(time):
    with pytest.raises(RuntimeError, match="use `with attempt:`"):
        for _attempt in retrying(on=OSError):
            pass
    for attempt in retrying(on=OSError):
        with attempt:
            pass
    with pytest.raises(RuntimeError, match="entered once"), attempt:
        pass


def test_the_function_stays_what_it_was():
    @retry(on=OSError)
    def call(one: int, two: str = "2") -> bytes:
        """Its doc."""

    assert (call.__name__, call.__doc__) == ("call", "Its doc.")
    assert call.__wrapped__.__code__.co_varnames == ("one", "two")


def test_names(time):
    told = Told()
    run(loops.decorated, loops.Script(1), told)
    run(loops.decorated, loops.Script(1), told, name="job")
    run(loops.block, loops.Script(1), told)
    names = ["loops.decorated.<locals>.call", "job", "loop"]
    assert [event.name for event in told.events] == names


@pytest.mark.parametrize("reraise", [True, False])
@pytest.mark.parametrize("form", [loops.called, loops.block, loops.call_async, loops.block_async])
def test_no_cycle_keeps_an_error(form, reraise, time):
    """What was raised is freed with its last reference, without the collector."""

    class Held(Exception):
        pass

    class Fails:
        calls = 0

        def __call__(self, *_args):
            self.calls += 1
            raise Held

    async def give_up():
        try:
            ended = form(Fails(), on=Held, log=False, reraise=reraise)
            await ended
        except RetryError as raised:
            return weakref.ref(raised.__cause__)
        except Held as raised:
            return weakref.ref(raised)

    gc.collect()
    gc.disable()
    try:
        assert asyncio.run(give_up())() is None
    finally:
        gc.enable()


def test_an_error_that_is_raised_again_and_again_does_not_grow(time):
    for _ in range(3):
        with pytest.raises(ConnectionRefusedError):
            run(loops.decorated, loops.Script(*[REFUSED] * 9))
    assert len(REFUSED.__notes__) == 1


def test_events_are_values():
    event = RetryEvent("call", 1, Outcome.TRANSIENT, None, 5, 7, None, None)
    with pytest.raises(AttributeError):
        event.attempts = 2
    assert pickle.loads(pickle.dumps(event)) == event
