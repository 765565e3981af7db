"""Tests the budgets against the numbers that their sources publish."""

import random
from types import SimpleNamespace

import pytest
from botocore.retries.quota import RetryQuota
from botocore.retries.standard import RetryQuotaChecker
from reference import budgets, operations, strings

S = 10**9
AT_ONCE = strings.parse("policy", "none")


class Service:
    """Operations with zero delays on one budget."""

    def __init__(self, budget):
        self.budget = budgets.new_budget(strings.parse("budget", budget))

    def begin(self, now=0):
        return operations.Operation(AT_ONCE, 42, now, budget=self.budget)

    def retries(self, operations, now=0):
        """The number of retries of operations that always fail, until the budget refuses each."""
        retries = 0
        for operation in operations:
            while operation.outcome("transient", now)[0] == "wait":
                retries += 1
        return retries


def test_grpc_stops_below_half_of_its_tokens():
    """gRFC A6, maxTokens 10 and tokenRatio 0.1: retries continue above 5 tokens."""
    service = Service("grpc-retry")
    assert service.retries([service.begin()]) == 4
    # Five tokens are left. Each success adds 0.1, so eleven make 6.1; a failure takes one.
    for _ in range(10):
        service.begin().outcome("success", 0)
    assert service.begin().outcome("transient", 0)[0] == "budget"
    for _ in range(11):
        service.begin().outcome("success", 0)
    assert service.begin().outcome("transient", 0)[0] == "wait"


def test_finagle_retries_a_fifth_and_ten_a_second():
    """RetryBudget(): ttl 10 s, minRetriesPerSec 10, percentCanRetry 0.2."""
    service = Service("finagle")
    assert service.retries([service.begin() for _ in range(1000)]) == 200 + 100
    # After the ttl, earlier requests and retries no longer count.
    assert service.retries([service.begin(20 * S)], 20 * S) == 100


def test_envoy_retries_a_fifth_of_the_active_but_at_least_three():
    """retry_budget: budget_percent 20%, min_retry_concurrency 3."""
    for active, retrying in ((1, 1), (3, 3), (10, 3), (15, 3), (20, 4), (100, 20)):
        service = Service("envoy")
        operations = [service.begin() for _ in range(active)]
        answers = [operation.outcome("transient", 0)[0] for operation in operations]
        # A refused operation is no longer active, so only the first answers are exact.
        assert answers[:retrying] == ["wait"] * retrying
        assert active == retrying or answers[retrying] == "budget"


def test_the_sre_book_adds_a_tenth_to_the_load():
    """Ten tokens at first, then at most a tenth of the requests."""
    service = Service("sre")
    retries = sum(service.retries([service.begin()]) for _ in range(1000))
    assert retries == 10 + 99  # the first deposit finds the bucket full


def test_the_sre_book_retries_sixty_times_a_minute():
    service = Service("sre-process")
    assert service.retries([service.begin() for _ in range(100)]) == 60
    hour = [service.retries([service.begin()], second * S) for second in range(1, 3600)]
    assert hour == [1] * 3599


@pytest.mark.parametrize("seed", range(20))
def test_the_quota_matches_botocore(seed):
    """Random operations spend and refund tokens, a few at a time."""
    rng = random.Random(seed)
    tokens = rng.choice([14, 30, 100, 500])
    service, quota = Service(f"aws-sdk-2026:max_tokens={tokens}"), RetryQuota(tokens)
    throttled = False
    detector = SimpleNamespace(is_throttling_error_from_context=lambda _: throttled)
    checker = RetryQuotaChecker(quota, detector)
    running = []
    for _ in range(300):
        if len(running) < 5:
            context = SimpleNamespace(request_context={}, add_retry_metadata=lambda **_: None)
            running.append((service.begin(), context))
        operation, context = asked = rng.choice(running)
        if rng.random() < 0.4:
            operation.outcome("success", 0)
            checker.release_retry_quota(context.request_context, SimpleNamespace(status_code=200))
            running.remove(asked)
        else:
            throttled = rng.random() < 0.5
            granted = operation.outcome("throttled" if throttled else "timeout", 0)[0] == "wait"
            assert granted == checker.acquire_retry_quota(context)
            if not granted:
                running.remove(asked)
        assert service.budget.level == quota.available_capacity
