"""Whether one method is better than another, judged over the realisations that both ran on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import t as student

SMALLER_IS_BETTER = frozenset(
    {
        "rmse",
        "standardised_rmse",
        "log_loss",
        "calibration_error",
        "interval_width",
        "seconds",
        "megabytes",
    }
)
LEVEL = 0.05
_NEW_SHARE = 0.3
_OF_FEATURES = ("rmse", "standardised_rmse", "interval_coverage", "interval_width")


class PairedDifference(NamedTuple):
    """How far one method is ahead of another."""

    ahead: float  # mean over realisations; above 0 if the first is the better one
    p: float  # two-sided; NaN with fewer than two realisations


def share_asked(task: str, score: str, feature_rate: float, label_rate: float) -> float:
    """Share of the entries that a score is over, which the correction needs.

    >>> share_asked("transductive", "rmse", 0.5, 0.3)
    0.5
    """
    if task == "inductive":
        return _NEW_SHARE
    return feature_rate if score in _OF_FEATURES else label_rate


def corrected_resampled_t(
    ours: ArrayLike, theirs: ArrayLike, share_hidden: float
) -> PairedDifference:
    """Compare two methods by the paired t test corrected for resampling.

    Realisations overlap: they are masks of the same rows. The variance of the mean is therefore not
    s²/n but s² (1/n + hidden/shown), after Nadeau and Bengio (2003).

    ``ours`` and ``theirs`` are scores on the same realisations, larger being better;
    ``share_hidden`` is the share of the entries that a realisation hides.

    >>> result = corrected_resampled_t([0.9, 0.91, 0.92, 0.9], [0.8, 0.82, 0.81, 0.8], 0.5)
    >>> round(result.ahead, 3), result.p < 0.05
    (0.1, True)
    """
    differences = np.asarray(ours, dtype=np.float64) - np.asarray(theirs, dtype=np.float64)
    n = len(differences)
    if n < 2:
        return PairedDifference(float(differences.mean()) if n else np.nan, np.nan)
    ahead = float(differences.mean())
    inflation = 1 / n + share_hidden / max(1 - share_hidden, 1e-9)
    error = np.sqrt(differences.var(ddof=1) * inflation)
    if ahead == 0:
        return PairedDifference(0.0, 1.0)
    return PairedDifference(ahead, float(2 * student.sf(abs(ahead) / max(error, 1e-300), n - 1)))


class AgainstBest(NamedTuple):
    """The best method of a table cell, and which others it is clearly better than."""

    best: str
    p_of_others: Mapping[str, float]  # Holm over the others; NaN where it cannot be told

    def is_clear(self, level: float = LEVEL) -> bool:
        """Whether the best is better than every other beyond chance."""
        return bool(self.p_of_others) and all(p < level for p in self.p_of_others.values())

    def as_good(self, level: float = LEVEL) -> tuple[str, ...]:
        """Methods that cannot be told from the best, itself included."""
        alike = [name for name, p in self.p_of_others.items() if not p < level]
        return (self.best, *alike)


def levelled_means(
    scores: Mapping[str, Sequence[float] | NDArray[np.float64]],
) -> dict[str, float]:
    """Mean scores as if every method had been asked about every realisation.

    Some realisations are harder than others, so that means over different ones do not compare. Each
    score is taken as the sum of a part of the method and a part of the realisation, by least
    squares. Where all have all realisations, these are the plain means.

    ``scores`` has NaN where a realisation is not there; every method has at least one.

    >>> levelled_means({"a": [1.0, 3.0], "b": [2.0, float("nan")]})
    {'a': 2.0, 'b': 3.0}
    """
    values = np.array([np.asarray(one, dtype=np.float64) for one in scores.values()])
    known = ~np.isnan(values)
    if not scores:
        return {}
    if known.all():
        return dict(zip(scores, values.mean(axis=1).tolist(), strict=True))
    methods, realisations = np.nonzero(known)
    n_methods, n_realisations = values.shape
    parts = np.zeros((len(methods), n_methods + n_realisations))
    parts[np.arange(len(methods)), methods] = 1.0
    parts[np.arange(len(methods)), n_methods + realisations] = 1.0
    found = np.linalg.lstsq(parts, values[known])[0]
    usual = found[n_methods:][known.any(axis=0)].mean()
    means = (found[:n_methods] + usual).round(12)
    return dict(zip(scores, means.tolist(), strict=True))


def against_best(
    scores: Mapping[str, Sequence[float]], score: str, share_hidden: float
) -> AgainstBest | None:
    """Find the best method by its mean, and test the others against it.

    Methods that were asked about fewer realisations are judged by :func:`levelled_means`.

    ``score`` tells whether more or less is better. Scores are NaN where a realisation is not there;
    pairs in which either is NaN are left out. The result is None if no method has a score.

    >>> found = against_best({"a": [0.9, 0.91, 0.9], "b": [0.5, 0.52, 0.51]}, "accuracy", 0.5)
    >>> found.best, found.is_clear()
    ('a', True)
    """
    sign = -1.0 if score in SMALLER_IS_BETTER else 1.0
    values = {name: sign * np.asarray(one, dtype=np.float64) for name, one in scores.items()}
    values = {name: one for name, one in values.items() if not np.isnan(one).all()}
    if not values:
        return None
    means = levelled_means(values)
    best = max(means, key=lambda name: means[name])
    others = [name for name in values if name != best]
    p_values = []
    for name in others:
        both = ~np.isnan(values[best]) & ~np.isnan(values[name])
        p_values.append(
            corrected_resampled_t(values[best][both], values[name][both], share_hidden).p
        )
    known = [p for p in p_values if not np.isnan(p)]
    corrected = iter(_holm(known))
    return AgainstBest(
        best,
        {
            name: np.nan if np.isnan(p) else next(corrected)
            for name, p in zip(others, p_values, strict=True)
        },
    )


def _holm(p_values: Sequence[float]) -> list[float]:
    """Holm's correction: the chance of any false alarm among the tests stays at the level."""
    p = np.asarray(p_values, dtype=np.float64)
    order, factors = np.argsort(p, kind="stable"), np.arange(len(p), 0, -1)
    corrected = np.empty_like(p)
    corrected[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * factors))
    return [float(one) for one in corrected]
