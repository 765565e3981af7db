"""The collector for prometheus_client, in its registries and its formats."""

import re

import pytest
from backoff_rs import Budget, RetryStats, retrying
from backoff_rs.adapters.prometheus import Collector
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.openmetrics.exposition import generate_latest as openmetrics
from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_openmetrics
from prometheus_client.parser import text_string_to_metric_families as read


def stats_of(*operations):
    stats = RetryStats()
    for attempts, reason in operations:
        stats.record(attempts, reason)
    return stats


def samples(text, reader=read):
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in reader(text)
        for sample in family.samples
        if not sample.name.endswith("_created")
    }


def registry_of(collector):
    registry = CollectorRegistry()
    registry.register(collector)
    return registry


def in_text(collector):
    return samples(generate_latest(registry_of(collector)).decode())


def with_floats(shown):
    """le as prometheus_client and OpenMetrics write it."""
    return {
        (name, tuple((key, re.sub(r"^(\d+)$", r"\1.0", value)) for key, value in labels)): count
        for (name, labels), count in shown.items()
    }


def test_it_shows_what_the_text_of_the_stats_does():
    stats = stats_of((1, "success"), (2, "success"), (7, "max_retries"), (99, "budget"))
    shown = in_text(Collector().add(stats))
    assert shown == with_floats(samples(stats.prometheus()))
    assert shown["backoff_attempts_sum", ()] == 1 + 2 + 7 + 99
    assert shown["backoff_attempts_bucket", (("le", "8.0"),)] == 3
    assert shown["backoff_stops_total", (("reason", "budget"),)] == 1


def test_labels_and_a_prefix():
    collector = Collector(prefix="shop_backoff")
    collector.add(stats_of((1, "success")), upstream="payments", zone='a"\\b')
    collector.add(stats_of((3, "success")), zone="c", upstream="stock\n")
    shown = in_text(collector)
    first = (("upstream", "payments"), ("zone", 'a"\\b'))
    assert shown["shop_backoff_retries_total", first] == 0
    second = (("upstream", "stock\n"), ("zone", "c"))
    assert shown["shop_backoff_retries_total", second] == 2
    assert shown["shop_backoff_stops_total", tuple(sorted([("reason", "success"), *second]))] == 1
    assert {name.partition("_")[0] for name, _ in shown} == {"shop"}


def test_openmetrics():
    collector = Collector().add(stats_of((2, "success")), upstream="x")
    shown = samples(openmetrics(registry_of(collector)).decode(), read_openmetrics)
    assert shown["backoff_attempts_bucket", (("le", "+Inf"), ("upstream", "x"))] == 1


def test_it_collects_the_counts_of_that_time():
    stats = RetryStats()
    collector = Collector().add(stats)
    assert in_text(collector)["backoff_attempts_count", ()] == 0
    stats.record(1, "success")
    assert in_text(collector)["backoff_attempts_count", ()] == 1


def test_a_registry_refuses_two_with_the_same_names():
    registry = registry_of(Collector())
    with pytest.raises(ValueError, match="Duplicated timeseries"):
        registry.register(Collector())
    registry.register(Collector(prefix="other"))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"prefix": 5}, TypeError, "prefix must be a string, not int"),
        ({"prefix": "a b"}, ValueError, "prefix 'a b' cannot begin the name of a metric"),
        ({"prefix": ""}, ValueError, "prefix '' cannot begin"),
    ],
)
def test_a_wrong_prefix(options, error, message):
    with pytest.raises(error, match=message):
        Collector(**options)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"le": "1"}, "the label le is one of the metrics"),
        ({"reason": "x"}, "the label reason is one of the metrics"),
        ({"__name": "x"}, "'__name' is not the name of a label"),
        ({"a-b": "x"}, "'a-b' is not the name of a label"),
        ({"upstream": "x"}, "there is one with the labels"),
        ({"zone": "x"}, "the labels are .'upstream',., not .'zone',."),
        ({}, "the labels are"),
    ],
)
def test_wrong_labels(labels, message):
    collector = Collector().add(RetryStats(), upstream="x")
    with pytest.raises(ValueError, match=message):
        collector.add(RetryStats(), **labels)
    # The registry would have failed later.
    assert len(in_text(collector)) == len(in_text(Collector().add(RetryStats())))


def test_what_is_no_stats():
    with pytest.raises(TypeError, match="stats must be RetryStats, not str"):
        Collector().add("stats")
    with pytest.raises(TypeError, match=r"not backoff_rs\.Budget: call add_budget\(\)"):
        Collector().add(Budget.parse("sre"))


def test_budgets():
    budget = Budget.parse("quota:max_tokens=20,cost=5")
    collector = Collector().add(RetryStats(), upstream="x").add_budget(budget, upstream="x")
    labels = (("upstream", "x"),)
    shown = in_text(collector)
    assert (shown["backoff_budget_left", labels], shown["backoff_budget_most", labels]) == (20, 20)
    loop = retrying("constant:base=0s,max_retries=2", on=OSError, budget=budget, log=False)
    with pytest.raises(OSError, match="refused"):
        loop.call(refuse)
    shown = in_text(collector)
    assert (shown["backoff_budget_left", labels], shown["backoff_budget_most", labels]) == (10, 20)
    with pytest.raises(ValueError, match="there is one with the labels"):
        collector.add_budget(budget, upstream="x")
    with pytest.raises(TypeError, match="budget must be a Budget, not str"):
        collector.add_budget("quota", upstream="y")


def refuse():
    raise OSError("refused")
