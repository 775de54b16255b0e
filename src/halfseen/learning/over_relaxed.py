"""Rounds of expectation-maximisation that go further than they say."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_FURTHER = 0.7  # of the way that a round has gone
_LEAST_SPREAD = 1e-3


class Moments(NamedTuple):
    """A Gaussian, or several with a leading axis."""

    mean: NDArray[np.float64]  # (..., n_units)
    covariance: NDArray[np.float64]  # (..., n_units, n_units)


def over_relaxed(before: Moments, after: Moments) -> Moments:
    """What a round has found, and seven tenths of its way on in the same direction.

    Where much is missing, rounds go far too short a way in the right direction; going further finds
    in seven rounds what takes twelve. Where a covariance would no longer be one, the round's own is
    kept.

    Examples
    --------
    >>> one, other = (Moments(np.zeros(1), np.array([[size]])) for size in (1.0, 2.0))
    >>> over_relaxed(one, other).covariance.tolist()
    [[2.7]]
    >>> over_relaxed(Moments(np.zeros(1), np.array([[9.0]])), one).covariance.tolist()
    [[1.0]]
    """
    wanted = Moments(
        *(new + _FURTHER * (new - old) for old, new in zip(before, after, strict=True))
    )
    is_one = np.linalg.eigvalsh(wanted.covariance)[..., 0] > _LEAST_SPREAD
    return Moments(
        np.where(is_one[..., None], wanted.mean, after.mean),
        np.where(is_one[..., None, None], wanted.covariance, after.covariance),
    )
