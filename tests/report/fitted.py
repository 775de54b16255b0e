"""A small fitted model, for whole reports."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import halfseen
from estimators.golden import VERSIONS, model_of
from estimators.tables import classes_of_rows, holed_table
from halfseen import HalfseenClassifier
from report.small import HOSTILE


class Fitted(NamedTuple):
    """A model and what it was fitted to."""

    model: HalfseenClassifier
    X: pd.DataFrame
    y: NDArray[np.object_]


def fitted_model() -> Fitted:
    """The newest golden model, its columns given awkward names; fitting takes too long here."""
    table = holed_table()
    y = classes_of_rows(table)
    X = table.rename(columns=lambda name: f"{name} {HOSTILE}")
    model = halfseen.load(model_of(max(VERSIONS)))
    features = tuple(
        replace(column, name=f"{column.name} {HOSTILE}") for column in model.schema_.features
    )
    model.schema_ = replace(model.schema_, features=features)
    model.feature_names_in_ = np.array(X.columns, object)
    return Fitted(model, X, y)
