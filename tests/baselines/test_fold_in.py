from __future__ import annotations

import numpy as np

from halfseen.baselines._fold_in import fold_in


def test_every_row_is_a_ridge_regression_on_what_it_shows() -> None:
    generator = np.random.default_rng(0)
    V, X = generator.standard_normal((6, 3)), generator.standard_normal((40, 6))
    X[generator.random(X.shape) < 0.5] = np.nan
    X[7], X[8] = np.nan, 1.0
    embeddings = fold_in(V, 0.7, X)
    for row, embedding in zip(X, embeddings, strict=True):
        seen = ~np.isnan(row)
        gradient = V[seen].T @ (V[seen] @ embedding - row[seen]) + 0.7 * embedding
        np.testing.assert_allclose(gradient, 0.0, atol=1e-10)
    assert not embeddings[7].any()


def test_order_of_rows_does_not_matter() -> None:
    generator = np.random.default_rng(1)
    V, X = generator.standard_normal((9, 2)), generator.standard_normal((30, 9))
    X[generator.random(X.shape) < 0.2] = np.nan
    order = generator.permutation(30)
    np.testing.assert_allclose(fold_in(V, 1.0, X)[order], fold_in(V, 1.0, X[order]), rtol=1e-12)
