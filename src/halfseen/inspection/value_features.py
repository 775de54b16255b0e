"""The values of all columns as standardised features, for telling holes from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from halfseen.inspection.cells import number_text
from halfseen.inspection.sampled_column import SampledColumn

Meaning = Literal["high", "extreme", "category"]

_MOST_CATEGORIES = 8
_FEWEST_ROWS = 10


@dataclass(frozen=True, eq=False)
class ValueFeatures:
    """The values of all columns as standardised features.

    Attributes
    ----------
    matrix : ndarray of float32, shape (n_features, n_rows)
        Mean 0 over observed entries and 0 behind unobserved ones, variance 1 over all rows. So
        the mean of a feature is the same whichever columns are observed, if holes are completely
        at random.
    column : ndarray of int, shape (n_features,)
        The column each feature came from.
    meaning : tuple of str, length n_features
        "high" for the rank of a number, "extreme" for the square of it, "category" for whether
        the value is a certain one.
    category : tuple of str or None, length n_features
        That value.

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen.inspection.column_accumulator import ColumnAccumulator
    >>> from halfseen.inspection.read_objects import read_objects
    >>> cells = read_objects([3.0, 1.0, None, 2.0] * 5)
    >>> size = ColumnAccumulator("size")
    >>> size.add(cells)
    >>> column = SampledColumn(size.summary("feature", np.zeros(0)), cells.values, cells.observed)
    >>> features = value_features([column])
    >>> features.meaning
    ('high', 'extreme')
    >>> features.matrix[0, :4].round(2)
    array([ 1.41, -1.41,  0.  ,  0.  ], dtype=float32)
    """

    matrix: NDArray[np.float32]
    column: NDArray[np.int64]
    meaning: tuple[Meaning, ...]
    category: tuple[str | None, ...]


def value_features(columns: Sequence[SampledColumn]) -> ValueFeatures:
    """Make features of the values of columns.

    Parameters
    ----------
    columns : sequence of SampledColumn
        Numeric, binary or categorical columns.

    Returns
    -------
    ValueFeatures
        Two per numeric column (its ranks and their squares, so that no scale or tail matters),
        one per binary one, and one for each of the most frequent categories of any other. A
        feature that does not vary is left out.

    Examples
    --------
    >>> value_features([]).matrix.shape
    (0, 0)
    """
    n_rows = len(columns[0].values) if columns else 0
    rows, owners = [], []
    meanings: list[Meaning] = []
    categories: list[str | None] = []
    for owner, column in enumerate(columns):
        for values, meaning, category in _features(column):
            standard = _standardised(values, column.observed)
            if standard is not None:
                rows.append(standard)
                owners.append(owner)
                meanings.append(meaning)
                categories.append(category)
    matrix = np.array(rows, dtype=np.float32).reshape(len(rows), n_rows)
    column_of = np.array(owners, dtype=np.int64)
    return ValueFeatures(matrix, column_of, tuple(meanings), tuple(categories))


def _features(
    column: SampledColumn,
) -> Iterator[tuple[NDArray[np.float64], Meaning, str | None]]:
    """Observed values of each feature of a column, with what the feature means."""
    if column.summary.kind == "numeric" and len(column.distinct) > 2:
        ranks = rankdata(column.observed_values)
        middle = ranks - ranks.mean()
        yield middle, "high", None
        yield np.square(middle), "extreme", None
        return
    codes = column.codes[column.observed]
    if len(column.distinct) == 2:
        yield (codes == 1).astype(float), "category", _shown(column, 1)
        return
    frequent = np.argsort(-column.counts, kind="stable")[:_MOST_CATEGORIES]
    for code in frequent.tolist():
        if column.counts[code] >= _FEWEST_ROWS:
            yield (codes == code).astype(float), "category", _shown(column, code)


def _shown(column: SampledColumn, code: int) -> str:
    value = column.distinct[code]
    return value if isinstance(value, str) else number_text(float(value))


def _standardised(
    values: NDArray[np.float64], observed: NDArray[np.bool_]
) -> NDArray[np.float64] | None:
    if not len(values) or values.min() == values.max():
        return None
    standard = np.zeros(len(observed))
    standard[observed] = values - values.mean()
    standard /= np.sqrt(np.mean(np.square(standard)))
    return standard
