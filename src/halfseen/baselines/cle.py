"""CLE: features and labels factorised together, tied by a linear map."""

from __future__ import annotations

from typing import ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.metrics import roc_auc_score

from halfseen.baselines._fold_in import fold_in
from halfseen.baselines._observed_scale import observed_scale
from halfseen.baselines._shrunk_spectrum import leading_singular_value, shrunk_spectrum
from halfseen.baselines.baseline import Baseline, CompletedTable, with_observed

Output = Literal["embedding", "regression"]

# Share of the observed labels on which the output that scores is chosen.
HELD_OUT = 0.15


class Embedding(NamedTuple):
    """Everything that is learned: ``U V'`` are features, ``W H'`` labels, B leads across."""

    U: NDArray[np.float64]  # (n_rows, n_components)
    V: NDArray[np.float64]  # (n_features, n_components)
    W: NDArray[np.float64]  # (n_rows, n_label_components)
    H: NDArray[np.float64]  # (n_labels, n_label_components)
    B: NDArray[np.float64]  # (n_features, n_labels)

    def flat(self) -> NDArray[np.float64]:
        """All numbers in one vector."""
        return np.concatenate([part.ravel() for part in self])

    def like(self, flat: NDArray[np.float64]) -> Self:
        """An embedding of the same shapes, from one vector."""
        bounds = np.cumsum([part.size for part in self])[:-1]
        parts = np.split(flat, bounds)
        return type(self)(*(part.reshape(old.shape) for part, old in zip(parts, self, strict=True)))


class Penalties(NamedTuple):
    """Weights of the terms, in the order of the paper: delta, l0, l1, l2, l3."""

    label_weight: float
    features: float
    labels: float
    coupling: float
    regression: float


class CLE(Baseline):
    """Collaborative label embedding, linear.

    Minimises over U, V, W, H and B::

        ||X - U V'||_O^2 + delta ||Y - W H'||_O^2 + l0 (||U||^2 + ||V||^2)
            + l1 (||W||^2 + ||H||^2) + l2 ||U V' B - W H'||^2 + l3 ||B||^2

    where the first two terms are sums over observed entries, features are standardised and labels
    centred by what is observed of them. The authors know positive labels alone and weigh the rest;
    here both values of a label are observed, which is their loss with weight a = 1. Not convex: the
    start is the leading part of the table's spectrum with a little noise, and L-BFGS goes on from
    there. ``W H'`` has no more components than labels, which loses nothing.

    Two outputs answer for a hidden label: the embedding ``W H'`` and the regression ``U V' B``. The
    better one on held-out observed labels is taken, after which the fit goes on with all labels.

    Parameters
    ----------
    n_components : int, default=40
        k, components of the features; at most as many as rows or columns are used.
    label_weight : float, default=10.0
        delta.
    feature_share : float, default=0.08
        l0, as a share of the largest singular value of the observed features.
    label_share : float, default=0.02
        l1, as a share of delta times the largest singular value of the observed labels.
    coupling : float, default=0.3
        l2.
    regression_penalty : float, default=30.0
        l3.
    output : {"embedding", "regression"} or None, default=None
        What answers for hidden labels; None chooses on held-out labels.
    max_iter : int, default=100
        Most iterations of L-BFGS, before and after the choice each.
    random_state : int, default=0
        Seed of the noise at the start and of the held-out labels.

    Attributes
    ----------
    output_ : {"embedding", "regression"}
        What answers.

    Notes
    -----
    Time per iteration O(n d k) and memory a handful of n x d tables. New rows are embedded by their
    observed features with ``V`` and ``l0`` given, and the regression answers for them.

    References
    ----------
    Y. Han, G. Sun, Y. Shen, X. Zhang, "Multi-label learning with highly incomplete data via
    collaborative embedding", KDD 2018, doi:10.1145/3219819.3220038.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.1], [0.1, np.nan], [1.0, 0.9], [np.nan, 1.0]])
    >>> Y = np.array([[0.0], [np.nan], [1.0], [np.nan]])
    >>> method = CLE(regression_penalty=0.1).fit(X, Y)
    >>> scores = method.predict_scores([[0.0, np.nan], [1.0, 1.0]])
    >>> bool(scores[1, 0] > scores[0, 0])
    True
    """

    method: ClassVar[str] = "CLE"
    gives_probabilities: ClassVar[bool] = False
    grid: ClassVar[dict[str, list[float]]] = {
        "feature_share": [0.04, 0.08, 0.15],
        "label_share": [0.02, 0.08, 0.2],
        "coupling": [0.3, 1.0, 3.0],
        "regression_penalty": [3.0, 30.0, 300.0],
        "label_weight": [1.0, 10.0],
    }

    def __init__(
        self,
        *,
        n_components: int = 40,
        label_weight: float = 10.0,
        feature_share: float = 0.08,
        label_share: float = 0.02,
        coupling: float = 0.3,
        regression_penalty: float = 30.0,
        output: Output | None = None,
        max_iter: int = 100,
        random_state: int = 0,
    ) -> None:
        self.n_components = n_components
        self.label_weight = label_weight
        self.feature_share = feature_share
        self.label_share = label_share
        self.coupling = coupling
        self.regression_penalty = regression_penalty
        self.output = output
        self.max_iter = max_iter
        self.random_state = random_state

    def _fit(self, X: NDArray[np.float64], Y: NDArray[np.float64]) -> None:
        self._check_settings()
        generator = np.random.default_rng([self.random_state, 3])
        self._scale = observed_scale(X)
        features = np.nan_to_num(self._scale.standardised(X))
        observed_features, observed_labels = ~np.isnan(X), ~np.isnan(Y)
        self._label_mean = observed_scale(Y).mean
        labels = np.where(observed_labels, Y - self._label_mean, 0.0)
        self._feature_penalty = self.feature_share * (leading_singular_value(features) or 1.0)
        penalties = Penalties(
            self.label_weight,
            self._feature_penalty,
            self.label_share * self.label_weight * (leading_singular_value(labels) or 1.0),
            self.coupling,
            self.regression_penalty,
        )

        def descended(start: Embedding, shown: NDArray[np.bool_]) -> Embedding:
            def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
                value, gradient = collaborative_loss(
                    start.like(flat), features, observed_features, labels, shown, penalties
                )
                return value, gradient.flat()

            found = minimize(
                loss,
                start.flat(),
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": self.max_iter, "maxcor": 10},
            )
            return start.like(found.x)

        shown = observed_labels
        if self.output is None:
            shown = shown & ~held_out_labels(observed_labels, self.target_, generator)
        start = self._start(features, np.where(shown, labels, 0.0), penalties, generator)
        embedding = descended(start, shown)
        self.output_: Output = self.output or "regression"
        if self.output is None:
            held_out = observed_labels & ~shown
            self.output_ = self._better_output(embedding, Y, held_out)
            embedding = descended(embedding, observed_labels)
        self._embedding = embedding
        completed = embedding.U @ embedding.V.T
        scores = self._label_mean + self._answer(embedding, self.output_)
        self._completed = with_observed(X, Y, self._scale.restored(completed), scores)

    def _check_settings(self) -> None:
        positive = {
            "n_components": self.n_components,
            "label_weight": self.label_weight,
            "feature_share": self.feature_share,
            "label_share": self.label_share,
            "coupling": self.coupling,
            "regression_penalty": self.regression_penalty,
        }
        for name, value in positive.items():
            if value <= 0:
                raise ValueError(f"{name} must be positive, got {value!r}")
        if self.output not in (None, "embedding", "regression"):
            raise ValueError(
                f'output must be "embedding", "regression" or None, got {self.output!r}'
            )

    def _start(
        self,
        features: NDArray[np.float64],
        labels: NDArray[np.float64],
        penalties: Penalties,
        generator: np.random.Generator,
    ) -> Embedding:
        U, V = balanced_factors(features, self.n_components, generator)
        W, H = balanced_factors(labels, labels.shape[1], generator)
        ridge = penalties.regression / penalties.coupling
        return Embedding(U, V, W, H, regression_on_product(U, V, W @ H.T, ridge))

    def _answer(self, embedding: Embedding, output: Output) -> NDArray[np.float64]:
        if output == "embedding":
            return embedding.W @ embedding.H.T
        return np.asarray(embedding.U @ (embedding.V.T @ embedding.B))

    def _better_output(
        self, embedding: Embedding, Y: NDArray[np.float64], held_out: NDArray[np.bool_]
    ) -> Output:
        if np.unique(Y[held_out]).size < 2:
            return "regression"
        auc_of_embedding, auc_of_regression = (
            roc_auc_score(Y[held_out], (self._label_mean + self._answer(embedding, name))[held_out])
            for name in ("embedding", "regression")
        )
        return "embedding" if auc_of_embedding > auc_of_regression else "regression"

    def _complete(self) -> CompletedTable:
        return self._completed

    def _predict_scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        V = self._embedding.V
        U = fold_in(V, self._feature_penalty, self._scale.standardised(X))
        return self._label_mean + U @ (V.T @ self._embedding.B)


def collaborative_loss(
    embedding: Embedding,
    features: NDArray[np.float64],
    observed_features: NDArray[np.bool_],
    labels: NDArray[np.float64],
    observed_labels: NDArray[np.bool_],
    penalties: Penalties,
) -> tuple[float, Embedding]:
    """The objective and its gradient; what is not observed may hold any finite number."""
    U, V, W, H, B = embedding
    error = U @ V.T
    error -= features
    error *= observed_features
    M = W @ H.T
    label_error = np.where(observed_labels, M - labels, 0.0)
    G = V.T @ B  # (n_components, n_labels); U G costs O((n + d) k L), never n d L
    coupled = U @ G - M
    of_G = 2.0 * U.T @ coupled
    value = (
        np.vdot(error, error)
        + penalties.label_weight * np.vdot(label_error, label_error)
        + penalties.features * (np.vdot(U, U) + np.vdot(V, V))
        + penalties.labels * (np.vdot(W, W) + np.vdot(H, H))
        + penalties.coupling * np.vdot(coupled, coupled)
        + penalties.regression * np.vdot(B, B)
    )
    of_M = 2.0 * (penalties.label_weight * label_error - penalties.coupling * coupled)
    return float(value), Embedding(
        2.0 * (error @ V + penalties.features * U + penalties.coupling * coupled @ G.T),
        2.0 * (error.T @ U + penalties.features * V) + penalties.coupling * B @ of_G.T,
        of_M @ H + 2.0 * penalties.labels * W,
        of_M.T @ W + 2.0 * penalties.labels * H,
        penalties.coupling * V @ of_G + 2.0 * penalties.regression * B,
    )


def regression_on_product(
    U: NDArray[np.float64], V: NDArray[np.float64], M: NDArray[np.float64], penalty: float
) -> NDArray[np.float64]:
    """Ridge regression of M on ``U V'``, in O(d^2 (k + d))."""
    gram = V @ (U.T @ U) @ V.T
    gram[np.diag_indices_from(gram)] += penalty
    return np.asarray(np.linalg.solve(gram, V @ (U.T @ M)), dtype=np.float64)


def balanced_factors(
    table: NDArray[np.float64], n_components: int, generator: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two factors of equal size whose product is the leading part of a table, and some noise."""
    n_components = min(n_components, *table.shape)
    spectrum = shrunk_spectrum(table, 0.0)
    values = spectrum.singular_values[:n_components]
    root = np.zeros(n_components)
    root[: len(values)] = np.sqrt(values)
    left, right = np.zeros((len(table), n_components)), np.zeros((table.shape[1], n_components))
    left[:, : len(values)] = spectrum.left[:, : len(values)] / np.sqrt(values)
    right[:, : len(values)] = spectrum.right[:, : len(values)] * root[: len(values)]
    # Noise lets components leave zero, where their gradient vanishes.
    left += 0.01 * generator.standard_normal(left.shape)
    right += 0.01 * generator.standard_normal(right.shape)
    return left, right


def held_out_labels(
    observed: NDArray[np.bool_], target: str, generator: np.random.Generator
) -> NDArray[np.bool_]:
    """A share of the observed labels, whole rows of them if a row is of one class.

    Drawn among the observed ones by number: drawing every entry anew with a seed that also hid
    entries from the table would pick those very entries, and hold out none.
    """
    by_row = target == "classes"
    places = np.flatnonzero(observed[:, 0] if by_row else observed)
    chosen = generator.choice(places, size=round(HELD_OUT * len(places)), replace=False)
    held_out = np.zeros(len(observed) if by_row else observed.size, dtype=bool)
    held_out[chosen] = True
    if by_row:
        return np.broadcast_to(held_out[:, None], observed.shape)
    return held_out.reshape(observed.shape)
