import numpy as np
import pandas as pd
import polars as pl
import pytest

from halfseen.scoring import known


@pytest.mark.parametrize(
    "y",
    [
        np.array([1.0, np.nan, 0.0]),
        np.array([1.0, np.nan, 0.0], dtype=np.float32),
        [1, None, 0],
        (1, float("nan"), 0),
        [True, None, False],
        ["a", None, "nan"],
        ["a", float("nan"), ""],
        [-1, pd.NA, 0],
        np.array(["a", pd.NA, "b"], dtype=object),
        np.array(["2020-01-01", "NaT", "2020-01-02"], dtype="datetime64[D]"),
        np.ma.masked_array([1, 2, 3], mask=[False, True, False]),
        np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False]),
        np.ma.masked_array(["a", "b", "c"], mask=[False, True, False]),
        np.ma.masked_invalid([1.0, np.inf, 3.0]),
        pd.Series([1.0, None, 0.0]),
        pd.Series([1, None, 0], dtype="Int64"),
        pd.Series([True, None, False], dtype="boolean"),
        pd.Series([0.5, None, 1.5], dtype="Float64"),
        pd.Series(["a", None, "b"]),
        pd.Series(["a", None, "b"], dtype="string"),
        pd.Series(["a", None, "b"], dtype="category"),
        pd.Series(pd.to_datetime(["2020-01-01", None, "2020-01-02"])),
        pl.Series([1, None, 0]),
        pl.Series([1.0, float("nan"), 0.0]),
        pl.Series([True, None, False]),
        pl.Series(["a", None, "b"]),
        pl.Series(["a", None, "b"], dtype=pl.Categorical),
        pl.Series(["a", None, "b"], dtype=pl.Enum(["a", "b"])),
    ],
    ids=lambda y: f"{type(y).__module__}-{getattr(y, 'dtype', type(y).__name__)}",
)
def test_the_middle_entry_is_unknown(y):
    seen = known(y)
    assert seen.dtype == bool
    assert seen.tolist() == [True, False, True]


@pytest.mark.parametrize(
    "y",
    [
        np.array([[1.0, np.nan], [np.nan, 0.0]]),
        [[1, None], [np.nan, 0]],
        [["a", None], [pd.NA, 1]],
        pd.DataFrame({"a": pd.array([1, None], dtype="Int64"), "b": [None, "x"]}),
        pd.DataFrame({"a": [1.0, np.nan], "b": [np.nan, 0.0]}),
        pl.DataFrame({"a": [1, None], "b": [None, "x"]}),
        pl.DataFrame({"a": [1, None], "b": [None, True]}),
        np.ma.masked_array([[1, 7], [7, 0]], mask=[[False, True], [True, False]]),
    ],
    ids=lambda y: type(y).__module__ + "-" + type(y).__name__,
)
def test_two_dimensions(y):
    np.testing.assert_array_equal(known(y), np.eye(2, dtype=bool))


@pytest.mark.parametrize(
    "y", [np.array([-1, 0, 9]), np.array([True, False, True]), np.array(["nan", "", "None"])]
)
def test_no_number_and_no_text_stands_for_unknown(y):
    assert known(y).all()


def test_no_rows():
    assert known([]).shape == (0,)
    assert known(np.empty((0, 3))).shape == (0, 3)


def test_scalars_have_no_rows():
    with pytest.raises(ValueError, match="one or two dimensions"):
        known(3.0)
