"""The HTTP adapters of all languages against a server that attacks them (`cargo xtask harden http`).

A client is a program. It reads a request from each line of JSON, sends it by an adapter, and answers with a line: the status
and the body, or an error, and the delays. What is expected comes from SPEC 19 and RFC 9110. Memory and sockets are
counted from outside, in /proc.
"""

import contextlib
import itertools
import json
import os
import queue
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "integrations"))
import programs  # noqa: E402

#: A client that takes longer than this is held by the server. None of the attacks ends by itself sooner.
PATIENCE_S = 60
#: A wait that a client may take, and the longest that a server may ask for.
DELAY_MS, ASKED_MS = 1, 40
MIB = 2**20
#: What an attack may cost. A client has buffers of a few MiB, and a flood is endless.
MEMORY = 96 * MIB
#: Of a body that is drained: 64 KiB, and what the sockets of both sides hold.
SENT = 16 * MIB
SOCKETS = 16
#: What each request may add in Node.js, whose memory outside of its heap grows without our package, too. An unread body, or
#: what belongs to a socket, is more.
NODE_PER_REQUEST = 2048
#: How many requests the server gets from each adapter in the last test.
REQUESTS = int(os.environ.get("BACKOFF_REQUESTS", "1000"))

#: The adapters of each client, and what is known of them:
#: whole    The client reads each body by itself, so an attack in a body lasts until the limit of the attempt.
#: drains   So it is with the body before a retry.
#: steps    The limit of an attempt is one of its steps (SPEC 19.4), which a server may begin again.
#: http2    It speaks HTTP/2.
#: forced   The adapter gives the client delays. It has no hooks and no option read_body.
#: vague    It takes frames that are none of HTTP/2 for an error of the caller, which is permanent.
#: any_method  The client repeats every method.
#: deaf     It raises an error for two lengths without asking for a retry.
#: waits    It never ends after a switch of protocols that nobody asked for (SECURITY.md).
#: locks    A flow-control window that overflows deadlocks the client (SECURITY.md).
ADAPTERS = {
    "python": {
        "httpx": {"steps"},
        "httpx-async": set(),
        "requests": {"steps"},
        "urllib3": {"steps", "forced", "deaf"},
        "aiohttp": set(),
        "httpx-h2": {"steps", "http2", "vague"},
        "httpx-async-h2": {"http2", "vague"},
    },
    "javascript": {
        "fetch": set(),
        "undici": set(),
        "axios": set(),
        "got": {"whole", "waits"},
        "undici-h2": {"http2"},
    },
    "go": {
        "backoffhttp": set(),
        "retryablehttp": {"drains", "forced", "any_method"},
        "backoffhttp-h2": {"http2", "locks"},
    },
    "rust": {"reqwest": set()},
    "c": {"libcurl": {"whole"}},
}

#: Attacks before the head is complete.
HEADS = ["slow_head", "slow_fields", "long_line", "long_field", "many_fields"]
#: Attacks in the body of a failure, which a client reads only to use its connection again.
BODIES = [
    "endless_body",
    "endless_until_close",
    "endless_chunks",
    "endless_tiny_chunks",
    "endless_extension",
]
BODIES += ["endless_chunk_size", "endless_trailers", "slow_body", "slow_chunk"]
BOMBS = ["bomb", "short_bomb", "deflate_bomb", "nested_bomb", "many_codings"]
#: Failures that end at once.
ENDS = [
    "short_zip",
    "cut_body",
    "cut_chunk",
    "cut_gzip",
    "false_gzip",
    "huge_chunk",
    "length_and_chunks",
    "no_status",
    "long_length",
    "cut_head",
    "garbage",
    "close",
    "reset",
]
LENGTHS = ["two_lengths"]
HTTP2 = [
    "reset_internal",
    "reset_refused",
    "reset_calm",
    "reset_in_body",
    "goaway",
    "goaway_calm",
    "no_frame",
    "huge_frame",
]
NO_HTTP2 = ["bad_frame", "bad_field", "push"]
HTTP2_WINDOWS = ["window_overflow"]
#: Attacks of HTTP/2 that only the limit of an attempt ends.
HTTP2_ENDLESS = ["continuations", "silence", "unread_answers"]
#: With these a blocking client begins a new step each time (SPEC 19.4).
HTTP2_STEPS = ["pings", "slow_settings"]

RUNS = itertools.count()


class Client:
    """A program that sends requests."""

    def __init__(self, program):
        self.process = subprocess.Popen(
            **programs.call(program), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.answers = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.answers.put(json.loads(line))

    def end(self):
        self.process.kill()
        self.process.wait()

    def pid(self):
        """That of the client, not of the program that started it."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return int(children.split()[0]) if children else self.process.pid

    def memory(self):
        """The most that it used since the last call."""
        status = Path(f"/proc/{self.pid()}/status").read_text()
        peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        Path(f"/proc/{self.pid()}/clear_refs").write_text("5")
        return int(peak.split()[1]) * 1024

    def sockets(self):
        links = Path(f"/proc/{self.pid()}/fd").iterdir()
        found = 0
        for link in links:
            with contextlib.suppress(OSError):
                found += os.readlink(link).startswith("socket:")
        return found


class Hostile:
    """The server, and the clients."""

    def __init__(self):
        self.found = programs.of("hostile")
        self.clients = {}
        self.server = subprocess.Popen(
            [sys.executable, str(HERE / "server.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.urls = json.loads(self.server.stdout.readline())

    def end(self):
        for client in self.clients.values():
            client.end()
        self.server.stdin.close()
        self.server.wait()

    def restart(self, language):
        self.clients.pop(language).end()

    def client(self, language):
        if language not in self.found:
            pytest.skip("not asked for")
        if language not in self.clients:
            self.clients[language] = Client(self.found[language])
        return self.clients[language]

    def send(
        self,
        language,
        adapter,
        attack,
        *,
        failures=2,
        retries=3,
        timeout_ms=0,
        read_body=False,
        method="GET",
        fields=(),
        times=1,
        upload=0,
        http2=False,
        patience_s=PATIENCE_S,
        delay_ms=DELAY_MS,
    ):
        """Sends a request that meets an attack. Returns how it ended, and what the server saw."""
        client = self.client(language)
        run = f"run-{next(RUNS)}"
        path = f"/{attack}/{failures}/{run}"
        client.process.stdin.write(
            json.dumps(
                {
                    "adapter": adapter,
                    "url": self.urls["http2" if http2 else "http"] + path,
                    "method": method,
                    "fields": dict(fields),
                    "policy": f"constant:base={delay_ms}ms,retry_after_max={ASKED_MS}ms,max_retries={retries}",
                    "timeout_ms": timeout_ms,
                    "read_body": read_body,
                    "times": times,
                    "upload": upload,
                }
            )
            + "\n"
        )
        client.process.stdin.flush()
        try:
            ended = client.answers.get(timeout=patience_s)
        except queue.Empty:
            self.restart(language)
            pytest.fail(f"{attack} holds {adapter}")
        return SimpleNamespace(
            **{"status": None, "body": None, "error": None, **ended}, **self.seen(run)
        )

    def seen(self, run):
        with urllib.request.urlopen(f"{self.urls['http']}/seen/0/{run}") as response:
            return json.load(response)


def adapters(*without, only=None):
    return [
        pytest.param(language, name, id=name)
        for language, known in ADAPTERS.items()
        for name, traits in known.items()
        if not traits & set(without) and ("http2" in traits) == (only == "http2")
    ]


def each(attacks):
    """The adapters of each attack."""
    return [
        pytest.param(*found.values, attack, id=f"{found.id}-{attack}")
        for attack, of in attacks
        for found in of
    ]


@pytest.fixture(scope="module")
def hostile():
    made = Hostile()
    yield made
    made.end()


@contextlib.contextmanager
def bounded(hostile, language, adapter, requests=0):
    """Memory and sockets stay within bounds."""
    # A program that has only just started uses less memory than its first request.
    hostile.send(language, adapter, "busy", failures=0)
    client = hostile.client(language)
    before, open_before = client.memory(), client.sockets()
    yield
    more = NODE_PER_REQUEST * requests if language == "javascript" else 0
    assert client.memory() - before < MEMORY + more
    assert client.sockets() - open_before < SOCKETS


@pytest.mark.parametrize("attack", BODIES + BOMBS)
@pytest.mark.parametrize(("language", "adapter"), adapters("whole"))
def test_a_body_before_a_retry_is_read_only_in_part(hostile, language, adapter, attack):
    timeout_ms = 1000 if "drains" in ADAPTERS[language][adapter] else 0
    with bounded(hostile, language, adapter):
        got = hostile.send(language, adapter, attack, timeout_ms=timeout_ms)
    assert (got.status, got.body, len(got.requests)) == (200, "ok", 3)
    assert got.delays_ms in ([DELAY_MS] * 2, [])
    assert got.sent < SENT


@pytest.mark.parametrize("attack", BODIES)
@pytest.mark.parametrize(("language", "adapter"), adapters("drains", "forced", "steps"))
def test_the_limit_of_an_attempt_ends_a_body_that_is_read(hostile, language, adapter, attack):
    """Its status decides (SPEC 19.7)."""
    got = hostile.send(language, adapter, attack, timeout_ms=500, read_body=True)
    assert (got.status, got.body, len(got.requests)) == (200, "ok", 3)
    # It read what came, which may be much.
    hostile.restart(language)


HEADS_OF = [("informational", adapters("steps")), *((attack, adapters()) for attack in HEADS)]


@pytest.mark.parametrize(("language", "adapter", "attack"), each(HEADS_OF))
def test_the_head_of_a_response_is_bounded_in_time_and_size(hostile, language, adapter, attack):
    with bounded(hostile, language, adapter):
        got = hostile.send(language, adapter, attack, failures=1000, retries=1, timeout_ms=500)
    assert got.error or got.status == 503
    # An answer that is no HTTP is transient, and other errors are permanent (SPEC 19.3).
    assert len(got.requests) in ({2} if "slow" in attack else {1, 2})


ENDS_OF = [(attack, adapters()) for attack in ENDS]
ENDS_OF += [(attack, adapters("deaf")) for attack in LENGTHS]


@pytest.mark.parametrize("read_body", [False, True])
@pytest.mark.parametrize(("language", "adapter", "attack"), each(ENDS_OF))
def test_what_is_cut_off_or_broken_is_asked_for_again(
    hostile, language, adapter, attack, read_body
):
    """With read_body the status decides (SPEC 19.7)."""
    got = hostile.send(language, adapter, attack, read_body=read_body)
    assert (got.status, got.body) == (200, "ok")
    assert len(got.requests) >= 2


@pytest.mark.parametrize("attack", ["reset_in_upload", "busy_in_upload"])
@pytest.mark.parametrize(("language", "adapter"), adapters())
def test_an_answer_before_a_body_was_sent_is_no_reason_to_give_up(
    hostile, language, adapter, attack
):
    got = hostile.send(language, adapter, attack, method="PUT", upload=20 * MIB)
    assert (got.status, got.body, len(got.requests)) == (200, "ok", 3)


@pytest.mark.parametrize(("language", "adapter"), adapters("waits"))
def test_a_switch_that_nobody_asked_for_holds_no_client(hostile, language, adapter):
    got = hostile.send(language, adapter, "switching", timeout_ms=500)
    assert got.error or got.status in {101, 200}


@pytest.mark.parametrize("attack", ["close", "reset", "garbage", "cut_head", "cut_body", "busy"])
@pytest.mark.parametrize(("language", "adapter"), adapters("any_method"))
def test_no_server_gets_a_post_twice(hostile, language, adapter, attack):
    got = hostile.send(language, adapter, attack, method="POST", fields=[("Content-Length", "0")])
    assert [request["method"] for request in got.requests] == ["POST"]


@pytest.mark.parametrize(("language", "adapter"), adapters())
def test_credentials_do_not_follow_a_retry_to_another_host(hostile, language, adapter):
    secrets = [("Authorization", "Bearer secret"), ("Cookie", "session=secret")]
    got = hostile.send(language, adapter, "redirect", failures=3, fields=secrets)
    assert (got.status, got.body) == (200, "ok")
    elsewhere = [request["secrets"] for request in got.requests if request["host"] == "other"]
    assert elsewhere in ([[], []], [[], [], []])
    ours = [request["secrets"] for request in got.requests if request["host"] == "http"]
    assert ours in ([["authorization", "cookie"]], [["authorization", "cookie"]] * 2)


@pytest.mark.parametrize("attack", ["redirect_loop", "redirect_to_file"])
@pytest.mark.parametrize(("language", "adapter"), adapters())
def test_redirects_that_lead_nowhere_are_no_reason_for_retries(hostile, language, adapter, attack):
    got = hostile.send(language, adapter, attack)
    assert got.error or got.status == 302
    assert not got.body
    assert len(got.requests) < 60


@pytest.mark.parametrize(("language", "adapter"), adapters())
def test_no_server_chooses_a_wait_beyond_the_limit(hostile, language, adapter):
    for ask in range(hostile.urls["asks"]):
        got = hostile.send(language, adapter, f"ask-{ask}", failures=1, timeout_ms=10_000)
        assert (got.status, got.body) == (200, "ok"), ask
        assert len(got.delays_ms) <= 1, ask
        assert all(DELAY_MS <= delay <= ASKED_MS for delay in got.delays_ms), ask


ENDS2_OF = [(attack, adapters(only="http2")) for attack in HTTP2]
ENDS2_OF += [(attack, adapters("vague", only="http2")) for attack in NO_HTTP2]
ENDS2_OF += [(attack, adapters("locks", only="http2")) for attack in HTTP2_WINDOWS]


@pytest.mark.parametrize(("language", "adapter", "attack"), each(ENDS2_OF))
def test_a_connection_of_http2_that_ends_is_opened_again(hostile, language, adapter, attack):
    with bounded(hostile, language, adapter):
        # A client may meet the end of a connection twice: as it reads, and as it sends the next request.
        got = hostile.send(language, adapter, attack, http2=True, timeout_ms=10_000, retries=6)
    assert (got.status, got.body) == (200, "ok")


@pytest.mark.parametrize("attack", ["reset_internal", "reset_refused", "reset_in_body"])
@pytest.mark.parametrize(("language", "adapter"), adapters(only="http2"))
def test_a_stream_that_ends_before_a_body_was_sent_is_opened_again(
    hostile, language, adapter, attack
):
    with bounded(hostile, language, adapter):
        got = hostile.send(
            *(language, adapter, attack), method="PUT", upload=60_000, http2=True, retries=6
        )
    assert (got.status, got.body) == (200, "ok")


SLOW2_OF = [(attack, adapters("steps", only="http2")) for attack in HTTP2_STEPS]
SLOW2_OF += [(attack, adapters(only="http2")) for attack in HTTP2_ENDLESS]


@pytest.mark.parametrize(("language", "adapter", "attack"), each(SLOW2_OF))
def test_http2_that_never_answers_is_bounded(hostile, language, adapter, attack):
    with bounded(hostile, language, adapter):
        got = hostile.send(
            language, adapter, attack, failures=1000, retries=1, timeout_ms=500, http2=True
        )
    assert got.error
    assert len(got.requests) <= 2


@pytest.mark.parametrize(("language", "adapter"), adapters(only="http2"))
def test_a_head_of_http2_that_unpacks_to_much_is_bounded(hostile, language, adapter):
    with bounded(hostile, language, adapter):
        got = hostile.send(language, adapter, "field_bomb", http2=True, timeout_ms=10_000)
    assert got.error or got.status in {200, 503}


@pytest.mark.parametrize(("language", "adapter"), adapters(only="http2"))
def test_a_body_of_http2_before_a_retry_is_read_only_in_part(hostile, language, adapter):
    with bounded(hostile, language, adapter):
        got = hostile.send(language, adapter, "empty_data", http2=True, timeout_ms=10_000)
    assert (got.status, got.body, len(got.requests)) == (200, "ok", 3)


@pytest.mark.parametrize("attack", ["reset_internal", "goaway_calm", "reset_in_body"])
@pytest.mark.parametrize(("language", "adapter"), adapters(only="http2"))
def test_no_server_of_http2_gets_a_post_twice(hostile, language, adapter, attack):
    """That may have processed it (RFC 9113, 8.7)."""
    got = hostile.send(language, adapter, attack, http2=True, method="POST", timeout_ms=10_000)
    assert len(got.requests) == 1


@pytest.mark.parametrize(("language", "adapter"), adapters())
def test_memory_and_sockets_stay_bounded(hostile, language, adapter):
    """Each call makes up to 4 requests."""
    hostile.send(language, adapter, "mixed", times=50, timeout_ms=10_000, patience_s=600)
    begin = hostile.seen("none")["total"]
    with bounded(hostile, language, adapter, REQUESTS):
        while hostile.seen("none")["total"] - begin < REQUESTS:
            hostile.send(
                language, adapter, "mixed", times=REQUESTS // 10, timeout_ms=10_000, patience_s=3600
            )
