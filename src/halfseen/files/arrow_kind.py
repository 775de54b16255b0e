"""What the type of an Arrow column means for a table with holes."""

from __future__ import annotations

from enum import Enum, auto

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from halfseen.files.column_role import ColumnRole


class ArrowKind(Enum):
    """What the type of an Arrow column means for a table with holes.

    Examples
    --------
    >>> arrow_kind(pa.int8()), arrow_kind(pa.list_(pa.int8()))
    (<ArrowKind.NUMBER: 1>, <ArrowKind.OPAQUE: 6>)
    """

    NUMBER = auto()
    TRUTH = auto()
    TEXT = auto()
    TIME = auto()
    NOTHING = auto()
    OPAQUE = auto()


def arrow_kind(kind: pa.DataType) -> ArrowKind:
    """Tell what a type means.

    Parameters
    ----------
    kind : pyarrow.DataType
        Type of a column.

    Returns
    -------
    ArrowKind
        Dictionaries of texts, numbers or truths are texts: their type declares categories.

    Examples
    --------
    >>> arrow_kind(pa.dictionary(pa.int8(), pa.string()))
    <ArrowKind.TEXT: 3>
    """
    types = pa.types
    if types.is_dictionary(kind):
        inner = arrow_kind(kind.value_type)
        known = inner in (ArrowKind.NUMBER, ArrowKind.TRUTH, ArrowKind.TEXT)
        return ArrowKind.TEXT if known else inner
    if types.is_boolean(kind):
        return ArrowKind.TRUTH
    if types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind):
        return ArrowKind.NUMBER
    if is_text(kind):
        return ArrowKind.TEXT
    if types.is_temporal(kind):
        return ArrowKind.TIME
    return ArrowKind.NOTHING if types.is_null(kind) else ArrowKind.OPAQUE


def is_text(kind: pa.DataType) -> bool:
    """Tell whether a type is text.

    Parameters
    ----------
    kind : pyarrow.DataType
        Type of a column.

    Returns
    -------
    bool
        True for all string types.

    Examples
    --------
    >>> is_text(pa.large_string()), is_text(pa.binary())
    (True, False)
    """
    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def observed_in(array: pa.Array) -> NDArray[np.bool_]:
    """Tell which values are observed: neither null nor NaN.

    Parameters
    ----------
    array : pyarrow.Array
        A column.

    Returns
    -------
    ndarray of bool
        True for observed values.

    Examples
    --------
    >>> observed_in(pa.array([1.0, None, float("nan")]))
    array([ True, False, False])
    """
    nan_is_null = pa.types.is_floating(array.type)
    if nan_is_null and pa.types.is_float16(array.type):
        array = array.cast(pa.float32())
    valid: NDArray[np.bool_] = ~array.is_null(nan_is_null=nan_is_null).to_numpy(
        zero_copy_only=False
    )
    return valid


def typed_array(array: pa.Array, role: ColumnRole) -> pa.Array:
    """A column as its role wants it: float64, text, truth values, or as it is.

    Parameters
    ----------
    array : pyarrow.Array
        A column.
    role : ColumnRole
        What it is for.

    Returns
    -------
    pyarrow.Array
        float64 for numbers, string for categories, bool or string for yes/no; null for holes.

    Examples
    --------
    >>> typed_array(pa.array([1, None]), ColumnRole.NUMBER).to_pylist()
    [1.0, None]
    >>> typed_array(pa.array([1, None]), ColumnRole.CATEGORY).to_pylist()
    ['1', None]
    """
    if pa.types.is_string_view(array.type):
        array = array.cast(pa.string())  # few functions know views
    if not role.is_modelled:
        return array
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if role is ColumnRole.NUMBER:
        return _as_numbers(array)
    if role is ColumnRole.YES_NO and pa.types.is_boolean(array.type):
        return array
    if pa.types.is_floating(array.type):
        array = _as_numbers(array)
    return pc.cast(array, pa.string())


def _as_numbers(array: pa.Array) -> pa.Array:
    if pa.types.is_decimal(array.type) or pa.types.is_boolean(array.type) or is_text(array.type):
        array = pc.cast(array, pa.float64())
    numbers = pc.cast(array, pa.float64(), safe=False)
    if not pa.types.is_floating(array.type):
        return numbers
    return pc.if_else(pc.is_nan(numbers), pa.scalar(None, pa.float64()), numbers)
