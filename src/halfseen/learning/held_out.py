"""Some observed entries put aside, to judge a machine by what it was not shown."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.tables import EncodedTable, aligned_zeros

MOST_JUDGED_ROWS = 4096


class HeldOut(NamedTuple):
    """Which entries judge; all others that are observed train.

    Judged rows are in increasing order.
    """

    judged_rows: NDArray[np.int64]  # (n_judged,)
    judging: NDArray[np.bool_]  # (n_judged, n_visible), observed and put aside

    def training(self, observed: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """What of the whole table is observed and not put aside, (n_rows, n_visible)."""
        training = aligned_zeros(observed.shape, bool)
        self.write_training(observed, training)
        return training

    def write_training(self, observed: NDArray[np.bool_], into: NDArray[np.bool_]) -> None:
        """Write the same where it is wanted."""
        into[:] = observed
        into[self.judged_rows] &= ~self.judging

    def training_of(
        self, rows: NDArray[np.integer], observed: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        """The same of some rows, in any order, of which this is observed."""
        training = aligned_zeros(observed.shape, bool)
        training[:] = observed
        place = np.searchsorted(self.judged_rows, rows)
        is_judged = np.append(self.judged_rows, -1)[place] == rows
        training[is_judged] &= ~self.judging[place[is_judged]]
        return training


def hold_out(
    table: EncodedTable,
    column_of_unit: NDArray[np.int64],
    is_target_unit: NDArray[np.bool_],
    share: float,
    seed: int,
    keep_features: float = 0.0,
    new_rows: float = 0.0,
    n_rows_of_long: int = 0,
) -> HeldOut:
    """Put aside a share of the observed entries of every column, whole columns of units together.

    Of a target column the share is taken class by class and rounded down (of whole rows rounded,
    but never all), so that a class known from a few rows stays known. Entries are put aside in at
    most 4,096 rows, or more if more are asked for; in longer tables the share of their labels is
    raised, up to one half, to make up for it.

    Parameters
    ----------
    table : EncodedTable
        The table.
    column_of_unit : ndarray of shape (n_visible,)
        Column that each unit belongs to.
    is_target_unit : ndarray of bool, of shape (n_visible,)
        True for units of target columns.
    share : float in [0, 1)
        Share of the observed entries to put aside.
    seed : int
        Seed of the choice.
    keep_features : float in [0, 1), default=0
        Share of the rows of which no feature is put aside, and labels before those of other rows,
        if there are targets: a label is asked for given all that is known of a row, and is learned
        and judged best that way.
    new_rows : float in [0, 1], default=0
        If there are several targets, the part of the share of labels that is taken as whole rows,
        of which no label is kept: a machine that has seen the other labels of a row recalls them
        by its features, and is no measure of what it says of new rows.
    n_rows_of_long : int, default=0
        Rows in which entries are put aside, if these are more than 4,096.

    Returns
    -------
    HeldOut

    Examples
    --------
    >>> from halfseen.tables import Encoded
    >>> table = Encoded(np.zeros((40, 2), np.float32), np.ones((40, 2), bool))
    >>> held = hold_out(table, np.arange(2), np.zeros(2, bool), .1, 0)
    >>> held.training(table.observed).sum(axis=0)
    array([36, 36])
    """
    generator = np.random.default_rng([seed, 0])
    n_rows = table.n_rows
    judged = np.sort(generator.permutation(n_rows)[: max(MOST_JUDGED_ROWS, n_rows_of_long)])
    visible, observed = table.rows(judged)
    label_share = min(max(share, 0.5), share * n_rows / max(1, len(judged)))
    judging = np.zeros((len(judged), table.n_visible), bool)
    keeps_features = np.zeros(len(judged), bool)
    if keep_features and is_target_unit.any():
        keeps_features = generator.random(len(judged)) < keep_features
    targets = np.flatnonzero(is_target_unit)
    code = _classes(visible[:, targets], observed[:, targets], column_of_unit[is_target_unit])
    is_new = np.zeros(len(judged), bool)
    if new_rows and code.shape[1] > 1:
        is_new = _new_rows(generator, code, label_share, new_rows, keeps_features)
        judging[is_new] = observed[is_new] & is_target_unit
    class_of = dict(zip(np.unique(column_of_unit[is_target_unit]).tolist(), code.T, strict=True))
    for column in np.unique(column_of_unit).tolist():
        units = np.flatnonzero(column_of_unit == column)
        candidates = np.flatnonzero(observed[:, units[0]])
        if is_target_unit[units[0]]:
            own = class_of[column]
            strata = [np.flatnonzero(own == value) for value in np.unique(own[own >= 0])]
            chosen = [
                _some(generator, stratum, label_share, keeps_features, is_new) for stratum in strata
            ]
            rows = np.concatenate(chosen) if chosen else candidates[:0]
        else:
            rows = _some(generator, candidates[~keeps_features[candidates]], share)
        judging[np.ix_(rows, units)] = True
    # A row that would keep nothing could only be judged by the marginals: it keeps everything.
    judging[~(observed & ~judging).any(axis=1)] = False
    return HeldOut(judged, judging)


def _classes(
    visible: NDArray[np.float32],
    observed: NDArray[np.bool_],
    column_of_unit: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The class of every row in every target column, (n_rows, n_targets); -1 where unknown.

    From the units of targets alone.
    """
    columns = np.unique(column_of_unit)
    code = np.full((len(visible), len(columns)), -1, np.int64)
    for target, column in enumerate(columns):
        units = np.flatnonzero(column_of_unit == column)
        values = visible[:, units]
        if len(units) == 1:
            found = np.unique(values[:, 0], return_inverse=True)[1]
        else:
            found = np.argmax(values, axis=1)
        code[:, target] = np.where(observed[:, units[0]], found, -1)
    return code


def _new_rows(
    generator: np.random.Generator,
    code: NDArray[np.int64],
    share: float,
    part: float,
    first: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Rows that give all their labels, none of them more than the share of its class, rounded.

    No class gives its last row.
    """
    n_classes = int(code.max(initial=0)) + 1
    count = np.stack([np.bincount(own[own >= 0], minlength=n_classes) for own in code.T])
    left = np.minimum(np.floor(share * count + 0.5).astype(np.int64), count - 1)
    labelled = generator.permutation(np.flatnonzero((code >= 0).any(axis=1)))
    labelled = labelled[np.argsort(~first[labelled], kind="stable")]
    wanted = int(part * share * len(labelled))
    chosen = np.zeros(len(code), bool)
    for row in labelled:
        if wanted <= 0:
            break
        known = np.flatnonzero(code[row] >= 0)
        if np.all(left[known, code[row, known]] > 0):
            left[known, code[row, known]] -= 1
            chosen[row] = True
            wanted -= 1
    return chosen


def _some(
    generator: np.random.Generator,
    candidates: NDArray[np.int64],
    share: float,
    first: NDArray[np.bool_] | None = None,
    taken: NDArray[np.bool_] | None = None,
) -> NDArray[np.int64]:
    """A random share of the candidates, those in ``first`` before the others.

    Those that are ``taken`` already count, and are not taken again.
    """
    mixed = generator.permutation(candidates)
    if first is not None:
        mixed = mixed[np.argsort(~first[mixed], kind="stable")]
    n_wanted = int(share * len(candidates))
    if taken is not None:
        n_wanted = max(0, n_wanted - int(taken[candidates].sum()))
        mixed = mixed[~taken[mixed]]
    return mixed[:n_wanted]
