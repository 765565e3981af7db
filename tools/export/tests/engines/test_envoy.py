"""Envoy: its formula, and its Protocol Buffers."""

import json

from backoff import MS, agree, export, exported, policies, ranges, read_back, reference
from envoy.config.cluster.v3.circuit_breaker_pb2 import CircuitBreakers
from envoy.config.route.v3.route_components_pb2 import RetryPolicy
from google.protobuf import json_format

REST = ",retry_after_max=0s"
JITTER = ",jitter=slotted,jitter_slot=1ms"
GROWTHS = ["exponential:base=BASE", "exponential:base=BASE", "constant:base=BASE"]
POLICIES = list(policies(300, GROWTHS, ["ms", "s"], [JITTER], [REST]))
NO_LIMIT = 2**32 - 1


def delays(base_ms, max_ms, retries):
    """`JitteredExponentialBackOffStrategy` in source/common/common/backoff_strategy.cc, which draws
    `random % window` (main, read 2026-11)."""
    window, doubling_limit = base_ms, max_ms // 2
    for _ in range(retries):
        yield 0, (window - 1) * MS / 2, (window - 1) * MS
        window = window * 2 if window < doubling_limit else max_ms


def test_the_delays_are_those_of_envoy():
    count = 0
    for policy in POLICIES:
        text = export("envoy", policy)
        if text is None:
            continue
        retry = json_format.ParseDict(json.loads(text)["retry_policy"], RetryPolicy())
        ours, interval = ranges(policy), retry.retry_back_off
        base, longest = (
            interval.base_interval.ToMilliseconds(),
            interval.max_interval.ToMilliseconds(),
        )
        agree(ours, delays(base, longest, len(ours)), 1)
        # `ranges` ends after 40.
        assert min(retry.num_retries.value, 40) == len(ours)
        count += 1
    assert count > 100, count


def test_a_policy_without_retries_is_valid():
    retry = json_format.ParseDict(
        json.loads(exported("envoy", "off"))["retry_policy"], RetryPolicy()
    )
    # Without `num_retries` Envoy retries once.
    assert retry.HasField("num_retries")
    assert retry.num_retries.value == 0
    interval = retry.retry_back_off
    assert 0 < interval.base_interval.ToMilliseconds() <= interval.max_interval.ToMilliseconds()


def test_an_interval_that_envoy_skips_is_refused():
    """A policy goes from 100 ms to 200 ms to 201 ms, Envoy from 100 ms to 201 ms."""
    policy = f"exponential:base=25ms,cap=201ms,max_retries=4{JITTER}{REST}"
    assert export("envoy", policy) is None
    assert [row[2] for row in ranges(policy)] != [row[2] for row in delays(25, 201, 4)]
    assert export("envoy", policy.replace("max_retries=4", "max_retries=3")) is not None


def thresholds(budget):
    text = exported("envoy", f"exponential:base=25ms,max_retries=2{JITTER}{REST}", budget)
    breakers = json_format.ParseDict(json.loads(text)["circuit_breakers"], CircuitBreakers())
    assert read_back("envoy", text)[1] == budget
    (threshold,) = breakers.thresholds
    return threshold


def test_budgets_are_circuit_breakers():
    text = exported("envoy", f"{POLICIES[0]}", f"concurrent:ratio=0,min_concurrent={NO_LIMIT}")
    (threshold,) = json.loads(text)["circuit_breakers"]["thresholds"]
    assert threshold == {"max_retries": NO_LIMIT}
    assert thresholds("concurrent:ratio=0,min_concurrent=7").max_retries.value == 7
    budget = thresholds("concurrent:ratio=0.125,min_concurrent=0").retry_budget
    assert budget.budget_percent.value == 12.5
    assert budget.HasField("min_retry_concurrency")
    assert budget.min_retry_concurrency.value == 0


def granted(threshold, active, retrying):
    """`RetryBudgetImpl::canCreate` in source/common/upstream/resource_manager_impl.h."""
    budget = threshold.retry_budget
    share = int(budget.budget_percent.value / 100 * active)
    return retrying < max(share, budget.min_retry_concurrency.value)


def test_a_budget_grants_what_envoy_grants():
    budget = "concurrent:ratio=0.25,min_concurrent=2"
    threshold = thresholds(budget)
    for active in range(1, 30):
        # `active` operations fail one after the other, and none of them ends.
        operations = range(active)
        steps = [{"do": "begin", "operation": n, "now": "0"} for n in operations]
        steps += [
            {"do": "outcome", "operation": n, "outcome": "transient", "now": "1"}
            for n in operations
        ]
        request = {"policy": "constant:base=1s", "budget": budget, "seed": "1", "steps": steps}
        retrying = 0
        for answer in reference(request):
            grants = granted(threshold, active, retrying)
            assert ("wait" in answer) == grants, (active, retrying, answer)
            retrying += grants
            if not grants:
                # It has ended, and is active no more.
                break
