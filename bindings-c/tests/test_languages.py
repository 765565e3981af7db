"""The bindings of examples/languages, as they are installed. `cargo xtask test --all c` runs it, and fails if a language is
skipped."""

import json
import os
import re
import shutil
import sys
from glob import glob
from typing import NamedTuple

import pytest
from installation import FOLDER, GIVEN, PREFIX, ran, run

TESTS = FOLDER.parent / "tests"
sys.path.insert(0, str(TESTS))
from reference import delays, parse_error, streams, strings  # noqa: E402

LANGUAGES = PREFIX / "share/backoff/examples/languages"
#: The members that select a form of request, in the order of tests/README.md: the first that is present decides.
FORMS = ["retry_after", "response", "state", "exchange", "steps", "fit", "preview", "delays"]
LONGEST_BINDING = 100
#: Where a JDK may be that is new enough, and Zig, which Debian does not have.
FOLDERS = [GIVEN["zig"]["folder"], *glob("/usr/lib/jvm/*-2[5-9]-*/bin")]
PROGRAMS = os.pathsep.join([*FOLDERS, os.environ["PATH"]])


class Language(NamedTuple):
    name: str
    folder: str
    packages: list[str]
    build: list[str]
    first: list[str]
    evaluator: list[str]
    unanswered: list[str]


def table():
    """The languages, whose commands are in backticks."""
    for line in (LANGUAGES / "README.md").read_text(encoding="utf-8").splitlines():
        if row := re.match(r"\| \[(.*?)\]\((.*?)\)[^|]*\|(.*)\|$", line):
            cells = [re.findall(r"`([^`]*)`", cell) for cell in row[3].split("|")]
            yield Language(row[1], row[2], *cells)


TABLE = list(table())


def form_of(request):
    """The form of a line, or None: a delay, or no request."""
    try:
        asked = json.loads(request if isinstance(request, str) else bytes(request))
    except ValueError:
        asked = None
    return next((form for form in FORMS if isinstance(asked, dict) and form in asked), None)


@pytest.fixture(scope="module")
def forms():
    """The form of each request of `backoff verify`."""
    lines = (TESTS / "vectors/requests.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [asked for line in lines for asked in json.loads(line).get("asked", [])]
    return [form_of(request) for _, request, _ in asked]


def expected_of_the_first_program():
    """What the reference says."""
    policy = strings.parse("policy", "full:base=100ms,cap=20s,max_retries=5")
    waits = [delays.delay(policy, streams.stream(42, b"job-1"), index) for index in range(2)]
    with pytest.raises(parse_error.ParseError) as error:
        strings.parse("policy", "full:base=1")
    lines = [f"attempt {n}: timeout, wait {wait} ns\n" for n, wait in enumerate(waits, 1)]
    return "".join(lines) + f"ready\n{error.value}\n"


def test_the_table_has_every_folder():
    folders = {path.name for path in LANGUAGES.iterdir() if path.is_dir()}
    assert {language.folder for language in TABLE} == folders


@pytest.mark.parametrize("language", TABLE, ids=lambda language: language.folder)
def test_a_language(language, forms, tmp_path):
    place, out = tmp_path / language.folder, tmp_path / "out"
    shutil.copytree(LANGUAGES / language.folder, place)
    out.mkdir()
    [program] = re.findall(r"^\S+", (language.build + language.evaluator)[0])
    if shutil.which(program, path=PROGRAMS) is None:
        pytest.skip(f"no {program} for {language.name}: apt-get install {language.packages[0]}")
    binding = next(path for path in place.iterdir() if path.stem.lower() == "backoff")
    assert len(binding.read_text(encoding="utf-8").splitlines()) <= LONGEST_BINDING

    def shell(command):
        given = {"BACKOFF_PREFIX": str(PREFIX), "OUT": str(out), "BACKOFF": GIVEN["backoff"]}
        found = {"PATH": PROGRAMS, "ZIG_GLOBAL_CACHE_DIR": GIVEN["zig"]["cache"]}
        return run("sh", "-ec", command, cwd=place, env=given | found)

    for command in language.build:
        shell(command)
    [first], [evaluator] = language.first, language.evaluator
    assert shell(first) == expected_of_the_first_program()
    unsupported = sum(form in language.unanswered for form in forms)
    right = f"passed: {len(forms) - unsupported} of {len(forms)} answers are right"
    verified = shell(f'"$BACKOFF" verify -- {evaluator}').splitlines()[-1]
    assert verified == right + (f", {unsupported} are unsupported" if unsupported else "")
    ran("languages", language.name)
