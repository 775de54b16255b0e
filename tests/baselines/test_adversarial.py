"""GAIN and MisGAN: the losses by hand, the penalty, and what each player may see."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfseen.baselines.adversarial import (
    ConvolutionalModel,
    GainModel,
    MisganModel,
    convolved,
    enlarged,
)
from halfseen.baselines.networks import Perceptron, Rows, initial_perceptron

DRAWS = np.random.default_rng(0)
GAIN_MODEL = GainModel(2, 1, False)
GENERATOR, DISCRIMINATOR = (one.parameters for one in GAIN_MODEL.start(jax.random.key(0)))
ROWS = Rows(jnp.asarray(DRAWS.random((8, 3)), jnp.float32), jnp.asarray(DRAWS.random((8, 3)) < 0.6))
OTHER = ROWS._replace(values=jnp.where(ROWS.observed, ROWS.values, 77.0))
NOISE = jnp.asarray(DRAWS.random((8, 3)), jnp.float32)
HINT = jnp.asarray(ROWS.observed & (DRAWS.random((8, 3)) < 0.9), jnp.float32)


def test_the_generator_does_not_read_what_is_missing() -> None:
    said = GAIN_MODEL.generated(GENERATOR, ROWS, NOISE)
    assert np.array_equal(said, GAIN_MODEL.generated(GENERATOR, OTHER, NOISE))
    assert ((said >= 0) & (said <= 1)).all()


def test_the_losses_are_those_of_the_paper() -> None:
    said, seen = np.asarray(GAIN_MODEL.generated(GENERATOR, ROWS, NOISE)), np.asarray(ROWS.observed)
    completed = np.where(seen, ROWS.values, said)
    outputs = np.concatenate([completed, HINT], axis=1)
    for place, (weights, bias) in enumerate(DISCRIMINATOR):
        outputs = (np.maximum(outputs, 0) if place else outputs) @ weights + bias
    guess = 1 / (1 + np.exp(-outputs))
    expected = -np.where(seen, np.log(guess), np.log(1 - guess)).mean()
    loss = GAIN_MODEL.discriminator_loss(DISCRIMINATOR, jnp.asarray(completed), ROWS, HINT)
    assert float(loss) == pytest.approx(expected, rel=1e-4)
    squared = np.mean((said - np.asarray(ROWS.values))[seen] ** 2)
    expected = -np.where(seen, 0, np.log(guess)).mean() + 10 * squared
    loss = GAIN_MODEL.generator_loss(GENERATOR, DISCRIMINATOR, ROWS, NOISE, HINT, 10.0)
    assert float(loss) == pytest.approx(expected, rel=1e-4)


def test_what_is_missing_moves_nothing() -> None:
    gradients = [
        jax.tree.leaves(
            jax.grad(GAIN_MODEL.generator_loss)(GENERATOR, DISCRIMINATOR, rows, NOISE, HINT, 10.0)
        )
        for rows in (ROWS, OTHER)
    ]
    assert all(np.array_equal(*pair) for pair in zip(*gradients, strict=True))


LABELS, CLASSES = (MisganModel(3, 2, classes, 2, 2) for classes in (False, True))
INPUTS = jnp.asarray(DRAWS.normal(size=(40, 5)) * 3, jnp.float32)


def test_rows_lie_in_the_unit_interval_and_classes_sum_to_one() -> None:
    expected = 1 / (1 + np.exp(-np.asarray(INPUTS)))
    assert np.asarray(LABELS.row(INPUTS)) == pytest.approx(expected, rel=1e-5)
    assert np.asarray(CLASSES.row(INPUTS)[:, 3:].sum(axis=1)) == pytest.approx(1)


def test_masks_reach_zero_and_one_and_are_one_for_all_classes() -> None:
    mask = np.asarray(LABELS.mask(INPUTS))
    assert (mask.min(), mask.max()) == (0, 1)
    mask = np.asarray(CLASSES.mask(INPUTS))
    assert np.array_equal(mask[:, 3], mask[:, 4])


def linear_critic(slope: float) -> Perceptron:
    return ((jnp.asarray([[slope], [0.0]]), jnp.zeros(1)),)


@pytest.mark.parametrize("slope", [0.0, 0.5, 1.0, 3.0])
def test_a_linear_critic_pays_for_its_slope(slope: float) -> None:
    real, fake = jnp.asarray([[1.0, 5.0], [3.0, 5.0]]), jnp.zeros((2, 2))
    loss = LABELS.critic_loss(linear_critic(slope), real, fake, jnp.full((2, 1), 0.5), 10.0)
    assert float(loss) == pytest.approx(10 * (slope - 1) ** 2 - 2 * slope, abs=1e-4)


def test_a_flat_critic_has_a_finite_gradient() -> None:
    real, fake = jnp.ones((2, 2)), jnp.zeros((2, 2))
    gradient = jax.grad(LABELS.critic_loss)(linear_critic(0.0), real, fake, 0.5, 10.0)
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(gradient))


def test_the_imputer_reads_noise_where_an_entry_is_missing() -> None:
    imputer = initial_perceptron(jax.random.key(1), (5, 5, 5))
    values, noise = jnp.asarray(DRAWS.random((2, 40, 5)), jnp.float32)
    rows = Rows(values, jnp.asarray(DRAWS.random((40, 5)) < 0.5))
    other = rows._replace(values=jnp.where(rows.observed, values, 99.0))
    said = LABELS.imputed(imputer, rows, noise)
    assert np.array_equal(said, LABELS.imputed(imputer, other, noise))
    assert not np.array_equal(said, LABELS.imputed(imputer, rows, 1 - noise))


def test_the_generators_take_a_step_every_few_of_the_critics() -> None:
    model, key = MisganModel(2, 1, False, 2, 3), jax.random.key(0)
    rates = ("learning_rate", "imputer_learning_rate")
    settings = {"alpha": 0.1, "gamma": 1.0, "penalty": 10.0, **dict.fromkeys(rates, 0.01)}
    step, state, moved = jax.jit(model.step), model.start(key), []
    for _ in range(6):
        before, state = state, step(state, ROWS, key, settings)
        same = jax.tree.map(lambda a, b: bool((a == b).all()), before.imputer, state.imputer)
        assert not all(jax.tree.leaves(same.critic.parameters))
        moved.append(not all(jax.tree.leaves(same.generator.parameters)))
    assert moved == [False, False, True] * 2


@pytest.mark.parametrize(("size", "stride"), [(3, 1), (5, 2)])
def test_a_convolution_is_that_of_the_compiler(size: int, stride: int) -> None:
    image = jnp.asarray(DRAWS.normal(size=(2, 7, 6, 3)), jnp.float32)
    layer = initial_perceptron(jax.random.key(0), (size * size * 3, 4))
    # Slices go over the height within those over the width.
    kernel = layer[0][0].reshape(size, size, 3, 4).transpose(1, 0, 2, 3)
    around = [(size // 2, size // 2)] * 2
    expected = jax.lax.conv_general_dilated(
        image, kernel, (stride, stride), around, dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    found = np.asarray(convolved(image, layer, size, stride))
    assert found == pytest.approx(np.asarray(expected), abs=1e-4)


def test_an_image_is_enlarged_square_by_square() -> None:
    image = jnp.asarray(DRAWS.normal(size=(2, 3, 4, 8)), jnp.float32)
    large = enlarged(image)
    assert large.shape == (2, 6, 8, 2)
    assert np.array_equal(large[:, 1, 2], image[:, 0, 1, 4:6])


@pytest.mark.parametrize("shape", [(5, 7), (28, 28)])
def test_images_of_any_shape(shape: tuple[int, int]) -> None:
    n_pixels = shape[0] * shape[1]
    model, key = ConvolutionalModel(n_pixels, 3, False, 4, 2, shape, 2), jax.random.key(0)
    generator, critic = (
        jax.eval_shape(new, key) for new in (model.new_generator, model.new_critic)
    )
    columns = jax.eval_shape(model.generated, generator, jnp.ones((2, 4)))
    assert columns.shape == (2, n_pixels + 3)
    assert jax.eval_shape(model.criticised, critic, columns).shape == (2,)
