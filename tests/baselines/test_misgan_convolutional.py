"""Convolutions as slices against the compiler's, and images of any shape."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfseen.baselines._perceptron import initial_layer
from halfseen.baselines.misgan_convolutional import (
    Convolutional,
    MisGANConvolutional,
    convolved,
    enlarged,
)


@pytest.mark.parametrize(("size", "stride"), [(3, 1), (5, 2)])
def test_a_convolution_is_that_of_the_compiler(size: int, stride: int) -> None:
    generator = np.random.default_rng(0)
    image = jnp.asarray(generator.normal(size=(2, 7, 6, 3)), jnp.float32)
    layer = initial_layer(generator, size * size * 3, 4)
    # Slices go over the height within those over the width.
    kernel = layer.weights.reshape(size, size, 3, 4).transpose(1, 0, 2, 3)
    expected = jax.lax.conv_general_dilated(
        image,
        kernel,
        (stride, stride),
        [(size // 2, size // 2)] * 2,
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
    )
    assert np.asarray(convolved(image, layer, size, stride)) == pytest.approx(
        np.asarray(expected), abs=1e-4
    )


def test_an_image_is_enlarged_square_by_square() -> None:
    image = jnp.asarray(np.random.default_rng(0).normal(size=(2, 3, 4, 8)), jnp.float32)
    large = enlarged(image)
    assert large.shape == (2, 6, 8, 2)
    assert np.array_equal(large[:, 1, 2], image[:, 0, 1, 4:6])


@pytest.mark.parametrize("shape", [(5, 7), (28, 28)])
def test_images_of_any_shape(shape: tuple[int, int]) -> None:
    build, generator = Convolutional(shape, 3, 4, 2), np.random.default_rng(0)
    n_columns = shape[0] * shape[1] + 3
    columns = jax.jit(build.generated)(build.initial_generator(generator), jnp.ones((2, 4)))
    assert columns.shape == (2, n_columns)
    assert jax.jit(build.criticised)(build.initial_critic(generator), columns).shape == (2,)


def test_a_table_of_another_width_is_refused() -> None:
    with pytest.raises(ValueError, match="have 784 pixels, but X has 2 columns; set shape"):
        MisGANConvolutional().fit([[1.0, 2.0]], [[1]])


def test_all_pixels_share_one_scale() -> None:
    X = np.array([[0.0, 50.0, np.nan, 255.0], [0.0, 10.0, np.nan, 20.0]])
    scaling = MisGANConvolutional(shape=(2, 2))._scaling_of(X)
    assert scaling.scale.tolist() == [255.0] * 4
    assert scaling.offset.tolist() == [0.0] * 4
