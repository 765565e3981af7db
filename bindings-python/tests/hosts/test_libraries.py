"""The adapters for other libraries of retries."""

import asyncio
import pickle
import time

import backoff
import pytest
import stamina
import tenacity
from backoff_rs import PolicyError, RandomStream, Verdict, permanent, retry_after
from backoff_rs.adapters import backoff as backoff_adapter
from backoff_rs.adapters import stamina as stamina_adapter
from backoff_rs.adapters import tenacity as tenacity_adapter
from processes import FULL_100MS

POLICY = "full:base=100ms,max_retries=3,retry_after_max=10s"
JOB = {"seed": 42, "key": "job-1"}


def with_tenacity(policy, fail, **options):
    """The waits of a call that fails so, and how often it was called."""
    slept, calls = [], []
    retries = tenacity_adapter.Retries(policy, **options)

    @tenacity.retry(
        wait=retries.wait,
        stop=retries.stop,
        retry=tenacity.retry_if_exception_type(Exception),
        sleep=slept.append,
        reraise=True,
    )
    def call():
        calls.append(None)
        raise fail(len(calls))

    with pytest.raises((OSError, ValueError)) as raised:
        call()
    return slept, len(calls), raised.value


def with_backoff(policy, fail, **options):
    slept, calls = [], []

    @backoff.on_exception(
        backoff_adapter.wait_gen(policy, **options),
        Exception,
        jitter=None,
        on_backoff=lambda _: None,
    )
    def call():
        calls.append(None)
        raise fail(len(calls))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "sleep", slept.append)
        with pytest.raises((OSError, ValueError)) as raised:
            call()
    return slept, len(calls), raised.value


def with_stamina(policy, fail, **options):
    waits, calls = [], 0
    hook = stamina_adapter.backoff_hook(policy, **{"on": Exception, **options})
    stamina.instrumentation.set_on_retry_hooks([lambda details: waits.append(details.wait_for)])

    def call():
        nonlocal calls
        for attempt in stamina.retry_context(on=hook, attempts=None, timeout=None):
            with attempt:
                calls += 1
                raise fail(calls)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "sleep", lambda _seconds: None)
        with pytest.raises((OSError, ValueError)) as raised:
            call()
    stamina.instrumentation.set_on_retry_hooks(None)
    # stamina subtracts times.
    return [round(wait, 9) for wait in waits], calls, raised.value


def refuse(_calls):
    return ConnectionError("refused")


@pytest.fixture(params=[with_tenacity, with_backoff, with_stamina])
def run(request):
    return request.param


@pytest.mark.parametrize(
    ("policy", "fail", "waits"),
    [
        (POLICY, refuse, FULL_100MS),
        ("full:base=100ms,max_retries=0", refuse, []),
        (POLICY, lambda _: permanent(ConnectionError()), []),
        (POLICY, lambda _: retry_after(ConnectionError(), 5), [5, 5, 5]),
        # Bounded by the policy.
        (POLICY, lambda _: retry_after(ConnectionError(), 7200), [10, 10, 10]),
        # The second wait would end too late.
        ("constant:base=1h,max_elapsed=59m", refuse, []),
        (
            POLICY,
            lambda calls: permanent(OSError()) if calls == 2 else OSError(),
            FULL_100MS[:1],
        ),
    ],
)
def test_waits_and_limits(run, policy, fail, waits):
    slept, calls, error = run(policy, fail, **JOB)
    assert slept == waits
    assert calls == len(waits) + 1
    assert isinstance(error, OSError)


def test_a_predicate_and_a_stream(run):
    def on(error):
        return Verdict("throttled", 4) if isinstance(error, ConnectionError) else False

    stream = RandomStream(42, "job-1")
    assert run(POLICY, refuse, on=on, stream=stream)[0] == [4, 4, 4]
    assert run(POLICY, lambda _: ValueError(), on=on, stream=stream)[0] == []


def test_each_call_has_a_stream_of_its_own(run):
    policy = "full:base=1h,max_retries=3"
    first, second = (run(policy, refuse)[0] for _ in range(2))
    assert len({*first, *second}) == 6


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"policy": "ful:base=1s"}, PolicyError, 'unknown name "ful"'),
        ({"policy": 5}, TypeError, "policy must be a Policy or a policy string, not int"),
        ({"policy": "default:attempt_timeout=2s"}, ValueError, "attempt_timeout 2.0 of the policy"),
        ({"on": 5}, TypeError, "on must be"),
        ({"on": asyncio.sleep}, TypeError, "on is a coroutine function"),
        ({"seed": -1}, PolicyError, "seed -1 is below 0"),
        ({"key": "k"}, TypeError, "pass a seed too"),
        (
            {"max_retries": 5},
            TypeError,
            r'^max_retries is part of the policy: write \w+\("default:max_retries=5"\)$',
        ),
        ({"stream": 5}, TypeError, "stream must be a RandomStream, not int"),
        ({"stream": RandomStream(1), "seed": 1}, TypeError, "not both"),
    ],
)
@pytest.mark.parametrize(
    "adapter", [tenacity_adapter.Retries, backoff_adapter.wait_gen, stamina_adapter.backoff_hook]
)
def test_invalid_options(adapter, options, error, message):
    with pytest.raises(error, match=message):
        adapter(**{"on": Exception, **options})


@pytest.mark.parametrize("field", ["reset_after=2m", "elapsed_from=failure"])
def test_only_tenacity_does_not_keep_what_a_count_anew_needs(field):
    policy = f"default:{field}"
    with pytest.raises(ValueError, match=f"^{field.partition('=')[0]} .* of the policy"):
        tenacity_adapter.Retries(policy, on=Exception)
    backoff_adapter.wait_gen(policy, on=Exception)
    stamina_adapter.backoff_hook(policy, on=Exception)


def test_tenacity_repeats_results_and_coroutines():
    retries = tenacity_adapter.Retries(POLICY, **JOB)
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    @tenacity.retry(
        wait=retries.wait,
        stop=retries.stop,
        retry=tenacity.retry_if_result(lambda result: result is None),
        sleep=sleep,
    )
    async def call():
        return None

    with pytest.raises(tenacity.RetryError):
        asyncio.run(call())
    assert slept == FULL_100MS


def test_tenacity_combines_waits_and_stops():
    retries = tenacity_adapter.Retries(POLICY, **JOB)
    slept = []
    retrying = tenacity.Retrying(
        wait=retries.wait + tenacity.wait_fixed(1),
        stop=retries.stop | tenacity.stop_after_attempt(2),
        sleep=slept.append,
    )
    with pytest.raises(tenacity.RetryError):
        retrying(lambda: 1 / 0)
    assert slept == [FULL_100MS[0] + 1]


def test_tenacity_waits_past_the_limits_of_the_policy():
    """Where tenacity's own stop goes on, a wait of 0 would be a loop without a wait."""
    retries = tenacity_adapter.Retries("constant:base=100ms,max_retries=2", **JOB)
    slept = []
    retrying = tenacity.Retrying(
        wait=retries.wait, stop=tenacity.stop_after_attempt(6), sleep=slept.append
    )
    with pytest.raises(tenacity.RetryError):
        retrying(lambda: 1 / 0)
    assert slept == [0.1] * 5


def test_tenacity_asks_a_predicate_once_for_each_failure():
    asked = []

    def on(error):
        asked.append(error)
        return True

    with_tenacity(POLICY, refuse, on=on)
    assert len(asked) == 4


def test_backoff_repeats_results_and_coroutines():
    slept, ended = [], []

    @backoff.on_predicate(
        backoff_adapter.wait_gen(POLICY, **JOB),
        jitter=None,
        on_backoff=lambda details: slept.append(details["wait"]),
        on_giveup=ended.append,
    )
    async def call():
        return None

    assert asyncio.run(call()) is None
    assert slept == FULL_100MS
    assert [details["tries"] for details in ended] == [4]


@pytest.mark.parametrize(
    ("wait_gen", "options", "message"),
    [
        (backoff_adapter.wait_gen, {}, r'^wait_gen was passed .*: write wait_gen\("default"\)$'),
        (backoff_adapter.wait_gen, {"policy": "default"}, "^wait_gen was passed without a call"),
        (
            backoff_adapter.wait_gen("default"),
            {"base": 2},
            "^base is no option of backoff: pass it",
        ),
    ],
)
def test_mistakes_with_the_wait_gen(wait_gen, options, message):
    @backoff.on_exception(wait_gen, OSError, jitter=None, **options)
    def call():
        raise OSError

    with pytest.raises(TypeError, match=message):
        call()


def test_stamina_runs_coroutines():
    async def call():
        calls = 0
        hook = stamina_adapter.backoff_hook("constant:base=1ms,max_retries=2", on=OSError)
        async for attempt in stamina.retry_context(on=hook, attempts=None, timeout=None):
            with attempt:
                calls += 1
                if calls < 3:
                    raise OSError
        return calls

    assert asyncio.run(call()) == 3


def test_a_hook_of_stamina_serves_one_loop():
    hook = stamina_adapter.backoff_hook("constant:base=1ns,max_retries=1", on=OSError)

    def call():
        for attempt in stamina.retry_context(on=hook, attempts=None, timeout=None):
            with attempt:
                raise OSError("refused")

    with pytest.raises(OSError, match="refused"):
        call()
    with pytest.raises(RuntimeError, match=r"serves one stamina.retry_context"):
        call()


def test_retries_of_tenacity_can_be_pickled():
    retries = pickle.loads(pickle.dumps(tenacity_adapter.Retries(POLICY, **JOB)))
    assert isinstance(retries.wait, tenacity.wait.wait_base)
