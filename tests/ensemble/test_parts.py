"""Bins of numbers, and how predictions are combined, by hand."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from halfseen.ensemble.machine import bin_shares
from halfseen.ensemble.model import Pool, pooled
from halfseen.ensemble.problem import bin_centres
from halfseen.ensemble.stacking import mixture_weights


def test_a_number_is_shared_by_the_two_nearest_bins() -> None:
    shares = bin_shares(jnp.array([0.5, 9.0]), jnp.array([[0.0, 0.0], [2.0, 2.0]]))
    assert shares.tolist() == [[0.75, 0.0], [0.25, 1.0]]


def test_a_value_is_a_centre_at_most_once() -> None:
    assert bin_centres(np.array([0.0] * 8 + [1.0, 2.0, 3.0, 4.0]), 3).tolist() == [0.0, 2.0, 3.0]


def test_a_prediction_without_an_opinion_changes_no_pool() -> None:
    found = pooled(np.log([[[0.1, 0.9]], [[0.5, 0.5]]]), Pool(np.array([1.0, 0.5]), 0.0))
    np.testing.assert_allclose(found, [[0.1, 0.9]])


def test_the_better_prediction_has_the_weight_of_a_mixture() -> None:
    weights = mixture_weights(np.array([[0.9] * 500, [0.1] * 500]), np.ones(500))
    np.testing.assert_allclose(weights, [1.0, 0.0], atol=0.05)
