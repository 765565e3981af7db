"""A server that fails on purpose: it plays the cases of tests/vectors/http_requests.json (SPEC 19).

It prints a line of JSON with the URL of each target of the cases, and runs until its standard input ends.
A client sends the request of a case to TARGET + "/" + the id of the case + "/" + a name of its own for the run.
GET TARGET + "/seen/" + id + "/" + name answers with a JSON array of the requests of that run that came to the
target "http": the method and the body of each.

The answer to the n-th request of a run is the n-th of the case, and the last one for every later request.
"""

import asyncio
import contextlib
import json
import socket
import ssl
import struct
import sys
import tempfile
from pathlib import Path

VECTORS = Path(__file__).parent / "vectors/http_requests.json"
SHORT_S = 0.05

#: Self-signed, for these tests alone.
PAIR = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgIa83PGkJGDInU6xr
9XLFzgr5vX/ggBAG69qxAWnnh22hRANCAATBfsWZE8WzMPH5jI1RsVmx3JI1/WUy
t+RORsGzz1Bm/H6C2v46LkAEO3jXsRgQ2hcWwlM8R7kdDgm/Lc6rOMYb
-----END PRIVATE KEY-----
-----BEGIN CERTIFICATE-----
MIIBrDCCAVGgAwIBAgIUMevmprYWOXPxHAmcB1WQcOLADQIwCgYIKoZIzj0EAwIw
HDEaMBgGA1UEAwwRdW50cnVzdGVkLmludmFsaWQwIBcNMjYxMTI0MTMxMzA5WhgP
MjEyNjEwMzExMzEzMDlaMBwxGjAYBgNVBAMMEXVudHJ1c3RlZC5pbnZhbGlkMFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEwX7FmRPFszDx+YyNUbFZsdySNf1lMrfk
TkbBs89QZvx+gtr+Oi5ABDt417EYENoXFsJTPEe5HQ4Jvy3OqzjGG6NvMG0wHQYD
VR0OBBYEFCykQzYbJ8PzfdaIuaVcFceLPpHlMB8GA1UdIwQYMBaAFCykQzYbJ8Pz
fdaIuaVcFceLPpHlMA8GA1UdEwEB/wQFMAMBAf8wGgYDVR0RBBMwEYcEfwAAAYIJ
bG9jYWxob3N0MAoGCCqGSM49BAMCA0kAMEYCIQCKaX9as9tY7lrMwPQMwcqM+hU5
5ihezTTSzRG3/I26PgIhAOh77ljkNhfmeMeMO95B4ejT5ebCX790tmOXHwybdWll
-----END CERTIFICATE-----
"""


class Runs:
    """What was asked so far."""

    def __init__(self, cases):
        self.answers = {case["id"]: case["answers"] for case in cases}
        self.seen = {}

    def next(self, path, method, body):
        """The answer to a request."""
        if path.startswith("/seen/"):
            seen = self.seen.get(path.removeprefix("/seen"), [])
            return {
                "status": 200,
                "fields": ["Content-Type: application/json"],
                "body": json.dumps(seen),
            }
        seen = self.seen.setdefault(path, [])
        seen.append({"method": method, "body": body.decode("latin-1")})
        answers = self.answers[path.split("/")[1]]
        return answers[min(len(seen), len(answers)) - 1]


async def read_request(reader):
    """The method, the path and the body of the next request, or None at the end."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    request, *lines = head.split("\r\n")
    fields = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
    }
    method, path, _ = request.split(" ")
    body = b""
    if fields.get("transfer-encoding") == "chunked":
        while size := int((await reader.readline()).split(b";")[0], 16):
            body += await reader.readexactly(size)
            await reader.readexactly(2)
        await reader.readline()
    else:
        body = await reader.readexactly(int(fields.get("content-length", 0)))
    return method, path, body


def reset(writer):
    """Closes a connection with RST."""
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()


async def play(answer, method, reader, writer):
    """Sends an answer. Returns whether the connection may be used again."""
    fault = answer.get("fault")
    body = answer.get("body", "").encode("latin-1")
    length = 1000 if fault in ("cut_body", "hang_body", "drip") else len(body)
    lines = [
        f"HTTP/1.1 {answer.get('status', 200)} Said",
        *answer.get("fields", []),
        f"Content-Length: {length}",
    ]
    head = "\r\n".join([*lines, "", ""]).encode("latin-1")
    if fault == "reset":
        reset(writer)
    elif fault == "garbage":
        writer.write(b"\x00\x01 this is no HTTP\r\n\r\n")
    elif fault == "cut_head":
        writer.write(head[:6])  # some clients take a whole status line for a head
    elif fault == "hang":
        await reader.read()
    elif fault == "cut_body":
        writer.write(head + body)
    elif fault == "hang_body":
        writer.write(head + body)
        await reader.read()
    elif fault == "drip":
        writer.write(head)
        for _ in range(length - 1):
            writer.write(b".")
            await writer.drain()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(reader.read(), SHORT_S)
                break  # the client has gone
    elif fault is None:
        writer.write(head + (b"" if method == "HEAD" else body))
        await writer.drain()
        return True
    return False


async def main():
    runs = Runs(json.loads(VECTORS.read_text(encoding="utf-8"))["cases"])

    async def http(reader, writer):
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while request := await read_request(reader):
                method, path, body = request
                if not await play(runs.next(path, method, body), method, reader, writer):
                    break
        writer.close()

    async def cut(reader, writer):
        await reader.read(1)  # the client has begun its handshake
        writer.close()

    async def never(reader, writer):
        writer.close()

    with tempfile.NamedTemporaryFile("w", suffix=".pem") as pair:
        pair.write(PAIR)
        pair.flush()
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(pair.name)
    asyncio.get_running_loop().set_exception_handler(
        lambda *_: None
    )  # of handshakes that clients refuse
    servers = {
        "http": await asyncio.start_server(http, "127.0.0.1", 0),
        "tls_cut": await asyncio.start_server(cut, "127.0.0.1", 0),
        "tls_untrusted": await asyncio.start_server(never, "127.0.0.1", 0, ssl=tls),
    }
    # Bound, so that nobody else gets the port, but not listening.
    refused = socket.socket()
    refused.bind(("127.0.0.1", 0))
    sockets = {name: server.sockets[0] for name, server in servers.items()} | {"refused": refused}
    ports = {name: connection.getsockname()[1] for name, connection in sockets.items()}
    schemes = {name: "https" if name.startswith("tls") else "http" for name in ports}
    urls = {name: f"{schemes[name]}://127.0.0.1:{port}" for name, port in ports.items()}
    print(json.dumps({**urls, "unknown_host": "http://backoff.invalid"}), flush=True)
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
