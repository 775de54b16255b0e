"""What an objective is: a direction of ascent for one minibatch, and a memory between them."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import jax
import jax.numpy as jnp

from halfseen.learning.statistics import (
    Contrast,
    Offsets,
    centred_gradient,
    moved_offsets,
    plain_gradient,
)
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer


class Batch(NamedTuple):
    """Some rows of the table."""

    visible: jax.Array  # (n_rows, n_visible), zero where not observed
    observed: jax.Array  # (n_rows, n_visible), bool
    weight: jax.Array  # (n_rows,), sums to one; zero for padding
    rows: jax.Array  # (n_rows,), their places in the table


class Memory(NamedTuple):
    """What is carried from one minibatch to the next; an objective leaves empty what it needs not.

    Unused chains have no rows.
    """

    negative: jax.Array  # (n_chains, n_visible)
    positive: jax.Array  # (n_table_rows, n_visible)
    offsets: Offsets


class Beginning(NamedTuple):
    """What chains and offsets begin with."""

    marginals: jax.Array  # (n_visible,), of the random starts
    offsets: Offsets


class Objective(Protocol):
    """An objective: a frozen dataclass (it is part of what is compiled) with two pure methods."""

    def first_memory(
        self, key: jax.Array, layer: VisibleLayer, beginning: Beginning, n_table_rows: int
    ) -> Memory:
        """The memory before the first minibatch."""
        ...

    def gradient(
        self,
        parameters: BoltzmannParameters,
        layer: VisibleLayer,
        batch: Batch,
        memory: Memory,
        beginning: Beginning,
        key: jax.Array,
    ) -> tuple[BoltzmannParameters, Memory]:
        """Direction of ascent, and the memory after this minibatch."""
        ...


def memory_without_chains(layer: VisibleLayer, beginning: Beginning) -> Memory:
    """The memory of an objective that begins its chains anew in every minibatch."""
    no_rows = jnp.zeros((0, layer.n_visible), beginning.marginals.dtype)
    return Memory(negative=no_rows, positive=no_rows, offsets=beginning.offsets)


def ascent(
    contrast: Contrast,
    parameters: BoltzmannParameters,
    memory: Memory,
    offset_rate: float,
) -> tuple[BoltzmannParameters, Memory]:
    """The gradient, centred by offsets that follow the positive term.

    Offsets that follow at a rate of 0 are none at all, and the gradient is the plain one.
    """
    if offset_rate == 0:
        return plain_gradient(contrast.difference, parameters), memory
    offsets = moved_offsets(memory.offsets, contrast.positive_means, offset_rate)
    gradient = centred_gradient(contrast.difference, parameters, offsets)
    return gradient, memory._replace(offsets=offsets)
