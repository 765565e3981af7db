"""Tests `Policy.export` and `Policy.from_export`. `tools/cli/tests/export` compares what they convert with the
engines."""

import json
import re

import pytest
from backoff_rs import Budget, Policy

GRPC = Policy.parse("grpc-retry:retry_after_max=none")
FORMATS = ["grpc", "envoy", "istio", "temporal", "step-functions", "k8s-job", "nginx"]


def test_a_policy_and_a_budget_become_a_service_config_and_come_back():
    config = json.loads(GRPC.export("grpc", Budget.parse("grpc-retry")))
    assert config["methodConfig"][0]["retryPolicy"]["initialBackoff"] == "0.100s"
    assert config["retryThrottling"] == {"maxTokens": 10, "tokenRatio": 0.1}
    policy, budget = Policy.from_export("grpc", json.dumps(config))
    assert policy == GRPC
    assert str(budget) == "throttle"
    policy, budget = Policy.from_export("grpc", GRPC.export("grpc", budget=None))
    assert (policy, budget) == (GRPC, None)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_known(format):
    policy = Policy("fibonacci", base=0, retry_after_max=0)
    with pytest.raises(ValueError, match=r"^growth fibonacci has no equivalent in "):
        policy.export(format)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: GRPC.export("grcp"), ValueError, 'unknown format "grcp"; the formats are grpc, '),
        (lambda: GRPC.export(1), TypeError, "format must be a str, not int"),
        (lambda: GRPC.export("grpc", "sre"), TypeError, "budget must be a Budget, not str"),
        (lambda: GRPC.export("grpc", Budget.parse("sre")), ValueError, "budget ratio has no "),
        (lambda: Policy.from_export("grpc", 1), TypeError, "text must be a str, not int"),
        (
            lambda: Policy.from_export("grpc", "{}"),
            ValueError,
            "format grpc: methodConfig is missing",
        ),
        (lambda: Policy.from_export("grpc", "\ud800"), ValueError, "format grpc: not JSON ("),
        (lambda: Policy.from_export("\ud800", "{}"), ValueError, "unknown format "),
    ],
)
def test_a_wrong_argument_is_an_error(call, error, message):
    with pytest.raises(error, match="^" + re.escape(message)):
        call()


def test_a_limit_of_time_that_is_not_imported_is_a_warning():
    text = '{"retryPolicy": {"initialInterval": "1s"}, "heartbeatTimeout": "30s"}'
    with pytest.warns(UserWarning, match="heartbeatTimeout") as warnings:
        Policy.from_export("temporal", text)
    assert [warning.filename for warning in warnings] == [__file__]
