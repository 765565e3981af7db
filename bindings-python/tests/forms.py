"""The async forms of a loop, around a call."""

from backoff_rs import retry, retrying


async def attempts_of(call, options):
    async for attempt in retrying(**options):
        with attempt:
            await call()


async def calls_of(call, options):
    await retrying(**options).call(call)


async def items_of(call, options):
    @retry(**options)
    async def items():
        await call()
        yield

    async for _ in items():
        pass


async def values_of(call, options):
    async for attempt in retrying(**options):
        async with attempt:
            attempt.value = await call()


ASYNC = [attempts_of, calls_of, items_of]
