"""A small table, its schema, and a model that answers what it is told to."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.blind_readers import BlindReaders
from halfseen.estimators.conformal import LEVELS
from halfseen.explanations.rows_read import RowsRead
from halfseen.tables import (
    Schema,
    learn_columns,
    learn_target_columns,
    read_table,
    read_target,
)

HOSTILE = "<script>alert('&')</script>"
NUMBERS = np.array([1.5, 2.5, np.nan, 4.0, 7.25, 3.5, np.nan, 2.0])
COLOURS = ["red", None, HOSTILE, "red", HOSTILE, None, "red", "red"]
SWITCH = [0.0, 1.0, 1.0, np.nan, 0.0, 0.0, 1.0, np.nan]
LABELS = np.array(
    [[1, 0], [0, np.nan], [np.nan, 1], [1, 1], [0, 0], [np.nan, np.nan], [1, 0], [0, 1]]
)


def table_of() -> Any:
    """Eight rows of a number, a category and a switch, with holes and awkward names."""
    import pandas as pd

    return pd.DataFrame({HOSTILE: NUMBERS, "colour & size": COLOURS, "on": SWITCH})


def rows_of() -> tuple[Schema, RowsRead]:
    """The table and two labels, as a report reads them."""
    table, target = read_table(table_of()), read_target(LABELS)
    schema = Schema(learn_columns(table), learn_target_columns(target), "labels")
    raws = (*table.columns, *target.columns)
    return schema, RowsRead(tuple(range(8)), schema.encode(table, target), raws)


def told_model(schema: Schema, truth: NDArray[np.float32], away: float = 0.25) -> Any:
    """A model that says the truth, numbers off by ``away``, with intervals of the level's width."""

    def complete(visible: NDArray[np.float32], observed: NDArray[np.bool_]) -> NDArray[np.float32]:
        said = truth[: len(visible)].copy()
        said[:, : schema.n_gaussian] += away
        return np.where(observed, visible, said)

    def interval(
        visible: NDArray[np.float32], observed: NDArray[np.bool_], level: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        middle = complete(visible, observed)[:, : schema.n_gaussian].astype(np.float64)
        return middle - level, middle + level

    n_gaussian = schema.n_gaussian
    prediction = SimpleNamespace(
        choices=(),
        blind=BlindReaders(),
        complete=complete,
        interval=interval,
        smallest_probability=lambda level, knows_labels: 1 - level,
        blend=blend_of(n_gaussian),
        ensemble=ensemble_of(n_gaussian, schema.n_visible),
        conformal=SimpleNamespace(
            number=np.tile(2 * LEVELS, (n_gaussian, 1)), label=np.stack([LEVELS / 2, LEVELS / 3])
        ),
    )
    return SimpleNamespace(
        schema_=schema, prediction_=prediction, machine_=None, thresholds_=np.array([0.5, 0.5])
    )


def blend_of(n_gaussian: int, n_kinds: int = 3) -> Any:
    """Equal weights of everything."""
    return SimpleNamespace(
        number=np.full((n_gaussian, 3 * n_kinds), 1 / (3 * n_kinds)),
        discrete=np.full(n_kinds + 1, 1 / (n_kinds + 1)),
        target=np.tile(np.eye(n_kinds + 1), (2, 1, 1)),
        label_power=np.tile([[0.125], [0.25]], n_kinds + 1),
        label_shift=np.array([0.125, 0.0]),
        class_power=np.tile([[0.1875], [0.25]], n_kinds + 1),
        lowest=np.full(n_gaussian, -2.0),
        highest=np.full(n_gaussian, 2.0),
    )


def ensemble_of(n_gaussian: int, n_visible: int, sees: tuple[bool, ...] = (0, 1, 0)) -> Any:
    """One fold of as many kinds as there are words on seeing labels."""
    n_kinds = len(sees)
    return SimpleNamespace(
        weights=np.zeros((n_kinds, n_visible, 4)),
        n_kinds=n_kinds,
        n_folds=1,
        knots=np.zeros((n_gaussian, 5)),
        prior_covariance=np.zeros((1, n_visible, n_visible)),
        prior_loading=np.zeros((1, n_visible, 0)),
        prior_sees_labels=np.array(sees, bool),
        shape=SimpleNamespace(n_hidden=4, n_sweeps=2, sees_missing=False),
    )
