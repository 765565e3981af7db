"""`cargo xtask scenario fleet`: processes in four languages share one budget in a store, which may stop for a while, and
some of them are killed. The reference replays what they recorded."""

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path

import programs
import psycopg
import redis
import replay
import servers
from reference import printing, strings

NAME = "fleet"
BUDGET = "rate:max_tokens=500,per=1s"
#: How many exchanges each process has recorded before it is killed or the store stops.
BEFORE = 5
COUNTS = ("requests", "granted", "local")


@dataclass(frozen=True)
class Plan:
    """A store, and how many retries all processes together request of it."""

    store: str
    title: str
    lease: int
    requests: int
    #: Of each language.
    processes: int = 2
    #: How many seconds the store is unavailable.
    outage: int = 0
    #: How many processes are killed and started again.
    kills: int = 0


REDIS = Plan("redis", "Redis", lease=1, requests=100_000, outage=10)
#: For the usual tests: during an outage, all processes use the processor without a pause.
REDIS_IN_SHORT = replace(REDIS, requests=40_000, outage=3)
POSTGRES = Plan("postgres", "PostgreSQL", lease=8, requests=8000, kills=4)
#: All ask at once, as fast as they can, for the scenario alone: it needs a machine that does nothing else.
CROWDS = [
    Plan(store, title, lease=1, requests=40_000, processes=16)
    for store, title in (("redis", "Redis"), ("postgres", "PostgreSQL"))
]


def in_redis(address, key):
    with redis.Redis.from_url(address, decode_responses=True) as client:
        return client.get(key)


def in_postgres(address, key):
    query = "SELECT state FROM backoff_budgets WHERE key = %s"
    with psycopg.connect(address) as connection:
        return connection.execute(query, [key]).fetchone()[0]


STORED = {"redis": in_redis, "postgres": in_postgres}


class Process:
    """A process of the fleet. It and those that it starts get signals together."""

    def __init__(self, language, log, program, *arguments):
        self.language, self.log = language, log
        self.output = log.with_suffix(".out")
        call = programs.call(program, *arguments, log)
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                **call, stdin=subprocess.DEVNULL, stdout=output, start_new_session=True
            )

    def signal(self, number):
        os.killpg(self.process.pid, number)

    def has_begun(self):
        return self.log.exists() and self.log.read_bytes().count(b"\n") >= BEFORE

    def is_held(self):
        """Pauses the process once it has recorded some exchanges, and says whether it has. On a busy machine a fast one
        may have ended."""
        if self.has_begun() and self.process.poll() is None:
            self.signal(signal.SIGSTOP)
        return self.has_begun()

    def result(self):
        printed = self.output.read_text(encoding="utf-8")
        assert self.process.returncode == 0, f"{self.log.stem} failed:\n{printed}"
        # npm may have printed what it installed.
        return json.loads(printed.splitlines()[-1])

    def close(self):
        if self.process.poll() is None:
            self.signal(signal.SIGKILL)
            self.process.wait()


def wait_until(holds, folder):
    """Waits until something holds, as long as the fleet records anything in this folder. The processes look at the clock
    of the store, not at ours, so this only bounds a run that hangs."""
    size, end = -1, 0
    while not holds():
        new = sum(file.stat().st_size for file in folder.iterdir())
        if new != size:
            size, end = new, time.monotonic() + programs.PATIENCE
        assert time.monotonic() < end, f"the fleet recorded nothing for {programs.PATIENCE} s"
        time.sleep(0.02)


def share(plan, folder):
    """Runs the processes, and replays what they recorded in the folder. Returns what each process printed, and the
    counts of the replay."""
    members = programs.of("fleet")
    count = len(members) * plan.processes
    each = -(-plan.requests // count)
    with servers.running(plan.store) as running, contextlib.ExitStack() as stack:
        server = running[plan.store]

        def start(number, language):
            log = folder / f"{language}-{number}.jsonl"
            arguments = (plan.store, server.url, NAME, BUDGET, plan.lease, each)
            process = Process(language, log, members[language], *arguments)
            stack.callback(process.close)
            return process

        languages = list(islice(cycle(members), count + plan.kills))
        processes = [start(*member) for member in enumerate(languages[:count])]
        for number, language in enumerate(languages[count:]):
            wait_until(processes[number].has_begun, folder)
            processes[number].close()
            processes[number] = start(count + number, language)
        if plan.outage:
            # Each process is held when it has begun, so that most meet the outage.
            slow = list(processes)

            def are_held():
                slow[:] = [process for process in slow if not process.is_held()]
                return not slow

            wait_until(are_held, folder)
            held = [process for process in processes if process.process.poll() is None]
            assert 2 * len(held) > len(processes), "most processes ended before the store stopped"
            server.stop()
            for process in held:
                process.signal(signal.SIGCONT)
            time.sleep(plan.outage)
            server.start()
        rows = []
        for process in processes:
            wait_until(lambda ended=process.process.poll: ended() is not None, folder)
            rows.append((process.language, process.result()))
        canonical = printing.printed("budget", strings.parse("budget", BUDGET))
        final = STORED[plan.store](server.url, f"backoff:{NAME}:{canonical}")
    # The last line of a process that was killed may have no end.
    texts = [log.read_text(encoding="utf-8") for log in folder.glob("*.jsonl")]
    lines = [line for text in texts for line in text[: text.rfind("\n") + 1].splitlines()]
    found = replay.replay(BUDGET, final, map(json.loads, lines), gaps=plan.kills)
    check(plan, rows, found)
    return rows, found


def check(plan, rows, found):
    """What the counts must be."""
    requests, granted, _ = (sum(row[count] for _, row in rows) for count in COUNTS)
    assert requests >= plan.requests
    # The processes do not count what was stored without an answer, or too late for the caller, and of a lease some
    # retries are never requested.
    assert found["requests"] >= requests
    assert granted <= found["granted"] <= found["limit"]
    alone = [language for language, row in rows if row["local"] > 0]
    assert 2 * len(alone) > len(rows) or not plan.outage, f"only these met the outage: {alone}"


def main():
    """Prints what each process did and what the replay found, and fails if it disagrees."""
    for plan in (REDIS, POSTGRES, *CROWDS):
        with tempfile.TemporaryDirectory() as folder:
            rows, found = share(plan, Path(folder))
        print(f"{BUDGET} in {plan.title}, {len(rows)} processes, leases of {plan.lease}\n")
        heading = "".join(f"{count:>10}" for count in COUNTS)
        print(f"{'process':<10}{heading}")
        for language, row in rows:
            print(f"{language:<10}" + "".join(f"{row[count]:10}" for count in COUNTS))
        print(
            f"{'replay':<10}{found['requests']:10}{found['granted']:10}   in {found['exchanges']} exchanges, "
            f"{found['unanswered']} of them stored without an answer, and {found['gaps']} by processes that were "
            "killed before they recorded it\n"
            f"at most {found['limit']} may be granted in {found['seconds']:.1f} s: the replay agrees\n",
            flush=True,
        )


if __name__ == "__main__":
    main()
