"""Algorithm 1 of the paper: Lossy-CDk, contrastive divergence on incomplete data.

Line by line: the observed variables are pinned and the missing ones start at random (positive
term, lines 7-9); a second set of chains starts at random altogether (negative term, lines 11-12);
the update is their difference (line 13, eq. 9 with E[v_i h_j | v_o] in its second term).
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from halfseen.learning.objective import Batch, Beginning, Memory, ascent, memory_without_chains
from halfseen.learning.starts import random_visible
from halfseen.learning.statistics import Statistics, statistics_of
from halfseen.machine.conditionals import hidden_mean_from_visible
from halfseen.machine.gibbs import free_gibbs, pinned, pinned_gibbs
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer


def positive_term(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    batch: Batch,
    start: jax.Array,
    key: jax.Array,
    n_steps: int,
) -> tuple[Statistics, jax.Array]:
    """Lines 7-10: pin v_o, sample h and v_m for k steps, then eqs. (7) and (8).

    Both expectations are taken with the last sample of v_m and the exact p(h | v) given it, which
    is an unbiased estimate of E[v_i h_j | v_o] once the chain is at equilibrium.

    Returns
    -------
    statistics : Statistics
        The positive term.
    filled : jax.Array of shape (n_rows, n_visible)
        The rows as the chain left them.
    """
    first = pinned(batch.visible, batch.observed, start)
    filled = pinned_gibbs(parameters, layer, first, batch.observed, key, n_steps)
    hidden_mean = hidden_mean_from_visible(parameters, filled)
    return statistics_of(layer, filled, hidden_mean, batch.weight), filled


def negative_term(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    start: jax.Array,
    weight: jax.Array,
    key: jax.Array,
    n_steps: int,
) -> tuple[Statistics, jax.Array]:
    """Lines 11-12: iterate eqs. (4) and (5) for k steps from ``start``.

    Returns
    -------
    statistics : Statistics
        The negative term, <v_i h_j> of the model.
    chains : jax.Array of shape (n_chains, n_visible)
        Where the chains are now.
    """
    chains = free_gibbs(parameters, layer, start, key, n_steps)
    hidden_mean = hidden_mean_from_visible(parameters, chains)
    return statistics_of(layer, chains, hidden_mean, weight), chains


@dataclass(frozen=True)
class LossyCD:
    """Lossy-CDk with random starts in both terms, as the paper has it.

    Parameters
    ----------
    n_steps : int
        k, the Gibbs steps of both terms (paper: 1).
    offset_rate : float
        How fast the centres follow the data; 0 for the paper's plain gradient.
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
        """One update of Algorithm 1."""
        rows = batch.visible.shape[:1]
        start_key, positive_key, negative_start_key, negative_key = jax.random.split(key, 4)
        log_variance = parameters.log_variance

        missing = random_visible(start_key, layer, beginning.marginals, log_variance, rows)
        positive, _ = positive_term(parameters, layer, batch, missing, positive_key, self.n_steps)

        start = random_visible(negative_start_key, layer, beginning.marginals, log_variance, rows)
        weight = jnp.full(rows, 1.0 / rows[0], batch.visible.dtype)
        negative, _ = negative_term(parameters, layer, start, weight, negative_key, self.n_steps)

        return ascent(positive, negative, parameters, memory, self.offset_rate)
