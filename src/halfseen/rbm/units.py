"""Visible units: Gaussian, Bernoulli and categorical, mixed freely in one layer.

Every kind of unit is described by the same six verbs. With the input ``x_i = a_i + sum_j w_ij h_j``
and the prior of eq. (2), ``log_partition`` is ``log int p_prior(v) exp(x v) dv``; its derivative is
``mean``, and ``entropy`` (with the prior) is its Legendre transform.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.special import entr, ndtri
from numpy.typing import NDArray

_LEAST_PROBABILITY = 1e-4


@dataclass(frozen=True)
class Gaussian:
    """Numbers with the prior N(0, sigma_i^2); the log-variances are parameters of the machine."""

    n_units: int

    def mean(self, inputs: jax.Array, log_variance: jax.Array) -> jax.Array:
        """<v> given the input: eq. (11)."""
        return jnp.exp(log_variance) * inputs

    def sample(self, uniform: jax.Array, inputs: jax.Array, log_variance: jax.Array) -> jax.Array:
        """v given the input, from uniform numbers: eq. (4)."""
        return self.mean(inputs, log_variance) + jnp.exp(0.5 * log_variance) * ndtri(uniform)

    def hidden_input_variance(
        self, mean: jax.Array, missing: jax.Array, weights: jax.Array, log_variance: jax.Array
    ) -> jax.Array:
        """Variance that missing units bring to each hidden input."""
        return (missing * jnp.exp(log_variance)) @ weights**2

    def log_partition(self, inputs: jax.Array, log_variance: jax.Array) -> jax.Array:
        """log int p_prior(v) exp(x v) dv of each unit."""
        return 0.5 * jnp.exp(log_variance) * inputs**2

    def log_prior(self, values: jax.Array, log_variance: jax.Array) -> jax.Array:
        """log p_prior(v) of each unit."""
        square = values**2 * jnp.exp(-log_variance)
        return -0.5 * (square + log_variance + jnp.log(2.0 * jnp.pi))

    def entropy(self, mean: jax.Array, log_variance: jax.Array) -> jax.Array:
        """Entropy plus <log p_prior> of a unit that has this mean and keeps its variance."""
        return -0.5 * mean**2 * jnp.exp(-log_variance)

    def inputs_from_mean(self, mean: jax.Array, log_variance: jax.Array) -> jax.Array:
        """The inputs that give these means."""
        return mean * jnp.exp(-log_variance)

    def loss(self, values: jax.Array, mean: jax.Array) -> jax.Array:
        """Half the squared error of predicting this mean."""
        return 0.5 * (values - mean) ** 2


@dataclass(frozen=True)
class Bernoulli:
    """Binary values 0 and 1."""

    n_units: int

    def mean(self, inputs: jax.Array, _: jax.Array) -> jax.Array:
        """P(v = 1) given the input: eq. (12)."""
        return jax.nn.sigmoid(inputs)

    def sample(self, uniform: jax.Array, inputs: jax.Array, _: jax.Array) -> jax.Array:
        """v given the input, from uniform numbers: eq. (4)."""
        return bernoulli_sample(uniform, inputs)

    def hidden_input_variance(
        self, mean: jax.Array, missing: jax.Array, weights: jax.Array, _: jax.Array
    ) -> jax.Array:
        """Variance that missing units bring to each hidden input."""
        return (missing * mean * (1 - mean)) @ weights**2

    def log_partition(self, inputs: jax.Array, _: jax.Array) -> jax.Array:
        """log (1 + exp(x)) of each unit."""
        return jax.nn.softplus(inputs)

    def log_prior(self, values: jax.Array, _: jax.Array) -> jax.Array:
        """Zero: the prior counts configurations."""
        return jnp.zeros_like(values)

    def entropy(self, mean: jax.Array, _: jax.Array) -> jax.Array:
        """Entropy of a unit that has this mean."""
        return binary_entropy(mean)

    def inputs_from_mean(self, mean: jax.Array, _: jax.Array) -> jax.Array:
        """The inputs that give these means, none of them exactly 0 or 1."""
        inner = jnp.clip(mean, _LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY)
        return jnp.log(inner) - jnp.log1p(-inner)

    def loss(self, values: jax.Array, mean: jax.Array) -> jax.Array:
        """Log-loss of predicting this probability."""
        inner = jnp.clip(mean, _LEAST_PROBABILITY, 1 - _LEAST_PROBABILITY)
        return -values * jnp.log(inner) - (1 - values) * jnp.log1p(-inner)


@dataclass(frozen=True)
class Categorical:
    """Groups of units of which exactly one is 1; quantities of a group stand at its first unit."""

    sizes: tuple[int, ...]

    @property
    def n_units(self) -> int:
        """Number of units of all groups."""
        return sum(self.sizes)

    @property
    def first_units(self) -> NDArray[np.int64]:
        """First unit of each group."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int64)

    @property
    def _layout(self) -> tuple[NDArray[np.int64], NDArray[np.bool_], NDArray[np.int64]]:
        """Unit at each place of a (group, category) grid, places in use, and place of each unit."""
        place = np.arange(max(self.sizes))
        used = place < np.array(self.sizes)[:, None]
        return np.where(used, self.first_units[:, None] + place, 0), used, np.flatnonzero(used)

    def grid(self, units: jax.Array, fill: float) -> jax.Array:
        """(..., n_units) -> (..., n_groups, largest group)."""
        unit, used, _ = self._layout
        return jnp.where(used, units[..., unit], fill)

    def ungrid(self, grid: jax.Array) -> jax.Array:
        """The inverse of `grid`."""
        return grid.reshape(*grid.shape[:-2], -1)[..., self._layout[2]]

    def at_first_unit(self, of_group: jax.Array) -> jax.Array:
        """(..., n_groups) -> (..., n_units), zero but at the first unit of each group."""
        zeros = jnp.zeros((*of_group.shape[:-1], self.n_units), of_group.dtype)
        return zeros.at[..., self.first_units].set(of_group)

    def mean(self, inputs: jax.Array, _: jax.Array) -> jax.Array:
        """Probability of each category given the inputs of its group."""
        return self.ungrid(jax.nn.softmax(self.grid(inputs, -jnp.inf), axis=-1))

    def sample(self, uniform: jax.Array, inputs: jax.Array, _: jax.Array) -> jax.Array:
        """v given the inputs of its group, from uniform numbers: eq. (4)."""
        gumbel = -jnp.log(-jnp.log(uniform))
        chosen = jnp.argmax(self.grid(inputs + gumbel, -jnp.inf), axis=-1)
        return self.ungrid(jax.nn.one_hot(chosen, max(self.sizes), dtype=inputs.dtype))

    def hidden_input_variance(
        self, mean: jax.Array, missing: jax.Array, weights: jax.Array, _: jax.Array
    ) -> jax.Array:
        """Variance that missing groups bring to each hidden input."""
        mean = missing * mean
        group_mean = jnp.einsum("...gk,hgk->...gh", self.grid(mean, 0.0), self.grid(weights.T, 0.0))
        return mean @ weights**2 - jnp.sum(group_mean**2, axis=-2)

    def log_partition(self, inputs: jax.Array, _: jax.Array) -> jax.Array:
        """log sum_k exp(x_k) of each group."""
        return self.at_first_unit(jax.nn.logsumexp(self.grid(inputs, -jnp.inf), axis=-1))

    def log_prior(self, values: jax.Array, _: jax.Array) -> jax.Array:
        """Zero: the prior counts configurations."""
        return jnp.zeros_like(values)

    def entropy(self, mean: jax.Array, _: jax.Array) -> jax.Array:
        """Entropy, summand by summand: of a group that has these probabilities."""
        return entr(mean)

    def inputs_from_mean(self, mean: jax.Array, _: jax.Array) -> jax.Array:
        """The inputs that give these probabilities, none of them exactly 0."""
        return jnp.log(jnp.maximum(mean, _LEAST_PROBABILITY))

    def loss(self, values: jax.Array, mean: jax.Array) -> jax.Array:
        """Log-loss of predicting these probabilities, summand by summand."""
        return -values * jnp.log(jnp.maximum(mean, _LEAST_PROBABILITY))


UnitKind = Gaussian | Bernoulli | Categorical


@dataclass(frozen=True)
class VisibleLayer:
    """All visible units: the Gaussian ones, then the Bernoulli ones, then the categorical groups.

    Parameters
    ----------
    n_gaussian, n_bernoulli : int
        Numbers of units.
    group_sizes : tuple of int
        Units of each categorical group.

    Examples
    --------
    >>> layer = VisibleLayer(n_gaussian=1, n_bernoulli=1, group_sizes=(2,))
    >>> layer.mean(jnp.zeros(4), log_variance=jnp.zeros(1)).tolist()
    [0.0, 0.5, 0.5, 0.5]
    """

    n_gaussian: int
    n_bernoulli: int
    group_sizes: tuple[int, ...] = ()

    @property
    def n_units(self) -> int:
        """Number of visible units."""
        return self.n_gaussian + self.n_bernoulli + sum(self.group_sizes)

    @property
    def kinds(self) -> list[tuple[slice, UnitKind]]:
        """Kinds of which there are units, and where those stand."""
        kinds: list[UnitKind] = [Gaussian(self.n_gaussian), Bernoulli(self.n_bernoulli)]
        if self.group_sizes:
            kinds.append(Categorical(self.group_sizes))
        ends = np.cumsum([kind.n_units for kind in kinds]).tolist()
        slices = [slice(end - kind.n_units, end) for kind, end in zip(kinds, ends, strict=True)]
        return [pair for pair in zip(slices, kinds, strict=True) if pair[1].n_units]

    def mean(self, inputs: jax.Array, log_variance: jax.Array) -> jax.Array:
        """<v> given the inputs of all units: the right-hand sides of eqs. (11) and (12)."""
        return self._by_kind("mean", inputs, log_variance)

    def sample(self, key: jax.Array, inputs: jax.Array, log_variance: jax.Array) -> jax.Array:
        """v given the inputs of all units: eq. (4)."""
        uniform = open_uniform(key, inputs.shape, inputs.dtype)
        parts = [
            kind.sample(uniform[..., units], inputs[..., units], log_variance)
            for units, kind in self.kinds
        ]
        return jnp.concatenate(parts, axis=-1)

    def hidden_input_variance(
        self, mean: jax.Array, missing: jax.Array, weights: jax.Array, log_variance: jax.Array
    ) -> jax.Array:
        """Variance that missing units with these means bring to each hidden input."""
        parts = [
            kind.hidden_input_variance(
                mean[..., units], missing[..., units], weights[units], log_variance
            )
            for units, kind in self.kinds
        ]
        return jnp.asarray(sum(parts))

    def log_partition(self, inputs: jax.Array, log_variance: jax.Array) -> jax.Array:
        """log int p_prior(v) exp(x v) dv; of a group, at its first unit."""
        return self._by_kind("log_partition", inputs, log_variance)

    def log_prior(self, values: jax.Array, log_variance: jax.Array) -> jax.Array:
        """log p_prior(v) of each unit."""
        return self._by_kind("log_prior", values, log_variance)

    def entropy(self, mean: jax.Array, log_variance: jax.Array) -> jax.Array:
        """Entropy plus <log p_prior> of units with these means."""
        return self._by_kind("entropy", mean, log_variance)

    def inputs_from_mean(self, mean: jax.Array, log_variance: jax.Array) -> jax.Array:
        """The inputs that give these means; probabilities are kept off 0 and 1."""
        return self._by_kind("inputs_from_mean", mean, log_variance)

    def loss(self, values: jax.Array, mean: jax.Array) -> jax.Array:
        """Loss of predicting these means: half the squared error, or log-loss."""
        parts = [kind.loss(values[..., units], mean[..., units]) for units, kind in self.kinds]
        return jnp.concatenate(parts, axis=-1)

    def _by_kind(self, verb: str, values: jax.Array, log_variance: jax.Array) -> jax.Array:
        parts = [
            getattr(kind, verb)(values[..., units], log_variance) for units, kind in self.kinds
        ]
        return jnp.concatenate(parts, axis=-1)


def open_uniform(key: jax.Array, shape: tuple[int, ...], dtype: Any) -> jax.Array:
    """Uniform numbers strictly between 0 and 1, of 16 bits each: most of sampling is their cost."""
    n_pairs = (shape[-1] + 1) // 2
    pairs = jax.random.bits(key, (*shape[:-1], n_pairs), jnp.uint32)
    halves = jax.lax.bitcast_convert_type(pairs, jnp.uint16).reshape(*shape[:-1], 2 * n_pairs)
    return (halves[..., : shape[-1]].astype(dtype) + 0.5) * 2.0**-16


def bernoulli_sample(uniform: jax.Array, inputs: jax.Array) -> jax.Array:
    """1 with probability sigmoid(inputs), else 0, from uniform numbers."""
    return (uniform < jax.nn.sigmoid(inputs)).astype(inputs.dtype)


def binary_entropy(mean: jax.Array) -> jax.Array:
    """Entropy of a binary unit."""
    return entr(mean) + entr(1 - mean)
