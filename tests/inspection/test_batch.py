"""Batches from every container."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from halfseen.inspection.batch import Batch, read_batch
from halfseen.tables import read_table

CELLS: dict[str, list[Any]] = {
    "size": [1.5, None, 3.0],
    "colour": ["red", None, "blue"],
    "open": [True, None, False],
    "day": [datetime.datetime(2020, 5, 1), None, datetime.datetime(2021, 5, 1)],
}


def described(batch: Batch) -> list[tuple[str, str, list[bool], list[Any]]]:
    return [
        (name, cells.sort, cells.observed.tolist(), cells.values.tolist())
        for name, cells in zip(batch.names, batch.columns, strict=True)
    ]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_all_frames_are_read_alike(make: Any) -> None:
    day = 86_400e6
    assert described(read_batch(make(CELLS))) == [
        ("size", "number", [True, False, True], [1.5, 0.0, 3.0]),
        ("colour", "text", [True, False, True], ["red", "", "blue"]),
        ("open", "bool", [True, False, True], [1.0, 0.0, 0.0]),
        ("day", "date", [True, False, True], [18383 * day, 0.0, 18748 * day]),
    ]


def test_arrow_types() -> None:
    table = pa.table(
        {
            "nothing": pa.nulls(2),
            "whole": pa.array([1, None], pa.int64()),
            "decimal": pa.array([None, 2], pa.decimal128(5, 2)),
            "day": pa.array([18383, None], pa.date32()),
            "zone": pa.array([0, None], pa.timestamp("ns", "Europe/Berlin")),
            "time": pa.array([5, None], pa.time32("s")),
            "list": pa.array([[1], None]),
            "bytes": pa.array([b"x", None]),
            "coded": pa.array(["a", None]).dictionary_encode(),
        }
    )
    batch = read_batch(table)
    sorts = ["nothing", "number", "number", "date", "date", "other", "other", "other", "text"]
    assert [cells.sort for cells in batch.columns] == sorts
    observed = [cells.observed.tolist() for cells in batch.columns]
    assert observed[0] == [False, False]
    assert observed[2] == [False, True]
    assert [observed[1], *observed[3:]] == [[True, False]] * 7


def test_what_lies_behind_a_hole_is_never_read() -> None:
    batch = read_batch(
        {
            "a": (np.array([1.0, np.inf]), [True, False]),
            "b": (["x", "secret"], [True, False]),
            "c": (np.array(["2020-01-01", "NaT"], "datetime64[D]"), [False, True]),
        }
    )
    assert [cells.values.tolist() for cells in batch.columns][:2] == [[1.0, 0.0], ["x", ""]]
    assert not batch.columns[0].infinite.any()
    assert batch.columns[2].sort == "nothing"


def test_a_table_of_the_tables_room() -> None:
    batch = read_batch(read_table([[1.5, "a", True], [None, 7, None]]))
    assert [cells.sort for cells in batch.columns] == ["number", "text", "bool"]
    assert batch.columns[1].values.tolist() == ["a", "7"]


def test_arrays_of_dates_and_texts() -> None:
    dates = read_batch(np.array([["2020-01-01"], ["NaT"]], "datetime64[s]")).columns[0]
    assert (dates.sort, dates.observed.tolist()) == ("date", [True, False])
    assert read_batch(np.array([["a"], ["b"]])).columns[0].sort == "text"


def test_no_rows() -> None:
    batch = read_batch(pd.DataFrame({"a": pd.Series([], dtype=float)}))
    assert (batch.names, batch.n_rows) == (("a",), 0)


def test_refusals_name_the_matter() -> None:
    with pytest.raises(ValueError, match="'a': 1, 'b': 2"):
        read_batch({"a": ([1], [True]), "b": ([1, 2], [True, True])})
    with pytest.raises(ValueError, match="1 dimension"):
        read_batch(np.zeros(3))
    twice = pd.DataFrame([[1, 2]], columns=["a", "a"])
    with pytest.raises(ValueError, match="'a'"):
        read_batch(twice)
