"""Mean-field training: the Gibbs steps of Algorithm 1 replaced by sweeps of eqs. (11)-(13)."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from halfseen.learning.objective import Batch, Beginning, Memory, ascent, memory_without_chains
from halfseen.learning.starts import random_visible
from halfseen.learning.statistics import Statistics, contrast, statistics_of
from halfseen.machine.mean_field import mean_field
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer


@dataclass(frozen=True)
class MeanFieldCD:
    """Both terms by mean field from random starts.

    Parameters
    ----------
    n_steps : int
        Sweeps of the equations in both terms.
    offset_rate : float
        How fast the centres follow the data; 0 for the plain gradient.
    """

    n_steps: int = 10
    offset_rate: float = 0.0

    def first_memory(
        self, key: jax.Array, layer: VisibleLayer, beginning: Beginning, n_table_rows: int
    ) -> Memory:
        """No chains are kept."""
        return memory_without_chains(layer, beginning)

    def gradient(
        self,
        parameters: BoltzmannParameters,
        layer: VisibleLayer,
        batch: Batch,
        memory: Memory,
        beginning: Beginning,
        key: jax.Array,
    ) -> tuple[BoltzmannParameters, Memory]:
        """One update."""
        positive_key, negative_key = jax.random.split(key)
        positive = self._term(parameters, layer, batch, beginning, positive_key)
        rows = batch.visible.shape[0]
        free = batch._replace(
            observed=jnp.zeros_like(batch.observed),
            weight=jnp.full((rows,), 1.0 / rows, batch.weight.dtype),
        )
        negative = self._term(parameters, layer, free, beginning, negative_key)
        return ascent(contrast(positive, negative), parameters, memory, self.offset_rate)

    def _term(
        self,
        parameters: BoltzmannParameters,
        layer: VisibleLayer,
        batch: Batch,
        beginning: Beginning,
        key: jax.Array,
    ) -> Statistics:
        start = random_visible(
            key, layer, beginning.marginals, parameters.log_variance, batch.visible.shape[:1]
        )
        point = mean_field(
            parameters, layer, batch.visible, batch.observed, start, n_sweeps=self.n_steps
        )
        statistics = statistics_of(layer, point.visible_mean, point.hidden_mean, batch.weight)
        missing = ~batch.observed[:, : layer.n_gaussian]
        spread = (batch.weight @ missing.astype(batch.weight.dtype)) * jnp.exp(
            parameters.log_variance
        )
        return statistics._replace(gaussian_square=statistics.gaussian_square + spread)
