"""Stored form keeps every value and forgets strides and byte order."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from halfseen.storage._storable_array import (
    STORED_DTYPES,
    storable_array,
    stored_bytes,
    stored_dtype_name,
)

DTYPES = st.sampled_from(
    [*STORED_DTYPES.values(), *(dtype.newbyteorder(">") for dtype in STORED_DTYPES.values())]
)


@settings(deadline=None)
@given(DTYPES.flatmap(lambda d: hnp.arrays(d, hnp.array_shapes(min_dims=0, min_side=0))), st.data())
def test_values_and_shape_stay(array: np.ndarray, data: st.DataObject) -> None:
    array = array.transpose(data.draw(st.permutations(range(array.ndim))))
    stored = storable_array("a", array)
    assert stored.shape == array.shape
    assert stored.flags.c_contiguous
    assert stored.dtype == STORED_DTYPES[stored_dtype_name(stored)]
    np.testing.assert_array_equal(stored, array)
    assert bytes(stored_bytes(stored)) == array.astype(array.dtype.newbyteorder("<")).tobytes("C")


def test_no_copy_when_it_is_in_form() -> None:
    array = np.zeros((3, 4), dtype="<f4")
    assert np.shares_memory(storable_array("a", array), array)
    assert np.shares_memory(np.frombuffer(stored_bytes(array), np.uint8), array)


@pytest.mark.parametrize("dtype", ["<f4", ">f4", "?"])
def test_a_transposed_array_is_put_in_order(dtype: str) -> None:
    array = np.array([[0, 1, 1], [0, 0, 1]], dtype=dtype)
    stored = storable_array("a", array.T)
    assert stored.flags.c_contiguous
    assert stored.tolist() == [[0, 0], [1, 0], [1, 1]]


def test_nan_payloads_stay() -> None:
    array = np.array([0x7FC00001, 0xFFC12345, 0x7F800001], dtype=np.uint32).view(np.float32)
    assert bytes(stored_bytes(storable_array("a", array))) == array.tobytes()


def test_truth_has_one_byte() -> None:
    array = np.array([0, 1, 2, 255], dtype=np.uint8).view(bool)
    assert bytes(stored_bytes(storable_array("a", array))) == b"\0\1\1\1"


@pytest.mark.parametrize(
    "array",
    [
        np.zeros(2, dtype=complex),
        np.array(["x"]),
        np.array([b"x"]),
        np.array([None]),
        np.zeros(2, dtype="datetime64[s]"),
        np.zeros(2, dtype="timedelta64[s]"),
        np.zeros(2, dtype=[("a", "f4")]),
        np.zeros(2, dtype="V4"),
        np.zeros(2, dtype=np.longdouble),
    ],
    ids=lambda array: str(array.dtype),
)
def test_other_dtypes_are_refused_by_name(array: np.ndarray) -> None:
    with pytest.raises(TypeError, match=r"array 'weights' has dtype .* cannot be stored"):
        storable_array("weights", array)


@pytest.mark.parametrize("value", [[1.0], 1.0, np.float32(1), None])
def test_what_is_no_array_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match=r"array 'weights' is of type .* numpy\.asarray"):
        storable_array("weights", value)  # type: ignore[arg-type]


def test_a_mask_is_not_lost_silently() -> None:
    masked = np.ma.masked_array([1.0, 2.0], mask=[True, False])
    with pytest.raises(TypeError, match="'weights' is a masked array"):
        storable_array("weights", masked)


@pytest.mark.skipif(np.lib.NumpyVersion(np.__version__) < "2.0.0", reason="numpy stops at 32")
def test_too_many_dimensions() -> None:
    with pytest.raises(ValueError, match="'weights' has 33 dimensions"):
        storable_array("weights", np.zeros((1,) * 33))
