"""The machine of the ensemble: mean-field sweeps that start from what a Gaussian prior expects.

It is the paper's machine with two additions. Beside its Gaussian unit, a number has a group of
units over bins, between which its value is shared by linear interpolation. And the input of each
visible unit has a term from the prior,

    x_i = a_i + sum_j w_ij q_j + g_i base_i,

where base is the conditional mean of a correlated Gaussian. Eqs. (13), (11) and (12) are iterated a
fixed number of times.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple, Self

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.ensemble.prior import GaussianPrior, Rows, conditional_mean
from halfseen.rbm.units import VisibleLayer

N_SWEEPS = 2


@dataclass(frozen=True)
class Units:
    """Visible units and the bins of the numbers among them.

    Entries of a row stand in the order of the units: numbers, binary columns, categorical columns.
    An array "of entries" has one element for each; an array "of units" has as many as an entry has
    units; "wide" arrays have the bins behind the units, bin by bin.
    """

    layer: VisibleLayer
    n_bins: int

    @property
    def n_single(self) -> int:
        """Number of entries of one unit: numbers and binary columns."""
        return self.layer.n_gaussian + self.layer.n_bernoulli

    @property
    def n_entries(self) -> int:
        """Number of entries of a row."""
        return self.n_single + len(self.layer.group_sizes)

    @property
    def n_wide(self) -> int:
        """Number of units and bins."""
        return self.layer.n_units + self.layer.n_gaussian * self.n_bins

    @cached_property
    def entry_of_unit(self) -> NDArray[np.int64]:
        """Entry that each unit belongs to, of shape (n_units,)."""
        groups = np.repeat(np.arange(len(self.layer.group_sizes)), self.layer.group_sizes)
        return np.concatenate([np.arange(self.n_single), self.n_single + groups])

    @cached_property
    def first_units(self) -> NDArray[np.int64]:
        """First unit of each entry, of shape (n_entries,)."""
        return np.unique(self.entry_of_unit, return_index=True)[1]

    @cached_property
    def _membership(self) -> Rows:
        """1 where a unit belongs to a group, of shape (units of groups, n_groups)."""
        group = self.entry_of_unit[self.n_single :] - self.n_single
        return np.eye(len(self.layer.group_sizes), dtype=np.float32)[group]

    def by_unit(self, of_entries: Any) -> Any:
        """What belongs to entries, for each of their units."""
        if not self.layer.group_sizes:
            return of_entries
        return of_entries[..., self.entry_of_unit]

    def widen(self, of_units: jax.Array) -> jax.Array:
        """Append to an array of units what belongs to numbers, for each of their bins."""
        if not self.n_bins:
            return of_units
        numbers = of_units[..., : self.layer.n_gaussian]
        bins = jnp.tile(numbers, (1,) * (numbers.ndim - 1) + (self.n_bins,))
        return jnp.concatenate([of_units, bins], axis=-1)

    def with_bins(self, values: jax.Array, centres: jax.Array) -> jax.Array:
        """Append the shares of each number in its bins; `centres` is (n_bins, n_gaussian)."""
        if not self.n_bins:
            return values
        shares = bin_shares(values[..., : self.layer.n_gaussian], centres)
        return jnp.concatenate([values, shares.reshape(*values.shape[:-1], -1)], axis=-1)

    def bins(self, wide: jax.Array) -> jax.Array:
        """The bins of a wide array, of shape (..., n_bins, n_gaussian)."""
        bins = wide[..., self.layer.n_units :]
        return bins.reshape(*bins.shape[:-1], self.n_bins, self.layer.n_gaussian)

    def mean(self, inputs: jax.Array) -> jax.Array:
        """Means given the inputs of all units and bins: eqs. (11) and (12)."""
        n_units = self.layer.n_units
        means = self.layer.mean(inputs[..., :n_units], jnp.zeros(self.layer.n_gaussian))
        if not self.n_bins:
            return means
        shares = jax.nn.softmax(self.bins(inputs), axis=-2)
        return jnp.concatenate([means, shares.reshape(*inputs[..., n_units:].shape)], axis=-1)

    def losses(self, inputs: jax.Array, truth: jax.Array, bin_weight: float) -> jax.Array:
        """Loss of each entry: squared error and log-loss of the bins of numbers, or log-loss."""
        n_gaussian, n_units = self.layer.n_gaussian, self.layer.n_units
        numbers = (inputs[..., :n_gaussian] - truth[..., :n_gaussian]) ** 2
        if self.n_bins:
            bins = self.bins(inputs)
            inside = jnp.sum(self.bins(truth) * bins, axis=-2)
            numbers += bin_weight * (jax.nn.logsumexp(bins, axis=-2) - inside)
        inputs, truth = inputs[..., :n_units], truth[..., :n_units]
        log_partition = self.layer.log_partition(inputs, jnp.zeros(n_gaussian))
        discrete = (log_partition - truth * inputs)[..., n_gaussian:]
        single, groups = jnp.split(discrete, [self.layer.n_bernoulli], axis=-1)
        return jnp.concatenate([numbers, single, groups @ self._membership], axis=-1)


def bin_shares(values: jax.Array, centres: jax.Array) -> jax.Array:
    """Share each number between the two nearest centres; the outermost ones take what is beyond."""
    values = jnp.clip(values, centres[0], centres[-1])[..., None, :]
    below = jnp.concatenate([centres[:1] - 1.0, centres[:-1]])
    above = jnp.concatenate([centres[1:], centres[-1:] + 1.0])
    rising, falling = (values - below) / (centres - below), (above - values) / (above - centres)
    return jnp.clip(jnp.minimum(rising, falling), 0.0)


class Scale(NamedTuple):
    """Standard units of the prior, and the bins of numbers."""

    mean: jax.Array  # (n_units,)
    std: jax.Array  # (n_units,)
    centres: jax.Array  # (n_bins, n_gaussian)
    start: jax.Array  # (n_wide,), inputs that give the observed means
    is_target: jax.Array  # (n_units,) bool


class Parameters(NamedTuple):
    """What training learns of one machine."""

    weights: jax.Array  # (n_wide, n_hidden)
    visible_bias: jax.Array  # (n_wide,)
    hidden_bias: jax.Array  # (n_hidden,)
    gain: jax.Array  # (n_wide,), of the prior's expectation
    indicator: jax.Array  # (n_units, n_hidden), of missing features; (0, n_hidden) without them


class Member(NamedTuple):
    """A machine and its prior."""

    parameters: Parameters
    prior: GaussianPrior


def prior_mean(
    member: Member, scale: Scale, values: jax.Array, observed: jax.Array, n_steps: int
) -> jax.Array:
    """What the prior expects of the missing units, in standard units; 0 for observed ones."""
    standard = (values - scale.mean) / scale.std
    expected = conditional_mean(member.prior, standard, observed, n_steps)
    return jnp.where(observed, 0.0, expected)


def sweep_inputs(
    parameters: Parameters, units: Units, scale: Scale, values: jax.Array, observed: jax.Array,
    base: jax.Array, hidden_input: jax.Array | float = 0.0,
) -> jax.Array:  # fmt: skip
    """Inputs of all units after the sweeps, of which only the last is differentiated.

    What the earlier ones lead to is taken as given: weights that make the last sweep right from
    there make the earlier ones right too, and a step takes two fifths less time. `values` are wide.
    """

    def sweep(inputs: jax.Array) -> jax.Array:
        visible = jnp.where(observed_wide, values, units.mean(inputs))
        inputs = visible @ parameters.weights + parameters.hidden_bias + hidden_input
        hidden = jax.nn.sigmoid(inputs)
        return parameters.visible_bias + hidden @ parameters.weights.T + push

    observed_wide = units.widen(observed)
    push = parameters.gain * units.widen(base)
    inputs = scale.start + push
    for _ in range(N_SWEEPS - 1):
        inputs = sweep(inputs)
    return sweep(jax.lax.stop_gradient(inputs))


class MemberPredictions(NamedTuple):
    """What a member says of rows."""

    base: Rows  # (n_rows, n_units), expectation of the prior in standard units
    mean: Rows  # (n_rows, n_units), numbers and probabilities
    bin_mean: Rows  # (n_rows, n_gaussian), mean of a number over its bins
    bin_square: Rows  # (n_rows, n_gaussian), mean square

    @classmethod
    def split(cls, units: Units, joined: Rows) -> Self:
        """Take apart what `member_predictions` gives; without bins the mean stands for theirs."""
        n_units, n_gaussian = units.layer.n_units, units.layer.n_gaussian
        base, mean, bins = np.split(joined, [n_units, 2 * n_units], axis=1)
        if not units.n_bins:
            return cls(base, mean, mean[:, :n_gaussian], mean[:, :n_gaussian] ** 2 + 1.0)
        return cls(base, mean, *np.split(bins, 2, axis=1))


@partial(jax.jit, static_argnames=("units", "n_search"))
def member_predictions(
    member: Member, scale: Scale, values: jax.Array, observed: jax.Array,
    *, units: Units, n_search: int,
) -> jax.Array:  # fmt: skip
    """Predictions of one member for a tile of rows, side by side."""
    base = prior_mean(member, scale, values, observed, n_search)
    wide = units.with_bins(values, scale.centres)
    hidden_input: jax.Array | float = 0.0
    if len(member.parameters.indicator):
        hidden_input = (~observed & ~scale.is_target) @ member.parameters.indicator
    inputs = sweep_inputs(member.parameters, units, scale, wide, observed, base, hidden_input)
    mean = units.mean(inputs)
    parts = [base, mean[:, : units.layer.n_units]]
    if units.n_bins:
        shares, centres = units.bins(mean), scale.centres
        parts += [jnp.sum(shares * centres, axis=1), jnp.sum(shares * centres**2, axis=1)]
    return jnp.concatenate(parts, axis=1)
