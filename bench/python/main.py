"""The harness of Python: see ../README.md for its arguments."""

import contextlib
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable
from importlib.metadata import version

import delays
import loops
import pyperf
import works

WORKS = [*delays.WORKS, *loops.WORKS]

LIBRARIES = (
    *("pyperf", "backoff", "numpy", "stamina", "tenacity"),
    *("httpx", "httpx-retries", "aiohttp", "aiohttp-retry", "requests", "urllib3"),
)

#: How many values a measurement has.
VALUES = 5


def http_works() -> list[works.Work]:
    """Those of HTTP clients, whose imports take so long that only they wait for them."""
    import http_clients

    return http_clients.WORKS


def repeated(call: Callable[[], object], count: int) -> float:
    """The seconds of some calls."""
    repetitions = range(count)
    begin = time.perf_counter()
    for _ in repetitions:
        call()
    return time.perf_counter() - begin


def runner() -> pyperf.Runner:
    """A runner that measures in this process: the runner of all languages starts a new process for
    each round."""
    seconds = float(os.environ.get("BENCH_TIME_MS", "100")) / 1000
    runner = pyperf.Runner()
    options = ["--worker", "--calibrate-loops", "--warmups=1", f"--values={VALUES}"]
    runner.parse_args([*options, f"--min-time={seconds / VALUES}", "--quiet"])
    return runner


def measure(work: str) -> None:
    """Prints what each takes."""
    entries = [entry for entry in WORKS if entry.name == work] or [
        entry for entry in http_works() if entry.name == work
    ]
    if os.environ.get("BENCH_REVERSED") == "1":
        entries.reverse()
    in_this_process = runner()
    for entry in entries:
        with contextlib.redirect_stdout(sys.stderr):
            benchmark = in_this_process.bench_time_func(
                f"{entry.name}, {entry.by}", lambda n, call=entry.call: repeated(call, n)
            )
        # pyperf calls them warm-ups, because it expects another process to use the calibration. The
        # last ones have the final number of loops.
        values = [value for _, value in benchmark.get_runs()[-1].warmups[-VALUES:]]
        ns = statistics.median(values) / entry.operations * 1e9
        print(json.dumps({"work": work, "by": entry.by, "ns": ns}))


def check() -> None:
    """Runs everything once, and checks the delays of docs/programs.md."""
    first = [delays.policy.delay_ns(delays.stream, index) for index in range(3)]
    assert first == [11399434, 83043876, 229309811], first
    for entry in [*WORKS, *http_works()]:
        entry.call()


def versions() -> None:
    """Prints the versions."""
    print(
        json.dumps({"name": platform.python_implementation(), "version": platform.python_version()})
    )
    for name in LIBRARIES:
        print(json.dumps({"name": name, "version": version(name)}))


def main(arguments: list[str]) -> None:
    """Runs a verb."""
    # pyperf reads them, too.
    sys.argv = sys.argv[:1]
    match arguments:
        case ["works"]:
            print("\n".join(dict.fromkeys(work.name for work in [*WORKS, *http_works()])))
        case ["measure", work]:
            measure(work)
        case ["check"]:
            check()
        case ["versions"]:
            versions()
        case _:
            sys.exit("usage: works | measure WORK | check | versions")


if __name__ == "__main__":
    main(sys.argv[1:])
