"""The reference itself, where the answer can be written down."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from exact.machines import BERNOULLI, CASES, MIXED, NAMES, Case
from exact.reference import TinyMachine, code_of, draw, marginals, moments


def test_two_units_by_hand() -> None:
    machine = TinyMachine(
        0,
        1,
        (),
        weights=np.array([[2.0]]),
        visible_bias=np.array([-1.0]),
        hidden_bias=np.array([0.5]),
        variance=np.zeros(0),
    )
    weight = {(0, 0): 1.0, (0, 1): np.exp(0.5), (1, 0): np.exp(-1.0), (1, 1): np.exp(1.5)}
    total = sum(weight.values())
    free = moments(machine, np.zeros(1), np.array([False]))
    assert free.log_observed == pytest.approx(np.log(total))
    assert free.visible[0] == pytest.approx((weight[1, 0] + weight[1, 1]) / total)
    assert free.hidden[0] == pytest.approx((weight[0, 1] + weight[1, 1]) / total)
    assert free.visible_hidden[0, 0] == pytest.approx(weight[1, 1] / total)


def test_gaussian_unit_by_completing_the_square() -> None:
    machine = TinyMachine(
        1,
        0,
        (),
        weights=np.array([[1.5]]),
        visible_bias=np.array([0.3]),
        hidden_bias=np.array([-0.4]),
        variance=np.array([0.7]),
    )
    inputs = np.array([0.3, 1.8])
    weight = np.exp(np.array([0.0, -0.4]) + 0.5 * 0.7 * inputs**2)
    probability = weight / weight.sum()
    free = moments(machine, np.zeros(1), np.array([False]))
    assert free.log_observed == pytest.approx(np.log(weight.sum()), rel=1e-12)
    assert free.visible[0] == pytest.approx(probability @ (0.7 * inputs), rel=1e-12)
    second = probability @ (0.7 + (0.7 * inputs) ** 2)
    assert free.visible_squared[0] == pytest.approx(second, rel=1e-12)


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_without_weights_the_units_are_independent(case: Case) -> None:
    machine = replace(case.machine, weights=np.zeros_like(case.machine.weights))
    nothing = np.zeros(machine.n_visible, dtype=bool)
    expected = np.log1p(np.exp(machine.hidden_bias)).sum()
    gaussian = machine.visible_bias[: machine.n_gaussian]
    expected += 0.5 * (machine.variance * gaussian**2).sum()
    for block in machine.blocks[machine.n_gaussian :]:
        weights = np.exp(machine.visible_bias[block])
        expected += np.log(weights.sum() + (1.0 if len(weights) == 1 else 0.0))
    assert moments(machine, case.visible[0], nothing).log_observed == pytest.approx(expected)


@pytest.mark.parametrize("case", [BERNOULLI, MIXED], ids=["bernoulli", "mixed"])
def test_evidence_of_all_observations_sums_to_one(case: Case) -> None:
    machine = case.machine
    first, second = machine.n_gaussian, machine.n_gaussian + 2
    seen = np.zeros(machine.n_visible, dtype=bool)
    seen[[first, second]] = True
    total = 0.0
    for one, two in itertools.product([0.0, 1.0], repeat=2):
        values = case.visible[0].copy()
        values[first], values[second] = one, two
        total += np.exp(moments(machine, values, seen).log_observed - case.log_observed[0])
    assert total == pytest.approx(1.0, rel=1e-12)


def test_draws_follow_the_enumeration() -> None:
    row, seen = MIXED.visible[2], MIXED.observed[2]
    drawn = draw(MIXED.machine, row, seen, 100_000, np.random.default_rng(0))
    of_row = MIXED.moments[2]
    spread = np.sqrt((of_row.visible_squared - of_row.visible**2)[~seen])
    error = np.abs(drawn.mean(axis=0) - of_row.visible)[~seen]
    np.testing.assert_array_less(error, 4 * spread / np.sqrt(len(drawn)))
    np.testing.assert_array_equal(drawn[:, seen], np.tile(row[seen], (len(drawn), 1)))
    expected = marginals(MIXED.machine, row, seen).discrete
    counted = np.bincount(code_of(drawn[:, MIXED.machine.n_gaussian :]), minlength=len(expected))
    assert 0.5 * np.abs(counted / len(drawn) - expected).sum() < 0.01
