"""A multivariate Gaussian fitted by expectation-maximisation to an incomplete table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from scipy.linalg.lapack import dpotrf, dpotri, dpotrs

Rows = NDArray[np.intp]
Columns = NDArray[np.intp]


class Gaussian(NamedTuple):
    """Mean and covariance of the columns of a table."""

    mean: NDArray[np.float64]  # (n_columns,)
    covariance: NDArray[np.float64]  # (n_columns, n_columns), positive definite


class Expectation(NamedTuple):
    """What the E step knows of the whole table under a Gaussian."""

    completed: NDArray[np.float64]  # (n_rows, n_columns), missing ones are conditional means
    covariance: NDArray[np.float64]  # (n_columns, n_columns), conditional ones summed over rows
    log_likelihood: float  # of what is observed


def patterns(observed: NDArray[np.bool_]) -> Iterator[tuple[Rows, Columns, Columns]]:
    """Rows that share a pattern, with its observed and its missing columns.

    Examples
    --------
    >>> observed = np.array([[True, False], [True, True], [True, False]])
    >>> [rows.tolist() for rows, seen, missing in patterns(observed)]
    [[0, 2], [1]]
    """
    packed = np.ascontiguousarray(np.packbits(observed, axis=1))
    keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
    _, group_of_row = np.unique(keys, return_inverse=True)
    order = np.argsort(group_of_row, kind="stable")
    starts = np.flatnonzero(np.diff(group_of_row[order])) + 1
    for rows in np.split(order, starts):
        seen = observed[rows[0]]
        yield rows, np.flatnonzero(seen), np.flatnonzero(~seen)


def conditional_means(gaussian: Gaussian, table: NDArray[np.float64]) -> NDArray[np.float64]:
    """The table with E[missing | observed] where it is missing.

    One Cholesky factor per pattern, of the observed block of the covariance or the missing block
    of its inverse, whichever is smaller.

    Examples
    --------
    >>> gaussian = Gaussian(np.array([0.0, 1.0]), np.array([[1.0, 0.5], [0.5, 1.0]]))
    >>> conditional_means(gaussian, np.array([[2.0, np.nan], [np.nan, np.nan]]))
    array([[2., 2.],
           [0., 1.]])
    """
    observed = ~np.isnan(table)
    deviation = np.where(observed, table - gaussian.mean, 0.0)
    precision = _inverse(gaussian.covariance)
    pull = deviation @ precision  # of the observed on the missing, which deviate by 0 here
    for rows, seen, missing in patterns(observed):
        if len(missing) == 0 or len(seen) == 0:
            continue
        if len(seen) <= len(missing):
            known = deviation[np.ix_(rows, seen)].T
            weights = cho_solve(cho_factor(gaussian.covariance[np.ix_(seen, seen)]), known)
            unknown = gaussian.covariance[np.ix_(missing, seen)] @ weights
        else:
            of_rows = pull[np.ix_(rows, missing)].T
            unknown = -cho_solve(cho_factor(precision[np.ix_(missing, missing)]), of_rows)
        deviation[np.ix_(rows, missing)] = unknown.T
    return deviation + gaussian.mean


def expectation(gaussian: Gaussian, table: NDArray[np.float64]) -> Expectation:
    """The E step: conditional means, summed conditional covariances and the log-likelihood.

    With K the inverse covariance, cov[missing | observed] is the inverse of K's missing block,
    and ``log det`` of the observed covariance is that of the whole plus that of the block.
    Where less is observed than a third of the row, the observed block is factored instead, which
    then costs less.
    """
    observed = ~np.isnan(table)
    deviation = np.where(observed, table - gaussian.mean, 0.0)
    precision = _inverse(gaussian.covariance)
    pull = deviation @ precision  # of the observed on the missing, which deviate by 0 here
    log_determinant = np.linalg.slogdet(gaussian.covariance)[1]
    summed = np.zeros_like(gaussian.covariance)  # only its lower triangle is meant
    log_determinants = 0.0
    for rows, seen, missing in patterns(observed):
        if len(missing) == 0:
            log_determinants += len(rows) * log_determinant
            continue
        block = np.ix_(missing, missing)
        if 0 < 3 * len(seen) < len(missing):
            factor = np.linalg.cholesky(gaussian.covariance[np.ix_(seen, seen)])
            known = deviation[np.ix_(rows, seen)].T
            both = np.hstack([gaussian.covariance[np.ix_(seen, missing)], known])
            both = solve_triangular(factor, both, lower=True, check_finite=False)
            half, whitened = both[:, : len(missing)], both[:, len(missing) :]
            conditional = gaussian.covariance[block] - half.T @ half
            unknown = half.T @ whitened
            log_determinants += len(rows) * 2 * np.log(np.diag(factor)).sum()
        else:
            # Transposed, the block is in the order that LAPACK works on in place.
            factor = dpotrf(precision[block].T, lower=True, overwrite_a=True)[0]
            of_block = 2 * np.log(np.diag(factor)).sum()
            log_determinants += len(rows) * (log_determinant + of_block)
            unknown = -dpotrs(factor, pull[np.ix_(rows, missing)].T, lower=True)[0]
            conditional = dpotri(factor, lower=True, overwrite_c=True)[0]
        deviation[np.ix_(rows, missing)] = unknown.T
        summed[block] += len(rows) * conditional
    # At the conditional mean the whole row's quadratic form equals that of its observed part.
    quadratic = float(np.sum((deviation @ precision) * deviation))
    normaliser = observed.sum() * np.log(2 * np.pi)
    log_likelihood = -0.5 * float(normaliser + log_determinants + quadratic)
    return Expectation(deviation + gaussian.mean, _symmetric_from_lower(summed), log_likelihood)


def maximised(expected: Expectation, shrinkage: float) -> Gaussian:
    """The M step: mean and covariance of the expected table, the covariance shrunk towards one.

    ``(1 - shrinkage) S + shrinkage I`` is the posterior mode under an inverse Wishart prior, so
    that EM still climbs the posterior (:func:`log_posterior`) at every step.
    """
    mean = expected.completed.mean(axis=0)
    deviation = expected.completed - mean
    scatter = (deviation.T @ deviation + expected.covariance) / len(deviation)
    covariance = (1 - shrinkage) * scatter
    covariance[np.diag_indices_from(covariance)] += shrinkage
    return Gaussian(mean, (covariance + covariance.T) / 2)


def log_posterior(
    gaussian: Gaussian, log_likelihood: float, n_rows: int, shrinkage: float
) -> float:
    """What EM with shrinkage climbs, up to a constant.

    ``log p(observed) - n a / (2 (1 - a)) [log det S + trace S^-1]`` with a the shrinkage.
    """
    penalty = np.linalg.slogdet(gaussian.covariance)[1] + _inverse(gaussian.covariance).trace()
    return log_likelihood - n_rows * shrinkage / (2 * (1 - shrinkage)) * float(penalty)


def pairwise_start(table: NDArray[np.float64], shrinkage: float) -> Gaussian:
    """Where EM starts: mean of each column, covariance of each pair over rows with both observed.

    Pairs seen in few rows are drawn to zero, and negative eigenvalues are cut off.
    """
    observed = ~np.isnan(table)
    n_observed = np.maximum(observed.sum(axis=0), 1)
    mean = np.where(observed, table, 0.0).sum(axis=0) / n_observed
    deviation = np.where(observed, table - mean, 0.0)
    together = observed.astype(np.float64).T @ observed
    covariance = deviation.T @ deviation / (together + 1.0)
    values, vectors = np.linalg.eigh(covariance)
    covariance = (vectors * np.maximum(values, 0.0)) @ vectors.T
    covariance *= 1 - shrinkage
    covariance[np.diag_indices_from(covariance)] += shrinkage
    return Gaussian(mean, covariance)


def fit_gaussian(
    table: NDArray[np.float64], *, shrinkage: float, n_iterations: int, tolerance: float
) -> Gaussian:
    """EM until the log posterior gains less than ``tolerance`` per observed entry.

    Examples
    --------
    >>> table = np.array([[0.0, 0.1], [1.0, 0.9], [2.0, np.nan], [3.0, 3.1]])
    >>> gaussian = fit_gaussian(table, shrinkage=0.01, n_iterations=100, tolerance=1e-6)
    >>> float(conditional_means(gaussian, table)[2, 1].round(1))
    2.0
    """
    if not 0 < shrinkage < 1:
        raise ValueError(
            f"shrinkage must lie strictly between 0 and 1, got {shrinkage}; it keeps the "
            "covariance invertible"
        )
    gaussian = pairwise_start(table, shrinkage)
    n_observed = max(int((~np.isnan(table)).sum()), 1)
    before = -np.inf
    for _ in range(n_iterations):
        expected = expectation(gaussian, table)
        climbed = log_posterior(gaussian, expected.log_likelihood, len(table), shrinkage)
        if climbed - before < tolerance * n_observed:
            break
        gaussian, before = maximised(expected, shrinkage), climbed
    return gaussian


def _inverse(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    return _symmetric_from_lower(dpotri(np.linalg.cholesky(covariance), lower=True)[0])


def _symmetric_from_lower(lower: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.tril(lower) + np.tril(lower, -1).T
