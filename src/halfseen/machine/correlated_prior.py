"""A correlated Gaussian prior over visible units, and what it expects of the missing ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import jax
import numpy as np

from halfseen.machine.namespace_of import namespace_of


class CorrelatedPrior(NamedTuple):
    """A joint Gaussian over visible units in standard units, in place of the product of eq. (2)."""

    mean: jax.Array  # (n_units,)
    covariance: jax.Array  # (n_units, n_units), positive definite

    def covariance_times(self, rows: jax.Array) -> jax.Array:
        """Rows times the covariance, of shape (n_rows, n_units).

        Examples
        --------
        >>> import jax.numpy as jnp
        >>> prior = CorrelatedPrior(jnp.zeros(2), jnp.array([[2.0, 1.0], [1.0, 2.0]]))
        >>> prior.covariance_times(jnp.array([[1.0, 0.0]])).tolist()
        [[2.0, 1.0]]
        """
        return rows @ self.covariance


class LowRankPrior(NamedTuple):
    """The same with covariance ``diag(noise) + loading loading^T``, where units are many."""

    mean: jax.Array  # (n_units,)
    noise: jax.Array  # (n_units,), positive
    loading: jax.Array  # (n_units, rank)

    def covariance_times(self, rows: jax.Array) -> jax.Array:
        """Rows times the covariance, of shape (n_rows, n_units).

        Examples
        --------
        >>> import jax.numpy as jnp
        >>> prior = LowRankPrior(jnp.zeros(2), jnp.ones(2), jnp.ones((2, 1)))
        >>> prior.covariance_times(jnp.array([[1.0, 0.0]])).tolist()
        [[2.0, 1.0]]
        """
        return rows * self.noise + (rows @ self.loading) @ self.loading.T


Prior = CorrelatedPrior | LowRankPrior


def conditional_mean(
    prior: Prior, values: jax.Array, observed: jax.Array, n_steps: int
) -> jax.Array:
    """E[unit | observed units of its row] of every unit; an observed one expects itself.

    Found for all rows at once by conjugate gradients, which need one product with the covariance
    per step and no factor of any row's own block: a row costs ``2 n_units^2 n_steps`` operations,
    or ``4 n_units rank n_steps`` with a low rank. Steps are fixed in number, so that a row's answer
    depends on no other row.

    Parameters
    ----------
    prior : CorrelatedPrior or LowRankPrior
        The joint Gaussian.
    values : jax.Array of shape (n_rows, n_units)
        In standard units; what stands at missing entries is not read.
    observed : jax.Array of bool, of shape (n_rows, n_units)
        True where seen.
    n_steps : int
        Steps of conjugate gradients; as many as units are exact, but for rounding.

    Returns
    -------
    jax.Array of shape (n_rows, n_units)

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> prior = CorrelatedPrior(jnp.zeros(2), jnp.array([[1.0, 0.5], [0.5, 1.0]]))
    >>> seen = jnp.array([[True, False]])
    >>> conditional_mean(prior, jnp.array([[2.0, 9.0]]), seen, n_steps=2).round(4).tolist()
    [[2.0, 1.0]]
    """
    return continued_mean(prior, values, observed, None, n_steps)[0]


def continued_mean(
    prior: Prior,
    values: jax.Array,
    observed: jax.Array,
    found: jax.Array | None,
    n_steps: int | jax.Array,
) -> tuple[jax.Array, jax.Array]:
    """``conditional_mean`` from where an earlier search for it ended, and where this one ends.

    Under a prior that has changed a little, a few steps from there do for many from nothing. What
    is found is of shape (n_rows, n_units), or (n_rows, rank) with a low rank. All of it is computed
    by NumPy if the values are NumPy's, which need not be compiled.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> prior = CorrelatedPrior(jnp.zeros(2), jnp.array([[1.0, 0.5], [0.5, 1.0]]))
    >>> table, seen = jnp.array([[2.0, 4.0]]), jnp.array([[True, False]])
    >>> _, found = continued_mean(prior, table, seen, None, 2)
    >>> continued_mean(prior, table, seen, found, 0)[0].round(4).tolist()
    [[2.0, 1.0]]
    """
    xp = namespace_of(values)
    away = xp.where(observed, values - prior.mean, xp.zeros_like(values))
    if isinstance(prior, LowRankPrior):
        factors = _factors(prior, away, observed, found, n_steps)
        expected = prior.mean + factors @ prior.loading.T
        return xp.where(observed, values, expected), factors
    found = _solved(prior.covariance_times, away, found, n_steps, observed)
    return prior.mean + prior.covariance_times(found), found


def _factors(
    prior: LowRankPrior,
    away: jax.Array,
    observed: jax.Array,
    found: jax.Array | None,
    n_steps: int | jax.Array,
) -> jax.Array:
    """E[factors | observed units of a row], of shape (n_rows, rank).

    With units ``mean + loading f + noise``, f of unit covariance, it solves
    ``(1 + L_o^T N_o^-1 L_o) f = L_o^T N_o^-1 v_o``: a system of the rank's size, not of the row's.
    """
    precision = observed / prior.noise

    def product(factors: jax.Array) -> jax.Array:
        return factors + (precision * (factors @ prior.loading.T)) @ prior.loading

    return _solved(product, (precision * away) @ prior.loading, found, n_steps)


def _solved(
    product: Callable[[jax.Array], jax.Array],
    right: jax.Array,
    found: jax.Array | None,
    n_steps: int | jax.Array,
    within: jax.Array | None = None,
) -> jax.Array:
    """Rows x of ``product(x) = right``, for a symmetric product that takes each row by itself.

    Where ``within`` is given, x is zero outside of it, and so is ``right``, and the product counts
    within it alone.
    """
    xp = namespace_of(right)
    tiny = right.dtype.type(np.finfo(right.dtype).tiny)

    def inside(rows: jax.Array) -> jax.Array:
        return rows if within is None else xp.where(within, rows, xp.zeros_like(rows))

    def step(state: _Search) -> _Search:
        image = product(state.direction)
        # A direction is zero outside, where its image need not be.
        along = _row_products(state.direction, image)
        length = (state.remaining / xp.maximum(along, tiny))[:, None]
        solution = state.solution + length * state.direction
        residual = inside(state.residual - length * image)
        remaining = _row_products(residual, residual)
        # At the bottom of float32 the search would follow rounding: it rests there.
        resting = remaining <= 1e-12 * xp.maximum(size, tiny)
        remaining = xp.where(resting, xp.zeros_like(remaining), remaining)
        turn = remaining / xp.maximum(state.remaining, tiny)
        return _Search(solution, residual, residual + turn[:, None] * state.direction, remaining)

    size = _row_products(right, right)
    first = _Search(xp.zeros_like(right), right, right, size)
    if found is not None:
        residual = inside(right - product(found))
        first = _Search(found, residual, residual, _row_products(residual, residual))
    # When all rows rest, they would stay where they are: the search ends early without a change.
    if xp is np:
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            for _ in range(int(n_steps)):
                if not first.remaining.any():
                    break
                first = step(first)
        return first.solution
    last: tuple[jax.Array, _Search] = jax.lax.while_loop(
        lambda state: (state[0] < n_steps) & (state[1].remaining > 0).any(),
        lambda state: (state[0] + 1, step(state[1])),
        (xp.zeros((), np.int32), first),
    )
    return last[1].solution


def _row_products(one: jax.Array, other: jax.Array) -> jax.Array:
    """The product of every row with its own, of shape (n_rows,)."""
    if isinstance(one, np.ndarray):
        products: jax.Array = np.einsum("ij,ij->i", one, other)
        return products
    return (one * other).sum(axis=1)


class _Search(NamedTuple):
    solution: jax.Array
    residual: jax.Array
    direction: jax.Array
    remaining: jax.Array  # squared length of the residual of every row
