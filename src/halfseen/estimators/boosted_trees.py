"""Boosted trees for the classes of a target, which read rows as the prior completes them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.tree_nodes import leaves_of

_LEAST_SURE = 1e-3  # what no row has taught is not impossible


@dataclass(frozen=True)
class BoostedTrees:
    """Trees whose values add up to heights of classes, as flat arrays of nodes.

    Of two classes there is one height, the log-odds of the second; otherwise one of each. Trees of
    one round follow each other, one for every height.
    """

    base: NDArray[np.float64]  # (n_heights,), before any tree has spoken
    first_node: NDArray[np.int32]  # (n_trees,)
    unit: NDArray[np.int32]  # (n_nodes,), among the units of features; 0 in a leaf
    threshold: NDArray[np.float32]  # (n_nodes,), in standard units; 0 in a leaf
    left: NDArray[np.int32]  # (n_nodes,)
    right: NDArray[np.int32]  # (n_nodes,)
    value: NDArray[np.float32]  # (n_nodes,), added to the height

    @property
    def n_classes(self) -> int:
        """Classes that it tells apart."""
        return max(2, len(self.base))

    def probabilities(self, completed: NDArray[np.float32]) -> NDArray[np.float64]:
        """Of every class, of shape (n_rows, n_classes), from rows in standard units.

        Examples
        --------
        >>> node = np.arange(3, dtype=np.int32)
        >>> step = BoostedTrees(np.zeros(1), node[:1], 0 * node, np.zeros(3, np.float32),
        ...     np.array([1, 1, 2], np.int32), np.array([2, 1, 2], np.int32),
        ...     np.array([0.0, -1.0, 1.0], np.float32))
        >>> step.probabilities(np.array([[-1.0], [1.0]], np.float32)).round(2)
        array([[0.73, 0.27],
               [0.27, 0.73]])
        """
        heights = self.heights(completed)
        if len(self.base) == 1:
            heights = np.concatenate([np.zeros_like(heights), heights], axis=1)
        likely = np.exp(heights - heights.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
        said: NDArray[np.float64] = (1 - _LEAST_SURE) * likely + _LEAST_SURE / self.n_classes
        return said

    def heights(self, completed: NDArray[np.float32]) -> NDArray[np.float64]:
        """The sum of what all trees say, of shape (n_rows, n_heights)."""
        n_heights = len(self.base)
        children = self.left, self.right
        leaves = leaves_of(self.first_node, self.unit, self.threshold, children, completed)
        heights = np.tile(self.base, (len(completed), 1))
        # Tree by tree, so that no row's bits depend on the others.
        for tree, leaf in enumerate(leaves.T):
            heights[:, tree % n_heights] += self.value[leaf]
        return heights
