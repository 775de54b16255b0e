"""A trained machine on the shelf: completes rows, weighs them, and dreams up new ones."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from zlib import crc32

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.learning.progress import ProgressLine, Verbosity
from halfseen.learning.starts import random_visible
from halfseen.machine.annealed import annealed_log_observed
from halfseen.machine.completion import CompletionSettings, complete_by_machines
from halfseen.machine.gibbs import free_gibbs, pinned, pinned_gibbs
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.tiles import in_tiles
from halfseen.machine.visible_layer import VisibleLayer

N_TEMPERATURES_OF_ROWS = 60
N_CHAINS_OF_ROWS = 8
N_TEMPERATURES_OF_PARTITION = 2000
N_CHAINS_OF_PARTITION = 128
N_STEPS_OF_SAMPLES = 1000
N_STEPS_OF_DRAWS = 200
# Standard deviations from the mean beyond which a number counts as this far away: squares of
# anything much larger would leave float32.
FARTHEST = 1e12


@dataclass(frozen=True)
class FittedMachine:
    """Parameters that no longer change, with all that completion needs.

    Every result is computed row by row in tiles of one shape: it depends on no other row.

    Parameters
    ----------
    layer : VisibleLayer
        The kinds of the visible units.
    weights, visible_bias, hidden_bias, log_variance : ndarray
        Of one or more machines, stacked on the first axis.
    restarts : ndarray of shape (n_restarts, n_visible)
        The start configurations of completion, the same for every row.
    marginals : ndarray of shape (n_visible,)
        Observed marginals of training.
    completion : CompletionSettings
        How missing entries are found.
    seed : int
        Seed of everything random after training.
    """

    layer: VisibleLayer
    weights: NDArray[np.float32]
    visible_bias: NDArray[np.float32]
    hidden_bias: NDArray[np.float32]
    log_variance: NDArray[np.float32]
    restarts: NDArray[np.float32]
    marginals: NDArray[np.float32]
    completion: CompletionSettings
    seed: int

    @property
    def machines(self) -> BoltzmannParameters:
        """The parameters as the machine room takes them."""
        return BoltzmannParameters(
            jnp.asarray(self.weights),
            jnp.asarray(self.visible_bias),
            jnp.asarray(self.hidden_bias),
            jnp.asarray(self.log_variance),
        )

    def complete(
        self,
        visible: NDArray[np.float32],
        observed: NDArray[np.bool_],
        verbose: Verbosity = False,
    ) -> NDArray[np.float32]:
        """Expected value of every unit given the observed ones of its row."""
        line = ProgressLine("completing, row", len(visible), verbose)
        machines, key = self.machines, jax.random.key(self.seed)
        restarts = jnp.asarray(self.restarts)

        def of_tile(tile: NDArray[np.float32], seen: NDArray[np.bool_]) -> NDArray[np.float32]:
            near = self._within_reach(tile)
            return np.asarray(
                _completed(machines, near, seen, restarts, key, self.layer, self.completion)
            )

        completed = in_tiles(of_tile, visible, observed, line.show)
        line.close("done")
        return completed

    def _within_reach(self, tile: NDArray[np.float32]) -> NDArray[np.float32]:
        near = tile.copy()
        near[:, : self.layer.n_gaussian] = tile[:, : self.layer.n_gaussian].clip(
            -FARTHEST, FARTHEST
        )
        return near

    def log_probability(
        self,
        visible: NDArray[np.float32],
        observed: NDArray[np.bool_],
        verbose: Verbosity = False,
    ) -> NDArray[np.float64]:
        """log P(v_o) of every row, by annealed importance sampling, averaged over machines.

        In standard units of the Gaussian entries.
        """
        key = jax.random.fold_in(jax.random.key(self.seed), 1)
        of_machine = []
        for index, log_partition in enumerate(self.log_partitions):
            line = ProgressLine("weighing, row", len(visible), verbose)
            machine = jax.tree.map(lambda leaf, index=index: leaf[index], self.machines)

            def of_tile(
                tile: NDArray[np.float32],
                seen: NDArray[np.bool_],
                machine: BoltzmannParameters = machine,
            ) -> NDArray[np.float32]:
                return np.asarray(
                    _log_observed(
                        machine,
                        self._within_reach(tile),
                        seen,
                        jnp.asarray(self.marginals),
                        key,
                        self.layer,
                        N_TEMPERATURES_OF_ROWS,
                        N_CHAINS_OF_ROWS,
                    )[0]
                )

            log_observed = in_tiles(of_tile, visible, observed, line.show)
            line.close("done")
            of_machine.append(log_observed - log_partition)
        stacked = np.stack(of_machine).astype(np.float64)
        mixed: NDArray[np.float64] = np.logaddexp.reduce(stacked, axis=0) - np.log(len(stacked))
        return mixed

    @cached_property
    def log_partitions(self) -> NDArray[np.float64]:
        """log Z of every machine, estimated once, of shape (n_machines,)."""
        estimates: NDArray[np.float64] = self._partition_estimates[0]
        return estimates

    @cached_property
    def log_partition_errors(self) -> NDArray[np.float64]:
        """Standard errors of :attr:`log_partitions`."""
        errors: NDArray[np.float64] = self._partition_estimates[1]
        return errors

    @cached_property
    def _partition_estimates(self) -> NDArray[np.float64]:
        key = jax.random.fold_in(jax.random.key(self.seed), 2)
        nothing = jnp.zeros((1, self.layer.n_visible), bool)
        estimates = []
        for index in range(len(self.weights)):
            machine = jax.tree.map(lambda leaf, index=index: leaf[index], self.machines)
            log_observed, error = _log_observed(
                machine,
                jnp.zeros(nothing.shape, jnp.float32),
                nothing,
                jnp.asarray(self.marginals),
                key,
                self.layer,
                N_TEMPERATURES_OF_PARTITION,
                N_CHAINS_OF_PARTITION,
            )
            estimates.append([float(log_observed[0]), float(error[0])])
        return np.array(estimates).T

    def sample(self, n_rows: int, seed: int) -> NDArray[np.float32]:
        """New rows, each the end of a free Gibbs chain that began at the marginals."""
        key = jax.random.key(seed)
        per_machine = -(-n_rows // len(self.weights))
        chains = []
        for index in range(len(self.weights)):
            machine = jax.tree.map(lambda leaf, index=index: leaf[index], self.machines)
            chains.append(
                _sampled(
                    machine,
                    jnp.asarray(self.marginals),
                    jax.random.fold_in(key, index),
                    self.layer,
                    per_machine,
                    N_STEPS_OF_SAMPLES,
                )
            )
        return np.concatenate([np.asarray(rows) for rows in chains])[:n_rows]

    def draws(
        self, visible: NDArray[np.float32], observed: NDArray[np.bool_], seed: int, index: int
    ) -> NDArray[np.float32]:
        """The rows with their missing entries drawn from P(v_m | v_o), by Gibbs chains.

        The random numbers of a row hang on its own content, so that they are neither those of the
        other rows nor depend on them; rows that are equal get equal draws.
        """
        machine = jax.tree.map(lambda leaf: leaf[index % len(self.weights)], self.machines)
        key = jax.random.fold_in(jax.random.key(seed), index)

        def of_tile(tile: NDArray[np.float32], seen: NDArray[np.bool_]) -> NDArray[np.float32]:
            near = np.where(seen, self._within_reach(tile), np.float32(0))
            prints = np.array(
                [
                    crc32(row.tobytes() + mask.tobytes())
                    for row, mask in zip(near, seen, strict=True)
                ],
                np.uint32,
            )
            return np.asarray(
                _drawn(
                    machine,
                    near,
                    seen,
                    jnp.asarray(self.marginals),
                    prints,
                    key,
                    self.layer,
                    N_STEPS_OF_DRAWS,
                )
            )

        return in_tiles(of_tile, visible, observed)


@partial(jax.jit, static_argnames=("layer", "n_steps"))
def _drawn(
    machine: BoltzmannParameters,
    visible: jax.Array,
    observed: jax.Array,
    marginals: jax.Array,
    prints: jax.Array,
    key: jax.Array,
    layer: VisibleLayer,
    n_steps: int,
) -> jax.Array:
    def of_row(row: jax.Array, seen: jax.Array, own: jax.Array) -> jax.Array:
        start_key, chain_key = jax.random.split(jax.random.fold_in(key, own))
        start = random_visible(start_key, layer, marginals, machine.log_variance, ())
        return pinned_gibbs(machine, layer, pinned(row, seen, start), seen, chain_key, n_steps)

    return jax.vmap(of_row)(visible, observed, prints)


@partial(jax.jit, static_argnames=("layer", "completion"))
def _completed(
    machines: BoltzmannParameters,
    visible: jax.Array,
    observed: jax.Array,
    restarts: jax.Array,
    key: jax.Array,
    layer: VisibleLayer,
    completion: CompletionSettings,
) -> jax.Array:
    return complete_by_machines(machines, layer, completion, visible, observed, restarts, key)


@partial(jax.jit, static_argnames=("layer", "n_temperatures", "n_chains"))
def _log_observed(
    machine: BoltzmannParameters,
    visible: jax.Array,
    observed: jax.Array,
    marginals: jax.Array,
    key: jax.Array,
    layer: VisibleLayer,
    n_temperatures: int,
    n_chains: int,
) -> tuple[jax.Array, jax.Array]:
    return annealed_log_observed(
        machine,
        layer,
        visible,
        observed,
        key,
        base_bias=layer.input_from_mean(marginals, machine.log_variance),
        n_temperatures=n_temperatures,
        n_chains=n_chains,
    )


@partial(jax.jit, static_argnames=("layer", "n_rows", "n_steps"))
def _sampled(
    machine: BoltzmannParameters,
    marginals: jax.Array,
    key: jax.Array,
    layer: VisibleLayer,
    n_rows: int,
    n_steps: int,
) -> jax.Array:
    start_key, chain_key = jax.random.split(key)
    start = random_visible(start_key, layer, marginals, machine.log_variance, (n_rows,))
    return free_gibbs(machine, layer, start, chain_key, n_steps)
