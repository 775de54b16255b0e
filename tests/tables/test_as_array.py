import numpy as np
import pytest
import scipy.sparse

from halfseen.tables.as_array import as_array


def test_numpy_passes_through() -> None:
    array = np.zeros((2, 2))
    assert as_array(array, "X") is array


def test_numbers_beside_text_stay_numbers() -> None:
    array = as_array([["a", 1.5], ["b", 2.5]], "X")
    assert array.dtype == object
    assert array[0, 1] == 1.5


def test_nan_beside_text_is_not_spelled() -> None:
    assert as_array(["a", float("nan")], "y")[1] != "nan"


def test_all_text_keeps_its_type() -> None:
    assert as_array(["ab", "c"], "y").dtype == "<U2"


def test_sparse_names_the_remedy() -> None:
    with pytest.raises(TypeError, match=r"Sparse data was passed.*X\.toarray\(\)"):
        as_array(scipy.sparse.csr_matrix(np.eye(2)), "X")


def test_ragged_rows() -> None:
    with pytest.raises(ValueError, match="rows of X differ in length"):
        as_array([[1, 2], [3]], "X")


@pytest.mark.parametrize("dtype", [np.float32, np.int64, bool, object, "<U3"])
def test_masked_entries_become_holes(dtype: object) -> None:
    masked = np.ma.MaskedArray(np.array([[1], [0]]).astype(dtype), mask=[[False], [True]])
    array = as_array(masked, "X")
    hole = array[1, 0]
    assert hole is None or np.isnan(hole)
    assert array[0, 0] in (1, "1")


def test_masked_of_another_type_loses_only_its_mask() -> None:
    dates = np.ma.MaskedArray(np.array(["2020-01-01"], dtype="datetime64[D]"))
    assert as_array(dates, "X").dtype.kind == "M"
