"""The transports of httpx over HTTP/2, against a server that speaks it without TLS."""

import socket
import threading

import anyio
import h2.config
import h2.connection
import h2.events
import httpx
import pytest
from backoff_rs.adapters.httpx import AsyncRetryTransport, RetryTransport
from processes import FULL_100MS


class Http2Server:
    """Answers each request with the next of the statuses; 0 resets its stream."""

    def __init__(self, *statuses):
        self._statuses = iter(statuses)
        self.requests = self.connections = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/"
        self._thread = threading.Thread(target=self._accept)

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            with connection:
                self._serve(connection)

    def _serve(self, connection):
        config = h2.config.H2Configuration(client_side=False)
        protocol = h2.connection.H2Connection(config=config)
        protocol.initiate_connection()
        connection.sendall(protocol.data_to_send())
        while data := connection.recv(65536):
            for event in protocol.receive_data(data):
                if isinstance(event, h2.events.StreamEnded):
                    self._answer(protocol, event.stream_id)
            connection.sendall(protocol.data_to_send())

    def _answer(self, protocol, stream):
        self.requests += 1
        status = next(self._statuses)
        if not status:
            protocol.reset_stream(stream)
            return
        headers = [(":status", str(status)), ("retry-after", "2")]
        protocol.send_headers(stream, headers[: 1 if status != 429 else 2])
        protocol.send_data(stream, b"ready", end_stream=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(30)


def blocking(url, slept, **options):
    transport = httpx.HTTPTransport(http1=False, http2=True)
    retry = RetryTransport(transport=transport, sleep=slept.append, log=False, **options)
    with httpx.Client(transport=retry) as client:
        return client.get(url)


def on_asyncio(url, slept, **options):
    async def sleep(seconds):
        slept.append(seconds)

    async def run():
        transport = httpx.AsyncHTTPTransport(http1=False, http2=True)
        retry = AsyncRetryTransport(transport=transport, sleep=sleep, log=False, **options)
        async with httpx.AsyncClient(transport=retry) as client:
            return await client.get(url)

    return anyio.run(run)


@pytest.mark.parametrize("fetch", [blocking, on_asyncio])
@pytest.mark.parametrize(
    ("statuses", "waits"),
    [
        ([503, 500, 200], FULL_100MS[:2]),
        ([429, 200], [2]),
        ([0, 200], FULL_100MS[:1]),
        ([404], []),
        ([503] * 4, FULL_100MS),
    ],
)
def test_it_repeats_streams(fetch, statuses, waits):
    slept = []
    with Http2Server(*statuses) as server:
        policy = "full:base=100ms,max_retries=3"
        job = {"policy": policy, "seed": 42, "key": "job-1", "clock_ns": lambda: 0}
        response = fetch(server.url, slept, **job)
        assert (server.requests, server.connections) == (len(statuses), 1)
    assert (response.status_code, response.text) == (statuses[-1], "ready")
    assert response.http_version == "HTTP/2"
    assert slept == waits
