"""The server that plays the cases of SPEC 19, and the cases (tests/README.md)."""

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

TESTS = Path(__file__).parents[3] / "tests"
CASES = json.loads((TESTS / "vectors/http_requests.json").read_text("utf-8"))["cases"]
POLICY = "constant:base=1ms,retry_after_max=3ms,max_retries={}"


class Nasty:
    """The server, as a process of its own."""

    def __init__(self):
        command = [sys.executable, TESTS / "nasty_server.py"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._process = subprocess.Popen(command, **pipes)
        self.urls = json.loads(self._process.stdout.readline())

    def url(self, case, name):
        return f"{self.urls[case['target']]}/{case['id']}/{name}"

    def seen(self, case, name):
        """The requests of a run."""
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"{self.urls['http']}/seen/{case['id']}/{name}", timeout=60) as response:
            return [(request["method"], request["body"]) for request in json.load(response)]

    def close(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(60)
