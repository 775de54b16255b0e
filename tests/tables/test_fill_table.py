from typing import Any

import numpy as np
import pandas as pd
import pytest

from halfseen.tables import fill_table


def test_a_list_of_rows_becomes_a_float_array() -> None:
    filled = fill_table([[1, None], [2, True]], [np.zeros(2), np.array([0.25, 0.25])])
    assert filled.dtype == np.float64
    assert filled.tolist() == [[1.0, 0.25], [2.0, 1.0]]


def test_a_list_with_holes_left_alone() -> None:
    filled = fill_table([[1, None]], [None, None])
    assert filled[0, 0] == 1.0
    assert np.isnan(filled[0, 1])


def test_a_list_with_text_becomes_an_object_array() -> None:
    hue = np.array(["u", "u"], dtype=object)
    filled = fill_table([["u", 1.5], [None, None]], [hue, np.full(2, 3.5)])
    assert filled.tolist() == [["u", 1.5], ["u", 3.5]]


def test_an_array_like_keeps_its_type() -> None:
    class ArrayLike:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.array([[1.0], [np.nan]], dtype=np.float32)

    filled = fill_table(ArrayLike(), [np.array([5.0, 5.0])])
    assert filled.dtype == np.float32
    assert filled.tolist() == [[1.0], [5.0]]


def test_arrays_and_frames_keep_their_container() -> None:
    fills = [np.array([5.0, 5.0])]
    assert isinstance(fill_table(np.array([[1.0], [np.nan]]), fills), np.ndarray)
    assert isinstance(fill_table(pd.DataFrame({"a": [1.0, None]}), fills), pd.DataFrame)


@pytest.mark.parametrize(
    ("fills", "match"),
    [
        ([], "X has 1 columns, but 0 fills"),
        ([np.zeros(3)], r"fill of column 'x0' has shape \(3,\); \(2,\) was expected"),
    ],
)
def test_fills_that_do_not_match(fills: list[Any], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        fill_table(np.zeros((2, 1)), fills)
