"""Fitting the predictive half of a model: priors, members, blend."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace

import jax
import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.blind_fit import fit_blind_readers, nobody
from halfseen.estimators.bounds_of_numbers import bounds_of_numbers
from halfseen.estimators.choices import choices_of
from halfseen.estimators.ensemble import Ensemble
from halfseen.estimators.fitted_prediction import FittedPrediction
from halfseen.estimators.fitting import layer_of, predictive_columns
from halfseen.estimators.gain_over_priors import gain_over_priors
from halfseen.estimators.held_out_answers import held_out_answers
from halfseen.estimators.held_out_lessons import learn_blend, learn_conformal
from halfseen.estimators.predictive_settings import PredictiveSettings
from halfseen.estimators.priors_of_folds import prior_of_zeros, priors_of_folds
from halfseen.estimators.training_length import train_as_long_as_it_pays
from halfseen.learning.epoch import LONG, padded_rows
from halfseen.learning.held_out import HeldOut, hold_out
from halfseen.learning.lent_to_device import lent_to_device
from halfseen.learning.predictive_member import Member, PredictiveShape, Standard
from halfseen.learning.predictive_training import (
    PredictiveState,
    Round,
    compile_training,
    first_state,
    train_predictively,
)
from halfseen.learning.prior_fit import USUAL_SHRINKAGE
from halfseen.learning.progress import ProgressLine, Verbosity
from halfseen.learning.replicas import machines_in
from halfseen.learning.table_source import ReadTable, Table, TableSource
from halfseen.machine.binned_units import shares_of_knots
from halfseen.machine.compilation_cache import kept_compilations
from halfseen.machine.correlated_prior import CorrelatedPrior, Prior
from halfseen.machine.predictive_sweeps import PredictiveParameters
from halfseen.tables import Encoded, EncodedTable, Schema, aligned_zeros

_SMALLEST_SCALE = 0.02
_KEEP_FEATURES = 0.5  # share of the rows in which no feature is put aside
_NEW_ROWS = 0.5  # part of the labels put aside that is taken as whole rows
_MOST_AS_THEY_ARE = 0.5
_JUDGED_ROWS_OF_LONG = 16_384
_ENTRIES_OF_JUDGED_ROWS = 3_000_000
_MOST_ROWS_OF_BIAS = 65_536


@kept_compilations()
def fit_prediction(
    schema: Schema,
    encoded: EncodedTable,
    settings: PredictiveSettings,
    seed: int,
    verbose: Verbosity,
    max_seconds: float = np.inf,
    is_of_no_use: Callable[[], bool] = lambda: False,
) -> FittedPrediction:
    """Train an ensemble on everything observed, and learn on held-out entries how to blend it.

    After ``max_seconds`` training ends where it stands, or with what the last whole round has
    taught, and is no longer reproducible; likewise as soon as it is of no use.
    """
    began = time.monotonic()
    folds = [
        hold_out(
            encoded,
            schema.column_of_unit,
            schema.is_target_unit,
            settings.held_out_share,
            (seed + 7919 * fold) % 2**31,
            _KEEP_FEATURES,
            _NEW_ROWS,
            judged_rows_of_long(encoded.n_rows, encoded.n_visible),
        )
        for fold in range(settings.n_folds)
    ]
    shape = PredictiveShape(
        predictive_columns(schema, settings.n_knots),
        settings.n_hidden,
        settings.n_sweeps,
        settings.n_search_steps,
        settings.batch_size,
        settings.sees_missing,
        settings.n_parts == 1 and any(kind.dropped > 0 for kind in settings.kinds),
        settings.n_parts,
    )
    standard = _standard(encoded, schema, settings.n_knots)
    seen = share_seen(encoded, schema)
    as_they_are = share_as_they_are(seen)
    state = first_state(
        shape,
        standard,
        _first_bias(encoded, schema, standard),
        [seed + member for member in range(settings.n_members)],
    )
    table = _table(encoded, folds)
    like_it = [prior_of_zeros(encoded.n_rows, encoded.n_visible)] * len(folds)
    alike = _members(like_it, settings, as_they_are)
    with ThreadPoolExecutor(1, thread_name_prefix="halfseen-compile") as beside:
        # Compiling leaves Python to others: priors are fitted meanwhile, and members trained.
        to_train = (shape, standard, alike, state, table, settings.n_steps)
        compiled = beside.submit(compile_training, *to_train)
        priors, losses = priors_of_folds(
            encoded, standard, folds, settings.shrinkages, schema.is_target_unit, seed
        )
        wait([compiled])
        first_member = machines_in(slice(0, 1), jax.device_get((alike, state.parameters)))
        answering = beside.submit(
            _ensemble(shape, settings, standard, like_it[:1], *first_member).compile_answers
        )
        members = _members(priors, settings, as_they_are)
        line = ProgressLine("predictive training, step", settings.n_steps, verbose)

        def is_over() -> bool:
            return time.monotonic() - began > max_seconds or is_of_no_use()

        def after(step: int, errors: NDArray[np.float32]) -> bool:
            line.show(step, f"error {errors.mean():.4f}")
            return is_over()

        def train(state: PredictiveState, steps: range) -> Round:
            if settings.n_most_steps > settings.n_steps:
                which = "further" if steps.start else "first"
                line.what = f"predictive training, {which} round, step"
            line.total = steps.stop
            return train_predictively(
                shape, standard, members, state, table, encoded.n_rows, steps, seed, after
            )

        def gain(state: PredictiveState) -> float:
            wait([answering])
            so_far = _ensemble(shape, settings, standard, priors, members, state.parameters)
            return gain_over_priors(so_far, encoded, folds)

        trained = train_as_long_as_it_pays(train, gain, is_over, state, settings)
    line.close("done")
    parameters = trained.state.parameters
    ensemble = _ensemble(shape, settings, standard, priors, members, parameters)
    blind = nobody(folds)
    # Whoever ended training does not wait for others.
    if schema.targets and not trained.is_cut_short and not is_over():
        shrinkage = min(losses, key=lambda share: losses[share], default=USUAL_SHRINKAGE)
        blind = fit_blind_readers(
            ensemble, encoded, folds, settings, shrinkage, seen, seed, verbose, is_over
        )
    heard = held_out_answers(ensemble, blind.of_folds, encoded, folds)
    blend = learn_blend(ensemble, bounds_of_numbers(encoded, schema), heard)
    conformal = learn_conformal(ensemble, blend, heard)
    fitted = FittedPrediction(ensemble, blend, conformal, blind.whole)
    return replace(fitted, choices=choices_of(fitted, settings, losses, trained))


def judged_rows_of_long(n_rows: int, n_visible: int) -> int:
    """Rows of a long table in which entries are put aside: a fifth, if they are not too wide.

    How far each is trusted who has a say in labels is then known better.

    Examples
    --------
    >>> judged_rows_of_long(40_000, 100), judged_rows_of_long(70_000, 794)
    (8000, 3778)
    """
    of_entries = _ENTRIES_OF_JUDGED_ROWS // max(1, n_visible)
    return min(n_rows // 5, _JUDGED_ROWS_OF_LONG, of_entries)


def _table(encoded: EncodedTable, folds: list[HeldOut]) -> TableSource:
    """The table on the device, padded; a long one without a copy, a large one read as it goes."""
    if isinstance(encoded, Encoded):
        return _held_table(encoded, folds)

    def read(rows: NDArray[np.int32]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        visible, observed = encoded.rows(rows)
        training = aligned_zeros((len(folds), *observed.shape), bool)
        for own, fold in zip(training, folds, strict=True):
            own[:] = fold.training_of(rows, observed)
        return visible, training

    return ReadTable(read, len(folds), encoded.n_rows, encoded.n_visible)


def _held_table(encoded: Encoded, folds: list[HeldOut]) -> Table:
    n_rows, n_visible = encoded.visible.shape
    n_padded = n_rows if n_rows >= LONG else padded_rows(n_rows)
    visible = encoded.visible
    if n_padded > n_rows:
        visible = aligned_zeros((n_padded, n_visible), np.float32)
        visible[:n_rows] = encoded.visible
    training = aligned_zeros((len(folds), n_padded, n_visible), bool)
    for own, fold in zip(training, folds, strict=True):
        fold.write_training(encoded.observed, own[:n_rows])
    return Table(lent_to_device(visible), lent_to_device(training))


def _standard(encoded: EncodedTable, schema: Schema, n_knots: int) -> Standard:
    mean = schema.marginals.astype(np.float64)
    scale = np.sqrt(np.maximum(mean * (1 - mean), _SMALLEST_SCALE**2))
    scale[: schema.n_gaussian] = 1.0
    knots = np.zeros((schema.n_gaussian, n_knots))
    for column in range(schema.n_gaussian if n_knots else 0):
        values, seen = encoded.units(slice(column, column + 1))
        knots[column] = column_knots(values[seen].astype(np.float64), n_knots)
    return Standard(*map(jax.device_put, (mean, scale, knots)))


def column_knots(values: NDArray[np.float64], n_knots: int) -> NDArray[np.float64]:
    """Increasing knots at equal shares of the values, the nearest to each other 0.001 apart.

    A value that stands for more than its share has one knot, and the others are left to the rest:
    of a column that is mostly zero they tell apart what is not. A column of few distinct values has
    each of them among its knots.

    Examples
    --------
    >>> column_knots(np.array([1.0, 2.0, 2.0, 5.0]), 4).round(2)
    array([1.  , 2.  , 5.  , 5.01])
    >>> column_knots(np.array([0.0] * 8 + [1.0, 2.0, 3.0, 4.0]), 3).round(2)
    array([0.  , 1.75, 3.25])
    """
    distinct, counts = np.unique(values, return_counts=True)
    often = np.zeros(0)
    while len(distinct) > n_knots - len(often) > 1:
        most = np.argmax(counts)
        if counts[most] * (n_knots - len(often)) <= counts.sum():
            break
        often = np.append(often, distinct[most])
        distinct, counts = np.delete(distinct, most), np.delete(counts, most)
    n_left = n_knots - len(often)
    if len(distinct) > n_left:
        shares = np.quantile(np.repeat(distinct, counts), (np.arange(n_left) + 0.5) / n_left)
        distinct = np.unique(shares)
    distinct = np.union1d(often, distinct)
    missing = n_knots - len(distinct)
    if not len(distinct):
        distinct, missing = np.zeros(1), n_knots - 1
    beyond = distinct[-1] + 0.01 * (1 + np.arange(missing))
    knots = np.concatenate([distinct, beyond])
    smallest = 1e-3 * np.arange(n_knots)
    increasing: NDArray[np.float64] = np.maximum.accumulate(knots - smallest) + smallest
    return increasing


def _first_bias(encoded: EncodedTable, schema: Schema, standard: Standard) -> NDArray[np.float32]:
    """Inputs that give the marginals; of knots from rows of the whole table, at most so many."""
    marginals = schema.marginals.astype(np.float32)
    zeros = np.zeros(schema.n_gaussian, np.float32)
    of_units = layer_of(schema).input_from_mean(marginals, zeros)
    if not standard.knots.shape[1]:
        return of_units
    some = slice(None, None, -(-encoded.n_rows // _MOST_ROWS_OF_BIAS))
    shares = np.zeros(standard.knots.shape)
    for column, knots in enumerate(np.asarray(standard.knots)):
        values, seen = encoded.units(slice(column, column + 1)).rows(some)
        shares[column] = shares_of_knots(values[seen], knots)
    of_knots = np.log(shares + 1e-3).astype(np.float32)
    return np.concatenate([of_units, of_knots.reshape(-1)])


def _members(priors: list[Prior], settings: PredictiveSettings, as_they_are: float) -> Member:
    fold = np.repeat(np.arange(settings.n_folds), len(settings.kinds))
    stacked: Prior = jax.tree.map(lambda *leaves: np.stack(leaves), *[priors[f] for f in fold])
    kinds = [kind for _ in range(settings.n_folds) for kind in settings.kinds]

    def of_each(values: Sequence[float]) -> jax.Array:
        # Not by jnp.asarray, which is compiled anew for every shape.
        on_device: jax.Array = jax.device_put(np.array(values))
        return on_device

    return Member(
        prior=stacked,
        prior_sees_labels=of_each([kind.prior_sees_labels for kind in kinds]),
        fold=of_each(fold.tolist()),
        learning_rate=of_each([kind.learning_rate for kind in kinds]),
        weight_decay=of_each([kind.weight_decay for kind in kinds]),
        most_hidden=of_each([kind.most_hidden for kind in kinds]),
        as_they_are=of_each([as_they_are] * len(kinds)),
        label_weight=of_each([settings.label_weight] * len(kinds)),
        dropped=of_each([kind.dropped for kind in kinds]),
    )


def share_seen(encoded: EncodedTable, schema: Schema) -> float:
    """Share of the units of features that is seen; none if there are no features."""
    of_units = encoded.share_observed()[~schema.is_target_unit]
    return float(of_units.mean()) if of_units.size else 0.0


def share_as_they_are(seen: float) -> float:
    """Share of the labelled rows whose features are not hidden again, if this share is seen.

    Rows of which half is missing look like rows hidden again at random; the more complete a table,
    the less they do, and labels must be learned from rows as they will be asked: none at one half
    observed or less, half of the rows in a complete table.

    Examples
    --------
    >>> share_as_they_are(1.0), share_as_they_are(0.5)
    (0.5, 0.0)
    """
    return _MOST_AS_THEY_ARE * max(0.0, 2.0 * seen - 1.0)


def _missing_weights(parameters: PredictiveParameters) -> NDArray[np.float32]:
    """The weights of the mask units; of no units where there are none."""
    if parameters.missing_weights is None:
        n_members, n_hidden = parameters.hidden_bias.shape
        return np.zeros((n_members, 0, n_hidden), np.float32)
    return np.array(parameters.missing_weights)


def _ensemble(
    shape: PredictiveShape,
    settings: PredictiveSettings,
    standard: Standard,
    priors: list[Prior],
    members: Member,
    parameters: PredictiveParameters,
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
        # Answers are taken with a longer search for the prior's expectation than training has, and
        # by all hidden units.
        replace(shape, n_search_steps=settings.n_answer_search_steps, leaves_out=True, n_parts=1),
        len(settings.kinds),
        weights=np.concatenate(parameters.weights, axis=1),
        visible_bias=np.concatenate(parameters.visible_bias, axis=1),
        hidden_bias=np.array(parameters.hidden_bias),
        gain=np.concatenate(parameters.gain, axis=1),
        start_bias=np.concatenate(parameters.start_bias, axis=1),
        missing_weights=_missing_weights(parameters),
        prior_mean=np.stack([np.asarray(prior.mean) for prior in priors]),
        prior_covariance=covariance,
        prior_noise=noise,
        prior_loading=loading,
        prior_sees_labels=np.array(members.prior_sees_labels),
        unit_mean=np.array(standard.mean),
        unit_scale=np.array(standard.scale),
        knots=np.array(standard.knots),
    )
