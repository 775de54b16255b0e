"""Lossy-CDk whose negative chains start at the data, as in classical contrastive divergence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from halfseen.learning.lossy_cd import contrast_of_ends
from halfseen.learning.objective import Batch, Beginning, Memory, ascent, memory_without_chains
from halfseen.learning.starts import missing_from_noise
from halfseen.learning.statistics import Contrast
from halfseen.machine.gibbs import (
    GibbsNoise,
    free_gibbs,
    free_gibbs_step,
    pinned_gibbs,
    pinned_gibbs_step,
)
from halfseen.machine.namespace_of import namespace_of
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer, VisibleNoise


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
        n_rows, n_hidden = len(batch.visible), len(parameters.hidden_bias)
        noise = noise_of_update(key, layer, n_hidden, n_rows, batch.visible.dtype)
        filled = filled_rows(parameters, layer, batch, beginning, noise, self.n_steps)
        if self.n_steps > 1:
            further = self.n_steps - 1
            positive_key, negative_key = jax.random.split(key)
            rows = filled, batch.observed, positive_key
            filled = pinned_gibbs(parameters, layer, *rows, further)
        chains = filled
        if self.n_steps:
            chains = free_gibbs_step(parameters, layer, filled, noise.negative)
        if self.n_steps > 1:
            chains = free_gibbs(parameters, layer, chains, negative_key, further)
        terms = contrast_of_chains(parameters, layer, batch, filled, chains)
        return ascent(terms, parameters, memory, self.offset_rate)

    def gradient_on_host(
        self,
        parameters: BoltzmannParameters,
        layer: VisibleLayer,
        batch: Batch,
        memory: Memory,
        beginning: Beginning,
        noise: UpdateNoise,
    ) -> tuple[BoltzmannParameters, Memory]:
        """The same of NumPy's arrays, for a single step, from random numbers of the host."""
        filled = filled_rows(parameters, layer, batch, beginning, noise, n_steps=1)
        chains = free_gibbs_step(parameters, layer, filled, noise.negative)
        terms = contrast_of_chains(parameters, layer, batch, filled, chains)
        return ascent(terms, parameters, memory, self.offset_rate)


def filled_rows(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    batch: Batch,
    beginning: Beginning,
    noise: UpdateNoise,
    n_steps: int,
) -> jax.Array:
    """Lines 7-9 of Algorithm 1: missing entries at random, or as a first step leaves them."""
    places = layer, beginning.marginals, parameters.log_variance
    filled = missing_from_noise(noise.start, *places, batch.visible, batch.observed)
    if not n_steps:
        return filled
    return pinned_gibbs_step(parameters, layer, filled, batch.observed, noise.positive)


def contrast_of_chains(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    batch: Batch,
    filled: jax.Array,
    chains: jax.Array,
) -> Contrast:
    """The contrast of filled rows and of the chains that have gone on from them."""
    xp = namespace_of(filled)
    ends = xp.concatenate([filled, chains])
    weight = xp.concatenate([batch.weight, -batch.weight])
    return contrast_of_ends(parameters, layer, ends, weight)


class UpdateNoise(NamedTuple):
    """The random numbers of an update of one Gibbs step."""

    start: VisibleNoise
    positive: GibbsNoise
    negative: GibbsNoise


def noise_of_update(
    key: jax.Array, layer: VisibleLayer, n_hidden: int, n_rows: int, dtype: jnp.dtype
) -> UpdateNoise:
    """All random numbers of an update, of a single draw.

    Each draw by itself would be a program of its own, and be lowered and compiled as such.

    Examples
    --------
    >>> layer = VisibleLayer(n_gaussian=2, n_bernoulli=1, group_sizes=(3, 2))
    >>> noise = noise_of_update(jax.random.key(0), layer, 4, n_rows=5, dtype=jnp.dtype("float32"))
    >>> noise.start.group_uniform.shape, noise.negative.hidden.shape
    ((5, 2), (5, 4))
    """
    n_uniform = layer.n_bernoulli + layer.n_groups
    lengths = [3 * layer.n_gaussian, *[n_uniform] * 3, n_hidden, n_hidden]
    drawn = jax.random.uniform(key, (n_rows, sum(lengths)), dtype)
    drawn = jax.lax.optimization_barrier(drawn)  # type: ignore[no-untyped-call]
    unlike, *uniform, positive, negative = jnp.split(drawn, np.cumsum(lengths)[:-1], axis=1)
    normal = jnp.split(normal_from_uniform(unlike), 3, axis=1)
    start, *of_steps = (
        VisibleNoise(numbers, bits[:, : layer.n_bernoulli], bits[:, layer.n_bernoulli :])
        for numbers, bits in zip(normal, uniform, strict=True)
    )
    return UpdateNoise(start, GibbsNoise(positive, of_steps[0]), GibbsNoise(negative, of_steps[1]))


def drawn_noise_of_update(
    generator: np.random.Generator, layer: VisibleLayer, n_hidden: int, n_rows: int
) -> UpdateNoise:
    """The same, drawn on the host.

    Examples
    --------
    >>> layer = VisibleLayer(n_gaussian=2, n_bernoulli=1, group_sizes=(3, 2))
    >>> noise = drawn_noise_of_update(np.random.default_rng(0), layer, n_hidden=4, n_rows=5)
    >>> noise.start.group_uniform.shape, noise.negative.hidden.shape
    ((5, 2), (5, 4))
    """
    n_bits = layer.n_bernoulli
    normal: Any = generator.standard_normal((3, n_rows, layer.n_gaussian), np.float32)
    uniform: Any = generator.random((3, n_rows, n_bits + layer.n_groups), np.float32)
    hidden: Any = generator.random((2, n_rows, n_hidden), np.float32)
    start, positive, negative = map(
        VisibleNoise, normal, uniform[:, :, :n_bits], uniform[:, :, n_bits:]
    )
    return UpdateNoise(start, GibbsNoise(hidden[0], positive), GibbsNoise(hidden[1], negative))


def normal_from_uniform(uniform: jax.Array) -> jax.Array:
    """Numbers of the normal distribution from as many between 0 and 1, by its quantiles.

    Examples
    --------
    >>> [f"{number:.2f}" for number in normal_from_uniform(jnp.array([0.5, 0.975]))]
    ['0.00', '1.96']
    """
    least = np.nextafter(uniform.dtype.type(-1), uniform.dtype.type(0))
    around = jnp.maximum(2 * uniform - 1, least)
    normal: jax.Array = np.sqrt(uniform.dtype.type(2)) * jax.scipy.special.erfinv(around)
    return normal
