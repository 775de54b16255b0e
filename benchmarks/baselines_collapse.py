"""How MC-1 collapses: what it predicts as its penalty grows, and when nothing is left of it.

Run with ``python benchmarks/baselines_collapse.py scene``. Half of the features and of the labels
are hidden. MC-1 is fitted to the features as they are and to standardised ones, with a falling
nuclear-norm penalty mu. Both losses of MC-1 are averaged over their entries, so the mu from which
on nothing would be left of Z is a small number, and penalties that look small leave next to none.

The second table fits CLE and NoisyIMC where half and where four fifths of the features are hidden,
and NoisyIMC to features as they are, zeros where they are missing. All at their defaults.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import numpy as np
from halfseen.experiments.answer_scores import Answer, score_answer
from numpy.typing import NDArray
from scipy.special import expit

from halfseen.baselines import CLE, CompletedTable, NoisyIMC
from halfseen.baselines._observed_scale import ObservedScale, observed_scale
from halfseen.baselines._shrunk_spectrum import leading_singular_value
from halfseen.baselines.mc1 import CoCompletionLoss, complete_with_ones
from halfseen.baselines.noisy_imc import side_information_completion
from halfseen.experiments.data_sets import CATALOGUE, DataSet, load_data_set
from halfseen.masks import MaskedTable, mask_table

SHARES = (
    10.0,
    1.0,
    0.9,
    0.7,
    0.5,
    0.3,
    0.1,
    0.03,
)  # of the mu at which Z = 0 would be left, were it not for the ones
LAM = 0.003
SMALLEST_OF_A_GRID = 0.01  # of the penalties from 0.01 to 5 that scripts for these baselines try


def half_hidden(data: DataSet, feature_rate: float) -> MaskedTable:
    """The data set with entries hidden, half of the labels among them."""
    return mask_table(
        data.X, data.Y, feature_rate=feature_rate, label_rate=0.5, seed=0,
        one_hot=data.target == "classes",
    )  # fmt: skip


def scored(what: str, data: DataSet, hidden: MaskedTable, completed: CompletedTable) -> str:
    """One line: AUC, accuracy and RMSE of what was hidden."""
    asked = hidden.held_out_X, hidden.held_out_Y
    answer = Answer(completed.features, completed.scores)
    found = score_answer(data, *asked, answer, gives_probabilities=False)
    of_labels = found.micro_auc, found.hamming_accuracy
    auc, accuracy = (found.averaged_auc, found.accuracy) if data.target == "classes" else of_labels
    return f"{what:56}{auc:8.3f}{accuracy:10.3f}{found.rmse:8.3f}"


def mc1_solutions(
    data: DataSet, hidden: MaskedTable, scale: ObservedScale
) -> Sequence[tuple[float, float, CompletedTable]]:
    """Share, mu and solution, as mu falls."""
    features = np.nan_to_num(scale.standardised(hidden.X))
    loss = CoCompletionLoss.of(features, ~np.isnan(hidden.X), hidden.Y, LAM)
    n_labels = data.Y.shape[1]
    found = []
    for share in SHARES:
        solution = complete_with_ones(loss, share, 0.25, 300, 3e-4)
        answer = scale.restored(solution.Z[:, n_labels:-1]), expit(solution.Z[:, :n_labels])
        found.append((share, solution.mu, CompletedTable(*answer)))
    return found


def zero_filled(hidden: MaskedTable) -> NDArray[np.float64]:
    """Scores of NoisyIMC's convex problem where every missing entry of X is a zero."""
    X, mean = np.nan_to_num(hidden.X), np.nanmean(hidden.Y, axis=0)
    solution = side_information_completion(X, hidden.Y - mean, 0.03, 0.25, max_iter=1000, tol=1e-5)
    return np.asarray(mean + X @ solution.M + solution.N)


def main(words: Sequence[str] | None = None) -> int:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data_set", choices=sorted(CATALOGUE), nargs="?", default="scene")
    parser.add_argument("--rows", type=int, help="take so many rows, drawn at random")
    chosen = parser.parse_args(words)
    data = load_data_set(chosen.data_set, chosen.rows)
    hidden = half_hidden(data, 0.5)
    n_features, n_labels = data.X.shape[1], data.Y.shape[1]
    heading = f"{'hidden: 50% of features, 50% of labels':56}{'AUC':>8}{'accuracy':>10}{'RMSE':>8}"
    print(f"{data.name}, {len(data.X)} rows\n\n{heading}")
    nothing = CompletedTable(np.zeros_like(data.X), np.zeros_like(data.Y))
    print(scored("zero for everything", data, hidden, nothing))
    means = np.broadcast_to(observed_scale(hidden.X).mean, data.X.shape)
    frequencies = np.broadcast_to(np.nanmean(hidden.Y, axis=0), data.Y.shape)
    print(scored("column means", data, hidden, CompletedTable(means, frequencies)))
    raw = ObservedScale(np.zeros(n_features), np.ones(n_features))
    for kind, scale in (("raw", raw), ("standardised", observed_scale(hidden.X))):
        for share, mu, completed in mc1_solutions(data, hidden, scale):
            name = f"MC-1, {kind}, mu = {mu:.1e} ({share:g} of the largest)"
            print(scored(name, data, hidden, completed))
    filled = CoCompletionLoss.of(np.nan_to_num(hidden.X), ~np.isnan(hidden.X), hidden.Y, LAM)
    largest = leading_singular_value(
        filled.gradient(np.zeros((len(data.X), n_labels + n_features)))
    )
    print(f"\nraw features: without the column of ones nothing is left from mu = {largest:.1e} on;")
    print(f"a penalty of {SMALLEST_OF_A_GRID:g} is {SMALLEST_OF_A_GRID / largest:.0f} times that.")
    print(f"\n{'other baselines':56}{'AUC':>8}{'accuracy':>10}{'RMSE':>8}")
    for rate in (0.5, 0.8):
        hidden = half_hidden(data, rate)
        for method in (CLE(), NoisyIMC()):
            completed = method.fit(hidden.X, hidden.Y, data.target).complete()
            print(scored(f"{method.method}, {rate:.0%} of features", data, hidden, completed))
        zeros = CompletedTable(np.zeros_like(data.X), zero_filled(hidden))
        name = f"NoisyIMC, raw, zeros where missing, {rate:.0%} of features"
        print(scored(name, data, hidden, zeros))
    return 0


if __name__ == "__main__":
    sys.exit(main())
