"""Bounds within which missing numbers are looked for."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.tables import EncodedTable, Schema

_FROM_THE_LAST = 5  # values, by whose distance a column may go on beyond its last one
_ROUNDING = 1e-6  # of units, which are of single precision
_MANY_ROWS = 5000  # in which hardly anything lies beyond what is observed


class Bounds(NamedTuple):
    """Of every number, in the units of a table."""

    lowest: NDArray[np.float64]  # (n_gaussian,)
    highest: NDArray[np.float64]


def bounds_of_numbers(encoded: EncodedTable, schema: Schema) -> Bounds:
    """The lowest and the highest value that a missing number may have; 0 if nothing is observed.

    Those observed, and beyond them as far as the last value is from the sixth, but not beyond zero
    where all that is observed is on one side of it. A column that ends in values which are often
    taken ends there. Of many rows those observed are the bounds.

    Examples
    --------
    >>> from halfseen.tables import learn_columns, read_table
    >>> curve = np.append(np.arange(20.0), 40.0)[:, None]  # 15 is the sixth from its end
    >>> table = read_table(curve)
    >>> schema = Schema(learn_columns(table), (), None)
    >>> bounds = bounds_of_numbers(schema.encode(table, None), schema)
    >>> column = schema.columns[0]
    >>> [abs(round(float(column.mean + column.scale * bound[0]), 3)) for bound in bounds]
    [0.0, 65.0]
    """
    n_numbers = schema.n_gaussian
    lowest, highest = (bound[:n_numbers] for bound in encoded.bounds())
    empty = lowest > highest
    lowest, highest = np.where(empty, 0.0, lowest), np.where(empty, 0.0, highest)
    if encoded.n_rows > _MANY_ROWS:
        return Bounds(lowest, highest)
    for number in range(n_numbers):
        values, seen = encoded.units(slice(number, number + 1))
        own = np.sort(values[seen].astype(np.float64))
        if len(own) <= 2 * _FROM_THE_LAST:
            continue
        column = schema.columns[schema.column_of_unit[number]]
        zero = -column.mean / column.scale
        below = own[0] - (own[_FROM_THE_LAST] - own[0])
        above = own[-1] + (own[-1] - own[-1 - _FROM_THE_LAST])
        nearly = _ROUNDING * (1.0 + abs(zero))
        lowest[number] = min(own[0], max(below, zero)) if own[0] >= zero - nearly else below
        highest[number] = max(own[-1], min(above, zero)) if own[-1] <= zero + nearly else above
    return Bounds(lowest, highest)
