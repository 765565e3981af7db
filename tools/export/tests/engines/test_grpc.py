"""gRPC: the formulas of its implementations, and calls of a client over loopback that fail."""

import json
import time
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from backoff import MS, agree, export, exported, policies, ranges, seconds

REST = ",jitter=0.2,retry_after=exact,retry_after_max=none"
GROWTHS = [
    "exponential:base=BASE",
    "exponential:multiplier=1.6,base=BASE",
    "exponential:multiplier=3,base=BASE",
    "constant:base=BASE",
]
POLICIES = list(policies(300, GROWTHS, ["ms", "s"], [""], [REST]))


def in_go(policy, retries):
    """`shouldRetry` in grpc-go, stream.go (4793ad0, 2026-08-21)."""
    for retry in range(retries):
        window = min(policy["initial"] * policy["multiplier"] ** retry, policy["max"])
        yield 0.8 * window, window, 1.2 * window


def in_java_and_cpp(policy, retries):
    """`makeRetryDecision` in grpc-java, RetriableStream.java (5fda0c7, 2026-08-20), and
    `NextAttemptDelay` of the core of C++ and Python, src/core/util/backoff.cc."""
    window = policy["initial"]
    for _ in range(retries):
        yield 0.8 * window, window, 1.2 * window
        window = min(int(window * policy["multiplier"]), policy["max"])


def retry_policy(text):
    policy = json.loads(text)["methodConfig"][0]["retryPolicy"]
    return {
        "attempts": policy["maxAttempts"],
        "initial": seconds(policy["initialBackoff"]),
        "max": seconds(policy["maxBackoff"]),
        "multiplier": policy["backoffMultiplier"],
    }


def test_the_delays_are_those_of_the_implementations():
    count = 0
    for policy in POLICIES:
        text = export("grpc", policy)
        if text is None:
            continue
        config = retry_policy(text)
        ours = ranges(policy)
        assert config["attempts"] == len(ours) + 1
        agree(ours, in_go(config, len(ours)), 1)
        agree(ours, in_java_and_cpp(config, len(ours)), 1)
        count += 1
    assert count > 100, count


class Throttle:
    """`Throttle` of grpc-java, which counts thousandths of a token."""

    def __init__(self, config):
        self.full = self.tokens = config["maxTokens"] * 1000
        self.ratio = int(config["tokenRatio"] * 1000 + 0.5)

    def failed(self):
        self.tokens = max(self.tokens - 1000, 0)
        return self.tokens > self.full // 2

    def succeeded(self):
        self.tokens = min(self.tokens + self.ratio, self.full)


class Server(grpc.GenericRpcHandler):
    """Counts calls, and fails those whose message says so."""

    def __init__(self):
        self.calls = 0

    def service(self, details):
        return grpc.unary_unary_rpc_method_handler(self.call)

    def call(self, message, context):
        self.calls += 1
        if message == b"fail":
            context.abort(grpc.StatusCode.UNAVAILABLE, "on purpose")
        return message


@pytest.fixture(scope="module")
def server():
    server, handler = grpc.server(ThreadPoolExecutor()), Server()
    server.add_generic_rpc_handlers([handler])
    handler.port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield handler
    server.stop(None).wait()


def calls(server, config, messages):
    """How often the server was called for each message, and how long a call took."""
    # Another channel with equal options would share the tokens of retryThrottling.
    options = [("grpc.service_config", config), ("grpc.use_local_subchannel_pool", 1)]
    with grpc.insecure_channel(f"127.0.0.1:{server.port}", options) as channel:
        call = channel.unary_unary("/service/method")
        for message in messages:
            before, begun = server.calls, time.monotonic()
            try:
                call(message, wait_for_ready=True, timeout=60)
            except grpc.RpcError as error:
                if error.details() != "on purpose":
                    raise
            yield server.calls - before, time.monotonic() - begun


@pytest.mark.parametrize("retries", [1, 2, 3, 4])
def test_a_client_makes_the_attempts_and_waits(server, retries):
    policy = f"exponential:base=10ms,multiplier=2,cap=40ms,max_retries={retries}{REST}"
    ((attempts, took),) = calls(server, exported("grpc", policy), [b"fail"])
    assert attempts == retries + 1
    # It counts milliseconds, and rounds down.
    shortest = sum(row[0] - MS for row in ranges(policy)) / 1e9
    assert took > shortest


def test_a_client_throttles_as_the_budget_says(server):
    budget = "throttle:max_tokens=4,ratio=0.5"
    text = exported("grpc", f"constant:base=10ms,max_retries=3{REST}", budget)
    messages = [b"fail", b"fail", b"ok", b"ok", b"ok", b"fail", b"ok", b"fail"]
    throttle, expected = Throttle(json.loads(text)["retryThrottling"]), []
    for message in messages:
        attempts = 1
        while message == b"fail" and throttle.failed() and attempts < 4:
            attempts += 1
        if message == b"ok":
            throttle.succeeded()
        expected.append(attempts)
    assert [attempts for attempts, _ in calls(server, text, messages)] == expected
    assert set(expected) == {1, 2}, expected


def test_a_client_accepts_what_is_exported_and_nothing_worse(server):
    texts = [text for policy in POLICIES[:60] if (text := export("grpc", policy))]
    texts.append(
        exported("grpc", f"constant:base=1h,max_retries=1{REST}", "throttle:max_tokens=1000")
    )
    assert len(texts) > 20
    for text in texts:
        assert [attempts for attempts, _ in calls(server, text, [b"ok"])] == [1]
    wrong = texts[0].replace('"initialBackoff"', '"initial"')
    with pytest.raises(grpc.RpcError, match="initialBackoff"):
        list(calls(server, wrong, [b"ok"]))
