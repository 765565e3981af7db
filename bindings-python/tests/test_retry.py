"""Loops (SPEC 18) in every form: their calls, decisions, waits and results.

The delays are the first of job-1 under seed 42, as in `docs/programs.md`.
"""

import copy
import pickle

import loops
import pytest
from backoff_rs import (
    Outcome,
    RetryError,
    RetryStats,
    Verdict,
    permanent,
    retry,
    retry_after,
    retrying,
)
from jobs import DELAYS, POLICY, RESET, SECOND, Events, run, stops


@pytest.fixture(params=loops.FORMS)
def form(request, time):
    return loops.FORMS[request.param]


@pytest.fixture(params=loops.FORMS | loops.GENERATORS)
def any_form(request, time):
    return (loops.FORMS | loops.GENERATORS)[request.param]


def test_the_last_failure_has_a_note(any_form, time):
    errors = [ConnectionError(number) for number in range(3)]
    with pytest.raises(ConnectionError):
        run(any_form, loops.Script(*errors), policy="full:base=100ms,cap=20s,max_retries=2")
    assert errors[2].__notes__ == ["backoff_rs: gave up after 3 attempts in 0.094 s: max_retries"]
    assert not hasattr(errors[1], "__notes__")


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
    error = ConnectionResetError("reset")
    with pytest.raises(ConnectionResetError) as raised:
        run(any_form, loops.Script(error), on=on, reraise=False)
    assert raised.value is error
    assert error.__notes__ == ["backoff_rs: gave up after 1 attempt in 0.000 s: permanent"]


def test_an_outer_loop_that_does_not_retry_keeps_the_note_of_the_inner_one(form, time):
    def inner():
        return run(
            form, loops.Script(*[ConnectionError()] * 2), policy="constant:base=1s,max_retries=1"
        )

    with pytest.raises(ConnectionError) as raised:
        loops.called(inner, on=KeyError)
    assert raised.value.__notes__ == [
        "backoff_rs: gave up after 2 attempts in 1.000 s: max_retries"
    ]
    with pytest.raises(ConnectionError) as raised:
        loops.called(inner, on=ConnectionError, max_retries=0)
    assert raised.value.__notes__ == ["backoff_rs: gave up after 1 attempt in 1.000 s: max_retries"]


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


def test_reraise_false_raises_a_retry_error(any_form, time):
    with pytest.raises(RetryError) as raised:
        run(any_form, loops.Script(*[RESET] * 9), reraise=False)
    error = raised.value
    assert (error.reason, error.attempts, error.error) == ("max_retries", 6, RESET)
    assert error.__cause__ is RESET
    assert str(error).endswith("s: max_retries: ConnectionResetError('reset')")


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


def test_an_interruption_is_not_marked():
    message = "permanent takes an Exception: no loop repeats a call after KeyboardInterrupt"
    with pytest.raises(TypeError, match=message):
        permanent(KeyboardInterrupt())
