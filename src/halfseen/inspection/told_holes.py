"""How well holes can be told from the values of other columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from halfseen.inspection.auc import auc_of_values
from halfseen.inspection.value_features import ValueFeatures

_N_FOLDS = 5
_MOST_CHOSEN = 24
_TARGETS_AT_ONCE = 64
_RIDGE = 0.02

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ToldHoles:
    """How well the holes of one column can be told from the values of other columns.

    Attributes
    ----------
    auc : float
        Of a score on rows that it was not learned from.
    p_value : float
        Chance of telling the holes that well if they were completely at random.
    driver : int or None
        The feature that tells them best on its own; None where there is no other feature.
    is_more : bool
        Whether holes are more frequent where that feature is high.

    Examples
    --------
    >>> ToldHoles(0.5, 1.0, None, True).p_value
    1.0
    """

    auc: float
    p_value: float
    driver: int | None
    is_more: bool


def told_holes(
    features: ValueFeatures, holes: NDArray[np.bool_], owners: NDArray[np.int64], seed: int
) -> tuple[ToldHoles, ...]:
    """How well the holes of columns can be told from the values of other columns.

    Parameters
    ----------
    features : ValueFeatures
        Values of all columns, over n_rows rows.
    holes : ndarray of bool, shape (n_targets, n_rows)
        True where the column of a target is not observed.
    owners : ndarray of int, shape (n_targets,)
        The column of each target, whose own features are left out.
    seed : int
        Seed of the order in which rows are used.

    Returns
    -------
    tuple of ToldHoles
        One per target.

    Notes
    -----
    Two tests are made and the better p-value is doubled. The first asks each feature alone whether
    its mean differs between holes and other rows, corrected by the number of features (Bonferroni).
    The second learns a ridge regression of the holes on the most telling features from the rows
    before, in random order, and asks whether its score on the rows that come next has a higher mean
    at holes; no row is ever scored by what was learned from it or from later ones, so that the sum
    of the scores is a martingale if holes are completely at random. Both compare means, with
    the larger of two variances: one for values that vary alike at holes and elsewhere, one for
    values that do not. That columns lose their values together is then no evidence by itself, nor
    is a handful of equal values.

    Examples
    --------
    >>> import numpy as np
    >>> generator = np.random.default_rng(0)
    >>> age = generator.normal(size=(1, 500)).astype(np.float32)
    >>> features = ValueFeatures(age, np.array([0]), ("high",), (None,))
    >>> holes = np.stack([age[0] > 0.5, generator.random(500) < 0.3])
    >>> where_old, anywhere = told_holes(features, holes, np.array([1, 2]), seed=0)
    >>> where_old.p_value < 1e-6, where_old.is_more, anywhere.p_value > 0.05
    (True, True, True)
    """
    order = np.random.default_rng(seed).permutation(holes.shape[1])
    ends = np.cumsum([len(fold) for fold in np.array_split(order, _N_FOLDS)]).tolist()
    shuffled = features.matrix[:, order]
    found: list[ToldHoles] = []
    for start in range(0, len(holes), _TARGETS_AT_ONCE):
        some = slice(start, start + _TARGETS_AT_ONCE)
        is_other = features.column[None, :] != owners[some, None]
        found.extend(_told(shuffled, holes[some][:, order], is_other, ends))
    return tuple(found)


def _told(
    matrix: NDArray[np.float32],
    holes: NDArray[np.bool_],
    is_other: NDArray[np.bool_],
    ends: list[int],
) -> Iterator[ToldHoles]:
    z_scores = np.where(is_other, _z_scores(matrix, holes), 0.0)
    sums = np.where(is_other, _sums_before(matrix, holes, ends), 0.0)
    for target, hole in enumerate(holes):
        n_others = int(is_other[target].sum())
        if not n_others:
            yield ToldHoles(0.5, 1.0, None, True)
            continue
        driver = int(np.argmax(np.abs(z_scores[target])))
        z_score = float(z_scores[target, driver])
        alone = 2 * float(ndtr(-abs(z_score))) * n_others
        scores = _scores(matrix, hole, sums[:, target], min(_MOST_CHOSEN, n_others), ends)
        auc, together = _judged(scores, hole, ends)
        yield ToldHoles(auc, min(1.0, 2 * min(alone, together)), driver, z_score > 0)


def _z_scores(matrix: NDArray[np.float32], holes: NDArray[np.bool_]) -> Floats:
    """Difference of each feature's mean between holes and other rows, in standard errors."""
    away = (holes - holes.mean(axis=1, keepdims=True)).astype(np.float32)
    difference = (away @ matrix.T).astype(np.float64)  # (n_targets, n_features)
    unlike = (np.square(away) @ np.square(matrix).T).astype(np.float64)
    alike = np.square(away).sum(axis=1, keepdims=True)  # features have variance 1
    z_scores: Floats = difference / np.sqrt(np.maximum(unlike, alike))
    return z_scores


def _sums_before(matrix: NDArray[np.float32], holes: NDArray[np.bool_], ends: list[int]) -> Floats:
    """Sum of centred holes times features over the rows before each fold but the first.

    Shape (n_folds - 1, n_targets, n_features).
    """
    products = np.zeros((holes.shape[0], matrix.shape[0]))
    n_holes, totals, sums, start = np.zeros(len(holes)), np.zeros(len(matrix)), [], 0
    for end in ends[:-1]:
        hole, part = holes[:, start:end].astype(np.float32), matrix[:, start:end]
        products += hole @ part.T
        n_holes, totals = n_holes + hole.sum(axis=1), totals + part.sum(axis=1)
        sums.append(products - np.outer(n_holes, totals) / max(end, 1))
        start = end
    return np.array(sums)


def _scores(
    matrix: NDArray[np.float32],
    hole: NDArray[np.bool_],
    sums: Floats,
    n_chosen: int,
    ends: list[int],
) -> Floats:
    """Scores of all rows after the first fold, each learned from the rows before its fold."""
    scores = np.zeros(len(hole))
    for which, (start, stop) in enumerate(pairwise(ends)):
        if not 0 < np.count_nonzero(hole[:start]) < start:
            continue
        chosen = np.argsort(-np.abs(sums[which]), kind="stable")[:n_chosen]
        before = matrix[chosen, :start]
        gram = (before @ before.T).astype(np.float64)
        gram[np.diag_indices(n_chosen)] += _RIDGE * start + np.sqrt(start)
        weights = np.linalg.solve(gram, sums[which, chosen])
        score = weights.astype(np.float32) @ matrix[chosen, start:stop]
        spread = float(score.std())
        if spread > 0:
            scores[start:stop] = (score - score.mean()) / spread
    return scores


def _judged(scores: Floats, hole: NDArray[np.bool_], ends: list[int]) -> tuple[float, float]:
    """AUC of the scores, and the chance of a mean that much higher at holes."""
    difference = unlike = alike = 0.0
    for start, stop in pairwise(ends):
        away = hole[start:stop] - hole[start:stop].mean() if stop > start else np.zeros(0)
        difference += float(away @ scores[start:stop])
        unlike += float(np.square(away) @ np.square(scores[start:stop]))
        alike += float(np.square(away).sum()) * float(np.mean(np.square(scores[start:stop])))
    auc = auc_of_values(scores[ends[0] :], hole[ends[0] :])
    if auc is None or alike <= 0.0:
        return 0.5, 1.0
    return auc, float(ndtr(-difference / np.sqrt(max(unlike, alike))))
