"""Trees as flat arrays, by hand and by a slow walk."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from halfseen.estimators.forest import Forest


def forest_by_hand() -> Forest:
    """Two folds, one tree each, of one label: the first asks unit 1, the second is a leaf."""
    return Forest(
        n_folds=2,
        first_node=np.array([0, 3], np.int32),
        unit=np.array([1, 0, 0, 0], np.int32),
        threshold=np.array([0.5, 0, 0, 0], np.float32),
        left=np.array([1, 1, 2, 3], np.int32),
        right=np.array([2, 1, 2, 3], np.int32),
        share=np.array([[0.0], [0.2], [0.8], [0.4]], np.float32),
        widths=np.array([1], np.int32),
    )


def test_a_row_goes_left_up_to_the_threshold() -> None:
    forest = forest_by_hand()
    rows = np.array([[9.0, 0.5], [0.0, 0.51]], np.float32)
    assert np.allclose(forest.shares_of_fold(0, rows), [[0.2], [0.8]])
    assert np.allclose(forest.shares_of_fold(1, rows), [[0.4], [0.4]])
    assert np.allclose(forest.shares(np.stack([rows, rows])), [[0.3], [0.6]])


def grown(seed: int, n_units: int, widths: tuple[int, ...], n_folds: int, n_trees: int) -> Forest:
    """Random trees, whose nodes have their children behind them."""
    random = np.random.default_rng(seed)
    unit, threshold, left, right, share, first = [], [], [], [], [], []
    for _ in range(n_folds * len(widths) * n_trees):
        first.append(len(unit))
        open_nodes, n_nodes = [0], 1
        while open_nodes:
            node = first[-1] + open_nodes.pop(0)
            splits = n_nodes < 9 and random.random() < 0.7
            unit.append(int(random.integers(n_units)) if splits else 0)
            threshold.append(random.normal() if splits else 0.0)
            left.append(first[-1] + n_nodes if splits else node)
            right.append(first[-1] + n_nodes + 1 if splits else node)
            share.append(random.random(max(widths)))
            if splits:
                open_nodes += [n_nodes, n_nodes + 1]
                n_nodes += 2
    return Forest(
        n_folds,
        np.array(first, np.int32),
        np.array(unit, np.int32),
        np.array(threshold, np.float32),
        np.array(left, np.int32),
        np.array(right, np.int32),
        np.array(share, np.float32),
        np.array(widths, np.int32),
    )


def walked(forest: Forest, tree: int, row: NDArray[np.float32]) -> NDArray[np.float32]:
    """The share of the leaf of one row, one step after the other."""
    node = forest.first_node[tree]
    while (forest.left[node], forest.right[node]) != (node, node):
        goes_left = row[forest.unit[node]] <= forest.threshold[node]
        node = forest.left[node] if goes_left else forest.right[node]
    return np.asarray(forest.share[node])


@given(st.integers(0, 10_000), st.sampled_from([(1,), (1, 1), (3,), (2, 4)]), st.integers(1, 3))
@settings(deadline=None, max_examples=40)
def test_shares_are_those_of_a_slow_walk(seed: int, widths: tuple[int, ...], n_trees: int) -> None:
    forest = grown(seed, n_units=3, widths=widths, n_folds=2, n_trees=n_trees)
    rows = np.random.default_rng(seed).normal(size=(2, 5, 3)).astype(np.float32)
    assert forest.n_trees == n_trees
    slow = np.zeros((5, sum(widths)))
    for fold in range(2):
        at = 0
        for target, width in enumerate(widths):
            first = (fold * len(widths) + target) * n_trees
            for tree in range(first, first + n_trees):
                for row in range(5):
                    own = walked(forest, tree, rows[fold, row])[:width]
                    slow[row, at : at + width] += own / n_trees / 2
            at += width
    np.testing.assert_allclose(forest.shares(rows), slow, rtol=1e-6)


def test_no_row_depends_on_the_others() -> None:
    forest = grown(3, n_units=4, widths=(1, 3), n_folds=2, n_trees=5)
    rows = np.random.default_rng(0).normal(size=(2, 30, 4)).astype(np.float32)
    together = forest.shares(rows)
    for row in range(30):
        np.testing.assert_array_equal(forest.shares(rows[:, row : row + 1])[0], together[row])
