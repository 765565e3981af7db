"""The results of a run, as results.json holds them: a row for each work of ours beside each peer."""

import json
import re
import statistics
import sys

#: The label of our own measurements.
OURS = "ours"

#: How fast is fast enough, by language, work and the beginning of the peer's name: our time as a part of the peer's, or
#: the peer's plus a number of nanoseconds. The first row that matches counts.
FLOORS = [
    ("rust", "next", "by hand (fastrand)", 0.75),
    ("rust", "next, proportional", "backon", 0.5),
    ("rust", "next", "tokio-retry", 0.1),
    ("rust", "batch of 1000000", "memset", 2.5),
    ("rust", "loop, success at once", "backon", 1.0),
    ("rust", "loop, two failures", "backon", 4.0),
    ("rust", "1000 loops", "", 1.0),
    ("c", "next", "an empty call", 2.2),
    ("c", "random access", "by hand", 3.0),
    ("c", "batch of 1000000", "by hand", 1.2),
    ("python", "next", "a C extension", 1.25),
    ("python", "next", "by hand (random.uniform)", 1 / 7),
    ("python", "next", "backoff (litl)", 1 / 8),
    ("python", "batch of 1000000", "numpy", 0.6),
    ("python", "list of 1000", "numpy", 1.2),
    ("python", "loop, success at once", "backoff (litl)", 1.0),
    ("python", "loop, success at once", "tenacity", 1 / 5),
    ("python", "loop, one failure", "backoff (litl)", 1 / 2),
    ("python", "loop, one failure", "tenacity", 1 / 2),
    ("python", "1000 loops", "backoff (litl)", 0.7),
    ("python", "1000 loops", "", 1.0),
    ("python", "import", "bare", "+5e6"),
    ("python", "import and decorate", "tenacity", 0.6),
    ("js", "next", "by hand (1<<a)", 1.25),
    ("js", "next", "by hand (2**a)", 0.5),
    ("js", "next", "", 1 / 4),
    ("js", "loop, success at once", "p-retry", 1.0),
    ("js", "loop, success at once", "cockatiel", 1.3),
    ("js", "loop, one failure", "cockatiel", 1.3),
    ("js", "loop, two failures", "cockatiel", 1.3),
    ("js", "1000 loops", "cockatiel", 1.3),
    ("js", "1000 loops", "", 1.0),
    ("js", "retriable function, success at once", "cockatiel", 1.0),
    ("js", "retriable function, one failure", "cockatiel", 1.0),
    ("js", "retriable function, two failures", "cockatiel", 1.0),
    ("js", "retriable function, 1000 loops", "cockatiel", 1.0),
    ("go", "next", "by hand (SplitMix64)", 1.5),
    ("go", "next", "by hand (math/rand)", 0.6),
    ("go", "next, proportional", "cenkalti v4", 1 / 2),
    ("go", "next, proportional", "cenkalti", 1.0),
    ("go", "loop, success at once", "", 1.0),
    ("go", "loop by policy string, success at once", "", 1.0),
    ("go", "loop by default, success at once", "", 1.0),
    ("go", "loop, two failures, waits of 1 ns", "cenkalti v5", 1.0),
    ("go", "loop, two failures, waits of 1 ms", "cenkalti v5", 1.0),
    ("go", "new and 3 delays, proportional", "cenkalti v5", 1.0),
    ("go", "1000 loops", "", 1.0),
]

#: The same for sizes, by language and name, in bytes or nanoseconds.
SIZE_FLOORS = {
    ("go", "a program over an empty one"): 400_000,
    ("go", "heap of a loop that waits"): 570,
    ("go", "compilation of the package"): 1.5e9,
}


def floors_of(language):
    """The works of a language that have a floor."""
    return dict.fromkeys(work for of_language, work, _, _ in FLOORS if of_language == language)


def floor(row):
    """The largest ratio that is fast enough, or None."""
    for language, work, prefix, bound in FLOORS:
        if (language, work) == (row["language"], row["work"]) and row["peer"].startswith(prefix):
            absolute = isinstance(bound, str) and row["peer_ns"]
            return (row["peer_ns"] + float(bound)) / row["peer_ns"] if absolute else bound
    return None


def is_behind(row):
    """Whether another library takes less time. It is not the floor of a language, or code by hand, so it has a version."""
    return bool(row["ratio"] and row["ratio"] > 1 and re.search(r" v?\d+\.\d+", row["peer"]))


def row(language, work, peer, ours, theirs):
    """A row. Without a peer, its name is empty and its numbers are missing."""
    rounds = zip(ours["rounds_ns"], theirs["rounds_ns"], strict=True) if peer else ()
    ratios = [mine / other for mine, other in rounds]
    peer_ns = statistics.median(theirs["rounds_ns"]) if ratios else None
    # The range of the middle 80 percent.
    low, *_, high = (
        statistics.quantiles(ratios, n=10, method="inclusive") if ratios else (None, None)
    )
    return {
        "language": language,
        "work": work,
        "peer": peer,
        "ours_ns": statistics.median(ours["rounds_ns"]),
        "peer_ns": peer_ns,
        "ratio": statistics.median(ratios) if ratios else None,
        "ratio_low": low,
        "ratio_high": high,
        "ours": ours,
        "theirs": theirs,
    }


def text(results):
    """The file: a row on each line, so that a difference shows a row."""

    def value(member):
        if not isinstance(member, list):
            return compact(member)
        return "[\n  " + ",\n  ".join(map(compact, member)) + "\n]"

    members = [f'"{name}": {value(member)}' for name, member in results.items()]
    return "{\n" + ",\n".join(members) + "\n}\n"


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        sys.exit(f"error: {path}: {error}")
