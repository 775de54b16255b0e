"""A training table laid out for the ensemble, and what may end a fit early."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.data.schema import Encoded, Schema
from halfseen.ensemble.config import Config
from halfseen.ensemble.machine import Scale, Units
from halfseen.rbm.units import layer_of

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Progress = Callable[[str, int, int], object]
Result = TypeVar("Result")

_LEAST_STD = 0.02  # of binary units, in standard units


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

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.observed)

    @cached_property
    def target_units(self) -> Bools:
        """Which units are those of targets."""
        return np.asarray(self.scale.is_target)

    @cached_property
    def target_entries(self) -> Ints:
        """Entry of each target."""
        n_features, n_targets = len(self.schema.features), len(self.schema.targets)
        first = [self.schema.units_of(n_features + j).start for j in range(n_targets)]
        return np.asarray(self.units.entry_of_unit[first], np.int64)

    @cached_property
    def is_target(self) -> Bools:
        """Which entries are targets."""
        return np.isin(np.arange(self.units.n_entries), self.target_entries)

    def standard(self, rows: Ints) -> NDArray[Any]:
        """Rows in standard units."""
        values = self.encoded.values[rows] - np.asarray(self.scale.mean)
        return np.asarray(values / np.asarray(self.scale.std), np.float32)

    def by_unit(self, of_entries: Bools) -> Bools:
        """What belongs to entries, for each of their units."""
        return of_entries[..., self.units.entry_of_unit]

    def labelled(self, training: Bools, most: int, *stream: int) -> tuple[Ints, Bools]:
        """Rows with a target that may be learned from, not more than `most`, and units seen."""
        rows = self.some(np.flatnonzero(training[:, self.is_target].any(axis=1)), most, *stream)
        return rows, self.by_unit(training[rows]) & ~self.target_units

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
    first_units = np.unique(units.entry_of_unit, return_index=True)[1]
    observed, scale = encoded.observed[:, first_units], _scale(schema, units, encoded)
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
    start = layer.inputs_from_mean(jnp.asarray(mean, jnp.float32), jnp.zeros(n_numbers))
    centres, of_bins = np.zeros((n_bins, n_numbers)), np.zeros((n_bins, n_numbers))
    for number in range(n_numbers if n_bins else 0):
        values = encoded.values[encoded.observed[:, number], number].astype(np.float64)
        centres[:, number] = bin_centres(values, n_bins)
        place = np.rint(np.interp(values, centres[:, number], np.arange(n_bins)))
        counts = np.bincount(place.astype(np.int64), minlength=n_bins)
        of_bins[:, number] = np.log(counts / max(1, len(values)) + 1e-3)
    return Scale(
        mean=jnp.float32(mean),
        std=jnp.float32(std),
        centres=jnp.float32(centres),
        start=jnp.float32(np.append(start, of_bins)),
        is_target=jnp.asarray(schema.unit_column >= len(schema.features)),
    )


def bin_centres(values: Floats, n_bins: int) -> Floats:
    """Increasing centres at equal shares of the values; a value is a centre at most once.

    >>> bin_centres(np.array([0.0] * 8 + [1.0, 2.0, 3.0, 4.0]), 3).tolist()
    [0.0, 2.0, 3.0]
    """
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


class Stopper:
    """True once training is to end: at a deadline, or after Ctrl-C."""

    def __init__(self, max_seconds: float | None = None) -> None:
        self._deadline = np.inf if max_seconds is None else time.monotonic() + max_seconds
        self.was_interrupted = False

    def __bool__(self) -> bool:
        return self.was_interrupted or time.monotonic() > self._deadline

    def results(self, jobs: list[Future[Result]]) -> list[Result]:
        """Results of jobs that end early if this is true; a second Ctrl-C is raised."""
        try:
            return [job.result() for job in jobs]
        except KeyboardInterrupt:
            if self.was_interrupted:
                raise
            self.was_interrupted = True
            return self.results(jobs)
