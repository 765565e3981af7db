"""prometheus_client: a collector of RetryStats and budgets. `backoff-rs[prometheus]` installs it.

stats = RetryStats()
REGISTRY.register(Collector().add(stats, upstream="payments"))
"""

from __future__ import annotations

import re
import threading

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)
from prometheus_client.registry import Collector as _Collector

from .._backoff import Budget, RetryStats, _type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    import builtins
    from collections.abc import Iterator
    from typing import Any, Final, Self

    from prometheus_client.core import Metric

#: The names that the text format of Prometheus allows.
_PREFIX: Final = re.compile("[a-zA-Z_:][a-zA-Z0-9_:]*")
_LABEL: Final = re.compile("(?!__)[a-zA-Z_][a-zA-Z0-9_]*")


class Collector(_Collector):
    """What a registry of prometheus_client collects of RetryStats, the metrics of SPEC 17.2, and of
    budgets, the gauges budget_left and budget_most (SPEC 15.9).

    prefix  the beginning of their names.

    Each of them has values of the same labels, so that services with several upstreams have one
    collector. Register it once: `REGISTRY.register(collector)`. It is thread-safe.

    Raises TypeError for a prefix that is not a string, and ValueError for one that cannot begin a name.
    """

    def __init__(self, *, prefix: str = "backoff") -> None:
        if not isinstance(prefix, str):
            raise TypeError(f"prefix must be a string, not {_type_name(prefix)}")
        if not _PREFIX.fullmatch(prefix):
            raise ValueError(f"prefix {prefix!r} cannot begin the name of a metric")
        self._prefix = prefix
        self._names: tuple[str, ...] | None = None
        self._stats: dict[tuple[str, ...], RetryStats] = {}
        self._budgets: dict[tuple[str, ...], Budget] = {}
        self._lock = threading.Lock()

    def add(self, stats: RetryStats, **labels: str) -> Self:
        """Also collects these stats, with the values of these labels, and returns the collector.

        Raises TypeError for what is not RetryStats, and ValueError for other labels than those of
        earlier stats, for the same values once more, and for names that a label cannot have.
        """
        if not isinstance(stats, RetryStats):
            advice = ": call add_budget()" if isinstance(stats, Budget) else ""
            raise TypeError(f"stats must be RetryStats, not {_type_name(stats)}{advice}")
        with self._lock:
            self._stats = self._with(self._stats, stats, labels)
        return self

    def add_budget(self, budget: Budget, **labels: str) -> Self:
        """Also collects what this budget has left, at the time of time.monotonic_ns(), and returns the
        collector. Labels are as for stats.

        Raises TypeError for what is not a Budget, and ValueError as add() does.
        """
        if not isinstance(budget, Budget):
            raise TypeError(f"budget must be a Budget, not {_type_name(budget)}")
        with self._lock:
            self._budgets = self._with(self._budgets, budget, labels)
        return self

    def _with(
        self, known: dict[tuple[str, ...], Any], added: object, labels: dict[str, str]
    ) -> dict[tuple[str, ...], Any]:
        names = tuple(sorted(labels))
        for name in names:
            if not _LABEL.fullmatch(name):
                raise ValueError(f"{name!r} is not the name of a label")
            if name in ("le", "reason"):
                raise ValueError(f"the label {name} is one of the metrics")
        values = tuple(str(labels[name]) for name in names)
        if self._names not in (None, names):
            raise ValueError(f"the labels are {self._names}, not {names}")
        if values in known:
            raise ValueError(f"there is one with the labels {labels}")
        self._names = names
        return {**known, values: added}

    def _families(
        self, names: tuple[str, ...]
    ) -> tuple[HistogramMetricFamily, CounterMetricFamily, CounterMetricFamily]:
        prefix = self._prefix
        stops = "Operations by the reason for which they stopped."
        return (
            HistogramMetricFamily(f"{prefix}_attempts", "Attempts of an operation.", labels=names),
            CounterMetricFamily(f"{prefix}_retries", "Retries of all operations.", labels=names),
            CounterMetricFamily(f"{prefix}_stops", stops, labels=(*names, "reason")),
        )

    def _gauges(self, names: tuple[str, ...]) -> tuple[GaugeMetricFamily, GaugeMetricFamily]:
        left, most = "What budgets have left.", "What full budgets have."
        return (
            GaugeMetricFamily(f"{self._prefix}_budget_left", left, labels=names),
            GaugeMetricFamily(f"{self._prefix}_budget_most", most, labels=names),
        )

    def describe(self) -> builtins.list[Metric]:
        """The metrics without their values."""
        return [*self._families(self._names or ()), *self._gauges(self._names or ())]

    def collect(self) -> Iterator[Metric]:
        """The metrics now."""
        attempts, retries, stops = self._families(self._names or ())
        bounds = [*(float(bound) for bound in RetryStats.BOUNDS), float("inf")]
        for labels, stats in self._stats.items():
            buckets, count = [], 0
            for bound, of_bucket in zip(bounds, stats.buckets, strict=True):
                count += of_bucket
                name = "+Inf" if bound == float("inf") else f"{bound:.1f}"
                buckets.append((name, count))
            # Another thread may record between two reads.
            attempts.add_metric(labels, buckets, sum_value=stats.attempts)
            retries.add_metric(labels, stats.retries)
            for reason, of_reason in stats.stops.items():
                stops.add_metric((*labels, str(reason)), of_reason)
        yield from (attempts, retries, stops)
        left, most = self._gauges(self._names or ())
        for labels, budget in self._budgets.items():
            level = budget.level()
            left.add_metric(labels, level.left)
            most.add_metric(labels, level.most)
        if self._budgets:
            yield from (left, most)
