from __future__ import annotations

import numpy as np

from halfseen.baselines._low_rank_features import (
    held_out_entries,
    low_rank_features,
    soft_imputed,
)


def incomplete(n_rows: int = 80) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(0)
    X = generator.standard_normal((n_rows, 2)) @ generator.standard_normal((2, 8))
    return X, np.where(generator.random(X.shape) < 0.3, np.nan, X)


def test_minus_the_gradient_is_a_subgradient_of_the_nuclear_norm() -> None:
    _, X = incomplete(10)
    threshold = 1.0
    spectrum = soft_imputed(X, threshold, np.zeros_like(X), tol=1e-13, max_iter=20_000)
    Z = spectrum.matrix()
    left, right = spectrum.left / spectrum.singular_values, spectrum.right
    assert 0 < len(spectrum.singular_values) < 8
    W = np.where(np.isnan(X), 0.0, X - Z) / threshold - left @ right.T
    np.testing.assert_allclose(left.T @ W, 0.0, atol=1e-6)
    np.testing.assert_allclose(W @ right, 0.0, atol=1e-6)
    assert np.linalg.norm(W, 2) <= 1 + 1e-6


def test_finds_a_matrix_of_low_rank() -> None:
    full, X = incomplete()
    completed = low_rank_features(X, 0).completed
    hidden = np.isnan(X)
    np.testing.assert_array_equal(completed[~hidden], full[~hidden])
    assert np.mean((completed - full)[hidden] ** 2) < 0.1 * np.var(full)


def test_a_row_folded_in_is_completed_as_in_the_fit() -> None:
    _, X = incomplete()
    fitted = low_rank_features(X, 0, tol=1e-9, max_iter=5000)
    np.testing.assert_allclose(fitted.of_rows(X), fitted.completed, atol=1e-4)


def test_no_two_columns_of_anything() -> None:
    X = np.full((4, 3), np.nan)
    X[0, 0] = 0.0
    fitted = low_rank_features(X, 0)
    assert (fitted.completed == 0).all()
    assert (fitted.of_rows(X) == 0).all()


def test_held_out_entries_are_observed_even_with_the_seed_that_hid_the_others() -> None:
    observed = np.random.default_rng(0).random((50, 20)) >= 0.5
    held_out = held_out_entries(observed, np.random.default_rng(0))
    assert not held_out[~observed].any()
    assert held_out.sum() == round(0.1 * observed.sum())
