"""Probabilities of targets in the forms that users take them in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.tables import Schema

_SMALLEST_PROBABILITY = 1e-7


def decided(
    schema: Schema, probabilities: list[NDArray[np.float64]], thresholds: NDArray[np.float64]
) -> NDArray[Any]:
    """Labels above their thresholds; of classes the most probable."""
    if schema.target_kind == "labels":
        labels: NDArray[Any] = (np.stack(probabilities, axis=1) > thresholds).astype(np.int64)
        return labels
    chosen = [
        column.classes[np.argmax(probability, axis=1)]
        for column, probability in zip(schema.targets, probabilities, strict=True)
    ]
    if schema.target_kind == "classes":
        return np.asarray(chosen[0])
    dtypes = {column.dtype for column in chosen}
    common = dtypes.pop() if len(dtypes) == 1 else np.dtype(object)
    return np.stack([column.astype(common) for column in chosen], axis=1)


def arranged(schema: Schema, probabilities: list[NDArray[np.float64]]) -> Any:
    """As of ``predict_proba``: no probability is 0 or 1, and those of classes sum to one."""
    inner = [
        np.clip(probability, _SMALLEST_PROBABILITY, 1 - _SMALLEST_PROBABILITY)
        for probability in probabilities
    ]
    if schema.target_kind == "labels":
        return stacked(schema, inner)
    return stacked(schema, [p / p.sum(axis=1, keepdims=True) for p in inner])


def stacked(schema: Schema, of_columns: list[NDArray[np.float64]]) -> Any:
    """One array for labels and for one class column; a list of arrays for several."""
    if schema.target_kind == "labels":
        return np.stack(of_columns, axis=1)
    return of_columns[0] if schema.target_kind == "classes" else of_columns


def classes_of(schema: Schema) -> Any:
    """One array for classes; for labels and several outputs a list of arrays."""
    if schema.target_kind == "labels":
        return [np.array([0, 1]) for _ in schema.targets]
    of_column = [column.classes for column in schema.targets]
    return of_column[0] if schema.target_kind == "classes" else of_column
