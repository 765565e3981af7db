"""What importing the package imports, which is what it costs, and when the rest is imported."""

import subprocess
import sys
from pathlib import Path

import backoff_rs
import pytest

START = f"import sys; sys.path.insert(0, {str(Path(backoff_rs.__file__).parents[1])!r})\n"

#: Each takes many times as long to import as the package.
SLOW = {"ast", "dataclasses", "datetime", "decimal", "enum", "fractions", "inspect", "logging"}
SLOW |= {"re", "typing", "warnings"}

#: What only a loop with a failure imports of the package.
OF_A_FAILURE = {"_aliases", "_event", "_log", "_retry_error", "_types", "_verdict", "testing"}

DECORATE = """
from backoff_rs import retry

class Client:
    @retry("full:base=100ms,max_retries=5", on=(ConnectionError, TimeoutError), seed=1, key="k")
    def get(self):
        return "done"

assert Client().get() == retry(on=OSError).call(lambda: "done") == "done"
for attempt in retry(on=lambda error: True):
    with attempt:
        pass
"""


def run(code, *arguments, options=()):
    command = [sys.executable, "-I", *options, "-c", START + code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def imported(code):
    """The modules that this code imports, of Python and of the package."""
    before, after = "before = {*sys.modules}\n", "\nprint(*{*sys.modules} - before)"
    modules = run(before + code + after, options=["-S"]).split()
    own = {name for name in modules if name.partition(".")[0] == "backoff_rs"}
    return {*modules} - own, own


def test_the_package_imports_only_its_extension():
    """`os` does not count: Python imports it at every start, except with -S."""
    modules, own = imported("import backoff_rs")
    assert modules <= imported("import os")[0]
    assert own == {"backoff_rs", "backoff_rs._backoff"}


def test_calls_that_succeed_import_little():
    modules, own = imported(DECORATE)
    assert modules <= imported("import __future__, collections.abc, contextlib, functools")[0]
    assert not modules & SLOW
    assert "backoff_rs._loop" in own
    assert not {name.removeprefix("backoff_rs.") for name in own} & OF_A_FAILURE


def test_every_name_is_there():
    listed = "import backoff_rs; print(*dir(backoff_rs))"
    assert {*backoff_rs.__all__} <= {*run(listed).split()}
    stars = "from backoff_rs import *; print(*globals())"
    assert {*backoff_rs.__all__} <= {*run(stars).split()}
    with pytest.raises(AttributeError, match="module 'backoff_rs' has no attribute 'retries'"):
        backoff_rs.retries  # noqa: B018


INTERRUPT = """
from backoff_rs import Budget, RetryStats, retry

class Interrupt:
    def find_spec(self, name, *_):
        if name == sys.argv[1] and not tried:
            tried.append(name)
            raise KeyboardInterrupt

tried, failures = [], [ConnectionError("second"), ConnectionError("first")]
sys.meta_path.insert(0, Interrupt())
stats = RetryStats()
budget = Budget.parse("concurrent:min_concurrent=1,ratio=0")

@retry("constant:base=1ns", on=lambda error: True, budget=budget, stats=stats)
def fetch():
    if failures:
        raise failures.pop()

try:
    fetch()
except KeyboardInterrupt as interrupt:
    print(repr(interrupt.__context__), stats.stops["cancelled"])
fetch()
print(stats.operations, stats.attempts)
"""


@pytest.mark.parametrize("module", ["_verdict", "_types", "_event", "_log"])
def test_an_interruption_while_a_failure_imports_keeps_the_failure(module):
    """The loop ends as cancelled, its budget gets the retry back, and the next loop works."""
    assert run(INTERRUPT, f"backoff_rs.{module}").splitlines() == [
        "ConnectionError('first') 1",
        "2 3",
    ]


def test_imported_again_it_is_the_same_package():
    """As after `patch.dict(sys.modules)`: there is one set of classes."""
    printed = run("""
import backoff_rs
from backoff_rs import PolicyError, RetryEvent, StopReason, retrying

def again():
    for name in [name for name in sys.modules if name.partition(".")[0] == "backoff_rs"]:
        del sys.modules[name]
    import backoff_rs
    return backoff_rs

print(again() is backoff_rs, again().StopReason is StopReason, again().retrying is retrying)
for change in (lambda: None, again):
    change()
    reasons, values = [], iter([1, 2])
    loop = again().retrying(on=(), on_result=lambda value: value == 1, sleep=lambda seconds: None,
                            on_stop=lambda event: reasons.append((event.reason, type(event))))
    assert loop.call(next, values) == 2
    print(reasons == [(StopReason.SUCCESS, RetryEvent)], reasons[0][0] is StopReason.SUCCESS)
try:
    again().Policy.parse("?")
except PolicyError:
    print("caught")
""")
    assert printed.split() == ["True"] * 7 + ["caught"]
