"""Raw columns written into rows of visible units."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.tables.column import Column
from halfseen.tables.learn_columns import numbers_of
from halfseen.tables.raw_column import RawColumn

_SHOWN = 5


def write_column(
    column: Column,
    raw: RawColumn,
    units: NDArray[np.float32],
    observed: NDArray[np.bool_],
) -> tuple[str, ...]:
    """Write one raw column into its visible units.

    Parameters
    ----------
    column : Column
        The learned column.
    raw : RawColumn
        What was read for it.
    units : ndarray of float32, shape (n_units, n_rows)
        Zeros, written in place.
    observed : ndarray of bool, shape (n_units, n_rows)
        False everywhere, written in place.

    Returns
    -------
    tuple of str
        What training has never seen, printed, and what therefore counts as missing: categories,
        numbers outside 0 to 1 in a binary column, and numbers below 0 in one on a log scale.

    Raises
    ------
    ValueError
        Text where numbers belong.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen.tables import learn_columns, read_table
    >>> table = read_table([["red"], ["blue"], [None]])
    >>> units, observed = np.zeros((2, 3), np.float32), np.zeros((2, 3), bool)
    >>> write_column(learn_columns(table)[0], table.columns[0], units, observed)
    ()
    >>> units
    array([[0., 1., 0.],
           [1., 0., 0.]], dtype=float32)
    """
    if column.kind == "empty":
        return ()
    if column.kind == "categorical":
        return _write_categories(column, raw, units, observed)
    values = numbers_of(raw, column.name)
    if column.kind == "binary":
        return _write_binary(raw, values, units, observed)
    if column.transform == "log":
        return _write_log(column, raw, values, units, observed)
    values = column.standardised(values)
    np.copyto(units[0], values, where=raw.observed, casting="same_kind")
    observed[0] = raw.observed
    return ()


def warn_unseen(unseen: Iterable[tuple[str, tuple[str, ...]]]) -> None:
    """Warn once about all values that training has never seen and that count as missing.

    Parameters
    ----------
    unseen : iterable of (str, tuple of str)
        Column name and printed values.

    Warns
    -----
    UserWarning
        Names columns and values, when there are any.

    Examples
    --------
    >>> warn_unseen([("colour", ())])
    """
    parts = []
    for name, values in unseen:
        if values:
            more = f" and {len(values) - _SHOWN} more" if len(values) > _SHOWN else ""
            parts.append(f"column {name!r}: {', '.join(values[:_SHOWN])}{more}")
    if parts:
        warnings.warn(
            "Categories never seen in training, numbers outside 0 to 1 in a binary column, and "
            "numbers below 0 in a column on a log scale, count as missing; "
            f"{'; '.join(parts)}.",
            UserWarning,
            stacklevel=3,
        )


def _write_binary(
    raw: RawColumn,
    values: NDArray[np.floating[Any]],
    units: NDArray[np.float32],
    observed: NDArray[np.bool_],
) -> tuple[str, ...]:
    """A column that happened to hold only 0 and 1 in training may hold more later on."""
    within = raw.observed & (values >= 0.0) & (values <= 1.0)
    np.copyto(units[0], values, where=within, casting="same_kind")
    observed[0] = within
    strangers = values[raw.observed & ~within].tolist()
    return tuple(repr(value) for value in dict.fromkeys(strangers))


def _write_log(
    column: Column,
    raw: RawColumn,
    values: NDArray[np.floating[Any]],
    units: NDArray[np.float32],
    observed: NDArray[np.bool_],
) -> tuple[str, ...]:
    """A column that happened to hold nothing below 0 in training may do so later on."""
    within = raw.observed & (values >= 0.0)
    np.copyto(units[0], column.standardised(values), where=within)
    observed[0] = within
    strangers = values[raw.observed & ~within].tolist()
    return tuple(repr(value) for value in dict.fromkeys(strangers))


def _write_categories(
    column: Column,
    raw: RawColumn,
    units: NDArray[np.float32],
    observed: NDArray[np.bool_],
) -> tuple[str, ...]:
    codes = column.codes(raw)
    rows = np.flatnonzero(codes >= 0)
    units[codes[rows], rows] = 1.0
    observed[:, rows] = True
    strangers = raw.values[raw.observed & (codes < 0)].tolist()
    return tuple(repr(value) for value in dict.fromkeys(strangers))
