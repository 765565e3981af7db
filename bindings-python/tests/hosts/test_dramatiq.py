"""The middleware, on Dramatiq with Redis."""

import time

import dramatiq
import pytest
from backoff_rs import PolicyError, _log
from backoff_rs.adapters.dramatiq import Retries
from dramatiq.broker import MessageProxy
from dramatiq.brokers.redis import RedisBroker
from dramatiq.brokers.stub import StubBroker
from dramatiq.middleware import AgeLimit, MiddlewareError
from processes import FULL_100MS_NS, UNLIMITED, check_order, told

#: Rounded up to the milliseconds of Dramatiq.
FULL_100MS = [-(-delay // 10**6) for delay in FULL_100MS_NS]


WORKER = ["dramatiq", "dramatiq_jobs", "--processes", "1", "--threads", "1"]


def seconds_of(retry):
    # Dramatiq reads its clock in whole milliseconds.
    return (retry["delay"] - 1) / 1000


def send(jobs, actor, *arguments):
    """From a process without the actors."""
    broker = RedisBroker(url=jobs.environment["BROKER"], middleware=[])
    message = dramatiq.Message("default", actor, arguments, {}, {}, message_id="job-1")
    broker.enqueue(message)
    broker.close()


@pytest.mark.parametrize(
    ("actor", "how", "delays"),
    [
        ("types", "refused", FULL_100MS),
        ("types", "wrong", []),
        ("types", "permanent", []),
        # A server's retry_after is bounded by the policy's.
        ("types", "after 0.3", [300] * 3),
        ("types", "after 7200", [500] * 3),
        ("types", "again", FULL_100MS),
        ("types", "later", [300] * 3),
        ("types", "shutdown", FULL_100MS),
        ("types", "limit", FULL_100MS),
        ("types", "exit", []),
        ("throwing", "thrown", []),
        ("predicate", "wrong", [2]),
        ("predicate", "refused", []),
        # It raises: the message is not lost.
        ("broken", "refused", []),
    ],
)
def test_outcomes(worker, actor, how, delays):
    send(worker, actor, how)
    worker.wait_for(event="dead")
    attempts, retries = worker.all("attempt"), worker.all("retry")
    assert [line["retries"] for line in attempts] == [*range(len(retries) + 1)]
    check_order(attempts, retries, seconds_of)
    assert [line["delay"] for line in retries] == delays


def test_an_exhausted_message_reaches_its_actor(worker):
    send(worker, "predicate", "wrong")
    event = worker.wait_for(event="exhausted", id="job-1")
    assert (event["retries"], event["max_retries"]) == (1, 1)


@pytest.mark.parametrize(
    ("seconds_ago", "delays"),
    # The second wait of 4 s would end 10 s after the message was sent, or later.
    [(3, [4000]), (7, []), (-60, [4000, 4000])],
)
def test_max_elapsed_counts_from_the_time_at_which_the_message_was_sent(
    monkeypatch, seconds_ago, delays
):
    """A worker whose clock is early counts from its own time."""
    now_ns = 1_700_000_000 * 10**9
    monkeypatch.setattr(time, "time_ns", lambda: now_ns)
    retries = Retries("constant:base=4s,max_elapsed=10s,max_retries=2", on=OSError)
    broker = StubBroker(middleware=[retries])
    actor = dramatiq.actor(broker=broker)(print)
    message = actor.message()
    sent_ms = now_ns // 10**6 - seconds_ago * 1000
    proxy = MessageProxy(message.copy(message_timestamp=sent_ms))
    waited = []
    broker.enqueue = lambda again, delay: waited.append((delay, again.message_timestamp))
    while not proxy.failed and len(waited) < 5:
        before = len(waited)
        retries.after_process_message(broker, proxy, exception=OSError())
        if len(waited) > before:
            now_ns += waited[-1][0] * 10**6
    assert waited == [(delay, sent_ms) for delay in delays]


def test_a_message_that_cannot_be_enqueued_again_is_dead_and_not_done():
    retries = Retries("constant:base=0s,max_retries=2", on=OSError)
    broker = StubBroker(middleware=[retries])
    actor = dramatiq.actor(broker=broker)(print)
    proxy = MessageProxy(actor.message())

    def enqueue(again, delay):
        raise ConnectionError("the server is gone")

    broker.enqueue = enqueue
    with pytest.raises(ConnectionError, match="gone"):
        retries.after_process_message(broker, proxy, exception=OSError())
    assert proxy.failed


@pytest.mark.parametrize(
    ("policy", "max_age", "actor_options", "message_options", "is_told"),
    [
        ("constant:base=1ms", None, {}, {}, True),
        ("constant:base=1ms,max_retries=1", None, {}, {}, False),
        ("constant:base=1ms,max_elapsed=1h", None, {}, {}, False),
        ("constant:base=1ms,max_retries=1", None, {"policy": "constant:base=1ms"}, {}, True),
        ("constant:base=1ms", None, {"policy": "constant:base=1ms,max_retries=1"}, {}, False),
        ("constant:base=1ms", None, {}, {"max_age": 3_600_000}, False),
        ("constant:base=1ms", None, {"max_age": 3_600_000}, {}, False),
        ("constant:base=1ms", 3_600_000, {}, {}, False),
        ("constant:base=1ms", 3_600_000, {"max_age": None}, {}, True),
    ],
)
@pytest.mark.parametrize("error", [OSError, dramatiq.Retry])
def test_a_policy_without_a_limit_says_so_once(
    monkeypatch, caplog, policy, max_age, actor_options, message_options, is_told, error
):
    """Dramatiq limits the age of a message, too."""
    monkeypatch.setattr(_log, "_told", set())
    retries = Retries(policy, on=OSError)
    broker = StubBroker(middleware=[AgeLimit(max_age=max_age), retries])
    actor = dramatiq.actor(broker=broker, **actor_options)(print)
    message = MessageProxy(actor.message_with_options(**message_options))
    for failure in (ValueError(), error(), error()):
        retries.after_process_message(broker, MessageProxy(message.copy()), exception=failure)
    assert told(caplog) == [UNLIMITED] * is_told


def test_a_success_is_done(worker):
    send(worker, "types", "fine")
    worker.wait_for(event="done", id="job-1")
    # The actor of an exhausted message may still be at work.
    events = [line["event"] for line in worker.lines() if line["id"] == "job-1"]
    assert [event for event in events if event != "exhausted"] == ["attempt", "done"]


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
        ({"on": KeyboardInterrupt}, TypeError, "never retried"),
        ({"seed": -1}, PolicyError, "seed -1 is below 0"),
    ],
)
def test_invalid_options(options, error, message):
    with pytest.raises(error, match=message):
        Retries(**{"on": (), **options})
    broker = StubBroker(middleware=[Retries(on=())])
    with pytest.raises(MiddlewareError, match=message) as raised:
        dramatiq.actor(broker=broker, **options)(print)
    assert isinstance(raised.value.__cause__, error)


def test_the_limit_is_part_of_the_policy():
    with pytest.raises(TypeError, match=r'policy: write Retries\("default:max_retries=5"\)$'):
        Retries(on=(), max_retries=3)


def test_options_that_the_policy_replaces_are_unknown():
    broker = StubBroker(middleware=[Retries(on=())])
    for option in ("max_retries", "min_backoff", "max_backoff", "retry_when"):
        with pytest.raises(ValueError, match=option):
            dramatiq.actor(broker=broker, **{option: 1})(print)


def test_two_retries_are_rejected():
    broker = StubBroker(middleware=[dramatiq.middleware.Retries(), Retries(on=())])
    with pytest.raises(MiddlewareError, match="the broker has two Retries"):
        dramatiq.actor(broker=broker)(print)


def start(jobs, hang):
    worker = jobs.run(*WORKER)
    send(jobs, "slow", hang)
    return worker


def check_all_delays(jobs):
    jobs.wait_for(event="done")
    attempts, retries = jobs.all("attempt"), jobs.all("retry")
    assert {line["retries"] for line in attempts} == {0, 1, 2}
    assert {line["retries"]: line["delay"] for line in retries} == {0: 1000, 1: 1000}
    check_order(attempts, retries, seconds_of)


@pytest.mark.parametrize("hang", [False, True])
def test_a_killed_worker_loses_nothing(jobs, hang):
    """Killed while the message waits, and while it is processed."""
    worker = start(jobs, hang)
    if hang:
        jobs.wait_for(event="attempt", retries=1)
    else:
        jobs.wait_for(event="retry", retries=0)
    jobs.kill(worker)
    jobs.run(*WORKER)
    check_all_delays(jobs)


def test_a_restart_of_the_server_loses_nothing(jobs, redis):
    """A worker of Dramatiq keeps what it had when it lost the server, until it is started again."""
    worker = start(jobs, False)
    # Before that Dramatiq has lost a message whose server is gone.
    jobs.wait_for(event="enqueued")
    redis.tell("kill")
    redis.tell("start")
    jobs.kill(worker)
    jobs.run(*WORKER)
    check_all_delays(jobs)
