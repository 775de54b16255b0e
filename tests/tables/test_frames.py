import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from halfseen.tables.frames import column_names, is_frame, open_frame, open_series


def test_is_frame() -> None:
    frames = [pd.DataFrame({"a": [1]}), pl.DataFrame({"a": [1]}), pa.table({"a": [1]})]
    assert all(map(is_frame, frames))
    assert not any(map(is_frame, [np.zeros(1), [1], "pandas"]))


def test_a_subclass_of_a_frame_is_one() -> None:
    class Mine(pd.DataFrame):
        pass

    assert is_frame(Mine({"a": [1]}))


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]),
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]),
        pd.DataFrame([[1, 2]], columns=[1, "1"]),
    ],
)
def test_repeated_names_are_named(frame: object) -> None:
    with pytest.raises(ValueError, match=r"Column names of X repeat: '[a1]'"):
        open_frame(frame, "X")


def test_lazy_frame_names_the_remedy() -> None:
    with pytest.raises(TypeError, match=r"X\.collect\(\)"):
        open_frame(pl.LazyFrame({"a": [1]}), "X")


def test_series_names_the_remedy() -> None:
    with pytest.raises(ValueError, match=r"Reshape your data.*X\.to_frame\(\)"):
        open_frame(pd.Series([1]), "X")


def test_other_objects_of_frame_libraries() -> None:
    with pytest.raises(TypeError, match="X is a RecordBatch"):
        open_frame(pa.record_batch({"a": [1]}), "X")


def test_open_series() -> None:
    for data in (
        pd.Series([1, 2]),
        pl.Series([1, 2]),
        pa.array([1, 2]),
        pa.chunked_array([[1, 2]]),
    ):
        series = open_series(data)
        assert series is not None
        assert series.to_list() == [1, 2]
    assert open_series(pa.table({"a": [1]})) is None


def test_names_are_text() -> None:
    assert column_names(pd.DataFrame([[1]], columns=[7])) == ("7",)
    assert column_names(pa.table({"a": [1]})) == ("a",)
