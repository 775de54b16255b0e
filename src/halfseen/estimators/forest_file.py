"""The forest of a model as arrays, and back, trusting nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.forest import Forest
from halfseen.estimators.forest_fit import target_units
from halfseen.estimators.tree_nodes import check_nodes
from halfseen.learning.predictive_loss import PredictiveColumns
from halfseen.storage import Sealed

_TYPES: dict[str, type[np.generic]] = {
    "first_node": np.int32,
    "unit": np.int32,
    "threshold": np.float32,
    "left": np.int32,
    "right": np.int32,
    "share": np.float32,
}
_DEEPEST = 10_000  # of 20,000 rows, three in every leaf, a tree cannot be deeper


def forest_to_arrays(forest: Forest | None, prefix: str) -> dict[str, NDArray[Any]]:
    """The arrays by their names in the file; none of no forest."""
    if forest is None:
        return {}
    return {f"{prefix}forest.{name}": getattr(forest, name) for name in _TYPES}


def forest_from_arrays(
    n_trees: int, n_folds: int, sealed: Sealed, prefix: str, columns: PredictiveColumns
) -> Forest | None:
    """The forest that :func:`forest_to_arrays` wrote; None if it has no trees."""
    if not n_trees:
        return None
    arrays = {name: np.array(sealed.arrays[f"{prefix}forest.{name}"]) for name in _TYPES}
    for name, wanted in _TYPES.items():
        if arrays[name].dtype != wanted:
            raise ValueError(f"forest.{name} must be of type {np.dtype(wanted)}")
    widths = np.array([len(units) for units in target_units(columns)], np.int32)
    if not len(widths):
        raise ValueError("a forest has targets")
    forest = Forest(n_folds=n_folds, widths=widths, **arrays)
    _check_shapes(forest, n_trees)
    check_nodes(
        forest.first_node,
        forest.unit,
        forest.threshold,
        (forest.left, forest.right),
        int((~columns.is_target_unit).sum()),
        _DEEPEST,
    )
    if not np.all((forest.share >= 0) & (forest.share <= 1)):
        raise ValueError("shares are numbers from 0 to 1")
    return forest


def _check_shapes(forest: Forest, n_trees: int) -> None:
    n_nodes = len(forest.unit)
    expected = {
        "first_node": (n_trees * forest.n_folds * len(forest.widths),),
        "unit": (n_nodes,),
        "threshold": (n_nodes,),
        "left": (n_nodes,),
        "right": (n_nodes,),
        "share": (n_nodes, int(forest.widths.max())),
    }
    for name, shape in expected.items():
        if getattr(forest, name).shape != shape:
            raise ValueError(f"forest.{name} has another shape than {shape}")
