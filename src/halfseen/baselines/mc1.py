"""MC-1: features and labels completed as one matrix of low rank, with a column of ones."""

from __future__ import annotations

from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from halfseen.baselines._observed_scale import observed_scale
from halfseen.baselines._shrunk_spectrum import leading_singular_value, shrunk_spectrum
from halfseen.baselines.baseline import Baseline, CompletedTable, with_observed


class CoCompletionLoss(NamedTuple):
    """Loss of ``Z = [labels, features]`` on the observed entries, each kind averaged.

    ``label_weight / |O_Y| sum log(1 + exp(-y (z))) + 1 / |O_X| sum 1/2 (z - x)^2``, y in
    {-1, +1}. Columns of Z beyond labels and features are free.

    Examples
    --------
    >>> import numpy as np
    >>> loss = CoCompletionLoss.of(np.zeros((1, 1)), np.ones((1, 1), bool), np.array([[1.0]]), 2.0)
    >>> round(loss.value(np.zeros((1, 2))), 4)
    1.3863
    >>> loss.gradient(np.zeros((1, 2)))
    array([[-1.,  0.]])
    """

    signs: NDArray[np.float64]  # (n_rows, n_labels), -1 or +1, and 0 where unknown
    features: NDArray[np.float64]  # (n_rows, n_features), 0 where missing
    observed_features: NDArray[np.bool_]  # (n_rows, n_features)
    label_weight: float

    @classmethod
    def of(
        cls,
        features: NDArray[np.float64],
        observed_features: NDArray[np.bool_],
        Y: NDArray[np.float64],
        label_weight: float,
    ) -> Self:
        """The loss of a table; labels are 0, 1 or NaN."""
        signs = np.where(np.isnan(Y), 0.0, 2.0 * np.where(np.isnan(Y), 0.5, Y) - 1.0)
        return cls(signs, features, observed_features, label_weight)

    @property
    def per_label(self) -> float:
        """Weight of one observed label."""
        return self.label_weight / max(int(np.count_nonzero(self.signs)), 1)

    @property
    def per_feature(self) -> float:
        """Weight of one observed feature."""
        return 1.0 / max(int(np.count_nonzero(self.observed_features)), 1)

    @property
    def lipschitz(self) -> float:
        """Lipschitz constant of the gradient."""
        return max(0.25 * self.per_label, self.per_feature)

    def value(self, Z: NDArray[np.float64]) -> float:
        """The loss at Z."""
        n_labels, n_features = self.signs.shape[1], self.features.shape[1]
        margin = self.signs * Z[:, :n_labels]
        error = np.where(
            self.observed_features, Z[:, n_labels : n_labels + n_features] - self.features, 0.0
        )
        of_labels = np.logaddexp(0.0, -margin)[self.signs != 0].sum()
        return float(self.per_label * of_labels + 0.5 * self.per_feature * np.vdot(error, error))

    def gradient(self, Z: NDArray[np.float64]) -> NDArray[np.float64]:
        """The gradient at Z, zero where nothing is observed, of the shape of Z."""
        n_labels, n_features = self.signs.shape[1], self.features.shape[1]
        margin = self.signs * Z[:, :n_labels]
        gradient = np.zeros_like(Z)
        gradient[:, :n_labels] = -self.per_label * self.signs * expit(-margin)
        of_features = gradient[:, n_labels : n_labels + n_features]
        np.subtract(
            Z[:, n_labels : n_labels + n_features],
            self.features,
            out=of_features,
            where=self.observed_features,
        )
        of_features *= self.per_feature
        return gradient


class CoCompletionSolution(NamedTuple):
    """Where the continuation ended."""

    Z: NDArray[np.float64]  # (n_rows, n_labels + n_features + 1)
    mu: float
    n_iter: int
    movement: float


class MC1(Baseline):
    """Matrix completion of [labels, features, 1], transductive.

    Minimises over Z of shape (n_rows, n_labels + n_features + 1)::

        mu ||Z||_* + lam / |O_Y| sum log(1 + exp(-y z)) + 1 / |O_X| sum 1/2 (z - x)^2
        subject to the last column of Z being 1

    with labels y in {-1, +1} and features standardised by what is observed of them. The column of
    ones lets a label have a threshold. Convex.

    Fixed point continuation: mu falls by ``decay`` from a value that leaves almost nothing of Z to
    the final one, each solution the start of the next; a gradient step, then every singular value
    is made smaller. The authors then write the ones back, and the fixed point of that is not the
    minimum; here step and constraint are combined by three-operator splitting (Davis and Yin),
    at the same cost, and the fixed point is the minimum.

    Parameters
    ----------
    lam : float, default=0.003
        Weight of the mean label loss; the authors try 0.001 to 1.
    mu_share : float, default=0.03
        The final mu, as a share of the spectral norm of the loss gradient at Z = 0, above which
        nothing but ones would be left. The authors' mu of 1e-5 is a share of about 0.02 on a table
        of 2,400 rows and 300 columns, half of them observed.
    decay : float, default=0.25
        eta, what mu is multiplied with from one solution to the next.
    max_iter : int, default=300
        Most iterations at each mu.
    tol : float, default=3e-4
        An iteration that moves Z by less than this share of it is the last at its mu; on the way
        to the final mu, ten times as much is allowed.

    Attributes
    ----------
    n_iter_ : int
        Iterations in all.
    movement_ : float
        Relative movement in the last one.

    Notes
    -----
    Time per iteration O(n p min(n, p)) for n rows and p columns, of which one product and one small
    eigenvalue problem; memory a handful of n x p tables. There is no answer for new rows.

    References
    ----------
    A. Goldberg, X. Zhu, B. Recht, J. Xu, R. Nowak, "Transduction with matrix completion: three
    birds with one stone", NIPS 2010. D. Davis, W. Yin, "A three-operator splitting scheme and its
    optimization applications", 2017.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.1], [0.1, np.nan], [1.0, 0.9], [np.nan, 1.0]])
    >>> Y = np.array([[0.0], [np.nan], [1.0], [np.nan]])
    >>> scores = MC1(lam=1.0).fit(X, Y).complete().scores
    >>> bool(scores[3, 0] > 0.5 > scores[1, 0])
    True
    """

    method: ClassVar[str] = "MC-1"
    inductive: ClassVar[bool] = False
    grid: ClassVar[dict[str, list[float]]] = {
        "lam": [0.001, 0.003, 0.01, 0.03, 0.1, 0.3],
        "mu_share": [0.1, 0.03, 0.01],
    }

    def __init__(
        self,
        *,
        lam: float = 0.003,
        mu_share: float = 0.03,
        decay: float = 0.25,
        max_iter: int = 300,
        tol: float = 3e-4,
    ) -> None:
        self.lam = lam
        self.mu_share = mu_share
        self.decay = decay
        self.max_iter = max_iter
        self.tol = tol

    def _fit(self, X: NDArray[np.float64], Y: NDArray[np.float64]) -> None:
        if self.lam <= 0 or self.mu_share <= 0 or not 0 < self.decay < 1:
            raise ValueError(
                "lam and mu_share must be positive and decay between 0 and 1, got "
                f"lam={self.lam!r}, mu_share={self.mu_share!r}, decay={self.decay!r}"
            )
        scale = observed_scale(X)
        features = np.nan_to_num(scale.standardised(X))
        loss = CoCompletionLoss.of(features, ~np.isnan(X), Y, self.lam)
        Z, self.mu_, self.n_iter_, self.movement_ = complete_with_ones(
            loss, self.mu_share, self.decay, self.max_iter, self.tol
        )
        of_labels, of_features, _ = np.split(Z, np.cumsum([Y.shape[1], X.shape[1]]), axis=1)
        scores = expit(of_labels)
        if self.target_ == "classes":
            scores = scores / scores.sum(axis=1, keepdims=True)
        self._completed = with_observed(X, Y, scale.restored(of_features), scores)

    def _complete(self) -> CompletedTable:
        return self._completed


def complete_with_ones(
    loss: CoCompletionLoss, mu_share: float, decay: float, max_iter: int, tol: float
) -> CoCompletionSolution:
    """The minimum of the loss plus mu times the nuclear norm, where the last column is one."""
    n_rows = len(loss.signs)
    start = np.zeros((n_rows, loss.signs.shape[1] + loss.features.shape[1] + 1))
    largest = leading_singular_value(loss.gradient(start))
    n_iter, movement = 0, np.inf
    step = 1.6 / loss.lipschitz  # the splitting converges below 2
    before = start  # what the shrinkage is applied to; called z in Davis and Yin
    before[:, -1] = 1.0
    shrunk = before
    mus = continuation(largest * mu_share, largest, decay)
    for mu in mus:
        enough = tol if mu == mus[-1] else 10 * tol
        for _ in range(max_iter):
            shrunk = shrunk_spectrum(before, step * mu).matrix()
            change = shrunk - before - step * loss.gradient(shrunk)
            change[:, -1] = 1.0 - shrunk[:, -1]
            before = before + change
            n_iter += 1
            movement = float(np.linalg.norm(change) / max(float(np.linalg.norm(before)), 1e-300))
            if movement < enough:
                break
    return CoCompletionSolution(shrunk, mus[-1], n_iter, movement)


def continuation(last: float, largest: float, decay: float) -> list[float]:
    """Falling values from ``decay * largest`` to ``last``.

    Examples
    --------
    >>> continuation(0.1, 1.0, 0.5)
    [0.5, 0.25, 0.125, 0.1]
    """
    values, value = [], decay * largest
    while value > last:
        values.append(value)
        value *= decay
    return [*values, last]
