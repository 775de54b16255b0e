"""A training table laid out for the ensemble, and what may end a fit early."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.data.schema import Encoded, Schema
from halfseen.ensemble.config import Config
from halfseen.ensemble.machine import Scale, Units
from halfseen.rbm.units import VisibleLayer, layer_of

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
    weight: Floats | None  # (n_rows,), of mean one; None if all are equal
    config: Config
    seed: int

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.observed)

    @cached_property
    def row_weight(self) -> Floats:
        """Weights of rows."""
        return np.ones(self.n_rows) if self.weight is None else self.weight

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

    def standard(self, rows: Ints) -> NDArray[np.float32]:
        """Rows in standard units."""
        values = self.encoded.values[rows] - np.asarray(self.scale.mean)
        return np.asarray(values / np.asarray(self.scale.std), np.float32)

    def by_unit(self, of_entries: Bools) -> Bools:
        """What belongs to entries, for each of their units."""
        return of_entries[..., self.units.entry_of_unit]

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
    codes = np.full((len(encoded.values), len(schema.targets)), -1)
    for j in range(len(schema.targets)):
        known = encoded.observed[:, schema.units_of(len(schema.features) + j).start]
        codes[known, j] = schema.probabilities(encoded.values[known], j).argmax(axis=1)
    return Problem(
        schema, units, _scale(schema, layer, units.n_bins, encoded), encoded,
        encoded.observed[:, first_units], codes, weight, config, seed,
    )  # fmt: skip


def _scale(schema: Schema, layer: VisibleLayer, n_bins: int, encoded: Encoded) -> Scale:
    n_numbers = layer.n_gaussian
    mean = schema.marginals.astype(np.float64)
    std = np.sqrt(np.maximum(mean * (1 - mean), _LEAST_STD**2))
    std[:n_numbers] = 1.0
    zeros = jnp.zeros(n_numbers)
    start = np.asarray(layer.inputs_from_mean(jnp.asarray(mean, jnp.float32), zeros))
    centres, of_bins = np.zeros((n_bins, n_numbers)), np.zeros((n_bins, n_numbers))
    for number in range(n_numbers if n_bins else 0):
        values = encoded.values[encoded.observed[:, number], number].astype(np.float64)
        centres[:, number] = bin_centres(values, n_bins)
        place = np.rint(np.interp(values, centres[:, number], np.arange(n_bins)))
        counts = np.bincount(place.astype(np.int64), minlength=n_bins)
        of_bins[:, number] = np.log(counts / max(1, len(values)) + 1e-3)
    is_target = np.isin(np.arange(layer.n_units), schema.target_units)
    starts = np.concatenate([start, of_bins.reshape(-1)])
    mean_, std_, centres_, start_ = (
        jnp.asarray(array, jnp.float32) for array in (mean, std, centres, starts)
    )
    return Scale(mean_, std_, centres_, start_, jnp.asarray(is_target))


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
        self._deadline = None if max_seconds is None else time.monotonic() + max_seconds
        self._interrupted = threading.Event()

    def __bool__(self) -> bool:
        late = self._deadline is not None and time.monotonic() > self._deadline
        return late or self.was_interrupted

    @property
    def was_interrupted(self) -> bool:
        """Whether Ctrl-C was pressed."""
        return self._interrupted.is_set()

    def end(self) -> None:
        """End the training that still goes on in threads."""
        self._interrupted.set()

    def results(self, jobs: Iterable[Future[Result]]) -> list[Result]:
        """Results of jobs that end early if this is true; a second Ctrl-C is raised."""
        waiting = list(jobs)
        try:
            return [job.result() for job in waiting]
        except KeyboardInterrupt:
            if self.was_interrupted:
                raise
            self._interrupted.set()
            return self.results(waiting)
