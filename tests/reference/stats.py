"""Clause 17: stats."""

import re

from reference.numbers import WORD_MAX
from reference.operations import REASONS

BOUNDS = [1, 2, 3, 4, 5, 6, 8, 10, 15, 25, 50]


class RetryStats:  # 17.1
    def __init__(self):
        self.buckets = [0] * (len(BOUNDS) + 1)
        self.retries = 0
        self.stops = dict.fromkeys(REASONS, 0)

    def record(self, attempts, reason):
        bucket = sum(attempts > bound for bound in BOUNDS)
        self.buckets[bucket] = saturated(self.buckets[bucket] + 1)
        self.retries = saturated(self.retries + max(attempts, 1) - 1)
        self.stops[reason] = saturated(self.stops[reason] + 1)

    def merge(self, other):
        self.buckets = [saturated(a + b) for a, b in zip(self.buckets, other.buckets, strict=True)]
        self.retries = saturated(self.retries + other.retries)
        self.stops = {
            reason: saturated(n + other.stops[reason]) for reason, n in self.stops.items()
        }

    def labelled(self, prefix, labels):  # 17.3
        """The text, or None for a prefix or a name that is refused."""
        names = [name for name, _ in labels]
        reserved = {"le", "reason"} & {*names} or any(name.startswith("__") for name in names)
        if reserved or len({*names}) < len(names):
            return None
        if not re.fullmatch("[A-Za-z_:][A-Za-z0-9_:]*", prefix, re.ASCII):
            return None
        if not all(re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name, re.ASCII) for name in names):
            return None
        escapes = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n"})
        given = [f'{name}="{value.translate(escapes)}"' for name, value in labels]
        lines = []
        for line in self.prometheus().splitlines():
            if not line.startswith("#"):
                name, own, count = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\d+)", line).groups()
                labels = ",".join([*given, *([own] if own else [])])
                line = f"{name}{{{labels}}} {count}" if labels else f"{name} {count}"
            lines.append(re.sub(r"^(# \w+ )?backoff_", rf"\1{prefix}_", line))
        return "".join(f"{line}\n" for line in lines)

    def prometheus(self):  # 17.2
        operations = saturated(sum(self.buckets))
        lines = [
            "# HELP backoff_attempts Attempts of an operation.",
            "# TYPE backoff_attempts histogram",
            *(
                f'backoff_attempts_bucket{{le="{le}"}} {saturated(sum(self.buckets[: bucket + 1]))}'
                for bucket, le in enumerate([*BOUNDS, "+Inf"])
            ),
            f"backoff_attempts_sum {saturated(operations + self.retries)}",
            f"backoff_attempts_count {operations}",
            "# HELP backoff_retries_total Retries of all operations.",
            "# TYPE backoff_retries_total counter",
            f"backoff_retries_total {self.retries}",
            "# HELP backoff_stops_total Operations by the reason for which they stopped.",
            "# TYPE backoff_stops_total counter",
            *(f'backoff_stops_total{{reason="{reason}"}} {n}' for reason, n in self.stops.items()),
        ]
        return "".join(f"{line}\n" for line in lines)


def saturated(count):
    return min(count, WORD_MAX)
