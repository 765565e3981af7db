"""A server that attacks its clients. Run it, and it prints a line of JSON with its URLs: `http`, `other`, which is another
host, and `http2`. It runs until its standard input ends.

A client asks for URL/ATTACK/FAILURES/RUN. The first FAILURES requests of a RUN, a name of the test's, meet the attack, and
every later one gets status 200 and the body "ok". `seen` in URL/seen/0/RUN shows what came and what was sent.
"""

import asyncio
import contextlib
import gzip
import itertools
import json
import socket
import struct
import sys
import zlib
from collections import defaultdict

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions

BYTE_EVERY_S = 1
FLOOD = bytes(65536)
BUSY = b"HTTP/1.1 503 Busy\r\n"
CHUNKED = BUSY + b"Transfer-Encoding: chunked\r\n\r\n"
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
GIB = 2**30
#: The header fields that must not follow a redirect to another host.
SECRETS = ("authorization", "cookie", "proxy-authorization")


def bomb(size):
    """A body that decompresses to `size` zeros."""
    return gzip.compress(bytes(size), 9)


def encoded(body, coding="gzip"):
    fields = f"Content-Encoding: {coding}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    return BUSY + fields + body


#: 256 MiB in 260 kB; in bodies that are short enough to be drained, 60 MiB, and 256 MiB that are packed twice; and a head that
#: asks for 2000 decoders.
BOMBS = {
    "bomb": encoded(bomb(GIB // 4)),
    "short_bomb": encoded(bomb(60 * 2**20)),
    "deflate_bomb": encoded(zlib.compress(bytes(60 * 2**20), 9), "deflate"),
    "nested_bomb": encoded(gzip.compress(bomb(GIB // 4), 9), "gzip, gzip"),
    "many_codings": encoded(b"busy", ", ".join(["gzip"] * 2000)),
}

#: Values of Retry-After and its kin, each a few lines of a head. SPEC 14 gives each a time or nothing.
ASKS = [
    "Retry-After: 999999999",
    "Retry-After: 18446744073709551616",
    f"Retry-After: {'9' * 1000}",
    f"Retry-After: {'9' * 5000}",
    "Retry-After: -1",
    "Retry-After: +5",
    "Retry-After: 1e9",
    "Retry-After: 0x7fffffff",
    "Retry-After: NaN",
    "Retry-After: Infinity",
    "Retry-After: 120.5",
    "Retry-After: 86400, 0",
    "Retry-After: 0\r\nRetry-After: 86400",
    "Retry-After: 86400\r\nRetry-After: 0",
    "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT",
    "Retry-After: Fri, 31 Dec 99999 23:59:59 GMT",
    "Retry-After: Sun, 99 Nov 2094 08:49:37 GMT",
    "Retry-After: Sunday, 06-Nov-94 08:49:37 GMT",
    "Retry-After: Thu Jan  1 00:00:00 1970",
    "Retry-After:",
    "Retry-After: \xd9\xa3\xd9\xa0",
    "Retry-After: \xff\xfe",
    "Retry-After: 86400; drop table",
    "retry-after-ms: 9e99",
    f"retry-after-ms: {'9' * 900}.{'9' * 100}",
    "retry-after-ms: -1",
    "X-RateLimit-Reset: 99999999999",
    "RateLimit-Reset: 99999999999999999999",
    "RateLimit: " + ",".join(["a;r=0;t=999999999"] * 50),
    'RateLimit: "' + "\\" * 1000,
    'RateLimit: "a\\";r=0;t=86400',
]


class Run:
    """What one run of a client did."""

    def __init__(self):
        self.requests = []
        #: The bytes of the longest attack.
        self.sent = 0
        #: Connections that are still attacked.
        self.attacked = 0

    def seen(self):
        return {"requests": self.requests, "sent": self.sent, "attacked": self.attacked}


class Runs:
    def __init__(self):
        self.of = defaultdict(Run)
        self.total = 0
        self.urls = {}

    def next(self, path, method, fields, host):
        """The attack on this request, or None; and its run."""
        _, attack, failures, run = path.split("/")[:4]
        if attack == "seen":
            return attack, self.of[run]
        self.total += 1
        if attack == "mixed":
            return next(MIXED), Run()
        found = self.of[run]
        secrets = sorted(name for name in SECRETS if name in fields)
        found.requests.append({"method": method, "host": host, "secrets": secrets})
        wanted = len(found.requests) <= int(failures) or attack.startswith("redirect")
        return (attack if wanted else None), found


class Connection:
    """A connection of HTTP/1.1 that is attacked."""

    def __init__(self, reader, writer, run, path, urls):
        self.reader, self.writer, self.run, self.path, self.urls = reader, writer, run, path, urls
        self.sent = 0

    async def send(self, part):
        self.writer.write(part)
        await self.writer.drain()
        self.sent += len(part)
        self.run.sent = max(self.run.sent, self.sent)

    async def slowly(self, text):
        for at in range(len(text)):
            await self.send(text[at : at + 1])
            await asyncio.sleep(BYTE_EVERY_S)

    async def forever(self, part, pause=0):
        while True:
            await self.send(part)
            await asyncio.sleep(pause)

    async def play(self, attack):
        """Returns whether the connection may be used again."""
        method = getattr(self, attack, None)
        if attack in BOMBS:
            await self.send(BOMBS[attack])
            return True
        if attack.startswith("ask-"):
            ask = ASKS[int(attack.removeprefix("ask-"))].encode("latin-1")
            status = b"429 Slow" if b"imit" in ask else b"503 Busy"
            await self.send(
                b"HTTP/1.1 " + status + b"\r\n" + ask + b"\r\nContent-Length: 4\r\n\r\nbusy"
            )
            return True
        return bool(await method())

    async def slow_head(self):
        await self.slowly(BUSY + b"Content-Length: 0\r\n\r\n")

    async def slow_fields(self):
        await self.send(BUSY)
        await self.slowly(b"X-Slow: " + bytes(b"a" * 3600))

    async def informational(self):
        await self.forever(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", 0.02)

    async def long_line(self):
        await self.forever(b"a" * 65536)

    async def long_field(self):
        await self.send(BUSY + b"X: ")
        await self.forever(b"a" * 65536)

    async def many_fields(self):
        await self.send(BUSY)
        await self.forever(b"X-Bomb: v\r\n" * 5000)

    async def endless_body(self):
        await self.send(BUSY + b"Content-Length: 1000000000000000\r\n\r\n")
        await self.forever(FLOOD)

    async def endless_until_close(self):
        await self.send(BUSY + b"Connection: close\r\n\r\n")
        await self.forever(FLOOD)

    async def endless_chunks(self):
        await self.send(CHUNKED)
        await self.forever(b"10000\r\n" + FLOOD + b"\r\n")

    async def endless_tiny_chunks(self):
        await self.send(CHUNKED)
        await self.forever(b"1\r\na\r\n" * 1000)

    async def endless_extension(self):
        await self.send(CHUNKED + b"5;")
        await self.forever(b"a" * 65536)

    async def endless_chunk_size(self):
        await self.send(CHUNKED)
        await self.forever(b"0" * 65536)

    async def endless_trailers(self):
        await self.send(CHUNKED + b"4\r\nbusy\r\n0\r\n")
        await self.forever(b"X-Trailer: v\r\n" * 5000)

    async def slow_body(self):
        await self.send(BUSY + b"Content-Length: 3600\r\n\r\n")
        await self.slowly(bytes(b"a" * 3600))

    async def slow_chunk(self):
        await self.send(CHUNKED)
        await self.slowly(b"1;" + b"a" * 3600)

    async def false_length(self):
        await self.send(BUSY + b"Content-Length: -5\r\n\r\nbusy")

    async def cut_body(self):
        await self.send(BUSY + b"Content-Length: 1000\r\n\r\nbusy")

    async def cut_chunk(self):
        await self.send(CHUNKED + b"ff\r\nbusy")

    async def huge_chunk(self):
        """Its size does not fit in 64 bits."""
        await self.send(CHUNKED + b"10000000000000004\r\nbusy\r\n0\r\n\r\n")

    async def two_lengths(self):
        await self.send(BUSY + b"Content-Length: 4\r\nContent-Length: 5\r\n\r\nbusy")

    async def length_and_chunks(self):
        await self.send(CHUNKED[:-2] + b"Content-Length: 1000\r\n\r\n4\r\nbusy\r\n0\r\n\r\n")

    async def no_status(self):
        await self.send(b"HTTP/1.1 \r\nContent-Length: 0\r\n\r\n")

    async def cut_gzip(self):
        await self.send(encoded(bomb(1000)[:-9]))
        return True

    async def false_gzip(self):
        await self.send(encoded(b"busy"))
        return True

    async def cut_head(self):
        await self.send(BUSY[:6])

    async def garbage(self):
        await self.send(b"\x00\x01 this is no HTTP\r\n\r\n")

    async def close(self):
        pass

    async def reset(self):
        connection = self.writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    async def reset_in_upload(self):
        """Before the body of the request is whole."""
        await asyncio.sleep(0.02)
        await self.reset()

    async def busy_in_upload(self):
        """Nobody reads the rest of the body of the request."""
        await self.busy()

    async def long_length(self):
        """Python converts no number of more than 4300 digits, so some clients read until the connection is closed."""
        await self.send(BUSY + b"Content-Length: " + b"0" * 4300 + b"4\r\n\r\nbusy")

    async def switching(self):
        """To a protocol that the client did not ask for."""
        await self.send(b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")
        await self.reader.read()

    async def ok(self):
        await self.send(OK)
        return True

    async def redirect(self):
        """To another host, at which the request fails as often as the path says."""
        place = f"{self.urls['other']}/busy{self.path.removeprefix('/redirect')}"
        await self.send(
            f"HTTP/1.1 307 There\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n".encode()
        )
        return True

    async def redirect_loop(self):
        place = f"{self.urls['other']}{self.path}"
        await self.send(
            f"HTTP/1.1 302 There\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n".encode()
        )
        return True

    async def redirect_to_file(self):
        await self.send(
            b"HTTP/1.1 302 There\r\nLocation: file:///etc/passwd\r\nContent-Length: 0\r\n\r\n"
        )
        return True

    async def busy(self):
        await self.send(BUSY + b"Retry-After: 0\r\nContent-Length: 4\r\n\r\nbusy")
        return True

    async def some_of_a_long_body(self):
        await self.send(BUSY + b"Content-Length: 1000000000\r\n\r\n" + FLOOD * 2)


#: What the requests of the load meet, in turn. They take no time.
MIXED = itertools.cycle(
    [
        "busy",
        "cut_body",
        "ok",
        "reset",
        "busy",
        "close",
        "ok",
        "garbage",
        "short_zip",
        "cut_chunk",
        "cut_head",
        "busy",
        "false_gzip",
        "some_of_a_long_body",
        "busy",
        "cut_gzip",
        "ok",
        "false_length",
        "busy",
        "ask-4",
        "reset",
    ]
)
BOMBS["short_zip"] = encoded(bomb(2**20))


async def read_request(reader):
    """The method, the path and the fields of the next request, or None at the end. The body is not read yet."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    request, *lines = head.split("\r\n")
    fields = {
        name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)
    }
    method, path, _ = request.split(" ")
    return method, path, fields


async def serve(runs, host, reader, writer):
    with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
        while request := await read_request(reader):
            method, path, fields = request
            attack, run = runs.next(path, method, fields, host)
            if attack is None or not attack.endswith("_in_upload"):
                await reader.readexactly(int(fields.get("content-length", 0)))
            if attack is None or attack == "seen":
                text = "ok" if attack is None else json.dumps(run.seen() | {"total": runs.total})
                writer.write(
                    f"HTTP/1.1 200 OK\r\nContent-Length: {len(text)}\r\n\r\n{text}".encode()
                )
                continue
            run.attacked += 1
            try:
                if not await Connection(reader, writer, run, path, runs.urls).play(attack):
                    break
            finally:
                run.attacked -= 1
    writer.close()


class Connection2:
    """A connection of HTTP/2, without TLS (RFC 9113, 3.3)."""

    def __init__(self, runs, reader, writer):
        self.runs, self.reader, self.writer = runs, reader, writer
        config = h2.config.H2Configuration(client_side=False, header_encoding="utf-8")
        self.h2 = h2.connection.H2Connection(config)
        #: The streams that get an answer when their request is whole.
        self.waiting = set()

    async def flush(self):
        self.writer.write(self.h2.data_to_send())
        await self.writer.drain()

    async def serve(self):
        self.h2.initiate_connection()
        await self.flush()
        while data := await self.reader.read(65536):
            try:
                events = self.h2.receive_data(data)
            except h2.exceptions.ProtocolError:
                break
            for event in events:
                if isinstance(event, h2.events.RequestReceived) and not await self.answer(event):
                    return
                if isinstance(event, h2.events.DataReceived) and event.flow_controlled_length:
                    self.h2.increment_flow_control_window(event.flow_controlled_length)
                if isinstance(event, h2.events.StreamEnded) and event.stream_id in self.waiting:
                    self.waiting.remove(event.stream_id)
                    self.head(event.stream_id, 200)
                    self.h2.send_data(event.stream_id, b"ok", end_stream=True)
            await self.flush()

    async def answer(self, event):
        """Returns whether the connection may be used again."""
        fields = dict(event.headers)
        attack, run = self.runs.next(fields[":path"], fields[":method"], fields, "http2")
        stream = event.stream_id
        if attack is None:
            self.waiting.add(stream)
            return True
        run.attacked += 1
        try:
            with contextlib.suppress(ConnectionError):
                return await getattr(self, attack)(stream, run)
        finally:
            run.attacked -= 1
        return False

    def head(self, stream, status, end=False):
        self.h2.send_headers(stream, [(":status", str(status))], end_stream=end)

    async def forever(self, frame, pause=0):
        while True:
            self.writer.write(frame)
            await self.writer.drain()
            await asyncio.sleep(pause)

    async def reset_internal(self, stream, _run):
        self.h2.reset_stream(stream, h2.errors.ErrorCodes.INTERNAL_ERROR)
        return True

    async def reset_refused(self, stream, _run):
        self.h2.reset_stream(stream, h2.errors.ErrorCodes.REFUSED_STREAM)
        return True

    async def reset_calm(self, stream, _run):
        self.h2.reset_stream(stream, h2.errors.ErrorCodes.ENHANCE_YOUR_CALM)
        return True

    async def reset_in_body(self, stream, _run):
        self.head(stream, 503)
        self.h2.send_data(stream, b"busy")
        self.h2.reset_stream(stream, h2.errors.ErrorCodes.INTERNAL_ERROR)
        return True

    async def goaway(self, _stream, _run):
        """The request was not processed."""
        self.h2.close_connection(last_stream_id=0)
        await self.flush()
        self.writer.close()
        return False

    async def goaway_calm(self, _stream, _run):
        """The request may have been processed."""
        self.h2.close_connection(
            h2.errors.ErrorCodes.ENHANCE_YOUR_CALM, additional_data=b"x" * 1000
        )
        await self.flush()
        self.writer.close()
        return False

    async def no_frame(self, _stream, _run):
        self.writer.write(b"HTTP/1.1 503 Busy\r\n\r\n")
        await self.writer.drain()
        return False

    async def huge_frame(self, _stream, _run):
        """DATA of 16 MiB, which no client allowed."""
        self.writer.write(b"\xff\xff\xff\x00\x00\x00\x00\x00\x01" + bytes(2**20))
        await self.writer.drain()
        return False

    async def bad_frame(self, _stream, _run):
        """HEADERS of no stream (RFC 9113, 6.2)."""
        self.writer.write(b"\x00\x00\x01\x01\x04\x00\x00\x00\x00\x88")
        await self.writer.drain()
        return False

    async def bad_field(self, stream, _run):
        """A HEADERS frame that HPACK cannot decode."""
        self.writer.write(b"\x00\x00\x02\x01\x05" + stream.to_bytes(4, "big") + b"\xff\xff")
        await self.writer.drain()
        return False

    async def window_overflow(self, stream, _run):
        """Windows above 2^31 - 1 (RFC 9113, 6.9.1)."""
        frame = b"\x00\x00\x04\x08\x00" + stream.to_bytes(4, "big") + b"\x7f\xff\xff\xff"
        self.writer.write(frame * 2)
        await self.writer.drain()
        return False

    async def push(self, stream, _run):
        """PUSH_PROMISE of a stream that the client did not open, without a field."""
        identifier = stream.to_bytes(4, "big")
        self.writer.write(b"\x00\x00\x04\x05\x04" + identifier + b"\x00\x00\x00\x02")
        await self.writer.drain()
        return False

    async def field_bomb(self, stream, _run):
        """A field of 4000 bytes, and 12,000 bytes each of which repeats it: 48 MB in a frame of 16 kB (CVE-2016-6581)."""
        status, field = b"\x08\x03503", b"\x40\x01x\x7f\xa1\x1e" + b"a" * 4000
        block = status + field + b"\xbe" * 12000
        frame = len(block).to_bytes(3, "big") + b"\x01\x05" + stream.to_bytes(4, "big") + block
        self.writer.write(frame)
        await self.writer.drain()
        # The two ends no longer agree on the table of fields, so the connection ends.
        await asyncio.sleep(0.2)
        return False

    async def empty_data(self, stream, _run):
        """A body that never ends and has no bytes (CVE-2019-9518)."""
        self.head(stream, 503)
        frame = b"\x00\x00\x00\x00\x00" + stream.to_bytes(4, "big")
        # Other streams of the connection are answered.
        self.attack = asyncio.create_task(self.forever(frame, 0.001))
        return True

    async def unread_answers(self, _stream, _run):
        """PINGs whose answers nobody reads (CVE-2019-9512)."""
        await self.forever((b"\x00\x00\x08\x06\x00\x00\x00\x00\x00" + bytes(8)) * 1000)

    async def continuations(self, stream, run):
        """HEADERS that never end (CVE-2024-27316 and its kin)."""
        identifier = stream.to_bytes(4, "big")
        part = b"\x00\x01a\x01b" * 3000
        self.writer.write(len(part).to_bytes(3, "big") + b"\x01\x00" + identifier + part)
        await self.forever(len(part).to_bytes(3, "big") + b"\x09\x00" + identifier + part)

    async def pings(self, _stream, _run):
        await self.forever(b"\x00\x00\x08\x06\x00\x00\x00\x00\x00" + bytes(8), 0.01)

    async def silence(self, _stream, _run):
        await self.reader.read()
        return False

    async def slow_settings(self, _stream, _run):
        await self.forever(b"\x00\x00\x00\x04\x00\x00\x00\x00\x00", 0.01)


async def main():
    runs = Runs()
    asyncio.get_running_loop().set_exception_handler(lambda *_: None)

    def start(serving):
        return asyncio.start_server(serving, ["127.0.0.1"], 0)

    async def serve2(reader, writer):
        with contextlib.suppress(ConnectionError):
            await Connection2(runs, reader, writer).serve()
        writer.close()

    servers = {
        "http": await start(lambda *streams: serve(runs, "http", *streams)),
        "other": await start(lambda *streams: serve(runs, "other", *streams)),
        "http2": await start(serve2),
    }
    ports = {name: server.sockets[0].getsockname()[1] for name, server in servers.items()}
    hosts = {"other": "localhost"}
    runs.urls = {
        name: f"http://{hosts.get(name, '127.0.0.1')}:{port}" for name, port in ports.items()
    }
    print(json.dumps({**runs.urls, "asks": len(ASKS)}), flush=True)
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main())
