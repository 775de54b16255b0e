"""The machine: energy, free energies and conditionals, eqs. (1) to (5)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import Self

import jax
import jax.numpy as jnp

from halfseen.rbm.units import VisibleLayer, bernoulli_sample, open_uniform


@partial(
    jax.tree_util.register_dataclass,
    data_fields=["weights", "visible_bias", "hidden_bias", "log_variance"],
    meta_fields=["layer"],
)
@dataclass(frozen=True)
class RBM:
    """A restricted Boltzmann machine with binary hidden units.

    ``P(v, h) = exp(-E(v, h)) p_prior(v) / Z`` with ``E(v, h) = -v.W.h - a.v - b.h``. All methods
    act on the last axis; leading axes broadcast.

    Parameters
    ----------
    layer : VisibleLayer
        Kinds of the visible units.
    weights : jax.Array of shape (n_visible, n_hidden)
        W of eq. (1).
    visible_bias : jax.Array of shape (n_visible,)
        a of eq. (1).
    hidden_bias : jax.Array of shape (n_hidden,)
        b of eq. (1).
    log_variance : jax.Array of shape (n_gaussian,)
        log sigma_i^2 of the Gaussian units, eq. (2).

    Examples
    --------
    >>> rbm = RBM(VisibleLayer(0, 2), jnp.ones((2, 1)), jnp.ones(2), jnp.ones(1), jnp.zeros(0))
    >>> float(rbm.energy(jnp.array([1.0, 0.0]), jnp.array([1.0])))
    -3.0
    """

    layer: VisibleLayer
    weights: jax.Array
    visible_bias: jax.Array
    hidden_bias: jax.Array
    log_variance: jax.Array = field(default_factory=lambda: jnp.zeros(0))

    @classmethod
    def initial(
        cls,
        key: jax.Array,
        layer: VisibleLayer,
        n_hidden: int,
        marginals: jax.Array,
        variance: float = 1.0,
        scale: float = 0.01,
    ) -> Self:
        """Small random weights; visible biases give the observed mean of each unit."""
        log_variance = jnp.full(layer.n_gaussian, jnp.log(variance), marginals.dtype)
        return cls(
            layer,
            scale * jax.random.normal(key, (layer.n_units, n_hidden), marginals.dtype),
            layer.inputs_from_mean(marginals, log_variance),
            jnp.zeros(n_hidden, marginals.dtype),
            log_variance,
        )

    @property
    def n_hidden(self) -> int:
        """Number of hidden units."""
        return self.hidden_bias.shape[-1]

    def hidden_input_from_visible(self, visible: jax.Array) -> jax.Array:
        """b_j + sum_i v_i w_ij."""
        return visible @ self.weights + self.hidden_bias

    def hidden_mean_from_visible(self, visible: jax.Array) -> jax.Array:
        """P(h_j = 1 | v), eq. (5)."""
        return jax.nn.sigmoid(self.hidden_input_from_visible(visible))

    def sample_hidden_from_visible(self, key: jax.Array, visible: jax.Array) -> jax.Array:
        """h ~ P(h | v), eq. (5)."""
        inputs = self.hidden_input_from_visible(visible)
        return bernoulli_sample(open_uniform(key, inputs.shape, inputs.dtype), inputs)

    def visible_input_from_hidden(self, hidden: jax.Array) -> jax.Array:
        """a_i + sum_j w_ij h_j."""
        return hidden @ self.weights.T + self.visible_bias

    def visible_mean_from_hidden(self, hidden: jax.Array) -> jax.Array:
        """<v | h>, eq. (4)."""
        return self.layer.mean(self.visible_input_from_hidden(hidden), self.log_variance)

    def sample_visible_from_hidden(self, key: jax.Array, hidden: jax.Array) -> jax.Array:
        """v ~ P(v | h), eq. (4)."""
        return self.layer.sample(key, self.visible_input_from_hidden(hidden), self.log_variance)

    def energy(self, visible: jax.Array, hidden: jax.Array) -> jax.Array:
        """E(v, h), eq. (1)."""
        return -(
            jnp.sum((visible @ self.weights) * hidden, axis=-1)
            + visible @ self.visible_bias
            + hidden @ self.hidden_bias
        )

    def free_energy(self, visible: jax.Array) -> jax.Array:
        """F(v) with P(v) = exp(-F(v)) / Z: the hidden units summed out."""
        return -(
            visible @ self.visible_bias
            + jnp.sum(self.layer.log_prior(visible, self.log_variance), axis=-1)
            + jnp.sum(jax.nn.softplus(self.hidden_input_from_visible(visible)), axis=-1)
        )

    def hidden_free_energy(self, hidden: jax.Array) -> jax.Array:
        """F(h) with P(h) = exp(-F(h)) / Z: the visible units integrated out."""
        inputs = self.visible_input_from_hidden(hidden)
        log_partition = self.layer.log_partition(inputs, self.log_variance)
        return -(hidden @ self.hidden_bias + jnp.sum(log_partition, axis=-1))

    def at_inverse_temperature(self, beta: jax.Array, base_bias: jax.Array) -> Self:
        """The machine on the way from independent units (beta = 0) to itself (beta = 1)."""
        return replace(
            self,
            weights=beta * self.weights,
            hidden_bias=beta * self.hidden_bias,
            visible_bias=(1 - beta) * base_bias + beta * self.visible_bias,
        )
