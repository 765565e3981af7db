"""Runs the examples, plain and under the sanitizers, against servers that fail as a script says.

Usage: examples.py BUILD_FOLDER
"""

import dataclasses
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

POLICY = "full:base=100ms,cap=20s,max_retries=4,retry_after_max=5s"

# The time for which a client may hold a connection that gets no answer, in seconds.
PATIENCE = 30


def response(status: int, body: str = "", fields: str = "") -> bytes:
    head = f"HTTP/1.1 {status} Scripted\r\n{fields}Content-Length: {len(body)}\r\n"
    return f"{head}Connection: close\r\n\r\n{body}".encode()


BROKEN = response(500, "broken")
MISSING = response(404)
READY = response(200, "\n ready\r\n")
SILENCE = None
CLOSED = b""

# Every answer of the service that the two polling examples poll.
SERVICE = [CLOSED, b"starting\n", b"busy\n", SILENCE, b"ready\n"]
OUTCOMES = ["transient", "transient", "throttled", "timeout"]


@dataclasses.dataclass
class Visit:
    arrived: float
    # Taken before the first byte of the answer is sent, so before any client can have it.
    answered: float


class Server:
    """Gives the answers of a script, one per connection, and the last one again and again."""

    def __init__(self, script: list[bytes | None], *, http: bool = False) -> None:
        self.visits: list[Visit] = []
        self.requests: list[tuple[str, str]] = []
        self._script, self._http, self._lock = script, http, threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            client, _ = self._listener.accept()
            threading.Thread(target=self._answer, args=[client], daemon=True).start()

    def _answer(self, client: socket.socket) -> None:
        with client:
            client.settimeout(PATIENCE)
            # A connection that is closed with unread bytes is reset, and the answer lost.
            head = b""
            while self._http and not is_whole(head):
                received = client.recv(4096)
                if not received:
                    return
                head += received
            now = time.monotonic()
            visit = Visit(now, now)
            with self._lock:
                answer = self._script[min(len(self.visits), len(self._script) - 1)]
                self.visits.append(visit)
                method, _, body = head.decode().partition(" ")
                self.requests.append((method, body.partition("\r\n\r\n")[2]))
            try:
                if answer is SILENCE:
                    client.recv(1)
                else:
                    visit.answered = time.monotonic()
                    client.sendall(answer)
            except OSError:
                pass  # a client may go away

    def gaps(self) -> list[float]:
        pairs = zip(self.visits, self.visits[1:], strict=False)
        return [later.arrived - earlier.answered for earlier, later in pairs]


def is_whole(request: bytes) -> bool:
    head, end, body = request.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: *([0-9]+)", head)
    return bool(end) and len(body) >= (int(length[1]) if length else 0)


class Examples:
    def __init__(self, build: Path, prefix: str) -> None:
        self._path = lambda name: str(build / f"{prefix}example-{name}")

    def start(self, name: str, *arguments: str, files: int = 64) -> subprocess.Popen:
        """Starts an example that may open this many files, so that a leak shows."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))  # noqa: E731
        return subprocess.Popen(
            [self._path(name), *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=limit,
        )

    def run(self, name: str, *arguments: str, code: int, files: int = 64) -> str:
        """Runs an example, and returns its output if it ends with the exit code."""
        program = self.start(name, *arguments, files=files)
        output = "".join(program.communicate(timeout=120))
        assert program.returncode == code, f"exit code {program.returncode}\n{output}"
        return output

    def test_delays(self) -> None:
        equal(
            self.run("retry", code=0),
            "attempt 1 failed, wait 11399434 ns\n"
            "attempt 2 failed, wait 83043876 ns\n"
            "attempt 3 failed, wait 229309811 ns\n"
            "attempt 4 failed, wait 83486434 ns\n"
            "done\n",
        )

    def test_decide(self) -> None:
        equal(
            self.run("decide", code=0),
            "attempt 1: timeout, wait 11399434 ns\n"
            "attempt 2: throttled, wait 2000000000 ns\n"
            "attempt 3: stop, success\n",
        )

    def test_loop(self) -> None:
        equal(
            self.run("loop", code=0),
            "attempt 1 failed, wait 11399434 ns\n"
            "attempt 2 failed, wait 83043876 ns\n"
            "success after 3 attempts\n",
        )

    def get(self, url: str, policy: str, code: int) -> str:
        return self.run("http", url, policy, "42", "job-1", code=code)

    def test_http_ends(self) -> None:
        equal(self.get(Server([READY], http=True).url, POLICY, 0), "done after 1 attempts: ready\n")
        equal(
            self.get(Server([MISSING], http=True).url, POLICY, 1),
            "gave up after 1 attempts: permanent: HTTP 404\n",
        )
        equal(
            self.get(Server([BROKEN], http=True).url, "constant:base=1ms,max_retries=1", 1),
            "attempt 1: transient, waiting 1000000 ns\n"
            "gave up after 2 attempts: max_retries: HTTP 500\n",
        )
        with socket.create_server(("127.0.0.1", 0)) as unused:
            port = unused.getsockname()[1]
        output = self.get(f"http://127.0.0.1:{port}/", "constant:base=1ms,max_retries=0", 1)
        # libcurl changed the words of its message in version 8.
        pattern = "gave up after 1 attempts: max_retries: Could(n't| not) connect to server\n"
        assert re.fullmatch(pattern, output), output

    def test_http_cut_in_the_handshake(self) -> None:
        url = Server([CLOSED]).url.replace("http:", "https:")
        output = self.get(url, "constant:base=1ms,max_retries=2", 1)
        # The libcurl of tests/curl has no TLS, so the URL is wrong.
        attempts = 1 if "nsupported protocol" in output else 3
        assert f"gave up after {attempts} attempts: " in output, output

    def test_http_usage(self) -> None:
        url = "http://127.0.0.1:1/"
        for arguments in [
            [url, POLICY, "42"],
            [url, "full:base=1", "42", "job-1"],
            [url, POLICY, "", "job-1"],
            [url, POLICY, "-1", "job-1"],
            [url, POLICY, "1x", "job-1"],
            [url, POLICY, "18446744073709551616", "job-1"],
        ]:
            self.run("http", *arguments, code=2)

    def test_curl(self) -> None:
        """curl_requests.py plays what curl_retry.h does; this is what curl.c does around it."""
        truncated = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"
        server = Server([truncated, BROKEN, response(200, "whole")], http=True)
        arguments = [server.url, "constant:base=1ms", "42", "job-1"]
        equal(
            self.run("curl", "PUT", *arguments, "new", "Content-Type: x/y", code=0),
            f"PUT {server.url}, attempt 1: transient, waiting 1000000 ns\n"
            f"PUT {server.url}, attempt 2: transient, waiting 1000000 ns\n"
            "success after 3 attempts: HTTP 200: whole\n",
        )
        assert server.requests == [("PUT", "new")] * 3, server.requests
        # libcurl would wait for the body that the length announces.
        server = Server([response(200, "not sent").removesuffix(b"not sent")], http=True)
        arguments[0] = server.url
        equal(
            self.run("curl", "HEAD", *arguments, code=0), "success after 1 attempts: HTTP 200: \n"
        )
        arguments[1] = "full:base=1"
        output = self.run("curl", "GET", *arguments, code=2)
        assert output.startswith("policy full:base=1: at 11: base has no unit"), output

    def test_curl_budget(self) -> None:
        """`finagle` keeps a hundred retries for a client that made no requests yet."""
        server = Server([BROKEN], http=True)
        output = self.run("curl", "GET", server.url, "immediate", "42", "job-1", code=1)
        match = re.search(r"\nbudget after ([0-9]+) attempts: HTTP 500: broken\n$", output)
        assert int(match[1]) > 100, output
        assert len(server.requests) == int(match[1]), output

    def test_curl_multi(self) -> None:
        """The second URL does not wait for the first one, whose wait is as long as it says."""
        busy, gone = Server([BROKEN, READY], http=True), Server([MISSING], http=True)
        output = self.run("curl_multi", "constant:base=400ms", busy.url, gone.url, code=1)
        assert sorted(output.splitlines()) == sorted(
            [
                f"{busy.url}, attempt 1: transient, waiting 400000000 ns",
                f"{busy.url}: success after 2 attempts: No error, HTTP 200, 9 bytes",
                f"{gone.url}: permanent after 1 attempts: No error, HTTP 404, 0 bytes",
            ]
        ), output
        assert gone.visits[0].arrived < busy.visits[1].arrived
        assert busy.gaps()[0] >= 0.4, busy.gaps()
        with socket.create_server(("127.0.0.1", 0)) as silent:
            url = f"http://127.0.0.1:{silent.getsockname()[1]}/"
            output = self.run("curl_multi", "off:attempt_timeout=30ms", url, code=1)
        assert output.startswith(f"{url}: max_retries after 1 attempts: Timeout"), output
        self.run("curl_multi", "constant:base=1ms", busy.url, code=0)
        self.run("curl_multi", "constant:base=1", busy.url, code=2)

    def test_curl_options(self) -> None:
        busy, moved = response(503, "busy"), response(303, fields="Location: /moved\r\n")
        server = Server([busy] * 3 + [BROKEN] * 5 + [moved, BROKEN], http=True)
        output = self.run("curl_options", server.url, Path(__file__).as_uri(), code=0)
        equal(
            output,
            "FAILONERROR: max_retries after 3\nNOBODY: max_retries after 3\n"
            "POSTFIELDS: permanent after 1\nCUSTOMREQUEST: permanent after 1\n"
            "FOLLOWLOCATION: permanent after 1\nfile: success after 1\n",
        )
        methods = [method for method, _ in server.requests]
        assert methods == ["GET"] * 3 + ["HEAD"] * 3 + ["POST", "PATCH", "POST", "GET"], methods

    def test_poll(self) -> None:
        server = Server(SERVICE)
        # The three files of every program, a socket, and one to spare.
        polled(self.run("poll", str(server.port), code=0, files=5), "", server)
        output = self.run("poll", str(Server([b"no\n"]).port), code=1)
        equal(output, "attempt 1: stop, permanent\n")
        for arguments in [[], ["0"], ["65536"], ["x"]]:
            self.run("poll", *arguments, code=2)

    def test_event_loop(self) -> None:
        servers = [Server(SERVICE) for _ in range(8)]
        ports = [str(server.port) for server in servers]
        began = time.monotonic()
        # The three files of every program, a pipe, a socket for each service, and some to spare.
        output = self.run("poll_event_loop", *ports, code=0, files=3 + 2 + 8 + 9)
        for server in servers:
            polled(output, f"port {server.port}, ", server)
        # Every service is silent for five seconds. One after another they would take 40.
        assert time.monotonic() - began < 25, output

        output = self.run("poll_event_loop", str(Server([b"no\n"]).port), code=1)
        assert output.endswith("attempt 1: stop, permanent\n"), output
        for argument in ["0", "65536", "x"]:
            self.run("poll_event_loop", argument, code=2)

    def test_interrupt(self) -> None:
        """SIGINT cancels an attempt and a wait at once."""
        silent, starting = Server([SILENCE]), Server([b"starting\n"])
        program = self.start("poll_event_loop", str(silent.port), str(starting.port))
        while not silent.visits or len(starting.visits) < 2:
            time.sleep(0.005)
        interrupted = time.monotonic()
        program.send_signal(signal.SIGINT)
        output = "".join(program.communicate(timeout=60))
        assert program.returncode == 1, f"exit code {program.returncode}\n{output}"
        assert time.monotonic() - interrupted < 3, output
        assert output.count(": cancelled\n") == 2, output


def equal(printed: str, expected: str) -> None:
    assert printed == expected, f"expected\n{expected}printed\n{printed}"


def polled(printed: str, prefix: str, server: Server) -> None:
    """The program printed every outcome of the service, and waited for the printed delays."""
    lines = [line.removeprefix(prefix) for line in printed.splitlines() if line.startswith(prefix)]
    waits = []
    for number, (outcome, line) in enumerate(zip(OUTCOMES, lines, strict=False), start=1):
        match = re.fullmatch(f"attempt {number}: {outcome}, wait ([0-9]+) ns", line)
        assert match, f"attempt {number}, {outcome}:\n{printed}"
        waits.append(int(match[1]))
    assert lines[4:] == ["attempt 5: stop, success"], printed
    gaps = server.gaps()
    assert len(gaps) == len(waits), f"{gaps} for {waits}"
    for gap, wait_ns in zip(gaps, waits, strict=True):
        assert gap >= wait_ns / 1e9, f"{gaps} for {waits}"


def passes(test: tuple[str, str]) -> bool:
    prefix, name = test
    try:
        getattr(Examples(Path(sys.argv[1]), prefix), name)()
    except Exception:
        print(f"FAIL {prefix}{name}\n{traceback.format_exc()}")
        return False
    return True


if __name__ == "__main__":
    names = [name for name in vars(Examples) if name.startswith("test_")]
    tests = [(prefix, name) for prefix in ["", "sanitized-"] for name in names]
    # Most of the time is waiting.
    with ThreadPoolExecutor(len(tests)) as pool:
        results = list(pool.map(passes, tests))
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    sys.exit(results.count(False) > 0)
