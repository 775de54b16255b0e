"""Which fold tests which row, so that known labels spread evenly."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.scoring.known import known


def fold_of_rows_by_class(
    y: NDArray[Any], n_splits: int, order: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Deal the rows of each class, then those of unknown class, to the folds in turn.

    Dealing goes on where the stratum before it stopped, so both the rows of a
    stratum and the rows altogether differ by at most one between folds.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
        Classes, missing where unknown.
    n_splits : int
        Number of folds.
    order : ndarray of int of shape (n_rows,)
        Order in which the rows of a stratum are dealt.

    Returns
    -------
    ndarray of int of shape (n_rows,)
        The fold of every row.

    Examples
    --------
    >>> y = np.array(["a", "a", None, "b"], dtype=object)
    >>> fold_of_rows_by_class(y, 2, np.arange(4))
    array([0, 1, 1, 0])
    """
    stratum = _codes(y)
    # The unknown come last: they are the ones a fold can do without.
    stratum[stratum < 0] = stratum.max(initial=-1) + 1
    dealt = order[np.argsort(stratum[order], kind="stable")]
    fold = np.empty(y.shape[0], dtype=np.int64)
    fold[dealt] = np.arange(y.shape[0]) % n_splits
    return fold


def fold_of_rows_by_labels(
    y: NDArray[Any], n_splits: int, order: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Deal rows to the folds by iterative stratification, unknown entries not counting.

    The rarest known value of any column goes first, since later rows cannot
    make up for it: each of its rows goes to the fold that has fewest of that
    value, then to the one that has fewest rows. Rows of which nothing is known
    fill up the folds at the end. The idea is that of Sechidis, Tsoumakas and
    Vlahavas (2011); here zeros are values too, as a label is scored only in a
    fold that knows both a one and a zero of it, and no fold grows more than
    one row larger than another.

    Parameters
    ----------
    y : ndarray of shape (n_rows, n_columns)
        Labels or several columns of classes, missing where unknown.
    n_splits : int
        Number of folds.
    order : ndarray of int of shape (n_rows,)
        Order in which the rows of a value are dealt.

    Returns
    -------
    ndarray of int of shape (n_rows,)
        The fold of every row.

    Examples
    --------
    >>> y = np.array([[1, 0], [1, np.nan], [0, 1], [0, 1]])
    >>> fold_of_rows_by_labels(y, 2, np.arange(4))
    array([0, 1, 0, 1])
    """
    n_rows = y.shape[0]
    values_of_row = _values_of_rows(y)
    n_values = 1 + max((int(values.max()) for values in values_of_row if values.size), default=-1)
    rows_of_value: list[list[int]] = [[] for _ in range(n_values)]
    for row in order.tolist():
        for value in values_of_row[row]:
            rows_of_value[value].append(row)
    waiting = np.array([len(rows) for rows in rows_of_value], dtype=np.int64)
    dealt = np.zeros((n_values, n_splits), dtype=np.int64)
    size = np.zeros(n_splits, dtype=np.int64)
    fold_of_row = np.full(n_rows, -1, dtype=np.int64)

    while waiting.any():
        rarest = int(np.argmin(np.where(waiting > 0, waiting, n_rows + 1)))
        for row in rows_of_value[rarest]:
            if fold_of_row[row] < 0:
                fold = _neediest(dealt[rarest], size, n_rows)
                fold_of_row[row] = fold
                size[fold] += 1
                dealt[values_of_row[row], fold] += 1
                waiting[values_of_row[row]] -= 1

    for row in order[fold_of_row[order] < 0]:
        fold = int(np.argmin(size))
        fold_of_row[row] = fold
        size[fold] += 1
    return fold_of_row


def _neediest(dealt: NDArray[np.int64], size: NDArray[np.int64], n_rows: int) -> int:
    smallest_full, n_larger = divmod(n_rows, size.size)
    may_be_larger = np.count_nonzero(size > smallest_full) < n_larger
    has_room = (size < smallest_full) | ((size == smallest_full) & may_be_larger)
    # One number that compares first by need of the value, then by size.
    return int(np.argmin(np.where(has_room, dealt * (n_rows + 1) + size, (n_rows + 1) ** 2)))


def _values_of_rows(y: NDArray[Any]) -> list[NDArray[np.int64]]:
    numbered = np.empty(y.shape, dtype=np.int64)
    first_free = 0
    for column in range(y.shape[1]):
        codes = _codes(y[:, column])
        numbered[:, column] = np.where(codes < 0, -1, codes + first_free)
        first_free += int(codes.max(initial=-1)) + 1
    return [values[values >= 0] for values in numbered]


def _codes(y: NDArray[Any]) -> NDArray[np.int64]:
    """Number the values of a column in order of appearance; -1 is unknown."""
    observed = known(y)
    code_of: dict[Any, int] = {}
    codes = np.full(y.shape[0], -1, dtype=np.int64)
    codes[observed] = [code_of.setdefault(v, len(code_of)) for v in y[observed].tolist()]
    return codes
