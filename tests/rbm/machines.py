"""Small machines and rows, and an enumeration of them in NumPy that shares no code with them."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from halfseen.rbm.model import RBM
from halfseen.rbm.units import VisibleLayer

Floats = NDArray[np.float64]

MIXED = VisibleLayer(n_gaussian=2, n_bernoulli=2, group_sizes=(3, 2))
BINARY = VisibleLayer(n_gaussian=0, n_bernoulli=4)
BLOCK_OF_UNIT = np.array([0, 1, 2, 3, 4, 4, 4, 5, 5])  # of MIXED: what is observed as a whole
N_HIDDEN = 3
# Nothing, everything and some of the entries observed.
OBSERVED = np.array(
    [[0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1], [1, 0, 0, 1, 0, 1], [0, 1, 1, 0, 1, 0]], bool
)[:, BLOCK_OF_UNIT]
ROWS = np.array(
    [
        [0.3, -1.2, 1, 0, 0, 0, 1, 1, 0],
        [-0.7, 0.4, 0, 1, 1, 0, 0, 0, 1],
        [1.1, 0.9, 1, 1, 0, 1, 0, 0, 1],
        [0.2, -0.5, 1, 0, 0, 0, 1, 1, 0],
    ]
)
MARGINALS = np.array([0.3, -0.2, 0.6, 0.3, 0.2, 0.3, 0.5, 0.4, 0.6])


def machine(layer: VisibleLayer = MIXED, scale: float = 0.7, seed: int = 0) -> RBM:
    """Random parameters, the weights of about the size `scale`."""
    rng = np.random.default_rng(seed)
    return RBM(
        layer,
        jnp.asarray(scale * rng.normal(size=(layer.n_units, N_HIDDEN))),
        jnp.asarray(0.5 * rng.normal(size=layer.n_units)),
        jnp.asarray(0.5 * rng.normal(size=N_HIDDEN)),
        jnp.asarray(np.log(rng.uniform(0.4, 1.5, layer.n_gaussian))),
    )


class States(NamedTuple):
    """Every state of a row that agrees with its observed entries."""

    visible: Floats  # (n_states, n_visible)
    hidden: Floats  # (n_hidden_states, n_hidden)
    log_weight: Floats  # (n_states, n_hidden_states), log of exp(-E) p_prior

    @property
    def log_z(self) -> float:
        return float(logsumexp(self.log_weight))

    @property
    def probability(self) -> Floats:
        found: Floats = np.exp(self.log_weight - self.log_z)
        return found

    @property
    def visible_mean(self) -> Floats:
        return self.probability.sum(axis=1) @ self.visible

    @property
    def hidden_mean(self) -> Floats:
        return self.probability.sum(axis=0) @ self.hidden

    def draw_hidden(self, n: int, seed: int) -> Floats:
        """Hidden configurations from P(h | v_o)."""
        weight = self.probability.sum(axis=0)
        chosen = np.random.default_rng(seed).choice(len(weight), n, p=weight / weight.sum())
        return self.hidden[chosen]


def enumerate_states(rbm: RBM, row: Any, observed: Any) -> States:
    """Missing Gaussian units are integrated by Gauss-Hermite quadrature over their prior."""
    weights, visible_bias, hidden_bias, log_variance = (
        np.asarray(leaf, np.float64)
        for leaf in (rbm.weights, rbm.visible_bias, rbm.hidden_bias, rbm.log_variance)
    )
    nodes, node_weights = np.polynomial.hermite_e.hermegauss(24)
    node_weights = np.log(node_weights / np.sqrt(2 * np.pi))
    choices: list[list[tuple[tuple[float, ...], float]]] = []
    for i, log_v in enumerate(log_variance):
        if observed[i]:
            log_prior = -0.5 * (row[i] ** 2 / np.exp(log_v) + log_v + np.log(2 * np.pi))
            choices.append([((row[i],), log_prior)])
        else:
            values = np.exp(log_v / 2) * nodes
            choices.append([((v,), w) for v, w in zip(values, node_weights, strict=True)])
    start = len(log_variance)
    for size in [1] * rbm.layer.n_bernoulli + list(rbm.layer.group_sizes):
        values = np.eye(size) if size > 1 else np.array([[0.0], [1.0]])
        values = row[None, start : start + size] if observed[start] else values
        choices.append([(tuple(value), 0.0) for value in values])
        start += size
    states = list(product(*choices))
    visible = np.array([sum((value for value, _ in state), ()) for state in states])
    log_prior = np.array([sum(log_weight for _, log_weight in state) for state in states])
    hidden = np.array(list(product([0.0, 1.0], repeat=len(hidden_bias))))
    minus_energy = visible @ weights @ hidden.T + hidden @ hidden_bias
    minus_energy += (visible @ visible_bias + log_prior)[:, None]
    return States(visible, hidden, minus_energy)


def exact(rbm: RBM) -> list[States]:
    """The states of each of ROWS."""
    return [enumerate_states(rbm, row, seen) for row, seen in zip(ROWS, OBSERVED, strict=True)]


def mean_of_units(rbm: RBM, inputs: Floats) -> Floats:
    """Right-hand sides of eqs. (11) and (12), and of their like for a categorical group."""
    layer = rbm.layer
    gaussian, bernoulli, groups = np.split(
        inputs, [layer.n_gaussian, layer.n_gaussian + layer.n_bernoulli], axis=-1
    )
    means = [np.exp(np.asarray(rbm.log_variance)) * gaussian, 1 / (1 + np.exp(-bernoulli))]
    ends = np.cumsum(layer.group_sizes)[:-1]
    means += [softmax(group, axis=-1) for group in np.split(groups, ends, axis=-1)]
    return np.concatenate(means, axis=-1)
