"""Split-conformal prediction intervals and prediction sets.

A score measures how far a prediction lies from the truth, for validation entries that no member of
the model was fitted to. If a new entry is exchangeable with n validation entries, its score exceeds
the one of rank ``ceil((n + 1) * coverage)`` with probability at most ``1 - coverage`` (Angelopoulos
and Bates, "Conformal Prediction: A Gentle Introduction", 2023).

Scores are grouped: a column of numbers is a group, and so is a class, or a state of a label. The
coverage then holds in every group, for rare classes too. The quantile of few entries is near their
largest, and varies much: each group borrows from its pool, whose other entries count for twenty.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, logit

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# Rows are told apart by the share of their features that is observed, where entries suffice.
_MOST_SHARES, _FEWEST_OF_SHARE = 4, 100
_BORROWED = 20.0  # entries that the others of a pool count for
_LEAST_PROBABILITY = 1e-9


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
    def _sorted(self) -> list[Floats]:
        """Sorted scores of each group, then of each pool."""
        place = np.concatenate([self.group, len(self.pool) + self.pool[self.group]])
        scores, n_places = np.tile(self.scores, 2), len(self.pool) + self.pool.max(initial=-1) + 1
        ends = np.cumsum(np.bincount(place, minlength=n_places))
        return np.split(scores[np.lexsort((scores, place))], ends[:-1])

    @property
    def n_validation(self) -> Ints:
        """Number of validation entries of each group."""
        return np.bincount(self.group, minlength=len(self.pool))

    def support(self, coverage: float) -> Ints:
        """Number of validation entries behind most of the quantile of each group."""
        _check_coverage(coverage)
        own, n_pools = self.n_validation, int(self.pool.max(initial=0)) + 1
        of_pool = np.bincount(self.pool[self.group], minlength=n_pools)
        return np.where(own >= _BORROWED, own, of_pool[self.pool])

    def quantile(self, coverage: float) -> Floats:
        """Score that this share of entries does not exceed; infinite if the pool has too few."""
        _check_coverage(coverage)
        if coverage not in self._quantiles:
            own, pooled = self._sorted[: len(self.pool)], self._sorted[len(self.pool) :]
            pairs = zip(own, (pooled[pool] for pool in self.pool), strict=True)
            self._quantiles[coverage] = np.array([_quantile(*pair, coverage) for pair in pairs])
        return self._quantiles[coverage]

    @cached_property
    def _quantiles(self) -> dict[float, Floats]:
        return {}


def _quantile(own: Floats, pooled: Floats, coverage: float) -> float:
    """Quantile of the own scores and of some of those of the rest of the pool, all sorted."""
    n_others = len(pooled) - len(own)
    borrowed = min(_BORROWED, n_others)

    def weight_up_to(place: int) -> float:
        n_own, n_all = (np.searchsorted(part, pooled[place], "right") for part in (own, pooled))
        return float(n_own + borrowed / max(n_others, 1) * (n_all - n_own))

    # The new entry counts too. The small number undoes rounding, as in 0.28 * 25 > 7.
    if coverage * (len(pooled) + 1) - 1e-9 > len(pooled):
        return np.inf
    wanted = min(coverage * (len(own) + borrowed + 1), len(own) + borrowed) - 1e-9
    return float(pooled[bisect_left(range(len(pooled) - 1), wanted, key=weight_up_to)])


@dataclass(frozen=True, eq=False)
class ConformalIntervals(_GroupedScores):
    """Prediction intervals of numeric columns: scores |truth - mean| / spread.

    A group is a column, in rows of which about the same share of the features is observed: an
    interval is as wide as errors are in rows like its own. Between the mean shares of the groups
    quantiles are interpolated. All columns of one share are a pool.
    """

    errors: Floats  # (n_entries,), |truth - mean|
    shares: Floats  # (n_shares,), ascending; groups are numbered share by share

    @classmethod
    def fit(
        cls, truth: ArrayLike, mean: ArrayLike, column: ArrayLike, n_columns: int,
        spread: ArrayLike | None = None, share: ArrayLike | None = None,
    ) -> Self:  # fmt: skip
        """Calibrate on held-out values; `share` is the share of features observed in their row.

        Without a spread the columns must share a scale; without shares one holds for all rows.
        """
        residual = np.abs(np.asarray(truth, np.float64) - np.asarray(mean, np.float64))
        scale = 1.0 if spread is None else np.asarray(spread, np.float64)
        of_entry = np.ones(len(residual)) if share is None else np.asarray(share, np.float64)
        n_shares = min(max(len(residual) // _FEWEST_OF_SHARE, 1), _MOST_SHARES)
        edges = np.zeros(0)
        if n_shares > 1:
            edges = np.quantile(of_entry, np.arange(1, n_shares) / n_shares)
        distinct, place = np.unique(np.searchsorted(edges, of_entry), return_inverse=True)
        shares = np.ones(max(len(distinct), 1))
        shares[: len(distinct)] = np.bincount(place, of_entry) / np.bincount(place)
        group = np.asarray(column, np.int64) + n_columns * place
        pool = np.repeat(np.arange(len(shares)), n_columns)
        return cls(residual / scale, group, pool, residual, shares)

    def __post_init__(self) -> None:
        super().__post_init__()
        per_share, rest = divmod(len(self.pool), max(len(self.shares), 1))
        by_share = np.repeat(np.arange(len(self.shares)), per_share)
        if rest or not np.array_equal(by_share, self.pool) or not (np.diff(self.shares) > 0).all():
            raise ValueError("conformal groups and shares do not match")
        if len(self.errors) != len(self.scores) or not np.isfinite(self.errors).all():
            raise ValueError("errors of validation entries must be finite, one for each score")

    def of_columns(self, of_groups: NDArray[Any]) -> NDArray[Any]:
        """What belongs to groups, for each column, in the rows of which most is observed."""
        return np.asarray(of_groups.reshape(len(self.shares), -1)[-1])

    def error_quantile(self, share: float) -> Floats:
        """Error that this share of the validation entries of a column does not exceed; or NaN."""
        own = [self.errors[self.group == g] for g in self.of_columns(np.arange(len(self.pool)))]
        return np.array([np.quantile(e, share) if len(e) else np.nan for e in own], np.float64)

    def interval(
        self, mean: ArrayLike, spread: ArrayLike, column: ArrayLike, coverage: float,
        share: ArrayLike = 1.0,
    ) -> tuple[Floats, Floats]:  # fmt: skip
        """Lower and upper bounds; mean, spread, column and share broadcast against each other."""
        of_share = self.quantile(coverage).reshape(len(self.shares), -1)
        place = np.interp(np.asarray(share, np.float64), self.shares, np.arange(len(self.shares)))
        below = np.floor(place).astype(np.int64)
        above, rest = np.ceil(place).astype(np.int64), place - below
        column = np.asarray(column, np.int64)
        low, high = of_share[below, column], of_share[above, column]
        step = np.subtract(high, low, out=np.zeros(low.shape), where=np.isfinite(high))
        quantile, scale = np.broadcast_arrays(low + rest * step, np.asarray(spread, np.float64))
        half = np.multiply(quantile, scale, out=np.zeros(scale.shape), where=scale != 0)
        center = np.asarray(mean, np.float64)
        return center - half, center + half


@dataclass(frozen=True, eq=False)
class ConformalSets(_GroupedScores):
    """Prediction sets of a multiclass target or of labels, each class a group of its own.

    A class is in the set if its probability is at least that which the requested share of the
    entries of this class is given (Sadinle, Lei and Wasserman, "Least Ambiguous Set-Valued
    Classifiers with Bounded Error Levels", 2019); the most probable one always is. Scores are
    log-odds, counted from those of the share of the class: so rare labels can borrow from common
    ones. A multiclass target has one pool; labels have one pool per state.
    """

    log_odds: Floats  # (n_groups,), of the share of the class

    @classmethod
    def fit(
        cls, probability: ArrayLike, truth: ArrayLike, observed: ArrayLike | None = None
    ) -> Self:
        """Calibrate on codes of true classes or states; `observed` marks the held-out entries."""
        p = np.asarray(probability, np.float64)
        known = np.ones(p.shape[:-1], bool) if observed is None else np.asarray(observed, bool)
        code, n_classes = np.asarray(truth)[known].astype(np.int64), p.shape[-1]
        target = np.nonzero(known)[1] if p.ndim == 3 else np.zeros(len(code), np.int64)
        group, n_groups = n_classes * target + code, int(np.prod(p.shape[1:]))
        pool = np.arange(n_groups) % n_classes if p.ndim == 3 else np.zeros(n_groups, np.int64)
        counts = np.bincount(group, minlength=n_groups).reshape(-1, n_classes) + 0.5
        log_odds = _log_odds(counts / counts.sum(axis=1, keepdims=True)).ravel()
        given = np.take_along_axis(p[known], code[:, None], axis=1)[:, 0]
        return cls(log_odds[group] - _log_odds(given), group, pool, log_odds)

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.log_odds) != len(self.pool) or not np.isfinite(self.log_odds).all():
            raise ValueError("conformal groups and shares of classes do not match")

    def least_probability(self, coverage: float) -> Floats:
        """Probability from which on each class or state is in a set, of shape (n_groups,)."""
        return np.asarray(expit(self.log_odds - self.quantile(coverage)))

    def prediction_set(self, probability: ArrayLike, coverage: float) -> NDArray[np.bool_]:
        """Classes that belong to each set, as a boolean array in the shape of `probability`."""
        p = np.asarray(probability, np.float64)
        score = self.log_odds.reshape(p.shape[1:]) - _log_odds(p)
        inside = score <= self.quantile(coverage).reshape(p.shape[1:])
        np.put_along_axis(inside, p.argmax(axis=-1)[..., None], True, axis=-1)
        return inside


def _log_odds(probability: Floats) -> Floats:
    return np.asarray(logit(np.clip(probability, _LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY)))


def _check_coverage(coverage: float) -> None:
    if not 0 < coverage < 1:
        raise ValueError(f"coverage must lie strictly between 0 and 1, such as 0.9; got {coverage}")
