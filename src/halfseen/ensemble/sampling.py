"""Draws and log-probabilities from the ensemble: columns one group after another, in random orders.

Any joint distribution is a product of conditional ones, in any order of the columns. A draw takes
one fold of the ensemble and one order, so that draws vary as much as the model is unsure. Columns
of a group are drawn independently given all that is observed or drawn before; those that hang
together are in different groups.
"""

from __future__ import annotations

from functools import partial

import jax
import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from halfseen.base.tiles import map_tiles
from halfseen.data.schema import Encoded
from halfseen.ensemble.model import Ensemble
from halfseen.ensemble.stacking import LEAST_PROBABILITY

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

_MOST_GROUPS = 12
_N_ORDERS = 4  # over which log-probabilities are averaged
_DRAWS, _SAMPLES = 100, 101  # streams of random numbers


def column_groups(ensemble: Ensemble, seed: int, order: int) -> list[NDArray[np.int64]]:
    """Columns with units in a random order, in groups of columns that hang together little."""
    schema = ensemble.schema
    columns = [j for j, column in enumerate(schema.columns) if column.n_units]
    n_groups = min(_MOST_GROUPS, len(columns))
    size = -(-len(columns) // n_groups)
    strength = _couplings(ensemble)
    groups: list[list[int]] = [[] for _ in range(n_groups)]
    for j in np.random.default_rng([seed, order, 23]).permutation(columns).tolist():
        open_groups = [group for group in groups if len(group) < size]
        cost = [strength[j, group].max(initial=0.0) for group in open_groups]
        open_groups[int(np.argmin(cost))].append(j)
    return [np.array(group) for group in groups if group]


def _couplings(ensemble: Ensemble) -> Floats:
    """Largest correlation under the prior between units of two columns."""
    schema, prior = ensemble.schema, ensemble.folds[0].members[0].prior
    loading, noise = np.asarray(prior.loading, np.float64), np.asarray(prior.noise, np.float64)
    covariance = loading @ loading.T + np.diag(noise)
    std = np.sqrt(np.diag(covariance))
    of_units = np.abs(covariance / std / std[:, None])
    n_columns, column = len(schema.columns), schema.unit_column
    by_row = np.zeros((n_columns, len(column)))
    np.maximum.at(by_row, column, of_units)
    strength = np.zeros((n_columns, n_columns))
    np.maximum.at(strength.T, column, by_row.T)
    return strength


def draw_missing(
    ensemble: Ensemble,
    encoded: Encoded,
    *,
    seed: int,
    model_seed: int,
    draw: int,
    first_row: int,
    targets: bool,
    stream: int = _DRAWS,
) -> NDArray[np.float32]:
    """Fill missing units with one draw; the random numbers of a row are those of its position."""
    schema, fold = ensemble.schema, ensemble.folds[draw % len(ensemble.folds)]
    n_wanted = len(schema.columns) if targets else len(schema.features)
    uniform = _uniforms(len(encoded.values), len(schema.columns), [seed, stream, draw], first_row)
    values, observed = encoded.values.copy(), encoded.observed.copy()
    assert ensemble.stack is not None
    of_numbers = ensemble.stack.residuals
    # A mean that is estimated from so many entries is unsure: each draw has another one.
    normal = np.random.default_rng([model_seed, seed, stream, draw, 43]).normal
    shift = normal(size=len(of_numbers.scale)) * of_numbers.scale / np.sqrt(of_numbers.n_entries)
    for group in column_groups(ensemble, model_seed, draw % _N_ORDERS):
        own = [j for j in group if j < n_wanted]
        asked = np.zeros(len(values), bool)
        for j in own:
            asked |= ~observed[:, schema.units_of(j).start]
        if not asked.any():
            continue
        rows = Encoded(values[asked], observed[asked])
        mean, spread = ensemble.complete(rows, [fold])
        numbers = _numbers_given(ensemble, rows.observed, mean, spread)
        for j in own:
            units = schema.units_of(j)
            missing = ~rows.observed[:, units.start]
            drawn = _drawn(ensemble, j, mean[:, units], numbers, shift, uniform[asked, j])
            rows.values[missing, units] = drawn[missing]
            rows.observed[missing, units] = True
        values[asked], observed[asked] = rows
    return values


def sample_rows(ensemble: Ensemble, n_rows: int, seed: int, model_seed: int) -> NDArray[np.float32]:
    """New rows, each by one fold and one order, features and targets."""
    n_units = ensemble.units.layer.n_units
    values = np.zeros((n_rows, n_units), np.float32)
    for draw in range(min(n_rows, _N_ORDERS)):
        own = np.arange(draw, n_rows, _N_ORDERS)
        empty = Encoded(
            np.zeros((len(own), n_units), np.float32), np.zeros((len(own), n_units), bool)
        )
        values[own] = draw_missing(
            ensemble, empty, seed=seed, model_seed=model_seed, draw=draw, first_row=0, targets=True,
            stream=_SAMPLES,
        )  # fmt: skip
    return values


def _uniforms(n_rows: int, n_columns: int, stream: list[int], first_row: int) -> Floats:
    """Random numbers between 0 and 1 that depend on the position of the row alone."""
    key = jax.random.key(stream[0])
    for number in stream[1:]:
        key = jax.random.fold_in(key, number)
    positions = np.arange(first_row, first_row + n_rows, dtype=np.uint32)
    return map_tiles(partial(_uniforms_of_tile, key, n_columns=n_columns), positions).astype(float)


@partial(jax.jit, static_argnames="n_columns")
def _uniforms_of_tile(key: jax.Array, positions: jax.Array, *, n_columns: int) -> jax.Array:
    def of_row(position: jax.Array) -> jax.Array:
        own = jax.random.fold_in(key, position)
        return jax.random.uniform(own, (n_columns,), minval=1e-6, maxval=1 - 1e-6)

    return jax.vmap(of_row)(positions)


def _numbers_given(
    ensemble: Ensemble, observed: Bools, mean: NDArray[np.float32], spread: Floats
) -> tuple[Floats, Floats]:
    """Expectation of numbers, and what their residuals are multiplied by."""
    assert ensemble.stack is not None
    residuals, schema = ensemble.stack.residuals, ensemble.schema
    columns = [j for j, column in enumerate(schema.features) if column.n_units]
    share = observed[:, [schema.units_of(j).start for j in columns]].mean(axis=1)
    factor = np.interp(share, residuals.shares, residuals.factors)
    numbers = mean[:, : spread.shape[1]].astype(np.float64)
    return residuals.slope * numbers, spread * factor[:, np.newaxis]


def _drawn(
    ensemble: Ensemble,
    j: int,
    mean: NDArray[np.float32],
    numbers: tuple[Floats, Floats],
    shift: Floats,
    uniform: Floats,
) -> NDArray[np.float32]:
    """Values of a column drawn from its conditional distribution."""
    column, unit = ensemble.schema.columns[j], ensemble.schema.units_of(j).start
    if column.unit == "gaussian":
        assert ensemble.stack is not None
        quantiles = ensemble.stack.residuals.quantiles[unit]
        shares = (np.arange(len(quantiles)) + 0.5) / len(quantiles)
        residual = np.interp(uniform, shares, quantiles) + shift[unit]
        expected, spread = numbers
        return column.nearest_unit(expected[:, unit] + spread[:, unit] * residual)[:, np.newaxis]
    if mean.shape[1] == 1:
        if column.graded:
            return np.clip(mean, 0.0, 1.0)
        return (uniform[:, None] < mean).astype(np.float32)
    bounds = np.cumsum(column.probabilities(mean), axis=1)
    code = np.minimum((uniform[:, None] > bounds).sum(axis=1), mean.shape[1] - 1)
    one_hot: NDArray[np.float32] = np.eye(mean.shape[1], dtype=np.float32)[code]
    return one_hot


def log_probability(ensemble: Ensemble, encoded: Encoded, model_seed: int) -> Floats:
    """log P(v_o) of each row: one group of columns after another, averaged over orders.

    One column at a time is exact where there are at most as many columns as groups: probabilities
    of all rows of a table of categories then sum to one.
    """
    by_order = []
    for order in range(_N_ORDERS):
        fold = ensemble.folds[order % len(ensemble.folds)]
        given = np.zeros(encoded.observed.shape, bool)
        total = np.zeros(len(encoded.values))
        for group in column_groups(ensemble, model_seed, order):
            mean, spread = ensemble.complete(Encoded(encoded.values, given), [fold])
            numbers = _numbers_given(ensemble, given, mean, spread)
            for j in group:
                units = ensemble.schema.units_of(j)
                seen = encoded.observed[:, units.start]
                of_column = _log_density(
                    ensemble, j, encoded.values[:, units], mean[:, units], numbers
                )
                total += np.where(seen, of_column, 0.0)
                given[:, units] = encoded.observed[:, units]
        by_order.append(total)
    return np.asarray(logsumexp(np.stack(by_order), axis=0) - np.log(_N_ORDERS))


def _log_density(
    ensemble: Ensemble,
    j: int,
    values: NDArray[np.float32],
    mean: NDArray[np.float32],
    numbers: tuple[Floats, Floats],
) -> Floats:
    column, unit = ensemble.schema.columns[j], ensemble.schema.units_of(j).start
    if column.unit == "gaussian":
        assert ensemble.stack is not None
        expected, spread = (part[:, unit] for part in numbers)
        std = spread * ensemble.stack.residuals.scale[unit]
        away = (values[:, 0].astype(np.float64) - expected) / std
        return np.asarray(-0.5 * away**2 - np.log(std) - 0.5 * np.log(2 * np.pi))
    p = column.probabilities(mean)
    t = column.probabilities(values)
    return np.asarray((t * np.log(np.maximum(p, LEAST_PROBABILITY))).sum(axis=1))
