"""How MC-1 collapses: what it predicts as its penalty grows, and when nothing is left of it.

Run with ``HALFSEEN_DATA=folder python benchmarks/baselines_collapse.py scene``. Half of the
features and of the labels are hidden. MC-1 is fitted to features as they are and to standardised
ones, with a falling nuclear-norm penalty mu. Both losses of MC-1 are averaged over their entries,
so the mu from which on nothing is left of Z is a small number, and penalties that look small leave
next to none.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import numpy as np
from scipy.special import expit

from halfseen import metrics
from halfseen.baselines.baseline import ColumnScale, CompletedTable, observed_scale
from halfseen.baselines.low_rank import CoCompletionLoss, complete_with_ones, spectral_norm
from halfseen.experiments.data_sets import DataSet, load_data_set
from halfseen.masks import MaskedTable, mask_table

# Of the mu at which Z = 0 would be left, were it not for the ones.
SHARES = (10.0, 1.0, 0.9, 0.7, 0.5, 0.3, 0.1, 0.03)
LAM = 0.003


def scored(what: str, data: DataSet, masked: MaskedTable, completed: CompletedTable) -> str:
    """One line: AUC, accuracy and RMSE of what was hidden, pooled over labels or classes."""
    labels = np.where(masked.held_out_Y, data.Y, np.nan)
    auc = metrics.micro_auc(labels, completed.scores)
    accuracy = metrics.accuracy(labels, (completed.scores > 0.5).astype(float))
    rmse = metrics.rmse(data.X, completed.features, masked.held_out_X)
    return f"{what:56}{auc:8.3f}{accuracy:10.3f}{rmse:8.3f}"


def main(words: Sequence[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data_set", nargs="?", default="scene")
    parser.add_argument("--rows", type=int, help="take so many rows, drawn at random")
    chosen = parser.parse_args(words)
    data = load_data_set(chosen.data_set, chosen.rows)
    masked = mask_table(
        data.X, data.Y, feature_rate=0.5, label_rate=0.5, seed=0, one_hot=data.target == "classes"
    )
    n_features, n_labels = data.X.shape[1], data.Y.shape[1]
    print(f"{data.name}, {len(data.X)} rows\n\n{'':56}{'AUC':>8}{'accuracy':>10}{'RMSE':>8}")
    nothing = CompletedTable(np.zeros_like(data.X), np.zeros_like(data.Y))
    print(scored("zero for everything", data, masked, nothing))
    means = (np.broadcast_to(observed_scale(part).offset, part.shape) for part in masked[:2])
    print(scored("column means", data, masked, CompletedTable(*means)))
    raw = ColumnScale(np.zeros(n_features), np.ones(n_features))
    for kind, scale in (("raw", raw), ("standardised", observed_scale(masked.X))):
        loss = CoCompletionLoss.of(scale.standardised(masked.X), masked.Y, LAM)
        for share in SHARES:
            Z, mu, _, _ = complete_with_ones(loss, share, 0.25, 300, 3e-4)
            features = scale.restored(Z[:, n_labels:-1])
            name = f"MC-1, {kind}, mu = {mu:.1e} ({share:g} of the largest)"
            answer = CompletedTable(features, expit(Z[:, :n_labels]))
            print(scored(name, data, masked, answer), flush=True)
    loss = CoCompletionLoss.of(masked.X, masked.Y, LAM)
    largest = spectral_norm(loss.gradient(np.zeros((len(data.X), n_labels + n_features))))
    print(f"\nraw features: without the column of ones nothing is left from mu = {largest:.1e} on.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
