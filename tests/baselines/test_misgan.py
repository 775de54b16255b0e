"""MisGAN: the networks' shapes, and rounds as told."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from halfseen.baselines.misgan import FullyConnected, MisGAN


def test_generators_and_critics_have_the_authors_widths() -> None:
    build, generator = FullyConnected(7, 4), np.random.default_rng(0)
    rows, critic = build.initial_generator(generator), build.initial_critic(generator)
    assert [layer.weights.shape for layer in rows] == [(4, 256), (256, 512), (512, 7)]
    assert [len(layer.bias) for layer in critic] == [512, 256, 128, 1]
    assert build.generated(rows, jnp.zeros((3, 4))).shape == (3, 7)
    assert build.criticised(critic, jnp.zeros((3, 7))).shape == (3,)


def test_minibatches_of_a_round_are_of_different_rows() -> None:
    misgan = MisGAN(n_critic=3, batch_size=4)
    batches = np.asarray(misgan._batches(np.random.default_rng(0), 10, 2))
    assert batches.shape == (2, 3, 4)
    assert all(len(set(batch)) == 4 for batch in batches.reshape(-1, 4).tolist())
    assert misgan._batches(np.random.default_rng(0), 3, 1).shape == (1, 3, 3)
