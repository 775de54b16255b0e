"""Explanations of rows: every observed entry taken away in turn."""

from __future__ import annotations

from collections.abc import Callable

from halfseen import HalfseenClassifier
from halfseen.estimators.ensemble import Ensemble
from halfseen.explanations.explain_rows import explain_rows
from halfseen.explanations.unpinned_rows import entries_of
from halfseen.tables import read_table
from speed.hidden_digits import hidden_digits
from speed.measurement import Measurement, timed

_N_EXPLAINED = 50


def ensemble_flops_per_row(ensemble: Ensemble) -> float:
    """Of the products of all members for one answer: sweeps, and the search of the prior."""
    shape = ensemble.shape
    n_visible = shape.columns.wide.layer.n_visible
    sweeps = 4.0 * shape.columns.wide.n_units * shape.n_hidden * shape.n_sweeps
    rank = ensemble.prior_loading.shape[2]
    product = 4.0 * n_visible * rank if rank else 2.0 * n_visible**2
    return len(ensemble.weights) * (sweeps + (shape.n_search_steps + 1) * product)


def explanations(n_repeats: int, tell: Callable[[Measurement], None]) -> None:
    """Tell of explanations of digits, half of whose pixels are hidden, by a model trained briefly.

    How long it was trained changes nothing in how long it takes to answer.
    """
    X, y = hidden_digits()
    model = HalfseenClassifier(
        effort="fast", companion=False, n_epochs=1, verbose=False, random_state=0
    ).fit(X, y)
    assert model.prediction_ is not None
    rows = range(_N_EXPLAINED)
    seconds = timed(lambda: explain_rows(model, X, rows), n_repeats)
    encoded = model.schema_.encode(read_table(X[:_N_EXPLAINED]), None)
    n_asked = sum(1 + len(entries_of(model.schema_, seen)) for seen in encoded.observed)
    ensemble = model.prediction_.ensemble
    tell(
        Measurement(
            "explanation",
            "halfseen",
            seconds,
            _N_EXPLAINED,
            n_asked * ensemble_flops_per_row(ensemble),
            ensemble.shape.columns.wide.n_units,
            ensemble.shape.n_hidden,
            n_replicas=len(ensemble.weights),
            note=f"{n_asked} answers",
        )
    )
