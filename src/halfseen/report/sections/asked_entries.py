"""Entries that are known, hidden and asked for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.rbm_base import RBMBase
from halfseen.explanations.rows_read import RowsRead
from halfseen.tables import Encoded, Schema

LEVELS = (0.5, 0.8, 0.9, 0.95)
_SHARE = 0.15


@dataclass(frozen=True)
class Said:
    """What was said of some yes-or-no questions, and what was true.

    Attributes
    ----------
    probability : ndarray of shape (n_entries,)
        Of a label, or of the class or category that was thought likeliest.
    came_true : ndarray of bool of shape (n_entries,)
        Whether the label is one, or the class the right one.
    """

    probability: NDArray[np.float64]
    came_true: NDArray[np.bool_]


@dataclass(frozen=True)
class AskedNumbers:
    """Hidden numbers of one column, in its standard deviations.

    Attributes
    ----------
    column : str
        Its name.
    truth, answer : ndarray of shape (n_entries,)
        What was hidden, and what was expected there.
    covered : ndarray of bool of shape (n_entries, n_levels)
        Whether the interval of each of :data:`LEVELS` held the truth; of no entries without an
        ensemble.
    width : ndarray of shape (n_entries, n_levels)
        Widths of these intervals.
    """

    column: str
    truth: NDArray[np.float64]
    answer: NDArray[np.float64]
    covered: NDArray[np.bool_]
    width: NDArray[np.float64]


@dataclass(frozen=True)
class AskedEntries:
    """Everything that was asked.

    Attributes
    ----------
    labels : Said
        Known labels or classes, given all features that are seen and no label.
    discrete : Said
        Hidden binary and categorical features.
    numbers : tuple of AskedNumbers
        Hidden numbers, column by column.
    """

    labels: Said
    discrete: Said
    numbers: tuple[AskedNumbers, ...]


def completed_units(
    model: RBMBase, visible: NDArray[np.float32], observed: NDArray[np.bool_]
) -> NDArray[np.float32]:
    """Expected value of every unit, by whichever half of the model answers."""
    if model.prediction_ is not None:
        return model.prediction_.complete(visible, observed)
    if model.machine_ is None:
        raise ValueError("the model holds neither an ensemble nor a machine; fit it first")
    return model.machine_.complete(visible, observed)


def ask_entries(model: RBMBase, rows: RowsRead, seed: int = 0) -> AskedEntries:
    """Hide known labels, and some of the features that are seen, and ask for them.

    Parameters
    ----------
    model : HalfseenClassifier or HalfseenImputer
        A fitted model.
    rows : RowsRead
        Rows, with what is known of their labels.
    seed : int, default=0
        Seed of what is hidden.

    Returns
    -------
    AskedEntries

    Examples
    --------
    >>> from halfseen import HalfseenImputer
    >>> from halfseen.explanations.rows_read import read_rows
    >>> X = np.random.default_rng(0).random((30, 2))
    >>> model = HalfseenImputer(objective="data_started_cd", n_hidden=2, n_epochs=2, random_state=0)
    >>> asked = ask_entries(model.fit(X), read_rows(model, X, None, None))
    >>> [column.column for column in asked.numbers], len(asked.labels.probability)
    (['x0', 'x1'], 0)
    """
    schema, encoded = model.schema_, rows.encoded
    labels = _ask_labels(model, encoded)
    generator = np.random.default_rng(seed)
    column_of_unit = schema.column_of_unit
    hidden_columns = generator.random((len(encoded.visible), len(schema.columns))) < _SHARE
    hidden = hidden_columns[:, column_of_unit] & encoded.observed & ~schema.is_target_unit
    shown = encoded.observed & ~hidden & ~schema.is_target_unit
    completed = completed_units(model, encoded.visible, shown)
    return AskedEntries(
        labels,
        _discrete(schema, encoded, hidden, completed),
        _numbers(model, encoded, hidden, shown, completed),
    )


def _ask_labels(model: RBMBase, encoded: Encoded) -> Said:
    schema = model.schema_
    known = encoded.observed & schema.is_target_unit
    rows = known.any(axis=1)
    if not rows.any():
        return Said(np.zeros(0), np.zeros(0, bool))
    visible = encoded.visible[rows]
    completed = completed_units(model, visible, encoded.observed[rows] & ~schema.is_target_unit)
    said: list[NDArray[np.float64]] = []
    true: list[NDArray[np.bool_]] = []
    for j, probability in enumerate(schema.target_probabilities(completed)):
        units = schema.target_units(j)
        own = known[rows][:, units.start]
        _add(said, true, probability[own], visible[own, units])
    return Said(np.concatenate(said), np.concatenate(true))


def _add(
    said: list[NDArray[np.float64]],
    true: list[NDArray[np.bool_]],
    probability: NDArray[np.float64],
    truth: NDArray[np.float32],
) -> None:
    """One label, or the likeliest of several classes."""
    if probability.ndim == 1:
        said.append(probability)
        true.append(truth[:, 0] > 0.5)
        return
    likeliest = np.argmax(probability, axis=1)[:, np.newaxis]
    said.append(np.take_along_axis(probability, likeliest, axis=1)[:, 0])
    true.append(np.take_along_axis(truth, likeliest, axis=1)[:, 0] > 0.5)


def _discrete(
    schema: Schema,
    encoded: Encoded,
    hidden: NDArray[np.bool_],
    completed: NDArray[np.float32],
) -> Said:
    said: list[NDArray[np.float64]] = []
    true: list[NDArray[np.bool_]] = []
    for j, column in enumerate(schema.features):
        if column.kind not in ("binary", "categorical"):
            continue
        units = schema.feature_units(j)
        rows = hidden[:, units.start]
        expected = completed[rows, units].astype(np.float64)
        probability = expected[:, 0] if column.kind == "binary" else expected
        _add(said, true, probability, encoded.visible[rows, units])
    if not said:
        return Said(np.zeros(0), np.zeros(0, bool))
    return Said(np.clip(np.concatenate(said), 0.0, 1.0), np.concatenate(true))


def _numbers(
    model: RBMBase,
    encoded: Encoded,
    hidden: NDArray[np.bool_],
    shown: NDArray[np.bool_],
    completed: NDArray[np.float32],
) -> tuple[AskedNumbers, ...]:
    schema = model.schema_
    bounds = []
    if model.prediction_ is not None and schema.n_gaussian:
        bounds = [model.prediction_.interval(encoded.visible, shown, level) for level in LEVELS]
    asked = []
    for j, column in enumerate(schema.features):
        if column.unit != "gaussian":
            continue
        unit = schema.feature_units(j).start
        rows = hidden[:, unit]
        truth = encoded.visible[rows, unit].astype(np.float64)
        low = np.stack([lower[rows, unit] for lower, _ in bounds], axis=1) if bounds else None
        high = np.stack([upper[rows, unit] for _, upper in bounds], axis=1) if bounds else None
        nothing = np.zeros((0, len(LEVELS)))
        asked.append(
            AskedNumbers(
                column.name,
                truth,
                completed[rows, unit].astype(np.float64),
                nothing.astype(bool)
                if low is None or high is None
                else (low <= truth[:, None]) & (truth[:, None] <= high),
                nothing if low is None or high is None else high - low,
            )
        )
    return tuple(asked)
