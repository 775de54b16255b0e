import numpy as np
import pytest

from halfseen.tables.turned import turned


@pytest.mark.parametrize("shape", [(1, 1), (3, 700), (700, 3), (300, 513), (0, 4)])
def test_equals_the_transpose_and_is_contiguous(shape: tuple[int, int]) -> None:
    matrix = np.arange(shape[0] * shape[1]).reshape(shape)
    side = turned(matrix, np.float64)
    np.testing.assert_array_equal(side, matrix.T)
    assert side.flags.c_contiguous
    assert side.dtype == np.float64
