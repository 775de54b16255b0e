"""The boosted trees of a model as arrays, and back, trusting nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.boosted_trees import BoostedTrees
from halfseen.estimators.tree_nodes import check_nodes
from halfseen.learning.predictive_loss import PredictiveColumns
from halfseen.storage import Sealed

_TYPES: dict[str, type[np.generic]] = {
    "base": np.float64,
    "first_node": np.int32,
    "unit": np.int32,
    "threshold": np.float32,
    "left": np.int32,
    "right": np.int32,
    "value": np.float32,
}
_OF_NODES = ("unit", "threshold", "left", "right", "value")
_DEEPEST = 100
_LARGEST = 1e6


def boosted_to_arrays(boosted: BoostedTrees | None, prefix: str) -> dict[str, NDArray[Any]]:
    """The arrays by their names in the file; none of no trees."""
    if boosted is None:
        return {}
    return {
        f"{prefix}boosted.{name}": np.asarray(getattr(boosted, name), kind)
        for name, kind in _TYPES.items()
    }


def boosted_from_arrays(
    n_trees: int, sealed: Sealed, prefix: str, columns: PredictiveColumns
) -> BoostedTrees | None:
    """The trees that :func:`boosted_to_arrays` wrote; None if there are none."""
    if not n_trees:
        return None
    n_target_units = int(columns.is_target_unit.sum())
    n_heights = 1 if n_target_units <= 2 else n_target_units
    if columns.n_targets != 1 or n_trees % n_heights:
        raise ValueError("boosted trees are those of the classes of one target column")
    arrays = {name: np.array(sealed.arrays[f"{prefix}boosted.{name}"]) for name in _TYPES}
    n_nodes = arrays["unit"].size
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(_OF_NODES, (n_nodes,))
    shapes |= {"base": (n_heights,), "first_node": (n_trees,)}
    for name, kind in _TYPES.items():
        if arrays[name].dtype != kind or arrays[name].shape != shapes[name]:
            raise ValueError(f"boosted.{name} must be {np.dtype(kind)} of shape {shapes[name]}")
    for name in ("base", "value"):
        if not np.all(np.abs(arrays[name]) <= _LARGEST):
            raise ValueError(f"boosted.{name} must be numbers within {_LARGEST:g}")
    boosted = BoostedTrees(**arrays)
    check_nodes(
        boosted.first_node,
        boosted.unit,
        boosted.threshold,
        (boosted.left, boosted.right),
        int((~columns.is_target_unit).sum()),
        _DEEPEST,
    )
    return boosted
