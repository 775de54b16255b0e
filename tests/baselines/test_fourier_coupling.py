from __future__ import annotations

import numpy as np
import pytest

from halfseen.baselines import _fourier_coupling
from halfseen.baselines._fourier_coupling import FourierCoupling


def example() -> tuple[FourierCoupling, list[np.ndarray]]:
    generator = np.random.default_rng(0)
    shapes = [(11, 2), (3, 2), (8, 2), (11, 2)]
    parts = [generator.standard_normal(shape) for shape in shapes]
    return FourierCoupling(generator.standard_normal((3, 4))), parts


def test_products_approach_the_gaussian_kernel() -> None:
    generator = np.random.default_rng(1)
    coupling = FourierCoupling(generator.standard_normal((2, 20_000)))
    rows = generator.standard_normal((5, 2))
    ((_, inputs),) = coupling._blocks(rows, np.eye(2))
    distance = ((rows[:, None] - rows[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(inputs @ inputs.T, np.exp(-0.5 * distance), atol=0.03)


def test_blocks_of_rows_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    coupling, (U, V, B, M) = example()
    whole = coupling.gradient(U, V, B, M), coupling.ridge(U, V, M, 0.5), coupling.answers(U, V, B)
    monkeypatch.setattr(_fourier_coupling, "ROWS", 4)
    parted = coupling.gradient(U, V, B, M), coupling.ridge(U, V, M, 0.5), coupling.answers(U, V, B)
    for one, other in zip(whole[0], parted[0], strict=True):
        np.testing.assert_allclose(one, other)
    np.testing.assert_allclose(whole[1], parted[1])
    np.testing.assert_allclose(whole[2], parted[2])


def test_ridge_is_where_the_gradient_of_B_vanishes() -> None:
    coupling, (U, V, _, M) = example()
    B = coupling.ridge(U, V, M, 0.5)
    np.testing.assert_allclose(coupling.gradient(U, V, B, M).B + 2 * 0.5 * B, 0.0, atol=1e-10)
