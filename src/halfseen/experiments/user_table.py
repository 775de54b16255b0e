"""A table of the user's own as a data set: text one-hot, labels 0 and 1."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines.baseline import TargetKind
from halfseen.data.columns import sorted_categories
from halfseen.data.infer import InferredType, infer_type
from halfseen.data.raw import Category, RawColumn, category_key, read_column
from halfseen.experiments.data_sets import DataSet
from halfseen.experiments.methods import did_you_mean
from halfseen.experiments.plan import TableChoice
from halfseen.files import MISSING_MARKS, open_table

_MOST_CLASSES = 200


class UserTableError(ValueError):
    """A table that cannot be studied as the plan says; the message names file and column."""


class _Column(NamedTuple):
    name: str
    raw: RawColumn
    type: InferredType
    categories: tuple[Category, ...]  # of observed values, in order


class _Coded(NamedTuple):
    """One column of the file as numbers."""

    values: NDArray[np.float64]  # (n_rows, n_columns)
    names: list[str]
    is_numeric: bool


def load_user_table(choice: TableChoice, n_rows: int | None = None, seed: int = 0) -> DataSet:
    r"""Read a table of the user's own, or a random sample of its rows.

    Numbers stay as they are. Columns of two values become 0 and 1, the larger one or the later one
    in the alphabet being 1. Text becomes one column per value; these are hidden together. Labels
    are columns of two values each, or one column of classes.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.csv")
    ...     text = "size,kind,ill\n1,a,no\n2,b,yes\n,c,no\n4,a,yes\n5,b,no\n6,c,\n"
    ...     _ = path.write_text(text)
    ...     data = load_user_table(TableChoice(name="a", file=path, labels="ill"))
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
    table = _rows_of_file(choice, n_rows, seed)
    columns = []
    for name in table.column_names:
        raw = read_column(table.column(name).to_pylist(), name)
        categories = () if raw.kind == "date" else sorted_categories(raw)
        columns.append(_Column(name, raw, infer_type(raw, name), categories))
    return columns


def _rows_of_file(choice: TableChoice, n_rows: int | None, seed: int) -> Any:
    marks = (*MISSING_MARKS, *choice.missing)
    with open_table(choice.file, missing_marks=marks) as file:
        sample = file.sample(sys.maxsize if n_rows is None else n_rows, seed)
        return file.typed(file.values(sample.cells))


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
    inferred, n_rows = column.type, len(column.raw)
    if inferred.type == "ignored":
        if is_named:
            raise UserTableError(
                f"{choice.file}: column {column.name!r} is named as a feature, but is ignored "
                f"({inferred.reason}); features are numbers, columns of two values, or text that "
                "repeats."
            )
        return _Coded(np.empty((n_rows, 0)), [], False)
    if inferred.type in ("numeric", "log-numeric"):
        numbers = np.full((n_rows, 1), np.nan)
        numbers[column.raw.observed, 0] = column.raw.numbers(column.name)
        is_constant = len(column.categories) < 2
        return _Coded(numbers, [] if is_constant else [column.name], True)
    if len(column.categories) == 2:
        return _Coded(_codes(column)[:, None], [column.name], False)
    names = [f"{column.name}={value}" for value in column.categories]
    return _Coded(_one_hot(column), names, False)


def _labels(
    choice: TableChoice, columns: Sequence[_Column]
) -> tuple[NDArray[np.float64], list[str], TargetKind]:
    n_values = [len(column.categories) for column in columns]
    is_classes = choice.target == "classes" or (
        choice.target == "auto" and len(columns) == 1 and n_values[0] > 2
    )
    if is_classes:
        if len(columns) != 1:
            raise UserTableError(
                f"{choice.file}: classes stand in one column, but {len(columns)} are named in "
                f"'labels' of the plan's table {choice.name!r}."
            )
        if not 2 <= n_values[0] <= _MOST_CLASSES:
            raise UserTableError(
                f"{choice.file}: column {columns[0].name!r} has {n_values[0]} different values; "
                f"classes are 2 to {_MOST_CLASSES}."
            )
        return _one_hot(columns[0]), [str(value) for value in columns[0].categories], "classes"
    for column, n in zip(columns, n_values, strict=True):
        if n != 2:
            raise UserTableError(
                f"{choice.file}: label {column.name!r} has {n} different values; a label "
                'is yes or no. For one column of classes set target = "classes".'
            )
    return np.stack([_codes(c) for c in columns], axis=1), [c.name for c in columns], "labels"


def _codes(column: _Column) -> NDArray[np.float64]:
    """Number of the category of each row, NaN where missing."""
    positions = {category_key(value): code for code, value in enumerate(column.categories)}
    codes = np.full(len(column.raw), np.nan)
    codes[column.raw.observed] = column.raw.codes(positions)[0]
    return codes


def _one_hot(column: _Column) -> NDArray[np.float64]:
    codes = _codes(column)
    known, coded = ~np.isnan(codes), np.full((len(codes), len(column.categories)), np.nan)
    coded[known] = np.eye(len(column.categories))[codes[known].astype(int)]
    return coded
