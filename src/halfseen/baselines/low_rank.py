"""Matrices of small nuclear norm: SoftImpute, NoisyIMC and MC-1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np
from scipy.special import expit

from halfseen.baselines.baseline import Baseline, Bools, Floats, held_out_entries, observed_scale

# Penalties that a completion tries, as shares of the largest singular value of what is observed.
_PENALTY_SHARES = np.geomspace(0.6, 0.005, 13)
_HELD_OUT = 0.1


class Spectrum(NamedTuple):
    """A matrix ``left @ right.T`` of low rank, and its singular values."""

    left: Floats  # (n_rows, rank), orthogonal columns times the singular values
    right: Floats  # (n_columns, rank), orthonormal columns
    singular_values: Floats  # (rank,), all positive

    def matrix(self) -> Floats:
        """The matrix itself, of shape (n_rows, n_columns)."""
        return self.left @ self.right.T


def shrunk_spectrum(A: Floats, threshold: float) -> Spectrum:
    """Minimiser of ``1/2 ||Z - A||^2 + threshold ||Z||_*``: smaller singular values.

    Through the smaller of the two Gram matrices, which for tall or wide tables is far cheaper than
    a singular value decomposition. Singular values below 1e-7 of the largest are noise there.
    """
    if A.shape[0] < A.shape[1]:
        left, right, kept = shrunk_spectrum(A.T, threshold)
        return Spectrum(right * kept, left / kept, kept)
    eigenvalues, vectors = np.linalg.eigh(A.T @ A)
    values = np.sqrt(np.maximum(eigenvalues, 0.0))[::-1]
    kept = (values > threshold) & (values > 1e-7 * values[0])
    right, values = vectors[:, ::-1][:, kept], values[kept]
    return Spectrum((A @ right) * ((values - threshold) / values), right, values - threshold)


def spectral_norm(A: Floats) -> float:
    """The largest singular value."""
    gram = A.T @ A if A.shape[0] >= A.shape[1] else A @ A.T
    return float(np.sqrt(max(np.linalg.eigvalsh(gram)[-1], 0.0)))


def proximal_descent(
    gradient: Callable[[list[Floats]], list[Floats]], start: list[Floats],
    penalties: Sequence[float], step: float, *, tol: float, max_iter: int,
) -> list[Spectrum]:  # fmt: skip
    """Minimise a smooth convex function plus a nuclear norm of each of several matrices."""
    # Accelerated, with restarts where the momentum points uphill: O'Donoghue and Candes, "Adaptive
    # restart for accelerated gradient schemes", 2015.
    now, ahead, momentum, n_iter, movement = start, start, 1.0, 0, np.inf
    spectra: list[Spectrum] = []
    while n_iter < max_iter and movement > tol:
        n_iter += 1
        spectra = [
            shrunk_spectrum(place - step * slope, step * penalty)
            for place, slope, penalty in zip(ahead, gradient(ahead), penalties, strict=True)
        ]
        after = [spectrum.matrix() for spectrum in spectra]
        changes = [new - old for new, old in zip(after, now, strict=True)]
        triples = zip(ahead, after, changes, strict=True)
        uphill = sum(np.vdot(place - new, change) for place, new, change in triples)
        momentum = 1.0 if uphill > 0 else momentum
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        weight = (momentum - 1.0) / following
        ahead = [new + weight * change for new, change in zip(after, changes, strict=True)]
        now, momentum = after, following
        size = np.sqrt(sum(np.vdot(part, part) for part in now))
        movement = float(np.sqrt(sum(np.vdot(c, c) for c in changes)) / max(size, 1e-300))
    return spectra


def soft_imputed(
    table: Floats, start: Floats, penalty: float, *, tol: float = 1e-3, max_iter: int = 100
) -> Spectrum:
    """Minimiser of ``1/2 ||Z - table||^2 over observed entries + penalty ||Z||_*``."""
    observed, values = ~np.isnan(table), np.nan_to_num(table)

    def gradient(parts: list[Floats]) -> list[Floats]:
        return [np.where(observed, parts[0] - values, 0.0)]

    return proximal_descent(gradient, [start], [penalty], 1.0, tol=tol, max_iter=max_iter)[0]


class LowRankCompletion(NamedTuple):
    """A fitted completion: the matrix of its rows, and how other rows are completed."""

    matrix: Floats  # (n_rows, n_columns)
    loadings: Floats  # (n_columns, rank)
    penalty: float

    def of_rows(self, X: Floats) -> Floats:
        """The matrix of new rows: ridge regressions on the loadings, as at the optimum."""
        return fold_in(self.loadings, self.penalty, X) @ self.loadings.T


def low_rank_completion(table: Floats, seed: int) -> LowRankCompletion:
    """Soft-impute of standardised columns; the penalty falls until held-out entries get worse."""
    held_out = held_out_entries(~np.isnan(table), _HELD_OUT, np.random.default_rng([seed, 2]))
    shown = np.where(held_out, np.nan, table)
    largest, best, least = spectral_norm(np.nan_to_num(shown)), _PENALTY_SHARES[0], np.inf
    matrix = np.zeros_like(table)
    if largest == 0.0:
        return LowRankCompletion(matrix, np.zeros((table.shape[1], 1)), 1.0)
    for share in _PENALTY_SHARES:
        matrix = soft_imputed(shown, matrix, share * largest).matrix()
        error = float(np.sum((matrix - table)[held_out] ** 2))
        if error < least:
            best, least = share, error
        elif error > 1.02 * least:
            break
    penalty = best * spectral_norm(np.nan_to_num(table))
    spectrum = soft_imputed(table, matrix, penalty)
    loadings = spectrum.right * np.sqrt(spectrum.singular_values)
    return LowRankCompletion(spectrum.matrix(), loadings, penalty)


def fold_in(loadings: Floats, ridge: float, X: Floats) -> Floats:
    """Minimisers of ``||x_O - V_O u||^2 + ridge ||u||^2``, for the observed part O of rows x."""
    observed, values = ~np.isnan(X), np.nan_to_num(X)
    # Rows with the same entries observed share one factorisation.
    _, pattern = np.unique(np.packbits(observed, axis=1), axis=0, return_inverse=True)
    order = np.argsort(pattern.ravel(), kind="stable")
    bounds = np.flatnonzero(np.diff(pattern.ravel()[order], prepend=-1))
    identity = ridge * np.eye(loadings.shape[1])
    found = np.zeros((len(X), loadings.shape[1]))
    for first, last in pairwise([*bounds, len(X)]):
        rows = order[first:last]
        seen = observed[rows[0]]
        V = loadings[seen]
        found[rows] = np.linalg.solve(V.T @ V + identity, V.T @ values[np.ix_(rows, seen)].T).T
    return found


class SoftImpute(Baseline):
    """Nuclear-norm completion of [features, labels], the penalty chosen along a warm path.

    Minimises over M, with standardised columns, ``1/2 ||M - [X, Y]||^2 + lambda ||M||_*`` over
    observed entries, for falling lambda; a tenth of the observed entries chooses among them. At the
    optimum ``M = A B'``, the rows of A ridge regressions on B, and so is a new row. R. Mazumder,
    T. Hastie, R. Tibshirani, "Spectral regularization algorithms for learning large incomplete
    matrices", JMLR 11, 2010.

    Parameters
    ----------
    random_state : int, default=0
        Seed.

    Examples
    --------
    >>> X, Y = [[0.0, 0.1], [1.0, None], [2.0, 2.1], [3.0, 2.9]], [[0], [0], [1], [None]]
    >>> bool(SoftImpute().fit(X, Y).complete().scores[3, 0] > 0.5)
    True
    """

    method = "SoftImpute"
    gives_probabilities = False

    random_state: int = 0

    def _fit(self, X: Floats, Y: Floats) -> None:
        joint = np.hstack([X, Y])
        self.scale_ = observed_scale(joint)
        self.completion_ = low_rank_completion(self.scale_.standardised(joint), self.random_state)

    def _completed(self, X: Floats, Y: Floats) -> tuple[Floats, Floats]:
        table = self.scale_.standardised(np.hstack([X, Y]))
        return self._parts(self.scale_.restored(self.completion_.of_rows(table)))

    def _completed_fitted(self) -> tuple[Floats, Floats]:
        return self._parts(self.scale_.restored(self.completion_.matrix))


class NoisyIMC(Baseline):
    """Inductive matrix completion with noisy side information, also known as DirtyIMC.

    Minimises over M of shape (n_features, n_labels) and N of shape (n_rows, n_labels)::

        1/2 sum over observed labels of (X M + N - Y)^2 + lM ||M||_* + lN ||N||_*

    with labels centred, and features standardised and completed first by soft-impute. New rows,
    for which N has no row, are completed alike and predicted by ``x M``. K.-Y. Chiang, C.-J. Hsieh,
    I. Dhillon, "Matrix completion with noisy side information", NIPS 2015.

    Parameters
    ----------
    feature_share, rest_share, random_state : default=0.03, 0.25, 0
        lM and lN, as shares of the values above which M and N are 0; and seed.
    max_iter, tol : int and float, default=1000, 1e-5
        Most iterations; one that moves M and N by less than this share of them is the last.

    Examples
    --------
    >>> X, Y = [[0.0, 0.1], [0.1, None], [1.0, 0.9], [None, 1.0]], [[0], [None], [1], [None]]
    >>> NoisyIMC().fit(X, Y).predict_scores([[0.0, None], [1.0, 1.0]]).argmax(axis=0)
    array([1])
    """

    method = "NoisyIMC"
    imputes = False
    gives_probabilities = False
    grid = {"feature_share": [0.1, 0.03, 0.01, 0.003, 0.001], "rest_share": [1.0, 0.5, 0.25, 0.1]}

    feature_share: float = 0.03
    rest_share: float = 0.25
    max_iter: int = 1000
    tol: float = 1e-5
    random_state: int = 0

    def _fit(self, X: Floats, Y: Floats) -> None:
        if self.feature_share <= 0 or self.rest_share <= 0:
            shares = f"{self.feature_share!r} and {self.rest_share!r}"
            raise ValueError(f"feature_share and rest_share must be positive, got {shares}")
        self._scale, self._label_mean = observed_scale(X), observed_scale(Y).offset
        standardised = self._scale.standardised(X)
        self._completion = low_rank_completion(standardised, self.random_state)
        self._features = np.where(np.isnan(X), self._completion.matrix, standardised)
        self.M_, self.N_, _ = side_information_completion(
            self._features, Y - self._label_mean, self.feature_share, self.rest_share,
            max_iter=self.max_iter, tol=self.tol,
        )  # fmt: skip

    def _completed(self, X: Floats, Y: Floats) -> tuple[Floats, Floats]:
        standardised = self._scale.standardised(X)
        features = np.where(np.isnan(X), self._completion.of_rows(standardised), standardised)
        return self._scale.restored(features), self._label_mean + features @ self.M_

    def _completed_fitted(self) -> tuple[Floats, Floats]:
        scores = self._label_mean + self._features @ self.M_ + self.N_
        return self._scale.restored(self._features), scores


def side_information_completion(
    X: Floats, R: Floats, feature_share: float, rest_share: float, *, max_iter: int, tol: float
) -> tuple[Floats, Floats, tuple[float, float]]:
    """M, N and their penalties: the convex problem alone, with complete X and NaN in R."""
    observed, known = ~np.isnan(R), np.nan_to_num(R)
    largest = spectral_norm(X) or 1.0
    unit_X = X / largest  # then both parts of the gradient have Lipschitz constant 1, jointly 2
    of_features = feature_share * spectral_norm(unit_X.T @ known)
    of_rest = rest_share * spectral_norm(known)

    def gradient(parts: list[Floats]) -> list[Floats]:
        error = np.where(observed, unit_X @ parts[0] + parts[1] - known, 0.0)
        return [unit_X.T @ error, error]

    start = [np.zeros((X.shape[1], R.shape[1])), np.zeros_like(known)]
    penalties = [of_features, of_rest]
    M, N = proximal_descent(gradient, start, penalties, 0.5, tol=tol, max_iter=max_iter)
    return M.matrix() / largest, N.matrix(), (of_features * largest, of_rest)


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

    def gradient(self, Z: Floats) -> Floats:
        """The gradient at Z, zero where nothing is observed, of the shape of Z."""
        n_labels, n_features = self.signs.shape[1], self.features.shape[1]
        labels, features, rest = np.split(Z, [n_labels, n_labels + n_features], axis=1)
        of_labels = -self.per_label * self.signs * expit(-self.signs * labels)
        error = np.where(self.observed_features, features - self.features, 0.0)
        return np.hstack([of_labels, self.per_feature * error, np.zeros_like(rest)])


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
    lam, mu_share, decay : float, default=0.003, 0.03, 0.25
        Weight of the mean label loss; the final mu, as a share of that above which nothing but ones
        is left; and what mu is multiplied with from one solution to the next.
    max_iter, tol : int and float, default=300, 3e-4
        Most iterations at each mu; one that moves Z by less than this share of it is the last, ten
        times as much before the final mu.

    Examples
    --------
    >>> X, Y = [[0.0, 0.1], [0.1, None], [1.0, 0.9], [None, 1.0]], [[0], [None], [1], [None]]
    >>> (MC1(lam=1.0).fit(X, Y).complete().scores > 0.5).ravel().tolist()
    [False, False, True, True]
    """

    method = "MC-1"
    inductive = False
    grid = {"lam": [0.001, 0.003, 0.01, 0.03, 0.1, 0.3], "mu_share": [0.1, 0.03, 0.01]}

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
) -> tuple[Floats, float, int, float]:
    """The minimum of the loss plus mu times the nuclear norm, where the last column is one.

    Z of shape (n_rows, n_labels + n_features + 1), the final mu, iterations, and last movement.
    """
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
            return shrunk, mu, n_iter, movement
