"""Running the command `backoff`, and comparing its previews with the formulas of engines."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

PROGRAM = os.environ.get("BACKOFF", "backoff")
MS = 1_000_000
SECOND = 1_000_000_000
#: Enough to reach any cap below.
RETRIES = 40


def run(*arguments, text=None):
    done = subprocess.run([PROGRAM, *arguments], input=text, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done


def export(format, policy, budget=None):
    """The configuration, or nothing if it was refused."""
    option = [f"--budget={budget}"] if budget else []
    done = run("export", "--to", format, policy, *option)
    if done.returncode == 0:
        return done.stdout
    assert " has no equivalent in " in done.stderr, done.stderr
    return None


def exported(format, policy, budget=None):
    text = export(format, policy, budget)
    assert text is not None, f"{policy}, {budget} were refused"
    return text


def read_back(format, text):
    """The policy string and the budget string, or nothing if there is none."""
    done = run("import", "--from", format, text=text)
    assert done.returncode == 0, done.stderr
    policy, *budget = done.stdout.splitlines()
    return policy, budget[0] if budget else None


def ranges(policy):
    """The shortest, mean and longest delay of the first retries in nanoseconds."""
    lines = run("preview", policy, f"--retries={RETRIES}", "--json").stdout.splitlines()
    names = ["min_ns", "mean_ns", "max_ns"]
    return [tuple(int(json.loads(line)[name]) for name in names) for line in lines]


def agree(ours, theirs, resolution_ns):
    """Whether ranges differ by no more than what the engine rounds at each retry."""
    pairs = zip(ours, theirs, strict=True)
    for index, (row, expected) in enumerate(pairs):
        for one, other in zip(row, expected, strict=True):
            # The core rounds each window down, and so do some engines.
            assert abs(one - other) <= resolution_ns * (index + 1) + other * 1e-9, (
                index,
                row,
                expected,
            )


def reference(request):
    """The decisions of the reference implementation."""
    evaluate = [sys.executable, Path(__file__).parents[4] / "tests/evaluate.py"]
    line = json.dumps(request) + "\n"
    done = subprocess.run(evaluate, input=line, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["answers"]


def seconds(text):
    """The nanoseconds of a duration in the JSON of Protocol Buffers."""
    whole, _, decimals = text.removesuffix("s").partition(".")
    return int(whole) * SECOND + int(decimals.ljust(9, "0") or 0)


def policies(count, growths, units, jitters, rest, seed=42):
    """Policies of which most have an equivalent, and some do not."""
    draw = random.Random(seed)
    for _ in range(count):
        base, unit = draw.choice([1, 2, 5, 10, 25, 30, 100, 333]), draw.choice(units)
        head = draw.choice(growths).replace("BASE", f"{base}{unit}")
        caps = ["", "", *(f",cap={base * n}{unit}" for n in (1, 3, 10, 20, 97))]
        retries = [f",max_retries={n}" for n in (0, 1, 2, 3, 4, 4, 7, 12, 30)]
        parts = [head, draw.choice(caps), draw.choice(jitters), draw.choice([*retries, ""])]
        yield "".join(parts) + draw.choice(rest)
