"""Growing the forest: extremely randomised trees on rows as the prior completes them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import ExtraTreeClassifier

from halfseen.estimators.ensemble import Ensemble
from halfseen.estimators.forest import Forest
from halfseen.estimators.only_target import some_of
from halfseen.estimators.tree_nodes import nodes_of
from halfseen.learning.held_out import HeldOut
from halfseen.learning.predictive_loss import PredictiveColumns
from halfseen.learning.progress import ProgressLine, Verbosity
from halfseen.machine.shared_context import SharedContext
from halfseen.machine.usable_cores import usable_cores
from halfseen.tables import EncodedTable

_SMALLEST_LEAF = 3
_MOST_LEAVES = 2000
_MOST_ROWS = 20_000  # of a fold, drawn at random: more are dear to hold, and teach trees little
_SHARE_OF_UNITS = 0.3  # looked at for a split
_ENOUGH_UNITS = 30
_WORK = 5e8  # looks at a value, beyond which trees become fewer
_MOST_WORK = 3e9  # beyond which there are none
_MOST_HELD = 2.5e7  # numbers in all nodes, likewise
_FEWEST_TREES = 25


class _Trees(NamedTuple):
    """The trees of one fold and one target column; nodes are counted within each tree."""

    n_nodes: list[int]
    unit: NDArray[np.int32]
    threshold: NDArray[np.float32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    share: NDArray[np.float32]  # (n_nodes, width)


def grow_forest(
    ensemble: Ensemble,
    encoded: EncodedTable,
    folds: list[HeldOut],
    n_trees: int,
    seed: int,
    verbose: Verbosity = False,
) -> Forest | None:
    """Trees for every fold and target column, from what the fold may learn from.

    Every tree reads the features as the prior of its fold completes them without labels, which is
    how it will be asked. Splits are drawn at random, one for each of a share of the units, and the
    best is taken (Geurts, Ernst and Wehenkel, 2006); leaves hold three rows or more. Of a long
    table 20,000 labelled rows are read.

    None if nothing is asked of trees, or if they would take too long.
    """
    units_of = target_units(ensemble.shape.columns)
    n_feature_units = int((~ensemble.shape.columns.is_target_unit).sum())
    n_trees = trees_within_reach(
        n_trees,
        encoded.n_rows,
        n_feature_units,
        len(units_of) * len(folds),
        max(map(len, units_of)),
    )
    if not n_trees or not n_feature_units:
        return None
    first_units = np.array([units[0] for units in units_of])
    known = encoded.units(first_units).observed
    line = ProgressLine("growing trees, column", len(units_of) * len(folds), verbose)
    parts: list[_Trees] = []
    threads = ThreadPoolExecutor(usable_cores(), thread_name_prefix="halfseen")
    try:
        # Filters of warnings are the whole process's: they are set here, and not in the threads.
        with _quiet:
            for index, fold in enumerate(folds):
                asked = known.copy()
                asked[fold.judged_rows] &= ~fold.judging[:, first_units]
                rows = some_of(
                    np.flatnonzero(asked.any(axis=1)), _MOST_ROWS, _seed_of(seed, index, 0)
                )
                visible, observed = encoded.rows(rows)
                completed = ensemble.completed_features(
                    index, visible, fold.training_of(rows, observed)
                )
                growing = [
                    threads.submit(
                        _grown,
                        completed,
                        visible[:, units],
                        asked[rows, target],
                        ensemble.unit_mean[units],
                        n_trees,
                        _seed_of(seed, index, target),
                    )
                    for target, units in enumerate(units_of)
                ]
                for trees in growing:
                    parts.append(trees.result())
                    line.show(len(parts), "")
    except KeyboardInterrupt:
        line.close("interrupted")
        raise
    finally:
        threads.shutdown(cancel_futures=True)
    line.close("done")
    return _joined(parts, len(folds), [len(units) for units in units_of])


@contextmanager
def _without_advice() -> Iterator[None]:
    """What scikit-learn says of few rows of many classes is for those who chose its trees."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The number of unique classes")
        yield


_quiet = SharedContext(_without_advice)


def trees_within_reach(n_trees: int, n_rows: int, n_units: int, n_forests: int, width: int) -> int:
    """How many trees each forest may have: fewer in large tables, none in the largest.

    A tree looks at a share of the units of every row on each of its levels, and holds a number for
    every class (the most of any target being ``width``) in each of its nodes.

    Examples
    --------
    >>> trees_within_reach(50, 1700, 103, 28, 1), trees_within_reach(50, 8000, 1644, 24, 1)
    (32, 25)
    >>> trees_within_reach(50, 20_000, 1000, 30, 1), trees_within_reach(50, 4000, 5, 2, 400)
    (0, 0)
    """
    n_read = min(n_rows, _MOST_ROWS)
    work = n_read * _units_of_a_split(n_units) * np.log2(max(2, n_read)) * max(1, n_forests)
    held = 2 * n_read / _rows_of_a_leaf(n_read) * width * max(1, n_forests)
    if work * _FEWEST_TREES > _MOST_WORK or held * _FEWEST_TREES > _MOST_HELD:
        return 0
    return min(n_trees, max(_FEWEST_TREES, int(_WORK / work)), int(_MOST_HELD / held))


def target_units(columns: PredictiveColumns) -> list[NDArray[np.int64]]:
    """The units of every target column, in the order in which they stand among the units."""
    column = np.asarray(columns.column_of_unit)
    targets = column[columns.is_target_unit]
    ordered = targets[np.sort(np.unique(targets, return_index=True)[1])]
    return [np.flatnonzero(column == target) for target in ordered]


def _units_of_a_split(n_units: int) -> int:
    most = max(_ENOUGH_UNITS, int(np.sqrt(n_units)))
    return max(1, min(most, round(_SHARE_OF_UNITS * n_units)))


def _seed_of(seed: int, fold: int, target: int) -> int:
    return int(np.random.SeedSequence([seed, fold, target]).generate_state(1)[0])


def _rows_of_a_leaf(n_rows: int) -> int:
    return max(_SMALLEST_LEAF, n_rows // _MOST_LEAVES)


def _grown(
    completed: NDArray[np.float32],
    truth: NDArray[np.float32],
    known: NDArray[np.bool_],
    usual: NDArray[np.float32],
    n_trees: int,
    seed: int,
) -> _Trees:
    """Trees of one target column, from rows in which it is known.

    Each is a single leaf of the usual shares if there are none.
    """
    completed, truth = completed[known], truth[known]
    n_rows, width = truth.shape
    if not n_rows:
        nothing = np.zeros(n_trees, np.int32)
        leaf = np.tile(usual.astype(np.float32), (n_trees, 1))
        return _Trees([1] * n_trees, nothing, nothing.astype(np.float32), nothing, nothing, leaf)
    code = np.argmax(truth, axis=1) if width > 1 else (truth[:, 0] > 0.5).astype(np.int64)
    parts = []
    # Tree by tree: a whole forest of scikit-learn's changes filters of warnings in every thread.
    for own in np.random.SeedSequence(seed).generate_state(n_trees).tolist():
        tree = ExtraTreeClassifier(
            min_samples_leaf=_rows_of_a_leaf(n_rows),
            max_features=_units_of_a_split(completed.shape[1]),
            random_state=own,
        ).fit(completed, code, check_input=False)
        parts.append(_of_tree(tree.tree_, tree.classes_, usual))
    n_nodes = [len(part[0]) for part in parts]
    return _Trees(n_nodes, *map(np.concatenate, zip(*parts, strict=True)))


def _of_tree(
    tree: Any, classes: NDArray[np.int64], usual: NDArray[np.float32]
) -> tuple[NDArray[Any], ...]:
    """Units, thresholds, children and shares of the nodes of one tree."""
    found = tree.value[:, 0, :]
    share = np.zeros((len(found), max(2, len(usual))))
    share[:, classes] = found / found.sum(axis=1, keepdims=True)
    of_units = share if len(usual) > 1 else share[:, 1:]
    # A leaf of few rows is not sure: it counts one more row, of the usual shares.
    n_rows = tree.n_node_samples[:, None].astype(np.float64)
    honest = (n_rows * of_units + usual) / (n_rows + 1)
    return (*nodes_of(tree), honest.astype(np.float32))


def _joined(parts: list[_Trees], n_folds: int, widths: list[int]) -> Forest:
    n_nodes = np.array([n for part in parts for n in part.n_nodes], np.int64)
    first = np.concatenate([[0], np.cumsum(n_nodes)[:-1]])
    offset = np.repeat(first, n_nodes).astype(np.int32)
    widest = max(widths)
    share = [np.pad(part.share, [(0, 0), (0, widest - part.share.shape[1])]) for part in parts]
    return Forest(
        n_folds,
        first.astype(np.int32),
        np.concatenate([part.unit for part in parts]),
        np.concatenate([part.threshold for part in parts]),
        np.concatenate([part.left for part in parts]) + offset,
        np.concatenate([part.right for part in parts]) + offset,
        np.concatenate(share),
        np.array(widths, np.int32),
    )
