"""Lossy PCD: chains that go on from one minibatch to the next."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from halfseen.learning.lossy_cd import (
    followed_by_chains,
    go_together,
    negative_term,
    positive_term,
    terms_together,
)
from halfseen.learning.objective import Batch, Beginning, Memory, ascent, memory_without_chains
from halfseen.learning.starts import random_missing, random_visible
from halfseen.learning.statistics import Contrast, contrast
from halfseen.machine.gibbs import pinned
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer


@dataclass(frozen=True)
class PersistentCD:
    """Persistent negative chains; the missing entries of the positive term start at random.

    Parameters
    ----------
    n_steps : int
        k, the Gibbs steps of both terms.
    n_chains : int
        Number of persistent negative chains.
    offset_rate : float
        How fast the centres follow the data; 0 for the plain gradient.
    """

    n_steps: int = 1
    n_chains: int = 100
    offset_rate: float = 0.0

    def first_memory(
        self, key: jax.Array, layer: VisibleLayer, beginning: Beginning, n_table_rows: int
    ) -> Memory:
        """Negative chains at random places."""
        chains = _random_places(key, layer, beginning, self.n_chains)
        return memory_without_chains(layer, beginning)._replace(negative=chains)

    def gradient(
        self,
        parameters: BoltzmannParameters,
        layer: VisibleLayer,
        batch: Batch,
        memory: Memory,
        beginning: Beginning,
        key: jax.Array,
    ) -> tuple[BoltzmannParameters, Memory]:
        """One update; the negative chains are left where they came to."""
        start_key, positive_key, negative_key = jax.random.split(key, 3)
        places = layer, beginning.marginals, parameters.log_variance
        start = random_missing(start_key, *places, batch.visible, batch.observed)
        keys = positive_key, negative_key
        terms, _, chains = _terms(
            parameters, layer, batch, start, memory.negative, keys, self.n_steps
        )
        memory = memory._replace(negative=chains)
        return ascent(terms, parameters, memory, self.offset_rate)


@dataclass(frozen=True)
class FullyPersistentCD:
    """Persistent chains in both terms: the missing entries of every row are kept, too.

    Needs memory for one more copy of the table. Parameters are those of :class:`PersistentCD`.
    """

    n_steps: int = 1
    n_chains: int = 100
    offset_rate: float = 0.0

    def first_memory(
        self, key: jax.Array, layer: VisibleLayer, beginning: Beginning, n_table_rows: int
    ) -> Memory:
        """Negative chains and the missing entries of every row at random places."""
        negative_key, positive_key = jax.random.split(key)
        return Memory(
            negative=_random_places(negative_key, layer, beginning, self.n_chains),
            positive=_random_places(positive_key, layer, beginning, n_table_rows),
            offsets=beginning.offsets,
        )

    def gradient(
        self,
        parameters: BoltzmannParameters,
        layer: VisibleLayer,
        batch: Batch,
        memory: Memory,
        beginning: Beginning,
        key: jax.Array,
    ) -> tuple[BoltzmannParameters, Memory]:
        """One update; all chains are left where they came to."""
        positive_key, negative_key = jax.random.split(key)
        keys = positive_key, negative_key
        start = pinned(batch.visible, batch.observed, memory.positive[batch.rows])
        terms, filled, chains = _terms(
            parameters, layer, batch, start, memory.negative, keys, self.n_steps
        )
        # Padding rows repeat the place of a real one; only rows that count are written back.
        places = jnp.where(batch.weight > 0, batch.rows, memory.positive.shape[0])
        kept = memory.positive.at[places].set(filled, mode="drop")
        memory = memory._replace(positive=kept, negative=chains)
        return ascent(terms, parameters, memory, self.offset_rate)


def _random_places(
    key: jax.Array, layer: VisibleLayer, beginning: Beginning, n_chains: int
) -> jax.Array:
    unit_variance = jnp.zeros((layer.n_gaussian,), beginning.marginals.dtype)
    return random_visible(key, layer, beginning.marginals, unit_variance, (n_chains,))


def _terms(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    batch: Batch,
    start: jax.Array,
    chains: jax.Array,
    keys: tuple[jax.Array, jax.Array],
    n_steps: int,
) -> tuple[Contrast, jax.Array, jax.Array]:
    """The two terms, the rows as their chains left them, and where the negative chains are now."""
    n_rows, n_chains = start.shape[0], chains.shape[0]
    if go_together(n_rows, n_chains):
        both, starts = followed_by_chains(batch), jnp.concatenate([start, chains])
        terms, ends = terms_together(parameters, layer, both, starts, keys[0], n_steps)
        return terms, ends[:n_rows], ends[n_rows:]
    weight = jnp.full((n_chains,), 1.0 / n_chains, chains.dtype)
    positive, filled = positive_term(parameters, layer, batch, start, keys[0], n_steps)
    negative, chains = negative_term(parameters, layer, chains, weight, keys[1], n_steps)
    return contrast(positive, negative), filled, chains
