"""Gradients of an objective, drawn many times, beside the exact gradient of mean log P(v_o)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from exact.compiled import compiled
from exact.machines import MIXED, Case
from exact.reference import Floats
from halfseen.learning.objective import Batch, Beginning, Memory, Objective
from halfseen.learning.statistics import Offsets
from halfseen.machine.exact import exact_log_probability
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer

# Chains of smaller weights forget within a dozen steps.
CASE = MIXED.with_weights(0.6)
N_COPIES = 80
N_CHAINS = 557
N_TABLE_ROWS = N_COPIES * len(CASE.visible) + 11
N_DRAWS = 16
# In units of what unbiased gradients show, of which the expectation is 1.
FAR = 2.5


class Draws(NamedTuple):
    """Gradients, and the memory after each; a leading axis over N_DRAWS keys on every leaf."""

    gradient: BoltzmannParameters
    memory: Memory


class Departure(NamedTuple):
    """How far the mean of drawn gradients is from the exact one."""

    in_errors: float  # root mean square over parameters, in standard errors of the mean
    relative: float  # norm, relative to that of the exact gradient


def batch_of(case: Case, n_copies: int = N_COPIES) -> Any:
    """All rows of a case, each repeated, with weights that differ: a batch of numpy arrays."""
    n_rows = n_copies * len(case.visible)
    weight = np.tile(np.arange(2.0, 2.0 + len(case.visible)), n_copies)
    leaves: tuple[Any, ...] = (
        np.tile(case.with_behind(0.0), (n_copies, 1)),
        np.tile(case.observed, (n_copies, 1)),
        weight / weight.sum(),
        np.arange(n_rows),
    )
    return Batch(*leaves)


def beginning_of(case: Case) -> Any:
    """Random starts far from the machine's own marginals, and no centres."""
    machine = case.machine
    marginals = [np.full(machine.n_gaussian, 0.7), np.full(machine.n_bernoulli, 0.3)]
    marginals += [np.full(size, 1 / size) for size in machine.group_sizes]
    centres: tuple[Any, ...] = (np.zeros(machine.n_visible), np.zeros(machine.n_hidden))
    starts: Any = np.concatenate(marginals)
    return Beginning(starts, Offsets(*centres))


def _mean_log_probability(
    parameters: BoltzmannParameters, layer: VisibleLayer, batch: Batch
) -> jax.Array:
    return batch.weight @ exact_log_probability(parameters, layer, batch.visible, batch.observed)


_exact_gradient = compiled(jax.grad(_mean_log_probability))


def drawer(objective_of: Callable[[Any], Objective]) -> Callable[..., Draws]:
    """``(batch, n_steps, n_before) -> Draws`` of the objective with that many steps.

    Each gradient is taken after ``n_before`` others at the same parameters, so that what an
    objective keeps between minibatches has time to arrive. One compilation serves all arguments.
    """

    def draws(
        parameters: BoltzmannParameters,
        layer: VisibleLayer,
        batch: Batch,
        beginning: Beginning,
        keys: jax.Array,
        n_steps: jax.Array,
        n_before: jax.Array,
    ) -> Any:
        objective = objective_of(n_steps)

        def one(key: jax.Array) -> Any:
            def again(
                index: jax.Array, carried: tuple[BoltzmannParameters, Memory]
            ) -> tuple[BoltzmannParameters, Memory]:
                call_key = jax.random.fold_in(key, index)
                return objective.gradient(parameters, layer, batch, carried[1], beginning, call_key)

            memory_key = jax.random.fold_in(key, 2**31)
            memory = objective.first_memory(memory_key, layer, beginning, N_TABLE_ROWS)
            nothing = jax.tree.map(jnp.zeros_like, parameters)
            return jax.lax.fori_loop(0, n_before + 1, again, (nothing, memory))

        return jax.lax.map(one, keys)

    quick = compiled(draws)

    def call(batch: Batch, n_steps: int, n_before: int = 0) -> Draws:
        keys = draw_keys()
        found = quick(
            CASE.parameters, CASE.layer, batch, beginning_of(CASE), keys, n_steps, n_before
        )
        return Draws(*found)

    return call


def draw_keys() -> jax.Array:
    return jax.random.split(jax.random.key(1), N_DRAWS)


def departure(draws: Draws, batch: Any) -> Departure:
    """Of the mean of the drawn gradients from the exact gradient of the same batch."""
    few = Batch(*(leaf[: len(CASE.visible)] for leaf in batch))
    few = few._replace(weight=few.weight / few.weight.sum())
    exact = _flat(_exact_gradient(CASE.parameters, CASE.layer, few), 0)
    gradients = _flat(draws.gradient, 1)
    error = gradients.mean(axis=0) - exact
    standard = gradients.std(axis=0, ddof=1) / np.sqrt(N_DRAWS)
    return Departure(
        in_errors=float(np.sqrt(np.mean((error / standard) ** 2))),
        relative=float(np.linalg.norm(error) / np.linalg.norm(exact)),
    )


def _flat(gradient: BoltzmannParameters, n_leading: int) -> Floats:
    leaves = [np.reshape(leaf, (*leaf.shape[:n_leading], -1)) for leaf in gradient]
    return np.concatenate(leaves, axis=-1)
