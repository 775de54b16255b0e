"""MisGAN's pieces: activations, the penalty, and who moves whom."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfseen.baselines._misgan_training import (
    Form,
    critic_loss,
    mask_from_inputs,
    row_from_inputs,
    said_by_imputer,
)
from halfseen.baselines._perceptron import Layer, Perceptron, initial_perceptron
from halfseen.baselines.misgan import FullyConnected

LABELS = Form(FullyConnected(5, 2), 3, 2, False)
CLASSES = Form(FullyConnected(5, 2), 3, 2, True)
INPUTS = jnp.asarray(np.random.default_rng(0).normal(size=(40, 5)) * 3, jnp.float32)


def test_rows_lie_in_the_unit_interval_and_classes_sum_to_one() -> None:
    row = row_from_inputs(INPUTS, LABELS)
    assert np.asarray(row) == pytest.approx(1 / (1 + np.exp(-np.asarray(INPUTS))), rel=1e-5)
    row = row_from_inputs(INPUTS, CLASSES)
    assert np.asarray(row[:, 3:].sum(axis=1)) == pytest.approx(1)


def test_masks_reach_zero_and_one_and_are_one_for_all_classes() -> None:
    mask = np.asarray(mask_from_inputs(INPUTS, LABELS))
    assert mask.min() == 0
    assert mask.max() == 1
    mask = np.asarray(mask_from_inputs(INPUTS, CLASSES))
    assert np.array_equal(mask[:, 3], mask[:, 4])


def linear_critic(slope: float) -> Perceptron:
    return (Layer(jnp.asarray([[slope], [0.0]]), jnp.zeros(1)),)


@pytest.mark.parametrize("slope", [0.0, 0.5, 1.0, 3.0])
def test_a_linear_critic_pays_for_its_slope(slope: float) -> None:
    real, fake = jnp.asarray([[1.0, 5.0], [3.0, 5.0]]), jnp.zeros((2, 2))
    loss = critic_loss(
        FullyConnected(2, 2), linear_critic(slope), real, fake, jnp.full((2, 1), 0.5), 10.0
    )
    assert float(loss) == pytest.approx(10 * (slope - 1) ** 2 - 2 * slope, abs=1e-4)


def test_a_flat_critic_has_a_finite_gradient() -> None:
    gradient = jax.grad(critic_loss, argnums=1)(
        FullyConnected(2, 2), linear_critic(0.0), jnp.ones((2, 2)), jnp.zeros((2, 2)), 0.5, 10.0
    )
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(gradient))


def test_the_imputer_reads_noise_where_an_entry_is_missing() -> None:
    generator = np.random.default_rng(0)
    imputer = initial_perceptron(generator, (5, 5, 5))
    row, noise = jnp.asarray(generator.random((2, 40, 5)), jnp.float32)
    observed = jnp.asarray(generator.random((40, 5)) < 0.5)
    other = jnp.where(observed, row, 99.0)
    said = said_by_imputer(imputer, row, observed, noise, LABELS)
    assert np.array_equal(said, said_by_imputer(imputer, other, observed, noise, LABELS))
    assert not np.array_equal(said, said_by_imputer(imputer, row, observed, 1 - noise, LABELS))
