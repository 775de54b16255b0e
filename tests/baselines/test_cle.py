"""CLE: its objective term by term, its gradient, and the pieces of its start."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import check_grad

from halfseen.baselines.cle import (
    CLE,
    Embedding,
    Table,
    balanced_factors,
    collaborative_loss,
    regression_on_product,
)

PENALTIES = (2.0, 0.3, 0.4, 0.7, 0.2)  # delta, l0, l1, l2, l3


def linear_table() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng([0, 8])
    factors = generator.standard_normal((90, 2))
    X = factors @ generator.standard_normal((2, 6))
    Y = (factors > 0).astype(float)
    Y[generator.random(Y.shape) < 0.4] = np.nan
    return np.where(generator.random(X.shape) < 0.3, np.nan, X), Y


def test_the_output_is_chosen_and_they_differ() -> None:
    X, Y = linear_table()
    fitted = CLE().fit(X, Y)
    assert fitted.output_ in ("embedding", "regression")
    both = [fitted.embedding_.scores(output) for output in ("embedding", "regression")]
    assert not np.allclose(*both)


def test_regression_scores_of_fitted_rows_are_those_of_new_rows() -> None:
    X, Y = linear_table()
    method = CLE(coupling=1e-6, max_iter=2000).fit(X, Y)
    method.output_ = "regression"
    # With next to no coupling a row's embedding depends on its features alone.
    hidden = np.isnan(Y)
    np.testing.assert_allclose(
        method.predict_scores(X)[hidden], method.complete().scores[hidden], atol=2e-3
    )


def test_ridge_solves_its_normal_equations() -> None:
    generator = np.random.default_rng(0)
    U, V, M = (generator.standard_normal(shape) for shape in [(9, 2), (5, 2), (9, 3)])
    B = regression_on_product(U, V, M, 0.5)
    product = U @ V.T
    np.testing.assert_allclose(product.T @ (product @ B - M) + 0.5 * B, 0.0, atol=1e-10)


def test_balanced_factors_give_the_leading_part() -> None:
    generator = np.random.default_rng(0)
    table = 50 * generator.standard_normal((30, 2)) @ generator.standard_normal((2, 8))
    left, right = balanced_factors(table, 4, generator)
    assert left.shape == (30, 4)
    np.testing.assert_allclose(left @ right.T, table, atol=3.0)
    np.testing.assert_allclose(np.linalg.norm(left), np.linalg.norm(right), rtol=0.01)


@pytest.mark.parametrize("wrong", [{"n_components": 0}, {"coupling": 0.0}, {"label_weight": -1.0}])
def test_settings_out_of_range(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        CLE(**wrong).fit([[1.0], [2.0]], [[0.0], [1.0]])


def example() -> tuple[Embedding, Table]:
    generator = np.random.default_rng(0)
    shapes = [(6, 3), (4, 3), (6, 2), (2, 2), (4, 2)]
    embedding = Embedding(*(generator.standard_normal(shape) for shape in shapes))
    X, Y = generator.standard_normal((6, 4)), generator.standard_normal((6, 2))
    seen_x, seen_y = (generator.random(part.shape) < 0.6 for part in (X, Y))
    return embedding, Table(X, seen_x, Y, seen_y)


def test_gradient() -> None:
    embedding, table = example()

    def loss(flat: np.ndarray) -> tuple[float, Embedding]:
        return collaborative_loss(embedding.like(flat), table, PENALTIES)

    error = check_grad(lambda f: loss(f)[0], lambda f: loss(f)[1].flat(), embedding.flat())
    assert error < 1e-4 * np.linalg.norm(loss(embedding.flat())[1].flat())


def test_value_term_by_term() -> None:
    (U, V, W, H, B), (X, seen_x, Y, seen_y) = example()
    expected = (
        np.sum((X - U @ V.T)[seen_x] ** 2)
        + 2.0 * np.sum((Y - W @ H.T)[seen_y] ** 2)
        + 0.3 * (np.sum(U**2) + np.sum(V**2))
        + 0.4 * (np.sum(W**2) + np.sum(H**2))
        + 0.7 * np.sum((U @ V.T @ B - W @ H.T) ** 2)
        + 0.2 * np.sum(B**2)
    )
    embedding = Embedding(U, V, W, H, B)
    value, _ = collaborative_loss(embedding, Table(X, seen_x, Y, seen_y), PENALTIES)
    assert value == pytest.approx(expected)


def test_hidden_entries_are_not_read() -> None:
    embedding, (X, seen_x, Y, seen_y) = example()
    other_x, other_y = np.where(seen_x, X, 99.0), np.where(seen_y, Y, -99.0)
    first = collaborative_loss(embedding, Table(X, seen_x, Y, seen_y), PENALTIES)
    second = collaborative_loss(embedding, Table(other_x, seen_x, other_y, seen_y), PENALTIES)
    assert first[0] == second[0]
    np.testing.assert_array_equal(first[1].flat(), second[1].flat())


def test_embedding_flat_and_back() -> None:
    embedding, _ = example()
    for part, again in zip(embedding, embedding.like(embedding.flat()), strict=True):
        np.testing.assert_array_equal(part, again)
