"""What each reading of the paper's text gives: one factor at a time around `RBMClassifier()`.

``HALFSEEN_DATA=folder python benchmarks/readings.py --save readings.jsonl`` fits every reading on
masks 110 to 114 of Scene and Emotions (rows of the training table) and Pendigits (new rows), half
of the features and labels hidden, and prints means. Records that the file has are not computed
again. Defaults were chosen on masks 0 to 4.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from accuracy import MaskedTable, Task, masked_table, scores
from one_fit import fit_and_predict

from halfseen import PAPER_LITERAL, RBMClassifier

LITERAL = PAPER_LITERAL | {"early_stopping": False, "n_iter": 60}
READINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "text to the letter, 60 epochs": LITERAL,
    "the same, learning rate 0.01": LITERAL | {"learning_rate": 0.01},
    "the same, chains from the data": LITERAL | {"learning_rate": 0.01, "chain_start": "data"},
    "default, random chains": {"chain_start": "random"},
    "default, persistent chains": {"chain_start": "persistent"},
    "default, mean-field chains": {"phases": "mean_field"},
    "default, no centring": {"centering": False},
    "default, variance 1": {"variance": 1.0},
    "default, k = 3": {"n_gibbs_steps": 3},
    "default, momentum 0.5": {"momentum": 0.5},
    "default, Bernoulli class units": {"label_units": "bernoulli"},
    "default, one restart": {"n_restarts": 1},
    "default, completion by TAP": {"completion": "tap"},
    "default, completion by Gibbs": {"completion": "gibbs", "n_sweeps": 50},
    "default, nothing held out": {"validation_fraction": 0.0},
    "default, early stopping": {"early_stopping": True, "n_iter": 200},
}
TASKS = {
    "scene": Task("scene", 0.5, 0.5),
    "pendigits-new": Task("pendigits", 0.5, 0.5, new_rows=True),
    "emotions": Task("emotions", 0.5, 0.5),
    "mnist": Task("mnist", 0.5, 0.5, n_rows=10_000),
}
SHOWN = ("auc", "accuracy", "rmse", "fit_seconds")


def record_of(table: MaskedTable, parameters: dict[str, Any]) -> dict[str, Any]:
    """Scores of one fit."""
    model, is_new = RBMClassifier(**parameters, random_state=0), table.is_new
    X_new = table.X[is_new] if is_new.any() else None
    found, timings = fit_and_predict(model, table.X[~is_new], table.y[~is_new], X_new)
    return scores(table, found) | timings


def main(words: Sequence[str] | None = None) -> None:
    """Fit what the file lacks, then print means over masks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--save", type=Path, default=Path("readings.jsonl"))
    parser.add_argument("--masks", nargs="+", type=int, default=list(range(110, 115)))
    parser.add_argument("--tasks", nargs="+", choices=list(TASKS), default=list(TASKS)[:3])
    parser.add_argument("--readings", nargs="+", choices=list(READINGS), default=list(READINGS))
    parser.add_argument("--parameters", type=json.loads, default={}, metavar="JSON",
                        help="added to every reading")  # fmt: skip
    options = parser.parse_args(words)
    lines = options.save.read_text().splitlines() if options.save.exists() else []
    known = [record for record in map(json.loads, lines) if record["added"] == options.parameters]
    records = {(r["reading"], r["task"], r["mask"]): r for r in known}
    for reading in options.readings:
        for task in options.tasks:
            for mask in options.masks:
                if (reading, task, mask) in records:
                    continue
                found = record_of(
                    masked_table(TASKS[task], mask), READINGS[reading] | options.parameters
                )
                record = {"reading": reading, "task": task, "mask": mask} | found
                record["added"] = options.parameters
                records[reading, task, mask] = record
                with options.save.open("a") as file:
                    file.write(json.dumps(record) + "\n")
            chosen = [records[reading, task, mask] for mask in options.masks]
            means = {name: np.mean([record[name] for record in chosen]) for name in SHOWN}
            shown = "  ".join(f"{name} {value:.4g}" for name, value in means.items())
            print(f"{reading:32} {task:14} {shown}", flush=True)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
