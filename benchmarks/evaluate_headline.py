"""The headline of ``evaluate`` beside a plain hold-out of ``predict_proba``, on five data sets.

``HALFSEEN_DATA=folder python benchmarks/evaluate_headline.py`` fits the model to 80 % of the rows,
several times, scores the labels of the others, and prints mean and spread beside those of
`evaluate`, which also hides a tenth of the entries of training rows. A fifth of all entries is
missing from the start. It exits with 1 if the two means differ by more than the larger spread, or
twice their standard error.
"""

from __future__ import annotations

import argparse
import math
import sys
import warnings
from statistics import fmean, stdev

import numpy as np
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.model_selection import train_test_split

from halfseen import HalfseenClassifier, evaluate
from halfseen.experiments.data_sets import Floats, load_data_set
from halfseen.metrics import log_loss

ROWS = 600
FROM_SCIKIT_LEARN = {"wine": load_wine, "breast_cancer": load_breast_cancer}
NAMES = ("wine", "breast_cancer", "digits", "emotions", "scene")


def table(name: str) -> tuple[Floats, Floats]:
    """Features and labels, or codes of classes, a fifth of them missing."""
    if name in FROM_SCIKIT_LEARN:
        X, y = FROM_SCIKIT_LEARN[name](return_X_y=True)
    else:
        data = load_data_set(name, n_rows=ROWS)
        X, y = data.X, data.codes[:, 0] if data.target == "classes" else data.Y
    random = np.random.default_rng(0)
    X, y = (np.where(random.random(part.shape) < 0.2, np.nan, part) for part in (X, y))
    return X, y


def held_out(X: Floats, y: Floats, repeat: int, effort: str) -> float:
    """Log-loss of the known labels of a fifth of the rows, after a fit to the others."""
    X_fit, X_new, y_fit, y_new = train_test_split(X, y, test_size=0.2, random_state=repeat)
    model = HalfseenClassifier(effort=effort, random_state=repeat).fit(X_fit, y_fit)
    classes = model.classes_ if y.ndim == 1 else None
    return log_loss(y_new, model.predict_proba(X_new), classes)


def main() -> int:
    """Print a line for each data set."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--effort", default="fast")
    parser.add_argument("--tables", nargs="+", default=NAMES, choices=NAMES)
    chosen, differ = parser.parse_args(), False
    warnings.simplefilter("ignore")
    print(f"{'log-loss of new rows':22}{'evaluate':>18}{'hold-out':>18}")
    for name in chosen.tables:
        X, y = table(name)
        evaluated = evaluate(
            X, y, model=HalfseenClassifier(effort=chosen.effort), baselines=(),
            n_repeats=chosen.repeats,
        )  # fmt: skip
        (ours,) = [
            score for score in evaluated.scores
            if (score.what, score.metric) == ("labels of new rows", "log-loss")
        ]  # fmt: skip
        plain = [held_out(X, y, repeat, chosen.effort) for repeat in range(chosen.repeats)]
        spread = max(ours.std, stdev(plain))
        error = 2 * math.hypot(ours.std, stdev(plain)) / math.sqrt(chosen.repeats)
        agrees = abs(ours.mean - fmean(plain)) <= max(spread, error)
        differ |= not agrees
        cells = f"{ours.mean:.3f} ± {ours.std:.3f}", f"{fmean(plain):.3f} ± {stdev(plain):.3f}"
        print(f"{name:22}{cells[0]:>18}{cells[1]:>18}{'' if agrees else '  differ'}", flush=True)
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
