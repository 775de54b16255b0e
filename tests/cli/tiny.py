"""A small table with everything in it, and the model that knows it."""

from __future__ import annotations

import json
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from estimators.golden import model_of
from estimators.tables import classes_of_rows, holed_table
from halfseen import HalfseenClassifier, HalfseenImputer, load
from halfseen.estimators.model_file import VERSION

# Fitted once to holed_table() and classes_of_rows(), with an ensemble and its companion.
MODEL = model_of(VERSION)


def tiny_table() -> pd.DataFrame:
    """Forty rows: names, dates, two numbers, a yes-or-no, a category, a class; with holes."""
    table = holed_table()
    table.insert(0, "name", [f"row-{k:03d}" for k in range(len(table))])
    table.insert(1, "seen_on", [f"2024-03-{1 + k % 28:02d}" for k in range(len(table))])
    table.loc[7, "name"] = None
    table["y"] = classes_of_rows(table)
    return table


def without_companion(folder: Path) -> str:
    """The same model as if it had been fitted with --no-companion."""
    model = load(MODEL)
    model.machine_ = None
    model.settings_ = replace(model.settings_, companion=False)
    path = folder / "without_companion.safetensors"
    model.save(path)
    return str(path)


class Untrained(HalfseenClassifier):  # type: ignore[misc]
    """Learns what columns are, and nothing else; its file is its schema."""

    def _train(self, *_: Any) -> None:
        self.machine_, self.prediction_ = None, object()  # type: ignore[assignment]

    def _learn_thresholds(self, *_: Any) -> None:
        self.thresholds_ = np.zeros(0)

    def save(self, path: str | PathLike[str]) -> None:
        document = {"seed": self.random_state, **self.schema_.to_document()}
        Path(path).write_text(json.dumps(document))


class UntrainedImputer(HalfseenImputer):
    """Likewise, without labels."""

    def _train(self, *_: Any) -> None:
        self.machine_, self.prediction_ = None, object()  # type: ignore[assignment]

    save = Untrained.save


def write_tiny(folder: Path, name: str = "tiny.csv") -> str:
    """The table as a file."""
    path = folder / name
    if name.endswith(".parquet"):
        tiny_table().to_parquet(path)
    else:
        tiny_table().to_csv(path, index=False)
    return str(path)
