"""The transports of httpx over HTTP/2, against a server that speaks it without TLS."""

import socket
import threading

import h2.config
import h2.connection
import h2.events
import pytest
from http_clients import AsyncHttpx, Httpx, get
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


@pytest.mark.parametrize("kind", [Httpx, AsyncHttpx])
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
def test_it_repeats_streams(kind, statuses, waits):
    policy = "full:base=100ms,max_retries=3"
    http2 = {"http1": False, "http2": True}
    client = kind(policy=policy, seed=42, key="job-1", inner=http2)
    with Http2Server(*statuses) as server:
        assert client.fetch(get(server.url)) == [(statuses[-1], "ready")]
        assert (server.requests, server.connections) == (len(statuses), 1)
    assert client.response.http_version == "HTTP/2"
    assert client.slept == waits
