"""One epoch, compiled as a whole, for all machines of a replica axis at once."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.learning.lent_to_device import lent_to_device
from halfseen.learning.objective import Batch, Beginning, Memory, Objective
from halfseen.learning.optimiser import Optimiser, Rates, first_states, gradient_norm
from halfseen.learning.replicas import groups_of, joined, machines_from, over_replicas, side_by_side
from halfseen.learning.shuffled_rows import shuffled_rows
from halfseen.learning.statistics import Offsets
from halfseen.learning.turned_weights import turned
from halfseen.machine.compilation_cache import QUICKLY_COMPILED
from halfseen.machine.parameters import BoltzmannParameters, initial_parameters
from halfseen.machine.random_bits import key_of_words, keys_of_batches
from halfseen.machine.visible_layer import VisibleLayer
from halfseen.tables import aligned_zeros

LONG = 65_536  # rows from which on a table is not copied to share a compilation with others


class Rows(NamedTuple):
    """A table on the device: (n_rows, n_visible), or one for each replica, with a leading axis."""

    visible: jax.Array
    observed: jax.Array


class TrainingState(NamedTuple):
    """Everything that changes from one minibatch to the next; every leaf has a replica axis."""

    parameters: BoltzmannParameters
    optimiser_state: Any
    memory: Memory
    rate_scale: jax.Array  # (n_replicas,), lowered when a machine had to be rolled back


class EpochOrder(NamedTuple):
    """Which rows make up which minibatch."""

    rows: NDArray[np.int32]  # (n_replicas, n_batches, batch_size)
    weight: NDArray[np.float32]  # (n_batches, batch_size), each minibatch sums to one
    n_batches: int  # how many of the minibatches count


def padded_rows(n_rows: int) -> int:
    """Rows rounded up by at most an eighth, so that tables of like size share a compilation.

    Examples
    --------
    >>> padded_rows(1000), padded_rows(1001), padded_rows(3)
    (1024, 1024, 64)
    """
    step = max(64, 1 << max(0, n_rows.bit_length() - 4))
    return -(-n_rows // step) * step


def rows_on_device(visible: NDArray[np.float32], observed: NDArray[np.bool_]) -> Rows:
    """The table padded with empty rows; a long one as it is, without a copy of it.

    What stands behind missing entries of a long table is there still, and not to be read.
    """
    n_rows = visible.shape[-2]
    if n_rows >= LONG and visible.ndim == 2:
        return Rows(lent_to_device(visible), lent_to_device(observed))
    shape = (*visible.shape[:-2], padded_rows(n_rows), visible.shape[-1])
    held, seen = aligned_zeros(shape, np.float32), aligned_zeros(shape, bool)
    np.copyto(held[..., :n_rows, :], visible, where=observed)
    seen[..., :n_rows, :] = observed
    return Rows(lent_to_device(held), lent_to_device(seen))


def epoch_order(seed: int, epoch: int, n_rows: int, batch_size: int, n_replicas: int) -> EpochOrder:
    """Rows reshuffled for one epoch; the same for the same seed and epoch.

    Examples
    --------
    >>> order = epoch_order(seed=0, epoch=0, n_rows=5, batch_size=2, n_replicas=1)
    >>> order.n_batches
    3
    """
    n_batches = -(-n_rows // batch_size)
    capacity = max(n_batches, -(-padded_rows(n_rows) // batch_size))
    rows = np.zeros((n_replicas, capacity * batch_size), np.int32)
    counts = np.zeros((capacity * batch_size,), np.float32)
    for replica in range(n_replicas):
        generator = np.random.default_rng([seed, epoch, replica])
        rows[replica, :n_rows] = shuffled_rows(generator, n_rows)
    counts[:n_rows] = 1.0
    weight = counts.reshape(capacity, batch_size)
    weight /= np.maximum(weight.sum(axis=1, keepdims=True), 1.0)
    return EpochOrder(rows.reshape(n_replicas, capacity, batch_size), weight, n_batches)


def first_state(
    seed: int,
    key: jax.Array,
    marginals: NDArray[np.float32],
    variance: float,
    beginning: Beginning,
    *,
    layer: VisibleLayer,
    objective: Objective,
    optimiser: Optimiser,
    n_hidden: int,
    n_machines: int,
    n_table_rows: int,
    weight_scale: float,
) -> TrainingState:
    """All machines before any training; put together on the host, where nothing is compiled."""
    machines = [
        initial_parameters(
            np.random.default_rng([seed, machine, 1, 6]),  # apart from those of `epoch_order`
            layer,
            n_hidden,
            marginals=marginals,
            variance=variance,
            weight_scale=weight_scale,
        )
        for machine in range(n_machines)
    ]
    parameters = jax.tree.map(lambda *leaves: np.stack(leaves), *machines)
    state: TrainingState = jax.device_put(
        TrainingState(
            parameters=parameters,
            optimiser_state=first_states(_first_optimiser_state(optimiser), parameters),
            memory=_first_memory(
                key, beginning, objective, layer, n_machines=n_machines, n_table_rows=n_table_rows
            ),
            rate_scale=np.ones(n_machines, np.float32),  # type: ignore[arg-type]
        )
    )
    return state


def _first_optimiser_state(optimiser: Optimiser) -> Callable[[BoltzmannParameters], Any]:
    """What an optimiser holds stays the way round that weights have in training."""
    return lambda parameters: optimiser.first_state(turned(parameters))


def _first_memory(
    key: jax.Array,
    beginning: Beginning,
    objective: Objective,
    layer: VisibleLayer,
    *,
    n_machines: int,
    n_table_rows: int,
) -> Memory:
    """The memory of all machines; only chains, if there are any, are drawn by a program."""
    sizes = objective, layer, n_machines, n_table_rows
    shapes = jax.eval_shape(partial(_drawn_memory, *sizes), key, beginning)
    if shapes.negative.size or shapes.positive.size:
        return _drawn_memory(*sizes, key, beginning)  # type: ignore[no-any-return]
    negative, positive = jax.device_put(
        [np.zeros(part.shape, part.dtype) for part in (shapes.negative, shapes.positive)]
    )
    offsets = [np.stack([np.asarray(part)] * n_machines) for part in beginning.offsets]
    return Memory(negative, positive, Offsets(*jax.device_put(offsets)))


@partial(jax.jit, static_argnums=(0, 1, 2, 3))
def _drawn_memory(
    objective: Objective,
    layer: VisibleLayer,
    n_machines: int,
    n_table_rows: int,
    key: jax.Array,
    beginning: Beginning,
) -> Memory:
    keys = jax.random.split(jax.random.fold_in(key, 0), n_machines)
    memory: Memory = jax.vmap(
        lambda own: objective.first_memory(own, layer, beginning, n_table_rows)
    )(keys)
    return memory


def run_epoch(
    state: TrainingState,
    table: Rows,
    order: EpochOrder,
    rates: Rates,
    beginning: Beginning,
    seed: int,
    epoch: int,
    first_batch: int = 0,
    *,
    layer: VisibleLayer,
    objective: Objective,
    optimiser: Optimiser,
) -> tuple[TrainingState, jax.Array]:
    """All minibatches of one epoch, or some of them, before which ``first_batch`` were taken.

    The random numbers depend on the seed, the number of the epoch, that of the minibatch, and the
    machine.

    Returns
    -------
    state : TrainingState
        After the epoch.
    gradient_norm : jax.Array of shape (n_replicas,)
        Mean norm of the gradient over the minibatches.
    """
    n_machines, n_batches, _ = order.rows.shape
    keys = keys_of_batches(seed, epoch, n_machines, first_batch + np.arange(n_batches))

    def of_group(group: slice) -> tuple[TrainingState, jax.Array]:
        result: tuple[TrainingState, jax.Array] = _epoch_of_group(
            state,
            table,
            order._replace(rows=order.rows[group]),
            rates,
            beginning,
            keys[group],
            group.start,
            layer=layer,
            objective=objective,
            optimiser=optimiser,
        )
        return result

    program = (layer, objective, optimiser, table.visible.shape, order.rows.shape)
    whole: tuple[TrainingState, jax.Array] = joined(
        side_by_side(of_group, groups_of(n_machines), program)
    )
    return whole


@partial(
    jax.jit,
    static_argnames=("layer", "objective", "optimiser"),
    # Where a CPU has vectors of 512 bits, XLA keeps to half of them by itself. Random numbers and
    # exponentials are a third faster with all of it.
    compiler_options={"xla_cpu_prefer_vector_width": 512, **QUICKLY_COMPILED},
)
def _epoch_of_group(
    state: TrainingState,
    table: Rows,
    order: EpochOrder,
    rates: Rates,
    beginning: Beginning,
    keys: NDArray[np.uint32],
    first: int | jax.Array,
    *,
    layer: VisibleLayer,
    objective: Objective,
    optimiser: Optimiser,
) -> tuple[TrainingState, jax.Array]:
    """The epoch of as many machines as ``order`` has rows for, from ``first`` on.

    They are taken out of all machines here and not before, where every leaf would be a call.
    """
    n_machines = len(order.rows)
    state = machines_from(first, n_machines, state)
    if table.visible.ndim == 3:
        table = machines_from(first, n_machines, table)

    def one(
        state: TrainingState, rows: jax.Array, keys: jax.Array, table: Rows = table
    ) -> tuple[TrainingState, jax.Array]:
        weight = jnp.asarray(order.weight)
        own_rates = rates._replace(learning_rate=rates.learning_rate * state.rate_scale)

        def minibatch(
            index: jax.Array, carried: tuple[TrainingState, jax.Array]
        ) -> tuple[TrainingState, jax.Array]:
            state, norm = carried
            chosen = rows[index]
            seen = table.observed[chosen]
            batch = Batch(
                visible=jnp.where(seen, table.visible[chosen], 0.0),
                observed=seen,
                weight=weight[index],
                rows=chosen,
            )
            gradient, memory = objective.gradient(
                turned(state.parameters),
                layer,
                batch,
                state.memory,
                beginning,
                key_of_words(keys[index]),
            )
            gradient = turned(gradient)
            parameters, optimiser_state = optimiser.step(
                state.parameters, gradient, state.optimiser_state, own_rates
            )
            moved = TrainingState(parameters, optimiser_state, memory, state.rate_scale)
            return moved, norm + gradient_norm(gradient)

        first = turned(state), jnp.zeros(())
        carried, norm = jax.lax.fori_loop(0, order.n_batches, minibatch, first)
        return turned(carried), norm / order.n_batches

    rows = jnp.asarray(order.rows)
    own_tables = (table,) if table.visible.ndim == 3 else ()
    return over_replicas(one, state, rows, jnp.asarray(keys), *own_tables)  # type: ignore[no-any-return]
