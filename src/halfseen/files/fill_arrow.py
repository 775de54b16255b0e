"""Write values into the holes of an Arrow column, in its own type."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from halfseen.files.arrow_kind import is_text
from halfseen.files.parse_numbers import are_numbers

# Told the place in the array and the value that the type cannot hold, or None for both.
Refusal = Callable[[int | None, str], Exception]
_TRUE: Final = ("true", "1", "yes", "1.0")
_FALSE: Final = ("false", "0", "no", "0.0")


def fill_arrow(
    column: pa.Array, chosen: NDArray[np.bool_], values: pa.Array, refuse: Refusal
) -> pa.Array:
    """Write values into the holes of a column that is no dictionary.

    Parameters
    ----------
    column : pyarrow.Array
        The column.
    chosen : ndarray of bool
        Holes to fill.
    values : pyarrow.Array
        One value per row; those of chosen rows are not null.
    refuse : callable
        Makes the error for a value that the type of the column cannot hold.

    Returns
    -------
    pyarrow.Array
        The same type; all rows but the chosen as they were.

    Examples
    --------
    >>> fill_arrow(pa.array([1, None], pa.int8()), np.array([False, True]),
    ...            pa.array([0.0, 300.6]), lambda row, shown: ValueError(shown)).to_pylist()
    [1, 127]
    """
    rows = np.flatnonzero(chosen)
    if not rows.size:
        return column

    def refuse_one(place: int | None, shown: str) -> Exception:
        return refuse(None if place is None else int(rows[place]), shown)

    new = as_type(values.take(pa.array(rows)), column.type, refuse_one)
    if pa.types.is_string_view(column.type):  # few functions know views
        text = pc.replace_with_mask(
            column.cast(pa.string()), pa.array(chosen), new.cast(pa.string())
        )
        return text.cast(column.type)
    try:
        return pc.replace_with_mask(column, pa.array(chosen), new)
    except pa.ArrowNotImplementedError:
        return _replaced(column, rows, new)


def fill_dictionary(
    column: pa.DictionaryArray,
    chosen: NDArray[np.bool_],
    values: pa.Array,
    known: pa.Array | None,
    refuse: Refusal,
) -> pa.DictionaryArray:
    """Write values into the holes of a dictionary column; new words go behind the known ones.

    Parameters
    ----------
    column : pyarrow.DictionaryArray
        The column.
    chosen, values, refuse
        As in `fill_arrow`.
    known : pyarrow.Array or None
        Words of the batches before, which keep their places.

    Returns
    -------
    pyarrow.DictionaryArray
        The same type; all rows but the chosen as they were.

    Examples
    --------
    >>> fill_dictionary(pa.array(["a", None]).dictionary_encode(), np.array([False, True]),
    ...                 pa.array(["b", "c"]), None, lambda row, shown: ValueError(shown)
    ...                 ).to_pylist()
    ['a', 'c']
    """
    kind = column.type
    rows = np.flatnonzero(chosen)

    def refuse_one(place: int | None, shown: str) -> Exception:
        return refuse(None if place is None else int(rows[place]), shown)

    new = as_type(values.take(pa.array(rows)), kind.value_type, refuse_one)
    words = column.dictionary if known is None else known
    for more in (column.dictionary, pc.unique(new)):
        unknown = pc.is_in(more, value_set=words)
        words = pa.concat_arrays([words, more.filter(pc.invert(unknown))])
    if len(words) > np.iinfo(kind.index_type.to_pandas_dtype()).max:
        raise refuse(None, f"the {len(words)}th category")
    moved = pc.index_in(column.dictionary, value_set=words)
    filled = _replaced(moved.take(column.indices), rows, pc.index_in(new, value_set=words))
    return pa.DictionaryArray.from_arrays(
        pc.cast(filled, kind.index_type), words, ordered=kind.ordered
    )


def as_type(values: pa.Array, kind: pa.DataType, refuse: Refusal) -> pa.Array:
    """Values in another type: whole numbers are rounded and kept in range.

    Parameters
    ----------
    values : pyarrow.Array
        Without null.
    kind : pyarrow.DataType
        The type wanted.
    refuse : callable
        Makes the error for a value that the type cannot hold.

    Returns
    -------
    pyarrow.Array
        Of this type.

    Examples
    --------
    >>> as_type(pa.array(["yes", "no"]), pa.bool_(), lambda row, shown: ValueError(shown)
    ...         ).to_pylist()
    [True, False]
    """
    types = pa.types
    if values.type == kind:
        return values
    try:
        if types.is_boolean(kind):
            return _truths(values, refuse)
        if types.is_integer(kind):
            if types.is_integer(values.type):
                return _clipped(values, kind)
            return _whole(_numbers(values, refuse), kind)
        if types.is_floating(kind):
            return pc.cast(pa.array(_numbers(values, refuse)), kind, safe=False)
        if types.is_decimal(kind):
            return _decimals(_numbers(values, refuse), kind)
        if is_text(kind) or types.is_temporal(kind):
            return pc.cast(values, kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        pass
    raise refuse(0 if len(values) else None, str(values[0].as_py()) if len(values) else "a value")


def _replaced(column: pa.Array, rows: NDArray[np.int64], new: pa.Array) -> pa.Array:
    order = np.arange(len(column))
    order[rows] = len(column) + np.arange(rows.size)
    return pa.concat_arrays([column, new]).take(pa.array(order))


def _truths(values: pa.Array, refuse: Refusal) -> pa.Array:
    words = [str(value).strip().lower() for value in values.to_pylist()]
    for place, word in enumerate(words):
        if word not in _TRUE + _FALSE:
            raise refuse(place, str(values[place].as_py()))
    return pa.array([word in _TRUE for word in words], pa.bool_())


def _numbers(values: pa.Array, refuse: Refusal) -> NDArray[np.float64]:
    if is_text(values.type):
        texts = pc.cast(values, pa.string())
        good = are_numbers(texts, decimal_comma=False)
        if not good.all():
            place = int(np.flatnonzero(~good)[0])
            raise refuse(place, texts[place].as_py())
    numbers: NDArray[np.float64] = pc.cast(values, pa.float64(), safe=False).to_numpy(
        zero_copy_only=False
    )
    return numbers


def _clipped(values: pa.Array, kind: pa.DataType) -> pa.Array:
    limits = np.iinfo(kind.to_pandas_dtype())
    inside = [min(max(value, limits.min), limits.max) for value in values.to_pylist()]
    return pa.array(inside, kind)


def _whole(numbers: NDArray[np.float64], kind: pa.DataType) -> pa.Array:
    limits = np.iinfo(kind.to_pandas_dtype())
    highest = float(limits.max)
    if highest > limits.max:  # not a float64, and rounded up to one that is too large
        highest = float(np.nextafter(highest, 0.0))
    inside = np.clip(np.rint(numbers), float(limits.min), highest)
    return pa.array(inside.astype(kind.to_pandas_dtype()), kind)


def _decimals(numbers: NDArray[np.float64], kind: pa.DataType) -> pa.Array:
    largest = (10.0**kind.precision - 1) / 10.0**kind.scale
    inside = np.clip(numbers, np.nextafter(-largest, 0), np.nextafter(largest, 0))
    return pc.cast(pc.round(pa.array(inside), ndigits=kind.scale), kind, safe=False)
