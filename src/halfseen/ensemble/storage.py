"""An ensemble as named arrays for a model file, and back."""

from __future__ import annotations

from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.data.schema import Schema
from halfseen.ensemble.machine import Scale, Units
from halfseen.ensemble.model import Ensemble, Fold, Stack
from halfseen.rbm.units import layer_of

Arrays = dict[str, NDArray[Any]]

_STORED = {"n_search": int, "seed": int, "scale": Scale, "folds": list[Fold], "stack": Stack}


def ensemble_to_arrays(ensemble: Ensemble) -> Arrays:
    """All arrays of an ensemble; names are paths such as ``folds.0.members.1.prior.mean``."""
    tree = {name: getattr(ensemble, name) for name in _STORED}
    leaves = jax.tree_util.tree_leaves_with_path(tree)
    return {jax.tree_util.keystr(p, simple=True, separator="."): np.asarray(a) for p, a in leaves}


def ensemble_from_arrays(schema: Schema, arrays: Arrays) -> Ensemble:
    """The inverse of `ensemble_to_arrays`; other arrays are left alone."""
    tree: dict[str, Any] = {}
    for path, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"array {path!r} holds values that are not finite")
        *parents, name = path.split(".")
        node = tree
        for parent in parents:
            node = node.setdefault(parent, {})
        node[name] = array
    parts = {name: _restored(kind, tree[name]) for name, kind in _STORED.items()}
    stack = parts.pop("stack")
    units = Units(layer_of(schema), len(parts["scale"].centres))
    ensemble = Ensemble(schema, units, **parts)
    ensemble.stack = stack
    _check_shapes(ensemble)
    return ensemble


def _restored(kind: Any, node: Any) -> Any:
    """A value of a declared type from a tree of arrays; None and what is empty have none."""
    of, origin = get_args(kind), get_origin(kind)
    if origin is UnionType:
        return _restored(of[0], node) if node else None
    if origin is list:
        return [_restored(of[0], node[str(place)]) for place in range(len(node))]
    if origin is dict:
        return {int(key): _restored(of[1], part) for key, part in node.items()}
    if hasattr(kind, "_fields"):
        hints = get_type_hints(kind)
        return kind(**{name: _restored(hint, node.get(name, {})) for name, hint in hints.items()})
    if not isinstance(node, np.ndarray):
        raise ValueError("arrays of the ensemble are missing")
    if kind is jax.Array:
        return jnp.asarray(node)
    return kind(node) if kind in (int, float, bool) else node


def _check_shapes(ensemble: Ensemble) -> None:
    units, scale = ensemble.units, ensemble.scale
    for fold in ensemble.folds:
        for member in fold.members:
            if member.parameters.weights.shape[0] != units.n_wide:
                raise ValueError("weights of a machine do not match the columns")
        for trees in (*fold.forests.values(), *fold.boosted.values()):
            children = np.concatenate([trees.left, trees.right, trees.root])
            if children.size and not (children.min() >= 0 and children.max() < len(trees.feature)):
                raise ValueError("children of a tree lie outside of it")
    if not ensemble.folds or scale.mean.shape != (units.layer.n_units,):
        raise ValueError("arrays of the ensemble do not match the columns")
