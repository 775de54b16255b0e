"""Some rows of a table, as they were written and as the machine takes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from halfseen.estimators.rbm_base import RBMBase
from halfseen.tables import Encoded, RawColumn, Schema, Table, Target, read_table, read_target


@dataclass(frozen=True)
class RowsRead:
    """Some rows of a table, as they were written and as the machine takes them.

    Attributes
    ----------
    numbers : tuple of int
        Which rows of the table, in the order of the arrays.
    encoded : Encoded
        Their visible units beside `observed`.
    raws : tuple of RawColumn or None
        Their cells, per column of the schema; None for labels that were not given.
    """

    numbers: tuple[int, ...]
    encoded: Encoded
    raws: tuple[RawColumn | None, ...]

    def cell(self, position: int, column: int) -> Any:
        """The observed cell as a plain value."""
        raw = self.raws[column]
        if raw is None:
            raise ValueError("nothing was read of this column")
        value = raw.values[position]
        if raw.is_bool:
            return bool(value)
        return value.item() if isinstance(value, np.generic) else value

    def chosen(self, positions: NDArray[np.int64]) -> RowsRead:
        """Some of the rows."""
        return RowsRead(
            tuple(self.numbers[position] for position in positions),
            Encoded(self.encoded.visible[positions], self.encoded.observed[positions]),
            tuple(raw if raw is None else _sliced((raw,), positions)[0] for raw in self.raws),
        )

    def is_hole(self, position: int, column: int) -> bool:
        """Whether the table holds nothing there; a category never seen in training is no hole."""
        raw = self.raws[column]
        return raw is None or not raw.observed[position]


def read_rows(model: RBMBase, X: Any, y: Any, rows: Iterable[int] | None) -> RowsRead:
    """Read some rows, all if ``rows`` is None, of a table and its labels.

    Parameters
    ----------
    model : HalfseenClassifier or HalfseenImputer
        A fitted model.
    X : array-like or frame of shape (n_rows, n_features)
        The table.
    y : array-like, series or frame, or None
        What is known of its labels.
    rows : iterable of int, or None
        The rows, counted from 0.

    Returns
    -------
    RowsRead

    Raises
    ------
    ValueError
        A row that the table does not have, labels for a model without labels, or a table that does
        not fit the model.
    """
    check_is_fitted(model)
    table = read_table(X)
    validate_data(model, X, reset=False, skip_check_array=True)
    schema = model.schema_
    target = None if y is None else read_known_target(schema, y)
    if target is not None and target.n_rows != table.n_rows:
        raise ValueError(
            f"X has {table.n_rows} rows, but y has {target.n_rows}: "
            "give the labels of the same rows"
        )
    numbers = checked_rows(rows, table.n_rows)
    chosen = np.array(numbers, np.int64)
    part = Table(_sliced(table.columns, chosen), table.names, len(chosen))
    known = None
    if target is not None:
        known = replace(target, columns=_sliced(target.columns, chosen), n_rows=len(chosen))
    unknown = (None,) * len(schema.targets)
    raws = (*part.columns, *(unknown if known is None else known.columns))
    return RowsRead(numbers, schema.encode(part, known), raws)


def read_known_target(schema: Schema, y: Any) -> Target:
    """What is known of the labels, as the model's kind of target."""
    if schema.target_kind is None:
        raise ValueError("this model was fitted without labels; leave y out")
    return read_target(y, schema.target_kind)  # type: ignore[arg-type]


def checked_rows(rows: Iterable[int] | None, n_rows: int) -> tuple[int, ...]:
    """Row numbers as plain integers, all of which the table has.

    Examples
    --------
    >>> checked_rows(None, 2)
    (0, 1)
    """
    if rows is None:
        return tuple(range(n_rows))
    numbers = tuple(rows)
    for row in numbers:
        is_whole = isinstance(row, Integral) and not isinstance(row, bool)
        if not is_whole or not 0 <= row < n_rows:
            raise ValueError(
                f"X has no row {row!r}: its {n_rows} rows are counted from 0 to {n_rows - 1}"
            )
    if not numbers:
        raise ValueError("no row was asked for; name at least one")
    return tuple(int(row) for row in numbers)


def _sliced(columns: Sequence[RawColumn], rows: NDArray[np.int64]) -> tuple[RawColumn, ...]:
    return tuple(
        replace(column, values=column.values[rows], observed=column.observed[rows])
        for column in columns
    )
