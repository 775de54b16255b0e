"""The visible layer: units of several kinds, mixed freely, each with its prior (eq. 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.machine.bernoulli_sample import bernoulli_sample
from halfseen.machine.namespace_of import namespace_of
from halfseen.machine.sigmoid import sigmoid
from halfseen.machine.softmax_groups import SoftmaxGroups, softmax_groups

_SMALLEST_MARGINAL = 1e-4

Values = TypeVar("Values", jax.Array, NDArray[Any])


class VisibleNoise(NamedTuple):
    """The random numbers of one sample of the visible layer; leading axes broadcast."""

    normal: jax.Array  # (..., n_gaussian)
    uniform: jax.Array  # (..., n_bernoulli)
    group_uniform: jax.Array  # (..., n_groups)


@dataclass(frozen=True)
class VisibleLayer:
    """What kinds of visible units there are, in the order Gaussian, Bernoulli, softmax groups.

    A *block* is what can be observed or missing as a whole: one Gaussian unit, one Bernoulli unit,
    or one softmax group. All methods act on the last axis and keep the leading ones.

    Every kind is described by the same few functions of its input ``x = a + W h``: the log
    partition ``log int p_prior(v) exp(x v) dv``, whose derivative is the mean and whose second
    derivative is the variance. A prior in which Gaussian units are correlated changes the Gaussian
    part of these functions and nothing else.

    Parameters
    ----------
    n_gaussian, n_bernoulli : int
        Numbers of units.
    group_sizes : tuple of int
        Units in each softmax group.

    Examples
    --------
    >>> layer = VisibleLayer(n_gaussian=1, n_bernoulli=1, group_sizes=(2,))
    >>> layer.mean_from_input(jnp.zeros(4), log_variance=jnp.zeros(1)).tolist()
    [0.0, 0.5, 0.5, 0.5]
    """

    n_gaussian: int
    n_bernoulli: int
    group_sizes: tuple[int, ...] = ()

    @property
    def groups(self) -> SoftmaxGroups:
        """The arrangement of the softmax block."""
        return softmax_groups(self.group_sizes)

    @property
    def n_groups(self) -> int:
        """Number of softmax groups."""
        return len(self.group_sizes)

    @property
    def n_visible(self) -> int:
        """Number of units."""
        return self.n_gaussian + self.n_bernoulli + sum(self.group_sizes)

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return self.n_gaussian + self.n_bernoulli + self.n_groups

    @property
    def first_unit_of_block(self) -> NDArray[np.int64]:
        """Position of every block's first unit, of shape (n_blocks,)."""
        single = self.n_gaussian + self.n_bernoulli
        if not self.group_sizes:
            return np.arange(single)
        return np.concatenate([np.arange(single), single + self.groups.first_units])

    @property
    def is_bernoulli(self) -> NDArray[np.bool_]:
        """Whether a unit is a Bernoulli unit, of shape (n_visible,)."""
        place = np.arange(self.n_visible) - self.n_gaussian
        return (place >= 0) & (place < self.n_bernoulli)

    def split(self, units: Values) -> tuple[Values, Values, Values]:
        """(..., n_visible) -> its Gaussian, Bernoulli and softmax parts."""
        single = self.n_gaussian + self.n_bernoulli
        return (
            units[..., : self.n_gaussian],
            units[..., self.n_gaussian : single],
            units[..., single:],
        )

    def observed_blocks(self, observed: jax.Array) -> jax.Array:
        """(..., n_visible) -> (..., n_blocks): a group is observed as a whole."""
        single = self.n_gaussian + self.n_bernoulli
        if not self.group_sizes:
            return observed
        of_groups = observed[..., single + self.groups.first_units]
        blocks = [observed[..., :single], of_groups]
        of_blocks: jax.Array = namespace_of(observed).concatenate(blocks, axis=-1)
        return of_blocks

    def mean_from_input(self, inputs: jax.Array, log_variance: jax.Array) -> jax.Array:
        """<v> given the input of every unit: the right-hand sides of eqs. (11) and (12)."""
        gaussian, bernoulli, softmax = self.split(inputs)
        xp = namespace_of(inputs)
        parts = [xp.exp(log_variance) * gaussian, sigmoid(bernoulli)]
        if self.group_sizes:
            parts.append(self.groups.mean_from_input(softmax))
        means: jax.Array = xp.concatenate(parts, axis=-1)
        return means

    def input_from_mean(self, means: Values, log_variance: Values) -> Values:
        """The inputs that give these means; frequencies of 0 and 1 are drawn slightly inwards.

        Of NumPy's arrays it is one of NumPy's: what is asked once need not be compiled.
        """
        xp = namespace_of(means)
        gaussian, bernoulli, softmax = self.split(self.inner_means(means))
        inputs: Values = xp.concatenate(
            [
                gaussian * xp.exp(-log_variance),
                xp.log(bernoulli) - xp.log1p(-bernoulli),
                xp.log(softmax),
            ],
            axis=-1,
        )
        return inputs

    def inner_means(self, means: Values) -> Values:
        """The means with frequencies of 0 and 1 drawn slightly inwards.

        Those of a softmax group need not sum to one any more.
        """
        xp = namespace_of(means)
        gaussian, bernoulli, softmax = self.split(means)
        inner: Values = xp.concatenate(
            [
                gaussian,
                xp.clip(bernoulli, _SMALLEST_MARGINAL, 1 - _SMALLEST_MARGINAL),
                xp.maximum(softmax, _SMALLEST_MARGINAL),
            ],
            axis=-1,
        )
        return inner

    def log_partition(self, inputs: jax.Array, log_variance: jax.Array) -> jax.Array:
        """log int p_prior(v) exp(x v) dv of every block, of shape (..., n_blocks)."""
        gaussian, bernoulli, softmax = self.split(inputs)
        parts = [0.5 * jnp.exp(log_variance) * gaussian**2, jax.nn.softplus(bernoulli)]
        if self.group_sizes:
            parts.append(self.groups.log_partition(softmax))
        return jnp.concatenate(parts, axis=-1)

    def log_prior(self, visible: jax.Array, log_variance: jax.Array) -> jax.Array:
        """log p_prior(v) of every block; 0 for the discrete ones, of shape (..., n_blocks)."""
        gaussian, _, _ = self.split(visible)
        density = -0.5 * (
            gaussian**2 * jnp.exp(-log_variance) + log_variance + jnp.log(2.0 * jnp.pi)
        )
        discrete = jnp.zeros((*visible.shape[:-1], self.n_bernoulli + self.n_groups), density.dtype)
        return jnp.concatenate([density, discrete], axis=-1)

    def relative_entropy(self, means: jax.Array, log_variance: jax.Array) -> jax.Array:
        """<log p_prior> + entropy of every block at these means, of shape (..., n_blocks).

        The Legendre transform of :meth:`log_partition`; a Gaussian unit keeps its variance.
        """
        gaussian, bernoulli, softmax = self.split(means)
        parts = [
            -0.5 * gaussian**2 * jnp.exp(-log_variance),
            jax.scipy.special.entr(bernoulli) + jax.scipy.special.entr(1 - bernoulli),
        ]
        if self.group_sizes:
            parts.append(self.groups.group_sum(jax.scipy.special.entr(softmax)))
        return jnp.concatenate(parts, axis=-1)

    def noise(self, key: jax.Array, shape: tuple[int, ...], dtype: jnp.dtype) -> VisibleNoise:
        """Random numbers for one sample, leading axes ``shape``."""
        normal, uniform, group = jax.random.split(key, 3)
        return VisibleNoise(
            normal=jax.random.normal(normal, (*shape, self.n_gaussian), dtype),
            uniform=jax.random.uniform(uniform, (*shape, self.n_bernoulli), dtype),
            group_uniform=jax.random.uniform(group, (*shape, self.n_groups), dtype),
        )

    def sample_from_input(
        self, noise: VisibleNoise, inputs: jax.Array, log_variance: jax.Array
    ) -> jax.Array:
        """Sample v given the input of every unit: P(v | h) of eq. (4)."""
        return _joined(self._samples_from_input(noise, inputs, log_variance))

    def pinned_sample_from_input(
        self,
        visible: jax.Array,
        observed: jax.Array,
        noise: VisibleNoise,
        inputs: jax.Array,
        log_variance: jax.Array,
    ) -> jax.Array:
        """Sample v_m given the input of every unit, and v_o as it is in ``visible``."""
        return self._pinned(
            visible, observed, self._samples_from_input(noise, inputs, log_variance)
        )

    def _samples_from_input(
        self, noise: VisibleNoise, inputs: jax.Array, log_variance: jax.Array
    ) -> list[jax.Array]:
        gaussian, bernoulli, softmax = self.split(inputs)
        xp = namespace_of(inputs)
        numbers = xp.exp(log_variance) * gaussian + xp.exp(0.5 * log_variance) * noise.normal
        binary = bernoulli_sample(noise.uniform, bernoulli)
        if not self.group_sizes:
            return [numbers, binary, softmax]
        return [numbers, binary, self.groups.sample_from_input(softmax, noise.group_uniform)]

    def sample_from_mean(
        self, noise: VisibleNoise, means: jax.Array, log_variance: jax.Array
    ) -> jax.Array:
        """Sample v given the mean of every unit, units independent of each other.

        Of a softmax group anything in proportion to its means will do.
        """
        return _joined(self._samples_from_mean(noise, means, log_variance))

    def pinned_sample_from_mean(
        self,
        visible: jax.Array,
        observed: jax.Array,
        noise: VisibleNoise,
        means: jax.Array,
        log_variance: jax.Array,
    ) -> jax.Array:
        """Sample v_m given the mean of every unit, and v_o as it is in ``visible``."""
        return self._pinned(visible, observed, self._samples_from_mean(noise, means, log_variance))

    def _samples_from_mean(
        self, noise: VisibleNoise, means: jax.Array, log_variance: jax.Array
    ) -> list[jax.Array]:
        gaussian, bernoulli, softmax = self.split(means)
        numbers = gaussian + namespace_of(means).exp(0.5 * log_variance) * noise.normal
        binary = (noise.uniform < bernoulli).astype(means.dtype)
        if not self.group_sizes:
            return [numbers, binary, softmax]
        return [numbers, binary, self.groups.sample_from_mean(softmax, noise.group_uniform)]

    def _pinned(
        self, visible: jax.Array, observed: jax.Array, samples: list[jax.Array]
    ) -> jax.Array:
        # Chosen kind by kind, the samples are computed where they are chosen. After they were
        # joined it would be one more pass, with a branch for every entry.
        kinds = zip(self.split(observed), self.split(visible), samples, strict=True)
        return _joined([namespace_of(visible).where(*kind) for kind in kinds])


def _joined(kinds: list[jax.Array]) -> jax.Array:
    """Samples of all kinds side by side."""
    filled = [kind for kind in kinds if kind.shape[-1]]
    if len(filled) == 1:
        return filled[0]
    xp = namespace_of(filled[0])
    if xp is jnp:
        # Computed within the concatenation, none of them would be vectorised.
        filled = jax.lax.optimization_barrier(filled)  # type: ignore[no-untyped-call]
    joined: jax.Array = xp.concatenate(filled, axis=-1)
    return joined
