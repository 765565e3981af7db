"""What the jobs of both queues do. They write events into a file."""

import json
import os
import time
from pathlib import Path

from backoff_rs import permanent, retry_after

POLICY = "full:base=100ms,max_retries=3,retry_after_max=500ms"


def write(**event):
    with open(os.environ["EVENTS"], "a") as file:
        file.write(json.dumps({**event, "time": time.time()}) + "\n")


def attempt(job_id, retries):
    write(event="attempt", id=job_id, retries=retries)


def fail_as(how):
    """Fails in this way, if both queues know it."""
    if how == "refused":
        raise ConnectionError("refused")
    if how == "wrong":
        raise ValueError("wrong")
    if how == "permanent":
        raise permanent(ConnectionError("no such host"))
    if how.startswith("after "):
        raise retry_after(ValueError("busy"), float(how.split()[1]))


def fail_twice(job_id, retries, hang):
    """The second attempt may hang, the first time."""
    before = Path(os.environ["EVENTS"]).read_text().count("attempt")
    attempt(job_id, retries)
    if hang and before == 1:
        time.sleep(600)
    if retries < 2:
        raise ConnectionError("refused")
