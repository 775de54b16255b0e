"""The machine by brute force: every configuration visited, in plain numpy.

Nothing here is shared with the package. Missing discrete blocks and all hidden units are
enumerated, missing Gaussian units are integrated by Gauss-Hermite quadrature over their prior.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

N_NODES = 32


@dataclass(frozen=True)
class TinyMachine:
    """Units in the order Gaussian, Bernoulli, softmax groups; ``variance`` of the Gaussian ones."""

    n_gaussian: int
    n_bernoulli: int
    group_sizes: tuple[int, ...]
    weights: Floats
    visible_bias: Floats
    hidden_bias: Floats
    variance: Floats

    @property
    def n_visible(self) -> int:
        return self.n_gaussian + self.n_bernoulli + sum(self.group_sizes)

    @property
    def n_hidden(self) -> int:
        return len(self.hidden_bias)

    @property
    def blocks(self) -> list[slice]:
        """The units of each block: what is observed or missing as a whole."""
        sizes = [1] * (self.n_gaussian + self.n_bernoulli) + list(self.group_sizes)
        ends = np.cumsum(sizes)
        return [slice(int(end - size), int(end)) for size, end in zip(sizes, ends, strict=True)]


class Moments(NamedTuple):
    """log Z_O of one row, and expectations given what is observed in it."""

    log_observed: float
    visible: Floats  # (n_visible,)
    visible_squared: Floats  # (n_visible,)
    hidden: Floats  # (n_hidden,)
    visible_hidden: Floats  # (n_visible, n_hidden)


class Configurations(NamedTuple):
    """Every joint configuration of one row with its log weight, prior included."""

    visible: Floats  # (n_states, n_visible)
    hidden: Floats  # (2^n_hidden, n_hidden)
    log_weight: Floats  # (n_states, 2^n_hidden)


def log_sum_exp(values: Floats) -> float:
    largest = float(np.max(values))
    return largest + float(np.log(np.sum(np.exp(values - largest))))


def log_normal_density(value: float, mean: float, variance: float) -> float:
    return float(-0.5 * (value - mean) ** 2 / variance - 0.5 * np.log(2 * np.pi * variance))


def binary_configurations(n_units: int) -> Floats:
    return np.array(list(itertools.product([0.0, 1.0], repeat=n_units))).reshape(-1, n_units)


def block_states(
    machine: TinyMachine, block: int, value: Floats, seen: bool
) -> list[tuple[Floats, float]]:
    """The values that a block can take, each with the log of its prior weight."""
    if block < machine.n_gaussian:
        variance = float(machine.variance[block])
        if seen:
            return [(value, log_normal_density(float(value[0]), 0.0, variance))]
        nodes, weights = np.polynomial.hermite_e.hermegauss(N_NODES)
        normalised = weights / np.sqrt(2 * np.pi)
        return [
            (np.array([np.sqrt(variance) * node]), float(np.log(weight)))
            for node, weight in zip(nodes, normalised, strict=True)
        ]
    if seen:
        return [(value, 0.0)]
    if block < machine.n_gaussian + machine.n_bernoulli:
        return [(np.array([0.0]), 0.0), (np.array([1.0]), 0.0)]
    return [(row, 0.0) for row in np.eye(len(value))]


def configurations(machine: TinyMachine, values: Floats, observed: Bools) -> Configurations:
    """Every configuration of the missing blocks and of the hidden units."""
    per_block = [
        block_states(machine, index, values[block], bool(observed[block][0]))
        for index, block in enumerate(machine.blocks)
    ]
    # Grids of indices rather than a Python loop over states: Gaussian units have many nodes.
    grids = np.meshgrid(*[np.arange(len(states)) for states in per_block], indexing="ij")
    visible = np.concatenate(
        [
            np.array([value for value, _ in states])[grid.ravel()]
            for states, grid in zip(per_block, grids, strict=True)
        ],
        axis=1,
    )
    log_prior = sum(
        np.array([log_weight for _, log_weight in states])[grid.ravel()]
        for states, grid in zip(per_block, grids, strict=True)
    )
    hidden = binary_configurations(machine.n_hidden)
    minus_energy = (
        np.einsum("si,ij,cj->sc", visible, machine.weights, hidden, optimize=True)
        + np.einsum("si,i->s", visible, machine.visible_bias)[:, None]
        + np.einsum("cj,j->c", hidden, machine.hidden_bias)[None, :]
    )
    return Configurations(visible, hidden, minus_energy + np.asarray(log_prior)[:, None])


def moments(machine: TinyMachine, values: Floats, observed: Bools) -> Moments:
    """log Z_O and the conditional expectations of one row."""
    visible, hidden, log_weight = configurations(machine, values, observed)
    log_observed = log_sum_exp(log_weight)
    probability = np.exp(log_weight - log_observed)
    of_visible = probability.sum(axis=1)
    return Moments(
        log_observed=log_observed,
        visible=of_visible @ visible,
        visible_squared=of_visible @ visible**2,
        hidden=probability.sum(axis=0) @ hidden,
        visible_hidden=visible.T @ probability @ hidden,
    )


class Marginals(NamedTuple):
    """Distributions of one row given what is observed in it."""

    hidden: Floats  # P(h | v_o) over ``binary_configurations``
    discrete: Floats  # P(discrete units | v_o) over ``code_of``, Gaussian units integrated


def marginals(machine: TinyMachine, values: Floats, observed: Bools) -> Marginals:
    """The distributions of the hidden and of the discrete visible configuration."""
    visible, _, log_weight = configurations(machine, values, observed)
    probability = np.exp(log_weight - log_sum_exp(log_weight))
    discrete = visible[:, machine.n_gaussian :]
    of_code = np.zeros(2 ** discrete.shape[1])
    np.add.at(of_code, code_of(discrete), probability.sum(axis=1))
    return Marginals(hidden=probability.sum(axis=0), discrete=of_code)


def code_of(binary: Floats) -> NDArray[np.int64]:
    """Binary rows read as numbers, first unit most significant."""
    powers = 2 ** np.arange(binary.shape[1] - 1, -1, -1)
    code: NDArray[np.int64] = np.rint(binary).astype(np.int64) @ powers
    return code


def draw(
    machine: TinyMachine, values: Floats, observed: Bools, n: int, rng: np.random.Generator
) -> Floats:
    """Exact draws of v given v_o: h from its enumerated distribution, then v given h."""
    probability = marginals(machine, values, observed).hidden
    hidden = binary_configurations(machine.n_hidden)[
        rng.choice(len(probability), size=n, p=probability / probability.sum())
    ]
    inputs = machine.visible_bias + hidden @ machine.weights.T
    drawn = np.tile(values, (n, 1))
    for index, block in enumerate(machine.blocks):
        if observed[block][0]:
            continue
        x = inputs[:, block]
        if index < machine.n_gaussian:
            variance = machine.variance[index]
            drawn[:, block] = variance * x + np.sqrt(variance) * rng.standard_normal((n, 1))
        elif index < machine.n_gaussian + machine.n_bernoulli:
            drawn[:, block] = rng.random((n, 1)) < 1 / (1 + np.exp(-x))
        else:
            gumbel = -np.log(-np.log(rng.random(x.shape)))
            drawn[:, block] = np.eye(x.shape[1])[np.argmax(x + gumbel, axis=1)]
    return drawn


def pseudo_log_likelihood(machine: TinyMachine, completed: Floats, observed: Bools) -> float:
    """Sum over observed blocks of log P(block | all other entries of the completed row)."""
    everything = np.ones(machine.n_visible, dtype=bool)
    of_row = moments(machine, completed, everything).log_observed
    total = 0.0
    for block in machine.blocks:
        if observed[block][0]:
            others = everything.copy()
            others[block] = False
            total += of_row - moments(machine, completed, others).log_observed
    return total
