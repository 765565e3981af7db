"""The delays that Dramatiq schedules for one job: dramatiq_job.py REDIS POLICY SEED JOB FAILURES.

It prints a JSON line with them, in milliseconds. The job fails so often and then succeeds, unless
the policy ends it before.
"""

import json
import logging
import sys
import threading
import uuid

import dramatiq
from backoff_rs.adapters.dramatiq import Retries
from dramatiq.brokers.redis import RedisBroker
from dramatiq.middleware import CurrentMessage, Middleware

url, policy, seed, job, failures = sys.argv[1:]
delays = []
ended = threading.Event()


class Note(Middleware):
    def before_enqueue(self, broker, message, delay):
        if delay is not None:
            delays.append(delay)

    def after_nack(self, broker, message):
        ended.set()

    def after_process_message(self, broker, message, *, result=None, exception=None):
        if exception is None:
            ended.set()


retries = Retries(policy, on=ConnectionError, seed=int(seed))
broker = RedisBroker(url=url, middleware=[CurrentMessage(), retries, Note()])
logging.disable()


@dramatiq.actor(broker=broker, queue_name=f"queue-{uuid.uuid4()}")
def act():
    if CurrentMessage.get_current_message().options.get("retries", 0) < int(failures):
        raise ConnectionError("busy")


worker = dramatiq.Worker(broker, worker_timeout=50, worker_threads=1)
worker.start()
broker.enqueue(dramatiq.Message(act.queue_name, act.actor_name, (), {}, {}, message_id=job))
ended.wait()
worker.stop()
print(json.dumps({"delays": delays}))
