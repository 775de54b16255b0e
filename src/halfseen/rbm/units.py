"""Visible units: Gaussian, Bernoulli and categorical, mixed freely in one layer.

With the input ``x_i = a_i + sum_j w_ij h_j`` and the prior of eq. (2), ``log_partition`` is
``log int p_prior(v) exp(x v) dv``; its derivative is ``mean``, and ``entropy`` (with the prior) is
its Legendre transform.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.scipy.special import entr, logit, ndtri
from numpy.typing import NDArray

from halfseen.data.schema import Schema

_LEAST_PROBABILITY = 1e-4


@dataclass(frozen=True)
class VisibleLayer:
    """All visible units: Gaussian ones, then Bernoulli ones, then the categorical groups.

    Every method gives one result per unit, kind by kind. ``log_variance``, of the Gaussian units,
    is a parameter of the machine.
    """

    n_gaussian: int
    n_bernoulli: int
    group_sizes: tuple[int, ...] = ()

    @property
    def n_units(self) -> int:
        """Number of visible units."""
        return self.n_gaussian + self.n_bernoulli + sum(self.group_sizes)

    def mean(self, inputs: Array, log_variance: Array) -> Array:
        """<v> given the inputs of all units: the right-hand sides of eqs. (11) and (12)."""
        numbers, binary, groups = self._split(inputs)
        shares = self._ungrid(jax.nn.softmax(self._grid(groups, -jnp.inf), axis=-1))
        return _joined(jnp.exp(log_variance) * numbers, jax.nn.sigmoid(binary), shares)

    def sample(self, key: Array, inputs: Array, log_variance: Array) -> Array:
        """v given the inputs of all units: eq. (4)."""
        uniform = self._split(open_uniform(key, inputs.shape, inputs.dtype))
        numbers, binary, groups = self._split(inputs)
        normal = jnp.exp(log_variance) * numbers + jnp.exp(0.5 * log_variance) * ndtri(uniform[0])
        gumbel = -jnp.log(-jnp.log(uniform[2]))
        chosen = jnp.argmax(self._grid(groups + gumbel, -jnp.inf), axis=-1)
        one_hot = jax.nn.one_hot(chosen, self._layout[0].shape[1], dtype=inputs.dtype)
        return _joined(normal, bernoulli_sample(uniform[1], binary), self._ungrid(one_hot))

    def log_partition(self, inputs: Array, log_variance: Array) -> Array:
        """log int p_prior(v) exp(x v) dv; that of a group stands at its first unit."""
        numbers, binary, groups = self._split(inputs)
        of_group = jax.nn.logsumexp(self._grid(groups, -jnp.inf), axis=-1)
        at_first = jnp.zeros_like(groups).at[..., self._layout[0][:, 0]].set(of_group)
        of_numbers = 0.5 * jnp.exp(log_variance) * numbers**2
        return _joined(of_numbers, jax.nn.softplus(binary), at_first)

    def log_prior(self, values: Array, log_variance: Array) -> Array:
        """log p_prior(v) of each unit; the prior of discrete units counts configurations."""
        numbers, binary, groups = self._split(values)
        square = numbers**2 * jnp.exp(-log_variance)
        of_numbers = -0.5 * (square + log_variance + jnp.log(2.0 * jnp.pi))
        return _joined(of_numbers, jnp.zeros_like(binary), jnp.zeros_like(groups))

    def entropy(self, mean: Array, log_variance: Array) -> Array:
        """Entropy plus <log p_prior> of units with these means; numbers keep their variance."""
        numbers, binary, groups = self._split(mean)
        of_numbers = -0.5 * numbers**2 * jnp.exp(-log_variance)
        return _joined(of_numbers, binary_entropy(binary), entr(groups))

    def inputs_from_mean(self, mean: Array, log_variance: Array) -> Array:
        """The inputs that give these means; probabilities are kept off 0 and 1."""
        numbers, binary, groups = self._split(mean)
        inner = jnp.clip(binary, _LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY)
        log_shares = jnp.log(jnp.maximum(groups, _LEAST_PROBABILITY))
        return _joined(numbers * jnp.exp(-log_variance), logit(inner), log_shares)

    def loss(self, values: Array, mean: Array) -> Array:
        """Loss of predicting these means: half the squared error, or log-loss."""
        numbers, binary, groups = self._split(mean)
        true_numbers, true_binary, true_groups = self._split(values)
        inner = jnp.clip(binary, _LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY)
        of_binary = -true_binary * jnp.log(inner) - (1 - true_binary) * jnp.log1p(-inner)
        of_groups = -true_groups * jnp.log(jnp.maximum(groups, _LEAST_PROBABILITY))
        return _joined(0.5 * (true_numbers - numbers) ** 2, of_binary, of_groups)

    def hidden_input_variance(
        self, mean: Array, missing: Array, weights: Array, log_variance: Array
    ) -> Array:
        """Variance that missing units with these means bring to each hidden input."""
        numbers, binary, groups = self._split(mean)
        of_numbers = jnp.broadcast_to(jnp.exp(log_variance), numbers.shape)
        squares = missing * _joined(of_numbers, binary * (1 - binary), groups)
        missing_shares = self._grid(self._split(missing)[2] * groups, 0.0)
        of_groups = self._grid(self._split(weights.T)[2], 0.0)
        group_mean = jnp.einsum("...gk,hgk->...gh", missing_shares, of_groups)
        return squares @ weights**2 - jnp.sum(group_mean**2, axis=-2)

    def _split(self, of_units: Array) -> list[Array]:
        """What belongs to numbers, to binary units and to categorical groups."""
        return jnp.split(of_units, [self.n_gaussian, self.n_gaussian + self.n_bernoulli], axis=-1)

    @property
    def _layout(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Unit at each place of a (group, category) grid, and the places in use."""
        used = np.arange(max(self.group_sizes, default=1)) < np.array(self.group_sizes)[:, None]
        return np.where(used, np.cumsum(used).reshape(used.shape) - 1, 0), used

    def _grid(self, of_groups: Array, fill: float) -> Array:
        """(..., n_units of groups) -> (..., n_groups, largest group)."""
        unit, used = self._layout
        return jnp.where(used, of_groups[..., unit], fill)

    def _ungrid(self, grid: Array) -> Array:
        """The inverse of `_grid`."""
        return grid[..., *np.nonzero(self._layout[1])]


def layer_of(schema: Schema) -> VisibleLayer:
    """The visible layer that a schema lays out."""
    n_bernoulli = sum(c.n_units for c in schema.columns if c.unit == "bernoulli")
    group_sizes = tuple(c.n_units for c in schema.columns if c.unit == "categorical")
    return VisibleLayer(schema.n_gaussian, n_bernoulli, group_sizes)


def open_uniform(key: Array, shape: tuple[int, ...], dtype: Any) -> Array:
    """Uniform numbers strictly between 0 and 1, of 16 bits each: most of sampling is their cost."""
    n_pairs = (shape[-1] + 1) // 2
    pairs = jax.random.bits(key, (*shape[:-1], n_pairs), jnp.uint32)
    halves = jax.lax.bitcast_convert_type(pairs, jnp.uint16).reshape(*shape[:-1], 2 * n_pairs)
    return (halves[..., : shape[-1]].astype(dtype) + 0.5) * 2.0**-16


def bernoulli_sample(uniform: Array, inputs: Array) -> Array:
    """1 with probability sigmoid(inputs), else 0, from uniform numbers."""
    return (uniform < jax.nn.sigmoid(inputs)).astype(inputs.dtype)


def binary_entropy(mean: Array) -> Array:
    """Entropy of a binary unit."""
    return entr(mean) + entr(1 - mean)


def _joined(*kinds: Array) -> Array:
    return jnp.concatenate(kinds, axis=-1)
