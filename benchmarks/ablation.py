"""What each part of the recommended model earns: the default with one part changed at a time.

``python benchmarks/ablation.py`` fits every variant to the ablation half of the KEEL tables and to
tables of scikit-learn, with complete features and with a third hidden, half of the labels hidden,
and appends a record per fit to ``benchmarks/ablation.jsonl``; what is recorded is not run again.
``python benchmarks/ablation.py --show`` prints the table of the records: the mean over tables of
the difference to the default of the same mask.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from accuracy import Task, all_tasks, is_for_ablation, masked_frame, masked_table, scores
from one_fit import fit_and_predict
from sklearn import datasets

from halfseen import HalfseenClassifier
from halfseen.ensemble import estimator
from halfseen.ensemble.config import Config

RECORDS = Path(__file__).with_name("ablation.jsonl")
SCORES = ("auc", "log_loss", "calibration_error", "normalised_rmse")
LARGE = {  # tables left out for their time
    "chess", "letter", "magic", "marketing", "mushroom", "optdigits", "penbased", "ring",
    "spambase", "splice", "texture", "twonorm",
}  # fmt: skip


def of_config(**changes: Any) -> Callable[[Config], Config]:
    """A change of some settings; functions are given the default."""
    return lambda config: replace(
        config, **{n: v(config) if callable(v) else v for n, v in changes.items()}
    )


VARIANTS: dict[str, tuple[Callable[[Config], Config], dict[str, Any]]] = {
    "default": (of_config(), {}),
    "without trees": (of_config(), {"trees": False}),
    "forest alone, without boosting": (of_config(n_boosting_rounds=0), {}),
    "without class-conditional Gaussians": (of_config(), {"class_gaussians": False}),
    "neither trees nor class-conditional Gaussians": (
        of_config(), {"trees": False, "class_gaussians": False}),
    "without bins": (of_config(n_bins=0), {}),
    "one fold": (of_config(n_folds=1), {}),
    "twice the folds": (of_config(n_folds=lambda c: 2 * c.n_folds), {}),
    "half of the steps": (of_config(n_steps=lambda c: c.n_steps // 2), {}),
    "twice the steps": (of_config(n_steps=lambda c: 2 * c.n_steps), {}),
    "without early stopping": (of_config(patience=10**6), {}),
    "half of the hidden units": (of_config(n_hidden=lambda c: c.n_hidden // 2), {}),
    "twice the hidden units": (of_config(n_hidden=lambda c: 2 * c.n_hidden), {}),
    "features always masked": (of_config(keep_features=0.0), {}),
}  # fmt: skip
_OF_SKLEARN = ("breast_cancer", "digits", "iris", "wine")


def tasks() -> list[Task]:
    """The tables on which settings may be compared; masks 0 to 4 of the others may be, too."""
    keel = [t for t in all_tasks() if t.is_keel and is_for_ablation(t.table)]
    own = [Task(name, rate, 0.5) for name in _OF_SKLEARN for rate in (0.0, 1 / 3)]
    return [task for task in keel if task.table not in LARGE] + own


def table_of(task: Task, mask: int) -> Any:
    """The masked table of a task."""
    if task.is_keel or task.table not in _OF_SKLEARN:
        return masked_table(task, mask)
    X, y = getattr(datasets, f"load_{task.table}")(return_X_y=True, as_frame=True)
    return masked_frame(pd.DataFrame(X), np.asarray(y, np.int64), task, mask)


def fit(task: Task, mask: int, variant: str) -> dict[str, Any]:
    """Scores of one variant on one mask."""
    change, parameters = VARIANTS[variant]
    table, original = table_of(task, mask), estimator.for_table
    with patch.object(estimator, "for_table", lambda **shape: change(original(**shape))):
        found, timings = fit_and_predict(
            HalfseenClassifier(random_state=0, **parameters), table.X, table.y
        )
    scored = scores(table, found)
    record = {"task": task.name, "mask": mask, "variant": variant}
    return record | {score: scored[score] for score in SCORES} | timings


def show(records: list[dict[str, Any]]) -> str:
    """A Markdown table: mean differences to the default, and their standard errors over tasks."""
    frame = pd.DataFrame(records).groupby(["variant", "task"]).mean(numeric_only=True)
    default = frame.loc["default"]
    lines = ["| variant | tasks | AUC | log-loss | calibration error | normalised RMSE |",
             "|---|---|---|---|---|---|"]  # fmt: skip
    for variant in VARIANTS:
        if variant == "default" or variant not in frame.index.levels[0]:
            continue
        change = frame.loc[variant] - default
        change["normalised_rmse"] *= 100 / default["normalised_rmse"]
        change = change.loc[frame.loc[variant].index.intersection(default.index)]
        cells = []
        for score in SCORES:
            values = change[score].dropna()
            unit, digits = (" %", 2) if score == "normalised_rmse" else ("", 4)
            error = values.std() / max(1, len(values)) ** 0.5
            cells.append(f"{values.mean():+.{digits}f}{unit} ({error:.{digits}f})")
        lines.append(f"| {variant} | {len(change)} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main(words: Sequence[str] | None = None) -> None:
    """Run the variants that are asked for, or print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--masks", nargs="+", type=int, default=[0])
    parser.add_argument("--tasks", nargs="+", help="tasks of accuracy.py instead, on masks 0 to 4")
    parser.add_argument("--save", type=Path, default=RECORDS)
    parser.add_argument("--show", action="store_true", help="print the table of the records")
    options = parser.parse_args(words)
    lines = options.save.read_text().splitlines() if options.save.exists() else []
    records = [json.loads(line) for line in lines]
    if options.show:
        print(show(records))
        return
    done = {(r["task"], r["mask"], r["variant"]) for r in records}
    asked = tasks()
    if options.tasks:
        asked = [task for task in all_tasks() if task.name in options.tasks]
    warnings.simplefilter("ignore")
    for mask in options.masks:
        for variant in options.variants:
            for task in asked:
                if (task.name, mask, variant) in done:
                    continue
                record = fit(task, mask, variant)
                with options.save.open("a") as file:
                    file.write(json.dumps(record) + "\n")
                print({k: round(v, 4) if isinstance(v, float) else v for k, v in record.items()},
                      flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
