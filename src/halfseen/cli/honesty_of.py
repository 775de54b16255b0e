"""Whether the uncertainty that a model states is true."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.cli.completed_units import bounds_of_units
from halfseen.cli.evaluation import Honesty
from halfseen.cli.possible_values import possible_values
from halfseen.metrics import calibration_error
from halfseen.tables import Encoded

_N_REPEATS = 40


def honesty_of(
    model: Any,
    seen: Encoded,
    truth: NDArray[np.float32],
    hidden: NDArray[np.bool_],
    completed: NDArray[np.float32],
    spread: NDArray[np.float64],
    level: float,
) -> Honesty:
    """Compare intervals, sets and probabilities with what was hidden.

    Parameters
    ----------
    model : HalfseenClassifier or HalfseenImputer
        Fitted on what is seen.
    seen : Encoded
        The table with hidden entries.
    truth : ndarray of shape (n_rows, n_visible)
        True values of the units.
    hidden : ndarray of bool, shape (n_rows, n_visible)
        True where a known unit was hidden.
    completed : ndarray of shape (n_rows, n_visible)
        What the model says.
    spread : ndarray of shape (n_visible,)
        Standard deviations that widths of intervals are given in.
    level : float
        Share of truths that intervals and sets shall hold.

    Returns
    -------
    Honesty
    """
    if model.prediction_ is None:
        return Honesty(level)
    coverage, width = _intervals(model, seen, truth, hidden, spread, level)
    is_held, is_sure, is_right, probability = _sets(model, seen, truth, hidden, completed, level)
    has_labels = len(is_held) > 0
    return Honesty(
        level=level,
        interval_coverage=coverage,
        interval_width=width,
        set_coverage=float(is_held.mean()) if has_labels else None,
        share_sure=float(is_sure.mean()) if has_labels else None,
        right_when_sure=float(is_right[is_sure].mean()) if is_sure.any() else None,
        calibration_error=(
            calibration_error(is_right.astype(float), probability) if has_labels else None
        ),
        chance_error=_chance_error(probability) if has_labels else None,
    )


def _chance_error(probability: NDArray[np.float64]) -> float:
    """Calibration error that probabilities which are exactly right stay below in 19 of 20 cases."""
    generator = np.random.default_rng(0)
    errors = [
        calibration_error((generator.random(len(probability)) < probability) * 1.0, probability)
        for _ in range(_N_REPEATS)
    ]
    return float(np.quantile(errors, 0.95))


def _intervals(
    model: Any,
    seen: Encoded,
    truth: NDArray[np.float32],
    hidden: NDArray[np.bool_],
    spread: NDArray[np.float64],
    level: float,
) -> tuple[float | None, float | None]:
    n_numbers = model.schema_.n_gaussian
    asked = hidden[:, :n_numbers]
    if not asked.any():
        return None, None
    lower, upper = bounds_of_units(model, seen, level)
    true = truth[:, :n_numbers]
    held = (lower <= true) & (true <= upper)
    widths = (upper - lower) / spread[:n_numbers]
    return float(held[asked].mean()), float(widths[asked].mean())


def _sets(
    model: Any,
    seen: Encoded,
    truth: NDArray[np.float32],
    hidden: NDArray[np.bool_],
    completed: NDArray[np.float32],
    level: float,
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_], NDArray[np.float64]]:
    """For every hidden label: held, sure, right, and the probability of the decision."""
    schema = model.schema_
    parts = [(np.zeros(0, bool), np.zeros(0, bool), np.zeros(0, bool), np.zeros(0))]
    if not schema.targets:
        return parts[0]
    probabilities = schema.target_probabilities(completed)
    knows = np.any(seen.observed[:, schema.is_target_unit], axis=1)
    for j, probability in enumerate(probabilities):
        own = schema.target_units(j)
        rows = np.flatnonzero(hidden[:, own.start])
        true = truth[rows, own] > 0.5
        if probability.ndim == 1:
            probability = np.stack([1 - probability, probability], axis=1)
            true = np.hstack([~true, true])
        said = probability[rows]
        possible = possible_values(model, said, knows[rows], level)
        picked = said.argmax(axis=1)
        right = true[np.arange(len(rows)), picked]
        parts.append(
            ((possible & true).any(axis=1), possible.sum(axis=1) == 1, right, said.max(axis=1))
        )
    held, sure, right, probability = (np.concatenate(part) for part in zip(*parts, strict=True))
    return held, sure, right, probability
