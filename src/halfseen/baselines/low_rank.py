"""Matrices of small nuclear norm: SoftImpute and NoisyIMC."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, NamedTuple

import numpy as np

from halfseen.baselines.baseline import Baseline, Floats, held_out_entries, observed_scale

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
    gradient: Callable[[list[Floats]], list[Floats]],
    start: list[Floats],
    penalties: Sequence[float],
    step: float,
    *,
    tol: float,
    max_iter: int,
) -> list[Spectrum]:
    """Minimise a smooth convex function plus a nuclear norm of each of several matrices.

    Accelerated, with restarts where the momentum points uphill [1]_.

    .. [1] O'Donoghue and Candes, "Adaptive restart for accelerated gradient schemes", 2015.
    """
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
        uphill = sum(
            np.vdot(place - new, change)
            for place, new, change in zip(ahead, after, changes, strict=True)
        )
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

    found = proximal_descent(gradient, [start], [penalty], 1.0, tol=tol, max_iter=max_iter)
    return found[0]


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
    """Minimiser of ``||x_O - V_O u||^2 + ridge ||u||^2`` for every row x, over its observed part O.

    Rows with the same entries observed share one factorisation.
    """
    observed, values = ~np.isnan(X), np.nan_to_num(X)
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


@dataclass(kw_only=True, eq=False, repr=False)
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

    method: ClassVar[str] = "SoftImpute"
    gives_probabilities: ClassVar[bool] = False

    random_state: int = 0

    def _fit(self, X: Floats, Y: Floats) -> None:
        joint = np.hstack([X, Y])
        self.scale_ = observed_scale(joint)
        self.completion_ = low_rank_completion(self.scale_.standardised(joint), self.random_state)

    def _completed(self, X: Floats, Y: Floats) -> tuple[Floats, Floats]:
        table = self.scale_.standardised(np.hstack([X, Y]))
        return self._parts(self.completion_.of_rows(table))

    def _completed_fitted(self) -> tuple[Floats, Floats]:
        return self._parts(self.completion_.matrix)

    def _parts(self, matrix: Floats) -> tuple[Floats, Floats]:
        completed = self.scale_.restored(matrix)
        return completed[:, : self.n_features_in_], completed[:, self.n_features_in_ :]


@dataclass(kw_only=True, eq=False, repr=False)
class NoisyIMC(Baseline):
    """Inductive matrix completion with noisy side information, also known as DirtyIMC.

    Minimises over M of shape (n_features, n_labels) and N of shape (n_rows, n_labels)::

        1/2 sum over observed labels of (X M + N - Y)^2 + lM ||M||_* + lN ||N||_*

    with labels centred, and features standardised and completed first by soft-impute. New rows,
    for which N has no row, are completed alike and predicted by ``x M``. K.-Y. Chiang, C.-J. Hsieh,
    I. Dhillon, "Matrix completion with noisy side information", NIPS 2015.

    Parameters
    ----------
    feature_share, rest_share : float, default=0.03, 0.25
        lM and lN, as shares of the values above which M and N are 0.
    max_iter, tol : int and float, default=1000, 1e-5
        Most iterations; one that moves M and N by less than this share of them is the last.
    random_state : int, default=0
        Seed.

    Examples
    --------
    >>> X, Y = [[0.0, 0.1], [0.1, None], [1.0, 0.9], [None, 1.0]], [[0], [None], [1], [None]]
    >>> scores = NoisyIMC().fit(X, Y).predict_scores([[0.0, None], [1.0, 1.0]])
    >>> bool(scores[1, 0] > scores[0, 0])
    True
    """

    method: ClassVar[str] = "NoisyIMC"
    imputes: ClassVar[bool] = False
    gives_probabilities: ClassVar[bool] = False
    grid: ClassVar[dict[str, list[float]]] = {
        "feature_share": [0.1, 0.03, 0.01, 0.003, 0.001],
        "rest_share": [1.0, 0.5, 0.25, 0.1],
    }

    feature_share: float = 0.03
    rest_share: float = 0.25
    max_iter: int = 1000
    tol: float = 1e-5
    random_state: int = 0

    def _fit(self, X: Floats, Y: Floats) -> None:
        if self.feature_share <= 0 or self.rest_share <= 0:
            shares = f"{self.feature_share!r} and {self.rest_share!r}"
            raise ValueError(f"feature_share and rest_share must be positive, got {shares}")
        self._scale = observed_scale(X)
        self._label_mean = observed_scale(Y).offset
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
    M, N = proximal_descent(
        gradient, start, [of_features, of_rest], 0.5, tol=tol, max_iter=max_iter
    )
    return M.matrix() / largest, N.matrix(), (of_features * largest, of_rest)
