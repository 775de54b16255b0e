"""Tiny machines of every unit kind, with rows in which nothing, all or some is observed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import jax.numpy as jnp
import numpy as np

from exact.reference import Bools, Floats, Moments, TinyMachine, moments
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer

N_ROWS = 7


@dataclass(frozen=True)
class Case:
    """A machine and some rows: the first without, the second with all entries observed."""

    name: str
    machine: TinyMachine
    visible: Floats  # (N_ROWS, n_visible)
    observed: Bools  # (N_ROWS, n_visible)

    @property
    def layer(self) -> VisibleLayer:
        machine = self.machine
        return VisibleLayer(machine.n_gaussian, machine.n_bernoulli, machine.group_sizes)

    @property
    def parameters(self) -> BoltzmannParameters:
        """The package's view of the machine; float64 inside ``double_precision``."""
        machine = self.machine
        return BoltzmannParameters(
            weights=jnp.asarray(machine.weights),
            visible_bias=jnp.asarray(machine.visible_bias),
            hidden_bias=jnp.asarray(machine.hidden_bias),
            log_variance=jnp.asarray(np.log(machine.variance)),
        )

    @cached_property
    def moments(self) -> list[Moments]:
        """The reference's answer for every row."""
        return [
            moments(self.machine, row, seen)
            for row, seen in zip(self.visible, self.observed, strict=True)
        ]

    @cached_property
    def log_observed(self) -> Floats:
        """log Z_O of every row, from the reference."""
        return np.array([of_row.log_observed for of_row in self.moments])

    def with_behind(self, value: float) -> Floats:
        """The rows with ``value`` written behind the missing entries."""
        return np.where(self.observed, self.visible, value)

    def with_weights(self, factor: float) -> Case:
        """The same rows before a machine whose weights are ``factor`` times as large."""
        machine = replace(self.machine, weights=factor * self.machine.weights)
        return Case(self.name, machine, self.visible, self.observed)

    def random_means(self, rng: np.random.Generator) -> Floats:
        """Admissible means of every row, observed entries at their values."""
        return np.where(self.observed, self.visible, random_means(self.machine, N_ROWS, rng))


def random_means(machine: TinyMachine, n: int, rng: np.random.Generator) -> Floats:
    """Means anywhere in the domain of each kind; those of a softmax group sum to 1."""
    parts = [rng.normal(size=(n, machine.n_gaussian)), rng.random((n, machine.n_bernoulli))]
    parts += [rng.dirichlet(np.ones(size), size=n) for size in machine.group_sizes]
    return np.concatenate(parts, axis=1)


def random_visible(machine: TinyMachine, n: int, rng: np.random.Generator) -> Floats:
    """Values that each kind of unit can take."""
    parts = [
        rng.normal(size=(n, machine.n_gaussian)),
        rng.integers(0, 2, size=(n, machine.n_bernoulli)).astype(np.float64),
    ]
    parts += [np.eye(size)[rng.integers(0, size, size=n)] for size in machine.group_sizes]
    return np.concatenate(parts, axis=1)


def random_case(
    name: str, n_gaussian: int, n_bernoulli: int, group_sizes: tuple[int, ...], n_hidden: int
) -> Case:
    rng = np.random.default_rng([n_gaussian, n_bernoulli, *group_sizes, n_hidden])
    n_visible = n_gaussian + n_bernoulli + sum(group_sizes)
    machine = TinyMachine(
        n_gaussian,
        n_bernoulli,
        group_sizes,
        weights=rng.normal(scale=0.8, size=(n_visible, n_hidden)),
        visible_bias=rng.normal(scale=0.5, size=n_visible),
        hidden_bias=rng.normal(scale=0.5, size=n_hidden),
        variance=rng.uniform(0.3, 1.7, size=n_gaussian),
    )
    of_block = rng.random((N_ROWS, len(machine.blocks))) < 0.5
    # Every random row misses something and has something observed.
    of_block[np.arange(N_ROWS), rng.integers(len(machine.blocks), size=N_ROWS)] = False
    of_block[0], of_block[1] = False, True
    widths = [block.stop - block.start for block in machine.blocks]
    observed = np.repeat(of_block, widths, axis=1)
    return Case(name, machine, random_visible(machine, N_ROWS, rng), observed)


GAUSSIAN = random_case("gaussian", 2, 0, (), 3)
BERNOULLI = random_case("bernoulli", 0, 5, (), 3)
SOFTMAX = random_case("softmax", 0, 0, (3, 2), 5)
EQUAL_GROUPS = random_case("equal groups", 0, 0, (3, 3), 2)
MIXED = random_case("mixed", 2, 3, (3, 2), 4)
# Groups of one size are laid out by another path; tests of layout add them.
CASES = [GAUSSIAN, BERNOULLI, SOFTMAX, MIXED]
NAMES = [case.name for case in CASES]
