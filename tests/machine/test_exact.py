"""Exact evidence, and its gradient as the difference of a positive and a negative term."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from exact.compiled import compiled
from exact.machines import CASES, MIXED, NAMES, Case
from halfseen.machine.exact import (
    MOST_HIDDEN_UNITS,
    exact_log_observed,
    exact_log_partition,
    exact_log_probability,
    hidden_configurations,
)
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("double_precision")]


class Evidence(NamedTuple):
    """Every public quantity of the module, and the gradient, of some rows."""

    log_observed: jax.Array
    log_partition: jax.Array
    log_probability: jax.Array
    gradient: BoltzmannParameters


@compiled
def evidence(
    parameters: BoltzmannParameters, layer: VisibleLayer, visible: jax.Array, observed: jax.Array
) -> Evidence:
    return Evidence(
        exact_log_observed(parameters, layer, visible, observed),
        exact_log_partition(parameters, layer),
        exact_log_probability(parameters, layer, visible, observed),
        jax.jacrev(exact_log_probability)(parameters, layer, visible, observed),
    )


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_evidence_is_that_of_the_enumeration(case: Case) -> None:
    found = evidence(case.parameters, case.layer, case.visible, case.observed)
    np.testing.assert_allclose(found.log_observed, case.log_observed, rtol=1e-10)
    assert float(found.log_partition) == pytest.approx(case.log_observed[0], rel=1e-10)
    expected = case.log_observed - case.log_observed[0]
    np.testing.assert_allclose(found.log_probability, expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_gradient_is_positive_minus_negative_term(case: Case) -> None:
    """Eq. (9) with E[v_i h_j | v_o] for missing i, and its likes for biases and variances."""
    found = evidence(case.parameters, case.layer, case.visible, case.observed).gradient
    negative = case.moments[0]
    variance, n_gaussian = case.machine.variance, case.machine.n_gaussian
    for row, positive in enumerate(case.moments):
        squared = (positive.visible_squared - negative.visible_squared)[:n_gaussian]
        expected = [
            positive.visible_hidden - negative.visible_hidden,
            positive.visible - negative.visible,
            positive.hidden - negative.hidden,
            squared / (2 * variance),
        ]
        for name, leaf, by_hand in zip(found._fields, found, expected, strict=True):
            np.testing.assert_allclose(leaf[row], by_hand, rtol=1e-8, atol=1e-11, err_msg=name)


@pytest.mark.parametrize("behind", [1e9, np.nan, np.inf])
def test_what_stands_behind_missing_entries_is_not_read(behind: float) -> None:
    plain = evidence(MIXED.parameters, MIXED.layer, MIXED.visible, MIXED.observed)
    other = evidence(MIXED.parameters, MIXED.layer, MIXED.with_behind(behind), MIXED.observed)
    jax.tree.map(np.testing.assert_array_equal, plain, other)


def test_single_precision_agrees() -> None:
    theta = jax.tree.map(lambda leaf: leaf.astype(jnp.float32), MIXED.parameters)
    found = compiled(exact_log_observed)(
        theta, MIXED.layer, MIXED.visible.astype(np.float32), MIXED.observed
    )
    assert found.dtype == jnp.float32
    np.testing.assert_allclose(found, MIXED.log_observed, rtol=1e-5)


def test_hidden_configurations_are_all_different_and_counted() -> None:
    found = np.asarray(hidden_configurations(5, jnp.dtype(jnp.float64)))
    assert found.shape == (32, 5)
    assert found.tolist() == [[float(bit) for bit in f"{code:05b}"] for code in range(32)]


def test_too_many_hidden_units_are_named_with_a_remedy() -> None:
    with pytest.raises(ValueError, match=r"enumeration of 21 hidden units.*annealed"):
        hidden_configurations(MOST_HIDDEN_UNITS + 1, jnp.dtype(jnp.float32))
