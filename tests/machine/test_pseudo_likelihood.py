"""Each observed entry given the rest of its row, against enumeration and quadrature."""

from __future__ import annotations

from dataclasses import replace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from exact.compiled import compiled
from exact.machines import BERNOULLI, CASES, EQUAL_GROUPS, GAUSSIAN, MIXED, NAMES, Case
from exact.reference import moments, pseudo_log_likelihood
from halfseen.machine.pseudo_likelihood import log_pseudo_likelihood

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("double_precision")]

found_by_package = compiled(log_pseudo_likelihood)


@pytest.mark.parametrize("case", [*CASES, EQUAL_GROUPS], ids=[*NAMES, EQUAL_GROUPS.name])
def test_sites_are_those_of_the_enumeration(case: Case) -> None:
    completed = case.random_means(np.random.default_rng(1))
    found = found_by_package(case.parameters, case.layer, completed, case.observed)
    expected = [
        pseudo_log_likelihood(case.machine, row, seen)
        for row, seen in zip(completed, case.observed, strict=True)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-12)
    assert float(found[0]) == 0.0  # nothing observed, nothing to predict


def test_what_a_missing_entry_was_completed_to_takes_part() -> None:
    rng = np.random.default_rng(1)
    first, second = MIXED.random_means(rng), MIXED.random_means(rng)
    one = found_by_package(MIXED.parameters, MIXED.layer, first, MIXED.observed)
    two = found_by_package(MIXED.parameters, MIXED.layer, second, MIXED.observed)
    assert float(one[1]) == float(two[1])
    assert np.all(np.asarray(one)[2:] != np.asarray(two)[2:])


def test_a_grey_level_is_an_expectation_over_black_and_white() -> None:
    row = BERNOULLI.visible[:1].copy()
    seen = np.array([[False, True, False, False, False]])
    everything = np.ones(5, dtype=bool)
    grey = 0.3
    log_weight = []
    for value in (0.0, 1.0):
        row[0, 1] = value
        log_weight.append(moments(BERNOULLI.machine, row[0], everything).log_observed)
    log_probability = np.array(log_weight) - np.logaddexp(log_weight[0], log_weight[1])
    row[0, 1] = grey
    found = found_by_package(BERNOULLI.parameters, BERNOULLI.layer, row, seen)
    expected = (1 - grey) * log_probability[0] + grey * log_probability[1]
    assert float(found[0]) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("variance", [0.01, 1.0])
def test_quadrature_holds_for_narrow_and_wide_units(variance: float) -> None:
    case = replace(GAUSSIAN, machine=replace(GAUSSIAN.machine, variance=np.full(2, variance)))
    completed = np.sqrt(variance) * GAUSSIAN.visible
    found = found_by_package(case.parameters, case.layer, completed, case.observed)
    expected = [
        pseudo_log_likelihood(case.machine, row, seen)
        for row, seen in zip(completed, case.observed, strict=True)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-10)


def test_precision_of_the_rows_is_kept() -> None:
    theta = jax.tree.map(lambda leaf: leaf.astype(jnp.float32), MIXED.parameters)
    shape = jax.eval_shape(
        lambda v: log_pseudo_likelihood(theta, MIXED.layer, v, jnp.asarray(MIXED.observed)),
        MIXED.visible.astype(np.float32),
    )
    assert shape.dtype == jnp.float32
