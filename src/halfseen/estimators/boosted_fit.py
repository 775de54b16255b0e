"""Boosting trees for the only target of a table, on rows as the prior completes them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier

from halfseen.estimators.boosted_trees import BoostedTrees
from halfseen.estimators.ensemble import Ensemble
from halfseen.estimators.only_target import Judged, OnlyTarget, honest_power, only_target
from halfseen.estimators.tree_nodes import nodes_of
from halfseen.learning.held_out import HeldOut
from halfseen.machine.usable_cores import usable_cores
from halfseen.tables import EncodedTable

_N_ROUNDS = 60
_RATE = 0.12
_DEPTH = 5
_SMALLEST_LEAF = 5
_SHARE_OF_ROWS = 0.6  # drawn for every tree
_SHARE_OF_UNITS = 0.4  # looked at for a split
_FEWEST_ROWS = 50  # with a known class
_LEAST_SEEN = 0.65  # of the features: where holes are many, trees read what the prior has guessed
_MOST_WORK = 3e8  # looks at a value, in all trees
_LOOKS_OF_A_TREE = 1e5  # as many as it takes to begin one
_HARDLY_EVER = -7.0  # height of a class that no row has


class OfFolds(NamedTuple):
    """Trees boosted on what each fold may learn from, and on everything."""

    of_folds: list[BoostedTrees]
    whole: BoostedTrees


def boosted_of_folds(
    ensemble: Ensemble, encoded: EncodedTable, folds: list[HeldOut], seen: float, seed: int
) -> OfFolds | None:
    """Boosted trees for the classes of the only target column, each as sure as it may be.

    They read what the forest reads; the power that makes them honest is learned on labels put
    aside. None if there is not one target column, if few of its entries are known or all are alike,
    if much of the features is missing, or if it would take too long.
    """
    target = only_target(ensemble)
    if target is None or seen < _LEAST_SEEN:
        return None
    rows = target.known_rows(encoded)
    n_heights = 1 if target.n_classes == 2 else target.n_classes
    n_trees = n_heights * _N_ROUNDS * (len(folds) + 1)
    if len(rows) < _FEWEST_ROWS or not is_within_reach(
        len(rows), int(target.is_feature.sum()), n_trees
    ):
        return None
    visible, observed = encoded.rows(rows)
    code = target.codes(visible)
    completed = [
        ensemble.completed_features(place, visible, fold.training_of(rows, observed))
        for place, fold in enumerate(folds)
    ]
    teaches = [fold.training_of(rows, observed)[:, target.units[0]] for fold in folds]
    # All rows are read as the first prior completes them, which is how they will be asked.
    completed.append(ensemble.completed_features(0, visible, observed))
    teaches.append(np.ones(len(rows), bool))
    if any(len(np.unique(code[own])) < 2 for own in teaches):
        return None

    def boosted(place: int) -> BoostedTrees:
        own = teaches[place]
        return boost(completed[place][own], code[own], target.n_classes, _seed_of(seed, place))

    with ThreadPoolExecutor(usable_cores(), thread_name_prefix="halfseen") as threads:
        *of_folds, whole = threads.map(boosted, range(len(folds) + 1))
    power = _power(ensemble, target, encoded, folds, of_folds)
    of_folds = [replace(own, power=power) for own in of_folds]
    return OfFolds(of_folds, replace(whole, power=power))


def is_within_reach(n_rows: int, n_units: int, n_trees: int) -> bool:
    """Whether so many trees look at few enough values.

    Examples
    --------
    >>> is_within_reach(2500, 73, 180), is_within_reach(10_000, 16, 26 * 180)
    (True, False)
    """
    looks = _SHARE_OF_ROWS * n_rows * max(1.0, _SHARE_OF_UNITS * n_units) * _DEPTH
    return n_trees * (looks + _LOOKS_OF_A_TREE) <= _MOST_WORK


def boost(
    completed: NDArray[np.float32], code: NDArray[np.int64], n_classes: int, seed: int
) -> BoostedTrees:
    """Sixty rounds of gradient boosting (Friedman, 2001 and 2002), by scikit-learn, as arrays.

    Parameters
    ----------
    completed : ndarray of shape (n_rows, n_units)
        Rows in standard units, without holes.
    code : ndarray of shape (n_rows,)
        Their classes, from 0; at least two are there.
    n_classes : int
        Classes, some of which may have no row.
    seed : int
        Seed of the rows and units that a tree looks at.

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
    model = GradientBoostingClassifier(
        n_estimators=_N_ROUNDS,
        learning_rate=_RATE,
        max_depth=_DEPTH,
        min_samples_leaf=_SMALLEST_LEAF,
        subsample=_SHARE_OF_ROWS,
        max_features=_SHARE_OF_UNITS,
        random_state=seed,
    ).fit(completed, code)
    trees = [[one.tree_ for one in of_round] for of_round in model.estimators_]
    parts = [
        (*nodes_of(tree), _RATE * tree.value[:, 0, 0]) for of_round in trees for tree in of_round
    ]
    n_nodes = np.array([len(part[0]) for part in parts])
    first = np.concatenate([[0], np.cumsum(n_nodes)[:-1]]).astype(np.int32)
    unit, threshold, left, right, value = map(np.concatenate, zip(*parts, strict=True))
    offset = np.repeat(first, n_nodes)
    grown = BoostedTrees(
        np.zeros(len(trees[0])),
        first,
        unit,
        threshold,
        left + offset,
        right + offset,
        value.astype(np.float32),
    )
    # What scikit-learn begins with is what it says of a row beyond what its trees say.
    said = np.reshape(model.decision_function(completed[:1]), -1)
    base = said - grown.heights(completed[:1])[0]
    if len(base) == 1 and n_classes == 2:
        return replace(grown, base=base)
    return _among_all(replace(grown, base=base), model.classes_, n_classes)


def _among_all(grown: BoostedTrees, classes: NDArray[np.int64], n_classes: int) -> BoostedTrees:
    """The same with a height of every class, also of those that no row has."""
    if len(grown.base) == n_classes:
        return grown
    base = np.full(n_classes, _HARDLY_EVER)
    base[classes] = 0.0
    base[classes[-len(grown.base) :]] = grown.base
    # Classes without trees have one that says nothing: a single leaf after all other nodes.
    n_rounds, n_nodes = len(grown.first_node) // len(grown.base), len(grown.unit)
    first = np.full((n_rounds, n_classes), n_nodes, np.int32)
    first[:, classes[-len(grown.base) :]] = grown.first_node.reshape(n_rounds, -1)
    last = np.array([n_nodes], np.int32)
    return BoostedTrees(
        base,
        first.reshape(-1),
        np.append(grown.unit, np.int32(0)),
        np.append(grown.threshold, np.float32(0)),
        np.append(grown.left, last),
        np.append(grown.right, last),
        np.append(grown.value, np.float32(0)),
    )


def _power(
    ensemble: Ensemble,
    target: OnlyTarget,
    encoded: EncodedTable,
    folds: list[HeldOut],
    of_folds: list[BoostedTrees],
) -> float:
    judged = [Judged(target, encoded, fold) for fold in folds]
    said = [
        own.probabilities(ensemble.completed_features(place, rows.visible, rows.shown))
        for place, (own, rows) in enumerate(zip(of_folds, judged, strict=True))
    ]
    return honest_power(said, [rows.code for rows in judged])


def _seed_of(seed: int, place: int) -> int:
    return int(np.random.SeedSequence([seed, 23, place]).generate_state(1)[0])
