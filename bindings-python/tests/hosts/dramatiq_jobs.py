"""A broker of Dramatiq for the tests. It writes what its actors and its engine do into a file."""

import os

import dramatiq
from backoff_rs.adapters.dramatiq import Retries
from dramatiq.brokers.redis import RedisBroker
from dramatiq.middleware import Middleware, TimeLimitExceeded, default_middleware
from queue_jobs import POLICY, attempt, fail_as, fail_twice, write

#: The time after which others get what a lost worker had, in seconds.
HEARTBEAT_TIMEOUT = 2


class Watch(Middleware):
    def before_enqueue(self, broker, message, delay):
        if delay is not None:
            retries = message.options["retries"] - 1
            write(event="retry", id=message.message_id, retries=retries, delay=delay)

    def after_enqueue(self, broker, message, delay):
        if delay is not None:
            write(event="enqueued", id=message.message_id)

    def after_nack(self, broker, message):
        write(event="dead", id=message.message_id)

    def after_process_message(self, broker, message, *, result=None, exception=None):
        if exception is None:
            write(event="done", id=message.message_id)


broker = RedisBroker(
    url=os.environ["BROKER"],
    heartbeat_timeout=HEARTBEAT_TIMEOUT * 1000,
    # With every command.
    maintenance_chance=1_000_000,
    middleware=[
        *(part() for part in default_middleware if part.__name__ not in {"Retries", "Prometheus"}),
        Retries(POLICY, on=ConnectionError, seed=42),
        Watch(),
    ],
)
dramatiq.set_broker(broker)


def current():
    """The id of the message, and its retries."""
    message = dramatiq.middleware.CurrentMessage.get_current_message()
    return message.message_id, message.options.get("retries", 0)


broker.add_middleware(dramatiq.middleware.CurrentMessage())


def fail(how):
    fail_as(how)
    if how == "again":
        raise dramatiq.errors.Retry("again")
    if how == "later":
        raise dramatiq.errors.Retry("later", delay=300)
    if how == "shutdown":
        raise dramatiq.middleware.Shutdown("shutdown")
    if how == "limit":
        raise TimeLimitExceeded
    if how == "exit":
        raise SystemExit("exit")


@dramatiq.actor
def types(how):
    attempt(*current())
    fail(how)


@dramatiq.actor(throws=(ConnectionRefusedError,))
def throwing(how):
    attempt(*current())
    raise ConnectionRefusedError(how)


@dramatiq.actor(
    policy="constant:base=1500us,max_retries=1",
    on=lambda error: "timeout" if isinstance(error, ValueError) else False,
    on_retry_exhausted="exhausted",
)
def predicate(how):
    attempt(*current())
    fail(how)


@dramatiq.actor(on=lambda error: 1 / 0)
def broken(how):
    attempt(*current())
    fail(how)


@dramatiq.actor
def exhausted(message, counts):
    write(event="exhausted", id=message["message_id"], **counts)


@dramatiq.actor(policy="constant:base=1s,max_retries=5")
def slow(hang):
    fail_twice(*current(), hang)
