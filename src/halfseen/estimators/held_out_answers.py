"""What an ensemble learns from entries put aside: blend, pools, conformal levels."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.blending import column_blends, mixture_weights
from halfseen.estimators.conformal import Conformal, column_quantiles, held_out_quantiles
from halfseen.estimators.ensemble import Ensemble
from halfseen.estimators.ensemble_answers import Answers
from halfseen.estimators.fitted_prediction import (
    Blend,
    FittedPrediction,
    discrete_candidates,
    judged_candidates,
    spread_of,
    target_candidates,
    target_groups,
)
from halfseen.estimators.forest import Forest
from halfseen.estimators.pooling import learn_class_pool, learn_label_pool
from halfseen.learning.held_out import HeldOut
from halfseen.learning.predictive_loss import PredictiveColumns
from halfseen.tables import EncodedTable

_CONTEXTS = ("new", "known")  # no label of a row is shown, or the others are
_PARTS = 5
_ROWS_AT_ONCE = 1024
_NO_LEVELS = Conformal(np.zeros((0, 0)), np.zeros((0, 0)))


class HeldOutAnswers(NamedTuple):
    """What the members of one fold say of the entries put aside in it."""

    known: Answers  # with the other labels of the row shown
    new: Answers  # with all labels of the row hidden
    truth: NDArray[np.float32]  # (n_judged, n_visible)
    judged: NDArray[np.bool_]  # (n_judged, n_visible)
    shown: NDArray[np.bool_]  # (n_judged, n_visible)
    of_forest: NDArray[np.float64] | None  # (n_judged, n_target_units), of target units


def held_out_answers(
    ensemble: Ensemble, forest: Forest | None, folds: list[HeldOut]
) -> list[HeldOutAnswers]:
    """What members and trees of every fold say of the entries that were put aside in it."""
    is_target = ensemble.shape.columns.is_target_unit
    heard = []
    for index, fold in enumerate(folds):
        visible, shown = fold.visible, fold.shown
        known = ensemble.answers_of_fold(index, visible, shown)
        new = known
        if is_target.any():
            new = ensemble.answers_of_fold(index, visible, shown & ~is_target)
        of_forest = None
        if forest is not None:
            completed = ensemble.completed_by_priors(known, visible, shown)[0]
            of_forest = forest.shares_of_fold(index, completed)
        heard.append(HeldOutAnswers(known, new, visible, fold.judging, shown, of_forest))
    return heard


def learn_blend(ensemble: Ensemble, encoded: EncodedTable, heard: list[HeldOutAnswers]) -> Blend:
    """Weights and powers from what the members say of entries they were not shown."""
    n_kinds, columns = ensemble.n_kinds, ensemble.shape.columns
    layer, is_target = columns.wide.layer, columns.is_target_unit
    numbers = slice(0, layer.n_gaussian)
    # Of judged entries alone: of all others, candidates would take more room than many a table.
    asked = [one.judged[:, numbers] for one in heard]
    blends = column_blends(
        np.concatenate(
            [
                judged_candidates(one.known, n_kinds, judged)
                for one, judged in zip(heard, asked, strict=True)
            ],
            axis=1,
        ),
        np.concatenate(
            [one.truth[:, numbers][judged] for one, judged in zip(heard, asked, strict=True)]
        ).astype(np.float64),
        np.concatenate([np.nonzero(judged)[1] for judged in asked]),
        layer.n_gaussian,
    )
    discrete = mixture_weights(_truth_probability(ensemble, heard, "known", ~is_target))
    pools = [
        _learn_pool(
            ensemble,
            _taught_by(heard, context, is_target),
            _target_candidates(ensemble, heard, context),
            context,
        )
        for context in _CONTEXTS
    ]
    lowest, highest = _bounds(encoded, layer.n_gaussian)
    return Blend(
        blends,
        discrete,
        np.tile(np.eye(pools[0].class_power.size), (len(_CONTEXTS), 1, 1)),
        np.stack([pool.label_power for pool in pools]),
        np.array([pool.label_shift for pool in pools]),
        np.stack([pool.class_power for pool in pools]),
        lowest,
        highest,
    )


def _bounds(
    encoded: EncodedTable, n_gaussian: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Lowest and highest observed value of every number; 0 where nothing is observed."""
    lowest, highest = (bound[:n_gaussian] for bound in encoded.bounds())
    empty = lowest > highest
    return np.where(empty, 0.0, lowest), np.where(empty, 0.0, highest)


def _truth_probability(
    ensemble: Ensemble, heard: list[HeldOutAnswers], context: str, wanted: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """What each candidate gave to the truth of judged entries, (n_kinds + 1, n_entries)."""
    layer = ensemble.shape.columns.wide.layer
    discrete = slice(layer.n_gaussian, None)
    is_bernoulli = np.arange(layer.n_visible - layer.n_gaussian) < layer.n_bernoulli
    parts = []
    for one in heard:
        said = discrete_candidates(ensemble, getattr(one, context))
        judged, truth = (one.judged & wanted)[:, discrete], one.truth[:, discrete]
        binary = judged & is_bernoulli
        on = said[:, binary]
        parts.append(truth[binary] * on + (1 - truth[binary]) * (1 - on))
        parts.append(said[:, judged & ~is_bernoulli & (truth > 0.5)])
    return np.concatenate(parts, axis=1)


class _Pool(NamedTuple):
    label_power: NDArray[np.float64]
    label_shift: float
    class_power: NDArray[np.float64]


def first_powers(n_readers: int, has_forest: bool, context: str) -> NDArray[np.float64]:
    """Powers of a pool before any entry has spoken: equal ones.

    A forest reads no labels: in rows of which some are known it has to earn its power.

    Examples
    --------
    >>> first_powers(3, True, "new"), first_powers(2, True, "known")
    (array([0.25, 0.25, 0.25, 0.25]), array([0.5, 0.5, 0. ]))
    """
    speaks = np.ones(n_readers + has_forest)
    if has_forest and context == "known":
        speaks[-1] = 0.0
    powers: NDArray[np.float64] = speaks / speaks.sum()
    return powers


def _learn_pool(
    ensemble: Ensemble,
    heard: list[HeldOutAnswers],
    candidates: list[NDArray[np.float64]],
    context: str,
) -> _Pool:
    """Powers of all candidates for labels and for classes, from the judged target entries."""
    has_forest = heard[0].of_forest is not None
    first_power = first_powers(ensemble.n_kinds + 1, has_forest, context)
    is_target = ensemble.shape.columns.is_target_unit
    groups = target_groups(ensemble.shape)
    n_labels = groups[0].start if groups else int(is_target.sum())
    said, truth, first = [], [], []
    for one, means in zip(heard, candidates, strict=True):
        judged, right = one.judged[:, is_target], one.truth[:, is_target] > 0.5
        labels = judged[:, :n_labels]
        said.append(means[:, :, :n_labels][:, labels])
        truth.append(right[:, :n_labels][labels])
        for group in groups:
            rows = judged[:, group.start]
            ordered = np.argsort(~right[rows][:, group], axis=1, kind="stable")
            first.append(np.take_along_axis(means[:, rows, group], ordered[None], axis=2))
    power, shift = learn_label_pool(
        np.concatenate(said, axis=1), np.concatenate(truth), first_power
    )
    widest = max((part.shape[2] for part in first), default=1)
    padded = [
        np.pad(part, [(0, 0), (0, 0), (0, widest - part.shape[2])], constant_values=0.0)
        for part in first
    ]
    none = np.zeros((len(candidates[0]), 0, 1))
    rows_of_all = np.concatenate(padded, axis=1) if padded else none
    of_classes = learn_class_pool(rows_of_all, first_power)
    return _Pool(power, shift, of_classes)


def _target_candidates(
    ensemble: Ensemble, heard: list[HeldOutAnswers], context: str
) -> list[NDArray[np.float64]]:
    """Of every fold all predictions of target units, (n_candidates, n_judged, n_target_units)."""
    return [
        target_candidates(
            ensemble, discrete_candidates(ensemble, getattr(one, context)), one.of_forest
        )
        for one in heard
    ]


def learn_conformal(ensemble: Ensemble, blend: Blend, heard: list[HeldOutAnswers]) -> Conformal:
    """How far the truth of held-out entries lies from the blend of their own fold."""
    columns = ensemble.shape.columns
    numbers = slice(0, columns.wide.layer.n_gaussian)
    bare = FittedPrediction(ensemble, blend, _NO_LEVELS)
    scores, judged = [], []
    for one in heard:
        # Bounds are asked for without labels, and must hold without their help.
        for first in range(0, len(one.truth), _ROWS_AT_ONCE):
            some = slice(first, first + _ROWS_AT_ONCE)
            said = Answers(*(part[:, some] for part in one.new))
            away = np.abs(one.truth[some, numbers] - bare.blended_numbers(said))
            scores.append(away / spread_of(said))
            judged.append(one.judged[some, numbers])
    return Conformal(
        column_quantiles(np.concatenate(scores), np.concatenate(judged)),
        np.stack([held_out_quantiles(label_scores(ensemble, blend, heard, c)) for c in (0, 1)]),
    )


def label_scores(
    ensemble: Ensemble, blend: Blend, heard: list[HeldOutAnswers], context: int
) -> NDArray[np.float64]:
    """One minus the probability of the truth of every judged target entry.

    The pool was chosen on the same entries, and known labels may be few: for a fifth of the rows at
    a time it is learned from the others, so that no entry is
    judged by a choice in which it had a say.
    """
    columns = ensemble.shape.columns
    said = _target_candidates(ensemble, heard, _CONTEXTS[context])
    teachers = _taught_by(heard, _CONTEXTS[context], columns.is_target_unit)
    heard = _asked_like(heard, _CONTEXTS[context], columns.is_target_unit)
    scores = []
    for part in range(_PARTS):
        others = [_of_rows(one, np.arange(len(one.truth)) % _PARTS != part) for one in teachers]
        bare = FittedPrediction(
            ensemble, _relearned(ensemble, blend, others, said, context), _NO_LEVELS
        )
        for one, candidates in zip(heard, said, strict=True):
            own = _of_rows(one, np.arange(len(one.truth)) % _PARTS == part)
            shown = one.shown[:, columns.is_target_unit] & bool(context)
            knows = np.asarray(shown.any(axis=1))
            scores.append(1.0 - _said_of_truth(columns, bare.pooled(candidates, knows), own))
    return np.concatenate(scores)


def _taught_by(
    heard: list[HeldOutAnswers], context: str, is_target: NDArray[np.bool_]
) -> list[HeldOutAnswers]:
    """What a pool is learned from: for new rows everything, since much is learned from many."""
    return heard if context == "new" else _asked_like(heard, context, is_target)


def _asked_like(
    heard: list[HeldOutAnswers], context: str, is_target: NDArray[np.bool_]
) -> list[HeldOutAnswers]:
    """The same, judged in rows of which no label, or some, was trained on; in all if none is so."""
    alike = []
    for one in heard:
        knows = np.asarray(one.shown[:, is_target].any(axis=1))
        alike.append(_of_rows(one, knows if context == "known" else ~knows))
    return alike if any(one.judged[:, is_target].any() for one in alike) else heard


def _of_rows(one: HeldOutAnswers, rows: NDArray[np.bool_]) -> HeldOutAnswers:
    """The same, judged in some rows only."""
    return one._replace(judged=one.judged & rows[:, None])


def _relearned(
    ensemble: Ensemble,
    blend: Blend,
    heard: list[HeldOutAnswers],
    candidates: list[NDArray[np.float64]],
    context: int,
) -> Blend:
    """The blend with its pools of labels and classes learned from these entries."""
    pool = _learn_pool(ensemble, heard, candidates, _CONTEXTS[context])
    powers, shifts = blend.label_power.copy(), blend.label_shift.copy()
    of_classes = blend.class_power.copy()
    powers[context], shifts[context], of_classes[context] = pool
    return replace(blend, label_power=powers, label_shift=shifts, class_power=of_classes)


def _said_of_truth(
    columns: PredictiveColumns, said: NDArray[np.float64], one: HeldOutAnswers
) -> NDArray[np.float64]:
    """Probability of the truth of every judged target entry, from that of all target units."""
    column, is_target = np.asarray(columns.column_of_unit), columns.is_target_unit
    # Of classes, be their units a group or independent, only the true one has a say.
    is_label = np.bincount(column)[column] == 1
    is_label[columns.wide.layer.n_gaussian + columns.wide.layer.n_bernoulli :] = False
    judged, right = one.judged[:, is_target], one.truth[:, is_target]
    labels = judged & is_label[is_target]
    of_labels = right[labels] * said[labels] + (1 - right[labels]) * (1 - said[labels])
    return np.concatenate([of_labels, said[judged & ~is_label[is_target] & (right > 0.5)]])
