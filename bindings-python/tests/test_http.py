"""How the HTTP examples end. `cargo xtask test python` compares their delays with the core."""

import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def response(status, headers="", body=""):
    return f"HTTP/1.1 {status} Why\r\n{headers}Content-Length: {len(body)}\r\n\r\n{body}".encode()


@contextmanager
def server(responses):
    """The address of a server that sends each connection one of the responses."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            for reply in responses:
                with listener.accept()[0] as connection:
                    connection.recv(65536)
                    connection.sendall(reply.replace(b"\r\n", b"\r\nConnection: close\r\n", 1))

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
