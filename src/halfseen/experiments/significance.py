"""Whether one method is better than another: over rows of a table, or over realisations."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm, rankdata
from scipy.stats import t as student

SMALLER_IS_BETTER = frozenset(
    {"rmse", "normalised_rmse", "log_loss", "calibration_error", "interval_width", "seconds"}
)
LEVEL = 0.05

Floats = NDArray[np.float64]


class RowLosses(NamedTuple):
    """Losses of one method for one kind of entries in one repeat."""

    metric: float
    n_entries: int
    rows: NDArray[np.int64]  # rows of the table with scored entries
    of_rows: Floats  # losses of rows, whose mean is the metric (of squares for RMSE)
    auc: float = math.nan
    auc_of_rows: Floats | float = math.nan  # influence of rows on the AUC


def auc_influence(is_positive: NDArray[np.bool_], score: Floats) -> tuple[float, Floats] | None:
    """AUC, and what each row adds to its error (DeLong); the mean over rows is 0."""
    n_positive, n = int(is_positive.sum()), len(score)
    n_negative = n - n_positive
    if min(n_positive, n_negative) < 2:
        return None
    ranks, own = rankdata(score), np.zeros(n)
    for chosen in (is_positive, ~is_positive):
        own[chosen] = rankdata(score[chosen])
    # Share of the other class that lies on the correct side of the row.
    below = (ranks - own) / np.where(is_positive, n_negative, n_positive)
    placed = np.where(is_positive, below, 1 - below)
    auc = float(placed[is_positive].mean())
    return auc, (placed - auc) * n / np.where(is_positive, n_positive, n_negative)


def compare_rows(
    ours: Sequence[RowLosses], theirs: Sequence[RowLosses], of_auc: bool = False
) -> int:
    """1 if our losses are significantly lower, -1 if higher, else 0; or our AUC higher, lower."""
    pairs = list(zip(ours, theirs, strict=True))
    if of_auc and any(math.isnan(a.auc + b.auc) for a, b in pairs):
        return 0
    changes = [a.auc_of_rows - b.auc_of_rows if of_auc else b.of_rows - a.of_rows for a, b in pairs]
    # A row that is scored in several repeats counts once.
    place = np.unique(np.concatenate([one.rows for one in ours]), return_inverse=True)[1]
    means = np.bincount(place, np.concatenate(changes)) / np.bincount(place)
    if len(means) < 2:
        return 0
    half = norm.ppf(1 - LEVEL / 2) * means.std(ddof=1) / math.sqrt(len(means))
    difference = np.mean([a.auc - b.auc for a, b in pairs]) if of_auc else means.mean()
    return int(difference > half) - int(difference < -half)


def corrected_resampled_t(ours: ArrayLike, theirs: ArrayLike, share_hidden: float) -> float:
    """Two-sided p of two methods, by the paired t test; NaN with fewer than two realisations."""
    # Realisations are masks of the same rows. The variance of the mean is therefore not s²/n but
    # s² (1/n + hidden/shown), after Nadeau and Bengio (2003).
    differences = np.asarray(ours, np.float64) - np.asarray(theirs, np.float64)
    n = len(differences)
    if n < 2 or (ahead := float(differences.mean())) == 0:
        return math.nan if n < 2 else 1.0
    inflation = 1 / n + share_hidden / max(1 - share_hidden, 1e-9)
    error = np.sqrt(differences.var(ddof=1) * inflation)
    return float(2 * student.sf(abs(ahead) / max(error, 1e-300), n - 1))


def against_best(
    scores: Mapping[str, Sequence[float]], score: str, share_hidden: float
) -> tuple[str, dict[str, float]] | None:
    """The best method by its mean over realisations that all have; and p of others, Holm over them.

    Scores are NaN where a realisation is not there, p where it cannot be told. The result is None
    without a realisation that all have.
    """
    sign = -1.0 if score in SMALLER_IS_BETTER else 1.0
    values = {name: sign * np.asarray(one, np.float64) for name, one in scores.items()}
    values = {name: one for name, one in values.items() if not np.isnan(one).all()}
    common = ~np.isnan(list(values.values())).any(axis=0)
    if not values or not common.any():
        return None
    best = max(values, key=lambda name: values[name][common].mean())
    p_values = {}
    for name in [name for name in values if name != best]:
        both = ~np.isnan(values[best]) & ~np.isnan(values[name])
        pair = values[best][both], values[name][both]
        p_values[name] = corrected_resampled_t(*pair, share_hidden)
    ordered = sorted((p, name) for name, p in p_values.items() if not np.isnan(p))
    holm = np.maximum.accumulate([p * (len(ordered) - k) for k, (p, _) in enumerate(ordered)])
    for (_, name), p in zip(ordered, holm, strict=True):
        p_values[name] = min(1.0, float(p))
    return best, p_values
