from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from halfseen.tables import read_table

CELLS: dict[str, list[Any]] = {"size": [1.5, None], "ok": [None, True], "hue": ["u", None]}


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_frames_of_every_library_read_alike(library: Any) -> None:
    table = read_table(library(CELLS))
    assert table.names == ("size", "ok", "hue")
    assert table.n_rows == 2
    size, ok, hue = table.columns
    assert size.values.tolist() == [1.5, 0.0]
    assert ok.is_bool
    assert ok.observed.tolist() == [False, True]
    assert hue.values.tolist() == ["u", None]


def test_lists_and_objects_read_alike() -> None:
    rows = [[1.5, None, "u"], [None, True, None]]
    for X in (rows, np.array(rows, dtype=object)):
        table = read_table(X)
        assert table.names == ("x0", "x1", "x2")
        assert [c.is_text for c in table.columns] == [False, False, True]
        assert table.columns[1].is_bool


def test_array_likes() -> None:
    class ArrayLike:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.array([[1.0, 2.0]])

    assert read_table(ArrayLike()).columns[1].values.tolist() == [2.0]


def test_masked_arrays_never_show_what_is_behind_the_mask() -> None:
    X = np.ma.MaskedArray([[1.0, np.inf], [7.0, 2.0]], mask=[[0, 1], [1, 0]])
    first, second = read_table(X).columns
    assert first.values.tolist() == [1.0, 0.0]
    assert second.observed.tolist() == [False, True]


@pytest.mark.parametrize("X", [np.zeros(3), np.zeros((1, 1, 1)), 5.0])
def test_not_two_dimensional(X: Any) -> None:
    with pytest.raises(ValueError, match=r"Expected 2D array.*Reshape your data"):
        read_table(X)


@pytest.mark.parametrize("X", [np.zeros((3, 0)), pd.DataFrame(index=range(3))])
def test_no_features(X: Any) -> None:
    message = r"0 feature\(s\) \(shape=\(\d*, 0\)\) while a minimum of \d* is required."
    with pytest.raises(ValueError, match=message):
        read_table(X)


@pytest.mark.parametrize("X", [np.zeros((0, 3)), pd.DataFrame({"a": []}), pl.DataFrame({"a": []})])
def test_no_rows(X: Any) -> None:
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        read_table(X)


def test_messages_name_what_was_read() -> None:
    with pytest.raises(ValueError, match="Input features contains infinity: column 'x0', row 0"):
        read_table([[np.inf]], what="features")
