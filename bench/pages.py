"""The tables and the chart that the documents show, made from results.json: pages.py FOLDER writes them there."""

import html
import math
import sys
from itertools import groupby
from pathlib import Path

import results

ROOT = Path(__file__).parent.parent
RECORD = "bench/results.json"
PAGE, SHORT_PAGE, CHART = "bench/README.md", "docs/speed.md", "docs/speed.svg"
#: The works of the short table.
SHOWN = ("next", "next, proportional", "loop, success at once", "loop, two failures", "1000 loops")
#: The most that a call of the simulator may cost with ten million clients, as a part of that with a thousand.
MAX_GROWTH = 2.0
#: A count that only the other side has.
NONE = "\N{EN DASH}"
TITLES = {"rust": "Rust", "c": "C", "go": "Go", "python": "Python", "js": "JavaScript"}


def time(ns):
    """A time with three digits and its unit."""
    for unit, size in (("ns", 1), ("µs", 1e3)):
        if ns < size * 1e3:
            return f"{digits(ns / size)} {unit}"
    return f"{digits(ns / 1e6)} ms"


def digits(value):
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"


def ratio(value):
    """A ratio with two or three digits."""
    return f"{value:.3f}" if value < 0.1 else digits(value)


def table(*rows):
    """A table in Markdown: the heading and the rows."""
    heading, *rows = ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    heading = heading.replace("|  |", "| |")
    return "\n".join(["", heading, "|---" * (heading.count("|") - 1) + "|", *rows, ""])


def short(record):
    """The works that most programs do, a line for each."""
    rows = [("", "work", "ours", "ours divided by others")]
    selected = [row for row in record["rows"] if row["work"] in SHOWN]
    for (language, work), group in groupby(selected, lambda row: (row["language"], row["work"])):
        group = list(group)
        peers = [
            bold(f"{row['peer']} {ratio(row['ratio'])}", results.is_behind(row))
            for row in group
            if row["ratio"] is not None
        ]
        rows.append((TITLES[language], work, time(group[0]["ours_ns"]), ", ".join(peers)))
    return table(*rows) + "\n"


def full(record):
    """Everything that was measured."""
    machine, rounds, time_ms = record["machine"], record["rounds"], record["time_ms"]
    heading = "work, beside, ours, theirs, ratio, spread, at most, bytes, allocations, instructions"
    tools = [
        (TITLES[language], ", ".join(f"{tool['name']} {tool['version']}" for tool in group))
        for language, group in groupby(record["versions"], lambda tool: tool["language"])
    ]
    return (
        f"\n{machine['processor']} with {machine['cores']} cores, {machine['system']}. "
        f"Rounds: {rounds}, with {time_ms} ms for each measurement.\n"
        + table(("", *heading.split(", ")), *map(line, record["rows"]))
        + table(("", "size", "ours", "at most"), *map(size_line, record["sizes"]))
        + simulator(record.get("simulator", []))
        + table(("", "measured with"), *tools)
        + "\n"
    )


def simulator(lines):
    """What a call of the simulator costs, a row for each number of clients."""
    rows = [("simulator", "clients", "threads", "a call", "as a part of that of the fewest")]
    for (what, threads), group in groupby(
        sorted(lines, key=lambda line: (line["what"], line["threads"], line["clients"])),
        lambda line: (line["what"], line["threads"]),
    ):
        group = list(group)
        for line in group:
            of_fewest = line["ns"] / group[0]["ns"]
            slow = at_most(MAX_GROWTH, of_fewest, ratio).partition(" ")[2]
            rows.append(
                (
                    what,
                    line["clients"],
                    threads,
                    time(line["ns"]),
                    f"{ratio(of_fewest)} {slow}".strip(),
                )
            )
    return table(*rows) if lines else ""


def shown(value, form=str):
    return "" if value is None else form(value)


def bold(text, is_bold):
    return f"**{text}**" if is_bold else text


def at_most(bound, value, form):
    """A floor, and whether a value misses it."""
    return shown(bound, form) + (" (missed)" if bound is not None and value > bound else "")


def line(row):
    low, high = (shown(row[name], ratio) for name in ("ratio_low", "ratio_high"))
    is_behind = results.is_behind(row)
    return (
        TITLES[row["language"]],
        row["work"],
        bold(row["peer"], is_behind),
        time(row["ours_ns"]),
        shown(row["peer_ns"], time),
        bold(shown(row["ratio"], ratio), is_behind),
        low and f"{low} to {high}",
        at_most(results.floor(row), row["ratio"], ratio),
        *(both(row, name) for name in ("bytes", "allocations", "instructions")),
    )


def size_line(size):
    value, form = (size["ns"], time) if "ns" in size else (size["bytes"], "{:,} bytes".format)
    bound = results.SIZE_FLOORS.get((size["language"], size["what"]))
    return TITLES[size["language"]], size["what"], form(value), at_most(bound, value, form)


def both(row, name):
    """A count of ours and of theirs."""
    ours, theirs = (shown(row[by].get(name), "{:.0f}".format) for by in ("ours", "theirs"))
    return f"{ours or NONE} / {theirs}" if theirs else ours


#: The works of the chart, each a column.
COLUMNS = (
    ("next", "One delay with full jitter"),
    ("loop, two failures", "A loop that fails twice, without waiting"),
)
WIDTH, TOP, LINE = 480, 64, 17
#: Where the bars of a column begin and end.
LEFT, RIGHT = 210, 430
STYLE = """\
text { font: 12px system-ui, "Noto Sans", sans-serif; fill: #1f2328 }
.title { font-size: 14px; font-weight: 600 }
.muted { fill: #59636e }
.paper { fill: #ffffff }
.slower { fill: #0068a8 }
.faster { fill: #c34e00 }
line { stroke: #59636e }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.muted { fill: #9198a1 }
.paper { fill: #0d1117 }
.slower { fill: #58b2f0 }
.faster { fill: #ff8a45 }
line { stroke: #9198a1 }
}
"""


def svg(record):
    """How long others take, as a multiple of our time."""
    columns = [
        [row for row in record["rows"] if row["work"] == work and row["ratio"] is not None]
        for work, _ in COLUMNS
    ]
    # A line for each row, and one for each language.
    max_lines = max(len(rows) + len({row["language"] for row in rows}) for rows in columns)
    width, height = WIDTH * len(COLUMNS), TOP + LINE * max_lines + 12
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">',
        f"<style>\n{STYLE}</style>",
        f'<rect class="paper" width="{width}" height="{height}"/>',
    ]
    for place, ((_, heading), rows) in enumerate(zip(COLUMNS, columns, strict=True)):
        lines += [f'<g transform="translate({place * WIDTH} 0)">', *column(heading, rows), "</g>"]
    return "\n".join([*lines, "</svg>", ""])


def column(heading, rows):
    logs = [-math.log(row["ratio"]) for row in rows]
    # The line of our time is always in the picture.
    low, high = min([0.0, *logs]), max([0.1, *logs])

    def x(multiple):
        return LEFT + (math.log(multiple) - low) / (high - low) * (RIGHT - LEFT)

    yield f'<text class="title" x="12" y="24">{heading}</text>'
    note = "time of others as a multiple of ours, logarithmic"
    yield f'<text class="muted" x="12" y="44">{note}</text>'
    y, one = TOP, x(1)
    for language, group in groupby(rows, lambda row: row["language"]):
        y += LINE
        yield f'<text class="title" x="12" y="{y}">{TITLES[language]}</text>'
        for multiple, peer in sorted((1 / row["ratio"], row["peer"]) for row in group):
            y += LINE
            end = x(multiple)
            yield (
                f'<text class="muted" x="{LEFT - 8}" y="{y}" text-anchor="end">'
                f"{html.escape(peer, quote=False)}</text>"
            )
            yield (
                f'<rect class="{"faster" if multiple < 1 else "slower"}" x="{min(one, end):.1f}" y="{y - 11}" '
                f'width="{abs(end - one):.1f}" height="13"/>'
            )
            yield f'<text x="{max(end, one) + 5:.1f}" y="{y}">{ratio(multiple)}</text>'
    yield f'<line x1="{one:.1f}" x2="{one:.1f}" y1="{TOP + 4}" y2="{y}"/>'


def with_part(page, source, part):
    """A page with this text between the marks of its source."""
    before, begin, rest = page.partition(f"<!-- from {source} -->\n")
    _, end, after = rest.partition("<!-- end -->\n")
    if not end:
        sys.exit(f"error: no marks for {source}")
    return before + begin + part + end + after


def main():
    record, folder = results.read(ROOT / RECORD), Path(sys.argv[1])
    files = {CHART: svg(record)}
    for page, part in ((SHORT_PAGE, short(record)), (PAGE, full(record))):
        files[page] = with_part((ROOT / page).read_text(encoding="utf-8"), RECORD, part)
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
