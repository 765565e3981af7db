"""Tests of what `cargo xtask bench` computes and writes."""

import urllib.error
import urllib.request

import compare
import pages
import pytest
import results
import server


def test_every_floor_has_a_peer():
    # A harness checks that it has the works of its floors.
    rows = results.read(pages.ROOT / pages.RECORD)["rows"]
    measured = {(row["language"], row["work"]) for row in rows}
    for language, work, peer, _ in results.FLOORS:
        if (language, work) in measured:
            assert any(
                (row["language"], row["work"]) == (language, work) and row["peer"].startswith(peer)
                for row in rows
            ), (language, work, peer)


@pytest.mark.parametrize(
    ("language", "work", "peer", "ratio"),
    [
        ("js", "next", "by hand (2**a)", 0.5),
        ("js", "next", "p-retry 7.1.1", 0.25),
        # 5 ms more than 10 ms.
        ("python", "import", "bare Python", 1.5),
        ("rust", "parse", "backon 1.6.0", None),
    ],
)
def test_a_floor_is_a_ratio(language, work, peer, ratio):
    row = {"language": language, "work": work, "peer": peer, "peer_ns": 10e6}
    assert results.floor(row) == ratio


@pytest.mark.parametrize(
    ("peer", "ratio", "is_behind"),
    [
        ("backon 1.6.0", 1.01, True),
        ("sethvargo/go-retry v0.5.0", 1.3, True),
        ("numpy 2.4.6 (windows)", 2.0, True),
        ("backon 1.6.0", 0.99, False),
        ("by hand (2**a)", 2.0, False),
        ("a C extension", 2.0, False),
        ("", None, False),
    ],
)
def test_a_row_is_bold_if_a_library_is_faster(peer, ratio, is_behind):
    assert results.is_behind({"peer": peer, "ratio": ratio}) is is_behind


def test_the_full_table_says_what_is_missed():
    ours = {"rounds_ns": [30.0, 30.0]}
    row = results.row("rust", "loop, two failures", "backon 1.6.0", ours, {"rounds_ns": [5.0, 5.0]})
    assert pages.line(row)[:8] == (
        *("Rust", "loop, two failures", "**backon 1.6.0**", "30.0 ns", "5.00 ns", "**6.00**"),
        *("6.00 to 6.00", "4.00 (missed)"),
    )


def test_the_simulator_has_a_row_for_each_number_of_clients():
    lines = [
        {"what": "outage", "clients": clients, "threads": 1, "ns": ns}
        for clients, ns in ((1000, 100.0), (10_000_000, 250.0))
    ]
    assert pages.simulator(lines).splitlines()[3:] == [
        "| outage | 1000 | 1 | 100 ns | 1.00 |",
        "| outage | 10000000 | 1 | 250 ns | 2.50 (missed) |",
    ]
    assert pages.simulator([]) == ""


@pytest.mark.parametrize(
    ("size", "line"),
    [
        ({"what": "heap of a loop that waits", "bytes": 570}, ("570 bytes", "570 bytes")),
        ({"what": "compilation of the package", "ns": 2e9}, ("2000 ms", "1500 ms (missed)")),
        ({"what": "something else", "bytes": 1234}, ("1,234 bytes", "")),
    ],
)
def test_sizes_have_floors(size, line):
    assert pages.size_line({"language": "go"} | size) == ("Go", size["what"], *line)


def test_a_row_has_the_middle_of_the_rounds():
    rounds = [float(ns) for ns in range(11)]
    row = results.row("go", "next", "a", {"rounds_ns": rounds[::-1]}, {"rounds_ns": [2.0] * 11})
    assert (row["ours_ns"], row["peer_ns"]) == (5, 2)
    assert [row[name] for name in ("ratio", "ratio_low", "ratio_high")] == [2.5, 0.5, 4.5]
    alone = results.row("go", "next", "", {"rounds_ns": [4.0, 1.0]}, {"rounds_ns": []})
    assert (alone["ours_ns"], alone["ratio"], alone["ratio_high"]) == (2.5, None, None)


def test_the_record_is_as_it_is_written():
    path = pages.ROOT / pages.RECORD
    assert results.text(results.read(path)) == path.read_text(encoding="utf-8")


def test_times_have_three_digits_and_ratios_two_or_three():
    times = [0.5, 9.994, 12.34, 999.4, 1000.0, 45_600.0, 7.89e8]
    assert list(map(pages.time, times)) == (
        ["0.50 ns", "9.99 ns", "12.3 ns", "999 ns", "1.00 µs", "45.6 µs", "789 ms"]
    )
    ratios = [0.0123, 0.1, 1.0, 23.45, 123.4]
    assert list(map(pages.ratio, ratios)) == ["0.012", "0.10", "1.00", "23.4", "123"]


def test_only_the_part_of_the_source_changes():
    page = "a\n<!-- from x -->\nold\n<!-- end -->\nb\n<!-- from y -->\nc\n<!-- end -->\n"
    assert pages.with_part(page, "x", "new\n") == page.replace("old", "new")
    with pytest.raises(SystemExit):
        pages.with_part(page, "z", "")


def test_the_chart_escapes_names():
    row = {"language": "js", "work": "next", "peer": "1<<a & b", "ratio": 0.5}
    assert ">1&lt;&lt;a &amp; b</text>" in pages.svg({"rows": [row]})


def test_the_test_has_the_published_values():
    # Mann and Whitney 1947: of 3 and 3 values, U is 0 in 1 of 20 orders, 1 in 1, 2 in 2, 3 in 3.
    counts = [compare.orders(3, 3, pairs) for pairs in range(11)]
    assert counts == [1, 1, 2, 3, 3, 3, 3, 2, 1, 1, 0]
    # scipy.stats.mannwhitneyu(range(5), range(5, 10)).pvalue, and of [1, 3, 5] and [2, 4, 6]
    low, high = range(5), range(5, 10)
    assert compare.p_value(low, high) == pytest.approx(0.007936507936507936, abs=1e-15)
    assert compare.p_value(high, low) == pytest.approx(0.007936507936507936, abs=1e-15)
    assert compare.p_value([1, 3, 5], [2, 4, 6]) == pytest.approx(0.7, abs=1e-15)
    assert compare.p_value([1, 2], [1, 2]) == 1


def run(machine, ours, allocations, size):
    """A run in which everything takes `machine` times as long, and ours `ours` times."""

    def cost(factor):
        rounds = [machine * factor * (10 + round / 9) for round in range(9)]
        return {"allocations": allocations, "rounds_ns": rounds}

    row = {"language": "go", "work": "next", "peer": "by hand"}
    return {
        "rows": [row | {"ours": cost(ours), "theirs": cost(2)}],
        "sizes": [{"language": "js", "what": "bundle", "bytes": size}],
    }


def test_the_server_is_busy_every_other_time():
    address = server.start()

    def status(path):
        try:
            with urllib.request.urlopen(address + path) as response:
                assert response.read() == b"ok"
                return response.status
        except urllib.error.HTTPError as error:
            return error.code

    assert [status("/busy") for _ in range(4)] == [503, 200, 503, 200]
    assert [status("/") for _ in range(3)] == [200] * 3


@pytest.mark.parametrize(
    ("new", "changes"),
    [
        # A slower machine is no change, and 4 percent are too little.
        (run(3, 1, 3, 7), "nothing changed\n"),
        (run(3, 1.04, 3, 7), "nothing changed\n"),
        (run(3, 1.5, 3, 7), "go: next: 50 % slower (confidence 99.9 %)\n"),
        (
            run(1, 0.5, 4, 8),
            "go: next: 50 % faster (confidence 99.9 %)\n"
            "go: next: 4 allocations, 3 before\n"
            "js: bundle: 8 bytes, 7 before\n",
        ),
    ],
)
def test_changes_beyond_chance_are_reported(new, changes):
    assert compare.changes(run(1, 1, 3, 7), new) == changes
