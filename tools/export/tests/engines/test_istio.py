"""Istio: the formula of the Envoy that it configures, and the schemas of its resources.

ISTIO_API is the folder of the Go module istio.io/api.
"""

import json
import os
from pathlib import Path

import jsonschema
import pytest
import yaml
from backoff import agree, export, exported, policies, ranges, read_back
from test_envoy import JITTER, REST, delays

FILE = "kubernetes/customresourcedefinitions.gen.yaml"
GROWTHS = ["exponential:base=BASE", "exponential:base=BASE", "constant:base=BASE"]
POLICIES = list(policies(400, GROWTHS, ["ms", "s"], [JITTER], [REST]))


def strict(schema):
    """The schema as `kubectl --validate=strict` applies it: without unknown fields."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {key: strict(part) for key, part in schema.items()}
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object":
        closed["additionalProperties"] = False
    return closed


@pytest.fixture(scope="module")
def validators():
    """The newest schema of each kind."""
    text = (Path(os.environ["ISTIO_API"]) / FILE).read_text()
    found = {}
    for crd in yaml.load_all(text, Loader=yaml.CSafeLoader):
        kind = crd["spec"]["names"]["kind"]
        if kind in ("VirtualService", "DestinationRule"):
            (version,) = [v for v in crd["spec"]["versions"] if v["name"] == "v1"]
            spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
            found[kind] = jsonschema.Draft202012Validator(strict(spec))
    return found


def check(validators, text):
    config = json.loads(text)
    destination = [{"destination": {"host": "a"}}]
    route = {"http": [{"route": destination, "retries": config["retries"]}], "hosts": ["a"]}
    validators["VirtualService"].validate(route)
    policy = config.get("trafficPolicy", {})
    validators["DestinationRule"].validate({"host": "a", "trafficPolicy": policy})
    return config


def test_the_delays_are_those_of_envoy_with_ten_times_the_backoff(validators):
    """`ConvertPolicy` in istio, pilot/pkg/networking/core/route/retry/retry.go (86c9f01,
    2026-08-22) sets the base interval only."""
    count = 0
    for policy in POLICIES:
        text = export("istio", policy)
        if text is None:
            continue
        retries = check(validators, text)["retries"]
        ours = ranges(policy)
        if retries["attempts"] == 0:
            assert (retries, ours) == ({"attempts": 0}, [])
            continue
        base = round(float(retries["backoff"].removesuffix("s")) * 1000)
        agree(ours, delays(base, 10 * base, len(ours)), 1)
        assert min(retries["attempts"], 40) == len(ours)
        count += 1
    assert count > 100, count


def test_a_policy_without_retries_is_valid(validators):
    config = check(validators, exported("istio", "off"))
    # `validateHTTPRetry` in pkg/config/validation/validation.go refuses `retryOn` beside it.
    assert config == {"retries": {"attempts": 0}}


@pytest.mark.parametrize(
    ("budget", "policy"),
    [
        (None, None),
        ("concurrent", {"retryBudget": {"percent": 20.0, "minRetryConcurrency": 3}}),
        (
            "concurrent:ratio=0.125,min_concurrent=1",
            {"retryBudget": {"percent": 12.5, "minRetryConcurrency": 1}},
        ),
        (
            "concurrent:ratio=0,min_concurrent=9",
            {"connectionPool": {"http": {"maxRetries": 9}}},
        ),
    ],
)
def test_budgets_are_traffic_policies(validators, budget, policy):
    text = exported("istio", f"exponential:base=25ms,max_retries=3{JITTER}{REST}", budget)
    assert check(validators, text).get("trafficPolicy") == policy
    assert read_back("istio", text)[1] == budget


def test_the_schema_refuses_what_is_unknown_or_wrong(validators):
    text = exported("istio", f"exponential:base=25ms,max_retries=3{JITTER}{REST}")
    for wrong in [text.replace('"backoff"', '"back"'), text.replace(": 3", ': "3"')]:
        with pytest.raises(jsonschema.ValidationError):
            check(validators, wrong)
