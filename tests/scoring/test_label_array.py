import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from halfseen.scoring._label_array import label_array


def test_a_hole_in_a_list_of_text_stays_a_hole():
    values = label_array(["a", np.nan])
    assert values.dtype == object
    assert values[1] != "nan"


@pytest.mark.parametrize("dtype", [float, int, object, "U3", bool])
def test_what_lies_behind_a_mask_is_gone(dtype):
    mask = [False, True]
    one = label_array(np.ma.masked_array(np.array([1, 0]).astype(dtype), mask=mask))
    other = label_array(np.ma.masked_array(np.array([1, 1]).astype(dtype), mask=mask))
    assert repr(one) == repr(other)


def test_what_lies_behind_a_pandas_mask_is_gone():
    mask = np.array([False, True])
    frames = [
        label_array(pd.DataFrame({"a": pd.arrays.BooleanArray(np.array([True, behind]), mask)}))
        for behind in (True, False)
    ]
    assert repr(frames[0]) == repr(frames[1])


def test_float32_stays_float32():
    assert label_array(np.ma.masked_array(np.ones(2, np.float32), [True, False])).dtype == "f4"


def test_rows_of_different_length_are_named():
    with pytest.raises(ValueError, match="Row 0 of the labels holds a list"):
        label_array([[1], [1, 2]])


def test_sets_of_labels_are_named():
    with pytest.raises(ValueError, match="Row 1 of the labels holds a set"):
        label_array([None, {"a", "b"}])


def test_sparse_labels_are_refused_with_a_remedy():
    with pytest.raises(ValueError, match=r"toarray\(\)"):
        label_array(csr_array(np.eye(2)))


def test_three_dimensions_are_refused():
    with pytest.raises(ValueError, match="not 3"):
        label_array(np.zeros((2, 2, 2)))
