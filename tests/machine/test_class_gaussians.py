"""Gaussians of classes: exact densities of what is seen, and honest probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import multivariate_normal

from halfseen.machine import class_gaussians
from halfseen.machine.class_gaussians import ClassGaussians


def some_gaussians(seed: int, n_classes: int, n_units: int) -> ClassGaussians:
    random = np.random.default_rng(seed)
    roots = random.normal(size=(n_classes, n_units, n_units))
    share = random.random(n_classes) + 0.1
    return ClassGaussians(
        share / share.sum(),
        random.normal(size=(n_classes, n_units)),
        roots @ roots.swapaxes(1, 2) + 0.1 * np.eye(n_units),
    )


def some_rows(
    seed: int, n_rows: int, n_units: int
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    random = np.random.default_rng([seed, 1])
    values = random.normal(size=(n_rows, n_units)).astype(np.float32)
    observed = random.random((n_rows, n_units)) < 0.6
    values[~observed] = np.nan  # is not read
    return values, observed


@given(st.integers(0, 50), st.integers(1, 4), st.integers(1, 6))
def test_densities_are_those_of_what_is_seen(seed: int, n_classes: int, n_units: int) -> None:
    gaussians = some_gaussians(seed, n_classes, n_units)
    values, observed = some_rows(seed, 8, n_units)
    observed[0] = False
    found = gaussians.log_densities(values, observed)
    for row, seen in enumerate(observed):
        constant = 0.5 * seen.sum() * np.log(2 * np.pi)
        for own in range(n_classes):
            expected = 0.0
            if seen.any():
                block = gaussians.covariance[own][np.ix_(seen, seen)]
                one = multivariate_normal(gaussians.mean[own][seen], block)
                expected = one.logpdf(values[row, seen].astype(np.float64)) + constant
            assert np.isclose(found[row, own], expected, rtol=1e-7, atol=1e-6)


def test_of_a_row_of_which_nothing_is_seen_the_shares_are_said() -> None:
    gaussians = some_gaussians(3, 3, 4)
    said = gaussians.probabilities(np.zeros((2, 4), np.float32), np.zeros((2, 4), bool))
    np.testing.assert_allclose(said, np.tile(gaussians.share, (2, 1)), rtol=1e-12)


def test_no_class_is_ruled_out() -> None:
    apart = ClassGaussians(np.full(2, 0.5), np.array([[-9.0], [9.0]]), np.ones((2, 1, 1)))
    said = apart.probabilities(np.array([[9.0]], np.float32), np.ones((1, 1), bool))[0]
    assert np.isclose(said[0], 5e-4)
    assert np.isclose(said.sum(), 1.0)


def test_no_row_depends_on_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    gaussians = some_gaussians(1, 3, 20)
    values, observed = some_rows(1, 40, 20)
    together = gaussians.probabilities(values, observed)
    alone = [gaussians.probabilities(values[r : r + 1], observed[r : r + 1])[0] for r in range(40)]
    np.testing.assert_array_equal(np.stack(alone), together)
    monkeypatch.setattr(class_gaussians, "_AT_ONCE", 441 * 7)
    np.testing.assert_array_equal(gaussians.probabilities(values, observed), together)


@given(st.integers(0, 50), st.integers(1, 4), st.integers(1, 6))
def test_what_is_expected_is_that_of_the_classes_weighted(
    seed: int, n_classes: int, n_units: int
) -> None:
    gaussians = some_gaussians(seed, n_classes, n_units)
    values, observed = some_rows(seed, 8, n_units)
    observed[0], values[0] = False, np.nan
    likely = np.random.default_rng([seed, 2]).dirichlet(np.ones(n_classes), 8)
    found = gaussians.expected(values, observed, likely)
    for row, seen in enumerate(observed):
        heard = np.where(likely[row] < 0.01, 0.0, likely[row])
        right = np.zeros(n_units)
        for own, weight in enumerate(heard / heard.sum()):
            mean, covariance = gaussians.mean[own], gaussians.covariance[own]
            away = (values[row] - mean)[seen].astype(np.float64)
            pulled = np.linalg.solve(covariance[np.ix_(seen, seen)], away)
            right += weight * (mean + covariance[:, seen] @ pulled)
        right[seen] = values[row, seen]
        np.testing.assert_allclose(found[row], right, rtol=1e-6, atol=1e-6)


def test_what_is_expected_of_a_row_hangs_on_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    gaussians = some_gaussians(7, 3, 5)
    values, observed = some_rows(7, 40, 5)
    likely = gaussians.probabilities(np.where(observed, values, 0), observed)
    together = gaussians.expected(values, observed, likely)
    for row in range(40):
        own = slice(row, row + 1)
        alone = gaussians.expected(values[own], observed[own], likely[own])
        np.testing.assert_array_equal(alone[0], together[row])
    monkeypatch.setattr(class_gaussians, "_AT_ONCE", 75)
    np.testing.assert_array_equal(gaussians.expected(values, observed, likely), together)
