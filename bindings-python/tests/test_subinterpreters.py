"""One interpreter of a process can import the package. The others get an error, not a crash."""

import subprocess
import sys
from pathlib import Path

import backoff_rs

SENTENCE = (
    "ImportError: backoff_rs runs in one interpreter of a process: the first that imports it, "
    "which is not an isolated subinterpreter"
)
PAGE = Path(__file__).parents[1] / "docs/platforms.md"

#: Makes subinterpreters, each kind as this Python calls it. mod_wsgi makes legacy ones.
PROGRAM = f"""
import sys

sys.path.insert(0, {str(Path(backoff_rs.__file__).parents[1])!r})

IMPORT = '''
import sys

sys.path[:] = {{path!r}}
try:
    import backoff_rs
except ImportError as error:
    print("ImportError:", error, flush=True)
else:
    stream = backoff_rs.RandomStream(42, "job-1")
    print(backoff_rs.Policy.parse("full:base=100ms").delay_ns(stream, 0), flush=True)
'''.format(path=sys.path)

if sys.version_info >= (3, 13):
    import _interpreters

    create, run = _interpreters.create, _interpreters.exec
else:
    import _xxsubinterpreters as _interpreters

    run = _interpreters.run_string

    def create(kind):
        kinds = {{"isolated": kind == "isolated"}} if sys.version_info >= (3, 12) else {{}}
        return _interpreters.create(**kinds)

legacy, other = create("legacy"), create("legacy")
"""


def output(code):
    command = [sys.executable, "-c", PROGRAM + code]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_second_interpreter_is_refused():
    """As under mod_wsgi: whichever imports it first keeps it."""
    assert output("run(legacy, IMPORT); run(other, IMPORT); run(legacy, IMPORT)") == [
        "11399434",
        SENTENCE,
        "11399434",
    ]
    assert output("exec(IMPORT); run(legacy, IMPORT); exec(IMPORT)") == [
        "11399434",
        SENTENCE,
        "11399434",
    ]


# Since 3.12 a subinterpreter can have a GIL of its own. There is nothing to test before.
if sys.version_info >= (3, 12):

    def test_an_isolated_subinterpreter_is_refused():
        assert output("run(create('isolated'), IMPORT); exec(IMPORT)") == [SENTENCE, "11399434"]


def test_the_page_says_so():
    says = " ".join(PAGE.read_text("utf-8").split())
    assert SENTENCE.partition("backoff_rs ")[2] in says
