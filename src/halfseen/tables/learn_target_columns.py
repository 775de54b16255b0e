"""What each target column is, learned from its observed entries."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from halfseen.tables.column import Category, Column
from halfseen.tables.learn_columns import learn_categories
from halfseen.tables.raw_column import RawColumn
from halfseen.tables.read_target import NOTHING_OBSERVED, read_target
from halfseen.tables.target import Target


def learn_target_columns(
    target: Target,
    class_units: Literal["softmax", "independent"] = "softmax",
    classes: Any = None,
) -> tuple[Column, ...]:
    """Learn what each column of a target is.

    Parameters
    ----------
    target : Target
        The training target.
    class_units : {"softmax", "independent"}, default "softmax"
        Units of a class column: one softmax group, or one independent Bernoulli unit per class
        as in the paper.
    classes : array-like of shape (n_classes,), or a sequence of them, default None
        All classes that can occur, when the target does not show them all; a sequence with one
        entry per column for outputs. Labels know theirs and ignore it.

    Returns
    -------
    tuple of Column
        One per target column: binary for labels, categorical with sorted categories otherwise.

    Warns
    -----
    UserWarning
        Names the labels of which nothing is observed; they start at one half.

    Raises
    ------
    ValueError
        Nothing is observed, a class column is wholly unknown, or a class is not in `classes`.

    Examples
    --------
    >>> from halfseen.tables import read_target
    >>> column, = learn_target_columns(read_target(["cat", None, "dog", "cat"]))
    >>> column.categories, column.unit
    (('cat', 'dog'), 'softmax')
    """
    if class_units not in ("softmax", "independent"):
        raise ValueError(
            f"Unknown class_units {class_units!r}; valid are 'softmax' and 'independent'."
        )
    if target.n_observed == 0 and classes is None:
        raise ValueError(NOTHING_OBSERVED)
    if target.kind == "labels":
        return _learn_labels(target)
    fixed = _fixed_classes(target, classes)
    return tuple(
        _learn_classes(raw, name, dtype, class_units, known)
        for raw, name, dtype, known in zip(
            target.columns, target.names, target.dtypes, fixed, strict=True
        )
    )


def _learn_labels(target: Target) -> tuple[Column, ...]:
    unknown = [
        name for raw, name in zip(target.columns, target.names, strict=True) if not raw.n_observed
    ]
    if unknown:
        listed = ", ".join(repr(name) for name in unknown)
        warnings.warn(
            f"No entry of label(s) {listed} is observed; they start at one half and can only be "
            "guessed.",
            UserWarning,
            stacklevel=3,
        )
    columns = []
    for raw, name in zip(target.columns, target.names, strict=True):
        p = float(raw.observed_values.mean(dtype=np.float64)) if raw.n_observed else 0.5
        columns.append(
            Column(name, "binary", "bernoulli", 0.0, 1.0, (), "float64", (p,), raw.n_observed)
        )
    return tuple(columns)


_Known = tuple[tuple[Category, ...], str]


def _fixed_classes(target: Target, classes: Any) -> Sequence[_Known | None]:
    if classes is None:
        return [None] * len(target.columns)
    listed = [classes] if target.kind == "classes" else list(classes)
    if len(listed) != len(target.columns):
        raise ValueError(
            f"classes has {len(listed)} entries, but y has {len(target.columns)} columns; "
            "give one array of classes per column."
        )
    return [_categories_of(one) for one in listed]


def _categories_of(classes: Any) -> _Known:
    known = read_target(classes, kind="classes")
    if known.n_observed != known.n_rows or known.n_rows == 0:
        raise ValueError("classes must list at least one class, and no missing value.")
    return _typed_categories(known.columns[0], known.dtypes[0])[0], known.dtypes[0]


def _learn_classes(
    raw: RawColumn,
    name: str,
    dtype: str,
    class_units: Literal["softmax", "independent"],
    known: _Known | None,
) -> Column:
    if known is None and raw.n_observed == 0:
        raise ValueError(
            f"Column {name!r} of y has no observed class; at least one is needed. Leave the "
            "column out, or list its classes."
        )
    seen, frequencies = _typed_categories(raw, dtype) if raw.n_observed else ((), ())
    categories, dtype = known if known is not None else (seen, dtype)
    foreign = [category for category in seen if category not in categories]
    if foreign:
        shown = ", ".join(repr(category) for category in foreign)
        listed = ", ".join(repr(category) for category in categories)
        raise ValueError(
            f"Column {name!r} of y holds {shown}, which is not among the given classes {listed}."
        )
    share = dict(zip(seen, frequencies, strict=True))
    unknown = 0.0 if seen else 1.0 / len(categories)
    marginal = tuple(share.get(category, unknown) for category in categories)
    return Column(
        name,
        "categorical",
        class_units,
        0.0,
        1.0,
        categories,
        dtype,
        marginal,
        raw.n_observed,
    )


def _typed_categories(raw: RawColumn, dtype: str) -> tuple[tuple[Category, ...], tuple[float, ...]]:
    """Categories in the Python type that their numpy type stands for."""
    categories, frequencies = learn_categories(raw.observed_values)
    if raw.is_text:
        return categories, frequencies
    python_type = {"b": bool, "i": int, "u": int, "O": int}.get(np.dtype(dtype).kind, float)
    return tuple(python_type(category) for category in categories), frequencies
