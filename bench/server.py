"""The server of the works of HTTP clients: connections that stay open, a body of two bytes.

`/` answers 200. `/busy` answers 503 and 200 in turns, to all together, so that every second request succeeds.
"""

import socket
import threading
from itertools import cycle

#: The answers to a request, by its path.
ANSWERS = {
    b"/": cycle([200]),
    b"/busy": cycle([503, 200]),
}


def answer(status):
    head = f"HTTP/1.1 {status} \r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n"
    return f"{head}ok".encode()


BYTES = {status: answer(status) for status in (200, 503)}


def serve(connection):
    """Answers requests without bodies, one after another."""
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    request = b""
    with connection:
        while received := connection.recv(4096):
            request += received
            if request.endswith(b"\r\n\r\n"):
                path = request.split(b" ", 2)[1]
                connection.sendall(BYTES[next(ANSWERS[path])])
                request = b""


def start():
    """Serves from now on, until the program ends. Returns the address."""
    listener = socket.create_server(("127.0.0.1", 0))

    def accept():
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=[connection], daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


if __name__ == "__main__":
    print(start(), flush=True)
    threading.Event().wait()
