"""The Gaussians of the classes of a model as arrays, and back, trusting nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.learning.predictive_loss import PredictiveColumns
from halfseen.machine.class_gaussians import ClassGaussians
from halfseen.storage import Sealed

_NAMES = ("share", "mean", "covariance")
_LARGEST = 1e9
_LEAST_SIZE = 1e-9  # of a covariance, in any direction
_SMALLEST_SHARE = 1e-12


def gaussians_to_arrays(gaussians: ClassGaussians | None, prefix: str) -> dict[str, NDArray[Any]]:
    """The arrays by their names in the file; none of no Gaussians."""
    if gaussians is None:
        return {}
    return {
        f"{prefix}gaussians.{name}": np.asarray(getattr(gaussians, name), np.float64)
        for name in _NAMES
    }


def gaussians_from_arrays(
    n_gaussians: int, sealed: Sealed, prefix: str, columns: PredictiveColumns
) -> ClassGaussians | None:
    """The Gaussians that :func:`gaussians_to_arrays` wrote; None if there are none."""
    if not n_gaussians:
        return None
    n_units = int((~columns.is_target_unit).sum())
    if columns.n_targets != 1 or n_gaussians != max(2, int(columns.is_target_unit.sum())):
        raise ValueError("Gaussians are those of the classes of one target column")
    shapes: dict[str, tuple[int, ...]] = {
        "share": (n_gaussians,),
        "mean": (n_gaussians, n_units),
        "covariance": (n_gaussians, n_units, n_units),
    }
    arrays = {name: np.array(sealed.arrays[f"{prefix}gaussians.{name}"]) for name in _NAMES}
    for name, shape in shapes.items():
        if arrays[name].shape != shape or arrays[name].dtype != np.float64:
            raise ValueError(f"gaussians.{name} must be numbers of shape {shape}")
        if not np.all(np.abs(arrays[name]) <= _LARGEST):
            raise ValueError(f"gaussians.{name} must be numbers within {_LARGEST:g}")
    if np.any(arrays["share"] < _SMALLEST_SHARE) or not np.isclose(arrays["share"].sum(), 1.0):
        raise ValueError("shares of classes are positive and have the sum one")
    _check_covariances(arrays["covariance"])
    return ClassGaussians(**arrays)


def _check_covariances(covariance: NDArray[np.float64]) -> None:
    if not np.allclose(covariance, covariance.swapaxes(1, 2), rtol=1e-6, atol=1e-9):
        raise ValueError("a covariance is symmetric")
    if np.linalg.eigvalsh(covariance).min() < _LEAST_SIZE:
        raise ValueError("a covariance is positive definite")
