"""Trees as flat arrays of nodes, and the way of a row through them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def leaves_of(
    first_node: NDArray[np.int32],
    unit: NDArray[np.int32],
    threshold: NDArray[np.float32],
    children: tuple[NDArray[np.int32], NDArray[np.int32]],
    rows: NDArray[np.float32],
) -> NDArray[np.int32]:
    """The leaf that every row comes to in every tree, of shape (n_rows, n_trees).

    A row goes from the first node of a tree to the left where its unit is at most the threshold,
    else to the right, until it comes to a leaf, which leads to itself.

    Examples
    --------
    >>> node = np.arange(3, dtype=np.int32)
    >>> left, right = np.array([1, 1, 2], np.int32), np.array([2, 1, 2], np.int32)
    >>> rows = np.array([[-1.0], [1.0]], np.float32)
    >>> leaves_of(node[:1], 0 * node, np.zeros(3, np.float32), (left, right), rows).tolist()
    [[1], [2]]
    """
    left, right = children
    n_rows, n_trees = len(rows), len(first_node)
    leaves = np.tile(first_node, n_rows)
    walking = np.arange(len(leaves))
    while len(walking):
        node = leaves[walking]
        goes_left = rows[walking // n_trees, unit[node]] <= threshold[node]
        below = np.where(goes_left, left[node], right[node])
        leaves[walking] = below
        walking = walking[below != node]
    return leaves.reshape(n_rows, n_trees)


def nodes_of(tree: Any) -> tuple[NDArray[Any], ...]:
    """Units, thresholds and children of the nodes of one of scikit-learn's trees."""
    is_leaf = tree.children_left < 0
    itself = np.arange(len(is_leaf), dtype=np.int32)
    ends = tree.threshold.astype(np.float32)
    # A float32 is at most a threshold if it is at most the largest float32 not above it.
    above = ends > tree.threshold
    ends[above] = np.nextafter(ends[above], np.float32(-np.inf))
    return (
        np.where(is_leaf, 0, tree.feature).astype(np.int32),
        np.where(is_leaf, 0, ends).astype(np.float32),
        np.where(is_leaf, itself, tree.children_left).astype(np.int32),
        np.where(is_leaf, itself, tree.children_right).astype(np.int32),
    )


def check_nodes(
    first_node: NDArray[np.int32],
    unit: NDArray[np.int32],
    threshold: NDArray[np.float32],
    children: tuple[NDArray[np.int32], NDArray[np.int32]],
    n_units: int,
    deepest: int,
) -> None:
    """Raise where a row of so many units could leave the trees, or walk in them for ever."""
    left, right = children
    n_nodes = len(unit)
    node = np.arange(n_nodes)
    if np.any(first_node < 0) or np.any(first_node >= n_nodes):
        raise ValueError("trees begin at a node")
    is_leaf = (left == node) & (right == node)
    goes_on = (left > node) & (right > node)
    if not np.all(is_leaf | goes_on):
        raise ValueError("the children of a node come after it")
    if np.any(left >= n_nodes) or np.any(right >= n_nodes):
        raise ValueError("children are nodes")
    if np.any(unit < 0) or np.any(unit >= n_units):
        raise ValueError("nodes look at units of features")
    if not np.all(np.abs(threshold) <= _FARTHEST):
        raise ValueError("thresholds are numbers")
    if _depth(first_node, left, right, deepest) > deepest:
        raise ValueError(f"trees are at most {deepest} levels deep")


_FARTHEST = 1e9


def _depth(
    first_node: NDArray[np.int32],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    deepest: int,
) -> int:
    """Levels below the first nodes; the search ends just beyond the deepest that is allowed."""
    depth, level = 0, np.unique(first_node)
    while depth <= deepest:
        level = level[left[level] != level]
        if not len(level):
            break
        depth, level = depth + 1, np.unique(np.concatenate([left[level], right[level]]))
    return depth
