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
from halfseen.learning.starts import random_missing, random_visible
from halfseen.learning.statistics import (
    Contrast,
    Offsets,
    Statistics,
    contrast,
    statistics_of,
)
from halfseen.machine.conditionals import hidden_mean_from_visible
from halfseen.machine.gibbs import free_gibbs, pinned_gibbs
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer

_FEW = 50


def positive_term(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    batch: Batch,
    start: jax.Array,
    key: jax.Array,
    n_steps: int,
) -> tuple[Statistics, jax.Array]:
    """Lines 7-10: from a start with v_o pinned sample h and v_m for k steps, then eqs. (7), (8).

    Both expectations are taken with the last sample of v_m and the exact p(h | v) given it, which
    is an unbiased estimate of E[v_i h_j | v_o] once the chain is at equilibrium.

    Returns
    -------
    statistics : Statistics
        The positive term.
    filled : jax.Array of shape (n_rows, n_visible)
        The rows as the chain left them.
    """
    filled = pinned_gibbs(parameters, layer, start, batch.observed, key, n_steps)
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


def followed_by_chains(batch: Batch) -> Batch:
    """The batch and after it as many free chains, rows of which nothing is observed.

    Their weights are negative, so that statistics of all rows are those of the positive term less
    those of the negative one.

    Examples
    --------
    >>> batch = Batch(jnp.ones((1, 2)), jnp.ones((1, 2), bool), jnp.ones(1), jnp.array([5]))
    >>> both = followed_by_chains(batch)
    >>> both.observed.tolist(), both.weight.tolist()
    ([[True, True], [False, False]], [1.0, -1.0])
    """
    n_rows, n_visible = batch.visible.shape
    shape = (2, n_rows, n_visible)
    # Repeated and not padded: within a loop that pads, XLA would compute one entry after the other.
    observed = batch.observed & jnp.array([True, False])[:, None, None]
    return Batch(
        visible=jnp.broadcast_to(batch.visible, shape).reshape(-1, n_visible),
        observed=observed.reshape(-1, n_visible),
        weight=jnp.concatenate([batch.weight, jnp.full_like(batch.weight, -1.0 / n_rows)]),
        rows=jnp.tile(batch.rows, 2),
    )


def terms_together(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    both: Batch,
    start: jax.Array,
    key: jax.Array,
    n_steps: int,
) -> tuple[Contrast, jax.Array]:
    """Lines 7-12 with the rows of both terms in one chain, of which only the first are pinned.

    Products of few rows take hardly less time than those of twice as many.

    Parameters
    ----------
    parameters, layer, start, key, n_steps
        As in :func:`positive_term`.
    both : Batch
        Of :func:`followed_by_chains`.

    Returns
    -------
    contrast : Contrast
        Of the two terms.
    ends : jax.Array of shape (2 n_rows, n_visible)
        The rows as the chain left them, and after them the free chains.
    """
    ends = pinned_gibbs(parameters, layer, start, both.observed, key, n_steps)
    return contrast_of_ends(parameters, layer, ends, both.weight), ends


def contrast_of_ends(
    parameters: BoltzmannParameters, layer: VisibleLayer, ends: jax.Array, weight: jax.Array
) -> Contrast:
    """The contrast of two terms from the rows of both, where their chains have led them.

    Parameters
    ----------
    parameters, layer
        The machine.
    ends : jax.Array of shape (2 n_rows, n_visible)
        The rows of the positive term, and after them those of the negative one.
    weight : jax.Array of shape (2 n_rows,)
        What each row counts; those of the negative term less than nothing.
    """
    hidden_mean = hidden_mean_from_visible(parameters, ends)
    difference = statistics_of(layer, ends, hidden_mean, weight)
    n_rows = len(ends) // 2
    own = weight[:n_rows]
    return Contrast(difference, Offsets(own @ ends[:n_rows], own @ hidden_mean[:n_rows]))


def go_together(n_rows: int, n_chains: int) -> bool:
    """Whether the two terms are faster in one chain; else each has a core for itself.

    Examples
    --------
    >>> go_together(10, 10), go_together(100, 100)
    (True, False)
    """
    return n_rows == n_chains <= _FEW


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
        places = layer, beginning.marginals, parameters.log_variance

        if go_together(n_rows, n_rows):
            both = followed_by_chains(batch)
            start = random_missing(start_key, *places, both.visible, both.observed)
            terms, _ = terms_together(parameters, layer, both, start, positive_key, self.n_steps)
        else:
            start = random_missing(start_key, *places, batch.visible, batch.observed)
            positive, _ = positive_term(parameters, layer, batch, start, positive_key, self.n_steps)
            chains = random_visible(negative_start_key, *places, (n_rows,))
            weight = jnp.full((n_rows,), 1.0 / n_rows, batch.visible.dtype)
            negative, _ = negative_term(
                parameters, layer, chains, weight, negative_key, self.n_steps
            )
            terms = contrast(positive, negative)
        return ascent(terms, parameters, memory, self.offset_rate)
