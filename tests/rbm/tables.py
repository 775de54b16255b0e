"""A small mixed table with missing values, and targets of every type."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

LIGHT: dict[str, Any] = {
    "n_components": 6,
    "learning_rate": 0.05,
    "n_iter": 4,
    "n_restarts": 2,
    "validation_fraction": 0.1,
    "random_state": 0,
}


def mixed_table(n_rows: int = 60, seed: int = 0, missing: float = 0.25) -> pd.DataFrame:
    """Columns of all kinds that depend on one hidden number."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n_rows)
    table = pd.DataFrame(
        {
            "size": z + 0.3 * rng.normal(size=n_rows),
            "income": np.exp(2.5 * z + rng.normal(size=n_rows)),
            "count": pd.array(np.rint(40 + 9 * z).astype(int), dtype="Int64"),
            "colour": np.where(z > 0.5, "red", np.where(z > -0.5, "green", "blue")),
            "sold": pd.array(z + rng.normal(size=n_rows) > 0, dtype="boolean"),
        }
    )
    return table.mask(rng.random(table.shape) < missing)


def targets(table: pd.DataFrame, kind: str, seed: int = 1, unknown: float = 0.3) -> Any:
    """A target of a kind, of which a share is unknown."""
    rng = np.random.default_rng(seed)
    z = table["size"].fillna(0).to_numpy()
    if kind == "multilabel":
        labels = (z[:, None] + rng.normal(size=(len(z), 3)) > [-0.5, 0, 0.5]).astype(float)
        labels[rng.random(labels.shape) < unknown] = np.nan
        return labels
    names = np.array(["low", "mid", "high"], dtype=object)
    if kind == "multioutput":
        codes = np.stack([np.digitize(z, [-0.5, 0.5]), (z > 0).astype(int)], axis=1)
        found = names[codes]
        found[rng.random(found.shape) < unknown] = None
        return found
    cuts = [0.0] if kind == "binary" else [-0.5, 0.5]
    classes = names[np.digitize(z, cuts)]
    classes[rng.random(len(z)) < unknown] = None
    return classes


KINDS = ("binary", "multiclass", "multilabel", "multioutput")
