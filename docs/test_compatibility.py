"""Tests of the record of what the packages ran on, and of its table."""

import json

import compatibility


def row(language, group, name, version=None):
    found = {"language": language, "group": group, "name": name}
    return found | ({"version": version} if version else {})


GO = row("Go", "platforms", "linux/386")
BUNDLERS = [
    row("JavaScript", "bundlers", *found) for found in (("esbuild", "0.28.2"), ("rollup", "4"))
]


def test_the_table_has_a_line_for_each_group():
    assert compatibility.table([GO, *BUNDLERS]) == (
        "\n| language | | tested with |\n|---|---|---|\n| Go | platforms | linux/386 |\n"
        "| JavaScript | bundlers | esbuild 0.28.2, rollup 4 |\n\n"
    )


def test_what_ran_replaces_its_line():
    vite = row("JavaScript", "bundlers", "vite", "8")
    assert compatibility.merged([GO, *BUNDLERS], [vite, vite]) == [GO, vite]


def test_the_record_is_as_it_is_saved():
    text = (compatibility.ROOT / compatibility.RECORD).read_text(encoding="utf-8")
    assert compatibility.recorded(compatibility.merged(json.loads(text), [])) == text
