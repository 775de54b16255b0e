"""Draws and log-probabilities from the ensemble: columns one group after another, in random orders.

Any joint distribution is a product of conditional ones, in any order of the columns. A draw takes
one fold of the ensemble and one order, so that draws vary as much as the model is unsure. Columns
of a group are drawn independently given all that is observed or drawn before; those that hang
together are in different groups.
"""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp

from halfseen.data.schema import Encoded
from halfseen.ensemble.model import LEAST_PROBABILITY, Ensemble, Fold
from halfseen.ensemble.prior import Floats, Ints, Rows, covariance_of

_MOST_GROUPS = 12
_N_ORDERS = 4  # over which log-probabilities are averaged
_DRAWS, _SAMPLES = 100, 101  # streams of random numbers


def column_groups(ensemble: Ensemble, order: int) -> list[Ints]:
    """Columns with units in a random order, in groups of columns that hang together little."""
    schema = ensemble.schema
    columns = [j for j, column in enumerate(schema.columns) if column.n_units]
    n_groups = min(_MOST_GROUPS, len(columns))
    size = -(-len(columns) // n_groups)
    strength = _couplings(ensemble)
    groups: list[list[int]] = [[] for _ in range(n_groups)]
    for j in np.random.default_rng([ensemble.seed, order, 23]).permutation(columns).tolist():
        open_groups = [group for group in groups if len(group) < size]
        cost = [strength[j, group].max(initial=0.0) for group in open_groups]
        open_groups[int(np.argmin(cost))].append(j)
    return [np.array(group) for group in groups if group]


def _couplings(ensemble: Ensemble) -> Floats:
    """Largest correlation under the prior between units of two columns."""
    covariance = covariance_of(ensemble.folds[0].member.prior)
    std = np.sqrt(np.diag(covariance))
    n_columns, column = len(ensemble.schema.columns), ensemble.schema.unit_column
    strength = np.zeros((n_columns, n_columns))
    np.maximum.at(strength, (column[:, None], column), np.abs(covariance / std / std[:, None]))
    return strength


class _Conditional:
    """What one fold says of each column of some rows, given their observed units."""

    def __init__(self, ensemble: Ensemble, fold: Fold, encoded: Encoded) -> None:
        self.schema, self.residuals = ensemble.schema, ensemble.stack.residuals
        self.mean, spread = ensemble.complete(encoded, [fold])
        self.expected = self.residuals.slope * self.mean.astype(np.float64)
        features = enumerate(self.schema.features)
        first = [self.schema.units_of(j).start for j, column in features if column.n_units]
        share = encoded.observed[:, first].mean(axis=1)
        factor = np.interp(share, self.residuals.shares, self.residuals.factors)
        self.spread = spread * factor[:, np.newaxis]  # what residuals are multiplied by

    def draw(self, j: int, uniform: Floats, normal: Floats) -> Rows:
        """Values of column `j`; `normal`, (2, n_numbers), moves all residuals of a column."""
        column, units = self.schema.columns[j], self.schema.units_of(j)
        unit, mean = units.start, self.mean[:, units]
        if column.unit == "gaussian":
            quantiles = self.residuals.quantiles[unit]
            shares = (np.arange(len(quantiles)) + 0.5) / len(quantiles)
            # Their mean and scale are unsure, and the less so, the more entries there are.
            n_entries, scale = self.residuals.n_entries[unit], self.residuals.scale[unit]
            shift, stretch = normal[:, unit] / np.sqrt([n_entries, 2.0 * n_entries])
            residual = (1.0 + stretch) * np.interp(uniform, shares, quantiles) + shift * scale
            drawn = self.expected[:, unit] + self.spread[:, unit] * residual
            return column.nearest_unit(drawn)[:, np.newaxis]
        if column.unit == "bernoulli":
            is_one = uniform[:, None] < mean
            return np.clip(mean, 0.0, 1.0) if column.graded else is_one.astype(np.float32)
        bounds = np.cumsum(column.probabilities(mean), axis=1)
        code = np.minimum((uniform[:, None] > bounds).sum(axis=1), mean.shape[1] - 1)
        return np.asarray(np.eye(mean.shape[1], dtype=np.float32)[code])

    def log_density(self, j: int, values: Rows) -> Floats:
        """Log-density or log-probability of the values of column `j`."""
        column, units = self.schema.columns[j], self.schema.units_of(j)
        if column.unit == "gaussian":
            unit = units.start
            std = self.spread[:, unit] * self.residuals.scale[unit]
            away = (values[:, unit].astype(np.float64) - self.expected[:, unit]) / std
            return np.asarray(-0.5 * away**2 - np.log(std) - 0.5 * np.log(2 * np.pi))
        p, t = (column.probabilities(part[:, units]) for part in (self.mean, values))
        return np.asarray((t * np.log(np.maximum(p, LEAST_PROBABILITY))).sum(axis=1))


def draw_missing(
    ensemble: Ensemble, encoded: Encoded, seed: int, draw: int, first_row: int,
    targets: bool = False,
) -> Rows:  # fmt: skip
    """Fill missing units with one draw; the random numbers of a row are those of its position."""
    schema, fold = ensemble.schema, ensemble.folds[draw % len(ensemble.folds)]
    n_wanted = len(schema.columns) if targets else len(schema.features)
    stream = [seed, _SAMPLES if targets else _DRAWS, draw]
    n_rows, n_columns = len(encoded.values), len(schema.columns)
    bits = np.random.PCG64(np.random.SeedSequence(stream)).advance(first_row * n_columns)
    uniform = np.random.Generator(bits).random((n_rows, n_columns))
    n_numbers = len(ensemble.stack.residuals.scale)
    normal = np.random.default_rng([ensemble.seed, *stream, 43]).normal(size=(2, n_numbers))
    values, observed = encoded.values.copy(), encoded.observed.copy()
    for group in column_groups(ensemble, draw % _N_ORDERS):
        own = [j for j in group if j < n_wanted]
        asked = ~observed[:, [schema.units_of(j).start for j in own]].all(axis=1)
        if not asked.any():
            continue
        rows = Encoded(values[asked], observed[asked])
        given = _Conditional(ensemble, fold, rows)
        for j in own:
            units = schema.units_of(j)
            missing = ~rows.observed[:, units.start]
            rows.values[missing, units] = given.draw(j, uniform[asked, j], normal)[missing]
            rows.observed[missing, units] = True
        values[asked], observed[asked] = rows
    return values


def sample_rows(ensemble: Ensemble, n_rows: int, seed: int) -> Rows:
    """New rows, each by one fold and one order, features and targets."""
    values = np.zeros((n_rows, ensemble.units.layer.n_units), np.float32)
    for draw in range(min(n_rows, _N_ORDERS)):
        empty = np.zeros_like(values[draw::_N_ORDERS])
        encoded = Encoded(empty, empty.astype(bool))
        values[draw::_N_ORDERS] = draw_missing(ensemble, encoded, seed, draw, 0, targets=True)
    return values


def log_probability(ensemble: Ensemble, encoded: Encoded) -> Floats:
    """log P(v_o) of each row: one group of columns after another, averaged over orders.

    Where there are no more columns than groups, probabilities of all rows of categories sum to one.
    """
    total = np.zeros((_N_ORDERS, len(encoded.values)))
    for order in range(_N_ORDERS):
        fold = ensemble.folds[order % len(ensemble.folds)]
        shown = np.zeros(encoded.observed.shape, bool)
        for group in column_groups(ensemble, order):
            given = _Conditional(ensemble, fold, Encoded(encoded.values, shown))
            for j in group:
                units = ensemble.schema.units_of(j)
                seen = encoded.observed[:, units]
                total[order] += np.where(seen[:, 0], given.log_density(j, encoded.values), 0.0)
                shown[:, units] = seen
    return np.asarray(logsumexp(total, axis=0) - np.log(_N_ORDERS))
