"""What importing the package imports, which is what it costs, and when the rest is imported."""

import subprocess
import sys
from pathlib import Path

import backoff_rs
import pytest

START = f"import sys; sys.path.insert(0, {str(Path(backoff_rs.__file__).parents[1])!r})\n"

#: Loops that fail and give up, in every way that a failure can be looked at.
FAIL = """
import asyncio
from backoff_rs import RetryStats, retry

def fail():
    raise ConnectionError("busy")

async def fail_later():
    fail()

policy = "constant:base=0s,max_retries=1"
quiet = retry(policy, on=ConnectionError, log=False)
loops = [
    quiet,
    retry(policy, on=lambda error: True, reraise=False),
    retry(policy, on=ConnectionError, on_retry=lambda event: None, on_stop=lambda event: None),
    retry(policy, on=ConnectionError, stats=RetryStats(), clock_ns=lambda: 0),
]
permanent = retry(on=())
runner = asyncio.Runner()
runner.run(asyncio.sleep(0))
before = {*sys.modules}
for loop in [*loops, permanent]:
    for run in (lambda: loop.call(fail), lambda: runner.run(loop(fail_later)())):
        try:
            run()
        except Exception as error:
            assert isinstance(error.__cause__ or error, ConnectionError), repr(error)
for attempt in quiet:
    with attempt:
        if attempt.number == 1:
            fail()
print("new:", *sorted({*sys.modules} - before))
"""


#: A program that logs, whether it has imported logging or not.
LOG = """
from backoff_rs import retry

@retry("constant:base=0s", on=ConnectionError, on_result=lambda value: value == 1, name="job")
def fail(results=iter([ConnectionError("busy"), 1, KeyError("gone")])):
    result = next(results)
    if result == 1:
        return result
    raise result

@retry("constant:base=0s,max_retries=1", on=ConnectionError, name="job", clock_ns=lambda: 0)
def give_up():
    raise ConnectionError("busy")

before = {*sys.modules}
for failing in (fail, give_up):
    try:
        failing()
    except (ConnectionError, KeyError):
        pass
print("new:", *sorted({*sys.modules} - before))
"""


def finished(code, *arguments, options=()):
    command = [sys.executable, "-I", *options, "-c", START + code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def run(code, *arguments, options=()):
    return finished(code, *arguments, options=options).stdout


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


def test_a_decorated_function_imports_little():
    decorate = "from backoff_rs import retry; retry(on=OSError)(lambda: None)"
    modules, _ = imported(decorate)
    slow = {"asyncio", "contextlib", "dataclasses", "datetime", "decimal", "inspect", "logging"}
    assert not modules & {*slow, "re", "threading", "traceback", "typing"}
    wrapped = (
        f"import functools; {decorate.replace('lambda: None', 'functools.wraps(len)(lambda: 1)')}"
    )
    assert "inspect" not in imported(wrapped)[0]


def test_a_failure_imports_nothing():
    """Another thread, a fork or a process without file descriptors could make that fail."""
    assert run(FAIL) == "new:\n"


@pytest.mark.parametrize(
    "before",
    ["", "sys.modules['logging'] = None", "sys.modules['logging'] = type(sys)('logging')"],
    ids=["not imported", "cannot be imported", "is being imported"],
)
def test_the_log_without_logging_is_that_of_logging(before):
    expected = finished(f"import logging\n{LOG}")
    assert expected.stdout == "new:\n"
    assert expected.stderr.splitlines()[0] == (
        "job: attempt 1: transient, ConnectionError('busy'): waiting 0.000 s"
    )
    logged = finished(f"{before}\n{LOG}")
    assert (logged.stdout, logged.stderr) == (expected.stdout, expected.stderr)


def test_without_stderr_the_log_changes_nothing():
    assert finished(f"sys.stderr = None\n{LOG}").stdout == "new:\n"


def test_a_configuration_of_logging_also_means_loggers_made_before():
    disabled = "import logging.config; logging.config.dictConfig({'version': 1})"
    assert finished(LOG.replace("before =", f"{disabled}\nbefore =")).stderr != ""
    assert (
        finished("import logging" + LOG.replace("before =", f"{disabled}\nbefore =")).stderr == ""
    )


def test_every_name_is_there():
    listed = "import backoff_rs; print(*dir(backoff_rs))"
    assert {*backoff_rs.__all__} <= {*run(listed).split()}
    stars = "from backoff_rs import *; print(*globals())"
    assert {*backoff_rs.__all__} <= {*run(stars).split()}
    with pytest.raises(AttributeError, match="module 'backoff_rs' has no attribute 'retries'"):
        backoff_rs.retries  # noqa: B018


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
