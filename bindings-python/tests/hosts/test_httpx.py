"""What only the transports of httpx meet: bodies of transports of others."""

import anyio
import httpx
import pytest
from backoff_rs.adapters.httpx import AsyncRetryTransport, RetryTransport


class Chunks:
    """An iterator of a body that has no aclose(), and a blocking one without close()."""

    def __init__(self):
        self.left = [b"busy"]

    def __aiter__(self):
        return self

    def __iter__(self):
        return self

    def __next__(self):
        if not self.left:
            raise StopIteration
        return self.left.pop()

    async def __anext__(self):
        if not self.left:
            raise StopAsyncIteration
        return self.left.pop()


class Body(httpx.SyncByteStream, httpx.AsyncByteStream):
    is_closed = False

    def __iter__(self):
        return Chunks()

    def __aiter__(self):
        return Chunks()

    def close(self):
        self.is_closed = True

    async def aclose(self):
        self.is_closed = True


@pytest.mark.parametrize("read_body", [False, True])
@pytest.mark.parametrize("adapter", [RetryTransport, AsyncRetryTransport])
def test_a_body_whose_iterator_cannot_be_closed(adapter, read_body):
    bodies = [Body(), Body()]
    answers = iter([httpx.Response(503, stream=bodies[0]), httpx.Response(200, stream=bodies[1])])
    inner = httpx.MockTransport(lambda _request: next(answers))
    # A body is drained as long as the wait takes.
    policy = "constant:base=60s,max_retries=1"
    options = {"sleep": lambda _: None, "log": False, "read_body": read_body}
    transport = adapter(policy, transport=inner, **options)

    async def send_async():
        async with httpx.AsyncClient(transport=transport) as client:
            return (await client.get("http://host")).text

    def send():
        with httpx.Client(transport=transport) as client:
            return client.get("http://host").text

    assert (send() if adapter is RetryTransport else anyio.run(send_async)) == "busy"
    assert [body.is_closed for body in bodies] == [True, True]


@pytest.mark.parametrize(("timeout", "bounded"), [(None, 2), (0, 0), (1, 1), (5, 2)])
def test_attempt_timeout_bounds_each_step(timeout, bounded):
    """A timeout of 0 is one, and httpx says what it means."""
    seen = []

    def answer(request):
        seen.append(request.extensions["timeout"])
        return httpx.Response(200)

    inner = httpx.MockTransport(answer)
    transport = RetryTransport("off", transport=inner, attempt_timeout=2)
    with httpx.Client(transport=transport, timeout=timeout) as client:
        client.get("http://host")
    assert seen == [dict.fromkeys(["connect", "read", "write", "pool"], bounded)]
