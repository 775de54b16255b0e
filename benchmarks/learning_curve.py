"""How many rows a fit needs: the learning curve, and a sampled fit beside one of ten times as many.

``python benchmarks/learning_curve.py --rows 1000 10000 100000 1000000`` fits the recommended model
to so many rows of a generated table, a fifth of whose features is missing, and scores it on 20,000
rows that no fit has seen: a label that a third of the rows has, one that 1 in 1,000 has, and the
features that are hidden. ``--mnist`` does the same with MNIST, from the folder of data sets that
``HALFSEEN_DATA`` names.

``--sample 100000 --of 1000000`` fits through the Dask engine with `max_rows` and without: the
engine draws its sample from partitions, and weights it back. ``--seeds`` repeats both for other
tables. ``MOST_ROWS`` of halfseen.engines.sampling was set from these curves.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterable
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd

from halfseen import HalfseenClassifier, metrics
from halfseen.engines.dask import DaskHalfseenClassifier, draw_sample
from halfseen.engines.sampling import Sampling, rows_of
from halfseen.experiments.data_sets import load_data_set

N_NUMBERS, N_KINDS, N_CAUSES = 16, 4, 6
MISSING, N_NEW = 0.2, 20_000
LABELS = ["usual", "rare"]  # a third of the rows, and 1 in 1,000
PART = 50_000  # rows that are made at a time
HEADS = ("rows", "seconds", "AUC usual", "AUC rare", "log-loss", "calibration", "NRMSE")


def _part(seed: int, number: int, n_rows: int) -> pd.DataFrame:
    """Rows of a table whose causes move features and, nonlinearly, labels."""
    of_table = np.random.default_rng(seed)
    weights = of_table.normal(size=(N_CAUSES, N_NUMBERS + N_KINDS))
    random = np.random.default_rng([seed, 1 + number])
    causes = random.normal(size=(n_rows, N_CAUSES))
    values = causes @ weights + random.normal(size=(n_rows, weights.shape[1]))
    score = causes[:, 0] * causes[:, 1] + causes[:, 2] + 0.5 * random.normal(size=n_rows)
    distance = causes[:, 3] + np.abs(causes[:, 4]) + 0.5 * random.normal(size=n_rows)
    frame = pd.DataFrame(values[:, :N_NUMBERS], columns=[f"number_{j}" for j in range(N_NUMBERS)])
    for j in range(N_KINDS):
        codes = np.digitize(values[:, N_NUMBERS + j], (-3, 0, 3))
        frame[f"kind_{j}"] = np.array(["low", "mid", "high", "top"])[codes]
    # Limits of which a third, and 1 in 1,000 of the rows, are above.
    return frame.assign(usual=(score > 0.55) * 1.0, rare=(distance > 4.938) * 1.0)


def table(seed: int, n_rows: int, first: int = 0) -> pd.DataFrame:
    """Complete rows; the first rows of a longer table are those of a shorter one."""
    sizes = [min(PART, n_rows - done) for done in range(0, n_rows, PART)]
    return pd.concat([_part(seed, first + k, n) for k, n in enumerate(sizes)], ignore_index=True)


def hide(X: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Features with missing values."""
    return X.mask(np.random.default_rng([seed, 7]).random(X.shape) < MISSING)


def scores(model: Any, truth: pd.DataFrame, seed: int) -> list[float]:
    """AUC of both labels, log-loss and calibration of the usual one, fills of numbers."""
    complete = truth.drop(columns=LABELS)
    X, y = hide(complete, seed + 1000), truth[LABELS].to_numpy()
    proba = model.predict_proba(X)
    numbers = [name for name in X if name.startswith("number")]
    hidden = X[numbers].isna().to_numpy()
    filled = np.where(hidden, model.complete(X).X[numbers].to_numpy(), np.nan)
    return [
        metrics.macro_auc(y[:, :1], proba[:, :1]),
        metrics.macro_auc(y[:, 1:], proba[:, 1:]),
        metrics.log_loss(y[:, :1], proba[:, :1]),
        metrics.calibration_error(y[:, :1], proba[:, :1]),
        metrics.normalised_rmse(complete[numbers].to_numpy(), filled, hidden),
    ]


def show(*cells: object) -> None:
    """A line of a table."""
    print(*(f"{c:12.4f}" if isinstance(c, float) else f"{c:>12}" for c in cells), flush=True)


def learning_curve(rows: Iterable[int], seed: int, effort: str) -> None:
    """Fits to more and more rows."""
    new = table(seed, N_NEW, first=10**6)
    for n_rows in rows:
        train = table(seed, n_rows)
        began = time.perf_counter()
        model = HalfseenClassifier(effort=effort, random_state=seed)
        model.fit(hide(train.drop(columns=LABELS), seed), train[LABELS])
        show(f"{n_rows:,}", time.perf_counter() - began, *scores(model, new, seed))


def mnist_curve(rows: Iterable[int], seed: int, effort: str) -> None:
    """The same of MNIST: accuracy and log-loss of digits, and fills of pixels."""
    data = load_data_set("mnist", None)
    random = np.random.default_rng(seed)
    order = random.permutation(len(data.X))
    X = np.where(random.random(data.X.shape) < MISSING, np.nan, data.X)
    y = data.Y.argmax(axis=1)
    new = order[-10_000:]
    for n_rows in rows:
        train = order[: min(n_rows, len(order) - len(new))]
        began = time.perf_counter()
        model = HalfseenClassifier(effort=effort, random_state=seed).fit(X[train], y[train])
        seconds, proba = time.perf_counter() - began, model.predict_proba(X[new])
        hidden = np.isnan(X[new])
        filled = np.where(hidden, model.transform(X[new]), np.nan)
        show(
            f"{len(train):,}", seconds, metrics.ovr_auc(y[new], proba, model.classes_),
            float((model.classes_[proba.argmax(axis=1)] == y[new]).mean()),
            metrics.log_loss(y[new], proba, model.classes_), np.nan,
            metrics.normalised_rmse(data.X[new], filled, hidden),
        )  # fmt: skip


def sampled(n_sample: int, n_rows: int, seed: int, effort: str) -> None:
    """A fit of a sample beside one that reads all rows, both through the engine."""
    train, new = table(seed, n_rows), table(seed, N_NEW, first=10**6)
    train = hide(train.drop(columns=LABELS), seed).join(train[LABELS])
    rows = dd.from_pandas(train, npartitions=max(1, n_rows // PART), sort=False)
    sampling = Sampling(tuple(LABELS), n_sample, seed)
    drawn, weight = rows_of(draw_sample(rows, None, None, sampling)[0].compute(), sampling)
    print(f"drawn {len(drawn):,} of {n_rows:,} rows; of the rare label {drawn['rare'].sum():,.0f} "
          f"of {train['rare'].sum():,.0f} rows, weights sum to {weight.sum():,.0f}",
          flush=True)  # fmt: skip
    for most in (n_sample, n_rows):
        began = time.perf_counter()
        model = DaskHalfseenClassifier(max_rows=most, effort=effort, random_state=seed)
        fitted = model.fit(rows, LABELS).to_local()
        show(f"{most:,}", time.perf_counter() - began, *scores(fitted, new, seed))


def main() -> None:
    """Fit, and show the scores."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, nargs="*", default=[1000, 3000, 10_000, 30_000])
    parser.add_argument("--sample", type=int, default=10_000)
    parser.add_argument("--of", type=int, default=100_000, help="rows; 0 leaves the sample out")
    parser.add_argument("--seeds", type=int, nargs="*", default=[0])
    parser.add_argument("--effort", default="fast", choices=["fast", "default", "best"])
    parser.add_argument("--mnist", action="store_true", help="learning curve of MNIST")
    options = parser.parse_args()
    dask.config.set(scheduler="synchronous")
    warnings.filterwarnings("ignore", message=".*has one class")  # the rare label of few rows
    for seed in options.seeds:
        if options.mnist:
            show("rows", "seconds", "AUC", "accuracy", "log-loss", "", "NRMSE")
            mnist_curve(options.rows, seed, options.effort)
            continue
        show(*HEADS)
        learning_curve(options.rows, seed, options.effort)
        if options.of:
            sampled(options.sample, options.of, seed, options.effort)


if __name__ == "__main__":
    main()
