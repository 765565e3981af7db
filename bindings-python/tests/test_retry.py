"""Loops (SPEC 18) in every form: their calls, decisions, waits and results.

The delays are the first of job-1 under seed 42, as in `docs/programs.md`.
"""

import copy
import pickle

import loops
import pytest
from backoff_rs import (
    Budget,
    Outcome,
    RetryError,
    RetryStats,
    Verdict,
    permanent,
    retry,
    retry_after,
    retrying,
)
from backoff_rs.testing import fake_time
from jobs import DELAYS, POLICY, REFUSED, RESET, SECOND, Events, run, stops


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


def test_it_retries_until_it_succeeds(any_form, time):
    script, events, stats = loops.Script(REFUSED, RESET, "done"), Events(), RetryStats()
    assert run(any_form, script, events, stats) == "done"
    assert script.calls == 3
    assert time.slept_ns == DELAYS[:2]
    assert events.brief == [
        (1, "transient", None, DELAYS[0]),
        (2, "transient", None, DELAYS[1]),
        (3, "success", "success", 0),
    ]
    assert [event.error for event in events.all] == [REFUSED, RESET, None]
    assert [event.value for event in events.all] == [None, None, "done"]
    assert [event.elapsed_ns for event in events.all] == [0, DELAYS[0], sum(DELAYS[:2])]
    assert [event.elapsed for event in events.all] == [0.0, 0.011399434, 0.09444331]
    assert events.all[0].delay == 0.011399434
    assert (stats.attempts, stops(stats)) == (3, {"success": 1})


def test_a_success_at_once(any_form, time):
    script, events, stats = loops.Script(None), Events(), RetryStats()
    assert run(any_form, script, events, stats) is None
    assert events.brief == [(1, "success", "success", 0)]
    assert (script.calls, time.slept_ns, stats.attempts) == (1, [], 1)


def test_after_the_last_failure_there_is_no_wait(any_form, time):
    errors = [ConnectionError(number) for number in range(3)]
    script, events, stats = loops.Script(*errors), Events(), RetryStats()
    with pytest.raises(ConnectionError) as raised:
        run(any_form, script, events, stats, policy="full:base=100ms,cap=20s,max_retries=2")
    assert raised.value is errors[2]
    assert time.slept_ns == DELAYS[:2]
    assert events.brief[-1] == (3, "transient", "max_retries", 0)
    assert len(events.all) == 3
    assert errors[2].__notes__ == ["backoff_rs: gave up after 3 attempts in 0.094 s: max_retries"]
    assert not hasattr(errors[1], "__notes__")
    assert (stats.attempts, stops(stats)) == (3, {"max_retries": 1})


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
def test_other_failures_are_not_repeated(any_form, time, on):
    error, events, stats = ConnectionResetError("reset"), Events(), RetryStats()
    with pytest.raises(ConnectionResetError) as raised:
        run(any_form, loops.Script(error), events, stats, on=on, reraise=False)
    assert raised.value is error
    assert error.__notes__ == ["backoff_rs: gave up after 1 attempt in 0.000 s: permanent"]
    assert events.brief == [(1, "permanent", "permanent", 0)]
    assert (time.slept_ns, stops(stats)) == ([], {"permanent": 1})


@pytest.mark.parametrize(
    ("result", "outcome", "delay_ns"),
    [
        (True, "transient", DELAYS[0]),
        ("timeout", "timeout", DELAYS[0]),
        (Outcome.THROTTLED, "throttled", 10 * DELAYS[0]),
        (Verdict("throttled", retry_after=3), "throttled", 3 * SECOND),
        (Verdict(Outcome.TIMEOUT, retry_after=0.001), "timeout", DELAYS[0]),
    ],
)
def test_results_of_a_predicate(form, time, result, outcome, delay_ns):
    events, seen = Events(), []

    def on(error):
        seen.append(error)
        return result

    policy = POLICY + ",throttled_base=1s"
    assert run(form, loops.Script(RESET, 1), events, policy=policy, on=on) == 1
    assert events.brief[0] == (1, outcome, None, pytest.approx(delay_ns, abs=10))
    assert seen == [RESET]


@pytest.mark.parametrize("reraise", [True, False])
def test_marks_override_on(form, time, reraise):
    events, missing = Events(), KeyError("missing")
    script = loops.Script(retry_after(ValueError(), 2), permanent(missing))
    on = {"on": lambda error: isinstance(error, KeyError), "reraise": reraise}
    with pytest.raises(KeyError) as raised:
        run(form, script, events, **on)
    assert raised.value is missing
    assert events.brief == [
        (1, "throttled", None, 2 * SECOND),
        (2, "permanent", "permanent", 0),
    ]
    assert missing.__notes__ == ["backoff_rs: gave up after 2 attempts in 2.000 s: permanent"]


def test_polling_on_results(form, time):
    events = Events()
    script = loops.Script("pending", "throttled", "ready")
    verdicts = {"pending": True, "throttled": Verdict("throttled", 5), "ready": False}
    assert run(form, script, events, on=(), on_result=verdicts.get) == "ready"
    assert events.brief == [
        (1, "transient", None, DELAYS[0]),
        (2, "throttled", None, 5 * SECOND),
        (3, "success", "success", 0),
    ]
    assert [event.value for event in events.all] == ["pending", "throttled", "ready"]


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


def test_a_permanent_result(form, time):
    with pytest.raises(RetryError, match=r"1 attempt in 0\.000 s: permanent: result 'gone'"):
        run(form, loops.Script("gone"), on=(), on_result=lambda _: "permanent")


def test_reraise_false_raises_a_retry_error(any_form, time):
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
        ({"policy": POLICY + ",max_elapsed=94ms"}, 0, (2, "max_elapsed", DELAYS[1]), 1),
        ({"policy": POLICY + ",max_elapsed=95ms"}, 0, (3, "max_elapsed", DELAYS[2]), 2),
        # The time of the calls counts.
        ({"policy": POLICY + ",max_elapsed=95ms"}, 90_000_000, (1, "max_elapsed", DELAYS[0]), 0),
        ({"deadline_ns": 94_000_000}, 0, (2, "deadline", DELAYS[1]), 1),
        ({"deadline_ns": lambda *_: 95_000_000}, 0, (3, "deadline", DELAYS[2]), 2),
        ({"deadline_ns": lambda *_: None}, 0, (6, "max_retries", 0), 5),
        ({"deadline_ns": 0}, 0, (1, "deadline", DELAYS[0]), 0),
        # The second retry finds no tokens.
        ({"budget": "quota:max_tokens=7,cost=5"}, 0, (2, "budget", DELAYS[1]), 1),
    ],
)
def test_limits(form, options, took_ns, brief, slept):
    now, events, waits = [0], Events(), []
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
        run(scripted(form), call, events, clock_ns=lambda: now[0], sleep=sleep, **options)
    event = events.all[-1]
    assert (event.attempts, event.reason, event.delay_ns) == brief
    assert waits == DELAYS[:slept]
    assert event.elapsed_ns == now[0]


def scripted(form):
    """The form, for any function."""

    class Counted:
        def __init__(self, function):
            self.function, self.calls = function, 0

        def __call__(self, *_args):
            self.calls += 1
            return self.function()

    return lambda function, **options: form(Counted(function), **options)


def test_a_budget_is_shared(form, time):
    budget, events = Budget.parse("quota:max_tokens=10,cost=5"), Events()
    for _ in range(3):
        with pytest.raises(ConnectionResetError):
            run(form, loops.Script(*[RESET] * 9), events, budget=budget)
    assert [event.reason for event in events.all] == [None, None, "budget", "budget", "budget"]


def test_a_success_refunds_its_retry(form, time):
    budget = Budget.parse("quota:max_tokens=5,cost=5")
    for _ in range(3):
        assert run(form, loops.Script(RESET, "done"), budget=budget) == "done"


@pytest.mark.parametrize("form", loops.SYNC.values(), ids=loops.SYNC)
@pytest.mark.parametrize("interruption", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_interruptions_are_never_repeated(form, time, interruption):
    events, stats = Events(), RetryStats()
    script = loops.Script(RESET, interruption)
    with pytest.raises(interruption):
        run(form, script, events, stats, on=lambda _: True)
    assert script.calls == 2
    assert events.brief[1:] == [(2, None, "cancelled", 0)]
    assert isinstance(events.all[-1].error, interruption)
    assert (stats.attempts, stops(stats)) == (2, {"cancelled": 1})


def test_an_enclosing_loop(time):
    """It sees only the mark of permanent() (SPEC 18.3)."""
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


def test_a_group_with_a_permanent_failure_is_permanent(any_form, time):
    """A group stands for all its failures."""
    group = ExceptionGroup(
        "", [retry_after(OSError(), 5), ExceptionGroup("", [permanent(KeyError())])]
    )
    script = loops.Script(retry_after(group, 3), "done")
    with pytest.raises(ExceptionGroup) as raised:
        run(any_form, script, on=lambda _: True)
    assert (raised.value, script.calls, time.slept) == (group, 1, [])
    other = ExceptionGroup("", [retry_after(OSError(), 5)])
    assert run(any_form, loops.Script(other, "done"), on=ExceptionGroup) == "done"
    assert time.slept_ns == [DELAYS[0]]


def test_attempts_cannot_be_copied(time):
    """The loop would end with the copy."""
    attempts = iter(retrying(on=OSError))
    attempt = next(attempts)
    for thing in (attempts, attempt, aiter(retrying(on=OSError))):
        for clone in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match=r"attempt.* cannot be copied or pickled"):
                clone(thing)
    with attempt:
        pass


def test_an_attempt_is_entered_once(time):
    with pytest.raises(RuntimeError, match="use `with attempt:`"):
        for _attempt in retrying(on=OSError):
            pass
    for attempt in retrying(on=OSError):
        with attempt:
            pass
    with pytest.raises(RuntimeError, match="entered once"), attempt:
        pass
