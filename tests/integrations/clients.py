"""`cargo xtask scenario`: a server on loopback that fails on purpose, and a check of how long its clients waited.

The clients are the HTTP examples of the bindings, all with the same policy, seed and key. The server measures how long each
of them waited: from before it answered until the next request had arrived. Such a gap is never shorter than the wait, on a
machine of any load. How much longer it is says more about the machine than about the client, so no upper bound is checked.
"""

import contextlib
import itertools
import socket
import struct
import subprocess
import sys
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import programs
from reference import operations, streams, strings

POLICY = "steps:waits=100ms/200ms/400ms/800ms/1600ms,jitter=equal,max_retries=9,retry_after_max=5s,attempt_timeout=4s"
SEED, KEY, BODY = 42, "job-1", "ready"
RESET, SILENCE = "a reset", "none in time"
#: The answers that a client gets, in order: a status, a Retry-After in seconds, a body. The last one repeats.
SCRIPT = [(503, 1, "busy"), (429, None, "slower"), RESET, SILENCE, (500, None, "broken")]
SCRIPT += [(200, None, BODY)]
OUTCOMES = {200: "success", 429: "throttled", 500: "transient", 503: "throttled"}
OUTCOMES |= {RESET: "transient", SILENCE: "timeout"}


def steps():
    """What a client makes of each answer: how the table shows it, its outcome, and the delay after it in nanoseconds, or
    None after the last attempt."""
    policy, stream = strings.parse("policy", POLICY), streams.stream(SEED, KEY.encode())
    operation = operations.Operation(policy, stream, 0)
    for answer in SCRIPT:
        status, seconds, _ = (answer, None, None) if isinstance(answer, str) else answer
        after = None if seconds is None else seconds * 10**9
        decision, delay = operation.outcome(OUTCOMES[status], 0, after)
        shown = str(status) if seconds is None else f"{status} with Retry-After"
        yield shown, OUTCOMES[status], delay if decision == "wait" else None


class Server:
    """A server that follows the script for each client on its own, and when their requests arrived and were answered."""

    def __init__(self):
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._lock = threading.Lock()
        #: By the path of a client: when the server had read a request, and a moment before the first byte of the answer
        #: left, so no client can have read it earlier. The same if there is no answer.
        self.log = defaultdict(list)
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, client):
        return f"http://127.0.0.1:{self._socket.getsockname()[1]}/{client}"

    def _accept(self):
        while True:
            threading.Thread(
                target=self._serve, args=self._socket.accept()[:1], daemon=True
            ).start()

    def _serve(self, connection):
        """Answers one request and closes the connection. One that stayed open would be used again, and some HTTP clients
        repeat a request on such a connection by themselves. A client may close it at any time: that is no error."""
        with connection, contextlib.suppress(OSError):
            head = b""
            # All of it: closing a connection with unread input resets it, and the client would lose the answer.
            while not head.endswith(b"\r\n\r\n"):
                if not (more := connection.recv(4096)):
                    return
                head += more
            now = time.monotonic_ns()
            client = head.split(b" ")[1].decode().lstrip("/")
            with self._lock:
                request = [now, now]
                self.log[client].append(request)
                answer = SCRIPT[min(len(self.log[client]), len(SCRIPT)) - 1]
            if answer == SILENCE:
                connection.settimeout(programs.PATIENCE)
                connection.recv(1)
                return
            request[1] = time.monotonic_ns()
            if answer == RESET:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            status, seconds, body = answer
            after = "" if seconds is None else f"Retry-After: {seconds}\r\n"
            connection.sendall(
                f"HTTP/1.1 {status} Scripted\r\n{after}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}".encode()
            )


def gaps_of(requests):
    """The time from each answer to the next request."""
    return [next[0] - request[1] for request, next in itertools.pairwise(requests)]


def expected_lines(steps):
    """What every client prints."""
    lines = [
        f"attempt {number}: {outcome}, waiting {delay} ns\n"
        for number, (_, outcome, delay) in enumerate(steps[:-1], 1)
    ]
    return "".join(lines) + f"done after {len(steps)} attempts: {BODY}\n"


def run(steps, server, name, program):
    """Runs a client to its end. Returns the gaps between its requests, and everything that is wrong with it."""
    call = programs.call(program, server.url(name), POLICY, SEED, KEY)
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    try:
        # A client that takes longer has stopped, or waits in the wrong unit.
        done = subprocess.run(**call, **output, stdin=subprocess.DEVNULL, timeout=programs.PATIENCE)
        ended, printed = done.returncode, done.stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        ended, printed = error, ""
    found = []
    if (ended, printed) != (0, expected_lines(steps)):
        found.append(f"it ended with {ended}, expected\n{expected_lines(steps)}printed\n{printed}")
    return problems(steps, server.log[name], found)


def problems(steps, requests, found=()):
    gaps, found = gaps_of(requests), list(found)
    if len(requests) != len(steps):
        found.append(f"{len(requests)} requests, expected {len(steps)}")
    for retry, ((*_, delay), gap) in enumerate(zip(steps, gaps, strict=False), 1):
        if gap < (delay or 0):
            found.append(f"retry {retry} came {(delay - gap) / 1e6:.3f} ms too early")
    return gaps, found


def table(steps, clients):
    """The delays of the reference, and beside them the gaps of each client."""

    def row(request, answer, delay, gaps):
        return f"{request:<9}{answer:<22}{delay:>12}" + "".join(f"{gap:>12}" for gap in gaps)

    rows = [row("request", "answer", "delay", clients)]
    for place, (answer, outcome, delay) in enumerate(steps[:-1]):
        gaps = [
            f"{gaps[place] / 1e6:.3f}" if place < len(gaps) else "-" for gaps in clients.values()
        ]
        timeout = "  with the limit of the attempt" if outcome == "timeout" else ""
        rows.append(row(place + 1, answer, f"{delay / 1e6:.3f}", gaps) + timeout)
    return f"{POLICY}, seed {SEED}, key {KEY}; in ms\n\n" + "\n".join(rows) + "\n"


def main():
    """Prints how long each client waited, and fails if one disagrees with the reference."""
    plan, server, found = list(steps()), Server(), programs.of("clients")
    print(f"==> {len(found)} clients, one server", file=sys.stderr)
    with ThreadPoolExecutor(len(found)) as pool:
        ran = pool.map(lambda client: run(plan, server, *client), found.items())
        clients = dict(zip(found, ran, strict=True))
    print(table(plan, {name: gaps for name, (gaps, _) in clients.items()}))
    for name, (_, found) in clients.items():
        for problem in found:
            print(f"{name}: {problem}")
    agreed = sum(not found for _, found in clients.values())
    print(f"{agreed} of {len(clients)} agree")
    sys.exit(agreed < len(clients))


if __name__ == "__main__":
    main()
