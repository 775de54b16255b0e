from __future__ import annotations

import numpy as np
import pytest

from halfseen.baselines.soft_impute import SoftImpute, soft_imputed


def table(n_rows: int, n_columns: int) -> np.ndarray:
    generator = np.random.default_rng(4)
    full = generator.standard_normal((n_rows, 2)) @ generator.standard_normal((2, n_columns))
    full += 0.3 * generator.standard_normal(full.shape)
    full[generator.random(full.shape) < 0.3] = np.nan
    return full


@pytest.mark.parametrize("shape", [(15, 6), (6, 15)])
def test_optimality(shape: tuple[int, int]) -> None:
    """Residuals on observed entries are a subgradient of the nuclear norm times the penalty."""
    incomplete = table(*shape)
    threshold = 0.8
    spectrum = soft_imputed(
        incomplete, np.zeros(shape), threshold, n_iterations=5000, tolerance=1e-10
    )
    matrix = spectrum.matrix()
    residual = np.where(np.isnan(incomplete), 0.0, incomplete - matrix)
    left = spectrum.left / spectrum.singular_values
    assert 0 < len(spectrum.singular_values) < min(shape)
    np.testing.assert_allclose(residual @ spectrum.right, threshold * left, atol=1e-6)
    assert np.linalg.norm(residual, 2) <= threshold + 1e-6


def test_fold_in_of_a_fitted_row_is_that_row() -> None:
    incomplete = table(60, 8)
    X, Y = incomplete[:, :6], (table(60, 8)[:, 6:] > 0).astype(float)
    Y[::2] = np.nan
    fitted = SoftImpute(tolerance=1e-9, n_iterations=5000).fit(X, Y)
    scores = fitted.complete().scores
    np.testing.assert_allclose(fitted.predict_scores(X[::2]), scores[::2], atol=1e-5)


def test_the_chosen_penalty_completes_better_than_the_ends_of_the_path() -> None:
    generator = np.random.default_rng(0)
    X = generator.standard_normal((150, 2)) @ generator.standard_normal((2, 12))
    X += 1.0 * generator.standard_normal(X.shape)
    hidden = generator.random(X.shape) < 0.4
    incomplete, Y = np.where(hidden, np.nan, X), generator.integers(0, 2, (150, 1))

    def error(method: SoftImpute) -> float:
        return float(np.mean((method.fit(incomplete, Y).complete().features - X)[hidden] ** 2))

    chosen = error(SoftImpute())
    assert chosen < 0.98 * error(SoftImpute(n_lambdas=1, smallest=0.95))
    assert chosen < 0.98 * error(SoftImpute(n_lambdas=1, smallest=0.001))


def test_a_mask_drawn_with_the_same_seed_leaves_entries_to_choose_by() -> None:
    """Hidden by the very stream a careless choice would draw from: still the same penalty."""
    factor = np.random.default_rng(9).standard_normal((200, 1))
    table = factor * np.ones((1, 11)) + 0.1
    uniform = np.random.default_rng(0).random(table.shape)
    table = np.where(uniform < 0.5, np.nan, table)
    X, Y = table[:, :10], np.where(np.isnan(table[:, 10:]), np.nan, factor > 0)
    chosen = [SoftImpute(random_state=seed).fit(X, Y).lambda_ for seed in (0, 1)]
    largest = float(SoftImpute(n_lambdas=1, smallest=0.9).fit(X, Y).lambda_)
    assert max(chosen) < 0.5 * largest
