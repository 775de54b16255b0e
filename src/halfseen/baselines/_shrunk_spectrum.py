"""The proximal map of the nuclear norm, through the smaller of the two Gram matrices."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class ShrunkSpectrum(NamedTuple):
    """A matrix ``left @ right.T`` of low rank, and its singular values."""

    left: NDArray[np.float64]  # (n_rows, rank), orthogonal columns times the singular values
    right: NDArray[np.float64]  # (n_columns, rank), orthonormal columns
    singular_values: NDArray[np.float64]  # (rank,), all positive

    def matrix(self) -> NDArray[np.float64]:
        """The matrix itself, of shape (n_rows, n_columns)."""
        return self.left @ self.right.T


def shrunk_spectrum(A: NDArray[np.float64], threshold: float) -> ShrunkSpectrum:
    """Minimiser of ``1/2 ||Z - A||^2 + threshold ||Z||_*``.

    Every singular value is made smaller by the threshold, and dropped if nothing is left. Costs one
    product with the smaller Gram matrix and its eigenvalues, so a tall or wide table never meets a
    full singular value decomposition. Singular values below 1e-7 of the largest are noise there,
    and dropped as well.

    Parameters
    ----------
    A : ndarray of shape (n_rows, n_columns)
        Any matrix.
    threshold : float
        What is taken off each singular value, zero or more.

    Returns
    -------
    ShrunkSpectrum

    Examples
    --------
    >>> import numpy as np
    >>> shrunk_spectrum(np.diag([3.0, 1.0]), 2.0).matrix()
    array([[1., 0.],
           [0., 0.]])
    """
    if A.shape[0] < A.shape[1]:
        turned = shrunk_spectrum(A.T, threshold)
        kept = turned.singular_values
        return ShrunkSpectrum(turned.right * kept, turned.left / kept, kept)
    eigenvalues, vectors = np.linalg.eigh(A.T @ A)
    values = np.sqrt(np.maximum(eigenvalues, 0.0))[::-1]
    vectors = vectors[:, ::-1]
    kept = (values > threshold) & (values > 1e-7 * values[0])
    right, kept_values = vectors[:, kept], values[kept]
    shrunk = kept_values - threshold
    return ShrunkSpectrum((A @ right) * (shrunk / kept_values), right, shrunk)


def leading_singular_value(A: NDArray[np.float64]) -> float:
    """The largest singular value.

    Examples
    --------
    >>> import numpy as np
    >>> leading_singular_value(np.diag([3.0, 1.0]))
    3.0
    """
    gram = A.T @ A if A.shape[0] >= A.shape[1] else A @ A.T
    return float(np.sqrt(max(np.linalg.eigvalsh(gram)[-1], 0.0)))
