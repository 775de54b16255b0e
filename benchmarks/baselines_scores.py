"""The baselines side by side: half of everything hidden, settings tuned on observed entries.

``HALFSEEN_DATA=folder python benchmarks/baselines_scores.py --save scene.jsonl`` tunes each method
on observed entries of mask 0, completes every mask, scores what was hidden, and prints a table.
What the file holds already is not run again. ``--check`` compares Scene with the first edition's
means over masks 0 to 4 and exits with 1 if a method is more than .005 AUC or 3 % RMSE behind.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from halfseen.baselines import tune
from halfseen.experiments.data_sets import DataSet, load_data_set
from halfseen.experiments.pipeline import BASELINES, fit_and_predict, hide, method_named
from halfseen.experiments.scores import table_scores

# AUC and RMSE of the first edition on Scene, means over masks 0 to 4, tuned in the same way.
FIRST_EDITION = {
    "cle": (0.9451, 0.11409),
    "noisy_imc": (0.9558, 0.10856),
    "mc1": (0.9236, 0.10844),
    "gaussian_em": (0.9443, 0.10473),
    "masked_network": (0.9618, 0.12806),
    "miwae": (0.9526, 0.12696),
}
Record = dict[str, Any]


def tuned(name: str, data: DataSet, rate: float, tries: int, seconds: float) -> Record:
    """Settings chosen on observed entries of mask 0."""
    hidden, method = hide(data, feature_rate=rate, label_rate=rate, seed=0), method_named(name)
    if not method.grid:
        return {"settings": {}, "n_tried": 0, "n_planned": 0}
    began, target = time.perf_counter(), data.target
    found = tune(
        method, method.grid, hidden.X, hidden.Y, target, budget=tries, seconds=seconds, seed=0
    )
    counts = {"n_tried": len(found.losses), "n_planned": len(found.candidates)}
    return {"settings": found.best, **counts, "seconds": time.perf_counter() - began}


def scored(name: str, settings: Record, data: DataSet, mask: int, rate: float) -> Record:
    """One fit, and its scores on what was hidden."""
    hidden = hide(data, feature_rate=rate, label_rate=rate, seed=mask)
    method, began = method_named(name, settings, mask), time.perf_counter()
    found = fit_and_predict(method, hidden, ("training rows",))["training rows"]
    seconds = time.perf_counter() - began
    scores = table_scores(hidden, "training rows", found, method.gives_probabilities)
    return {
        "auc": scores.get("micro_auc", scores.get("averaged_auc")),
        "accuracy": scores.get("hamming_accuracy", scores.get("accuracy")),
        "rmse": scores["rmse"],
        "seconds": seconds,
        "own": "" if method.imputes else "*",
    }


def printed(name: str, records: Sequence[Record]) -> str:
    """Means of one method over its masks, and their standard deviation."""
    spread = {
        key: (np.mean(values), np.std(values, ddof=1) if len(values) > 1 else np.nan)
        for key in ("auc", "accuracy", "rmse", "seconds")
        for values in [[record[key] for record in records]]
    }
    (auc, d_auc), (right, d_right), (rmse, d_rmse) = (
        spread[key] for key in ("auc", "accuracy", "rmse")
    )
    return (
        f"{name:19}{len(records):5}  {auc:.4f} +- {d_auc:.4f}  {right:.4f} +- {d_right:.4f}"
        f"  {rmse:9.5g} +- {d_rmse:.2g}{records[0]['own']}".ljust(80)
        + f"{spread['seconds'][0]:8.1f}"
    )


def behind(name: str, records: Sequence[Record]) -> str:
    """In what a method is behind the first edition; empty if in nothing."""
    auc, rmse = (float(np.mean([record[key] for record in records])) for key in ("auc", "rmse"))
    old_auc, old_rmse = FIRST_EDITION[name]
    change = f"{name}: AUC {auc - old_auc:+.4f}, RMSE {100 * (rmse / old_rmse - 1):+.1f} %"
    print(change)
    return change if auc < old_auc - 0.005 or rmse > 1.03 * old_rmse else ""


def main(words: Sequence[str] | None = None) -> int:
    """Run what is not done, print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data_set", nargs="?", default="scene")
    parser.add_argument("--save", type=Path, required=True, help="file of records, appended to")
    others = [name for name in BASELINES if name != "misgan_convolutional"]
    parser.add_argument(
        "--methods", nargs="+", choices=list(BASELINES), default=others, metavar="M"
    )
    parser.add_argument("--masks", type=int, default=5)
    parser.add_argument("--rate", type=float, default=0.5)
    parser.add_argument("--tries", type=int, default=20, help="settings tried at most (20)")
    parser.add_argument("--tuning-seconds", type=float, default=120)
    parser.add_argument("--check", action="store_true", help="compare with the first edition")
    chosen = parser.parse_args(words)
    warnings.simplefilter("ignore")
    data = load_data_set(chosen.data_set)
    lines = chosen.save.read_text().splitlines() if chosen.save.exists() else []
    done = {(record["method"], record["mask"]): record for record in map(json.loads, lines)}
    for name in chosen.methods:
        settings = next((r["tuned"] for (method, _), r in done.items() if method == name), None)
        for mask in range(chosen.masks):
            if (name, mask) in done:
                continue
            if settings is None:
                settings = tuned(name, data, chosen.rate, chosen.tries, chosen.tuning_seconds)
            record = scored(name, settings["settings"], data, mask, chosen.rate)
            record |= {"method": name, "mask": mask, "tuned": settings}
            with chosen.save.open("a") as file:
                file.write(json.dumps(record) + "\n")
            done[name, mask] = record
            print(".", end="", file=sys.stderr, flush=True)
    of_method = {
        name: [record for (method, _), record in done.items() if method == name]
        for name in chosen.methods
    }
    print(
        f"\n{'method':19}masks       AUC               accuracy           RMSE".ljust(81), "seconds"
    )
    for name, records in of_method.items():
        print(printed(name, records))
    for name, records in of_method.items():
        how = records[0]["tuned"]
        print(f"{name}: {how['settings']}, best of {how['n_tried']} of {how['n_planned']}")
    if not chosen.check:
        return 0
    return int(any([behind(name, of_method[name]) for name in FIRST_EDITION if name in of_method]))


if __name__ == "__main__":
    sys.exit(main())
