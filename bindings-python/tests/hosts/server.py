"""A server on the loopback interface that fails on purpose."""

import contextlib
import gc
import socket
import struct
import threading
import time


def response(status, headers="", body="", version="1.1"):
    """A response whose connection may be used again."""
    return f"HTTP/{version} {status} Why\r\n{headers}Content-Length: {len(body)}\r\n\r\n{body}".encode()


OK = response(200, body="ready")
BUSY = response(503, body="busy")


def reset(connection):
    """Ends the connection with a reset, at once."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


class Server:
    """Sends each request the next of the replies, and the last one to all that follow.

    A reply is bytes, or a function of the connection, after which it is closed.
    """

    def __init__(self, *replies):
        self._replies = replies
        #: What was asked: the method, the path, the headers and the body of each request.
        self.requests = []
        self.times = []
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/"
        self._connections = set()
        self.accepted = 0
        self.ended = threading.Event()
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def _accept(self):
        threads = []
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                break
            self.accepted += 1
            self._connections.add(connection)
            thread = threading.Thread(target=self._serve, args=(connection,))
            thread.start()
            threads.append(thread)
        for thread in threads:
            thread.join()

    def _serve(self, connection):
        try:
            # The client or the test may end the connection at any time.
            with contextlib.suppress(OSError), connection, connection.makefile("rb") as stream:
                self._answer(connection, stream)
        finally:
            self._connections.discard(connection)

    def _answer(self, connection, stream):
        while request := self._read(stream):
            with self._lock:
                reply = self._replies[min(len(self.requests), len(self._replies) - 1)]
                self.requests.append(request)
                self.times.append(time.monotonic())
            if callable(reply):
                reply(connection)
                return
            connection.sendall(reply)

    @staticmethod
    def _read(stream):
        first = stream.readline().decode().split()
        if len(first) < 2:
            return None
        headers = {}
        while line := stream.readline().decode().strip():
            name, _, value = line.partition(":")
            headers[name.lower()] = value.strip()
        if headers.get("transfer-encoding") == "chunked":
            body = b""
            while size := int(stream.readline(), 16):
                body += stream.read(size)
                stream.readline()
            stream.readline()
        else:
            body = stream.read(int(headers.get("content-length", 0)))
        return first[0], first[1], headers, body

    @property
    def open(self):
        """The connections that neither side has closed."""
        return len(self._connections)

    def wait_until_closed(self):
        end = time.monotonic() + 60
        while self._connections and time.monotonic() < end:
            time.sleep(0.01)
            # Errors of requests refer to their sockets in circles.
            gc.collect()
        assert not self._connections

    def close(self):
        self.ended.set()
        # An accept that waits ends only so.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for connection in list(self._connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._thread.join(30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def hang(self, connection):
        """Answers nothing until the server ends or the client goes."""
        connection.settimeout(0.05)
        while not self.ended.is_set():
            with contextlib.suppress(TimeoutError):
                if not connection.recv(1):
                    return
