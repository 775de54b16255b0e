"""Boosting trees for the only target of a table, on rows as the prior completes them."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeRegressor

from halfseen.estimators.boosted_trees import BoostedTrees
from halfseen.estimators.ensemble import Ensemble
from halfseen.estimators.fits_side_by_side import fits_side_by_side
from halfseen.estimators.only_target import only_target, some_of
from halfseen.estimators.tree_nodes import nodes_of
from halfseen.learning.held_out import HeldOut
from halfseen.learning.progress import ProgressLine, Verbosity
from halfseen.tables import EncodedTable

_SMALLEST_LEAF = 5
_SHARE_OF_ROWS = 0.6  # drawn for every round
_SHARE_OF_UNITS = 0.4  # looked at for a split
_PULL = 1.0  # to nothing, of the value of a leaf, in units of curvature
_LARGEST_STEP = 6.0  # of a leaf, before the rate
_FEWEST_ROWS = 50  # with a known class
_MOST_ROWS = 30_000  # that are read
_ENOUGH_ROWS = 4000  # to be read of more, where all would take too long
_LEAST_SEEN = 0.65  # of the features: where holes are many, trees read what the prior has guessed
_MOST_WORK = 1e9  # looks at a value, in all trees
_LOOKS_OF_A_TREE = 1e5  # as many as it takes to begin one
_LEVELS = 5  # on which a tree looks at a row, more or less
_PLENTY = 500  # rows of every class, on average


class Pace(NamedTuple):
    """How long trees are boosted, and how they are grown."""

    n_rounds: int
    rate: float
    depth: int | None  # of a tree
    n_leaves: int | None  # of a tree, which then grows where that helps most


SHORT = Pace(80, 0.12, 5, None)
LONG = Pace(160, 0.1, None, 31)


def pace_of(n_rows: int, n_classes: int) -> Pace:
    """Few rows are soon learned by heart; of plenty more rounds and uneven trees learn more.

    Examples
    --------
    >>> pace_of(900, 2).n_rounds, pace_of(1000, 2).n_rounds, pace_of(3000, 9).n_rounds
    (80, 160, 80)
    """
    return LONG if n_rows >= _PLENTY * n_classes else SHORT


class BoostedOfFolds(NamedTuple):
    """Trees boosted on what each fold may learn from, and on everything."""

    of_folds: list[BoostedTrees]
    whole: BoostedTrees


def boosted_of_folds(
    ensemble: Ensemble,
    encoded: EncodedTable,
    folds: list[HeldOut],
    seen: float,
    seed: int,
    verbose: Verbosity = False,
) -> BoostedOfFolds | None:
    """Boosted trees for the classes of the only target column, which read what the forest reads.

    None if there is not one target column, if few of its entries are known, if much of the features
    is missing, or if it would take too long. Of a long table 30,000 labelled rows are read, or
    fewer where each takes long.
    """
    target = only_target(ensemble)
    if target is None or seen < _LEAST_SEEN:
        return None
    known = target.known_rows(encoded)
    n_heights = 1 if target.n_classes == 2 else target.n_classes
    pace = pace_of(len(known), target.n_classes)
    n_trees = n_heights * pace.n_rounds * (len(folds) + 1)
    n_rows = rows_within_reach(len(known), int(target.is_feature.sum()), n_trees)
    if not n_rows:
        return None
    rows = some_of(known, n_rows, [seed, 17])
    visible, observed = encoded.rows(rows)
    code = target.codes(visible)
    line = ProgressLine("boosting trees, round", pace.n_rounds * (len(folds) + 1), verbose)
    n_done, counting = 0, Lock()

    def after_round() -> None:
        nonlocal n_done
        with counting:
            n_done += 1
            line.show(n_done)

    def boosted(place: int) -> BoostedTrees:
        """Of one fold, or of all that is known if there is no fold of this number."""
        prior, may_learn = 0, observed
        if place < len(folds):
            prior, may_learn = place, folds[place].training_of(rows, observed)
        teaches = may_learn[:, target.units[0]]
        # All rows are read as the first prior completes them, which is how they will be asked.
        completed = ensemble.completed_features(prior, visible[teaches], may_learn[teaches])
        own_seed = _seed_of(seed, place)
        return boost(completed, code[teaches], target.n_classes, own_seed, pace, after_round)

    try:
        *of_folds, whole = fits_side_by_side(boosted, range(len(folds) + 1))
    except KeyboardInterrupt:
        line.close("interrupted")
        raise
    line.close("done")
    return BoostedOfFolds(of_folds, whole)


def rows_within_reach(n_known: int, n_units: int, n_trees: int) -> int:
    """How many rows so many trees may read: of long tables fewer, none if these would be too few.

    Examples
    --------
    >>> rows_within_reach(2500, 73, 240), rows_within_reach(40_000, 100, 480)
    (2500, 16527)
    >>> rows_within_reach(40, 10, 240), rows_within_reach(10_000, 16, 26 * 240)
    (0, 0)
    """
    looks_at_a_row = _SHARE_OF_ROWS * max(1.0, _SHARE_OF_UNITS * n_units) * _LEVELS
    most = int((_MOST_WORK / n_trees - _LOOKS_OF_A_TREE) / looks_at_a_row)
    if n_known < _FEWEST_ROWS or most < min(n_known, _ENOUGH_ROWS):
        return 0
    return min(n_known, most, _MOST_ROWS)


def boost(
    completed: NDArray[np.float32],
    code: NDArray[np.int64],
    n_classes: int,
    seed: int,
    pace: Pace = SHORT,
    after_round: Callable[[], None] = lambda: None,
) -> BoostedTrees:
    """Rounds of stochastic gradient boosting (Friedman, 2002) of scikit-learn's trees.

    A tree is grown to what is left of the truth; its leaves take a step of Newton's, drawn to
    nothing and bounded: in scikit-learn's own boosting the steps of rare classes have no bounds.

    Parameters
    ----------
    completed : ndarray of shape (n_rows, n_units)
        Rows in standard units, without holes.
    code : ndarray of shape (n_rows,)
        Their classes, from 0.
    n_classes : int
        Classes, some of which may have no row.
    seed : int
        Seed of the rows and units that a tree looks at.
    pace : Pace
        Rounds, rate, and size of the trees.
    after_round : callable
        Called after every round.

    Returns
    -------
    BoostedTrees

    Examples
    --------
    >>> rows = np.linspace(-1, 1, 60, dtype=np.float32)[:, None]
    >>> steps = boost(rows, (rows[:, 0] > 0).astype(int), 2, seed=0)
    >>> steps.probabilities(rows)[[0, -1], 1].round(1)
    array([0., 1.])
    """
    share = (np.bincount(code, minlength=n_classes) + 1.0) / (len(code) + n_classes)
    truth = (code[:, None] == np.arange(n_classes)).astype(np.float64)
    base = np.log(share)
    if n_classes == 2:
        base, truth = base[1:] - base[:1], truth[:, 1:]
    heights = np.tile(base, (len(code), 1))
    random = np.random.default_rng(seed)
    n_drawn = max(1, round(_SHARE_OF_ROWS * len(code)))
    parts = []
    for _ in range(pace.n_rounds):
        likely = _likely(heights)
        left, curvature = truth - likely, likely * (1 - likely)
        rows = np.sort(random.permutation(len(code))[:n_drawn])
        for own in range(len(base)):
            tree = DecisionTreeRegressor(
                max_depth=pace.depth,
                max_leaf_nodes=pace.n_leaves,
                min_samples_leaf=_SMALLEST_LEAF,
                max_features=_SHARE_OF_UNITS,
                random_state=int(random.integers(2**31)),
            ).fit(completed[rows], left[rows, own], check_input=False)
            leaf = tree.apply(completed, check_input=False)
            n_nodes = tree.tree_.node_count
            top = np.bincount(leaf[rows], left[rows, own], n_nodes)
            step = top / (np.bincount(leaf[rows], curvature[rows, own], n_nodes) + _PULL)
            value = (pace.rate * step.clip(-_LARGEST_STEP, _LARGEST_STEP)).astype(np.float32)
            heights[:, own] += value[leaf]
            parts.append((*nodes_of(tree.tree_), value))
        after_round()
    n_nodes_of = np.array([len(part[0]) for part in parts])
    first = np.concatenate([[0], np.cumsum(n_nodes_of)[:-1]]).astype(np.int32)
    unit, threshold, lower, upper, values = map(np.concatenate, zip(*parts, strict=True))
    offset = np.repeat(first, n_nodes_of)
    return BoostedTrees(base, first, unit, threshold, lower + offset, upper + offset, values)


def _likely(heights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Probability of every height's class; of a single height, of the second of two."""
    if heights.shape[1] == 1:
        single: NDArray[np.float64] = 1 / (1 + np.exp(-heights))
        return single
    likely = np.exp(heights - heights.max(axis=1, keepdims=True))
    of_all: NDArray[np.float64] = likely / likely.sum(axis=1, keepdims=True)
    return of_all


def _seed_of(seed: int, place: int) -> int:
    return int(np.random.SeedSequence([seed, 23, place]).generate_state(1)[0])
