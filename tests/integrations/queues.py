"""`cargo xtask scenario queues`: one job that fails, in each job queue that has an adapter, and the delays that the
queue scheduled."""

import json
import subprocess
import sys
from itertools import zip_longest

import programs
import servers
from reference import delays, streams, strings

POLICY = "full:base=1s,cap=8s,max_retries=3"
SEED, JOB, RETRIES = 42, "job-1", 3
#: The server of each queue, and how many milliseconds later than its delay it may schedule a retry.
QUEUES = {
    "celery": ("redis", 0.001),
    # These two count whole milliseconds.
    "dramatiq": ("redis", 1),
    "bullmq": ("redis", 1),
    # A time is rounded up to microseconds.
    "river": ("postgres", 0.001),
    # It stores the second that follows.
    "asynq": ("redis", 2000),
}


def expected():
    """The delays of the reference in milliseconds."""
    policy, stream = strings.parse("policy", POLICY), streams.stream(SEED, JOB.encode())
    return [delay / 1e6 for delay in delays.delays(policy, stream, 0, RETRIES)]


def schedule(name):
    """What the program of a queue printed: the delays in milliseconds, and how much of each may be the time that it took
    to observe it."""
    server, _ = QUEUES[name]
    with servers.running(server) as running:
        arguments = (running[server].url, POLICY, SEED, JOB, RETRIES)
        call = programs.call(programs.of("queues")[name], *arguments)
        done = subprocess.run(**call, capture_output=True, text=True, timeout=programs.PATIENCE)
    assert done.returncode == 0, done.stderr
    printed = json.loads(done.stdout)
    return printed["delays"], printed.get("late", [])


def disagreement(resolution, expected, scheduled, late):
    """What is wrong with the delays of a queue, or None."""
    if len(scheduled) != len(expected):
        return f"{len(scheduled)} retries, expected {len(expected)}"
    rows = zip_longest(expected, scheduled, late, fillvalue=0)
    for retry, (delay, found, observed) in enumerate(rows, 1):
        # A nanosecond more or less is the rounding of the number that the program printed.
        if not -1e-6 < found - delay < resolution + observed + 1e-6:
            return f"retry {retry} is {found - delay:.6f} ms after its delay, not 0 to {resolution + observed}"
    return None


def row(name, milliseconds):
    return f"{name:<10}" + "".join(f"{ms:14.3f}" for ms in milliseconds)


def main():
    """Prints what each queue scheduled, and fails if one disagrees with the reference."""
    print(f"{POLICY}, seed {SEED}, job {JOB}; in ms\n\n{row('expected', expected())}")
    problems = []
    for name, (_, resolution) in QUEUES.items():
        scheduled, late = schedule(name)
        problems.append(disagreement(resolution, expected(), scheduled, late))
        print(f"{row(name, scheduled)}  {problems[-1] or f'within {resolution} ms'}", flush=True)
    agreed = problems.count(None)
    print(f"\n{agreed} of {len(QUEUES)} agree")
    sys.exit(agreed < len(QUEUES))


if __name__ == "__main__":
    main()
