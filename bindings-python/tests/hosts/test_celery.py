"""The base class of tasks, on Celery with Redis."""

import json
import os
import time

import pytest
from backoff_rs import PolicyError, _log
from backoff_rs.adapters.celery import RetryingTask
from celery import Celery
from celery.exceptions import Retry
from processes import FULL_100MS_NS, PATIENCE, UNLIMITED, check_order, told
from redis import Redis

#: As in celery_jobs.py: the time after which Redis hands out again what a lost worker had.
VISIBILITY_TIMEOUT = 3
#: Rounded up to the microseconds of Celery.
FULL_100MS = [-(-delay // 1000) / 10**6 for delay in FULL_100MS_NS]


WORKER = ["celery", "-A", "celery_jobs", "worker", "--pool", "solo", "--loglevel", "INFO"]


def seconds_of(retry):
    return retry["countdown"]


def send(jobs, task, *arguments):
    """From a process without the tasks."""
    with Celery(broker=jobs.environment["BROKER"], set_as_current=False) as app:
        app.send_task(task, arguments, task_id="job-1")


@pytest.fixture
def here(tmp_path, monkeypatch, redis):
    """The module of the tasks, in this process."""
    monkeypatch.setenv("BROKER", redis.url)
    monkeypatch.setenv("EVENTS", str(tmp_path / "here"))
    import celery_jobs

    return celery_jobs


def events_here():
    with open(os.environ["EVENTS"]) as file:
        return [json.loads(line) for line in file]


REFUSED = "ConnectionError('refused')"


@pytest.mark.parametrize(
    ("task", "how", "expected"),
    [
        ("types", "refused", (FULL_100MS, REFUSED)),
        ("types", "wrong", ([], "ValueError('wrong')")),
        ("types", "permanent", ([], "ConnectionError('no such host')")),
        # A server's retry_after is bounded by the policy's.
        ("types", "after 0.3", ([0.3, 0.3, 0.3], "ValueError('busy')")),
        ("types", "after 7200", ([0.5, 0.5, 0.5], "ValueError('busy')")),
        ("types", "again", (FULL_100MS, "ValueError('again')")),
        ("types", "never", ([], "ValueError('never')")),
        ("types", "countdown", ([0.25], "MaxRetriesExceededError")),
        ("types", "nameless", (FULL_100MS, "MaxRetriesExceededError")),
        ("predicate", "wrong", ([0.001], "ValueError('wrong')")),
        ("predicate", "refused", ([], REFUSED)),
        ("unbound", "refused", ([0.001], REFUSED)),
        ("own", "refused", ([0.001], REFUSED)),
    ],
)
def test_outcomes(worker, task, how, expected):
    send(worker, task if task == "own" else f"celery_jobs.{task}", how)
    failure = worker.wait_for(event="failure")
    attempts, retries = worker.all("attempt"), worker.all("retry")
    assert [line["retries"] for line in attempts] == [*range(len(retries) + 1)]
    check_order(attempts, retries, seconds_of)
    error = failure["error"].partition('("')[0]
    assert ([line["countdown"] for line in retries], error) == expected


def test_the_failure_is_the_result(worker):
    with Celery(backend=worker.environment["BROKER"], set_as_current=False) as app:
        send(worker, "celery_jobs.types", "wrong")
        worker.wait_for(event="failure")
        result = app.AsyncResult("job-1")
        with pytest.raises(ValueError, match="wrong"):
            result.get(timeout=PATIENCE)
        assert result.state == "FAILURE"


def test_a_direct_call_is_a_call(here):
    with pytest.raises(ConnectionError):
        here.types("refused")
    with pytest.raises(ValueError, match="again"):
        here.types("again")
    assert [line["event"] for line in events_here()] == ["attempt"] * 2


def test_an_eager_task_is_retried_without_waiting(here):
    result = here.types.apply(("refused",), task_id="job-1")
    assert isinstance(result.result, ConnectionError)
    attempts = [line["retries"] for line in events_here() if line["event"] == "attempt"]
    assert attempts == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"policy": "ful:base=1s"}, PolicyError, 'unknown name "ful"'),
        ({"policy": None}, TypeError, "policy must be a Policy or a policy string, not None"),
        ({"policy": "default:attempt_timeout=2s"}, ValueError, "attempt_timeout 2.0 of the policy"),
        ({"policy": "default:reset_after=2m"}, ValueError, "reset_after 120.0 of the policy"),
        (
            {"policy": "default:elapsed_from=failure"},
            ValueError,
            "elapsed_from failure of the policy",
        ),
        ({"policy": "cenkalti-v4"}, ValueError, "max_elapsed needs the time"),
        ({"on": KeyboardInterrupt}, TypeError, "never retried"),
        ({"seed": -1}, PolicyError, "seed -1 is below 0"),
        ({"polcy": "default"}, TypeError, "polcy is no option of RetryingTask: write policy"),
        ({"retry_backoff": True}, TypeError, "retry_backoff is of Celery's own retries"),
        ({"autoretry_for": (OSError,)}, TypeError, "autoretry_for is of Celery's own retries"),
    ],
)
def test_invalid_options(options, error, message):
    def function():
        """Would be a task."""

    app = Celery("invalid", set_as_current=False)
    with pytest.raises(error, match=message) as raised:
        app.task(base=RetryingTask, lazy=False, name="send", **options)(function)
    assert raised.value.__notes__ == ["in the options of the task send"]


def test_options_of_a_subclass_and_of_the_caller():
    def function():
        """Would be a task."""

    class Wrong(RetryingTask):
        retry_jitter = True

    app = Celery("invalid", set_as_current=False)
    with pytest.raises(TypeError, match="retry_jitter is of Celery's own retries"):
        app.task(base=Wrong, lazy=False, name="send")(function)
    options = {"tenant": "acme", "queue": "mail", "priority": 3, "acks_late": True}
    task = app.task(base=RetryingTask, lazy=False, name="other", **options)(function)
    assert task.tenant == "acme"


@pytest.mark.parametrize("again", [False, True])
@pytest.mark.parametrize(
    ("policy", "options", "request_options", "is_told"),
    [
        ("constant:base=1ms", {}, {}, True),
        ("constant:base=1ms,max_retries=1", {}, {}, False),
        ("constant:base=1ms", {"max_retries": 1}, {}, False),
        ("constant:base=1ms", {}, {"expires": 3600}, False),
    ],
)
def test_a_policy_without_a_limit_says_so_once(
    monkeypatch, caplog, again, policy, options, request_options, is_told
):
    monkeypatch.setattr(_log, "_told", set())

    def function(self):
        if again:
            raise self.retry()
        raise ConnectionError("refused")

    app = Celery("unlimited", broker="memory://", set_as_current=False)
    options = {"base": RetryingTask, "bind": True, "policy": policy, "on": OSError, **options}
    task = app.task(**options)(function)
    task.push_request(id="job-1", called_directly=False, retries=0, **request_options)
    for _ in range(2):
        with pytest.raises(Retry):
            task.run()
    assert told(caplog) == [UNLIMITED] * is_told


def start(jobs, hang):
    worker = jobs.run(*WORKER)
    send(jobs, "celery_jobs.slow", hang)
    return worker


def restart(jobs):
    """Starts a worker, which looks for lost messages at once."""
    time.sleep(VISIBILITY_TIMEOUT + 0.5)
    jobs.run(*WORKER)


def check_all_delays(jobs):
    jobs.wait_for(event="done")
    attempts, retries = jobs.all("attempt"), jobs.all("retry")
    # Celery may run a retry twice, when two workers had it, but never loses it.
    assert {line["retries"] for line in attempts} == {0, 1, 2}
    assert {line["retries"]: line["countdown"] for line in retries} == {0: 1.0, 1: 1.0}
    check_order(attempts, retries, seconds_of)


@pytest.mark.parametrize("hang", [False, True])
def test_a_killed_worker_loses_nothing(jobs, hang):
    """Killed while the job waits, and while it runs."""
    worker = start(jobs, hang)
    if hang:
        jobs.wait_for(event="attempt", retries=1)
    else:
        wait_until_the_worker_holds_the_retry(jobs)
    jobs.kill(worker)
    restart(jobs)
    check_all_delays(jobs)


def wait_until_the_worker_holds_the_retry(jobs):
    """Celery hands a task out first, and then notes in Redis that it did. A worker or a server that
    is killed in between loses it."""
    jobs.wait_for(event="retry", retries=0)
    end = time.monotonic() + PATIENCE
    with Redis.from_url(jobs.environment["BROKER"]) as client:
        while time.monotonic() < end:
            held = [json.loads(text) for text in client.hvals("unacked")]
            if any(message["headers"]["retries"] >= 1 for message, *_ in held):
                return
            time.sleep(0.01)
    pytest.fail("no worker holds the retry")


def test_a_restart_of_the_server_loses_nothing(jobs, redis):
    start(jobs, hang=False)
    wait_until_the_worker_holds_the_retry(jobs)
    redis.tell("kill")
    redis.tell("start")
    restart(jobs)
    check_all_delays(jobs)
