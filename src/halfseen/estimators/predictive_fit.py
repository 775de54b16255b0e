"""Fitting the predictive half of a model: priors, members, blend."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.blending import column_blends, mixture_weights
from halfseen.estimators.calibration import learn_class_calibration, learn_label_calibration
from halfseen.estimators.conformal import Conformal, column_quantiles, held_out_quantiles
from halfseen.estimators.ensemble_answers import Answers
from halfseen.estimators.fitted_prediction import (
    Blend,
    Ensemble,
    FittedPrediction,
    number_candidates,
    of_kinds,
    spread_of,
    target_groups,
    weighted,
)
from halfseen.estimators.predictive_settings import PredictiveSettings
from halfseen.learning.epoch import padded_rows
from halfseen.learning.held_out import HeldOut, hold_out
from halfseen.learning.predictive_loss import PredictiveColumns
from halfseen.learning.predictive_training import (
    Member,
    PredictiveShape,
    Standard,
    Table,
    first_state,
    train_predictively,
)
from halfseen.learning.prior_fit import MOST_UNITS, PriorSettings, fit_prior, prior_loss
from halfseen.learning.progress import ProgressLine, Verbosity
from halfseen.machine.binned_units import interpolated
from halfseen.machine.correlated_prior import CorrelatedPrior, LowRankPrior, Prior
from halfseen.machine.predictive_sweeps import PredictiveLayer
from halfseen.machine.visible_layer import VisibleLayer
from halfseen.tables import Encoded, Schema

SHRINKAGES = (0.02, 0.05, 0.15)
_ROUNDS_OF_A_TRIAL = 6
_SMALLEST_SCALE = 0.02


class HeldOutAnswers(NamedTuple):
    """What the members of one fold say of the entries put aside in it."""

    known: Answers  # with the other labels of the row shown
    new: Answers  # with all labels of the row hidden
    truth: NDArray[np.float32]  # (n_judged, n_visible)
    judged: NDArray[np.bool_]  # (n_judged, n_visible)
    shown: NDArray[np.bool_]  # (n_judged, n_visible)


def fit_prediction(
    schema: Schema,
    encoded: Encoded,
    settings: PredictiveSettings,
    seed: int,
    verbose: Verbosity,
    max_seconds: float = np.inf,
) -> FittedPrediction:
    """Train an ensemble on everything observed, and learn on held-out entries how to blend it.

    After ``max_seconds`` training ends where it stands, and is no longer reproducible.
    """
    began = time.monotonic()
    folds = [
        hold_out(
            encoded.visible,
            encoded.observed,
            schema.column_of_unit,
            schema.is_target_unit,
            settings.held_out_share,
            (seed + 7919 * fold) % 2**31,
        )
        for fold in range(settings.n_folds)
    ]
    columns = PredictiveColumns(
        PredictiveLayer(
            VisibleLayer(schema.n_gaussian, schema.n_bernoulli, schema.group_sizes),
            settings.n_knots,
        ),
        tuple(int(column) for column in schema.column_of_unit),
        len(schema.features),
        len(schema.targets),
    )
    shape = PredictiveShape(
        columns,
        settings.n_hidden,
        settings.n_sweeps,
        settings.n_search_steps,
        settings.batch_size,
    )
    standard = _standard(encoded, schema, settings.n_knots)
    priors = _priors(encoded, standard, folds, seed)
    members = _members(priors, settings)
    state = first_state(
        shape,
        standard,
        _first_bias(encoded, schema, standard),
        [seed + member for member in range(settings.n_members)],
    )
    line = ProgressLine("predictive training, step", settings.n_steps, verbose)

    def after(step: int, losses: NDArray[np.float32]) -> bool:
        line.show(step, f"loss {losses.mean():.4f}")
        return time.monotonic() - began > max_seconds

    state = train_predictively(
        shape,
        standard,
        members,
        state,
        _table(encoded, folds),
        len(encoded.visible),
        settings.n_steps,
        seed,
        after,
    )
    line.close("done")
    ensemble = _ensemble(shape, settings, standard, priors, members, state.parameters)
    heard = _held_out_answers(ensemble, encoded, folds)
    blend = _learn_blend(ensemble, encoded, heard)
    return FittedPrediction(ensemble, blend, _learn_conformal(ensemble, blend, heard))


def _table(encoded: Encoded, folds: list[HeldOut]) -> Table:
    held = np.where(encoded.observed, encoded.visible, np.float32(0))
    extra = padded_rows(len(held)) - len(held)
    training = np.stack([fold.training for fold in folds])
    return Table(
        jnp.asarray(np.pad(held, [(0, extra), (0, 0)])),
        jnp.asarray(np.pad(training, [(0, 0), (0, extra), (0, 0)])),
    )


def _standard(encoded: Encoded, schema: Schema, n_knots: int) -> Standard:
    mean = schema.marginals.astype(np.float64)
    scale = np.sqrt(np.maximum(mean * (1 - mean), _SMALLEST_SCALE**2))
    scale[: schema.n_gaussian] = 1.0
    knots = np.zeros((schema.n_gaussian, n_knots))
    for column in range(schema.n_gaussian if n_knots else 0):
        seen = encoded.visible[encoded.observed[:, column], column].astype(np.float64)
        knots[column] = column_knots(seen, n_knots)
    return Standard(*(jnp.asarray(part, jnp.float32) for part in (mean, scale, knots)))


def column_knots(values: NDArray[np.float64], n_knots: int) -> NDArray[np.float64]:
    """Increasing knots at equal shares of the values, both ends of the column among them.

    A column of few distinct values has each of them among its knots.

    Examples
    --------
    >>> column_knots(np.array([1.0, 2.0, 2.0, 5.0]), 4).round(2)
    array([1.  , 2.  , 5.  , 5.01])
    """
    distinct = np.unique(values)
    if len(distinct) > n_knots:
        shares = np.quantile(values, (np.arange(n_knots) + 0.5) / n_knots)
        distinct = np.unique(shares)
    missing = n_knots - len(distinct)
    beyond = distinct[-1] + 0.01 * (1 + np.arange(missing))
    knots = np.concatenate([distinct, beyond])
    smallest = 1e-3 * np.arange(n_knots)
    return np.maximum.accumulate(knots - smallest) + smallest


def _first_bias(
    encoded: Encoded, schema: Schema, standard: Standard
) -> NDArray[np.float32]:
    layer = VisibleLayer(schema.n_gaussian, schema.n_bernoulli, schema.group_sizes)
    marginals = jnp.asarray(schema.marginals, jnp.float32)
    of_units = np.asarray(layer.input_from_mean(marginals, jnp.zeros(schema.n_gaussian)))
    if not standard.knots.shape[1]:
        return of_units
    numbers = encoded.visible[:, : schema.n_gaussian]
    seen = encoded.observed[:, : schema.n_gaussian]
    shares = np.zeros(standard.knots.shape)
    for first in range(0, len(numbers), 1024):
        part = np.asarray(interpolated(numbers[first : first + 1024], standard.knots))
        shares += np.sum(part * seen[first : first + 1024, :, None], axis=0)
    shares /= np.maximum(seen.sum(axis=0), 1)[:, None]
    of_knots = np.log(shares + 1e-3).astype(np.float32)
    return np.concatenate([of_units, of_knots.reshape(-1)])


def _priors(
    encoded: Encoded, standard: Standard, folds: list[HeldOut], seed: int
) -> list[Prior]:
    """One prior for each fold, of what the fold may learn from; shrinkage by what it put aside."""
    values = ((encoded.visible - np.asarray(standard.mean)) / np.asarray(standard.scale)).astype(
        np.float32
    )
    n_visible = values.shape[1]
    if n_visible > MOST_UNITS:
        alone = LowRankPrior(jnp.zeros(n_visible), jnp.ones(n_visible), jnp.zeros((n_visible, 1)))
        return [alone for _ in folds]
    first = folds[0]
    losses = []
    for shrinkage in SHRINKAGES if first.judging.any() else SHRINKAGES[1:2]:
        trial = fit_prior(
            values, first.training, PriorSettings(shrinkage, _ROUNDS_OF_A_TRIAL), seed
        )
        if not first.judging.any():
            return [trial for _ in folds]
        rows = first.judged_rows
        losses.append(prior_loss(trial, values[rows], first.training[rows], first.judging))
    chosen = PriorSettings(SHRINKAGES[int(np.argmin(losses))])
    return [fit_prior(values, fold.training, chosen, seed) for fold in folds]


def _members(priors: list[Prior], settings: PredictiveSettings) -> Member:
    fold = np.repeat(np.arange(settings.n_folds), len(settings.kinds))
    stacked: Prior = jax.tree.map(lambda *leaves: jnp.stack(leaves), *[priors[f] for f in fold])
    kinds = [kind for _ in range(settings.n_folds) for kind in settings.kinds]
    return Member(
        prior=stacked,
        prior_sees_labels=jnp.asarray([kind.prior_sees_labels for kind in kinds]),
        fold=jnp.asarray(fold),
        learning_rate=jnp.asarray([kind.learning_rate for kind in kinds]),
        weight_decay=jnp.asarray([kind.weight_decay for kind in kinds]),
        most_hidden=jnp.asarray([kind.most_hidden for kind in kinds]),
        label_weight=jnp.full(len(kinds), settings.label_weight),
        dropped=jnp.asarray([kind.dropped for kind in kinds]),
    )


def _ensemble(
    shape: PredictiveShape,
    settings: PredictiveSettings,
    standard: Standard,
    priors: list[Prior],
    members: Member,
    parameters: NamedTuple,
) -> Ensemble:
    n_folds, n_visible = len(priors), shape.columns.wide.layer.n_visible
    covariance = np.zeros((n_folds, n_visible, 0), np.float32)
    noise = np.zeros((n_folds, n_visible), np.float32)
    loading = np.zeros((n_folds, n_visible, 0), np.float32)
    if isinstance(priors[0], CorrelatedPrior):
        covariance = np.stack([np.asarray(p.covariance) for p in priors])  # type: ignore[union-attr]
    else:
        noise = np.stack([np.asarray(p.noise) for p in priors])  # type: ignore[union-attr]
        loading = np.stack([np.asarray(p.loading) for p in priors])  # type: ignore[union-attr]
    return Ensemble(
        # Answers are taken with a longer search for the prior's expectation than training has.
        replace(shape, n_search_steps=2 * shape.n_search_steps),
        len(settings.kinds),
        *(np.array(leaf) for leaf in parameters),
        np.stack([np.asarray(prior.mean) for prior in priors]),
        covariance,
        noise,
        loading,
        np.asarray(members.prior_sees_labels),
        *(np.asarray(part) for part in standard),
    )


def _held_out_answers(
    ensemble: Ensemble, encoded: Encoded, folds: list[HeldOut]
) -> list[HeldOutAnswers]:
    """What the members of every fold say of the entries that were put aside in it."""
    heard = []
    for index, fold in enumerate(folds):
        own = slice(index * ensemble.n_kinds, (index + 1) * ensemble.n_kinds)
        rows = fold.judged_rows
        visible, shown = encoded.visible[rows], fold.training[rows]
        without_labels = shown & ~ensemble.shape.columns.is_target_unit
        known, new = (
            Answers(*(part[own] for part in ensemble.answers(visible, seen)))
            for seen in (shown, without_labels)
        )
        heard.append(HeldOutAnswers(known, new, visible, fold.judging, shown))
    return heard


def _learn_blend(
    ensemble: Ensemble, encoded: Encoded, heard: list[HeldOutAnswers]
) -> Blend:
    """Weights and calibration from what the members say of entries they were not shown."""
    n_kinds, columns = ensemble.n_kinds, ensemble.shape.columns
    layer, is_target = columns.wide.layer, columns.is_target_unit
    numbers = slice(0, layer.n_gaussian)
    blends = column_blends(
        np.concatenate([number_candidates(one.known, n_kinds) for one in heard], axis=1),
        np.concatenate([one.truth[:, numbers] for one in heard]).astype(np.float64),
        np.concatenate([one.judged[:, numbers] for one in heard]),
    )
    discrete = mixture_weights(_truth_probability(ensemble, heard, "known", ~is_target))
    label, lines, powers = [], [], []
    for context in ("new", "known"):
        weights = mixture_weights(_truth_probability(ensemble, heard, context, is_target))
        line, power = _learn_calibration(ensemble, heard, context, weights)
        label.append(weights)
        lines.append(line)
        powers.append(power)
    seen = np.where(encoded.observed, encoded.visible, np.nan)[:, numbers]
    empty = ~encoded.observed[:, numbers].any(axis=0)
    seen[:, empty] = 0.0
    return Blend(
        blends,
        discrete,
        np.stack(label),
        np.stack(lines),
        np.array(powers),
        np.nanmin(seen, axis=0).astype(np.float64) if len(seen) else np.zeros(layer.n_gaussian),
        np.nanmax(seen, axis=0).astype(np.float64) if len(seen) else np.zeros(layer.n_gaussian),
    )


def _truth_probability(
    ensemble: Ensemble, heard: list[HeldOutAnswers], context: str, wanted: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """What each kind gave to the truth of the judged discrete entries, (n_kinds, n_entries)."""
    layer = ensemble.shape.columns.wide.layer
    first_group = layer.n_gaussian + layer.n_bernoulli
    is_bernoulli = np.zeros(layer.n_visible, bool)
    is_bernoulli[layer.n_gaussian : first_group] = True
    parts = []
    for one in heard:
        means = of_kinds(getattr(one, context).means, ensemble.n_kinds)
        binary = one.judged & wanted & is_bernoulli
        truth = one.truth[binary]
        said = means[:, binary]
        parts.append(truth * said + (1 - truth) * (1 - said))
        on = one.judged & wanted & ~is_bernoulli & (one.truth > 0.5)
        on[:, : layer.n_gaussian] = False
        parts.append(means[:, on])
    return np.concatenate(parts, axis=1)


def _learn_calibration(
    ensemble: Ensemble, heard: list[HeldOutAnswers], context: str, weights: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    is_target = ensemble.shape.columns.is_target_unit
    groups = target_groups(ensemble.shape)
    n_labels = groups[0].start if groups else int(is_target.sum())
    said, truth, first = [], [], []
    for one in heard:
        means = of_kinds(getattr(one, context).means, ensemble.n_kinds)
        mixed = weighted(weights, means[:, :, is_target])
        judged, right = one.judged[:, is_target], one.truth[:, is_target] > 0.5
        labels = judged[:, :n_labels]
        said.append(mixed[:, :n_labels][labels])
        truth.append(right[:, :n_labels][labels])
        for group in groups:
            rows = judged[:, group.start]
            ordered = np.argsort(~right[rows][:, group], axis=1, kind="stable")
            first.append(np.take_along_axis(mixed[rows][:, group], ordered, axis=1))
    line = learn_label_calibration(np.concatenate(said), np.concatenate(truth))
    widest = max((part.shape[1] for part in first), default=1)
    padded = [
        np.pad(part, [(0, 0), (0, widest - part.shape[1])], constant_values=0.0) for part in first
    ]
    power = learn_class_calibration(np.concatenate(padded) if padded else np.zeros((0, 1)))
    return line, power


def _learn_conformal(
    ensemble: Ensemble, blend: Blend, heard: list[HeldOutAnswers]
) -> Conformal:
    """How far the truth of held-out entries lies from the blend of their own fold."""
    columns = ensemble.shape.columns
    numbers = slice(0, columns.wide.layer.n_gaussian)
    bare = FittedPrediction(ensemble, blend, Conformal(np.zeros((0, 0)), np.zeros((0, 0))))
    scores, judged = [], []
    of_labels: list[list[NDArray[np.float64]]] = [[], []]
    for one in heard:
        expected = bare.blended(one.known, one.shown)[:, numbers]
        scores.append(np.abs(one.truth[:, numbers] - expected) / spread_of(one.known))
        judged.append(one.judged[:, numbers])
        for context, answers in enumerate((one.new, one.known)):
            seen = one.shown if context else one.shown & ~columns.is_target_unit
            said = bare.blended(answers, seen)
            of_labels[context].append(1.0 - _said_of_truth(columns, said, one))
    return Conformal(
        column_quantiles(np.concatenate(scores), np.concatenate(judged)),
        np.stack([held_out_quantiles(np.concatenate(parts)) for parts in of_labels]),
    )


def _said_of_truth(
    columns: PredictiveColumns, said: NDArray[np.float64], one: HeldOutAnswers
) -> NDArray[np.float64]:
    """Probability of the truth of every judged target entry, of shape (n_entries,)."""
    layer = columns.wide.layer
    is_label = columns.is_target_unit.copy()
    is_label[layer.n_gaussian + layer.n_bernoulli :] = False
    labels = one.judged & is_label
    truth = one.truth[labels]
    of_labels = truth * said[labels] + (1 - truth) * (1 - said[labels])
    on = one.judged & columns.is_target_unit & ~is_label & (one.truth > 0.5)
    return np.concatenate([of_labels, said[on]])
