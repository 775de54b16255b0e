"""The machine's limit: products of large float32 matrices, with the threads in use."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from speed.measurement import timed

SIZES = (1024, 2048)


class MatrixPeak(NamedTuple):
    """Operations per second of the fastest product of two large square matrices."""

    by_numpy: float
    by_jax: float

    @property
    def best(self) -> float:
        """The faster of the two libraries: what every share is taken of."""
        return max(self.by_numpy, self.by_jax)


def matrix_peak(n_repeats: int = 7, sizes: tuple[int, ...] = SIZES) -> MatrixPeak:
    """The best of all sizes and repeats, by numpy's BLAS and by JAX.

    Examples
    --------
    >>> matrix_peak(1, (64,)).best > 0
    True
    """
    generator = np.random.default_rng(0)
    by_numpy, by_jax = 0.0, 0.0
    product = jax.jit(jnp.matmul)
    for size in sizes:
        matrix = generator.random((size, size), np.float32)
        on_device = jnp.asarray(matrix)
        result = np.empty_like(matrix)

        def in_numpy(matrix: np.ndarray = matrix, result: np.ndarray = result) -> None:
            np.matmul(matrix, matrix, out=result)

        def in_jax(matrix: jax.Array = on_device) -> None:
            product(matrix, matrix).block_until_ready()

        work = 2.0 * size**3
        by_numpy = max(by_numpy, work / min(timed(in_numpy, n_repeats)))
        by_jax = max(by_jax, work / min(timed(in_jax, n_repeats)))
    return MatrixPeak(by_numpy, by_jax)
