"""Asks a program that is an evaluator the requests of tests/vectors/requests.jsonl, and compares its answers.

Usage: answers.py COMMAND...
"""

import json
import subprocess
import sys
from pathlib import Path

VECTORS = Path(__file__).parents[2] / "tests/vectors"


def asked() -> list[tuple[str, bytes, bytes]]:
    """The name, the request and the answer of each request of one line."""
    rows = map(json.loads, (VECTORS / "requests.jsonl").read_text(encoding="utf-8").splitlines())
    return [
        (row["id"] + part, line.encode() if isinstance(line, str) else bytes(line), answer.encode())
        for row in rows
        for part, line, answer in row.get("asked", [])
        if row["id"] != "protocol/last-line-feed"
    ]


def main(command: list[str]) -> int:
    requests = asked()
    # The last line needs no line feed.
    lines = b"\n".join(line for _, line, _ in requests)
    done = subprocess.run(command, input=lines, stdout=subprocess.PIPE)
    found = done.stdout.replace(b"\r\n", b"\n").split(b"\n")
    wrong = abs(len(found) - len(requests) - 1) + (done.returncode != 0)
    for (name, line, answer), other in zip(requests, found, strict=False):
        if answer != other:
            wrong += 1
            print(f"FAIL {name}\nasked    {line}\nexpected {answer}\nfound    {other}")
    print(f"{len(requests)} passed, {wrong} failed")
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
