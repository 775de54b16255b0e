"""A table of the user's own as a data set: text one-hot, labels 0 and 1."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines.baseline import TargetKind
from halfseen.experiments.data_sets import DataSet
from halfseen.experiments.plan import TableChoice
from halfseen.experiments.plan_values import did_you_mean

_TWO = 2
_MOST_CLASSES = 200


class UserTableError(ValueError):
    """A table that cannot be studied as the plan says; the message names file and column."""


class _Column(NamedTuple):
    name: str
    role: str  # a ColumnRole
    values: list[Any]  # None where missing


class _Coded(NamedTuple):
    """One column of the file as numbers."""

    values: NDArray[np.float64]  # (n_rows, n_columns)
    names: list[str]
    is_numeric: bool


def load_user_table(choice: TableChoice, n_rows: int | None = None, seed: int = 0) -> DataSet:
    r"""Read a table of the user's own.

    Numbers stay as they are. Columns of two values become 0 and 1, the larger one or the later one
    in the alphabet being 1. Text becomes one column per value; these are hidden together. Labels
    are columns of two values each, or one column of classes.

    Parameters
    ----------
    choice : TableChoice
        Which file, and what its columns are.
    n_rows : int or None
        Take so many rows, drawn at random; None for all.
    seed : int, default=0
        Seed of that draw.

    Returns
    -------
    DataSet

    Raises
    ------
    UserTableError
        A column is not there, or is not what the plan says.
    ImportError
        pyarrow is not installed.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.csv")
    ...     text = "size,kind,ill\n1,a,no\n2,b,yes\n,c,no\n4,a,yes\n5,b,no\n6,c,\n"
    ...     _ = path.write_text(text)
    ...     data = load_user_table(TableChoice("a", path, ("ill",)))
    >>> data.feature_names, data.label_names, data.target
    (('size', 'kind=a', 'kind=b', 'kind=c'), ('ill',), 'labels')
    >>> data.blocks.tolist(), data.Y.ravel().tolist()
    ([0, 1, 1, 1], [0.0, 1.0, 0.0, 1.0, 0.0, nan])
    """
    columns = _read(choice, n_rows, seed)
    names = [column.name for column in columns]
    of_labels = _chosen(choice, "labels", choice.labels, names)
    ignored = _chosen(choice, "ignore", choice.ignore, names)
    named = _chosen(choice, "features", choice.features, names)
    both = sorted(set(of_labels) & set(named))
    if both:
        raise UserTableError(f"{choice.file}: {both[0]!r} is both a label and a feature.")
    features = [
        _coded(choice, column, is_named=column.name in named)
        for column in columns
        if column.name not in {*of_labels, *ignored} and (column.name in named or not named)
    ]
    used = [coded for coded in features if coded.names]
    if not used:
        raise UserTableError(
            f"{choice.file}: no column is left to be a feature; identifiers, dates, free text and "
            "constants are none."
        )
    Y, label_names, target = _labels(choice, [c for c in columns if c.name in of_labels])
    return DataSet(
        choice.name,
        np.concatenate([coded.values for coded in used], axis=1),
        Y,
        target,
        feature_names=tuple(name for coded in used for name in coded.names),
        label_names=tuple(label_names),
        blocks=np.repeat(np.arange(len(used)), [len(coded.names) for coded in used]),
        numeric=np.repeat([coded.is_numeric for coded in used], [len(c.names) for c in used]),
    )


def _read(choice: TableChoice, n_rows: int | None, seed: int) -> list[_Column]:
    files = import_module("halfseen.files")
    marks = (*files.DEFAULT_MISSING_MARKS, *choice.missing)
    with files.open_table(choice.file, missing_marks=marks) as file:
        n_wanted = file.n_rows if n_rows is None else min(n_rows, file.n_rows)
        table, _ = file.sample_rows(n_wanted, seed)
        return [
            _Column(column.name, column.role.value, table.column(column.name).to_pylist())
            for column in file.columns
        ]


def _chosen(choice: TableChoice, key: str, words: Sequence[str], names: Sequence[str]) -> list[str]:
    chosen: list[str] = []
    for word in words:
        fitting = [name for name in names if name == word or fnmatchcase(name, word)]
        if not fitting:
            raise UserTableError(
                f"{choice.file} has no column {word!r}, which the plan's table {choice.name!r} "
                f"names in {key!r}.{did_you_mean(word, names)} Its columns are: "
                f"{', '.join(names[:20])}{' ...' if len(names) > 20 else ''}."
            )
        chosen += fitting
    return list(dict.fromkeys(chosen))


def _coded(choice: TableChoice, column: _Column, *, is_named: bool) -> _Coded:
    if column.role == "number":
        numbers = [np.nan if value is None else float(value) for value in column.values]
        return _Coded(np.array(numbers)[:, None], [column.name], True)
    if column.role == "yes_no":
        return _Coded(_zeros_and_ones(column.values, _distinct(column)), [column.name], False)
    if column.role == "category":
        values = _distinct(column)
        return _Coded(
            _one_hot(column.values, values), [f"{column.name}={value}" for value in values], False
        )
    if is_named:
        raise UserTableError(
            f"{choice.file}: column {column.name!r} is named as a feature, but is {column.role}; "
            "features are numbers, columns of two values, or text that repeats."
        )
    return _Coded(np.empty((len(column.values), 0)), [], False)


def _labels(
    choice: TableChoice, columns: Sequence[_Column]
) -> tuple[NDArray[np.float64], list[str], TargetKind]:
    distinct = [_distinct(column) for column in columns]
    is_classes = choice.target == "classes" or (
        choice.target == "auto" and len(columns) == 1 and len(distinct[0]) > _TWO
    )
    if is_classes:
        if len(columns) != 1:
            raise UserTableError(
                f"{choice.file}: classes stand in one column, but {len(columns)} are named in "
                f"'labels' of the plan's table {choice.name!r}."
            )
        if not _TWO <= len(distinct[0]) <= _MOST_CLASSES:
            raise UserTableError(
                f"{choice.file}: column {columns[0].name!r} has {len(distinct[0])} different "
                f"values; classes are 2 to {_MOST_CLASSES}."
            )
        return (
            _one_hot(columns[0].values, distinct[0]),
            [str(value) for value in distinct[0]],
            "classes",
        )
    for column, values in zip(columns, distinct, strict=True):
        if len(values) != _TWO:
            raise UserTableError(
                f"{choice.file}: label {column.name!r} has {len(values)} different values; a label "
                'is yes or no. For one column of classes set target = "classes".'
            )
    coded = [
        _zeros_and_ones(column.values, values)
        for column, values in zip(columns, distinct, strict=True)
    ]
    return np.concatenate(coded, axis=1), [column.name for column in columns], "labels"


def _distinct(column: _Column) -> list[Any]:
    known = {value for value in column.values if value is not None}
    return sorted(known, key=lambda value: (isinstance(value, str), value))


def _zeros_and_ones(values: Sequence[Any], distinct: Sequence[Any]) -> NDArray[np.float64]:
    code = {value: float(place) for place, value in enumerate(distinct)}
    return np.array([code.get(value, np.nan) for value in values])[:, None]


def _one_hot(values: Sequence[Any], distinct: Sequence[Any]) -> NDArray[np.float64]:
    place = {value: number for number, value in enumerate(distinct)}
    coded = np.zeros((len(values), len(distinct)))
    for row, value in enumerate(values):
        if value is None:
            coded[row] = np.nan
        else:
            coded[row, place[value]] = 1.0
    return coded
