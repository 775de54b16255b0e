from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad

from halfseen.baselines._collaborative_loss import (
    Coupling,
    Embedding,
    LinearCoupling,
    Penalties,
    collaborative_loss,
)
from halfseen.baselines._fourier_coupling import FourierCoupling

PENALTIES = Penalties(2.0, 0.3, 0.4, 0.7, 0.2)


def example(
    n_inputs: int,
) -> tuple[Embedding, tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]]:
    generator = np.random.default_rng(0)
    shapes = [(6, 3), (4, 3), (6, 2), (2, 2), (n_inputs, 2)]
    embedding = Embedding(*(generator.standard_normal(shape) for shape in shapes))
    X, Y = generator.standard_normal((6, 4)), generator.standard_normal((6, 2))
    return embedding, (X, generator.random(X.shape) < 0.6, Y, generator.random(Y.shape) < 0.6)


FOURIER = FourierCoupling(np.random.default_rng(1).standard_normal((4, 5)))


@pytest.mark.parametrize(("coupling", "n_inputs"), [(LinearCoupling(), 4), (FOURIER, 10)])
def test_gradient(coupling: Coupling, n_inputs: int) -> None:
    embedding, table = example(n_inputs)

    def loss(flat: np.ndarray) -> tuple[float, Embedding]:
        return collaborative_loss(embedding.like(flat), *table, PENALTIES, coupling)

    error = check_grad(lambda f: loss(f)[0], lambda f: loss(f)[1].flat(), embedding.flat())
    assert error < 1e-4 * np.linalg.norm(loss(embedding.flat())[1].flat())


def test_value_term_by_term() -> None:
    (U, V, W, H, B), (X, seen_x, Y, seen_y) = example(4)
    expected = (
        np.sum((X - U @ V.T)[seen_x] ** 2)
        + 2.0 * np.sum((Y - W @ H.T)[seen_y] ** 2)
        + 0.3 * (np.sum(U**2) + np.sum(V**2))
        + 0.4 * (np.sum(W**2) + np.sum(H**2))
        + 0.7 * np.sum((U @ V.T @ B - W @ H.T) ** 2)
        + 0.2 * np.sum(B**2)
    )
    embedding = Embedding(U, V, W, H, B)
    value, _ = collaborative_loss(embedding, X, seen_x, Y, seen_y, PENALTIES, LinearCoupling())
    assert value == pytest.approx(expected)


def test_hidden_entries_are_not_read() -> None:
    embedding, (X, seen_x, Y, seen_y) = example(4)
    other_x, other_y = np.where(seen_x, X, 99.0), np.where(seen_y, Y, -99.0)
    first = collaborative_loss(embedding, X, seen_x, Y, seen_y, PENALTIES, LinearCoupling())
    second = collaborative_loss(
        embedding, other_x, seen_x, other_y, seen_y, PENALTIES, LinearCoupling()
    )
    assert first[0] == second[0]
    np.testing.assert_array_equal(first[1].flat(), second[1].flat())


def test_flat_and_back() -> None:
    embedding, _ = example(4)
    for part, again in zip(embedding, embedding.like(embedding.flat()), strict=True):
        np.testing.assert_array_equal(part, again)
