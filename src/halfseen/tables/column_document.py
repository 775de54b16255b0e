"""A learned column as a document of plain values, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from halfseen.tables.column import Category, Column

_CATEGORY_TYPES: dict[str, type[Any]] = {"str": str, "int": int, "float": float, "bool": bool}
_FIELDS = (
    "name",
    "kind",
    "unit",
    "mean",
    "scale",
    "categories",
    "category_dtype",
    "marginal",
    "n_observed",
    "transform",
)


def column_to_document(column: Column) -> dict[str, Any]:
    """Write a column as plain values that JSON can hold without loss.

    Parameters
    ----------
    column : Column
        The column.

    Returns
    -------
    dict
        Text, finite numbers and lists; every category carries the name of its type.

    Examples
    --------
    >>> size = Column("size", "numeric", "gaussian", 10.0, 2.0, (), "float64", (0.0,), 9)
    >>> column_to_document(size)["scale"]
    2.0
    """
    return {
        "name": column.name,
        "kind": column.kind,
        "unit": column.unit,
        "mean": column.mean,
        "scale": column.scale,
        "categories": [[type(value).__name__, value] for value in column.categories],
        "category_dtype": column.category_dtype,
        "marginal": list(column.marginal),
        "n_observed": column.n_observed,
        "transform": column.transform,
    }


def column_from_document(document: Any) -> Column:
    """Read a column from a document, trusting nothing in it.

    Parameters
    ----------
    document : dict
        As `column_to_document` wrote it.

    Returns
    -------
    Column
        The same column.

    Raises
    ------
    ValueError
        The document is no column.

    Examples
    --------
    >>> size = Column("size", "numeric", "gaussian", 10.0, 2.0, (), "float64", (0.0,), 9)
    >>> column_from_document(column_to_document(size)) == size
    True
    """
    if not isinstance(document, dict) or set(document) != set(_FIELDS):
        raise ValueError(f"A column document must have exactly the fields {', '.join(_FIELDS)}.")
    return Column(
        name=_text(document, "name"),
        kind=_text(document, "kind"),  # type: ignore[arg-type]
        unit=_text(document, "unit"),  # type: ignore[arg-type]
        mean=_number(document["mean"], "mean"),
        scale=_number(document["scale"], "scale"),
        categories=_tuple(document, "categories", _category),
        category_dtype=_text(document, "category_dtype"),
        marginal=_tuple(document, "marginal", lambda value: _number(value, "marginal")),
        n_observed=_whole(document, "n_observed"),
        transform=_text(document, "transform"),  # type: ignore[arg-type]
    )


def _text(document: dict[str, Any], field: str) -> str:
    value = document[field]
    if not isinstance(value, str):
        raise ValueError(f"Column field {field!r} must be text, not {value!r}.")
    return value


def _number(value: Any, field: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"Column field {field!r} must hold numbers, not {value!r}.")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"Column field {field!r} holds a number too large.") from None


def _whole(document: dict[str, Any], field: str) -> int:
    value = document[field]
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f"Column field {field!r} must be a whole number, not {value!r}.")
    return value


def _tuple(document: dict[str, Any], field: str, read: Callable[[Any], Any]) -> tuple[Any, ...]:
    value = document[field]
    if not isinstance(value, list | tuple):
        raise ValueError(f"Column field {field!r} must be a list, not {value!r}.")
    return tuple(read(entry) for entry in value)


def _category(entry: Any) -> Category:
    if not isinstance(entry, list | tuple) or len(entry) != 2:
        raise ValueError(f"A category must be a pair of type and value, not {entry!r}.")
    name, value = entry
    known = _CATEGORY_TYPES.get(name) if isinstance(name, str) else None
    if known is None or type(value) is not known or value != value:
        raise ValueError(f"A category must be text, a number or a truth value, not {entry!r}.")
    category: Category = value
    return category
