"""Trees for targets, on features that the prior completes: a forest, and boosted trees.

Both are scikit-learn's. Their nodes are kept as arrays, so that a model file holds nothing that is
executed.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.tree import ExtraTreeClassifier

from halfseen.ensemble.prior import Floats, Ints, Rows

_LEAST_LEAF, _MOST_LEAVES = 3, 2000
_SHARE_OF_FEATURES, _ENOUGH_FEATURES = 0.3, 30  # that are tried for a split of the forest
_BOOSTING: dict[str, Any] = {
    "learning_rate": 0.12, "max_depth": 5, "min_samples_leaf": 5, "subsample": 0.6,
    "max_features": 0.4,
}  # fmt: skip
# Of a leaf. Newton steps of rare classes have no bound, where all other rows are certain.
_MOST_LOG_ODDS = 10.0


class Trees(NamedTuple):
    """Nodes of all trees of one target; the children of a leaf are the leaf itself.

    Outputs of the leaves that a row falls in are summed. They are probabilities, or log-odds of
    which the softmax is taken.
    """

    start: Floats  # (n_classes,), to which outputs are added
    root: NDArray[np.int32]  # (n_trees,)
    feature: NDArray[np.int32]  # (n_nodes,)
    threshold: Floats  # (n_nodes,)
    left: NDArray[np.int32]  # (n_nodes,)
    right: NDArray[np.int32]  # (n_nodes,)
    output: NDArray[np.float32]  # (n_nodes, n_classes)
    depth: int
    is_log_odds: bool

    def check(self) -> None:
        """Raise where nodes of a file lead out of the trees."""
        children = np.concatenate([self.left, self.right, self.root])
        if children.size and not (children.min() >= 0 and children.max() < len(self.feature)):
            raise ValueError("children of a tree lie outside of it")

    def predict_proba(self, X: Rows) -> Floats:
        """Probabilities of the classes, of shape (n_rows, n_classes)."""
        node = np.tile(self.root, (len(X), 1))
        row = np.arange(len(X))[:, None]
        for _ in range(self.depth):
            goes_left = X[row, self.feature[node]] <= self.threshold[node]
            node = np.where(goes_left, self.left[node], self.right[node])
        total = np.tile(self.start, (len(X), 1))
        for leaf in node.T:
            total += self.output[leaf]
        return np.asarray(softmax(total, axis=1)) if self.is_log_odds else total


def fit_forest(
    X: Rows, codes: Ints, weight: Floats, marginal: Floats, seed: int, n_trees: int
) -> Trees:
    """Extremely randomised trees; each leaf counts one more row, of the marginal shares."""
    n_features = X.shape[1]
    enough = max(_ENOUGH_FEATURES, round(n_features**0.5))
    parts = []
    # scikit-learn's forest changes the filters of warnings, which all threads share, at each tree.
    for number in range(n_trees):
        fitted = ExtraTreeClassifier(
            min_samples_leaf=max(_LEAST_LEAF, len(codes) // _MOST_LEAVES),
            max_features=max(1, min(round(_SHARE_OF_FEATURES * n_features), enough)),
            random_state=seed + number,
        ).fit(X, codes, weight, check_input=False)
        tree = fitted.tree_
        share = np.zeros((tree.node_count, len(marginal)))
        share[:, fitted.classes_] = tree.value[:, 0] / tree.value[:, 0].sum(axis=1, keepdims=True)
        n_rows = tree.n_node_samples[:, None]
        parts.append((tree, (n_rows * share + marginal) / (n_rows + 1) / n_trees))
    return _joined(parts, np.zeros(len(marginal)), is_log_odds=False)


def boost_trees(
    X: Rows, codes: Ints, weight: Floats, marginal: Floats, seed: int, n_rounds: int
) -> Trees:
    """Stochastic gradient boosting; classes without a row keep a small probability."""
    n_classes = len(marginal)
    model = GradientBoostingClassifier(n_estimators=n_rounds, random_state=seed, **_BOOSTING)
    model.fit(X, codes, weight)
    share = (np.bincount(codes, weight, n_classes) + 1.0) / (len(codes) + n_classes)
    parts = []
    for row in model.estimators_:
        # The one tree of a round of two classes has the log-odds of the second.
        for code, fitted in zip(model.classes_[-len(row) :], row, strict=True):
            output = np.zeros((fitted.tree_.node_count, n_classes))
            output[:, code] = model.learning_rate * fitted.tree_.value[:, 0, 0]
            parts.append((fitted.tree_, output.clip(-_MOST_LOG_ODDS, _MOST_LOG_ODDS)))
    return _joined(parts, np.log(share), is_log_odds=True)


def _joined(trees: list[tuple[Any, Floats]], start: Floats, *, is_log_odds: bool) -> Trees:
    """The nodes of scikit-learn's trees, with the outputs of their nodes, one after the other."""
    ends = np.cumsum([tree.node_count for tree, _ in trees])
    root = np.append(0, ends[:-1]).astype(np.int32)
    first = np.repeat(root, np.diff(ends, prepend=0))

    def of_nodes(name: str) -> NDArray[Any]:
        return np.concatenate([getattr(tree, name) for tree, _ in trees])

    left, right = of_nodes("children_left"), of_nodes("children_right")
    is_leaf, own = left < 0, np.arange(len(left))
    return Trees(
        start,
        root,
        feature=np.where(is_leaf, 0, of_nodes("feature")).astype(np.int32),
        threshold=of_nodes("threshold"),
        left=np.where(is_leaf, own, first + left).astype(np.int32),
        right=np.where(is_leaf, own, first + right).astype(np.int32),
        output=np.concatenate([output for _, output in trees]).astype(np.float32),
        depth=max(tree.max_depth for tree, _ in trees),
        is_log_odds=is_log_odds,
    )
