"""An application of Celery for the tests. It writes what its tasks and its engine do into a file."""

import os

from backoff_rs import permanent
from backoff_rs.adapters.celery import RetryingTask
from celery import Celery, signals
from queue_jobs import POLICY, attempt, fail_as, fail_twice, write

#: The time after which Redis hands out again what a lost worker had, in seconds.
VISIBILITY_TIMEOUT = 3

app = Celery("celery_jobs", broker=os.environ["BROKER"], backend=os.environ["BROKER"])
app.conf.update(
    broker_transport_options={
        "visibility_timeout": VISIBILITY_TIMEOUT,
        "unacked_restore_interval": 1,
        "unacked_restore_throttle": 1,
    },
    broker_connection_retry_on_startup=True,
    result_backend_always_retry=True,
    task_acks_late=True,
    worker_hijack_root_logger=False,
    worker_prefetch_multiplier=1,
)


@signals.task_retry.connect
def on_retry(request, reason, **_):
    write(event="retry", id=request.id, retries=request.retries, countdown=reason.when)


@signals.task_failure.connect
def on_failure(task_id, exception, **_):
    write(event="failure", id=task_id, error=repr(exception))


def fail(task, how):
    request = task.request
    attempt(request.id, request.retries)
    fail_as(how)
    if how == "again":
        raise task.retry(exc=ValueError("again"))
    if how == "never":
        raise task.retry(exc=permanent(ValueError("never")))
    if how == "countdown":
        raise task.retry(countdown=0.25, max_retries=1)
    if how == "nameless":
        raise task.retry()


@app.task(base=RetryingTask, bind=True, policy=POLICY, on=ConnectionError, seed=42)
def types(self, how):
    fail(self, how)


@app.task(
    base=RetryingTask,
    bind=True,
    policy="constant:base=1ms,max_retries=1",
    on=lambda error: "timeout" if isinstance(error, ValueError) else False,
)
def predicate(self, how):
    fail(self, how)


@app.task(base=RetryingTask, policy="constant:base=1ms,max_retries=1", on=ConnectionError)
def unbound(how):
    fail(unbound, how)


class Own(RetryingTask):
    name = "own"
    policy = "constant:base=1ms,max_retries=1"
    on = ConnectionError

    def run(self, how):
        fail(self, how)


app.register_task(Own())


@app.task(base=RetryingTask, bind=True, policy="constant:base=1s,max_retries=5", on=ConnectionError)
def slow(self, hang):
    fail_twice(self.request.id, self.request.retries, hang)
    write(event="done", id=self.request.id)
