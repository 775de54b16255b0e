"""MC-1: features and labels completed as one matrix of low rank, with a column of ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np
from scipy.special import expit

from halfseen.baselines.baseline import Baseline, Bools, Floats, observed_scale
from halfseen.baselines.low_rank import shrunk_spectrum, spectral_norm


class CoCompletionLoss(NamedTuple):
    """Loss of ``Z = [labels, features]`` on the observed entries, each kind averaged.

    ``label_weight / |O_Y| sum log(1 + exp(-y z)) + 1 / |O_X| sum 1/2 (z - x)^2``, y in {-1, +1}.
    Columns of Z beyond labels and features are free.
    """

    signs: Floats  # (n_rows, n_labels), -1 or +1, and 0 where unknown
    features: Floats  # (n_rows, n_features), 0 where missing
    observed_features: Bools  # (n_rows, n_features)
    per_label: float  # weight of one observed label
    per_feature: float

    @classmethod
    def of(cls, features: Floats, Y: Floats, label_weight: float) -> Self:
        """The loss of standardised features and labels 0 and 1, NaN where not observed."""
        observed = ~np.isnan(features)
        per_label = label_weight / max(int((~np.isnan(Y)).sum()), 1)
        signs = np.nan_to_num(2.0 * Y - 1.0)
        per_feature = 1.0 / max(int(observed.sum()), 1)
        return cls(signs, np.nan_to_num(features), observed, per_label, per_feature)

    @property
    def lipschitz(self) -> float:
        """Lipschitz constant of the gradient."""
        return max(0.25 * self.per_label, self.per_feature)

    def _parts(self, Z: Floats) -> tuple[Floats, Floats]:
        """Margins of labels and errors of features."""
        n_labels, n_features = self.signs.shape[1], self.features.shape[1]
        error = Z[:, n_labels : n_labels + n_features] - self.features
        return self.signs * Z[:, :n_labels], np.where(self.observed_features, error, 0.0)

    def value(self, Z: Floats) -> float:
        """The loss at Z."""
        margin, error = self._parts(Z)
        of_labels = np.logaddexp(0.0, -margin)[self.signs != 0].sum()
        return float(self.per_label * of_labels + 0.5 * self.per_feature * np.vdot(error, error))

    def gradient(self, Z: Floats) -> Floats:
        """The gradient at Z, zero where nothing is observed, of the shape of Z."""
        margin, error = self._parts(Z)
        gradient = np.zeros_like(Z)
        gradient[:, : margin.shape[1]] = -self.per_label * self.signs * expit(-margin)
        gradient[:, margin.shape[1] : margin.shape[1] + error.shape[1]] = self.per_feature * error
        return gradient


class CoCompletionSolution(NamedTuple):
    """Where the continuation ended."""

    Z: Floats  # (n_rows, n_labels + n_features + 1)
    mu: float
    n_iter: int
    movement: float


@dataclass(kw_only=True, eq=False, repr=False)
class MC1(Baseline):
    """Matrix completion of [labels, features, 1], transductive.

    Minimises over Z of shape (n_rows, n_labels + n_features + 1)::

        mu ||Z||_* + lam / |O_Y| sum log(1 + exp(-y z)) + 1 / |O_X| sum 1/2 (z - x)^2
        subject to the last column of Z being 1

    with labels y in {-1, +1} and standardised features. mu falls by ``decay``, each solution the
    start of the next. The authors write the ones back after each step, whose fixed point is not the
    minimum; here step and constraint are combined by three-operator splitting (D. Davis, W. Yin,
    2017). A. Goldberg, X. Zhu, B. Recht, J. Xu, R. Nowak, "Transduction with matrix completion:
    three birds with one stone", NIPS 2010.

    Parameters
    ----------
    lam : float, default=0.003
        Weight of the mean label loss; the authors try 0.001 to 1.
    mu_share, decay : float, default=0.03, 0.25
        The final mu, as a share of that above which nothing but ones is left; and what mu is
        multiplied with from one solution to the next.
    max_iter, tol : int and float, default=300, 3e-4
        Most iterations at each mu; one that moves Z by less than this share of it is the last, ten
        times as much before the final mu.

    Examples
    --------
    >>> X, Y = [[0.0, 0.1], [0.1, None], [1.0, 0.9], [None, 1.0]], [[0], [None], [1], [None]]
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

    lam: float = 0.003
    mu_share: float = 0.03
    decay: float = 0.25
    max_iter: int = 300
    tol: float = 3e-4

    def _fit(self, X: Floats, Y: Floats) -> None:
        if self.lam <= 0 or self.mu_share <= 0 or not 0 < self.decay < 1:
            given = f"lam={self.lam!r}, mu_share={self.mu_share!r}, decay={self.decay!r}"
            raise ValueError(f"lam and mu_share must be positive and decay in (0, 1), got {given}")
        scale = observed_scale(X)
        loss = CoCompletionLoss.of(scale.standardised(X), Y, self.lam)
        Z, self.mu_, self.n_iter_, self.movement_ = complete_with_ones(
            loss, self.mu_share, self.decay, self.max_iter, self.tol
        )
        of_labels, of_features, _ = np.split(Z, np.cumsum([Y.shape[1], X.shape[1]]), axis=1)
        scores = expit(of_labels)
        if self.target_ == "classes":
            scores = scores / scores.sum(axis=1, keepdims=True)
        self._found = scale.restored(of_features), scores

    def _completed(self, X: Floats, Y: Floats) -> tuple[Floats, Floats]:
        return self._found  # there are no rows but those that were fitted


def complete_with_ones(
    loss: CoCompletionLoss, mu_share: float, decay: float, max_iter: int, tol: float
) -> CoCompletionSolution:
    """The minimum of the loss plus mu times the nuclear norm, where the last column is one."""
    n_columns = loss.signs.shape[1] + loss.features.shape[1] + 1
    before = np.zeros((len(loss.signs), n_columns))  # called z by Davis and Yin
    largest = spectral_norm(loss.gradient(before))
    step = 1.6 / loss.lipschitz  # the splitting converges below 2
    before[:, -1] = 1.0
    shrunk, last, mu = before, mu_share * largest, largest
    n_iter, movement = 0, np.inf
    while True:
        mu = max(decay * mu, last)
        for _ in range(max_iter):
            shrunk = shrunk_spectrum(before, step * mu).matrix()
            change = shrunk - before - step * loss.gradient(shrunk)
            change[:, -1] = 1.0 - shrunk[:, -1]
            before = before + change
            n_iter += 1
            movement = float(np.linalg.norm(change) / max(float(np.linalg.norm(before)), 1e-300))
            if movement < (tol if mu == last else 10 * tol):
                break
        if mu == last:
            return CoCompletionSolution(shrunk, mu, n_iter, movement)
