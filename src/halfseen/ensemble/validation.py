"""Which observed entries are held out of training, to stop it, to stack and to calibrate by."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.ensemble.machine import Units

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

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


def hold_out(
    observed: Bools,
    target_codes: Ints,
    is_target: Bools,
    fraction: float,
    target_entries: Ints,
    seed: list[int],
) -> HeldOut:
    """Hold out a fraction of the observed entries of each column; of targets, class by class.

    Parameters
    ----------
    observed : ndarray of bool, of shape (n_rows, n_entries)
    target_codes : ndarray of shape (n_rows, n_targets)
        Code of the class of each target, -1 where unknown.
    is_target : ndarray of bool, of shape (n_entries,)
    fraction : float
        Fraction to hold out. It is raised for labels of long tables, in which few rows are used.
    target_entries : ndarray of shape (n_targets,)
        Entry of each target.
    seed : list of int
        Seed of the choice.
    """
    random = np.random.default_rng(seed)
    n_rows = len(observed)
    most = max(_MOST_ROWS, min(int(_SHARE_OF_LONG * n_rows), _MOST_ROWS_OF_LONG))
    rows = np.sort(random.permutation(n_rows)[:most])
    seen, codes = observed[rows], target_codes[rows]
    held = np.zeros(seen.shape, bool)
    keeps = random.random(len(rows)) < (_KEEP_FEATURES if is_target.any() else 0.0)
    held[:, ~is_target] = seen[:, ~is_target] & ~keeps[:, None]
    held[:, ~is_target] &= random.random((len(rows), int((~is_target).sum()))) < fraction
    share = min(max(fraction, _LARGEST_SHARE), fraction * n_rows / max(1, len(rows)))
    held[:, target_entries] = _hold_out_targets(codes, share if fraction else 0.0, keeps, random)
    # A row that kept nothing would be predicted from nothing: it keeps everything.
    held[~(seen & ~held).any(axis=1)] = False
    return HeldOut(rows, held)


def _hold_out_targets(
    codes: Ints, share: float, first: Bools, random: np.random.Generator
) -> Bools:
    """A share of each class of each target, rounded down; rows in `first` before others."""

    def shuffled(rows: Ints) -> Ints:
        mixed = random.permutation(rows)
        return mixed[np.argsort(~first[mixed], kind="stable")]

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
    for row in labelled:
        if len(chosen) >= int(_WHOLE_ROWS * share * len(labelled)):
            break
        known = np.flatnonzero(codes[row] >= 0)
        if (left[known, codes[row, known]] > 0).all():
            left[known, codes[row, known]] -= 1
            chosen.append(int(row))
    return np.array(chosen, np.int64)


def entry_losses(
    units: Units, mean: NDArray[np.float32], truth: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Squared error of numbers and log-loss of other entries, of shape (n_rows, n_entries)."""
    n_gaussian, n_single = units.layer.n_gaussian, units.n_single
    proba = np.clip(mean.astype(np.float64), 1e-4, 1 - 1e-4)
    losses = np.zeros((len(mean), units.n_entries))
    losses[:, :n_gaussian] = (mean[:, :n_gaussian] - truth[:, :n_gaussian]) ** 2
    binary = slice(n_gaussian, n_single)
    p, t = proba[:, binary], truth[:, binary]
    losses[:, binary] = -t * np.log(p) - (1 - t) * np.log(1 - p)
    of_units = -truth[:, n_single:] * np.log(proba[:, n_single:])
    np.add.at(losses.T, units.entry_of_unit[n_single:], of_units.T)
    return losses
