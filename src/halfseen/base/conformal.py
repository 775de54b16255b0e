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
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _GroupedScores:
    """Scores of validation entries, and the pools that their groups borrow from."""

    scores: Floats  # (n_entries,)
    group: Ints  # (n_entries,)
    pool: Ints  # (n_groups,), numbers from 0

    def __post_init__(self) -> None:
        if not np.isfinite(self.scores).all():
            raise ValueError("predictions and truth of validation entries must be finite")
        numbers = np.concatenate([self.group, self.pool])
        in_range = (numbers >= 0) & (numbers < len(self.pool))
        if len(self.group) != len(self.scores) or not in_range.all():
            raise ValueError("conformal scores, groups and pools do not match")

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """Restore from the result of `to_arrays`; refuses arrays that no fit produces."""
        layout = {name: (array.dtype.name, array.ndim) for name, array in arrays.items()}
        dtypes = {of.name: "float64" for of in fields(cls)} | {"group": "int64", "pool": "int64"}
        if layout != {name: (dtype, 1) for name, dtype in dtypes.items()}:
            raise ValueError("conformal arrays have other names, shapes or dtypes than a fit makes")
        return cls(**arrays)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Arrays for a model file, by name."""
        return asdict(self)

    @cached_property
    def _sorted(self) -> tuple[Floats, Ints]:
        """Sorted scores of each group, then of each pool, and their numbers."""
        place = np.concatenate([self.group, len(self.pool) + self.pool[self.group]])
        scores, n_places = np.tile(self.scores, 2), len(self.pool) + self.pool.max(initial=-1) + 1
        return scores[np.lexsort((scores, place))], np.bincount(place, minlength=n_places)

    @property
    def n_validation(self) -> Ints:
        """Number of validation entries of each group."""
        return np.bincount(self.group, minlength=len(self.pool))

    def support(self, coverage: float) -> Ints:
        """Number of validation entries that the quantile of each group rests on."""
        own, pool_of_entry = self.n_validation, self.pool[self.group]
        of_pool = np.bincount(pool_of_entry, minlength=self.pool.max(initial=-1) + 1)
        return np.where(_rank(own, coverage) <= own, own, of_pool[self.pool])

    def quantile(self, coverage: float) -> Floats:
        """Score that this share of entries does not exceed; infinite if the pool has too few."""
        scores, n = self._sorted
        rank, n_groups = _rank(n, coverage), len(self.pool)
        # The largest score stands for a rank above it; an empty group has 0 instead.
        place = np.cumsum(n) - n + np.minimum(rank, n) - 1
        score = np.where(n > 0, np.append(scores, 0.0)[place], 0.0)
        pooled = np.where(rank <= n, score, np.inf)[n_groups + self.pool]
        # Own entries that are too few still count by their largest score. It keeps the quantile
        # from falling as the coverage rises.
        own, enough = score[:n_groups], (rank <= n)[:n_groups]
        return np.where(enough, own, np.maximum(own, pooled))


@dataclass(frozen=True, eq=False)
class ConformalIntervals(_GroupedScores):
    """Prediction intervals of numeric columns, all in one pool: scores |truth - mean| / spread."""

    errors: Floats  # (n_entries,), |truth - mean|

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.errors) != len(self.scores) or not np.isfinite(self.errors).all():
            raise ValueError("errors of validation entries must be finite, one for each score")

    @classmethod
    def fit(
        cls,
        truth: ArrayLike,
        mean: ArrayLike,
        column: ArrayLike,
        n_columns: int,
        spread: ArrayLike | None = None,
    ) -> Self:
        """Calibrate on held-out values; without a spread the columns must share a scale."""
        residual = np.abs(np.asarray(truth, np.float64) - np.asarray(mean, np.float64))
        scale = 1.0 if spread is None else np.asarray(spread, np.float64)
        place, pool = np.asarray(column, np.int64), np.zeros(n_columns, np.int64)
        return cls(residual / scale, place, pool, residual)

    def error_quantile(self, share: float) -> Floats:
        """Error that this share of the validation entries of a column does not exceed; or NaN."""
        own = [self.errors[self.group == column] for column in range(len(self.pool))]
        return np.array([np.quantile(e, share) if len(e) else np.nan for e in own], np.float64)

    def interval(
        self, mean: ArrayLike, spread: ArrayLike, column: ArrayLike, coverage: float
    ) -> tuple[Floats, Floats]:
        """Lower and upper bounds; mean, spread and column broadcast against each other."""
        quantile = self.quantile(coverage)[np.asarray(column, np.int64)]
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
        known = np.ones(p.shape[:-1], bool) if observed is None else np.asarray(observed, bool)
        code = np.asarray(truth)[known].astype(np.int64)
        score = 1.0 - np.take_along_axis(p[known], code[:, None], axis=1)[:, 0]
        if p.ndim == 2:
            return cls(score, code, np.zeros(p.shape[1], np.int64))
        label = np.nonzero(known)[1]
        return cls(score, 2 * label + code, np.tile(np.arange(2), p.shape[1]))

    def prediction_set(self, probability: ArrayLike, coverage: float) -> NDArray[np.bool_]:
        """Classes that belong to each set, as a boolean array in the shape of `probability`."""
        p = np.asarray(probability, np.float64)
        inside = 1.0 - p <= self.quantile(coverage).reshape(p.shape[1:])
        np.put_along_axis(inside, p.argmax(axis=-1)[..., None], True, axis=-1)
        return inside


def _rank(n: Ints, coverage: float) -> Ints:
    if not 0 < coverage < 1:
        raise ValueError(f"coverage must lie strictly between 0 and 1, such as 0.9; got {coverage}")
    # The small number undoes rounding, as in 0.28 * 25 = 7.000000000000001.
    return np.asarray(np.maximum(np.ceil((n + 1) * coverage - 1e-9), 1), np.int64)
