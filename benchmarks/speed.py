"""How long fits and predictions take, beside another edition of halfseen in the same run.

``HALFSEEN_DATA=folder python benchmarks/speed.py --other PYTHON`` fits the recommended model to
Scene, Pendigits, Emotions and MNIST, by turns under this interpreter and under PYTHON, each fit in
a process of its own with a warm cache of compiled programs, and prints the ratios. Without
``--other`` it times this edition alone. Then it times the first fit of digits, with an empty cache
and with a warm one, and the predictions of one row and of many on one core. The machine should be
idle.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from statistics import median

import numpy as np
from accuracy import Task, masked_table, predictions, scores
from sklearn.datasets import load_digits

FITS = {
    "scene": (Task("scene", 0.5, 0.5), "default"),
    "pendigits": (Task("pendigits", 0.5, 0.5, new_rows=True), "default"),
    "emotions": (Task("emotions", 0.5, 0.5), "default"),
    "mnist": (Task("mnist", 0.5, 0.5), "fast"),
}
MASK = 0
N_ROWS, N_CALLS = 20_000, 200


def fit_times(
    name: str, interpreters: dict[str, tuple[str, str]], n_rounds: int
) -> dict[str, list[float]]:
    """Seconds of fits by turns, after one of each that fills the caches."""
    task, effort = FITS[name]
    table = masked_table(task, MASK)
    seconds: dict[str, list[float]] = {edition: [] for edition in interpreters}
    for number in range(n_rounds + 1):
        for edition, (python, estimator) in interpreters.items():
            found, timings = predictions(
                table, python, estimator, {"effort": effort}, 3600, uncertainty=False
            )
            label = "warming up" if number == 0 else f"round {number}"
            accuracy = scores(table, found)["accuracy"]
            print(f"{name}, {edition}, {label}: {timings['fit_seconds']:.1f} s, accuracy "
                  f"{accuracy:.4f}", flush=True)  # fmt: skip
            if number:
                seconds[edition].append(timings["fit_seconds"])
    return seconds


def first_fits() -> None:
    """The first fit of digits in a process, with an empty cache and again with a warm one."""
    with tempfile.TemporaryDirectory() as folder:
        for cache in ("empty", "warm"):
            command = [sys.executable, __file__, "--first-fit"]
            environment = os.environ | {"HALFSEEN_COMPILATION_CACHE": folder}
            print(f"first fit of digits, {cache} cache:", end=" ", flush=True)
            subprocess.run(command, env=environment, check=True)


def digits() -> tuple[np.ndarray, np.ndarray]:
    """Digits with half of the pixels and half of the labels hidden."""
    X, y = load_digits(return_X_y=True)
    random = np.random.default_rng(0)
    return (
        np.where(random.random(X.shape) < 0.5, np.nan, X),
        np.where(random.random(len(y)) < 0.5, np.nan, y),
    )


def first_fit() -> None:
    """Print the seconds of one fit, the import of JAX among them."""
    X, y = digits()
    began = time.perf_counter()
    from halfseen import HalfseenClassifier

    HalfseenClassifier(effort="fast", random_state=0).fit(X, y)
    print(f"{time.perf_counter() - began:.1f} s", flush=True)


def prediction_times() -> None:
    """Predictions of 64 columns: one row at a time, and rows per second, on one core."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    from halfseen import HalfseenClassifier

    X, y = digits()
    many = np.tile(X, (-(-N_ROWS // len(X)), 1))[:N_ROWS]
    for effort in ("fast", "default"):
        model = HalfseenClassifier(effort=effort, random_state=0).fit(X, y)
        model.predict_proba(X[:1])
        seconds = []
        for row in range(N_CALLS):
            began = time.perf_counter()
            model.predict_proba(X[row : row + 1])
            seconds.append(time.perf_counter() - began)
        began = time.perf_counter()
        model.predict_proba(many)
        rate = N_ROWS / (time.perf_counter() - began)
        slow = float(np.quantile(seconds, 0.99))
        print(f"digits, effort {effort}: one row in {1e3 * median(seconds):.1f} ms (99 %: "
              f"{1e3 * slow:.1f} ms), {rate:,.0f} rows/s", flush=True)  # fmt: skip


def main(words: Sequence[str] | None = None) -> None:
    """Time what is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    parser.add_argument("--other", metavar="PYTHON", help="interpreter of another edition")
    parser.add_argument("--other-estimator", default="RBMClassifier", metavar="NAME",
                        help="its recommended model (RBMClassifier)")  # fmt: skip
    parser.add_argument("--fits", nargs="*", choices=FITS, default=list(FITS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--first-fit", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if options.first_fit:
        first_fit()
        return
    interpreters = {"this edition": (sys.executable, "HalfseenClassifier")}
    if options.other:
        interpreters["other edition"] = (options.other, options.other_estimator)
    for name in options.fits:
        seconds = fit_times(name, interpreters, options.rounds)
        medians = {edition: median(times) for edition, times in seconds.items()}
        ratio = medians["this edition"] / medians.get("other edition", float("nan"))
        print(f"{name}: {medians}, ratio {ratio:.2f}", flush=True)
    first_fits()
    prediction_times()


if __name__ == "__main__":
    main()
