"""Where the packages ran: docs/compatibility.json, and the table of docs/compatibility.md made from it.

compatibility.py write FOLDER  writes the page there
compatibility.py save FILE     puts what ran, a line of JSON for each, in place of the same lines of the table
"""

import json
import sys
from itertools import groupby
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "bench"))

from pages import with_part

ROOT = Path(__file__).parent.parent
RECORD, PAGE = "docs/compatibility.json", "docs/compatibility.md"


def line_of(row):
    """The line of the table with a row of the record."""
    return row["language"], row["group"]


def order(row):
    return *line_of(row), row["name"], row.get("version", "")


def table(rows):
    text = "\n| language | | tested with |\n|---|---|---|\n"
    for (language, group), found in groupby(rows, line_of):
        names = (f"{row['name']} {row.get('version', '')}".strip() for row in found)
        text += f"| {language} | {group} | {', '.join(names)} |\n"
    return text + "\n"


def merged(old, ran):
    """The record with what ran, each row once."""
    new = set(map(line_of, ran))
    rows = [row for row in old if line_of(row) not in new] + ran
    return list({order(row): row for row in sorted(rows, key=order)}.values())


def write(folder):
    rows = json.loads((ROOT / RECORD).read_text(encoding="utf-8"))
    page = with_part((ROOT / PAGE).read_text(encoding="utf-8"), RECORD, table(rows))
    (Path(folder) / "docs").mkdir(parents=True, exist_ok=True)
    (Path(folder) / PAGE).write_text(page, encoding="utf-8")


def save(file):
    ran = [json.loads(line) for line in Path(file).read_text(encoding="utf-8").splitlines()]
    rows = merged(json.loads((ROOT / RECORD).read_text(encoding="utf-8")), ran)
    (ROOT / RECORD).write_text(recorded(rows), encoding="utf-8")


def recorded(rows):
    """The record: a row on each line, so that a difference shows a row."""
    lines = (json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows)
    return "[\n  " + ",\n  ".join(lines) + "\n]\n"


if __name__ == "__main__":
    verb, path = sys.argv[1:]
    {"write": write, "save": save}[verb](path)
