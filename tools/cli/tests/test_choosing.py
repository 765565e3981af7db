"""Tests what docs/choosing.md claims, with its own commands and fewer runs.

A section whose heading is a claim has at least one simulation. Each simulation has a check here, of its numbers and not
of its text, and a link to the playground that shows the same. BACKOFF is the path of the program.
"""

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

PROGRAM = os.environ.get("BACKOFF", "backoff")
PAGE = Path(__file__).parents[3] / "docs/choosing.md"
PLAYGROUND = "https://backoff-rs.github.io/backoff/playground/#"
RUNS = "2"
#: Where output goes, which the playground has no use for.
OF_OUTPUT = ("--svg", "--columns")


def sections():
    """The simulations of each claim: the words of a command, and the link after it."""
    found = {}
    claims = PAGE.read_text("utf-8").split("\n## Jobs\n")[1].split("\n## What others advise\n")[0]
    for section in claims.split("\n### ")[1:]:
        heading, _, text = section.partition("\n")
        pattern = (
            r"^```sh\n(backoff simulate .*)\n```\n\n```text\n[^`]*```\n\n\[Playground\]\((.*)\)$"
        )
        pairs = re.findall(pattern, text, re.MULTILINE)
        assert text.count("\nbackoff simulate") == len(pairs) > 0, heading
        found[heading] = [(shlex.split(line.split(" | ")[0]), link) for line, link in pairs]
    return found


SECTIONS = sections()


def options(words):
    return list(zip(words[::2], words[1::2], strict=True))


def escaped(value):
    return re.sub("[%#& ]", lambda found: f"%{ord(found[0]):02X}", value)


def address(words):
    """The address of the playground that shows a simulation."""
    _, _, model, *rest = words
    pairs = [(name[2:], value) for name, value in options(rest) if name not in OF_OUTPUT]
    policies = [pair for pair in pairs if pair[0] == "policy"]
    others = [pair for pair in pairs if pair[0] != "policy"]
    pairs = [*policies, ("view", "simulate"), ("model", model), *others]
    return PLAYGROUND + "&".join(f"{key}={escaped(value)}" for key, value in pairs)


def simulated(words):
    """What each policy gives, by its name: of each number of clients if there are several."""
    kept = [("--runs", RUNS)]
    kept += [
        pair for pair in options(words[3:]) if pair[0] not in (*OF_OUTPUT, "--runs", "--chart")
    ]
    arguments = [*words[1:3], *(word for pair in kept for word in pair), "--json", "--quiet"]
    printed = subprocess.run([PROGRAM, *arguments], capture_output=True, check=True).stdout
    points = {}
    for line in map(json.loads, printed.decode().splitlines()):
        points.setdefault(line["name"], []).append(line)
    return points


class Results:
    def __init__(self, words):
        self.points = simulated(words)
        self.words = words

    def number(self, name, at, member):
        value = self.points[name][at][member]
        return value["mean"] if isinstance(value, dict) and "mean" in value else value

    def __getattr__(self, member):
        """The numbers of a member, by the name of the policy."""
        return lambda name, at=0: self.number(name, at, member)

    def per_operation(self, name, at=0):
        return self.calls(name, at) / self.operations(name, at)

    def latency(self, name, part):
        return self.points[name][0]["latency_ms"][part]

    def peak(self, name):
        """The most calls in a second after the outage."""
        outage = dict(options(self.words[3:])).get("--outage", "..0s").split("..")[1]
        until_ms = int(outage[:-1]) * {"s": 1000, "m": 60000}[outage[-1]]
        loads = self.points[name][0]["load"]
        return max(load["calls"] for load in loads if load["from_ms"] >= until_ms)

    def recovers(self, name):
        return self.points[name][0]["recovered"] == int(RUNS)

    def never_recovers(self, name):
        return self.points[name][0]["recovered"] == 0


def waiting_user(found):
    lost = {name: 1 - found.success_rate(name) for name in found.points}
    assert lost["one"] < lost["off"] / 10
    assert lost["two"] < lost["one"] / 5
    assert lost["two"] - lost["nine"] < 0.001


def batch(found):
    assert found.success_rate("default") < 0.6
    assert found.success_rate("batch") == 1
    assert found.calls("batch") < found.calls("default") / 2


def job_queue(found):
    for name in ("default", "celery"):
        assert found.success_rate(name) < 0.75
    for name in ("sidekiq", "oban", "capped"):
        assert found.success_rate(name) == 1
    hour = 3_600_000
    assert found.latency("capped", "max") < 1.25 * hour < found.latency("sidekiq", "max")


def webhooks(found):
    assert found.time_ms("plain") > 48 * 3_600_000
    assert found.time_ms("spread") < 45 * 60_000
    assert found.success_rate("spread") == 1
    # Three retries: after 5 s, 5 min and 30 min.
    assert found.per_operation("spread") == 4


def reconnect(found):
    assert found.calls("long") < 0.4 * found.calls("short")
    assert found.time_ms("long") < found.time_ms("short")
    assert found.calls("grpc-connect") > found.calls("short")


def rate_limit(found):
    for name in found.points:
        assert 0.64 < found.success_rate(name) < 0.69
    assert found.per_operation("default") > 2.2
    assert found.per_operation("patient") > 5
    assert found.per_operation("limited") < 1.15


def contention(found):
    for at in (0, 1):
        for name in ("none", "exponential", "decorrelated"):
            assert found.calls("full", at) < found.calls(name, at)
            assert found.calls("equal", at) < found.calls(name, at)
        assert 3 * found.calls("full", at) < found.calls("none", at)
        assert 1.2 * found.time_ms("full", at) < found.time_ms("equal", at)
        assert found.time_ms("none", at) < found.time_ms("full", at) / 2
        assert found.time_ms("exponential", at) > 10 * found.time_ms("full", at)
    # What others advise: it depends on the number of clients.
    assert found.calls("full") < found.calls("equal")
    assert found.calls("full", 1) > found.calls("equal", 1)


def poll(found):
    ready_ms = 60_000
    assert found.calls("long-cap") < found.calls("constant") < found.calls("short-cap")
    assert found.time_ms("constant") < ready_ms + 5_100
    assert found.time_ms("short-cap") < ready_ms + 5_600
    assert found.time_ms("long-cap") > ready_ms + 20_000


def layers(found):
    assert found.per_operation("default") == 4**3
    assert found.per_operation("off") == 1
    assert found.per_operation("budgets") <= 1.1**3 + 0.01


def one_layer(found):
    assert found.per_operation("default") == 4


def jitter_at_the_cap(found):
    assert found.peak("after") > 2 * found.peak("before")
    assert found.peak("full-after") < found.peak("full")
    assert found.peak("no-jitter") == found.clients("no-jitter")


def one_seed(found):
    for name in ("shared", "no-jitter"):
        assert found.peak(name) == found.clients(name)
        assert found.time_ms(name) > 2 * found.time_ms("own")
    assert found.peak("own") < found.clients("own") / 4


def cap_below_timeout(found):
    for name in ("cap-100ms", "cap-1s"):
        assert found.success_rate(name) == 0
    for name in ("cap-5s", "cap-20s"):
        assert found.success_rate(name) == 1


def storm(found):
    assert found.recovers("off")
    for name in ("at-once", "default", "slow"):
        assert found.never_recovers(name)
        assert found.success_rate(name) == 0
        assert 3.5 < found.per_operation(name) <= 4


def bounded_queue(found):
    for name in ("off", "default"):
        assert found.recovers(name)
        assert found.recovery_ms(name) < 5_000


def budgets(found):
    room = ["off", "throttle", "quota", "rate", "ratio"]
    assert all(found.recovers(name) for name in room)
    assert found.recovery_ms("ratio") == max(found.recovery_ms(name) for name in room)
    for name in ("default", "ttl", "concurrent"):
        assert found.never_recovers(name)
    capacity, rate = 100, 80
    assert rate * found.per_operation("ratio") < 0.9 * capacity
    assert rate * found.per_operation("ttl") > capacity


def budgets_with_more_room(found):
    names = ["off", "ratio", "concurrent", "ttl"]
    assert all(found.recovers(name) for name in names)
    times = [found.recovery_ms(name) for name in names]
    assert times == sorted(times)


def budgets_of_many_processes(found):
    for name in ("off", "throttle", "ratio"):
        assert found.recovers(name)
    for name in ("quota", "rate", "ttl", "concurrent"):
        assert found.never_recovers(name)
    assert found.recovery_ms("throttle") < found.recovery_ms("ratio")


def retry_after(found):
    clients = found.clients("exact")
    assert found.peak("exact") == found.peak("at_least") == clients
    assert found.peak("spread") < clients / 4
    assert found.calls("spread") < 0.6 * found.calls("exact")
    assert found.time_ms("spread") < 0.6 * found.time_ms("exact")
    assert found.time_ms("ignored") < found.time_ms("spread")
    assert found.calls("ignored") > 1.8 * found.calls("spread")


def not_idempotent(found):
    lost = {name: 1 - found.success_rate(name) for name in found.points}
    assert lost["retries"] < lost["off"] / 2
    assert found.calls("off") == found.operations("off")
    # The server served all of them.
    served_again = found.calls("retries") - found.operations("retries")
    assert served_again == found.retries("retries")
    assert 0.01 < served_again / found.operations("retries") < 0.05


CHECKS = {
    "A user waits: two retries are enough": [waiting_user],
    "A batch waits longer than the outage": [batch],
    "A job queue retries for days": [job_queue],
    "Webhooks need jitter on their schedule": [webhooks],
    "Clients that reconnect spread over the time that the server needs": [reconnect],
    "Retries do not raise a rate limit": [rate_limit],
    "Contention for a row needs full jitter": [contention],
    "The cap of a poll is how late you learn": [poll],
    "Retries multiply over layers": [layers, one_layer],
    "Jitter dies at the cap": [jitter_at_the_cap],
    "One seed for all is no jitter": [one_seed],
    "A cap below the timeout is no backoff": [cap_below_timeout],
    "Backoff alone does not end a storm": [storm, bounded_queue],
    "A budget ends the storm, if it fits the spare capacity": [
        budgets,
        budgets_with_more_room,
        budgets_of_many_processes,
    ],
    "Retry-After gathers clients": [retry_after],
    "A retry after a timeout runs the call twice": [not_idempotent],
}
CASES = [
    (check, words, link)
    for heading, checks in CHECKS.items()
    for check, (words, link) in zip(checks, SECTIONS.get(heading, []), strict=True)
]


def test_every_simulation_of_the_page_has_a_check():
    shown = {heading: len(simulations) for heading, simulations in SECTIONS.items()}
    assert shown == {heading: len(checks) for heading, checks in CHECKS.items()}


@pytest.mark.parametrize(
    ("check", "words"),
    [case[:2] for case in CASES],
    ids=[check.__name__ for check, *_ in CASES],
)
def test_a_simulation_shows_what_the_page_claims(check, words):
    check(Results(words))


@pytest.mark.parametrize(
    ("words", "link"), [case[1:] for case in CASES], ids=[check.__name__ for check, *_ in CASES]
)
def test_the_playground_shows_the_same(words, link):
    assert link == address(words)


def test_the_table_recommends_what_was_simulated():
    """The first policy of a row is in a simulation of the section to which the row links."""
    anchors = {
        re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-"): simulations
        for heading, simulations in SECTIONS.items()
    }
    rows = [line.split(" | ") for line in PAGE.read_text("utf-8").splitlines() if line[:3] == "| ["]
    assert len(rows) == 9
    for job, policies, budget, _ in rows:
        words = [word for words, _ in anchors[re.search(r"#(.*)\)", job)[1]] for word in words]
        clients = [word.split(";")[0] for word in words]
        simulated = [*clients, *(word.partition("=")[2] for word in clients)]
        assert re.search("`(.*?)`", policies)[1] in simulated, job
        assert budget == "none" or any(budget.strip("`") in word for word in words), job


def test_one_seed_has_the_waits_of_the_page():
    """The list of waits stands for the delays of a seed, to the millisecond."""
    policy, seed = "full:base=1s,cap=20s", "7"
    delays = [PROGRAM, "delays", policy, "--seed", seed, "--count", "8", "--unit", "ms"]
    printed = subprocess.run(delays, capture_output=True, check=True).stdout.decode().split()
    words = SECTIONS["One seed for all is no jitter"][0][0]
    shared = next(word for word in words if word.startswith("shared=steps:waits="))
    waits = shared.removeprefix("shared=steps:waits=").replace("ms", "").split("/")
    assert [float(wait) for wait in waits] == pytest.approx([float(d) for d in printed], abs=0.6)
    assert f"--seed {seed} --count" in PAGE.read_text("utf-8")
