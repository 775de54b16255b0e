"""A Gaussian of the features for every class, fitted to observed entries of labelled rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfseen.learning.over_relaxed import Moments, over_relaxed
from halfseen.machine.class_gaussians import ClassGaussians, seen_blocks

_FEWEST_ROUNDS, _MORE_ROUNDS = 2, 14
_COMMON_ROWS = 0.6  # per unit, of the covariance of all classes, that each has beside its own
_FEWEST_COMMON_ROWS = 5.0
_ROWS_OF_NO_CLASS = 2.0  # at the mean of all, likewise of its mean
_RIDGE = 1e-3
_AT_ONCE = 1_000_000  # numbers in the covariances of the rows that are looked at together


def fit_class_gaussians(
    values: NDArray[np.float32],
    observed: NDArray[np.bool_],
    code: NDArray[np.int64],
    n_classes: int,
    mean: NDArray[np.float64],
    covariance: NDArray[np.float64],
    shrinkage: float,
) -> ClassGaussians:
    """Expectation-maximisation over rows whose class is known, from one Gaussian of all rows.

    Every class has, beside its own rows, some of the covariance that all classes have in common,
    six for every ten units, and two at the mean of all rows; what they have in common is shrunk
    towards its diagonal. Missing entries are those of the row's own class.

    Parameters
    ----------
    values, observed : ndarray of shape (n_rows, n_units)
        Features in standard units.
    code : ndarray of shape (n_rows,)
        The class of every row, from 0.
    n_classes : int
        Classes; of one that has no row the Gaussian is that of all.
    mean, covariance : ndarray of shape (n_units,) and (n_units, n_units)
        Of all rows, to start from.
    shrinkage : float
        Share of the common covariance taken from its diagonal.

    Returns
    -------
    ClassGaussians

    Examples
    --------
    >>> line = np.linspace(-2, 2, 200, dtype=np.float32)
    >>> cross = np.concatenate([np.stack([line, line], 1), np.stack([line, -line], 1)])
    >>> fitted = fit_class_gaussians(
    ...     cross, np.ones((400, 2), bool), np.repeat([0, 1], 200), 2, np.zeros(2), np.eye(2), 0.05)
    >>> [round(float(pair), 1) for pair in fitted.covariance[:, 0, 1]]
    [1.3, -1.3]
    """
    covariances = np.tile(covariance, (n_classes, 1, 1))
    n_own = np.bincount(code, minlength=n_classes).astype(np.float64)
    rows_of = [np.flatnonzero(code == own) for own in range(n_classes)]
    means = np.stack([_mean_of_seen(values[rows], observed[rows], mean) for rows in rows_of])
    n_common = max(_FEWEST_COMMON_ROWS, _COMMON_ROWS * len(mean))
    n_all = n_rounds(observed)
    for round_ in range(n_all):
        before = Moments(means.copy(), covariances)
        squares = np.zeros_like(covariances)
        for own, rows in enumerate(rows_of):
            expected, spread = _expected(values[rows], observed[rows], means[own], covariances[own])
            total = expected.sum(axis=0) + _ROWS_OF_NO_CLASS * mean
            means[own] = total / (n_own[own] + _ROWS_OF_NO_CLASS)
            away = expected - means[own]
            squares[own] = away.T @ away + spread
        common = squares.sum(axis=0) / max(1.0, n_own.sum())
        diagonal = np.diag(common).copy()
        common *= 1 - shrinkage
        common[np.diag_indices_from(common)] = diagonal
        counted = (n_own + n_common)[:, None, None]
        covariances = (squares + n_common * common) / counted + _RIDGE * np.eye(len(mean))
        if round_ < n_all - 1:
            means, covariances = over_relaxed(before, Moments(means, covariances))
    return ClassGaussians((n_own + 1) / (n_own + 1).sum(), means, covariances)


def n_rounds(observed: NDArray[np.bool_]) -> int:
    """Rounds of expectation-maximisation, which is the slower the more is missing.

    Examples
    --------
    >>> n_rounds(np.ones((3, 2), bool)), n_rounds(np.array([[True, False]]))
    (2, 9)
    """
    seen = float(observed.mean()) if observed.size else 1.0
    return _FEWEST_ROUNDS + round(_MORE_ROUNDS * (1.0 - seen))


def _mean_of_seen(
    values: NDArray[np.float32], observed: NDArray[np.bool_], mean: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The mean of what is seen of every unit, and of some rows at the mean of all."""
    total = np.where(observed, values, 0.0).sum(axis=0, dtype=np.float64)
    of_seen: NDArray[np.float64] = (total + _ROWS_OF_NO_CLASS * mean) / (
        observed.sum(axis=0) + _ROWS_OF_NO_CLASS
    )
    return of_seen


def _expected(
    values: NDArray[np.float32],
    observed: NDArray[np.bool_],
    mean: NDArray[np.float64],
    covariance: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """E[unit | observed units of its row] of every unit, and their covariances summed over rows.

    With B the inverse of what is seen of a row, zero elsewhere, and C the covariance, they are
    ``mean + C B (v - mean)`` and ``C - C B C``.
    """
    expected = values.astype(np.float64)
    holed = np.flatnonzero(~observed.all(axis=1))
    inverses = np.zeros_like(covariance)
    at_once = max(1, _AT_ONCE // len(mean) ** 2)
    for first in range(0, len(holed), at_once):
        rows = holed[first : first + at_once]
        seen = observed[rows]
        inverse = np.linalg.inv(seen_blocks(seen, covariance))
        inverse *= seen[:, :, None] & seen[:, None, :]
        away = np.where(seen, values[rows] - mean, 0.0)
        pulled = np.einsum("rij,rj->ri", inverse, away) @ covariance
        expected[rows] = np.where(seen, values[rows], mean + pulled)
        inverses += inverse.sum(axis=0)
    spread = len(holed) * covariance - covariance @ inverses @ covariance
    return expected, spread
