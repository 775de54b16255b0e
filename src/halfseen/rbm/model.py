"""The machine: energy, free energies and conditionals, eqs. (1) to (5)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self

import jax
import jax.numpy as jnp
from jax import Array

from halfseen.rbm.units import VisibleLayer, bernoulli_sample, open_uniform


class Rows(NamedTuple):
    """Rows of a table as visible units."""

    visible: Array  # (n_rows, n_visible)
    observed: Array  # (n_rows, n_visible), True where the entry is observed
    marginals: Array  # (n_visible,), observed mean of each unit in the training table


@jax.tree_util.register_dataclass
@dataclass(frozen=True)
class RBM:
    """``P(v, h) = exp(-E(v, h)) p_prior(v) / Z`` with ``E(v, h) = -v.W.h - a.v - b.h``, h binary.

    All methods act on the last axis; leading axes broadcast.
    """

    layer: VisibleLayer = field(metadata={"static": True})
    weights: Array  # W of eq. (1), of shape (n_visible, n_hidden)
    visible_bias: Array  # a of eq. (1)
    hidden_bias: Array  # b of eq. (1)
    log_variance: Array  # log sigma_i^2 of the Gaussian units, eq. (2)

    @property
    def n_hidden(self) -> int:
        """Number of hidden units."""
        return self.hidden_bias.shape[-1]

    def hidden_input_from_visible(self, visible: Array) -> Array:
        """b_j + sum_i v_i w_ij."""
        return visible @ self.weights + self.hidden_bias

    def hidden_mean_from_visible(self, visible: Array) -> Array:
        """P(h_j = 1 | v), eq. (5)."""
        return jax.nn.sigmoid(self.hidden_input_from_visible(visible))

    def sample_hidden_from_visible(self, key: Array, visible: Array) -> Array:
        """h ~ P(h | v), eq. (5)."""
        inputs = self.hidden_input_from_visible(visible)
        return bernoulli_sample(open_uniform(key, inputs.shape, inputs.dtype), inputs)

    def visible_input_from_hidden(self, hidden: Array) -> Array:
        """a_i + sum_j w_ij h_j."""
        return hidden @ self.weights.T + self.visible_bias

    def visible_mean_from_hidden(self, hidden: Array) -> Array:
        """<v | h>, eq. (4)."""
        return self.layer.mean(self.visible_input_from_hidden(hidden), self.log_variance)

    def sample_visible_from_hidden(self, key: Array, hidden: Array) -> Array:
        """v ~ P(v | h), eq. (4)."""
        return self.layer.sample(key, self.visible_input_from_hidden(hidden), self.log_variance)

    def random_visible(self, key: Array, marginals: Array, n_rows: int) -> Array:
        """Independent units with these means, of shape (n_rows, n_visible)."""
        inputs = self.layer.inputs_from_mean(marginals, self.log_variance)
        inputs = jnp.broadcast_to(inputs, (n_rows, self.layer.n_units))
        return self.layer.sample(key, inputs, self.log_variance)

    def energy(self, visible: Array, hidden: Array) -> Array:
        """E(v, h), eq. (1)."""
        return -(
            jnp.sum((visible @ self.weights) * hidden, axis=-1)
            + visible @ self.visible_bias
            + hidden @ self.hidden_bias
        )

    def free_energy(self, visible: Array) -> Array:
        """F(v) with P(v) = exp(-F(v)) / Z: the hidden units summed out."""
        return -(
            visible @ self.visible_bias
            + jnp.sum(self.layer.log_prior(visible, self.log_variance), axis=-1)
            + jnp.sum(jax.nn.softplus(self.hidden_input_from_visible(visible)), axis=-1)
        )

    def at_inverse_temperature(self, beta: Array, base_bias: Array) -> Self:
        """The machine on the way from independent units (beta = 0) to itself (beta = 1)."""
        return replace(
            self,
            weights=beta * self.weights,
            hidden_bias=beta * self.hidden_bias,
            visible_bias=(1 - beta) * base_bias + beta * self.visible_bias,
        )
