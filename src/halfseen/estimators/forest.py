"""Trees that read rows as the prior completes them: one more predictor of targets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.tree_nodes import leaves_of


@dataclass(frozen=True)
class Forest:
    """Trees of all folds and target columns, one after the other, as flat arrays of nodes.

    A row goes from the first node of a tree to the left where its unit is at most the threshold,
    else to the right, until it comes to a leaf, which leads to itself. Trees of one fold follow
    each other, and within it those of one target column; all have equally many.
    """

    n_folds: int
    first_node: NDArray[np.int32]  # (n_trees,)
    unit: NDArray[np.int32]  # (n_nodes,), among the units of features; 0 in a leaf
    threshold: NDArray[np.float32]  # (n_nodes,), in standard units; 0 in a leaf
    left: NDArray[np.int32]  # (n_nodes,)
    right: NDArray[np.int32]  # (n_nodes,)
    share: NDArray[np.float32]  # (n_nodes, widest column), of every unit of the target; padded
    widths: NDArray[np.int32]  # (n_targets,), units of every target column

    @property
    def n_trees(self) -> int:
        """Trees of one fold and one target column."""
        return len(self.first_node) // (self.n_folds * len(self.widths))

    def shares(self, completed: NDArray[np.float32]) -> NDArray[np.float64]:
        """Probability of every target unit: the mean over folds.

        Parameters
        ----------
        completed : ndarray of shape (n_folds, n_rows, n_feature_units)
            Rows as the prior of every fold completes them, in standard units.

        Returns
        -------
        ndarray of shape (n_rows, n_target_units)
        """
        total = np.zeros((completed.shape[1], int(self.widths.sum())))
        for fold, rows in enumerate(completed):
            total += self.shares_of_fold(fold, rows)
        return total / self.n_folds

    def shares_of_fold(self, fold: int, completed: NDArray[np.float32]) -> NDArray[np.float64]:
        """The same of the trees of one fold, from rows of shape (n_rows, n_feature_units)."""
        n_trees, n_targets = self.n_trees, len(self.widths)
        first = fold * n_targets * n_trees
        parts = []
        for target, width in enumerate(self.widths):
            own = slice(first + target * n_trees, first + (target + 1) * n_trees)
            leaves = leaves_of(
                self.first_node[own], self.unit, self.threshold, (self.left, self.right), completed
            )
            total = np.zeros((len(completed), width))
            # Tree by tree, so that no row's bits depend on the others.
            for leaf in leaves.T:
                total += self.share[leaf, :width]
            parts.append(total / n_trees)
        return np.concatenate(parts, axis=1)
