"""`cargo xtask bench`: how long our calls take, beside what users would call instead (README.md).

The variable XTASK names the program that builds the harnesses: `XTASK bench --harness LANGUAGE` prints a harness as JSON.
"""

import argparse
import json
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

import compare
import pages
import results
import server

#: The languages whose harness can be run under callgrind.
COUNTED = ("rust", "c")
#: The languages whose harness has sizes.
SIZED = ("go",)


def output(command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, **options)
    if done.returncode:
        sys.exit(f"error: `{' '.join(map(str, command))}` ended with {done.returncode}")
    return done.stdout


class Harness:
    """The program of a language that measures."""

    def __init__(self, language, address):
        self.language = language
        made = json.loads(output([os.environ["XTASK"], "bench", "--harness", language]))
        self.program, self.folder = made["program"], made["folder"]
        self.environment = os.environ | made["environment"] | {"BENCH_SERVER": address}
        self.files = made["files"]
        self.works = self.run("works").splitlines()
        self.measured = {work: {} for work in self.works}

    def run(self, *arguments, before=(), **environment):
        command = [*before, *self.program, *arguments]
        return output(command, cwd=self.folder, env=self.environment | environment)

    def measure(self, time_ms, is_reversed):
        """Measures each work once: ours, and each peer, in the opposite order if it is reversed."""
        environment = {"BENCH_TIME_MS": str(time_ms)} | (
            {"BENCH_REVERSED": "1"} if is_reversed else {}
        )
        for work, measured in self.measured.items():
            for line in self.run("measure", work, **environment).splitlines():
                measurement = json.loads(line)
                measured.setdefault(measurement["by"], []).append(measurement)

    def versions(self):
        """The compiler or interpreter, the tool that measures, and the peers."""
        tools = map(json.loads, self.run("versions").splitlines())
        return [{"language": self.language} | tool for tool in tools]

    def rows(self):
        """For each work a row with each peer."""
        for work, measured in self.measured.items():
            costs = {by: self.cost(work, by, rounds) for by, rounds in measured.items()}
            ours = costs.pop(results.OURS)
            for peer, theirs in (costs or {"": {"rounds_ns": []}}).items():
                if costs and len(theirs["rounds_ns"]) != len(ours["rounds_ns"]):
                    sys.exit(f"error: {work}: ours and {peer} were measured in different rounds")
                yield results.row(self.language, work, peer, ours, theirs)

    def cost(self, work, by, rounds):
        """What an operation takes beside the time, and the time of each round."""
        cost = {}
        for name in ("bytes", "allocations"):
            counts = [float(round[name]) for round in rounds if round.get(name) is not None]
            if counts:
                cost[name] = statistics.median(counts)
        times = [round["ns"] for round in rounds]
        if self.language in COUNTED and shutil.which("valgrind"):
            # About a millisecond without callgrind.
            count = int(min(max(1e6 / statistics.median(times), 1), 1e5))
            once, twice = (self.instructions(work, by, n) for n in (count, 2 * count))
            cost["instructions"] = max(twice - once, 0) / count
        return cost | {"rounds_ns": times}

    def instructions(self, work, by, count):
        log = ["--log-fd=1", "--callgrind-out-file=/dev/null"]
        valgrind = ["valgrind", "--tool=callgrind", *log]
        return int(
            re.search(
                r"Collected : (\d+)", self.run("count", work, by, str(count), before=valgrind)
            )[1]
        )

    def sizes(self):
        """The sizes of the files that users install or download, and those that the harness measures."""
        for what, path in self.files.items():
            yield {"language": self.language, "what": what, "bytes": Path(path).stat().st_size}
        if self.language in SIZED:
            for line in self.run("sizes").splitlines():
                yield {"language": self.language} | json.loads(line)

    def check(self):
        """Does every work once. The times do not matter."""
        if not self.works:
            sys.exit("error: no works")
        print(self.run("check"), end="")
        missing = [what for what in results.floors_of(self.language) if what not in self.works]
        if missing:
            sys.exit(f"error: floors of works that {self.language} does not have: {missing}")


def simulator(is_quick):
    """What a call of the simulator costs with more and more clients."""
    cargo = os.environ.get("CARGO", "cargo")
    command = [cargo, "bench", "--quiet", "--package", "backoff-sim", "--bench", "growth"]
    lines = output([*command, "--", "5" if is_quick else "7"], cwd=pages.ROOT).splitlines()
    return list(map(json.loads, lines))


def measure(languages, rounds, time_ms):
    """Measures everything in rounds: in every other one the peers come first."""
    address = server.start()
    harnesses = [Harness(language, address) for language in languages]
    for number in range(1, rounds + 1):
        print(f"==> round {number} of {rounds}", file=sys.stderr)
        for harness in harnesses:
            harness.measure(time_ms, number % 2 == 0)
    return {
        "machine": machine(),
        "rounds": rounds,
        "time_ms": time_ms,
        "versions": [tool for harness in harnesses for tool in harness.versions()],
        "rows": [row for harness in harnesses for row in harness.rows()],
        "sizes": [size for harness in harnesses for size in harness.sizes()],
    }


def machine():
    cpus = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*: (.*)", cpus.read_text()) if cpus.exists() else None
    return {
        "processor": model[1] if model else platform.machine(),
        "cores": len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count(),
        "system": f"{platform.system()} {platform.release()}",
    }


def main():
    parser = argparse.ArgumentParser(prog="cargo xtask bench")
    parser.add_argument("language", nargs="?", choices=[*pages.TITLES, "simulator"])
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("--json", metavar="FILE", help="write the results")
    parser.add_argument("--compare", metavar="OLD.json", type=results.read, help="say what changed")
    parser.add_argument("--check", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    languages = [options.language] if options.language else list(pages.TITLES)
    if options.check:
        address = server.start()
        for language in languages:
            Harness(language, address).check()
        return
    has_simulator = options.language in (None, "simulator")
    if options.language == "simulator":
        languages = []
    found = measure(languages, *((5, 20) if options.quick else (10, 50)))
    found["simulator"] = simulator(options.quick) if has_simulator else []
    print(pages.full(found), end="")
    if options.json:
        Path(options.json).write_text(results.text(found), encoding="utf-8")
    if options.compare:
        print(f"\nSince the other run:\n{compare.changes(options.compare, found)}", end="")


if __name__ == "__main__":
    main()
