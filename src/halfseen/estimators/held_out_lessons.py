"""What an ensemble learns from entries put aside: blend, pools, conformal levels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.blending import column_blends, mixture_weights
from halfseen.estimators.bounds_of_numbers import Bounds
from halfseen.estimators.conformal import Conformal, column_quantiles, held_out_quantiles
from halfseen.estimators.ensemble import Ensemble
from halfseen.estimators.fitted_prediction import (
    Blend,
    FittedPrediction,
    target_groups,
    weighted,
)
from halfseen.estimators.held_out_answers import HeldOutAnswers, Said
from halfseen.estimators.pooling import learn_class_pool, learn_label_pool
from halfseen.learning.predictive_loss import PredictiveColumns

_CONTEXTS = ("new", "known")  # no label of a row is shown, or the others are
_PARTS = 5
_NO_LEVELS = Conformal(np.zeros((0, 0)), np.zeros((0, 0)))


def learn_blend(ensemble: Ensemble, bounds: Bounds, heard: list[HeldOutAnswers]) -> Blend:
    """Weights and powers from what the members say of entries they were not shown."""
    columns = ensemble.shape.columns
    layer, is_target = columns.wide.layer, columns.is_target_unit
    blends = column_blends(
        np.concatenate([one.known.numbers for one in heard], axis=1),
        _true_numbers(heard, layer.n_gaussian),
        _columns_of_numbers(heard, layer.n_gaussian),
        layer.n_gaussian,
    )
    discrete = mixture_weights(np.concatenate([one.known.truth for one in heard], axis=1))
    pools = [
        _learn_pool(
            ensemble,
            _taught_by(heard, context, is_target),
            _targets(heard, context),
            context,
        )
        for context in _CONTEXTS[: _n_contexts(columns)]
    ]
    pools = (pools * len(_CONTEXTS))[: len(_CONTEXTS)]
    return Blend(
        blends,
        discrete,
        np.tile(np.eye(pools[0].class_power.size), (len(_CONTEXTS), 1, 1)),
        np.stack([pool.label_power for pool in pools]),
        np.array([pool.label_shift for pool in pools]),
        np.stack([pool.class_power for pool in pools]),
        *bounds,
    )


def _n_contexts(columns: PredictiveColumns) -> int:
    """Of a row whose only target is asked for, no label is known: there is one context."""
    return 1 if columns.n_targets <= 1 else len(_CONTEXTS)


class _Pool(NamedTuple):
    label_power: NDArray[np.float64]
    label_shift: float
    class_power: NDArray[np.float64]


def first_powers(n_readers: int, n_blind: int, context: str) -> NDArray[np.float64]:
    """Powers of a pool before any entry has spoken: equal ones.

    Who reads no labels has to earn a power in rows of which some are known.

    Examples
    --------
    >>> first_powers(3, 1, "new"), first_powers(2, 1, "known")
    (array([0.25, 0.25, 0.25, 0.25]), array([0.5, 0.5, 0. ]))
    """
    speaks = np.ones(n_readers + n_blind)
    if context == "known":
        speaks[n_readers:] = 0.0
    powers: NDArray[np.float64] = speaks / speaks.sum()
    return powers


def _learn_pool(
    ensemble: Ensemble,
    heard: list[HeldOutAnswers],
    candidates: list[NDArray[np.float64]],
    context: str,
) -> _Pool:
    """Powers of all candidates for labels and for classes, from the judged target entries."""
    first_power = first_powers(ensemble.n_kinds + 1, heard[0].n_blind, context)
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
    of_labels, right_labels = np.concatenate(said, axis=1), np.concatenate(truth)
    first_of_labels = first_power * _alone(
        len(first_power),
        heard[0].n_of_classes,
        lambda own: learn_label_pool(of_labels[own], right_labels, np.ones(1))[0],
    )
    power, shift = learn_label_pool(of_labels, right_labels, first_of_labels)
    widest = max((part.shape[2] for part in first), default=1)
    padded = [
        np.pad(part, [(0, 0), (0, 0), (0, widest - part.shape[2])], constant_values=0.0)
        for part in first
    ]
    none = np.zeros((len(candidates[0]), 0, 1))
    rows_of_all = np.concatenate(padded, axis=1) if padded else none
    first_of_classes = first_power * _alone(
        len(first_power),
        heard[0].n_of_classes,
        lambda own: learn_class_pool(rows_of_all[own], np.ones(1)),
    )
    return _Pool(power, shift, learn_class_pool(rows_of_all, first_of_classes))


def _alone(
    n_candidates: int, n_last: int, learn: Callable[[slice], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """The power that each of the last candidates would have alone; one for the others.

    Gaussians and boosted trees may be much too sure, and a pool must not begin with that.
    """
    powers = np.ones(n_candidates)
    for own in range(n_candidates - n_last, n_candidates):
        powers[own] = learn(slice(own, own + 1))[0]
    return powers


def _targets(heard: list[HeldOutAnswers], context: str) -> list[NDArray[np.float64]]:
    """Of every fold all predictions of target units, (n_candidates, n_judged, n_target_units)."""
    said: list[Said] = [getattr(one, context) for one in heard]
    return [one.targets for one in said]


def learn_conformal(ensemble: Ensemble, blend: Blend, heard: list[HeldOutAnswers]) -> Conformal:
    """How far the truth of held-out entries lies from the blend of their own fold."""
    n_gaussian = ensemble.shape.columns.wide.layer.n_gaussian
    column = _columns_of_numbers(heard, n_gaussian)
    # Bounds are asked for without labels, and must hold without their help.
    said = np.concatenate([one.new.numbers for one in heard], axis=1)
    blended = weighted(blend.number.T[:, column], said)
    blended = np.clip(blended, blend.lowest[column], blend.highest[column])
    spread = np.concatenate([one.new.spread for one in heard])
    scores = np.abs(_true_numbers(heard, n_gaussian) - blended) / spread
    contexts = range(_n_contexts(ensemble.shape.columns))
    of_labels = np.stack(
        [held_out_quantiles(label_scores(ensemble, blend, heard, own)) for own in contexts]
    )
    return Conformal(
        column_quantiles(scores, column, n_gaussian),
        np.resize(of_labels, (len(_CONTEXTS), of_labels.shape[1])),
    )


def _true_numbers(heard: list[HeldOutAnswers], n_gaussian: int) -> NDArray[np.float64]:
    """The truth of all judged numbers."""
    numbers = slice(0, n_gaussian)
    true = [one.truth[:, numbers][one.judged[:, numbers]] for one in heard]
    return np.concatenate(true).astype(np.float64)


def _columns_of_numbers(heard: list[HeldOutAnswers], n_gaussian: int) -> NDArray[np.int64]:
    """The column of all judged numbers."""
    return np.concatenate([np.nonzero(one.judged[:, :n_gaussian])[1] for one in heard])


def label_scores(
    ensemble: Ensemble, blend: Blend, heard: list[HeldOutAnswers], context: int
) -> NDArray[np.float64]:
    """One minus the probability of the truth of every judged target entry.

    The pool was chosen on the same entries, and known labels may be few: for a fifth of the rows at
    a time it is learned from the others, so that no entry is
    judged by a choice in which it had a say.
    """
    columns = ensemble.shape.columns
    said = _targets(heard, _CONTEXTS[context])
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
