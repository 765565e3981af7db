"""`cargo xtask demo`: the parameter sets of published articles in all languages, side by side."""

import json
import sys
from itertools import zip_longest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "integrations"))

import programs

VECTORS = Path(__file__).parents[1] / "vectors"
#: That of the vectors.
KEY = "job-1"
NEXT = f"""
seed 42, key "{KEY}"; another key gives other delays, again the same in every language.
Next:
  docs/programs.md                      the same loop in each language
  cargo xtask package --host --out DIR  the wheel, the npm tarball and the crates to install
  cargo xtask install --prefix DIR      libbackoff for C
  cargo xtask scenario                  five HTTP clients and a server that fails
  cargo xtask test                      the tests"""


def request(case):
    asked = {"via": "next", "index": 0, "count": len(case["delays"])}
    members = {"policy": case["policy"], "seed": case["seed"], "key": KEY, "delays": asked}
    return json.dumps(members) + "\n"


def main():
    """Fails if a language disagrees with the vectors."""
    evaluators = programs.of("evaluators")
    cases = json.loads((VECTORS / "articles.json").read_text(encoding="utf-8"))["cases"]
    requests = "".join(map(request, cases)).encode()
    answers = [programs.answers(found, requests).splitlines() for found in evaluators.values()]
    agreed = 0
    for case, *lines in zip(cases, *answers, strict=True):
        columns = [json.loads(line)["delays"] for line in lines]
        print(f"\n{case['why']}\nretry" + "".join(f"{name + ' ns':>16}" for name in evaluators))
        for number, delays in enumerate(zip_longest(*columns, fillvalue=""), 1):
            print(f"{number:>5}" + "".join(f"{delay:>16}" for delay in delays))
        is_same = all(column == case["delays"] for column in columns)
        agreed += is_same
        if not is_same:
            print("NOT THE SAME")
    count, names = len(cases), len(evaluators)
    print(f"\n{agreed} of {count} parameter sets: the same nanoseconds in {names} languages")
    if not cases or agreed < count:
        sys.exit("error: the languages disagree")
    print(NEXT)


if __name__ == "__main__":
    main()
