"""GETs a URL and retries failures that may pass: http_httpx.py URL POLICY SEED KEY."""

import argparse
import asyncio
import sys

import httpx
from backoff_rs import RetryEvent, Verdict, http_verdict, retrying


def verdict_of(error: Exception) -> Verdict:
    """How a GET ended. A GET is safe to retry."""
    if isinstance(error, httpx.HTTPStatusError):
        return http_verdict(error.response.status_code, error.response.headers)
    if isinstance(error, httpx.TimeoutException):
        return Verdict("timeout")
    # Refused, reset, or closed without a response.
    lost = isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError)
    return Verdict("transient" if lost else "permanent")


def on_retry(event: RetryEvent) -> None:
    print(f"attempt {event.attempts}: {event.outcome}, waiting {event.delay_ns} ns", flush=True)


def on_stop(event: RetryEvent) -> None:
    if event.reason != "success":
        last = f"{event.attempts} attempts: {event.reason}: {event.error}"
        print(f"gave up after {last}", file=sys.stderr)


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("url", "policy", "seed", "key"):
        parser.add_argument(name, metavar=name.upper())
    options = parser.parse_args()
    try:
        attempts = retrying(
            options.policy,
            on=verdict_of,
            seed=int(options.seed),
            key=options.key,
            on_retry=on_retry,
            on_stop=on_stop,
            log=False,
        )
    except ValueError as error:
        parser.error(str(error))
    try:
        async with httpx.AsyncClient(timeout=5) as client:
            async for attempt in attempts:
                with attempt:
                    response = (await client.get(options.url)).raise_for_status()
                    print(f"done after {attempt.number} attempts: {response.text.strip()}")
    except (httpx.HTTPError, httpx.InvalidURL, TimeoutError):
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
