"""Features completed by a matrix of low rank alone: the step before methods that need all of X."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines._fold_in import fold_in
from halfseen.baselines._shrunk_spectrum import (
    ShrunkSpectrum,
    leading_singular_value,
    shrunk_spectrum,
)

# Thresholds tried, as shares of the largest singular value of the observed entries.
THRESHOLD_SHARES = (0.4, 0.2, 0.1, 0.07, 0.05, 0.035, 0.025, 0.0125, 0.006)
HELD_OUT = 0.1


class LowRankFeatures(NamedTuple):
    """A fitted completion: what it made of its rows, and how it completes others."""

    completed: NDArray[np.float64]  # (n_rows, n_features)
    loadings: NDArray[np.float64]  # (n_features, rank)
    threshold: float

    def of_rows(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """New rows with NaN filled in; what is observed stays."""
        if self.loadings.shape[1] == 0:
            return np.nan_to_num(X)
        predicted = fold_in(self.loadings, self.threshold, X) @ self.loadings.T
        return np.where(np.isnan(X), predicted, X)


def soft_imputed(
    X: NDArray[np.float64],
    threshold: float,
    start: NDArray[np.float64],
    *,
    tol: float,
    max_iter: int,
) -> ShrunkSpectrum:
    """Minimiser of ``1/2 ||Z - X||_O^2 + threshold ||Z||_*``, by accelerated soft-impute."""
    observed = ~np.isnan(X)
    values = np.where(observed, X, 0.0)
    Z, ahead, momentum = start, start, 1.0
    spectrum = shrunk_spectrum(np.where(observed, values, ahead), threshold)
    for _ in range(max_iter):
        shrunk = spectrum.matrix()
        change = shrunk - Z
        if np.vdot(ahead - shrunk, change) > 0:
            momentum = 1.0
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        ahead = shrunk + (momentum - 1.0) / following * change
        Z, momentum = shrunk, following
        if np.linalg.norm(change) <= tol * np.linalg.norm(Z):
            break
        spectrum = shrunk_spectrum(np.where(observed, values, ahead), threshold)
    return spectrum


def low_rank_features(
    X: NDArray[np.float64],
    random_state: int,
    *,
    tol: float = 1e-3,
    max_iter: int = 100,
) -> LowRankFeatures:
    """Complete standardised features by soft-impute, the threshold chosen on held-out entries.

    A tenth of the observed entries is held out while the threshold falls, until they are predicted
    worse; then all observed entries are used with the best threshold.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
        Standardised, NaN where missing.
    random_state : int
        Seed of the entries held out.
    tol : float, default=1e-3
        Relative change at which soft-impute stops.
    max_iter : int, default=100
        Most iterations at each threshold.

    Returns
    -------
    LowRankFeatures

    References
    ----------
    R. Mazumder, T. Hastie, R. Tibshirani, "Spectral regularization algorithms for learning large
    incomplete matrices", JMLR 2010.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.outer(np.linspace(-1.0, 1.0, 30), np.ones(4))
    >>> X[0, 0] = np.nan
    >>> bool(low_rank_features(X, 0).completed[0, 0] < -0.5)
    True
    """
    observed = ~np.isnan(X)
    held_out = held_out_entries(observed, np.random.default_rng([random_state, 2]))
    shown = np.where(held_out, np.nan, X)
    Z = np.zeros_like(X)
    best, best_error = THRESHOLD_SHARES[0], np.inf
    largest = leading_singular_value(np.nan_to_num(shown))
    if largest == 0.0:
        return LowRankFeatures(np.nan_to_num(X), np.zeros((X.shape[1], 0)), 1.0)
    for share in THRESHOLD_SHARES:
        Z = soft_imputed(shown, share * largest, Z, tol=tol, max_iter=max_iter).matrix()
        error = float(np.sum((Z - X)[held_out] ** 2))
        if error >= best_error:
            break
        best, best_error = share, error
    threshold = best * leading_singular_value(np.nan_to_num(X))
    spectrum = soft_imputed(X, threshold, Z, tol=tol, max_iter=max_iter)
    loadings = spectrum.right * np.sqrt(spectrum.singular_values)
    return LowRankFeatures(np.where(observed, X, spectrum.matrix()), loadings, threshold)


def held_out_entries(
    observed: NDArray[np.bool_], generator: np.random.Generator
) -> NDArray[np.bool_]:
    """A tenth of the observed entries, at least one.

    Drawn among the observed ones by number: drawing every entry anew with a seed that also hid
    entries from the table would pick those very entries, and hold out none.
    """
    places = np.flatnonzero(observed)
    n_held_out = min(len(places), max(1, round(HELD_OUT * len(places))))
    held_out = np.zeros(observed.size, dtype=bool)
    held_out[generator.choice(places, size=n_held_out, replace=False)] = True
    return held_out.reshape(observed.shape)
