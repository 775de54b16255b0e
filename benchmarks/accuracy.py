"""How accurate the defaults are beside their peers, on the same masks.

Run with ``HALFSEEN_DATA=folder python benchmarks/accuracy.py``; ``--help`` shows the options. Every
method runs with its own defaults, each in a process of its own, on masks that all of them share.
Scores are of hidden entries only. At the end of each task stand the means over masks, whether a
peer is significantly better (paired over masks, t test corrected for resampling, Holm over peers),
and for halfseen its calibration and the coverage of its 90 % intervals.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from in_own_process import in_own_process
from kept_results import read_kept, write_kept
from label_scores import label_scores
from numpy.typing import NDArray

from halfseen.baselines.baseline import Baseline
from halfseen.baselines.iterative_imputer import IterativeImputerPeer
from halfseen.baselines.our_machine import OurMachine
from halfseen.experiments.answer_scores import Answer, score_answer
from halfseen.experiments.data_sets import load_data_set
from halfseen.experiments.hiding import hide_completely_at_random
from halfseen.experiments.methods import METHODS, method_named
from halfseen.experiments.significance import corrected_resampled_t
from halfseen.scoring import standardised_rmse

# IterativeImputer and boosting for every label, whose time others are held against.
ITERATIVE_BOOSTED = "iterative_boosted"
PEERS = (
    "gaussian_em",
    "soft_impute",
    "iterative_imputer",
    "boosted_native",
    "boosted_imputed",
    ITERATIVE_BOOSTED,
)
NEW_SHARE = 0.3
N_FOLDS = 5  # of tox21
LEVEL = 0.9
_OWN_STREAM = 15_487_469


class Task(NamedTuple):
    """A data set, the shares hidden, and whether labels of new rows are asked for."""

    data_set: str
    feature_rate: float
    label_rate: float
    new_rows: bool = False
    n_rows: int | None = None

    @property
    def name(self) -> str:
        """For instance scene-50-50-new."""
        shares = f"{round(100 * self.feature_rate)}-{round(100 * self.label_rate)}"
        return f"{self.data_set}-{shares}" + ("-new" if self.new_rows else "")


TASKS = [
    Task("scene", 0.5, 0.5),
    Task("scene", 0.8, 0.8),
    Task("scene", 0.5, 0.5, True),
    Task("scene", 0.8, 0.8, True),
    Task("yeast", 0.5, 0.5),
    Task("yeast", 0.8, 0.8),
    Task("yeast", 0.5, 0.5, True),
    Task("yeast", 0.8, 0.8, True),
    Task("pendigits", 0.5, 0.5, True),
    Task("pendigits", 0.8, 0.8, True),
    Task("pendigits", 0.5, 0.5),
    Task("emotions", 0.5, 0.5),
    Task("cptc2017_recon", 0.5, 0.5),
    Task("tox21", 0.0, 0.0, True),
    Task("tox21", 0.5, 0.0, True),
    Task("mnist", 0.5, 0.5),
    Task("mnist", 0.8, 0.8),
]


class Scores(NamedTuple):
    """One method on one mask; NaN where a score does not apply."""

    auc: float  # micro-AUC of labels; mean over classes, and over the assays of tox21
    accuracy: float
    rmse: float  # pooled, in the data's own units
    standardised_rmse: float  # per column; counts by their log1p
    seconds: float  # of fitting
    calibration_error: float
    coverage: float  # of 90 % intervals, over continuous columns
    coverage_of_atoms: float  # the same over columns with repeated values
    width: float  # of the intervals, in standard deviations of their columns


SMALLER_IS_BETTER = ("rmse", "standardised_rmse", "seconds", "calibration_error", "width")


def _method(name: str) -> Baseline:
    if name == ITERATIVE_BOOSTED:
        return IterativeImputerPeer(classifier="boosting")
    return method_named(name)


def run(task: Task, name: str, mask: int) -> Scores:
    """Fit one method to one mask, and score what was hidden."""
    data = load_data_set(task.data_set, task.n_rows)
    hidden = hide_completely_at_random(
        data.X,
        data.Y,
        feature_rate=task.feature_rate,
        label_rate=task.label_rate,
        target=data.target,
        seed=mask,
    )
    fitted = ~_new_rows(task, len(data.X), mask)
    method = _method(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        began = time.perf_counter()
        method.fit(hidden.X[fitted], hidden.Y[fitted], data.target)
        seconds = time.perf_counter() - began
        scores = np.full(data.Y.shape, np.nan)
        features = hidden.X
        if task.new_rows:
            scores[~fitted] = method.predict_scores(hidden.X[~fitted])
            asked = ~fitted[:, None] & ~np.isnan(data.Y)
        else:
            features, completed = method.complete()
            scores[:] = completed
            asked = hidden.hidden_labels & ~np.isnan(data.Y)
        of_new = _filled_new_rows(method, hidden.X, fitted) if task.new_rows else None
        bounds = _bounds(method, hidden.X)
    judged = hidden.hidden_features
    if task.new_rows:
        judged = judged & ~fitted[:, None]
        features = of_new
    answer = Answer(features if method.imputes else None, scores)
    found = score_answer(data, judged, asked, answer, method.gives_probabilities)
    auc, accuracy = label_scores(found, data.target)
    if task.data_set == "tox21":
        auc = found.macro_auc
    standard = found.standardised_rmse
    if task.data_set.startswith("cptc") and answer.features is not None:
        counts = np.log1p(np.maximum(answer.features, 0))
        standard = standardised_rmse(np.log1p(data.X), counts, judged)
    honest = found.calibration_error if data.target == "labels" else np.nan
    covered = _covered(data.X, judged, bounds)
    return Scores(auc, accuracy, found.rmse, standard, seconds, honest, *covered)


def _new_rows(task: Task, n_rows: int, mask: int) -> NDArray[np.bool_]:
    """Rows that are not fitted; of tox21 one of five folds, so that five masks ask for each."""
    if not task.new_rows:
        return np.zeros(n_rows, bool)
    if task.data_set == "tox21":
        draw = np.random.default_rng([mask // N_FOLDS, _OWN_STREAM])
        return draw.permutation(n_rows) % N_FOLDS == mask % N_FOLDS
    return np.random.default_rng([mask, _OWN_STREAM]).random(n_rows) < NEW_SHARE


def _filled_new_rows(
    method: Any, X: NDArray[np.float64], fitted: NDArray[np.bool_]
) -> NDArray[np.float64] | None:
    """Features of new rows, where the method can fill them."""
    if not isinstance(method, OurMachine):
        return None
    filled = X.copy()
    filled[~fitted] = method.model_.transform(X[~fitted])
    return filled


def _bounds(method: Any, X: NDArray[np.float64]) -> NDArray[np.float64] | None:
    if not isinstance(method, OurMachine):
        return None
    bounds: NDArray[np.float64] = method.model_.predict_interval(X, LEVEL)
    return bounds


def _covered(
    X: NDArray[np.float64], judged: NDArray[np.bool_], bounds: NDArray[np.float64] | None
) -> tuple[float, float, float]:
    """Share of judged numbers within their bounds, in columns without and with atoms; width."""
    if bounds is None or not judged.any():
        return np.nan, np.nan, np.nan
    within = (bounds[..., 0] <= X) & (bounds[..., 1] >= X)
    numeric = ~np.isnan(bounds).all(axis=(0, 2))
    repeated = [np.unique(column, return_counts=True)[1].max() / len(column) for column in X.T]
    has_atoms = np.array(repeated) > 0.02
    shares = []
    for columns in (numeric & ~has_atoms, numeric & has_atoms):
        entries = judged & columns
        shares.append(float(within[entries].mean()) if entries.any() else np.nan)
    spread = np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    entries = judged & numeric
    width = ((bounds[..., 1] - bounds[..., 0]) / spread)[entries]
    return shares[0], shares[1], float(width.mean()) if entries.any() else np.nan


def better_peers(
    results: dict[str, list[Scores]], quantity: str, share_hidden: float
) -> list[tuple[str, float, float]]:
    """Peers ahead of halfseen: name, by how much, and p of the corrected paired t test (Holm)."""
    sign = -1.0 if quantity in SMALLER_IS_BETTER else 1.0
    found = []
    ours = np.array([getattr(one, quantity) for one in results["halfseen"]])
    for name, scores in results.items():
        theirs = np.array([getattr(one, quantity) for one in scores])
        if name == "halfseen" or len(theirs) != len(ours) or np.isnan(theirs).any():
            continue
        by, p = corrected_resampled_t(sign * theirs, sign * ours, share_hidden)
        if len(ours) >= 2 and by > 0:
            found.append((name, by, p))
    found.sort(key=lambda one: one[2])
    n_peers = len(results) - 1
    return [(name, by, min(1.0, p * (n_peers - i))) for i, (name, by, p) in enumerate(found)]


def report(task: Task, results: dict[str, list[Scores]]) -> str:
    """Means and standard deviations over the masks, one method per line."""
    lines = [f"== {task.name}, {len(results['halfseen'])} masks"]
    heads = ("auc", "accuracy", "rmse", "std rmse", "fit s", "ECE", "cover", "atoms", "width")
    lines.append(f"{'method':18s}" + "".join(f"{head:>17s}" for head in heads))
    for name, scores in results.items():
        table = np.array(scores)
        cells = ""
        for column in table.T:
            known = column[~np.isnan(column)]
            cells += f"{known.mean():>9.4f} +-{known.std():6.4f}" if len(known) else f"{'-':>17s}"
        lines.append(f"{name:18s}{cells}")
    for quantity in ("auc", "accuracy", "rmse", "standardised_rmse"):
        for name, by, p in better_peers(results, quantity, max(task.feature_rate, 0.2)):
            lines.append(f"  {name} is ahead on {quantity} by {by:.4f} (p = {p:.3f})")
    return "\n".join(lines)


def main(words: Sequence[str] | None = None) -> None:
    """Run the tasks that are asked for, and keep every result in a file."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    names = [task.name for task in TASKS]
    parser.add_argument("--tasks", nargs="+", choices=names, default=names, metavar="TASK",
                        help=f"default: all. There are: {', '.join(names)}")  # fmt: skip
    parser.add_argument("--masks", type=int, default=5)
    parser.add_argument("--first-mask", type=int, default=10,
                        help="masks below 10 were looked at in development")  # fmt: skip
    parser.add_argument("--methods", nargs="+", metavar="METHOD",
                        choices=sorted([*METHODS, ITERATIVE_BOOSTED]),
                        default=["halfseen", *PEERS])  # fmt: skip
    parser.add_argument("--timeout", type=float, default=1800, help="seconds for one method")
    parser.add_argument("--save", type=Path, default=Path("accuracy.json"))
    options = parser.parse_args(words)
    kept = read_kept(options.save)
    for task in (task for task in TASKS if task.name in options.tasks):
        results: dict[str, list[Scores]] = {}
        for name in ["halfseen", *(m for m in options.methods if m != "halfseen")]:
            results[name] = []
            for mask in range(options.first_mask, options.first_mask + options.masks):
                key = f"{task.name}/{name}/{mask}"
                if key in kept:
                    print(f"{key}: as kept in {options.save}", file=sys.stderr, flush=True)
                else:
                    print(f"{key} ...", file=sys.stderr, flush=True)
                    try:
                        kept[key] = in_own_process(run, (task, name, mask), options.timeout)
                    except Exception as error:  # one method's failure is not the others'
                        print(f"{key} not run: {type(error).__name__} {error}", flush=True)
                        break
                    write_kept(options.save, kept)
                results[name].append(Scores(*kept[key]))
            if not results[name]:
                del results[name]
        if "halfseen" in results:
            print(report(task, results), flush=True)


if __name__ == "__main__":
    main()
