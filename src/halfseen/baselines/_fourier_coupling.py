"""Labels read off random Fourier features of the completed table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines._collaborative_loss import CoupledGradient

# Rows whose Fourier features are held in memory at a time.
ROWS = 4096


class FourierCoupling(NamedTuple):
    """``Psi(U V') B`` with ``Psi(s) = D^-1/2 [cos(s F), sin(s F)]``.

    Completed features have low rank, so ``U (V' F)`` never needs them: O(n k D), not O(n d D).

    Examples
    --------
    >>> import numpy as np
    >>> coupling = FourierCoupling(np.ones((1, 1)))
    >>> coupling.answers(np.zeros((1, 1)), np.ones((1, 1)), np.array([[2.0], [5.0]]))
    array([[2.]])
    """

    frequencies: NDArray[np.float64]  # F, (n_features, n_frequencies)

    def answers(
        self, U: NDArray[np.float64], V: NDArray[np.float64], B: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Label scores of shape (n_rows, n_labels)."""
        return np.concatenate([inputs @ B for _, inputs in self._blocks(U, V)])

    def ridge(
        self,
        U: NDArray[np.float64],
        V: NDArray[np.float64],
        M: NDArray[np.float64],
        penalty: float,
    ) -> NDArray[np.float64]:
        """Ridge regression of M on the Fourier features, in O(n D^2)."""
        n_inputs = 2 * self.frequencies.shape[1]
        gram, cross = penalty * np.eye(n_inputs), np.zeros((n_inputs, M.shape[1]))
        for rows, inputs in self._blocks(U, V):
            gram += inputs.T @ inputs
            cross += inputs.T @ M[rows]
        return np.asarray(np.linalg.solve(gram, cross), dtype=np.float64)

    def gradient(
        self,
        U: NDArray[np.float64],
        V: NDArray[np.float64],
        B: NDArray[np.float64],
        M: NDArray[np.float64],
    ) -> CoupledGradient:
        """Squared distance of the answers from M, with its derivatives, in O(n k D)."""
        n_frequencies = self.frequencies.shape[1]
        projected = V.T @ self.frequencies  # (n_components, n_frequencies)
        value, of_projected = 0.0, np.zeros_like(projected)
        of_U, of_B, of_M = np.empty_like(U), np.zeros_like(B), np.empty_like(M)
        for rows, inputs in self._blocks(U, V):
            T = inputs @ B - M[rows]
            value += float(np.vdot(T, T))
            of_M[rows] = -2.0 * T
            of_B += 2.0 * inputs.T @ T
            of_inputs = 2.0 * T @ B.T
            cosine, sine = inputs[:, :n_frequencies], inputs[:, n_frequencies:]
            of_phase = of_inputs[:, n_frequencies:] * cosine - of_inputs[:, :n_frequencies] * sine
            of_U[rows] = of_phase @ projected.T
            of_projected += U[rows].T @ of_phase
        return CoupledGradient(value, of_U, self.frequencies @ of_projected.T, of_B, of_M)

    def _blocks(
        self, U: NDArray[np.float64], V: NDArray[np.float64]
    ) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        projected = V.T @ self.frequencies
        size = 1.0 / np.sqrt(self.frequencies.shape[1])
        for first in range(0, len(U), ROWS):
            rows = slice(first, first + ROWS)
            phase = U[rows] @ projected
            yield rows, size * np.concatenate([np.cos(phase), np.sin(phase)], axis=1)
