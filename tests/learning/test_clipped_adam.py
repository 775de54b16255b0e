"""Adam with a clipped gradient, against optax."""

from __future__ import annotations

import jax
import numpy as np
import optax
import pytest

from halfseen.learning.clipped_adam import (
    FORGETFUL,
    Adam,
    clipped_adam,
    first_moments,
    paces,
)


@pytest.mark.parametrize("adam", [FORGETFUL, Adam()])
@pytest.mark.parametrize("size", [0.01, 30.0])  # below and above what is clipped
def test_it_is_what_optax_says(size: float, adam: Adam) -> None:
    rng = np.random.default_rng(0)
    chain = optax.chain(
        optax.clip_by_global_norm(adam.clip_norm),
        optax.scale_by_adam(b1=adam.mean_decay, b2=adam.square_decay),
    )
    like = {"a": np.zeros((3, 2), np.float32), "b": np.zeros(4, np.float32)}
    theirs, ours = chain.init(like), first_moments(like)
    all_paces = paces(np.ones(6, np.float32), 0, adam)
    for step in range(6):
        gradient = {
            name: (size * rng.normal(size=leaf.shape)).astype(np.float32)
            for name, leaf in like.items()
        }
        right, theirs = chain.update(gradient, theirs)
        pace = jax.tree.map(lambda numbers, at=step: numbers[at], all_paces)
        found, ours = clipped_adam(gradient, ours, pace, adam)
        for name in like:
            np.testing.assert_allclose(found[name], right[name], rtol=2e-5)


def test_a_later_step_goes_on_from_where_it_was() -> None:
    whole, rest = paces(np.ones(8, np.float32), 0), paces(np.ones(5, np.float32), 3)
    for part, own in zip(whole, rest, strict=True):
        np.testing.assert_allclose(part[3:], own)
