"""The tables that the tests of the estimators share.

Everything that is compiled depends on the kinds of the visible units, so the tests keep to two
layers. Classes beside the table have the layer of two outputs beside the table without its colour;
two labels beside the table have the layer of the table with them as columns, for the imputer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

LIGHT: dict[str, Any] = {
    "objective": "data_started_cd",
    "n_hidden": 4,
    "n_epochs": 4,
    "batch_size": 16,
    "learning_rate": 0.02,
    "monitor_every": 2,
    "n_restarts": 2,
    "n_sweeps": 6,
    "random_state": 0,
}


# Predictive training beside a companion that is LIGHT in all that decides what is compiled.
PREDICTIVE: dict[str, Any] = {
    "n_hidden": 4,
    "n_epochs": 4,
    "batch_size": 16,
    "n_machines": 2,
    "monitor_every": 2,
    "n_restarts": 2,
    "n_sweeps": 6,
    "random_state": 0,
}


def whole_table(n_rows: int = 40, seed: int = 0) -> pd.DataFrame:
    """A table without holes; all columns hang on one hidden number."""
    random = np.random.default_rng(seed)
    hidden = random.normal(size=n_rows)
    size = hidden + 0.5 * random.normal(size=n_rows)
    weight = 100.0 + 30.0 * hidden + 10.0 * random.normal(size=n_rows)
    sold = (hidden + random.normal(size=n_rows) > 0).astype(float)
    colour = np.array(["blue", "green", "red"])[np.digitize(hidden, [-0.4, 0.4])]
    # All values of the small columns in the first rows, so that any table shows them all.
    sold[:2], colour[:3] = (0.0, 1.0), ("blue", "green", "red")
    return pd.DataFrame({"size": size, "weight": weight, "sold": sold, "colour": colour})


def holed_table(n_rows: int = 40, seed: int = 0, share: float = 0.2) -> pd.DataFrame:
    """The same with holes, except in its first three rows."""
    table = whole_table(n_rows, seed).astype({"colour": object})
    holes = np.random.default_rng([seed, 1]).random(table.shape) < share
    holes[:3] = False
    for j, name in enumerate(table.columns):
        table.loc[holes[:, j], name] = None if name == "colour" else np.nan
    return table


def _hidden_number(table: pd.DataFrame) -> NDArray[np.float64]:
    return np.nan_to_num(table["size"].to_numpy(dtype=float))


def classes_of_rows(table: pd.DataFrame) -> NDArray[Any]:
    """Three classes as text, every third unknown."""
    names = np.array(["high", "low", "mid"], dtype=object)
    y = names[np.digitize(_hidden_number(table), [-0.4, 0.4])]
    y[:3] = names
    y[5::3] = None
    return y


def labels_of_rows(table: pd.DataFrame) -> NDArray[np.float64]:
    """Two labels, some unknown, and some rows without any."""
    number = _hidden_number(table)
    y = np.stack([number > 0, number < 0.5], axis=1).astype(float)
    y[:2] = [[0, 1], [1, 0]]
    y[5::4, 0] = np.nan
    y[5::3, 1] = np.nan
    return y


def outputs_of_rows(table: pd.DataFrame) -> NDArray[Any]:
    """Two columns of three classes, text and whole numbers, some unknown."""
    number = _hidden_number(table)
    y = np.empty((len(table), 2), dtype=object)
    y[:, 0] = np.array(["no", "maybe", "yes"])[np.digitize(number, [-0.2, 0.8])]
    y[:, 1] = np.digitize(number, [-0.4, 0.4]) + 1
    y[:3] = [["no", 1], ["yes", 2], ["maybe", 3]]
    y[5::4, 0] = None
    y[5::3, 1] = None
    return y
