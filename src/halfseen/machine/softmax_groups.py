"""Softmax groups: of every group of units exactly one is on (categorical columns, classes)."""

from __future__ import annotations

from functools import cache, cached_property

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.machine.namespace_of import namespace_of
from halfseen.machine.softmax import softmax

_USUAL_SIZE = 64


class SoftmaxGroups:
    """How the units of the softmax block fall into groups.

    Groups of different size are laid side by side in a padded array (n_groups, widest); groups
    of one size need only a reshape.
    """

    def __init__(self, sizes: tuple[int, ...]) -> None:
        self.sizes = sizes

    @property
    def n_units(self) -> int:
        """Number of units in all groups together."""
        return sum(self.sizes)

    @cached_property
    def widest(self) -> int:
        """Size of the largest group."""
        return max(self.sizes)

    @cached_property
    def first_units(self) -> NDArray[np.int64]:
        """Position of every group's first unit, of shape (n_groups,)."""
        return np.concatenate([[0], np.cumsum(self.sizes)[:-1]]).astype(np.int64)

    @cached_property
    def group_of_unit(self) -> NDArray[np.int64]:
        """Group of every unit, of shape (n_units,)."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)

    @cached_property
    def _seat_of_unit(self) -> NDArray[np.int32]:
        within = np.arange(self.n_units) - self.first_units[self.group_of_unit]
        # 32 bits, so that functions compiled in single and double precision can share it.
        return (self.group_of_unit * self.widest + within).astype(np.int32)

    @cached_property
    def _unit_of_seat(self) -> NDArray[np.int32]:
        seats = np.full(len(self.sizes) * self.widest, self.n_units)
        seats[self._seat_of_unit] = np.arange(self.n_units)
        return seats.astype(np.int32)

    def seated(self, units: jax.Array, empty: float) -> jax.Array:
        """(..., n_units) -> (..., n_groups, widest), empty seats holding ``empty``."""
        shape = (*units.shape[:-1], len(self.sizes), self.widest)
        if min(self.sizes) == self.widest:
            return units.reshape(shape)
        xp = namespace_of(units)
        extra = xp.full((*units.shape[:-1], 1), empty, units.dtype)
        padded: jax.Array = xp.concatenate([units, extra], axis=-1)
        return padded[..., self._unit_of_seat].reshape(shape)

    def unseated(self, seats: jax.Array) -> jax.Array:
        """(..., n_groups, widest) -> (..., n_units)."""
        flat = seats.reshape((*seats.shape[:-2], len(self.sizes) * self.widest))
        if min(self.sizes) == self.widest:
            return flat
        return flat[..., self._seat_of_unit]

    def mean_from_input(self, inputs: jax.Array) -> jax.Array:
        """Probability of every unit to be the one that is on."""
        return self.unseated(softmax(self.seated(inputs, -jnp.inf)))

    def log_partition(self, inputs: jax.Array) -> jax.Array:
        """log sum_k exp(x_k) of every group, of shape (..., n_groups)."""
        return jax.nn.logsumexp(self.seated(inputs, -jnp.inf), axis=-1)

    def sample_from_input(self, inputs: jax.Array, uniform: jax.Array) -> jax.Array:
        """One-hot samples by inverting the cumulative distribution.

        ``uniform`` holds one number in [0, 1) per group, of shape (..., n_groups).
        """
        xp, seats = namespace_of(inputs), self.seated(inputs, -jnp.inf)
        return self._sampled(xp.exp(seats - xp.max(seats, axis=-1, keepdims=True)), uniform)

    def sample_from_mean(self, means: jax.Array, uniform: jax.Array) -> jax.Array:
        """The same from probabilities, or from anything in proportion to them."""
        return self._sampled(self.seated(means, 0.0), uniform)

    def _sampled(self, likely: jax.Array, uniform: jax.Array) -> jax.Array:
        xp, summed_up = namespace_of(likely), self._summed_up(likely)
        passed = summed_up <= uniform[..., None] * summed_up[..., -1:]
        # Rounding may let a number just below 1 pass the last sum: stay inside the group.
        last_seat = xp.asarray(np.asarray(self.sizes) - 1)
        chosen = xp.minimum(xp.sum(passed, axis=-1), last_seat)
        one_hot = chosen[..., None] == xp.arange(self.widest)
        return self.unseated(one_hot.astype(likely.dtype))

    def _summed_up(self, seats: jax.Array) -> jax.Array:
        """Cumulative sums within every group; in groups of usual size a product is faster."""
        xp = namespace_of(seats)
        if self.widest > _USUAL_SIZE:
            summed_up: jax.Array = xp.cumsum(seats, axis=-1)
            return summed_up
        above: jax.Array = xp.triu(xp.ones((self.widest, self.widest), seats.dtype))
        return seats @ above

    def group_sum(self, units: jax.Array) -> jax.Array:
        """(..., n_units) -> (..., n_groups)."""
        return jnp.sum(self.seated(units, 0.0), axis=-1)


@cache
def softmax_groups(sizes: tuple[int, ...]) -> SoftmaxGroups:
    """One shared arrangement for each tuple of group sizes.

    Examples
    --------
    >>> softmax_groups((2, 3)).group_of_unit
    array([0, 0, 1, 1, 1])
    """
    return SoftmaxGroups(sizes)
