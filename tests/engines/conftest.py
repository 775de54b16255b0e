"""A small table with everything that partitions get wrong, and a model of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from halfseen import RBMClassifier

N = 120
FEATURES = ["number", "skewed", "count", "flag", "text", "colour"]
LABELS = ["label_a", "label_b"]


def make_table() -> pd.DataFrame:
    """Every type of column, an index of its own, and runs of rows in which much is missing."""
    random = np.random.default_rng(0)
    z = random.normal(size=N)
    frame = pd.DataFrame(
        {
            "label_b": np.where(z > 0.3, 1.0, 0.0),
            "text": pd.Series(np.where(z > 0, "high", "low"), dtype="string"),
            "id": [f"row {k}" for k in range(N)],
            "number": z + random.normal(0, 0.3, N),
            "skewed": np.exp(3 * z),
            "count": pd.Series(random.integers(0, 9, N), dtype="Int64"),
            "colour": pd.Categorical(np.where(z > 0, "red", "blue"), ["blue", "red", "grey"]),
            "flag": pd.Series(z > -0.5, dtype="boolean"),
            "label_a": np.where(z > 0, 1.0, 0.0),
        }
    )
    hidden = random.random(frame.shape) < 0.3
    hidden[:, 2] = False
    hidden[: N // 3, 6] = True  # no colour in the first partitions
    hidden[60:68, [0, 1, 3, 4, 5, 6, 7, 8]] = True  # rows without an observed value
    frame.loc[N - 1, "colour"], hidden[N - 1, 6] = "grey", False  # seen in the last one only
    return frame.mask(hidden).set_index(pd.RangeIndex(1000, 1000 + 2 * N, 2, name="key"))


@pytest.fixture(scope="session")
def table() -> pd.DataFrame:
    return make_table()


@pytest.fixture(scope="session")
def model(table: pd.DataFrame) -> Any:
    estimator = RBMClassifier(
        n_components=8, n_iter=30, random_state=0, validation_fraction=0.2
    )  # it is quick to compile
    return estimator.fit(table[FEATURES], table[LABELS])


@pytest.fixture(scope="session")
def model_path(model: Any, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = Path(tmp_path_factory.mktemp("model"), "model.safetensors")
    model.save(path)
    return str(path)
