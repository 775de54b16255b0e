"""Little's test of whether values are missing completely at random."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import chi2, rankdata

_MOST_COLUMNS = 20
_MOST_PATTERNS = 100
_FEWEST_ROWS_PER_COLUMN = 10
_N_STEPS = 100
_TOLERANCE = 1e-5
_SHRINKAGE = 1e-6

Floats = NDArray[np.float64]


class LittleResult(NamedTuple):
    """Little's statistic and what it was computed from."""

    statistic: float
    degrees_of_freedom: int
    p_value: float
    n_columns: int
    n_patterns: int
    n_rows: int


class _Groups(NamedTuple):
    """Rows by which columns they observe: zeros stand at the columns that a group does not see."""

    n_rows: Floats  # (n_groups,)
    seen: Floats  # (n_groups, n_columns), 0 or 1
    mean: Floats  # (n_groups, n_columns)
    products: Floats  # (n_groups, n_columns, n_columns), sums of products of values


def little_mcar(values: Floats, observed: NDArray[np.bool_]) -> LittleResult | None:
    """Little's test of whether values are missing completely at random.

    Parameters
    ----------
    values : ndarray of float, shape (n_rows, n_columns)
        Numbers; what stands behind unobserved entries is not looked at.
    observed : ndarray of bool, shape (n_rows, n_columns)
        True where the entry was seen.

    Returns
    -------
    LittleResult or None
        None where the test cannot be made: one column or more than twenty, too few rows, or
        a single pattern.

    Notes
    -----
    The statistic is ``sum_j n_j (m_j - mu_j)' S_j^-1 (m_j - mu_j)`` over patterns j with means m_j
    of their n_j rows, where mu and S are mean and covariance by maximum likelihood (EM) under a
    normal distribution, restricted to the columns that pattern j observes. Values are replaced by
    normal scores of their ranks first, for the statistic is far from chi-squared under heavy tails.
    Only the hundred most frequent patterns are looked at; choosing by pattern is harmless if holes
    are completely at random.

    Examples
    --------
    >>> import numpy as np
    >>> generator = np.random.default_rng(0)
    >>> values = generator.normal(size=(400, 2))
    >>> observed = np.ones((400, 2), bool)
    >>> observed[:, 1] = generator.random(400) < 0.7
    >>> little_mcar(values, observed).p_value > 0.05
    True
    >>> observed[:, 1] = values[:, 0] < 0.5
    >>> little_mcar(values, observed).p_value < 0.001
    True
    """
    if not 2 <= observed.shape[1] <= _MOST_COLUMNS:
        return None
    scores = np.stack([_normal_scores(v, o) for v, o in zip(values.T, observed.T, strict=True)], 1)
    groups = _groups(scores, observed)
    n_columns, n_rows = observed.shape[1], int(groups.n_rows.sum())
    is_enough = n_rows >= _FEWEST_ROWS_PER_COLUMN * n_columns and groups.seen.any(axis=0).all()
    freedom = int(groups.seen.sum()) - n_columns
    if not is_enough or freedom < 1:
        return None
    mean, covariance = _by_em(groups)
    away = (groups.mean - mean) * groups.seen
    nearness = _inverses(groups.seen, covariance)
    statistic = float(np.einsum("g,gi,gij,gj->", groups.n_rows, away, nearness, away))
    p_value = float(chi2.sf(statistic, freedom))
    return LittleResult(statistic, freedom, p_value, n_columns, len(groups.n_rows), n_rows)


def _normal_scores(values: Floats, observed: NDArray[np.bool_]) -> Floats:
    scores = np.zeros(len(values))
    if observed.any():
        raw = ndtri(rankdata(values[observed]) / (np.count_nonzero(observed) + 1))
        spread = float(raw.std())
        scores[observed] = (raw - raw.mean()) / (spread if spread > 0 else 1.0)
    return scores


def _groups(scores: Floats, observed: NDArray[np.bool_]) -> _Groups:
    patterns, which, counts = np.unique(observed, axis=0, return_inverse=True, return_counts=True)
    frequent = [p for p in np.argsort(-counts, kind="stable").tolist() if patterns[p].any()]
    frequent = frequent[:_MOST_PATTERNS]
    # Scores are 0 behind unobserved entries.
    parts = [scores[which.reshape(-1) == pattern] for pattern in frequent]
    n_columns = observed.shape[1]
    return _Groups(
        counts[frequent].astype(np.float64),
        patterns[frequent].astype(np.float64),
        np.array([part.mean(axis=0) for part in parts]).reshape(-1, n_columns),
        np.array([part.T @ part for part in parts]).reshape(-1, n_columns, n_columns),
    )


def _inverses(seen: Floats, covariance: Floats) -> Floats:
    """Inverse of the covariance of what each group sees, zeros elsewhere."""
    both = seen[:, :, None] * seen[:, None, :]
    filled = covariance * both + np.eye(len(covariance)) * (1 - seen)[:, :, None]
    inverses: Floats = np.linalg.inv(filled) * both
    return inverses


def _by_em(groups: _Groups) -> tuple[Floats, Floats]:
    """Mean and covariance by maximum likelihood."""
    n_columns, n_rows = groups.seen.shape[1], groups.n_rows.sum()
    mean, covariance = np.zeros(n_columns), np.eye(n_columns)
    count = groups.n_rows[:, None]
    for _ in range(_N_STEPS):
        # Expected values given the seen ones: mean + slope @ (seen - mean); the slope is the
        # identity in seen rows and 0 in unseen columns.
        slope = covariance @ _inverses(groups.seen, covariance)  # (n_groups, n_columns, n_columns)
        at_mean = np.einsum("gi,j->gij", count * groups.mean, mean)
        about = groups.products - at_mean - at_mean.transpose(0, 2, 1)
        about += groups.n_rows[:, None, None] * np.outer(mean, mean)
        left = groups.n_rows[:, None, None] * (covariance - slope @ covariance)
        products = (slope @ about @ slope.transpose(0, 2, 1) + left).sum(axis=0) / n_rows
        step = np.einsum("gij,gj->i", slope, count * (groups.mean - mean)) / n_rows
        new = products - np.outer(step, step)
        # Columns that determine each other would leave no inverse.
        new[np.diag_indices(n_columns)] += _SHRINKAGE
        change = max(np.abs(step).max(), np.abs(new - covariance).max())
        mean, covariance = mean + step, new
        if change < _TOLERANCE:
            break
    return mean, covariance
