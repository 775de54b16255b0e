"""With exact distributions in both terms, the contrast is the gradient of log P(v_o)."""

from __future__ import annotations

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from exact.compiled import compiled
from exact.machines import CASES, GAUSSIAN, MIXED, N_ROWS, NAMES, Case
from exact.reference import Floats, configurations, log_sum_exp
from halfseen.learning.statistics import (
    Offsets,
    Statistics,
    centred_gradient,
    contrast,
    moved_offsets,
    statistics_of,
)
from halfseen.machine.conditionals import hidden_mean_from_visible
from halfseen.machine.exact import exact_log_probability
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer

pytestmark = pytest.mark.usefixtures("double_precision")

WEIGHT = np.random.default_rng(0).dirichlet(np.ones(N_ROWS))


def mean_log_probability(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    visible: jax.Array,
    observed: jax.Array,
    weight: jax.Array,
) -> jax.Array:
    return weight @ exact_log_probability(parameters, layer, visible, observed)


def centred_log_probability(
    centred: BoltzmannParameters,
    layer: VisibleLayer,
    offsets: Offsets,
    visible: jax.Array,
    observed: jax.Array,
    weight: jax.Array,
) -> jax.Array:
    """In the coordinates a' = a + W lambda, b' = b + W^T mu."""
    plain = centred._replace(
        visible_bias=centred.visible_bias - centred.weights @ offsets.hidden,
        hidden_bias=centred.hidden_bias - offsets.visible @ centred.weights,
    )
    return mean_log_probability(plain, layer, visible, observed, weight)


def term(
    parameters: BoltzmannParameters, layer: VisibleLayer, states: jax.Array, weight: jax.Array
) -> Statistics:
    return statistics_of(layer, states, hidden_mean_from_visible(parameters, states), weight)


def contrast_of(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    positive: Statistics,
    negative: Statistics,
    offsets: Offsets,
) -> BoltzmannParameters:
    return centred_gradient(contrast(positive, negative).difference, parameters, offsets)


exact_gradient = compiled(jax.grad(mean_log_probability))
gradient_when_centred = compiled(jax.grad(centred_log_probability))
enumerated_term = compiled(term)
compiled_contrast = compiled(contrast_of)


def all_states(case: Case, row: int) -> tuple[Floats, Floats]:
    """Every configuration of the visible units of one row, and its exact probability."""
    visible, _, log_weight = configurations(case.machine, case.visible[row], case.observed[row])
    return visible, np.exp(log_weight - log_sum_exp(log_weight)).sum(axis=1)


@cache
def two_terms(case_name: str) -> tuple[Statistics, Statistics]:
    """Positive and negative term by enumeration; row 0 of a case has nothing observed."""
    case = CASES[NAMES.index(case_name)]
    of_rows = [all_states(case, row) for row in range(N_ROWS)]
    states = np.concatenate([visible for visible, _ in of_rows])
    weight = np.concatenate([w * p for w, (_, p) in zip(WEIGHT, of_rows, strict=True)])
    positive = enumerated_term(case.parameters, case.layer, states, weight)
    return positive, enumerated_term(case.parameters, case.layer, *of_rows[0])


def found_contrast(case: Case, offsets: Offsets) -> BoltzmannParameters:
    gradient: BoltzmannParameters = compiled_contrast(
        case.parameters, case.layer, *two_terms(case.name), offsets
    )
    return gradient


def centres(*leaves: Any) -> Offsets:
    return Offsets(*leaves)


def random_offsets(case: Case) -> Any:
    rng = np.random.default_rng(5)
    machine = case.machine
    return centres(rng.normal(size=machine.n_visible), rng.normal(size=machine.n_hidden))


def no_offsets(case: Case) -> Any:
    return centres(np.zeros(case.machine.n_visible), np.zeros(case.machine.n_hidden))


def assert_same(found: BoltzmannParameters, expected: BoltzmannParameters) -> None:
    for name, one, other in zip(found._fields, found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-10, err_msg=name)


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_statistics_of_enumerated_rows_are_the_moments(case: Case) -> None:
    positive, negative = two_terms(case.name)
    for found, weight in ((positive, WEIGHT), (negative, np.eye(N_ROWS)[0])):
        of_rows = list(zip(weight, case.moments, strict=True))
        square = sum(w * row.visible_squared for w, row in of_rows)[: case.machine.n_gaussian]
        for name, leaf in (
            ("visible_hidden", found.hidden_visible.T),
            ("visible", found.visible),
            ("hidden", found.hidden),
        ):
            expected = sum(w * getattr(row, name) for w, row in of_rows)
            np.testing.assert_allclose(leaf, expected, atol=1e-10, err_msg=name)
        np.testing.assert_allclose(found.gaussian_square, square, atol=1e-10)


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_plain_contrast_is_the_gradient(case: Case) -> None:
    found = found_contrast(case, no_offsets(case))
    expected = exact_gradient(case.parameters, case.layer, case.visible, case.observed, WEIGHT)
    assert_same(found, expected)
    assert all(np.linalg.norm(leaf) > 0.01 for leaf in expected if leaf.size)


@pytest.mark.parametrize("case", [GAUSSIAN, MIXED], ids=["gaussian", "mixed"])
def test_centred_contrast_is_the_gradient_in_centred_coordinates(case: Case) -> None:
    offsets = random_offsets(case)
    theta = jax.device_get(case.parameters)
    centred = theta._replace(
        visible_bias=theta.visible_bias + theta.weights @ offsets.hidden,
        hidden_bias=theta.hidden_bias + offsets.visible @ theta.weights,
    )
    there = gradient_when_centred(centred, case.layer, offsets, case.visible, case.observed, WEIGHT)
    # A step in the centred coordinates, seen from the plain ones.
    back = there._replace(
        visible_bias=there.visible_bias - there.weights @ offsets.hidden,
        hidden_bias=there.hidden_bias - offsets.visible @ there.weights,
    )
    found = found_contrast(case, offsets)
    assert_same(found, back)
    plain = found_contrast(case, no_offsets(case))
    assert np.linalg.norm(found.weights - plain.weights) > 0.1 * np.linalg.norm(plain.weights)


def test_centred_contrast_is_a_direction_of_ascent() -> None:
    plain = found_contrast(MIXED, no_offsets(MIXED))
    centred = found_contrast(MIXED, random_offsets(MIXED))
    product = sum(float(np.sum(a * b)) for a, b in zip(plain, centred, strict=True))
    assert product > 0


def test_rows_without_weight_do_not_count() -> None:
    rng = np.random.default_rng(1)
    visible, hidden = jnp.asarray(rng.normal(size=(4, 10))), jnp.asarray(rng.random((4, 3)))
    weight = jnp.array([1 / 3, 1 / 3, 1 / 3, 0.0])
    whole = statistics_of(MIXED.layer, visible[:3], hidden[:3], weight[:3])
    padded = statistics_of(MIXED.layer, visible, hidden, weight)
    for one, other in zip(whole, padded, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)


@pytest.mark.parametrize("rate", [0.0, 0.25, 1.0])
def test_offsets_follow_the_positive_term(rate: float) -> None:
    offsets = random_offsets(MIXED)
    positive = contrast(*two_terms(MIXED.name)).positive_means
    moved = moved_offsets(offsets, positive, rate)
    for new, old, towards in (
        (moved.visible, offsets.visible, positive.visible),
        (moved.hidden, offsets.hidden, positive.hidden),
    ):
        np.testing.assert_allclose(new, old + rate * (towards - old), rtol=1e-12, atol=1e-15)
