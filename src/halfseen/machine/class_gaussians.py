"""A Gaussian of the features for every class, and what the seen ones say of the class."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_AT_ONCE = 1_000_000  # numbers in the covariances of the rows that are looked at together
_BEYOND = 1e300  # more than any distance squared that is looked at
_LEAST_SURE = 1e-3  # a Gaussian is no judge of rare cases
_LEAST_HEARD = 0.01  # a class less likely than this has no say in what is expected of a row


@dataclass(frozen=True)
class ClassGaussians:
    """The correlated prior once for every class: p(class) N(features; its mean, its covariance).

    In standard units. Where classes differ in how features hang together, and not in where they
    lie alone, this tells them apart; and a row of which little is seen is judged exactly.
    """

    share: NDArray[np.float64]  # (n_classes,)
    mean: NDArray[np.float64]  # (n_classes, n_units)
    covariance: NDArray[np.float64]  # (n_classes, n_units, n_units)

    def probabilities(
        self, values: NDArray[np.float32], observed: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """p(class | observed features of the row), of shape (n_rows, n_classes).

        No class is left with less than a thousandth of its share.

        Examples
        --------
        >>> lines = np.array([[[1.0, 0.9], [0.9, 1.0]], [[1.0, -0.9], [-0.9, 1.0]]])
        >>> crossed = ClassGaussians(np.full(2, 0.5), np.zeros((2, 2)), lines)
        >>> rows = np.array([[1.0, 1.0], [1.0, 9.0]], np.float32)
        >>> seen = np.array([[True, True], [True, False]])
        >>> crossed.probabilities(rows, seen).round(2)
        array([[1. , 0. ],
               [0.5, 0.5]])
        """
        heights = np.log(self.share) + self.log_densities(values, observed)
        likely = np.exp(heights - heights.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
        said: NDArray[np.float64] = (1 - _LEAST_SURE) * likely + _LEAST_SURE * self.share
        return said

    def expected(
        self,
        values: NDArray[np.float32],
        observed: NDArray[np.bool_],
        likely: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """E[feature | observed features of the row] under classes of these probabilities.

        What each class expects of the missing features, weighted; of classes whose probability,
        (n_rows, n_classes), is below a hundredth nothing is asked. Of shape (n_rows, n_units).

        Examples
        --------
        >>> lines = np.array([[[1.0, 0.5], [0.5, 1.0]], [[1.0, -0.5], [-0.5, 1.0]]])
        >>> crossed = ClassGaussians(np.full(2, 0.5), np.zeros((2, 2)), lines)
        >>> rows, seen = np.array([[2.0, 9.0]], np.float32), np.array([[True, False]])
        >>> crossed.expected(rows, seen, np.array([[0.75, 0.25]])).tolist()
        [[2.0, 0.5]]
        """
        expected = np.zeros(values.shape)
        heard = np.where(likely < _LEAST_HEARD, 0.0, likely)
        heard /= heard.sum(axis=1, keepdims=True)
        at_once = max(1, _AT_ONCE // values.shape[1] ** 2)
        for own, (mean, covariance) in enumerate(zip(self.mean, self.covariance, strict=True)):
            asked = np.flatnonzero(heard[:, own] > 0)
            for first in range(0, len(asked), at_once):
                rows = asked[first : first + at_once]
                seen = observed[rows]
                away = np.where(seen, values[rows] - mean, 0.0)
                pulled = np.linalg.solve(seen_blocks(seen, covariance), away[:, :, None])
                # Row by row, so that no row's bits depend on the others.
                said = mean + np.matmul(covariance, np.where(seen[:, :, None], pulled, 0.0))[..., 0]
                expected[rows] += heard[rows, own, None] * said
        return np.where(observed, values, expected)

    def log_densities(
        self, values: NDArray[np.float32], observed: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """log N(observed features; every class), but for a constant of the row.

        Each row has a covariance of its own, that of what is seen in it; one factor of it, of
        ``n_units^3 / 3`` operations, gives determinant and distance.
        """
        n_rows, n_units = values.shape
        densities = np.empty((n_rows, len(self.share)))
        at_once = max(1, _AT_ONCE // (n_units + 1) ** 2)
        for first in range(0, n_rows, at_once):
            rows = slice(first, first + at_once)
            for own, (mean, covariance) in enumerate(zip(self.mean, self.covariance, strict=True)):
                away = np.where(observed[rows], values[rows] - mean, 0.0)
                densities[rows, own] = _log_density(away, observed[rows], covariance)
        return densities


def seen_blocks(
    observed: NDArray[np.bool_], covariance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The covariance of what is seen of every row, with ones for the rest, (n_rows, n, n).

    Examples
    --------
    >>> seen_blocks(np.array([[True, False]]), np.array([[2.0, 1.0], [1.0, 3.0]])).tolist()
    [[[2.0, 0.0], [0.0, 1.0]]]
    """
    both = observed[:, :, None] & observed[:, None, :]
    blocks = np.where(both, covariance, 0.0)
    unit = np.arange(observed.shape[1])
    blocks[:, unit, unit] += ~observed
    return blocks


def _log_density(
    away: NDArray[np.float64], observed: NDArray[np.bool_], covariance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Of rows so far away from the mean, zero where nothing is seen.

    The factor L of a block bordered by the row, ``[[A, a], [a^T, c]]``, ends with ``L^-1 a``.
    """
    n_rows, n_units = away.shape
    bordered = np.empty((n_rows, n_units + 1, n_units + 1))
    bordered[:, :n_units, :n_units] = seen_blocks(observed, covariance)
    bordered[:, n_units, :n_units] = bordered[:, :n_units, n_units] = away
    bordered[:, n_units, n_units] = _BEYOND
    factor = np.linalg.cholesky(bordered)
    sizes = np.diagonal(factor, axis1=1, axis2=2)[:, :n_units]
    distance = factor[:, n_units, :n_units]
    density: NDArray[np.float64] = -np.log(sizes).sum(axis=1) - 0.5 * (distance**2).sum(axis=1)
    return density
