"""An application of Celery for the tests. It writes what its tasks and its engine do into a file."""

import json
import os
import time
from pathlib import Path

from backoff_rs import permanent, retry_after
from backoff_rs.adapters.celery import RetryingTask
from celery import Celery, signals

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


def write(**event):
    with open(os.environ["EVENTS"], "a") as file:
        file.write(json.dumps({**event, "time": time.time()}) + "\n")


@signals.task_retry.connect
def on_retry(request, reason, **_):
    write(event="retry", id=request.id, retries=request.retries, countdown=reason.when)


@signals.task_failure.connect
def on_failure(task_id, exception, **_):
    write(event="failure", id=task_id, error=repr(exception))


def fail(task, how):
    request = task.request
    write(event="attempt", id=request.id, retries=request.retries)
    if how == "refused":
        raise ConnectionError("refused")
    if how == "wrong":
        raise ValueError("wrong")
    if how == "permanent":
        raise permanent(ConnectionError("no such host"))
    if how.startswith("after "):
        raise retry_after(ValueError("busy"), float(how.split()[1]))
    if how == "again":
        raise task.retry(exc=ValueError("again"))
    if how == "never":
        raise task.retry(exc=permanent(ValueError("never")))
    if how == "countdown":
        raise task.retry(countdown=0.25, max_retries=1)
    if how == "nameless":
        raise task.retry()


POLICY = "full:base=100ms,max_retries=3,retry_after_max=500ms"


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
    """Fails twice. Its second attempt may hang, the first time."""
    request = self.request
    before = Path(os.environ["EVENTS"]).read_text().count("attempt")
    write(event="attempt", id=request.id, retries=request.retries)
    if hang and before == 1:
        time.sleep(600)
    if request.retries < 2:
        raise ConnectionError("refused")
    write(event="done", id=request.id)
