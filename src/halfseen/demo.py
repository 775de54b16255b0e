"""Digits with half of the pixels and labels hidden: found again, scored and drawn.

``python -m halfseen.demo --seed 1 --output elsewhere`` hides other entries. It needs no network.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
import warnings
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from halfseen import HalfseenClassifier, metrics
from halfseen.model_file import replace_atomically

N_PICTURED = 20  # the first rows are two of each digit, in order
SHARES = (0.5, 0.8)  # hidden of the digits that are drawn; the first also of all others
_LEGEND = """\
All scores are of hidden entries only. AUC is the mean over the ten digits, each against the rest.
RMSE is of pixels, in grey levels from 0 to 16. The time of halfseen includes compilation. This is
one seed: another one (--seed) gives other numbers, and methods that are close may change places."""
_CAPTION = (
    "Hidden pixels are orange. These digits were no part of the training, in which half of the "
    "pixels and labels of other digits were hidden."
)
_ORANGE = (1.0, 0.88, 0.70)
_DIGITS_ACROSS = 5


class Digits(NamedTuple):
    """The truth, and what of it is seen: NaN where a pixel or a label is hidden."""

    pixels: NDArray[np.float64]  # (n_rows, 64), grey levels from 0 to 16
    labels: NDArray[np.float64]  # (n_rows,), from 0 to 9
    X: NDArray[np.float64]
    y: NDArray[np.float64]


class Result(NamedTuple):
    """Scores of one method on the hidden entries."""

    method: str
    accuracy: float
    auc: float
    rmse: float | None  # None if the method does not fill pixels
    seconds: float


def main(seed: int = 0, output: str | PathLike[str] = "demo_output") -> None:
    """Hide half of the digits, fit halfseen and four pipelines, print the scores, draw the picture.

    Parameters
    ----------
    seed : int, default=0
        Decides what is hidden, and the randomness of all methods.
    output : path-like, default="demo_output"
        Folder for the picture digits.png, made if it is not there.
    """
    picture = Path(output, "digits.png")
    # Before anything is computed, so that nobody waits for a picture that cannot be written.
    picture.parent.mkdir(parents=True, exist_ok=True)
    digits = hide_digits(slice(N_PICTURED, None), SHARES[0], seed)
    hidden_pixels, hidden_labels = np.isnan(digits.X), np.isnan(digits.y)
    print(
        f"{len(digits.y)} digits of 8 x 8 pixels. Hidden at random: {hidden_pixels.sum()} of "
        f"{hidden_pixels.size} pixels and {hidden_labels.sum()} of {hidden_labels.size} labels.",
        flush=True,
    )
    results = [score_pipeline(digits, *pipeline) for pipeline in pipelines(seed)]
    print("halfseen ...", file=sys.stderr, flush=True)
    began = time.perf_counter()
    model = HalfseenClassifier(effort="default", random_state=seed).fit(digits.X, digits.y)
    filled = model.complete(digits.X, digits.y)
    seconds = time.perf_counter() - began
    results.append(_scored("halfseen", digits, filled.proba, model.classes_, filled.X, seconds))
    print(f"\n{as_text(results)}\n\n{_LEGEND}\n", flush=True)
    pictured = {share: hide_digits(slice(N_PICTURED), share, seed).X for share in (0, *SHARES)}
    blocks = {"complete": pictured.pop(0)}
    blocks |= {f"{share:.0%} hidden": X for share, X in pictured.items()}
    blocks |= {f"restored, {s:.0%} were hidden": model.transform(X) for s, X in pictured.items()}
    try:
        draw(blocks, picture)
    except ImportError:
        print("The picture needs matplotlib: pip install 'halfseen[report]'", file=sys.stderr)
    else:
        print(f"The picture is in {picture}")


def hide_digits(rows: slice, share: float, seed: int) -> Digits:
    """Hide each pixel and each label with this probability; a larger share hides the same more."""
    pixels, labels = (array[rows].astype(np.float64) for array in load_digits(return_X_y=True))
    rng = np.random.default_rng(seed)
    X = np.where(rng.random(pixels.shape) < share, np.nan, pixels)
    return Digits(pixels, labels, X, np.where(rng.random(labels.shape) < share, np.nan, labels))


def pipelines(seed: int) -> list[tuple[str, Any, Any]]:
    """What one would do without halfseen: a name, an imputer or None, and a classifier."""
    mean = SimpleImputer(keep_empty_features=True)
    boosting = HistGradientBoostingClassifier(random_state=seed)
    logistic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    iterative = IterativeImputer(random_state=seed, keep_empty_features=True)
    return [
        ("column mean, most frequent digit", mean, DummyClassifier()),
        ("mean imputation, logistic regression", mean, logistic),
        ("gradient boosting on NaN", None, boosting),
        ("iterative imputation, gradient boosting", iterative, boosting),
    ]


def score_pipeline(digits: Digits, name: str, imputer: Any, classifier: Any) -> Result:
    """Impute the pixels of all rows, and classify by the rows whose label is seen."""
    print(f"{name} ...", file=sys.stderr, flush=True)
    began, seen = time.perf_counter(), ~np.isnan(digits.y)
    # Tables this small gain next to nothing from a second thread. The imputer warns when its
    # default number of rounds did not reach its tolerance; its result is scored as it is.
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        X = digits.X if imputer is None else imputer.fit_transform(digits.X)
        proba = classifier.fit(X[seen], digits.y[seen]).predict_proba(X)
    seconds = time.perf_counter() - began
    return _scored(
        name, digits, proba, classifier.classes_, None if imputer is None else X, seconds
    )


def _scored(
    name: str, digits: Digits, proba: Any, classes: Any, filled: Any, seconds: float
) -> Result:
    hidden_labels = np.where(np.isnan(digits.y), digits.labels, np.nan)
    hidden_pixels = np.where(np.isnan(digits.X), digits.pixels, np.nan)
    return Result(
        name,
        metrics.accuracy(hidden_labels, classes[proba.argmax(axis=1)]),
        metrics.ovr_auc(hidden_labels, proba, classes),
        None if filled is None else metrics.rmse(hidden_pixels, filled),
        seconds,
    )


def as_text(results: Iterable[Result]) -> str:
    """The results as a table."""
    lines = [f"{'':40}{'accuracy':>9}{'AUC':>8}{'RMSE':>7}{'seconds':>10}", "-" * 74]
    for name, accuracy, auc, rmse, seconds in results:
        pixels = "-" if rmse is None else f"{rmse:.2f}"
        lines.append(f"{name:40}{accuracy:9.3f}{auc:8.3f}{pixels:>7}{seconds:10.1f}")
    return "\n".join(lines)


def draw(blocks: dict[str, NDArray[np.float64]], path: Path) -> None:
    """Write a picture of digits, side by side under their titles; NaN is a hidden pixel."""
    from matplotlib.figure import Figure

    figure = Figure((12.2, 2.5), dpi=100)
    for axes, (title, pixels) in zip(figure.subplots(1, len(blocks)), blocks.items(), strict=True):
        axes.imshow(mosaic(pixels), interpolation="nearest")
        axes.set_axis_off()
        axes.set_title(title, fontsize=11)
    figure.subplots_adjust(0.01, 0.13, 0.99, 0.9, wspace=0.08)
    figure.text(0.5, 0.05, _CAPTION, ha="center", va="center", fontsize=9)
    with replace_atomically(path) as part:
        figure.savefig(part, metadata={"Software": None})


def mosaic(pixels: NDArray[np.float64]) -> NDArray[np.float64]:
    """Digits in rows of five, framed in grey, as red, green and blue."""
    ink = 1 - np.clip(np.nan_to_num(pixels), 0, 16)[..., None] / 16
    colours = np.where(np.isnan(pixels)[..., None], _ORANGE, ink).reshape(-1, 8, 8, 3)
    framed = np.pad(colours, ((0, 0), (0, 1), (0, 1), (0, 0)), constant_values=0.82)
    rows = framed.reshape(-1, _DIGITS_ACROSS, 9, 9, 3).swapaxes(1, 2)
    whole = rows.reshape(-1, 9 * _DIGITS_ACROSS, 3)
    return np.pad(whole, ((1, 0), (1, 0), (0, 0)), constant_values=0.82)


if __name__ == "__main__":
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        # A fit would stop at Ctrl-C and give its model; whoever stops a demonstration wants out.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    parser = argparse.ArgumentParser(prog="python -m halfseen.demo", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--output", metavar="FOLDER", default="demo_output")
    main(**vars(parser.parse_args()))
