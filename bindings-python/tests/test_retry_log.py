"""The default log of a loop."""

import json
import logging
import sys

import loops
import pytest
import structlog
from backoff_rs import Policy, RetryError, _log, retrying
from backoff_rs.testing import fake_time

RESET = ConnectionResetError("reset")
OPTIONS = {"policy": "constant:base=2s,max_retries=1", "on": OSError, "name": "job"}


pytestmark = pytest.mark.usefixtures("time")


@pytest.fixture
def configured():
    """structlog as an application configures it."""
    structlog.configure()
    yield
    structlog.reset_defaults()


#: The fields of the second attempt, which is the last.
GAVE_UP = {
    "attempts": 2,
    "outcome": "transient",
    "reason": "max_retries",
    "delay": 0.0,
    "elapsed": 2.0,
    "error": "ConnectionResetError('reset')",
}


def test_logging(caplog):
    with pytest.raises(ConnectionResetError):
        loops.called(loops.Script(RESET, RESET), **OPTIONS)
    about = "job: attempt {}: transient, ConnectionResetError('reset'): {}".format
    assert caplog.record_tuples == [
        ("backoff_rs", logging.WARNING, about(1, "waiting 2.000 s")),
        (
            "backoff_rs",
            logging.WARNING,
            about(2, "gave up after 2 attempts in 2.000 s: max_retries"),
        ),
    ]
    fields = {
        key.removeprefix("backoff_"): value
        for key, value in vars(caplog.records[1]).items()
        if key.startswith("backoff_")
    }
    assert fields == {"name": "job", **GAVE_UP}


@pytest.mark.parametrize(
    ("levels", "expected"),
    [(("info", "error"), [20, 40]), ((10, "critical"), [10, 50]), (None, [30, 30])],
)
def test_levels(caplog, configured, levels, expected):
    structlog.reset_defaults()
    caplog.set_level(logging.DEBUG)
    with pytest.raises(ConnectionResetError):
        loops.called(loops.Script(RESET, RESET), log_levels=levels, **OPTIONS)
    assert [record.levelno for record in caplog.records] == expected
    structlog.configure()
    with structlog.testing.capture_logs() as logged, pytest.raises(ConnectionResetError):
        loops.called(loops.Script(RESET, RESET), log_levels=levels, **OPTIONS)
    names = [logging.getLevelName(level).lower() for level in expected]
    assert [event["log_level"] for event in logged] == names


def test_a_result_is_not_logged(caplog):
    caplog.set_level(logging.INFO)
    loops.called(
        loops.Script("secret", "ready"), **{**OPTIONS, "on_result": lambda value: value == "secret"}
    )
    assert [record.message for record in caplog.records] == [
        "job: attempt 1: transient: waiting 2.000 s"
    ]


def test_a_repeated_result_is_information(caplog):
    """Polling expects it, but not to give up."""
    caplog.set_level(logging.INFO)
    with pytest.raises(RetryError):
        loops.called(loops.Script("no", "no"), **{**OPTIONS, "on_result": lambda value: True})
    assert [record.levelno for record in caplog.records] == [logging.INFO, logging.WARNING]


@pytest.fixture
def nobody_was_told(monkeypatch):
    """What is said once was not said yet."""
    monkeypatch.setattr(_log, "_told", set())


@pytest.mark.usefixtures("nobody_was_told")
def test_a_loop_without_a_limit_says_so_once(caplog):
    for policy in ["full:base=200ms", "immediate", "default"]:
        options = {**OPTIONS, "policy": policy}
        loops.called(loops.Script(RESET, RESET, 1), **options, log=False)
        loops.called(loops.Script(RESET, 1), **options, deadline_ns=2**64 - 1)
        loops.called(loops.Script(RESET, RESET, 1), **options)
    (warned,) = [record for record in caplog.records if "for ever" in record.message]
    assert (warned.name, warned.levelno, warned.message) == (
        "backoff_rs",
        logging.WARNING,
        'backoff: the policy "full:base=200ms" has no limit, so the loop retries for ever; '
        "add max_retries=3 (or write default:base=200ms to change only the base)",
    )


@pytest.mark.usefixtures("nobody_was_told")
@pytest.mark.parametrize("limit", ["max_retries=5", "max_elapsed=1h"])
def test_a_loop_with_one_limit_says_nothing(caplog, limit):
    loops.called(loops.Script(RESET, 1), **{**OPTIONS, "policy": f"full:base=200ms,{limit}"})
    assert "for ever" not in caplog.text


@pytest.mark.usefixtures("nobody_was_told")
@pytest.mark.parametrize(
    ("policy", "shown", "instead"),
    [
        ("immediate", "immediate", "off for no retries"),
        (Policy.parse("immediate"), "constant:base=0s", "off for no retries"),
        (
            "full:base=1.5s,cap=9s",
            "full:base=1.5s,cap=9s",
            "default:base=1500ms to change only the base",
        ),
    ],
)
def test_the_advice_quotes_the_policy_as_it_was_given(caplog, policy, shown, instead):
    with pytest.raises(KeyError):
        loops.called(loops.Script(RESET, KeyError), **{**OPTIONS, "policy": policy})
    assert caplog.records[-1].message == (
        f'backoff: the policy "{shown}" has no limit, so the loop retries for ever; '
        f"add max_retries=3 (or write {instead})"
    )


@pytest.mark.usefixtures("nobody_was_told")
def test_the_advice_quotes_the_policy_of_fake_time(caplog):
    with fake_time(policy="full:base=3s"), pytest.raises(KeyError):
        loops.called(loops.Script(RESET, KeyError), **{**OPTIONS, "policy": "full:base=1s"})
    assert '"exponential:base=3s,jitter=full" has no limit' in caplog.text


@pytest.mark.parametrize("result", [KeyError, KeyboardInterrupt])
def test_successes_and_failures_that_are_not_retried_are_not_logged(caplog, result):
    assert loops.called(loops.Script("done"), **OPTIONS) == "done"
    with pytest.raises(result):
        loops.called(loops.Script(result), **OPTIONS)
    assert caplog.records == []


def test_structlog_without_configuration_is_ignored(caplog, capsys):
    assert not structlog.is_configured()
    loops.called(loops.Script(RESET, 1), **OPTIONS)
    assert (len(caplog.records), capsys.readouterr().out) == (1, "")


class Empty(ConnectionError):
    """An exception that is false as a condition, and whose repr fails."""

    def __len__(self):
        return 0

    def __repr__(self):
        raise RuntimeError("no repr")


def test_an_error_that_is_false_and_has_no_repr(caplog):
    assert loops.called(loops.Script(Empty(), "done"), **OPTIONS) == "done"
    (record,) = caplog.records
    assert record.message == (
        "job: attempt 1: transient, <test_retry_log.Empty, whose repr failed>: waiting 2.000 s"
    )
    assert record.backoff_error == "<test_retry_log.Empty, whose repr failed>"


def test_no_repr_is_made_if_the_logger_is_off():
    asked = []

    class Asked(ConnectionError):
        def __repr__(self):
            asked.append(1)
            return "Asked()"

    logger = logging.getLogger("quiet")
    logger.setLevel(logging.CRITICAL)
    loops.called(loops.Script(Asked(), "done"), **OPTIONS, log=logger)
    assert asked == []


@pytest.mark.usefixtures("configured")
def test_structlog():
    with structlog.testing.capture_logs() as logs, pytest.raises(ConnectionResetError):
        loops.called(loops.Script(RESET, RESET), **OPTIONS)
    waiting = {"attempts": 1, "reason": None, "delay": 2.0, "elapsed": 0.0}
    assert logs == [
        {"event": "retry", "log_level": "warning", "loop": "job", **GAVE_UP, **waiting},
        {"event": "gave up", "log_level": "warning", "loop": "job", **GAVE_UP},
    ]


@pytest.mark.parametrize("wrapper", ["structlog", "structlog.stdlib"])
def test_any_logger_of_structlog(configured, wrapper, capsys):
    """The first has no method log()."""
    structlog.configure(
        wrapper_class=sys.modules[wrapper].BoundLogger,
        processors=[lambda logger, method, event: f"{method}: {event['event']}"],
    )
    with pytest.raises(ConnectionResetError):
        loops.called(loops.Script(RESET, RESET), **OPTIONS)
    assert capsys.readouterr() == ("warning: retry\nwarning: gave up\n", "")


def raises(*_):
    raise RuntimeError("the log is broken")


@pytest.fixture(params=["a filter", "a processor", "an asynchronous logger"])
def broken(request, configured):
    """A log that fails."""
    if request.param == "a filter":
        structlog.reset_defaults()
        logging.getLogger("backoff_rs").addFilter(raises)
    elif request.param == "a processor":
        structlog.configure(processors=[raises])
    else:
        structlog.configure(wrapper_class=structlog.stdlib.AsyncBoundLogger)
    yield
    logging.getLogger("backoff_rs").removeFilter(raises)


@pytest.mark.parametrize("form", ["called", "asyncio-call"])
@pytest.mark.usefixtures("broken")
def test_a_log_that_fails_changes_nothing(form, time, capsys):
    assert loops.FORMS[form](loops.Script(RESET, "done"), **OPTIONS) == "done"
    assert time.slept == [2.0]
    assert capsys.readouterr().err.count("in _try_to_log") == 1
    with pytest.raises(ConnectionResetError):
        loops.FORMS[form](loops.Script(RESET, RESET), **OPTIONS)
    assert capsys.readouterr().err.count("in _try_to_log") == 2


@pytest.mark.usefixtures("configured")
def test_a_logger_of_the_caller(caplog):
    logger = logging.getLogger("mine")
    loops.called(loops.Script(RESET, 1), **OPTIONS, log=logger)
    assert [record.name for record in caplog.records] == ["mine"]


def test_an_adapter_of_the_caller(caplog):
    log = logging.LoggerAdapter(logging.getLogger("mine"), {"request": "r1"})
    loops.called(loops.Script(RESET, 1), **OPTIONS, log=log)
    assert [(record.name, record.request) for record in caplog.records] == [("mine", "r1")]


def test_a_bound_logger_of_structlog(caplog):
    log = structlog.wrap_logger(None, processors=[structlog.testing.LogCapture()])
    logs = log.bind(request="r1")._processors[0].entries
    loops.called(loops.Script(RESET, 1), **OPTIONS, log=log.bind(request="r1"))
    assert [(entry["request"], entry["loop"]) for entry in logs] == [("r1", "job")]
    assert caplog.records == []


@pytest.mark.usefixtures("configured")
def test_log_false(caplog):
    with structlog.testing.capture_logs() as logs, pytest.raises(ConnectionResetError):
        retrying(**OPTIONS, log=False).call(loops.Script(RESET, RESET))
    assert (logs, caplog.records) == ([], [])


def test_an_event_in_json_has_no_value(capsys):
    """A value may be large, or a secret."""
    log = structlog.wrap_logger(
        structlog.PrintLogger(), processors=[structlog.processors.JSONRenderer()]
    )
    hooks = {"on_stop": lambda event: log.info("ended", retry=event), "log": False}
    loops.called(loops.Script("secret"), **OPTIONS, **hooks)
    with pytest.raises(ConnectionResetError):
        loops.called(loops.Script(RESET, RESET), **OPTIONS, **hooks)
    success, gave_up = map(json.loads, capsys.readouterr().out.splitlines())
    ended = {
        "attempts": 1,
        "outcome": "success",
        "reason": "success",
        "elapsed": 0.0,
        "error": None,
    }
    assert success["retry"] == {"name": "job", **GAVE_UP, **ended}
    assert gave_up["retry"] == {"name": "job", **GAVE_UP}
