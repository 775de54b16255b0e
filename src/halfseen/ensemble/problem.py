"""A training table laid out for the ensemble, and what is held out of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from halfseen.data.schema import Encoded, Schema
from halfseen.ensemble.config import Config
from halfseen.ensemble.machine import Scale, Units
from halfseen.ensemble.prior import Bools, Floats, Ints, Rows
from halfseen.rbm.units import VisibleLayer, layer_of

# One program, which tables of one layout share, instead of one for each operation.
inputs_from_mean = jax.jit(VisibleLayer.inputs_from_mean, static_argnums=0)

_LEAST_STD = 0.02  # of binary units, in standard units
# Rows in which entries are held out: at most so many, or a fifth of a long table.
_MOST_ROWS, _SHARE_OF_LONG, _MOST_ROWS_OF_LONG = 4096, 0.2, 16_384
_KEEP_FEATURES = 0.5  # share of these rows that keep their features: labels are asked for like that
_WHOLE_ROWS = 0.5  # share of the held-out labels of several targets that are those of whole rows
_LARGEST_SHARE = 0.5


@dataclass(frozen=True)
class Problem:
    """A training table and how it is fitted."""

    schema: Schema
    units: Units
    scale: Scale
    encoded: Encoded
    observed: Bools  # (n_rows, n_entries)
    target_codes: Ints  # (n_rows, n_targets), -1 where unknown
    row_weight: Floats  # (n_rows,), of mean one
    config: Config
    seed: int

    @cached_property
    def target_units(self) -> Bools:
        """Which units are those of targets."""
        return np.asarray(self.scale.is_target)

    @cached_property
    def target_entries(self) -> Ints:
        """Entry of each target."""
        targets = range(len(self.schema.features), len(self.schema.columns))
        first = [self.schema.units_of(j).start for j in targets]
        return np.asarray(self.units.entry_of_unit[first], np.int64)

    @cached_property
    def is_target(self) -> Bools:
        """Which entries are targets."""
        return np.isin(np.arange(self.units.n_entries), self.target_entries)

    def standard(self, rows: Ints) -> Rows:
        """Rows in standard units."""
        mean, std = np.asarray(self.scale.mean), np.asarray(self.scale.std)
        return np.asarray((self.encoded.values[rows] - mean) / std, np.float32)

    def labelled(self, training: Bools, most: int, *stream: int) -> tuple[Ints, Bools]:
        """Rows with a target that may be learned from, not more than `most`, and units seen."""
        rows = self.some(np.flatnonzero(training[:, self.is_target].any(axis=1)), most, *stream)
        return rows, self.units.by_unit(training[rows]) & ~self.target_units

    def some(self, rows: Ints, most: int, *stream: int) -> Ints:
        """All rows, or a random choice of them, in their order."""
        if len(rows) <= most:
            return rows
        random = np.random.default_rng([self.seed, *stream])
        return np.sort(random.permutation(rows)[:most])


def make_problem(
    schema: Schema, encoded: Encoded, weight: Floats | None, config: Config, seed: int
) -> Problem:
    """Lay out units, bins and standard units of a training table."""
    layer = layer_of(schema)
    units = Units(layer, config.n_bins if layer.n_gaussian else 0)
    observed, scale = encoded.observed[:, units.first_units], _scale(schema, units, encoded)
    row_weight = np.ones(len(observed)) if weight is None else weight
    codes = np.full((len(observed), len(schema.targets)), -1)
    for j in range(len(schema.targets)):
        known = encoded.observed[:, schema.units_of(len(schema.features) + j).start]
        codes[known, j] = schema.probabilities(encoded.values[known], j).argmax(axis=1)
    return Problem(schema, units, scale, encoded, observed, codes, row_weight, config, seed)


def _scale(schema: Schema, units: Units, encoded: Encoded) -> Scale:
    layer, n_bins, n_numbers = units.layer, units.n_bins, units.layer.n_gaussian
    mean = schema.marginals.astype(np.float64)
    std = np.sqrt(np.maximum(mean * (1 - mean), _LEAST_STD**2))
    std[:n_numbers] = 1.0
    zeros = np.zeros(n_numbers, np.float32)
    start = inputs_from_mean(layer, mean.astype(np.float32), zeros)
    centres, of_bins = np.zeros((n_bins, n_numbers)), np.zeros((n_bins, n_numbers))
    for number in range(n_numbers if n_bins else 0):
        values = encoded.values[encoded.observed[:, number], number].astype(np.float64)
        centres[:, number] = bin_centres(values, n_bins)
        place = np.rint(np.interp(values, centres[:, number], np.arange(n_bins)))
        counts = np.bincount(place.astype(np.int64), minlength=n_bins)
        of_bins[:, number] = np.log(counts / max(1, len(values)) + 1e-3)
    wide = np.append(start, of_bins)
    parts: list[Any] = [part.astype(np.float32) for part in (mean, std, centres, wide)]
    return Scale(*map(jnp.asarray, [*parts, schema.unit_column >= len(schema.features)]))


def bin_centres(values: Floats, n_bins: int) -> Floats:
    """Increasing centres at equal shares of the values; a value is a centre at most once."""
    centres = np.zeros(0)
    others = values
    while len(others) and len(centres) < n_bins:
        shares = (np.arange(n_bins - len(centres)) + 0.5) / (n_bins - len(centres))
        centres = np.union1d(centres, np.quantile(others, shares, method="nearest"))
        others = others[~np.isin(others, centres)]
    last = centres[-1] if len(centres) else 0.0
    padded = np.append(centres, last + 0.01 * (1 + np.arange(n_bins - len(centres))))
    least_gap = 1e-3 * np.arange(n_bins)
    return np.asarray(np.maximum.accumulate(padded - least_gap) + least_gap)


class HeldOut(NamedTuple):
    """Held-out entries of one fold."""

    rows: Ints  # (n_held_rows,), ascending
    entries: Bools  # (n_held_rows, n_entries), observed and held out
    training: Bools  # (n_rows, n_entries), observed and not held out


def hold_out(problem: Problem, fold: int) -> HeldOut:
    """Hold out a fraction of the observed entries of each column; of targets, class by class.

    The fraction is raised for labels of long tables, in which few rows are used.
    """
    random = np.random.default_rng([problem.seed, fold])
    fraction, n_rows = problem.config.validation_fraction, len(problem.observed)
    most = max(_MOST_ROWS, min(int(_SHARE_OF_LONG * n_rows), _MOST_ROWS_OF_LONG))
    rows = np.sort(random.permutation(n_rows)[:most])
    seen, is_feature = problem.observed[rows], ~problem.is_target
    held = np.zeros(seen.shape, bool)
    keeps = random.random(len(rows)) < (0.0 if is_feature.all() else _KEEP_FEATURES)
    held[:, is_feature] = random.random((len(rows), is_feature.sum())) < fraction
    held &= seen & ~keeps[:, None]
    share = min(max(fraction, _LARGEST_SHARE), fraction * n_rows / len(rows))
    codes = problem.target_codes[rows]
    held[:, problem.target_entries] = _hold_out_targets(codes, share, keeps, random)
    # A row that kept nothing would be predicted from nothing: it keeps everything.
    held[~(seen & ~held).any(axis=1)] = False
    training = problem.observed.copy()
    training[rows] &= ~held
    return HeldOut(rows, held, training)


def _hold_out_targets(
    codes: Ints, share: float, first: Bools, random: np.random.Generator
) -> Bools:
    """A share of each class of each target, rounded down; rows in `first` before others."""

    def shuffled(rows: Ints) -> Ints:
        mixed = random.permutation(rows)
        return np.concatenate([mixed[first[mixed]], mixed[~first[mixed]]])

    held = np.zeros(codes.shape, bool)
    if codes.shape[1] > 1:
        order = shuffled(np.arange(len(codes)))
        whole = order[_whole_rows(codes[order], share)]
        held[whole] = codes[whole] >= 0
    for j, code in enumerate(codes.T):
        for value in np.unique(code[code >= 0]):
            of_class = shuffled(np.flatnonzero(code == value))
            wanted = int(share * len(of_class)) - int(held[of_class, j].sum())
            held[of_class[~held[of_class, j]][: max(0, wanted)], j] = True
    return held


def _whole_rows(codes: Ints, share: float) -> Ints:
    """Rows whose labels are all held out, none more often than its class allows."""
    n_classes = int(codes.max(initial=0)) + 1
    counts = np.stack([np.bincount(code[code >= 0], minlength=n_classes) for code in codes.T])
    left = np.minimum(np.floor(share * counts + 0.5).astype(np.int64), counts - 1)
    labelled = np.flatnonzero((codes >= 0).any(axis=1))
    chosen: list[int] = []
    for row in labelled.tolist():
        known = np.flatnonzero(codes[row] >= 0)
        classes = known, codes[row, known]
        if len(chosen) < int(_WHOLE_ROWS * share * len(labelled)) and (left[classes] > 0).all():
            left[classes] -= 1
            chosen.append(row)
    return np.array(chosen, np.int64)
