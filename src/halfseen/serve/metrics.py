"""What the service counts: requests, rows, missing values, abstentions, and drift."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

from halfseen.data.schema import Encoded
from halfseen.serve.models import Models, Served, Worker
from halfseen.serve.rows import Rows

_BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)
_DRIFT_SECONDS = 30.0
_DRIFT_ROWS, _ROWS_OF_A_REQUEST = 32, 4
_COVERAGE = 0.9  # of the sets whose abstentions are counted


@dataclass
class _OfModel:
    """Counts of one model, kept over reloads that keep its columns."""

    features: tuple[str, ...]
    targets: tuple[str, ...]
    missing: NDArray[np.int64]
    abstained: NDArray[np.int64]
    n_rows: int = 0
    n_predicted: int = 0
    recent: deque[tuple[Any, Any]] = field(default_factory=lambda: deque(maxlen=_DRIFT_ROWS))
    n_scored: int = 0
    log_probability: float = 0.0
    usual_log_probability: float = 0.0


class Metrics:
    """Counts of one service, for Prometheus."""

    def __init__(self, models: Models) -> None:
        self.registry = CollectorRegistry()
        self._models = models
        self._of: dict[str, _OfModel] = {}
        kinds = ["route", "status"]
        self.requests = Counter(
            "halfseen_requests", "Requests by route and status.", kinds, registry=self.registry
        )
        self.seconds = Histogram(
            "halfseen_request_seconds", "Time from request to response.", ["route"],
            buckets=_BUCKETS, registry=self.registry,
        )  # fmt: skip
        self.under_way = Gauge(
            "halfseen_requests_under_way", "Requests under way.", registry=self.registry
        )
        self.failed_reloads = Counter(
            "halfseen_failed_reloads", "Model files that could not be loaded anew.",
            registry=self.registry,
        )  # fmt: skip
        self.registry.register(self)

    def count_rows(self, served: Served, rows: Rows, abstained: NDArray[np.int64] | None) -> None:
        """Count the rows of a request; abstentions of each target if it was one to predict."""
        own = self._own(served)
        own.n_rows += rows.n_rows
        own.missing += rows.n_rows - rows.table.observed.sum(axis=0)
        few = slice(0, _ROWS_OF_A_REQUEST)
        own.recent.extend(zip(rows.encoded.values[few], rows.encoded.observed[few], strict=True))
        if abstained is not None:
            own.n_predicted += rows.n_rows
            own.abstained += abstained

    def _own(self, served: Served) -> _OfModel:
        names, own = served.names, self._of.get(served.name)
        if own is None or (own.features, own.targets) != (names.features, names.targets):
            missing, abstained = (
                np.zeros(len(n), np.int64) for n in (names.features, names.targets)
            )
            own = _OfModel(names.features, names.targets, missing, abstained)
            self._of[served.name] = own
        return own

    async def watch_drift(self, worker: Worker, seconds: float = _DRIFT_SECONDS) -> None:
        """Score some of the latest rows, and usual rows of which as much is missing."""
        while True:
            await asyncio.sleep(seconds)
            for served in self._models:
                own = self._own(served)
                recent = list(own.recent)
                own.recent.clear()
                if recent and recent[0][0].shape == (served.model.schema_.n_units,):
                    found = await worker.slowly(mean_log_probabilities, served, recent)
                    own.n_scored += len(recent)
                    own.log_probability, own.usual_log_probability = found

    def collect(self) -> Iterator[Any]:
        """Counts that are kept as arrays, when they are asked for."""
        rows = CounterMetricFamily("halfseen_rows", "Rows by model.", labels=["model"])
        missing = CounterMetricFamily(
            "halfseen_missing_cells", "Missing cells; by halfseen_rows it is the share.",
            labels=["model", "column"],
        )  # fmt: skip
        share = GaugeMetricFamily(
            "halfseen_missing_share", "Share of missing cells.", labels=["model", "column"]
        )
        predicted = CounterMetricFamily(
            "halfseen_predicted_rows", "Rows whose targets were asked for.", labels=["model"]
        )
        abstained = CounterMetricFamily(
            "halfseen_abstentions", "Prediction sets of 90 % coverage with several classes.",
            labels=["model", "target"],
        )  # fmt: skip
        abstention = GaugeMetricFamily(
            "halfseen_abstention_share", "Share of such sets.", labels=["model", "target"]
        )
        log_p = GaugeMetricFamily(
            "halfseen_mean_log_probability",
            "Of the latest rows, and of usual rows of which as much is missing.",
            labels=["model", "rows"],
        )
        loaded = GaugeMetricFamily(
            "halfseen_model", "1 for the served version.", labels=["model", "version"]
        )
        for served in self._models:
            name, own = served.name, self._own(served)
            loaded.add_metric([name, served.version], 1)
            rows.add_metric([name], own.n_rows)
            for column, n in zip(own.features, own.missing.tolist(), strict=True):
                missing.add_metric([name, column], n)
                share.add_metric([name, column], n / max(own.n_rows, 1))
            predicted.add_metric([name], own.n_predicted)
            for target, n in zip(own.targets, own.abstained.tolist(), strict=True):
                abstained.add_metric([name, target], n)
                abstention.add_metric([name, target], n / max(own.n_predicted, 1))
            if own.n_scored:
                log_p.add_metric([name, "latest"], own.log_probability)
                log_p.add_metric([name, "usual"], own.usual_log_probability)
        yield from (rows, missing, share, predicted, abstained, abstention, log_p, loaded)


def mean_log_probabilities(served: Served, recent: list[tuple[Any, Any]]) -> tuple[float, float]:
    """Mean log-probability of rows, and of usual rows with the same missing entries."""
    usual = served.usual_rows()
    values, observed = (np.stack(arrays) for arrays in zip(*recent, strict=True))
    some = np.arange(len(values)) % len(usual.values)
    # Unlike those of requests, usual rows have no entry that the model could not use.
    masked = Encoded(np.where(observed, usual.values[some], np.float32(0)), observed)
    both = Encoded(np.concatenate([values, masked.values]), np.concatenate([observed, observed]))
    log_p = served.model._log_probability(both)
    return float(log_p[: len(values)].mean()), float(log_p[len(values) :].mean())
