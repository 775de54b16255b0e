"""What an objective is: a direction of ascent for one minibatch, and a memory between them."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import jax
import jax.numpy as jnp

from halfseen.learning.statistics import (
    Offsets,
    Statistics,
    centred_contrast,
    contrast,
    moved_offsets,
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
    positive: Statistics,
    negative: Statistics,
    parameters: BoltzmannParameters,
    memory: Memory,
    offset_rate: float,
) -> tuple[BoltzmannParameters, Memory]:
    """The contrast of the two terms, centred by offsets that follow the positive term.

    Offsets that follow at a rate of 0 are none at all, and the gradient is the plain one.
    """
    if offset_rate == 0:
        return contrast(positive, negative, parameters), memory
    offsets = moved_offsets(memory.offsets, positive, offset_rate)
    gradient = centred_contrast(positive, negative, parameters, offsets)
    return gradient, memory._replace(offsets=offsets)
