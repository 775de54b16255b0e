from __future__ import annotations

import numpy as np
import pytest

from halfseen.baselines._shrunk_spectrum import leading_singular_value, shrunk_spectrum


@pytest.mark.parametrize("shape", [(9, 4), (4, 9), (5, 5), (1, 3), (3, 1)])
@pytest.mark.parametrize("threshold", [0.0, 0.5, 2.0, 100.0])
def test_equals_the_full_decomposition(shape: tuple[int, int], threshold: float) -> None:
    A = np.random.default_rng(0).standard_normal(shape)
    left, values, right = np.linalg.svd(A, full_matrices=False)
    shrunk = np.maximum(values - threshold, 0.0)
    spectrum = shrunk_spectrum(A, threshold)
    np.testing.assert_allclose(spectrum.matrix(), (left * shrunk) @ right, atol=1e-10)
    np.testing.assert_allclose(spectrum.singular_values, shrunk[shrunk > 0], atol=1e-10)
    rank = len(spectrum.singular_values)
    np.testing.assert_allclose(spectrum.right.T @ spectrum.right, np.eye(rank), atol=1e-10)
    assert leading_singular_value(A) == pytest.approx(values[0])


def test_nothing_but_zeros() -> None:
    assert shrunk_spectrum(np.zeros((4, 3)), 0.0).matrix().tolist() == np.zeros((4, 3)).tolist()
    assert leading_singular_value(np.zeros((4, 3))) == 0.0


def test_low_rank_stays_low() -> None:
    generator = np.random.default_rng(1)
    A = generator.standard_normal((50, 2)) @ generator.standard_normal((2, 20))
    assert len(shrunk_spectrum(A, 0.0).singular_values) == 2
