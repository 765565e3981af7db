"""Servers, and the processes of workers."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
#: Long: the tests only ever wait for what happens.
PATIENCE = 60

#: full:base=100ms under seed 42 for the key "job-1": docs/programs.md, and the vectors.
FULL_100MS_NS = [11399434, 83043876, 229309811]
FULL_100MS = [delay / 10**9 for delay in FULL_100MS_NS]


#: The warning about a policy without a limit.
UNLIMITED = (
    'backoff_rs WARNING backoff: the policy "constant:base=1ms" has no limit, so the loop retries '
    "for ever; add max_retries=3 (or write default:base=1ms to change only the base)"
)


def told(caplog):
    """The log of the package."""
    records = [record for record in caplog.records if record.name == "backoff_rs"]
    return [f"{record.name} {record.levelname} {record.message}" for record in records]


def check_order(attempts, retries, seconds_of):
    """No retry began before its delay had passed."""
    for retry in retries:
        before, *_ = [line for line in attempts if line["retries"] == retry["retries"]]
        for after in attempts:
            if after["retries"] == retry["retries"] + 1:
                assert after["time"] >= before["time"] + seconds_of(retry)


class Server:
    """A server of the tests' own, such as "redis"."""

    def __init__(self, name):
        self.name = name
        command = [*json.loads(os.environ["BACKOFF_SERVERS"]), name]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self._process = subprocess.Popen(command, **pipes)
        self.url = json.loads(self._process.stdout.readline())[name]

    @property
    def port(self):
        return int(self.url.split(":")[2].split("/")[0])

    def tell(self, command):
        """Sends "stop", "kill", "start" or "move" and waits until it is done."""
        self._process.stdin.write(f"{command} {self.name}\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "done\n"

    def close(self):
        self._process.communicate(timeout=PATIENCE)
        assert self._process.returncode == 0


class Jobs:
    """Processes that work on the jobs of a queue, and what these have written into a file."""

    def __init__(self, folder, url):
        self.events = folder / "events"
        self.events.touch()
        self.environment = {**os.environ, "BROKER": url, "EVENTS": str(self.events)}
        self._log = folder / "log"
        self._processes = []
        self._known = 0

    def run(self, *arguments):
        """Starts a worker: python -m ARGUMENTS."""
        with self._log.open("a") as log:
            command = [sys.executable, "-m", *arguments]
            process = subprocess.Popen(
                command, cwd=FOLDER, env=self.environment, stdout=log, stderr=log, process_group=0
            )
        self._processes.append(process)
        return process

    def kill(self, process):
        """As when a machine fails."""
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE)

    def close(self):
        for process in self._processes:
            if process.poll() is None:
                self.kill(process)

    def forget(self):
        """Forgets the events so far."""
        self._known = len(self.events.read_text().splitlines())

    def lines(self):
        return [json.loads(line) for line in self.events.read_text().splitlines()[self._known :]]

    def all(self, event):
        return [line for line in self.lines() if line["event"] == event]

    def wait_for(self, **wanted):
        """Waits for an event with these members."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            for line in self.lines():
                if wanted.items() <= line.items():
                    return line
            time.sleep(0.02)
        pytest.fail(f"no {wanted} in {self.lines()}\n{self._log.read_text()[-4000:]}")
