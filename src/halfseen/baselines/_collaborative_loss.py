"""The objective of collaborative label embedding, and its gradient."""

from __future__ import annotations

from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray


class Embedding(NamedTuple):
    """Everything that is learned: ``U V'`` are features, ``W H'`` labels, B leads across."""

    U: NDArray[np.float64]  # (n_rows, n_components)
    V: NDArray[np.float64]  # (n_features, n_components)
    W: NDArray[np.float64]  # (n_rows, n_label_components)
    H: NDArray[np.float64]  # (n_labels, n_label_components)
    B: NDArray[np.float64]  # (n_inputs, n_labels)

    def flat(self) -> NDArray[np.float64]:
        """All numbers in one vector."""
        return np.concatenate([part.ravel() for part in self])

    def like(self, flat: NDArray[np.float64]) -> Self:
        """An embedding of the same shapes, from one vector."""
        bounds = np.cumsum([part.size for part in self])[:-1]
        parts = np.split(flat, bounds)
        return type(self)(*(part.reshape(old.shape) for part, old in zip(parts, self, strict=True)))


class Penalties(NamedTuple):
    """Weights of the terms, in the order of the paper: delta, l0, l1, l2, l3."""

    label_weight: float
    features: float
    labels: float
    coupling: float
    regression: float


class CoupledGradient(NamedTuple):
    """``||S(U V') B - M||^2`` and its derivatives."""

    value: float
    U: NDArray[np.float64]
    V: NDArray[np.float64]
    B: NDArray[np.float64]
    M: NDArray[np.float64]  # (n_rows, n_labels)


class Coupling(Protocol):
    """How labels are read off completed features ``U V'``, through a matrix B."""

    def answers(
        self, U: NDArray[np.float64], V: NDArray[np.float64], B: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Label scores of shape (n_rows, n_labels)."""
        ...

    def ridge(
        self,
        U: NDArray[np.float64],
        V: NDArray[np.float64],
        M: NDArray[np.float64],
        penalty: float,
    ) -> NDArray[np.float64]:
        """The B that answers label scores M best, with a penalty on its squares."""
        ...

    def gradient(
        self,
        U: NDArray[np.float64],
        V: NDArray[np.float64],
        B: NDArray[np.float64],
        M: NDArray[np.float64],
    ) -> CoupledGradient:
        """Squared distance of the answers from label scores M, with its derivatives."""
        ...


class LinearCoupling:
    """Labels are linear in the completed features; ``U (V' B)`` never needs the features."""

    def answers(
        self, U: NDArray[np.float64], V: NDArray[np.float64], B: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """``U V' B``."""
        return np.asarray(U @ (V.T @ B))

    def ridge(
        self,
        U: NDArray[np.float64],
        V: NDArray[np.float64],
        M: NDArray[np.float64],
        penalty: float,
    ) -> NDArray[np.float64]:
        """Ridge regression of M on ``U V'``, in O(d^2 (k + d))."""
        gram = V @ (U.T @ U) @ V.T
        gram[np.diag_indices_from(gram)] += penalty
        return np.asarray(np.linalg.solve(gram, V @ (U.T @ M)), dtype=np.float64)

    def gradient(
        self,
        U: NDArray[np.float64],
        V: NDArray[np.float64],
        B: NDArray[np.float64],
        M: NDArray[np.float64],
    ) -> CoupledGradient:
        """Value and derivatives, in O((n + d) k L)."""
        G = V.T @ B  # (n_components, n_labels)
        T = U @ G - M
        of_G = 2.0 * U.T @ T
        return CoupledGradient(float(np.vdot(T, T)), 2.0 * T @ G.T, B @ of_G.T, V @ of_G, -2.0 * T)


def collaborative_loss(
    embedding: Embedding,
    features: NDArray[np.float64],
    observed_features: NDArray[np.bool_],
    labels: NDArray[np.float64],
    observed_labels: NDArray[np.bool_],
    penalties: Penalties,
    coupling: Coupling,
) -> tuple[float, Embedding]:
    """The objective and its gradient.

    Parameters
    ----------
    embedding : Embedding
        Where.
    features : ndarray of shape (n_rows, n_features)
        Standardised; any finite number where missing.
    observed_features : ndarray of bool of shape (n_rows, n_features)
        True = seen.
    labels : ndarray of shape (n_rows, n_labels)
        Centred; any finite number where unknown.
    observed_labels : ndarray of bool of shape (n_rows, n_labels)
        True = seen.
    penalties : Penalties
        Weights of the terms.
    coupling : Coupling
        From features to what B is applied to.

    Returns
    -------
    value : float
    gradient : Embedding
    """
    U, V, W, H, B = embedding
    error = U @ V.T
    error -= features
    error *= observed_features
    M = W @ H.T
    label_error = np.where(observed_labels, M - labels, 0.0)
    coupled = coupling.gradient(U, V, B, M)
    value = (
        np.vdot(error, error)
        + penalties.label_weight * np.vdot(label_error, label_error)
        + penalties.features * (np.vdot(U, U) + np.vdot(V, V))
        + penalties.labels * (np.vdot(W, W) + np.vdot(H, H))
        + penalties.coupling * coupled.value
        + penalties.regression * np.vdot(B, B)
    )
    of_M = 2.0 * penalties.label_weight * label_error + penalties.coupling * coupled.M
    return float(value), Embedding(
        2.0 * (error @ V + penalties.features * U) + penalties.coupling * coupled.U,
        2.0 * (error.T @ U + penalties.features * V) + penalties.coupling * coupled.V,
        of_M @ H + 2.0 * penalties.labels * W,
        of_M.T @ W + 2.0 * penalties.labels * H,
        penalties.coupling * coupled.B + 2.0 * penalties.regression * B,
    )
