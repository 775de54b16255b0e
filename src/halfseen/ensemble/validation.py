"""Which observed entries are held out of training, to stop it, to stack and to calibrate by."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.ensemble.machine import Units
from halfseen.ensemble.problem import Bools, Ints, Problem

# Rows in which entries are held out: at most so many, or a fifth of a long table.
_MOST_ROWS, _SHARE_OF_LONG, _MOST_ROWS_OF_LONG = 4096, 0.2, 16_384
_KEEP_FEATURES = 0.5  # share of these rows that keep their features: labels are asked for like that
_WHOLE_ROWS = 0.5  # share of the held-out labels of several targets that are those of whole rows
_LARGEST_SHARE = 0.5


class HeldOut(NamedTuple):
    """Held-out entries of one fold."""

    rows: Ints  # (n_held_rows,), ascending
    entries: Bools  # (n_held_rows, n_entries), observed and held out

    def training(self, observed: Bools) -> Bools:
        """What is observed and not held out, of the whole table."""
        training = observed.copy()
        training[self.rows] &= ~self.entries
        return training


def hold_out(problem: Problem, fold: int) -> HeldOut:
    """Hold out a fraction of the observed entries of each column; of targets, class by class.

    The fraction is raised for labels of long tables, in which few rows are used.
    """
    random = np.random.default_rng([problem.seed, fold])
    fraction, n_rows = problem.config.validation_fraction, problem.n_rows
    most = max(_MOST_ROWS, min(int(_SHARE_OF_LONG * n_rows), _MOST_ROWS_OF_LONG))
    rows = np.sort(random.permutation(n_rows)[:most])
    seen, is_feature = problem.observed[rows], ~problem.is_target
    held = np.zeros(seen.shape, bool)
    keeps = random.random(len(rows)) < (0.0 if is_feature.all() else _KEEP_FEATURES)
    held[:, is_feature] = random.random((len(rows), is_feature.sum())) < fraction
    held &= seen & ~keeps[:, None]
    share = min(max(fraction, _LARGEST_SHARE), fraction * n_rows / len(rows))
    codes = problem.target_codes[rows]
    held[:, problem.target_entries] = _hold_out_targets(codes, share, keeps, random)
    # A row that kept nothing would be predicted from nothing: it keeps everything.
    held[~(seen & ~held).any(axis=1)] = False
    return HeldOut(rows, held)


def _hold_out_targets(
    codes: Ints, share: float, first: Bools, random: np.random.Generator
) -> Bools:
    """A share of each class of each target, rounded down; rows in `first` before others."""

    def shuffled(rows: Ints) -> Ints:
        mixed = random.permutation(rows)
        return np.concatenate([mixed[first[mixed]], mixed[~first[mixed]]])

    held = np.zeros(codes.shape, bool)
    if codes.shape[1] > 1:
        order = shuffled(np.arange(len(codes)))
        whole = order[_whole_rows(codes[order], share)]
        held[whole] = codes[whole] >= 0
    for j, code in enumerate(codes.T):
        for value in np.unique(code[code >= 0]):
            of_class = shuffled(np.flatnonzero(code == value))
            wanted = int(share * len(of_class)) - int(held[of_class, j].sum())
            held[of_class[~held[of_class, j]][: max(0, wanted)], j] = True
    return held


def _whole_rows(codes: Ints, share: float) -> Ints:
    """Rows whose labels are all held out, none more often than its class allows."""
    n_classes = int(codes.max(initial=0)) + 1
    counts = np.stack([np.bincount(code[code >= 0], minlength=n_classes) for code in codes.T])
    left = np.minimum(np.floor(share * counts + 0.5).astype(np.int64), counts - 1)
    labelled = np.flatnonzero((codes >= 0).any(axis=1))
    chosen: list[int] = []
    for row in labelled.tolist():
        known = np.flatnonzero(codes[row] >= 0)
        classes = known, codes[row, known]
        if len(chosen) < int(_WHOLE_ROWS * share * len(labelled)) and (left[classes] > 0).all():
            left[classes] -= 1
            chosen.append(row)
    return np.array(chosen, np.int64)


def entry_losses(
    units: Units, mean: NDArray[np.float32], truth: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Squared error of numbers and log-loss of other entries, of shape (n_rows, n_entries)."""
    numbers = slice(0, units.layer.n_gaussian)
    binary = slice(numbers.stop, units.n_single)
    proba = np.clip(mean.astype(np.float64), 1e-4, 1 - 1e-4)
    of_units = -truth * np.log(proba)
    of_units[:, binary] -= (1 - truth[:, binary]) * np.log(1 - proba[:, binary])
    of_units[:, numbers] = (mean[:, numbers] - truth[:, numbers]) ** 2
    first_units = np.unique(units.entry_of_unit, return_index=True)[1]
    return np.asarray(np.add.reduceat(of_units, first_units, axis=1))
