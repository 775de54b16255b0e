"""Longer rounds: further in the same direction, and never to what is no covariance."""

from __future__ import annotations

import numpy as np

from halfseen.learning.over_relaxed import Moments, over_relaxed


def moments(seed: int, n_gaussians: int = 3, n_units: int = 4) -> Moments:
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n_gaussians, n_units, 2 * n_units))
    return Moments(rng.normal(size=(n_gaussians, n_units)), root @ root.swapaxes(1, 2) / n_units)


def test_it_goes_on_in_the_direction_of_the_round() -> None:
    before = moments(0)
    after = Moments(before.mean + 0.1, 1.05 * before.covariance)
    found = over_relaxed(before, after)
    np.testing.assert_allclose(found.mean, before.mean + 0.17)
    np.testing.assert_allclose(found.covariance, 1.085 * before.covariance)


def test_each_of_several_is_judged_by_itself() -> None:
    before = moments(1)
    after = Moments(before.mean + 1.0, before.covariance.copy())
    after.covariance[1] *= 0.1  # so far that going on would leave the covariances
    found = over_relaxed(before, after)
    np.testing.assert_array_equal(found.covariance[1], after.covariance[1])
    np.testing.assert_array_equal(found.mean[1], after.mean[1])
    np.testing.assert_allclose(found.mean[[0, 2]], before.mean[[0, 2]] + 1.7)
    assert np.all(np.linalg.eigvalsh(found.covariance) > 0)


def test_where_nothing_moves_nothing_is_moved() -> None:
    same = moments(2)
    found = over_relaxed(same, same)
    np.testing.assert_allclose(found.mean, same.mean)
    np.testing.assert_allclose(found.covariance, same.covariance)
