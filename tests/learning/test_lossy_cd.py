"""Algorithm 1 against a slow reading of it in numpy, and against the exact gradient."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest

from exact.compiled import compiled
from exact.reference import Floats, TinyMachine
from halfseen.learning.lossy_cd import LossyCD, go_together
from halfseen.machine.gibbs import gibbs_noise
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer, VisibleNoise
from learning.sampled import (
    CASE,
    FAR,
    N_COPIES,
    batch_of,
    beginning_of,
    departure,
    draw_keys,
    drawer,
)
from learning.small import assert_same_bits

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("double_precision")]

draws = drawer(LossyCD)


def sigmoid(x: float) -> float:
    return float(1 / (1 + np.exp(-x)))


def sampled_row(machine: TinyMachine, probabilities: list[Any], noise: VisibleNoise) -> Floats:
    """One row; per block the mean (Gaussian), P(on), or the probabilities of the group."""
    row = np.zeros(machine.n_visible)
    for index, block in enumerate(machine.blocks):
        if index < machine.n_gaussian:
            row[block] = (
                probabilities[index] + np.sqrt(machine.variance[index]) * noise.normal[index]
            )
        elif index < machine.n_gaussian + machine.n_bernoulli:
            row[block] = noise.uniform[index - machine.n_gaussian] < probabilities[index]
        else:
            uniform = noise.group_uniform[index - machine.n_gaussian - machine.n_bernoulli]
            passed = 0
            while passed < len(probabilities[index]) - 1 and (
                uniform >= np.sum(probabilities[index][: passed + 1])
            ):
                passed += 1
            row[block.start + passed] = 1.0
    return row


def random_row(machine: TinyMachine, marginals: Floats, noise: VisibleNoise) -> Floats:
    of_blocks = [
        marginals[block] if block.stop - block.start > 1 else marginals[block.start]
        for block in machine.blocks
    ]
    return sampled_row(machine, of_blocks, noise)


def visible_given_hidden(machine: TinyMachine, hidden: Floats, noise: VisibleNoise) -> Floats:
    """Eq. (4)."""
    of_blocks: list[Any] = []
    for index, block in enumerate(machine.blocks):
        x = [
            machine.visible_bias[i] + sum(machine.weights[i, j] * hidden[j] for j in range(4))
            for i in range(block.start, block.stop)
        ]
        if index < machine.n_gaussian:
            of_blocks.append(machine.variance[index] * x[0])
        elif index < machine.n_gaussian + machine.n_bernoulli:
            of_blocks.append(sigmoid(x[0]))
        else:
            of_blocks.append(np.exp(x) / np.sum(np.exp(x)))
    return sampled_row(machine, of_blocks, noise)


def hidden_probability(machine: TinyMachine, row: Floats) -> Floats:
    """Eq. (5)."""
    return np.array(
        [sigmoid(machine.hidden_bias[j] + row @ machine.weights[:, j]) for j in range(4)]
    )


def algorithm_1(
    machine: TinyMachine, batch: Any, marginals: Floats, noises: Any
) -> BoltzmannParameters:
    """One update of Lossy-CD1, row by row, with given random numbers."""
    n_rows = len(batch.visible)
    weights, visible, hidden = np.zeros((10, 4)), np.zeros(10), np.zeros(4)
    square = np.zeros(machine.n_gaussian)
    for r in range(n_rows):
        at = jax.tree.map(lambda leaf, r=r: leaf[r], noises)
        start_noise, positive_noise, negative_start_noise, negative_noise = at
        seen = batch.observed[r]
        row = np.where(seen, batch.visible[r], random_row(machine, marginals, start_noise))
        h = positive_noise.hidden < hidden_probability(machine, row)
        row = np.where(seen, row, visible_given_hidden(machine, h, positive_noise.visible))
        for v, weight in (
            (row, batch.weight[r]),
            (negative_row(machine, marginals, negative_start_noise, negative_noise), -1 / n_rows),
        ):
            q = hidden_probability(machine, v)
            weights += weight * np.outer(v, q)
            visible += weight * v
            hidden += weight * q
            square += weight * v[: machine.n_gaussian] ** 2
    leaves: tuple[Any, ...] = (weights, visible, hidden, 0.5 * square / machine.variance)
    return BoltzmannParameters(*leaves)


def negative_row(
    machine: TinyMachine, marginals: Floats, start_noise: VisibleNoise, noise: Any
) -> Floats:
    row = random_row(machine, marginals, start_noise)
    h = noise.hidden < hidden_probability(machine, row)
    return visible_given_hidden(machine, h, noise.visible)


def noises_of(
    parameters: BoltzmannParameters, layer: VisibleLayer, key: jax.Array, rows: Floats
) -> Any:
    """Random numbers of both terms: many rows have a key for each, few rows one for both."""
    n_rows, dtype = len(rows), parameters.weights.dtype
    keys = jax.random.split(key, 4)
    if go_together(n_rows, n_rows):
        start = layer.noise(keys[0], (2 * n_rows,), dtype)
        step = gibbs_noise(jax.random.fold_in(keys[1], 0), layer, 4, (2 * n_rows,), dtype)
        first, last = (
            jax.tree.map(lambda leaf, half=half: leaf[half], (start, step))
            for half in (slice(n_rows), slice(n_rows, None))
        )
        return *first, *last
    shape = (n_rows,)
    return (
        layer.noise(keys[0], shape, dtype),
        gibbs_noise(jax.random.fold_in(keys[1], 0), layer, 4, shape, dtype),
        layer.noise(keys[2], shape, dtype),
        gibbs_noise(jax.random.fold_in(keys[3], 0), layer, 4, shape, dtype),
    )


@pytest.mark.parametrize("n_copies", [1, N_COPIES])
def test_one_update_is_algorithm_1(n_copies: int) -> None:
    batch = batch_of(CASE, n_copies)
    key = jax.random.fold_in(draw_keys()[0], 0)
    noises = compiled(noises_of)(CASE.parameters, CASE.layer, key, batch.rows)
    expected = algorithm_1(CASE.machine, batch, beginning_of(CASE).marginals, noises)
    found = jax.tree.map(lambda leaf: leaf[0], draws(batch, 1).gradient)
    for name, one, other in zip(found._fields, found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12, err_msg=name)


def test_with_many_steps_the_gradient_is_exact() -> None:
    batch = batch_of(CASE)
    found = departure(draws(batch, 14), batch)
    assert found.in_errors < FAR
    assert found.relative < 0.1


def test_with_many_steps_the_gradient_of_few_rows_is_exact() -> None:
    batch = batch_of(CASE, 2)
    assert go_together(len(batch.rows), len(batch.rows))
    assert departure(draws(batch, 14), batch).in_errors < FAR


def test_a_single_step_from_random_starts_is_biased() -> None:
    """The same measure: the test above can fail."""
    batch = batch_of(CASE)
    assert departure(draws(batch, 1), batch).in_errors > 2 * FAR


def test_hidden_values_are_not_read() -> None:
    batch = batch_of(CASE)
    behind = batch._replace(visible=np.where(batch.observed, batch.visible, 1e9))
    assert_same_bits(draws(batch, 2), draws(behind, 2))


def test_nothing_is_kept() -> None:
    memory = draws(batch_of(CASE), 1).memory
    assert memory.negative.shape[1:] == (0, 10)
    assert memory.positive.shape[1:] == (0, 10)
