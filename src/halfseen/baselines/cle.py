"""CLE: features and labels factorised together, tied by a linear map."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from scipy.optimize import minimize
from sklearn.metrics import roc_auc_score

from halfseen.baselines.baseline import Baseline, Bools, Floats, held_out_entries, observed_scale
from halfseen.baselines.low_rank import fold_in, shrunk_spectrum, spectral_norm

# Share of the observed labels on which the output that scores is chosen.
_HELD_OUT = 0.15


class Embedding(NamedTuple):
    """Everything that is learned: ``U V'`` are features, ``W H'`` labels, B leads across."""

    U: Floats  # (n_rows, n_components)
    V: Floats  # (n_features, n_components)
    W: Floats  # (n_rows, n_label_components)
    H: Floats  # (n_labels, n_label_components)
    B: Floats  # (n_features, n_labels)

    def flat(self) -> Floats:
        """All numbers in one vector."""
        return np.concatenate([part.ravel() for part in self])

    def like(self, flat: Floats) -> Self:
        """An embedding of the same shapes, from one vector."""
        parts = np.split(flat, np.cumsum([part.size for part in self])[:-1])
        return type(self)(*(part.reshape(old.shape) for part, old in zip(parts, self, strict=True)))

    def scores(self, output: str) -> Floats:
        """Centred scores of labels, by the "embedding" or the "regression"."""
        if output == "embedding":
            return np.asarray(self.W @ self.H.T)
        return np.asarray(self.U @ (self.V.T @ self.B))


class Table(NamedTuple):
    """Standardised features and centred labels, any finite number where not observed."""

    features: Floats
    observed_features: Bools
    labels: Floats
    observed_labels: Bools


class CLE(Baseline):
    """Collaborative label embedding, linear.

    Minimises over U, V, W, H and B::

        ||X - U V'||_O^2 + delta ||Y - W H'||_O^2 + l0 (||U||^2 + ||V||^2)
            + l1 (||W||^2 + ||H||^2) + l2 ||U V' B - W H'||^2 + l3 ||B||^2

    with features standardised and labels centred, by L-BFGS from the leading part of the table's
    spectrum. The authors know positive labels alone and weigh the rest; here both values of a label
    are observed, their loss with weight a = 1. ``W H'`` has no more components than labels.

    Hidden labels are predicted by the embedding ``W H'`` or by the regression ``U V' B``, whichever
    is better on held-out observed labels; then the fit goes on with all labels. New rows are
    embedded by their observed features, and regressed. Y. Han, G. Sun, Y. Shen, X. Zhang,
    "Multi-label learning with highly incomplete data via collaborative embedding", KDD 2018.

    Parameters
    ----------
    n_components : int, default=40
        k, components of the features; at most as many as rows or columns are used.
    label_weight, coupling, regression_penalty : float, default=10.0, 0.3, 30.0
        delta, l2 and l3.
    feature_share, label_share : float, default=0.08, 0.02
        l0, as a share of the largest singular value of the observed features; l1, as a share of
        delta times that of the labels.
    max_iter, random_state : int, default=100, 0
        Most iterations of L-BFGS, before and after the choice each; and seed.

    Examples
    --------
    >>> X, Y = [[0.0, 0.1], [0.1, None], [1.0, 0.9], [None, 1.0]], [[0], [None], [1], [None]]
    >>> CLE(coupling=1.0).fit(X, Y).predict_scores([[0.0, None], [1.0, 1.0]]).argmax(axis=0)
    array([1])
    """

    method = "CLE"
    gives_probabilities = False
    grid = {
        "feature_share": [0.04, 0.08, 0.15],
        "label_share": [0.02, 0.08, 0.2],
        "coupling": [0.3, 1.0, 3.0],
        "regression_penalty": [3.0, 30.0, 300.0],
        "label_weight": [1.0, 10.0],
    }

    n_components: int = 40
    label_weight: float = 10.0
    feature_share: float = 0.08
    label_share: float = 0.02
    coupling: float = 0.3
    regression_penalty: float = 30.0
    max_iter: int = 100
    random_state: int = 0

    def _fit(self, X: Floats, Y: Floats) -> None:
        for name, value in self.get_params().items():
            if name != "random_state" and value <= 0:
                raise ValueError(f"{name} must be positive, got {value!r}")
        self._scale, self._label_mean = observed_scale(X), observed_scale(Y).offset
        features = np.nan_to_num(self._scale.standardised(X))
        labels = np.nan_to_num(Y - self._label_mean)
        table = Table(features, ~np.isnan(X), labels, ~np.isnan(Y))
        # Weights of the terms, in the order of the paper: delta, l0, l1, l2, l3.
        self._penalties = (
            self.label_weight, self.feature_share * (spectral_norm(features) or 1.0),
            self.label_share * self.label_weight * (spectral_norm(labels) or 1.0),
            self.coupling, self.regression_penalty,
        )  # fmt: skip
        generator = np.random.default_rng([self.random_state, 3])
        by_row = self.target_ == "classes"
        held_out = held_out_entries(table.observed_labels, _HELD_OUT, generator, by_row)
        shown = table._replace(observed_labels=table.observed_labels & ~held_out)
        embedding = self._descended(self._start(shown, generator), shown)
        self.output_ = self._better_output(embedding, Y, held_out)
        self.embedding_ = self._descended(embedding, table)

    def _start(self, table: Table, generator: np.random.Generator) -> Embedding:
        labels = np.where(table.observed_labels, table.labels, 0.0)
        U, V = balanced_factors(table.features, self.n_components, generator)
        W, H = balanced_factors(labels, labels.shape[1], generator)
        ridge = self.regression_penalty / self.coupling
        return Embedding(U, V, W, H, regression_on_product(U, V, W @ H.T, ridge))

    def _descended(self, start: Embedding, table: Table) -> Embedding:
        def loss(flat: Floats) -> tuple[float, Floats]:
            value, gradient = collaborative_loss(start.like(flat), table, self._penalties)
            return value, gradient.flat()

        options = {"maxiter": self.max_iter, "maxcor": 10}
        found = minimize(loss, start.flat(), jac=True, method="L-BFGS-B", options=options)
        return start.like(found.x)

    def _better_output(self, embedding: Embedding, Y: Floats, held_out: Bools) -> str:
        if np.unique(Y[held_out]).size < 2:
            return "regression"
        both = ("regression", "embedding")
        scores = (self._label_mean + embedding.scores(output) for output in both)
        aucs = [roc_auc_score(Y[held_out], of_output[held_out]) for of_output in scores]
        return both[int(np.argmax(aucs))]

    def _completed(self, X: Floats, Y: Floats) -> tuple[Floats, Floats]:
        V = self.embedding_.V
        features = fold_in(V, self._penalties[1], self._scale.standardised(X)) @ V.T
        return self._scale.restored(features), self._label_mean + features @ self.embedding_.B

    def _completed_fitted(self) -> tuple[Floats, Floats]:
        features = self._scale.restored(self.embedding_.U @ self.embedding_.V.T)
        return features, self._label_mean + self.embedding_.scores(self.output_)


def collaborative_loss(
    embedding: Embedding, table: Table, penalties: Sequence[float]
) -> tuple[float, Embedding]:
    """The objective and its gradient."""
    U, V, W, H, B = embedding
    delta, l0, l1, l2, l3 = penalties
    error = (U @ V.T - table.features) * table.observed_features
    M = W @ H.T
    label_error = np.where(table.observed_labels, M - table.labels, 0.0)
    G = V.T @ B  # (n_components, n_labels); U G costs O((n + d) k L), never n d L
    coupled = U @ G - M
    of_G = 2.0 * U.T @ coupled
    value = (
        np.vdot(error, error)
        + delta * np.vdot(label_error, label_error)
        + l0 * (np.vdot(U, U) + np.vdot(V, V))
        + l1 * (np.vdot(W, W) + np.vdot(H, H))
        + l2 * np.vdot(coupled, coupled)
        + l3 * np.vdot(B, B)
    )
    of_M = 2.0 * (delta * label_error - l2 * coupled)
    return float(value), Embedding(
        2.0 * (error @ V + l0 * U + l2 * coupled @ G.T),
        2.0 * (error.T @ U + l0 * V) + l2 * B @ of_G.T,
        of_M @ H + 2.0 * l1 * W,
        of_M.T @ W + 2.0 * l1 * H,
        l2 * V @ of_G + 2.0 * l3 * B,
    )


def regression_on_product(U: Floats, V: Floats, M: Floats, penalty: float) -> Floats:
    """Ridge regression of M on ``U V'``, in O(d^2 (k + d))."""
    gram = V @ (U.T @ U) @ V.T + penalty * np.eye(len(V))
    return np.asarray(np.linalg.solve(gram, V @ (U.T @ M)), dtype=np.float64)


def balanced_factors(
    table: Floats, n_components: int, generator: np.random.Generator
) -> tuple[Floats, Floats]:
    """Two factors of equal size whose product is the leading part of a table, and some noise."""
    n_components = min(n_components, *table.shape)
    left, right, values = shrunk_spectrum(table, 0.0)
    root = np.sqrt(values[:n_components])
    # Noise lets components leave zero, where their gradient vanishes.
    U = 0.01 * generator.standard_normal((len(table), n_components))
    V = 0.01 * generator.standard_normal((table.shape[1], n_components))
    U[:, : len(root)] += left[:, : len(root)] / root
    V[:, : len(root)] += right[:, : len(root)] * root
    return U, V
