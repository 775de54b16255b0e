"""Lossy-CDk whose negative chains start at the data, as in classical contrastive divergence."""

from __future__ import annotations

from dataclasses import dataclass

import jax

from halfseen.learning.lossy_cd import negative_term, positive_term
from halfseen.learning.objective import Batch, Beginning, Memory, ascent, memory_without_chains
from halfseen.learning.starts import random_missing
from halfseen.learning.statistics import contrast
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer


@dataclass(frozen=True)
class DataStartedCD:
    """The positive term of Algorithm 1, and a negative one that continues from its filled rows.

    Parameters
    ----------
    n_steps : int
        k, the Gibbs steps of both terms.
    offset_rate : float
        How fast the centres follow the data; 0 for the plain gradient.
    """

    n_steps: int = 1
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
        start_key, positive_key, negative_key = jax.random.split(key, 3)
        places = layer, beginning.marginals, parameters.log_variance
        start = random_missing(start_key, *places, batch.visible, batch.observed)
        positive, filled = positive_term(
            parameters, layer, batch, start, positive_key, self.n_steps
        )
        negative, _ = negative_term(
            parameters, layer, filled, batch.weight, negative_key, self.n_steps
        )
        return ascent(contrast(positive, negative), parameters, memory, self.offset_rate)
