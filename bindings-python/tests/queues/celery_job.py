"""The delays that Celery schedules for one job: celery_job.py REDIS POLICY SEED JOB FAILURES.

It prints a JSON line with them, in milliseconds. The job fails so often and then succeeds, unless
the policy ends it before.
"""

import json
import sys
import threading
import uuid

from backoff_rs.adapters.celery import RetryingTask
from celery import Celery, signals
from celery.contrib.testing.worker import start_worker

url, policy, seed, job, failures = sys.argv[1:]
app = Celery("queue", broker=url)
app.conf.task_default_queue = f"queue-{uuid.uuid4()}"
delays = []
ended = threading.Event()


@app.task(base=RetryingTask, bind=True, policy=policy, on=ConnectionError, seed=int(seed))
def act(self):
    if self.request.retries < int(failures):
        raise ConnectionError("busy")


@signals.task_retry.connect
def note(reason, **_):
    # A countdown is whole microseconds.
    delays.append(round(reason.when * 10**6) / 1000)


@signals.task_success.connect
@signals.task_failure.connect
def end(**_):
    ended.set()


with start_worker(app, pool="solo", perform_ping_check=False):
    act.apply_async(task_id=job)
    ended.wait()
print(json.dumps({"delays": delays}))
