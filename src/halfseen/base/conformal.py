"""Split-conformal prediction intervals and prediction sets.

A score measures how far a prediction lies from the truth, for validation entries that no member of
the model was fitted to. If a new entry is exchangeable with n validation entries, its score exceeds
the one of rank ``ceil((n + 1) * coverage)`` with probability at most ``1 - coverage`` [1]_.

Scores are grouped: a column of numbers is a group, and so is a class, or a state of a label. The
coverage then holds in every group, for rare classes too. A group with too few entries for the
requested coverage borrows the quantile of all groups of its pool.

.. [1] Angelopoulos and Bates, "Conformal Prediction: A Gentle Introduction", Foundations and Trends
   in Machine Learning 16 (2023).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Larger groups keep this many order statistics. Ranks are rounded up to the next one kept, so
# coverage grows by at most 1 / 500 and never falls.
_MAX_KEPT: Final = 500


@dataclass(frozen=True, eq=False)
class _GroupedScores:
    """Sorted scores of all groups, followed by those of the pools that they borrow from."""

    scores: Floats  # (n_kept,), group after group
    counts: Ints  # (n_groups + n_pools,), validation entries, kept or not
    pool: Ints  # (n_groups,), place of the group's pool in counts

    @classmethod
    def _group(cls, scores: Floats, group: Ints, pool: Ints) -> Self:
        """Sort scores by group; `pool` counts from 0 and has one element per group."""
        if not np.isfinite(scores).all():
            raise ValueError("predictions and truth of validation entries must be finite")
        n_groups, n_pools = len(pool), int(pool.max(initial=-1)) + 1
        place = np.concatenate([group, n_groups + pool[group]])
        scores = np.tile(scores, 2)
        scores = scores[np.lexsort((scores, place))]
        counts = np.bincount(place, minlength=n_groups + n_pools)
        # Of each group at most _MAX_KEPT scores, evenly spaced in rank, the largest among them.
        n_kept = np.minimum(counts, _MAX_KEPT)
        first, first_kept = np.cumsum(counts) - counts, np.cumsum(n_kept) - n_kept
        which = np.repeat(np.arange(n_groups + n_pools), n_kept)
        position = np.arange(1, len(which) + 1) - first_kept[which]
        rank = -(-position * counts[which] // n_kept[which])  # rounded up
        return cls(scores[first[which] + rank - 1], counts, pool + n_groups)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Restore from the result of `to_arrays`; refuses arrays that no fit produces."""
        dtypes = {"scores": np.float64, "counts": np.int64, "pool": np.int64}
        found = {name: array.dtype for name, array in arrays.items() if array.ndim == 1}
        if len(arrays) != len(dtypes) or found != dtypes:
            raise ValueError("conformal arrays have other names, shapes or dtypes than a fit makes")
        fitted = cls(**arrays)
        n_kept = np.clip(fitted.counts, 0, _MAX_KEPT)
        in_range = (fitted.pool >= len(fitted.pool)) & (fitted.pool < len(n_kept))
        if (fitted.counts < 0).any() or not in_range.all() or len(fitted.scores) != n_kept.sum():
            raise ValueError("conformal counts, pools and scores do not match")
        order = np.lexsort((fitted.scores, np.repeat(np.arange(len(n_kept)), n_kept)))
        if not np.isfinite(fitted.scores).all() or (np.diff(order) != 1).any():
            raise ValueError("conformal scores must be finite and sorted")
        return fitted

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Arrays for a model file, by name."""
        return asdict(self)

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
        n, n_kept = self.counts, np.minimum(self.counts, _MAX_KEPT)
        rank, n_groups = _rank(n, coverage), len(self.pool)
        place = np.cumsum(n_kept) - n_kept + (np.minimum(rank, n) - 1) * n_kept // np.maximum(n, 1)
        # The largest score stands for a rank above it; an empty group has 0 instead.
        score = np.where(n > 0, np.append(self.scores, 0.0)[place], 0.0)
        pooled = np.where(rank <= n, score, np.inf)[self.pool]
        # Own entries that are too few still count by their largest score. It keeps the quantile
        # from falling as the coverage rises.
        own, enough = score[:n_groups], (rank <= n)[:n_groups]
        return np.where(enough, own, np.maximum(own, pooled))


class ConformalIntervals(_GroupedScores):
    """Prediction intervals of numeric columns, each column a group of its own, all in one pool.

    The score of an entry is ``|truth - mean| / spread``.

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
        """Calibrate on held-out values, their predictions, columns and standard deviations.

        Without standard deviations the columns must share a scale.
        """
        place = _codes(column, n_columns, "column")
        residual = np.abs(np.asarray(truth, np.float64) - np.asarray(mean, np.float64))
        scale = np.ones_like(residual) if spread is None else np.asarray(spread, np.float64)
        if not residual.shape == scale.shape == place.shape or residual.ndim != 1:
            raise ValueError("truth, mean, column and spread must have one element per entry")
        if not (scale > 0).all():
            raise ValueError("spread must be above 0")
        return cls._group(residual / scale, place, np.zeros(n_columns, np.int64))

    def interval(
        self, mean: ArrayLike, spread: ArrayLike, column: ArrayLike, coverage: float
    ) -> tuple[Floats, Floats]:
        """Lower and upper bounds; mean, spread and column broadcast against each other.

        They are infinite where there are too few validation entries for this coverage.
        """
        columns = _codes(column, len(self.pool), "column")
        quantile = self.quantile(coverage)[columns]
        quantile, scale = np.broadcast_arrays(quantile, np.asarray(spread, np.float64))
        half = np.multiply(quantile, scale, out=np.zeros(scale.shape), where=scale != 0)
        center = np.asarray(mean, np.float64)
        return center - half, center + half


class ConformalSets(_GroupedScores):
    """Prediction sets of a multiclass target or of labels, each class a group of its own.

    The score of an entry is 1 minus the predicted probability of its true class [1]_. A class is in
    the set if its score would be at most the quantile of that class. The most probable class is
    always in the set. A multiclass target has one pool; labels have one pool per state.

    .. [1] Sadinle, Lei and Wasserman, "Least Ambiguous Set-Valued Classifiers with Bounded Error
       Levels", Journal of the American Statistical Association 114 (2019).
    """

    @classmethod
    def fit(
        cls, probability: ArrayLike, truth: ArrayLike, observed: ArrayLike | None = None
    ) -> Self:
        """Calibrate on codes of true classes or states; `observed` marks the held-out entries."""
        p = np.asarray(probability, np.float64)
        if p.ndim not in (2, 3) or (p.ndim == 3 and p.shape[2] != 2):
            raise ValueError(
                f"probability must have shape (rows, classes) or (rows, labels, 2), got {p.shape}"
            )
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
        """Classes that belong to each set, as a boolean array in the shape of `probability`."""
        p, n_classes = np.asarray(probability, np.float64), len(self.pool)
        if p.ndim not in (2, 3) or np.prod(p.shape[1:]) != n_classes:
            raise ValueError(
                f"probability has shape {p.shape}; sets are calibrated on {n_classes} classes"
            )
        inside = 1.0 - p <= self.quantile(coverage).reshape(p.shape[1:])
        np.put_along_axis(inside, p.argmax(axis=-1)[..., None], True, axis=-1)
        return inside


def _rank(n: Ints, coverage: float) -> Ints:
    if not 0 < coverage < 1:
        raise ValueError(f"coverage must lie strictly between 0 and 1, such as 0.9; got {coverage}")
    # The small number undoes rounding, as in 0.28 * 25 = 7.000000000000001.
    return np.asarray(np.maximum(np.ceil((n + 1) * coverage - 1e-9), 1), np.int64)


def _codes(values: ArrayLike, n: int, name: str) -> Ints:
    codes = np.asarray(values)
    if not np.all((codes >= 0) & (codes < n) & (codes == np.floor(codes))):
        raise ValueError(f"{name} must hold integers from 0 to {n - 1}")
    return codes.astype(np.int64)
