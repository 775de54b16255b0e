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
from halfseen.learning.statistics import (
    Contrast,
    Offsets,
    Statistics,
    contrast,
    statistics_of,
)
from halfseen.machine.conditionals import hidden_mean_from_visible
from halfseen.machine.gibbs import free_gibbs, pinned, pinned_gibbs
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer

_FEW = 60


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


def terms_together(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    batch: Batch,
    elsewhere: jax.Array,
    key: jax.Array,
    n_steps: int,
) -> tuple[Contrast, jax.Array]:
    """Lines 7-12 with the rows of both terms in one chain, of which only the first are pinned.

    Products of few rows take hardly less time than those of twice as many.

    Parameters
    ----------
    parameters, layer, batch, key, n_steps
        As in :func:`positive_term`.
    elsewhere : jax.Array of shape (n_rows + n_chains, n_visible)
        Where the missing entries of the batch start, and after them the free chains.

    Returns
    -------
    contrast : Contrast
        Of the two terms.
    ends : jax.Array of shape (n_rows + n_chains, n_visible)
        The rows as the chain left them, and after them the free chains.
    """
    n_rows = batch.visible.shape[0]
    n_chains = elsewhere.shape[0] - n_rows
    none = jnp.zeros((n_chains, layer.n_visible), bool)
    observed = jnp.concatenate([batch.observed, none])
    values = jnp.concatenate([batch.visible, none.astype(batch.visible.dtype)])
    first = pinned(values, observed, elsewhere)
    ends = pinned_gibbs(parameters, layer, first, observed, key, n_steps)
    hidden_mean = hidden_mean_from_visible(parameters, ends)
    of_chains = jnp.full((n_chains,), -1.0 / n_chains, batch.weight.dtype)
    weight = jnp.concatenate([batch.weight, of_chains])
    difference = statistics_of(layer, ends, hidden_mean, weight)
    means = Offsets(batch.weight @ ends[:n_rows], batch.weight @ hidden_mean[:n_rows])
    return Contrast(difference, means), ends


def go_together(n_rows: int, n_chains: int) -> bool:
    """Whether the two terms are faster in one chain; else each has a core for itself.

    Examples
    --------
    >>> go_together(10, 10), go_together(100, 100)
    (True, False)
    """
    return n_rows + n_chains <= _FEW


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
        n_rows = batch.visible.shape[0]
        start_key, positive_key, negative_start_key, negative_key = jax.random.split(key, 4)

        def start(key: jax.Array, n_chains: int) -> jax.Array:
            return random_visible(
                key, layer, beginning.marginals, parameters.log_variance, (n_chains,)
            )

        if go_together(n_rows, n_rows):
            elsewhere = start(start_key, 2 * n_rows)
            terms, _ = terms_together(
                parameters, layer, batch, elsewhere, positive_key, self.n_steps
            )
        else:
            missing, free = start(start_key, n_rows), start(negative_start_key, n_rows)
            weight = jnp.full((n_rows,), 1.0 / n_rows, batch.visible.dtype)
            positive, _ = positive_term(
                parameters, layer, batch, missing, positive_key, self.n_steps
            )
            negative, _ = negative_term(parameters, layer, free, weight, negative_key, self.n_steps)
            terms = contrast(positive, negative)
        return ascent(terms, parameters, memory, self.offset_rate)
