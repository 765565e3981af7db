"""How the HTTP example ends. `cargo xtask test python` compares its delays with the core."""

import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[1] / "examples/http_httpx.py"


class Fails(BaseHTTPRequestHandler):
    """Answers with the status that the path names."""

    def do_GET(self):
        self.send_error(int(self.path[1:]))

    def log_message(self, *_):
        """Nothing."""


@pytest.fixture(scope="module")
def url():
    with HTTPServer(("127.0.0.1", 0), Fails) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("status", "policy", "code", "retries", "message"),
    [
        (503, "full:base=1ms,max_retries=2", 1, 2, "gave up after 3 attempts: max_retries: "),
        (404, "default", 1, 0, "gave up after 1 attempts: permanent: "),
        ("", "ful", 2, 0, 'unknown name "ful"'),
    ],
)
def test_the_example(url, status, policy, code, retries, message):
    command = [sys.executable, EXAMPLE, f"{url}{status}", policy, "42", "job-1"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout.count("\n")) == (code, retries)
    assert message in done.stderr
    assert str(status) in done.stderr
