"""AdamW over one vector: the same steps as optax takes over the tree."""

from __future__ import annotations

import jax
import numpy as np
import optax
import pytest

from halfseen.baselines._adamw import adamw
from halfseen.baselines._perceptron import initial_perceptron


def test_it_steps_as_over_the_tree() -> None:
    generator = np.random.default_rng(0)
    parameters = initial_perceptron(generator, (3, 4, 2))
    flat, tree = adamw(0.01, 0.1), optax.adamw(0.01, weight_decay=0.1)
    flat_state, tree_state = flat.init(parameters), tree.init(parameters)
    for _ in range(3):
        gradient = initial_perceptron(generator, (3, 4, 2))
        one, flat_state = flat.update(gradient, flat_state, parameters)
        other, tree_state = tree.update(gradient, tree_state, parameters)
        for left, right in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
            assert np.asarray(left) == pytest.approx(np.asarray(right), abs=1e-7)
