"""The HTTP examples, against a server on the loopback interface that fails on purpose."""

import socket
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
#: The retry_after takes the place of the delay.
POLICY = "equal:base=1ms,max_retries=9,retry_after=exact"


def response(status, headers="", body=""):
    return f"HTTP/1.1 {status} Why\r\n{headers}Content-Length: {len(body)}\r\n\r\n{body}".encode()


SCRIPT = [
    (response(503, "Retry-After: 0\r\n"), "throttled, waiting 0 ns"),
    (response(429), "throttled, waiting"),
    (response(500), "transient, waiting"),
    (response(504), "timeout, waiting"),
    (None, "transient, waiting"),
    (time.sleep, "timeout, waiting"),
    (response(200, body=" ready\n"), None),
]


@contextmanager
def server(responses):
    """The address of a server that sends each connection one of the responses; None resets it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            kept = []
            for reply in responses:
                connection, _ = listener.accept()
                connection.recv(65536)
                if reply is None:
                    linger = b"\1\0\0\0\0\0\0\0"
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                elif reply is time.sleep:
                    kept.append(connection)
                    continue
                else:
                    close = reply.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)
                    connection.sendall(close)
                connection.close()
            for connection in kept:
                connection.close()

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
        thread.join()


def run(example, *arguments):
    command = [sys.executable, EXAMPLES / example, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.fixture(params=["http_httpx.py", "http_requests.py"])
def example(request):
    return request.param


def test_it_retries_failures_that_may_pass(example):
    with server([reply for reply, _ in SCRIPT]) as url:
        done = run(example, url, POLICY, "42", "job-1")
    assert (done.returncode, done.stderr) == (0, "")
    *retries, last = done.stdout.splitlines()
    assert last == "done after 7 attempts: ready"
    for number, (line, (_, expected)) in enumerate(zip(retries, SCRIPT, strict=False), 1):
        assert line.startswith(f"attempt {number}: {expected}")
    assert len(retries) == 6


def test_it_gives_up(example):
    with server([response(503)] * 3) as url:
        done = run(example, url, "full:base=1ms,max_retries=2", "42", "job-1")
    assert (done.returncode, done.stdout.count("\n")) == (1, 2)
    assert done.stderr.startswith("gave up after 3 attempts: max_retries: ")
    assert "503" in done.stderr


def test_it_does_not_retry_a_permanent_failure(example):
    with server([response(404)]) as url:
        done = run(example, url, "default", "42", "job-1")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("gave up after 1 attempts: permanent: ")
    assert "404" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "required: URL, POLICY, SEED, KEY"),
        (["http://127.0.0.1", "ful", "42", "k"], 'unknown name "ful"'),
        (["http://127.0.0.1", "default", "x", "k"], "'x'"),
    ],
)
def test_invalid_arguments(example, arguments, message):
    done = run(example, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
