"""Fit one estimator to one masked table and write its predictions; a child of ``accuracy.py``.

``python one_fit.py FOLDER`` reads the tables and ``request.json`` of a folder and writes
``predictions.npz`` and ``timings.json`` there. It uses public names alone, so that it runs under
the interpreter of any edition of halfseen.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

COVERAGE = 0.9


def read_table(folder: Path, name: str) -> Any:
    """An array, or a data frame where the table has text in it."""
    if (folder / f"{name}.npy").exists():
        return np.load(folder / f"{name}.npy", allow_pickle=False)
    import pandas as pd

    return pd.read_parquet(folder / f"{name}.parquet")


def numbers(table: Any) -> Any:
    """The values of a completed table; text becomes NaN, which no score reads."""
    if isinstance(table, np.ndarray):
        return table.astype(np.float64)
    import pandas as pd

    return table.apply(pd.to_numeric, errors="coerce").to_numpy(np.float64)


def fit_and_predict(
    model: Any, X: Any, y: Any, X_new: Any = None
) -> tuple[dict[str, Any], dict[str, float]]:
    """Predictions of new rows, or of those that the model is fitted to, and timings."""
    began = time.perf_counter()
    model.fit(X, y)
    fitted = time.perf_counter()
    if X_new is None:
        completed = model.complete(X, y)
        filled, proba = completed.X, completed.proba
    else:
        filled, proba = model.transform(X_new), model.predict_proba(X_new)
    predicted = time.perf_counter()
    found = {"filled": numbers(filled), "proba": np.asarray(proba)}
    if not isinstance(model.classes_, list):
        found["classes"] = np.asarray(model.classes_, dtype=np.float64)
    return found, {"fit_seconds": fitted - began, "predict_seconds": predicted - fitted}


def answer(folder: Path) -> None:
    """Fit, predict, and write what was predicted."""
    request = json.loads((folder / "request.json").read_text())
    estimator = getattr(importlib.import_module("halfseen"), request["estimator"])
    X, y = read_table(folder, "X"), read_table(folder, "y")
    X_new = read_table(folder, "X_new") if request["new_rows"] else None
    model = estimator(random_state=0, **request["parameters"])
    found, timings = fit_and_predict(model, X, y, X_new)
    if request["uncertainty"]:
        asked = X if X_new is None else X_new
        found["sets"] = np.asarray(model.predict_set(asked, COVERAGE))
        found["intervals"] = np.asarray(model.predict_interval(asked, COVERAGE), np.float64)
        draws = model.impute(asked, request["n_draws"])
        found["draws"] = np.stack([numbers(draw) for draw in draws])
    if request.get("row_scores"):
        found["row_scores"] = model.score_samples(X if X_new is None else X_new)
    np.savez(folder / "predictions.npz", **found)
    (folder / "timings.json").write_text(json.dumps(timings))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    answer(Path(sys.argv[1]))
