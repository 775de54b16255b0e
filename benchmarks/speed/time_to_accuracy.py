"""From a file to an accuracy: ours, and gradient boosting and round-robin imputation beside it."""

from __future__ import annotations

import os
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from in_own_process import in_own_process
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer

from halfseen import HalfseenClassifier, HalfseenImputer
from speed.finding import Finding
from speed.hidden_digits import hidden_digits

PUBLISHED_ACCURACY = 0.912
_MNIST_SECONDS = 90.0
_ROUNDS_AT_ONCE = 5
_ROUNDS_OF_IMPUTATION = (1, 2, 5, 10)


class Reached(NamedTuple):
    """How good an answer was, and when it was there."""

    score: float
    seconds: float
    note: str = ""


def write_hidden(path: Path, X: NDArray[np.uint8], y: NDArray[np.uint8]) -> None:
    """A file that holds the table with half of it hidden, and the truth apart."""
    generator = np.random.default_rng(0)
    with_holes = X.astype(np.float32) / np.float32(X.max())
    with_holes[generator.random(X.shape, np.float32) < 0.5] = np.nan
    labels = np.where(generator.random(y.shape) < 0.5, np.nan, y.astype(np.float64))
    np.savez(path, X=with_holes, y=labels, truth=y)


def ours_on_classes(path: Path) -> Reached:
    """Read, fit with ``effort="fast"``, and predict the labels that are hidden."""
    began = time.perf_counter()
    with np.load(path) as file:
        X, y, truth = file["X"], file["y"], file["truth"]
    model = HalfseenClassifier(effort="fast", random_state=0, verbose=False).fit(X, y)
    asked = np.isnan(y)
    right = model.predict(X[asked]) == truth[asked]
    return Reached(float(np.mean(right)), time.perf_counter() - began)


def boosting_on_classes(path: Path, goal: float, most_seconds: float) -> Reached:
    """Read, and boost a few rounds at a time until the goal is met or the time is up.

    Only the last of the predictions counts towards the time.
    """
    began = time.perf_counter()
    with np.load(path) as file:
        X, y, truth = file["X"], file["y"], file["truth"]
    asked = np.isnan(y)
    X_known, y_known, X_asked = X[~asked], y[~asked], X[asked]
    seconds, n_rounds, score = time.perf_counter() - began, 0, 0.0
    predicting = 0.0
    model = HistGradientBoostingClassifier(warm_start=True, early_stopping=False, random_state=0)
    while score < goal and seconds < most_seconds:
        n_rounds += _ROUNDS_AT_ONCE
        began = time.perf_counter()
        model.set_params(max_iter=n_rounds).fit(X_known, y_known)
        seconds += time.perf_counter() - began
        began = time.perf_counter()
        score = float(np.mean(model.predict(X_asked) == truth[asked]))
        predicting = time.perf_counter() - began
    return Reached(score, seconds + predicting, f"{n_rounds} rounds")


def race_on_classes(
    name: str,
    path: Path,
    goal: float | None,
    most: float | None,
    most_seconds: float,
    tell: Callable[[Finding], None],
) -> None:
    """Tell how long both take to the goal; without one, to the accuracy that ours has reached."""
    ours: Reached = in_own_process(ours_on_classes, (path,), 3600)
    tell(Finding(f"{name}: accuracy on hidden labels, ours", ours.score, "", least=goal))
    tell(Finding(f"{name}: from file to answers, ours", ours.seconds, "s", most))
    reached = ours.score if goal is None else goal
    # Whoever gives up has had more time than ours: the ratio is then a lower bound.
    patience = max(most_seconds, 1.2 * ours.seconds)
    peer: Reached = in_own_process(
        boosting_on_classes, (path, reached, patience), 2 * patience + 600
    )
    note = f"{peer.note} to accuracy {reached:.3f}"
    if peer.score < reached:
        note += f", given up at {peer.score:.3f}: no less than this"
    tell(Finding(f"{name}: HistGradientBoosting", peer.seconds, "s", note=note))
    ratio = peer.seconds / ours.seconds
    least = None if goal is None else 1.0
    tell(Finding(f"{name}: boosting's time over ours", ratio, "times", least=least, note=note))


def mnist_race(most_seconds: float, tell: Callable[[Finding], None]) -> str:
    """MNIST to the accuracy that the paper reports; a sentence where the file is absent."""
    source = Path(os.environ.get("HALFSEEN_DATA", "")) / "mnist.npz"
    if not source.is_file():
        return "MNIST was not measured: name the folder of mnist.npz with HALFSEEN_DATA."
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mnist_hidden.npz"
        with np.load(source) as file:
            write_hidden(path, file["X"], file["Y"])
        race_on_classes("MNIST", path, PUBLISHED_ACCURACY, _MNIST_SECONDS, most_seconds, tell)
    return ""


def digits_race(most_seconds: float, tell: Callable[[Finding], None]) -> None:
    """Digits, to the accuracy and to the error that ours reaches."""
    X, y = load_digits(return_X_y=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "digits_hidden.npz"
        write_hidden(path, X.astype(np.uint8), y.astype(np.uint8))
        race_on_classes("digits", path, None, None, most_seconds, tell)
    ours: Reached = in_own_process(ours_on_pixels, (), 600)
    tell(Finding("digits: RMSE of hidden pixels, ours", ours.score, "grey levels"))
    tell(Finding("digits: time to fill pixels, ours", ours.seconds, "s"))
    peer: Reached = in_own_process(imputation_of_pixels, (ours.score,), 600)
    met = "" if peer.score <= ours.score else ", which does not reach ours"
    note = f"{peer.note}, RMSE {peer.score:.3f}{met}"
    tell(Finding("digits: time to fill pixels, IterativeImputer", peer.seconds, "s", note=note))


def ours_on_pixels() -> Reached:
    """Fill hidden pixels; the score is the root mean squared error."""
    X, _ = hidden_digits()
    began = time.perf_counter()
    model = HalfseenImputer(effort="fast", companion=False, random_state=0, verbose=False)
    filled = model.fit(X).transform(X)
    return Reached(_pixel_error(filled), time.perf_counter() - began)


def imputation_of_pixels(goal: float) -> Reached:
    """As few rounds of scikit-learn's IterativeImputer as reach the goal, or the best of all."""
    X, _ = hidden_digits()
    best = Reached(np.inf, 0.0)
    for n_rounds in _ROUNDS_OF_IMPUTATION:
        began = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            filled = IterativeImputer(
                max_iter=n_rounds, random_state=0, keep_empty_features=True
            ).fit_transform(X)
        seconds = time.perf_counter() - began
        reached = Reached(_pixel_error(filled), seconds, f"{n_rounds} rounds")
        best = min(best, reached)
        if best.score <= goal:
            break
    return best


def _pixel_error(filled: NDArray[np.float64]) -> float:
    X, _ = hidden_digits()
    truth = load_digits().data
    hidden = np.isnan(X)
    return float(np.sqrt(np.mean((filled[hidden] - truth[hidden]) ** 2)))
