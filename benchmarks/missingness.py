"""How the default, with and without add_indicator, does when entries are not missing at random.

Run with ``HALFSEEN_DATA=folder python benchmarks/missingness.py``; ``--help`` shows the options.
Features are missing at random given their left neighbour, not at random by their own value, in
blocks of neighbouring columns, and completely at random; labels are missing completely at random.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines import GaussianEM
from halfseen.baselines.our_machine import OurMachine
from halfseen.experiments.answer_scores import Answer, score_answer
from halfseen.experiments.data_sets import load_data_set
from halfseen.masks import blocks, mar, mask_table, mnar

Observed = Callable[[NDArray[np.float64], float, int], NDArray[np.bool_]]


def _completely_at_random(X: NDArray[np.float64], rate: float, seed: int) -> NDArray[np.bool_]:
    # Another stream than that of mcar, which the labels follow in.
    drawn: NDArray[np.bool_] = np.random.default_rng([seed, 86_028_121]).random(X.shape) >= rate
    return drawn


MECHANISMS: dict[str, Observed] = {
    "completely at random": _completely_at_random,
    "by another column": mar,
    "by its own value": mnar,
    "in blocks": blocks,
}
METHODS: dict[str, Callable[[], Any]] = {
    "halfseen": OurMachine,
    "halfseen, indicator": lambda: OurMachine(parameters={"add_indicator": True}),
    "gaussian_em": GaussianEM,
}


class Scores(NamedTuple):
    """Of hidden entries only."""

    auc: float
    accuracy: float
    standardised_rmse: float


def run(data_set: str, mechanism: str, method: str, mask: int, rate: float) -> Scores:
    """One method on one mask."""
    data = load_data_set(data_set)
    labels = mask_table(
        data.X, data.Y, feature_rate=0.0, label_rate=0.5, one_hot=data.target == "classes",
        seed=mask,
    )  # fmt: skip
    observed = MECHANISMS[mechanism](data.X, rate, mask)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = METHODS[method]().fit(np.where(observed, data.X, np.nan), labels.Y, data.target)
        completed = fitted.complete()
    answer = Answer(completed.features, completed.scores)
    found = score_answer(data, ~observed, labels.held_out_Y, answer, gives_probabilities=False)
    of_labels = found.micro_auc, found.hamming_accuracy
    auc, accuracy = (found.averaged_auc, found.accuracy) if data.target == "classes" else of_labels
    return Scores(auc, accuracy, found.standardised_rmse)


def main(words: Sequence[str] | None = None) -> None:
    """Print one table for each data set."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    parser.add_argument("--data-sets", nargs="+", default=["yeast", "emotions"])
    parser.add_argument("--masks", type=int, default=3)
    parser.add_argument("--first-mask", type=int, default=10)
    parser.add_argument("--rate", type=float, default=0.4)
    options = parser.parse_args(words)
    for data_set in options.data_sets:
        print(f"== {data_set}, {options.rate:.0%} of the features hidden, {options.masks} masks")
        print(f"{'mechanism':24s}{'method':24s}{'auc':>8s}{'accuracy':>10s}{'std rmse':>10s}")
        for mechanism in MECHANISMS:
            for method in METHODS:
                scores = []
                for mask in range(options.first_mask, options.first_mask + options.masks):
                    print(f"{data_set}, {mechanism}, {method}, {mask}", file=sys.stderr)
                    cell = (data_set, mechanism, method, mask, options.rate)
                    scores.append(run(*cell))
                auc, accuracy, error = np.mean(scores, axis=0)
                print(f"{mechanism:24s}{method:24s}{auc:8.4f}{accuracy:10.4f}{error:10.4f}")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
