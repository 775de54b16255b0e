"""An ensemble as named arrays for a model file, and back."""

from __future__ import annotations

from typing import Any, get_type_hints

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.data.schema import Schema
from halfseen.ensemble.machine import Member, Scale, Units
from halfseen.ensemble.model import ClassPriors, Ensemble, Fold, Residuals, Stack
from halfseen.ensemble.stacking import Pool
from halfseen.ensemble.trees import Trees
from halfseen.rbm.units import layer_of

Arrays = dict[str, NDArray[Any]]


def ensemble_to_arrays(ensemble: Ensemble) -> Arrays:
    """All arrays of an ensemble; names are paths such as ``fold0.member1.parameters.weights``."""
    assert ensemble.stack is not None
    stack = ensemble.stack
    arrays = _flatten("scale", ensemble.scale)
    for f, fold in enumerate(ensemble.folds):
        for k, member in enumerate(fold.members):
            arrays |= _flatten(f"fold{f}.member{k}", member)
        if fold.class_priors is not None:
            arrays |= _flatten(f"fold{f}.classes", fold.class_priors)
        for kind in ("forests", "boosted"):
            for j, trees in getattr(fold, kind).items():
                arrays |= _flatten(f"fold{f}.{kind}{j}", trees)
    arrays |= {"stack.numbers": stack.numbers, "stack.discrete": stack.discrete}
    arrays |= _flatten("stack.residuals", stack.residuals)
    for context, pools in enumerate(stack.pools):
        for j, pool in enumerate(pools):
            arrays |= _flatten(f"stack.pool{context}.{j}", pool)
    return arrays


def ensemble_from_arrays(schema: Schema, arrays: Arrays, *, n_search: int, n_bins: int) -> Ensemble:
    """The inverse of `ensemble_to_arrays`."""
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"array {name!r} holds values that are not finite")
    units = Units(layer_of(schema), int(n_bins))
    scale = _restore(Scale, "scale", arrays)
    folds: list[Fold] = []
    while f"fold{len(folds)}.member0.prior.mean" in arrays:
        folds.append(_fold(f"fold{len(folds)}", arrays, len(schema.targets)))
    pools = [
        [_restore(Pool, f"stack.pool{context}.{j}", arrays) for j in range(len(schema.targets))]
        for context in range(2)
    ]
    residuals = _restore(Residuals, "stack.residuals", arrays)
    stack = Stack(arrays["stack.numbers"], arrays["stack.discrete"], pools, residuals)
    ensemble = Ensemble(schema, units, scale, int(n_search), folds, stack)
    _check_shapes(ensemble)
    return ensemble


def _fold(prefix: str, arrays: Arrays, n_targets: int) -> Fold:
    members: list[Member] = []
    while f"{prefix}.member{len(members)}.prior.mean" in arrays:
        members.append(_restore(Member, f"{prefix}.member{len(members)}", arrays))
    fold = Fold(members)
    if f"{prefix}.classes.log_share" in arrays:
        fold.class_priors = _restore(ClassPriors, f"{prefix}.classes", arrays)
    for kind in ("forests", "boosted"):
        for j in range(n_targets):
            if f"{prefix}.{kind}{j}.root" in arrays:
                getattr(fold, kind)[j] = _restore(Trees, f"{prefix}.{kind}{j}", arrays)
    return fold


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


def _flatten(prefix: str, value: Any) -> Arrays:
    """Leaves of nested named tuples by path."""
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        parts = [_flatten(f"{prefix}.{name}", getattr(value, name)) for name in value._fields]
        return {name: array for part in parts for name, array in part.items()}
    return {prefix: np.asarray(value)}


def _restore(kind: type[Any], prefix: str, arrays: Arrays) -> Any:
    """A named tuple from its leaves; their types are those that the class declares."""
    fields = {}
    for name, hint in get_type_hints(kind).items():
        path = f"{prefix}.{name}"
        if isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields"):
            fields[name] = _restore(hint, path, arrays)
        elif hint in (int, float, bool):
            fields[name] = hint(arrays[path])
        else:
            fields[name] = jnp.asarray(arrays[path]) if hint is jax.Array else arrays[path]
    return kind(**fields)
