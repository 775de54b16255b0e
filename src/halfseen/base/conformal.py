"""Split-conformal prediction intervals and prediction sets.

A score measures how far a prediction lies from the truth, for validation entries that no member of
the model was fitted to. If a new entry is exchangeable with n validation entries, its score exceeds
the one of rank ``ceil((n + 1) * coverage)`` with probability at most ``1 - coverage`` [1]_.

Scores are grouped: a column of numbers is a group, and so is a class, or a state of a label. The
coverage then holds in every group, for rare classes too. A group with too few entries for the
requested coverage borrows the quantile of all groups of its pool.

References
----------
.. [1] Angelopoulos and Bates, "Conformal Prediction: A Gentle Introduction", Foundations and Trends
   in Machine Learning 16 (2023).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["ConformalIntervals", "ConformalSets"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Larger groups keep this many order statistics. Ranks are rounded up to the next one kept, so
# coverage grows by at most 1 / 500 and never falls.
_MAX_KEPT: Final = 500
_MAX_COUNT: Final = 2**48  # products of ranks and _MAX_KEPT stay within int64


@dataclass(frozen=True, eq=False)
class _GroupedScores:
    """Sorted scores of all groups, followed by those of the pools that they borrow from."""

    scores: Floats  # (n_kept,), group after group
    counts: Ints  # (n_groups + n_pools,), validation entries, kept or not
    pool: Ints  # (n_groups,), place of the group's pool in counts

    @classmethod
    def _group(cls, scores: Floats, group: Ints, pool: Ints) -> Self:
        """Sort scores by group; `pool` counts from 0 and has one element per group."""
        if not np.all(np.isfinite(scores)):
            raise ValueError("predictions and truth of validation entries must be finite")
        n_groups, n_pools = len(pool), int(pool.max(initial=-1)) + 1
        parts = _split(scores, group, n_groups) + _split(scores, pool[group], n_pools)
        counts = np.array([len(part) for part in parts], np.int64)
        kept = np.concatenate([_order_statistics(part) for part in parts] or [np.zeros(0)])
        return cls(kept, counts, (pool + n_groups).astype(np.int64))

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Restore from the result of `to_arrays`; refuses arrays that no fit produces."""
        names = [field.name for field in fields(cls)]
        if sorted(arrays) != sorted(names):
            raise ValueError(f"expected the arrays {names}, got {sorted(arrays)}")
        restored = cls(**{name: np.asarray(arrays[name]) for name in names})
        restored._check()
        return restored

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Arrays for a model file, by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def n_validation(self) -> Ints:
        """Number of validation entries of each group, of shape (n_groups,)."""
        return self.counts[: len(self.pool)]

    def support(self, coverage: float) -> Ints:
        """Number of validation entries behind each group's quantile: its own, or its pool's."""
        own, pooled = self.n_validation, self.counts[self.pool]
        return np.where(_rank(own, coverage) <= own, own, pooled)

    def quantile(self, coverage: float) -> Floats:
        """Score that the requested share of entries does not exceed, of shape (n_groups,).

        It is infinite where even the pool has too few entries for this coverage.
        """
        n, ends = self.counts, np.cumsum(self._n_kept)
        rank = _rank(n, coverage)
        place = (np.minimum(rank, n) - 1) * self._n_kept // np.maximum(n, 1)
        padded = np.append(self.scores, 0.0)  # an empty group may point behind the last score
        at_rank = np.where(n > 0, padded[np.maximum(ends - self._n_kept + place, 0)], 0.0)
        own, pooled = at_rank[: len(self.pool)], np.where(rank <= n, at_rank, np.inf)[self.pool]
        # Own entries that are too few still count by their largest score. It keeps the quantile
        # from falling as the coverage rises.
        enough = (rank <= n)[: len(self.pool)]
        return np.where(enough, own, np.maximum(own, pooled))

    @property
    def _n_kept(self) -> Ints:
        return np.minimum(self.counts, _MAX_KEPT)

    def _check(self) -> None:
        shapes_fit = self.scores.ndim == self.counts.ndim == self.pool.ndim == 1
        dtypes_fit = self.scores.dtype == np.float64 and self.counts.dtype == np.int64
        if not shapes_fit or not dtypes_fit or self.pool.dtype != np.int64:
            raise ValueError("conformal arrays have other shapes or dtypes than a fit produces")
        n_groups, n_all = len(self.pool), len(self.counts)
        if np.any((self.pool < n_groups) | (self.pool >= n_all)):
            raise ValueError("conformal pools are out of range")
        if np.any((self.counts < 0) | (self.counts > _MAX_COUNT)):
            raise ValueError("conformal counts are out of range")
        if len(self.scores) != self._n_kept.sum():
            raise ValueError("conformal scores do not match their counts")
        falls = np.diff(self.scores, prepend=0.0) < 0
        starts = np.cumsum(self._n_kept) - self._n_kept
        falls[starts[self.counts > 0]] = False
        if np.any(falls) or not np.all(np.isfinite(self.scores)) or np.any(self.scores < 0):
            raise ValueError("conformal scores must be finite, at least 0 and sorted")


class ConformalIntervals(_GroupedScores):
    """Prediction intervals of numeric columns, each column a group of its own.

    The score of an entry is ``|truth - mean| / spread``. All columns form one pool.

    Examples
    --------
    >>> truth = np.arange(1.0, 20.0)
    >>> intervals = ConformalIntervals.fit(truth, np.zeros(19), np.zeros(19, int), n_columns=2)
    >>> intervals.interval(np.array([0.0, 5.0]), 1.0, 0, coverage=0.9)
    (array([-18., -13.]), array([18., 23.]))
    >>> intervals.n_validation, intervals.support(0.9)
    (array([19,  0]), array([19, 19]))
    """

    @classmethod
    def fit(
        cls,
        truth: ArrayLike,
        mean: ArrayLike,
        column: ArrayLike,
        n_columns: int,
        spread: ArrayLike | None = None,
    ) -> Self:
        """Calibrate intervals on validation entries.

        Parameters
        ----------
        truth, mean : array-like of shape (n_entries,)
            Values of held-out observed entries, and their predictions.
        column : array-like of int of shape (n_entries,)
            Column of each entry.
        n_columns : int
            Number of columns, with validation entries or without.
        spread : array-like of shape (n_entries,), optional
            Predicted standard deviations, above 0. Without them the columns must share a scale.

        Returns
        -------
        ConformalIntervals
        """
        place = _codes(column, n_columns, "column")
        residual = np.abs(np.asarray(truth, np.float64) - np.asarray(mean, np.float64))
        scale = np.ones_like(residual) if spread is None else np.asarray(spread, np.float64)
        if not residual.shape == scale.shape == place.shape or residual.ndim != 1:
            raise ValueError("truth, mean, column and spread must have one element per entry")
        if not np.all(scale > 0):
            raise ValueError("spread must be above 0")
        return cls._group(residual / scale, place, np.zeros(n_columns, np.int64))

    def interval(
        self, mean: ArrayLike, spread: ArrayLike, column: ArrayLike, coverage: float
    ) -> tuple[Floats, Floats]:
        """Lower and upper bounds; mean, spread and column broadcast against each other.

        Parameters
        ----------
        mean, spread : array-like
            Predictions and their standard deviations; a spread of 0 gives an interval of length 0.
            Use a spread of 1 if `fit` had none.
        column : array-like of int
            Columns of the predictions.
        coverage : float
            Probability that an interval covers the truth, between 0 and 1.

        Returns
        -------
        lower, upper : ndarray
            Infinite where there are too few validation entries for this coverage.
        """
        columns = _codes(column, len(self.pool), "column")
        quantile, scale = np.broadcast_arrays(
            self.quantile(coverage)[columns], np.asarray(spread, np.float64)
        )
        half = np.multiply(quantile, scale, out=np.zeros(scale.shape), where=scale != 0)
        center = np.asarray(mean, np.float64)
        return center - half, center + half


class ConformalSets(_GroupedScores):
    """Prediction sets of a multiclass target or of labels, each class a group of its own.

    The score of an entry is 1 minus the predicted probability of its true class [1]_. A class is in
    the set if its score would be at most the quantile of that class. The most probable class is
    always in the set. A multiclass target has one pool; labels have one pool per state.

    References
    ----------
    .. [1] Sadinle, Lei and Wasserman, "Least Ambiguous Set-Valued Classifiers with Bounded Error
       Levels", Journal of the American Statistical Association 114 (2019).

    Examples
    --------
    >>> probability = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8], [0.3, 0.7]])
    >>> sets = ConformalSets.fit(probability, [0, 0, 1, 1])
    >>> sets.prediction_set([[0.95, 0.05], [0.5, 0.5]], coverage=0.5)
    array([[ True, False],
           [ True, False]])
    >>> sets.prediction_set([[0.95, 0.05], [0.5, 0.5]], coverage=0.95)
    array([[ True,  True],
           [ True,  True]])
    """

    @classmethod
    def fit(
        cls, probability: ArrayLike, truth: ArrayLike, observed: ArrayLike | None = None
    ) -> Self:
        """Calibrate sets on validation entries.

        Parameters
        ----------
        probability : array-like of shape (n_rows, n_classes) or (n_rows, n_labels, 2)
            Predicted probabilities.
        truth : array-like of shape (n_rows,) or (n_rows, n_labels)
            Codes of the true classes, or states 0 and 1 of the labels.
        observed : array-like of bool, shaped as truth, optional
            True where the truth is a validation entry; other entries are ignored. Default: all.

        Returns
        -------
        ConformalSets
        """
        p = _probabilities(probability)
        known = np.ones(p.shape[:-1], bool) if observed is None else np.asarray(observed, bool)
        if np.shape(truth) != p.shape[:-1] or known.shape != p.shape[:-1]:
            raise ValueError(f"truth and observed must have shape {p.shape[:-1]}")
        n_classes = p.shape[-1]
        code = _codes(np.asarray(truth)[known], n_classes, "class")
        score = 1.0 - np.take_along_axis(p[known], code[:, None], axis=1)[:, 0]
        if p.ndim == 2:
            return cls._group(score, code, np.zeros(n_classes, np.int64))
        label = np.nonzero(known)[1]
        return cls._group(score, 2 * label + code, np.tile(np.arange(2), p.shape[1]))

    def prediction_set(self, probability: ArrayLike, coverage: float) -> NDArray[np.bool_]:
        """Classes that belong to each set.

        Parameters
        ----------
        probability : array-like of shape (n_rows, n_classes) or (n_rows, n_labels, 2)
            Predicted probabilities.
        coverage : float
            Probability that a set contains the true class, between 0 and 1, given that class.

        Returns
        -------
        ndarray of bool, shaped as probability
        """
        p = _probabilities(probability)
        if np.prod(p.shape[1:]) != len(self.pool):
            raise ValueError(
                f"probability has shape {p.shape}, but the sets are calibrated on "
                f"{len(self.pool)} classes"
            )
        inside = 1.0 - p <= self.quantile(coverage).reshape(p.shape[1:])
        np.put_along_axis(inside, p.argmax(axis=-1)[..., None], True, axis=-1)
        return inside


def _split(scores: Floats, group: Ints, n_groups: int) -> list[Floats]:
    """Sorted scores of each group."""
    order = np.lexsort((scores, group))
    ends = np.cumsum(np.bincount(group, minlength=n_groups))
    return np.split(scores[order], ends[:-1]) if n_groups else []


def _order_statistics(ordered: Floats) -> Floats:
    """At most `_MAX_KEPT` of the scores, evenly spaced in rank, the largest among them."""
    n, n_kept = len(ordered), min(len(ordered), _MAX_KEPT)
    rank = -(-np.arange(1, n_kept + 1) * n // max(n_kept, 1))  # rounded up
    return ordered[rank - 1]


def _rank(n: Ints, coverage: float) -> Ints:
    if not 0 < coverage < 1:
        raise ValueError(
            f"coverage must lie strictly between 0 and 1, for instance 0.9 for 90 %; got {coverage}"
        )
    # The small number undoes rounding, as in 0.28 * 25 = 7.000000000000001.
    rank: Ints = np.ceil((n + 1) * coverage - 1e-9).astype(np.int64)
    return rank


def _codes(values: ArrayLike, n: int, name: str) -> Ints:
    codes = np.asarray(values)
    if not codes.size:
        return codes.astype(np.int64)
    if not np.all((codes >= 0) & (codes < n) & (codes == np.floor(codes))):
        raise ValueError(f"{name} must hold integers from 0 to {n - 1}")
    return codes.astype(np.int64)


def _probabilities(probability: ArrayLike) -> Floats:
    p = np.asarray(probability, np.float64)
    if p.ndim not in (2, 3) or (p.ndim == 3 and p.shape[2] != 2):
        raise ValueError(
            f"probability must have shape (rows, classes) or (rows, labels, 2), got {p.shape}"
        )
    return p
