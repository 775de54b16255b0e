"""Places are laid without gaps, and only such places are believed."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from halfseen.storage._storable_array import STORED_DTYPES
from halfseen.storage._tensor_layout import checked_layout, lay_out

ARRAYS = st.dictionaries(
    st.text(),
    st.sampled_from(list(STORED_DTYPES.values())).flatmap(
        lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, min_side=0), fill=st.just(0))
    ),
    max_size=6,
)


def entry(dtype: Any, shape: Any, begin: Any, end: Any) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


@settings(deadline=None)
@given(ARRAYS)
def test_what_is_laid_out_is_believed(arrays: dict[str, np.ndarray]) -> None:
    places = lay_out(arrays)
    size = sum(array.nbytes for array in arrays.values())
    entries = {place.name: place.entry() for place in places}
    assert set(checked_layout(entries, size)) == set(places)
    assert {place.name: place.shape for place in places} == {n: a.shape for n, a in arrays.items()}
    assert all(place.begin % arrays[place.name].itemsize == 0 for place in places)


@settings(deadline=None)
@given(ARRAYS, st.data())
def test_order_of_arrays_does_not_matter(
    arrays: dict[str, np.ndarray], data: st.DataObject
) -> None:
    names = data.draw(st.permutations(list(arrays)))
    assert lay_out({name: arrays[name] for name in names}) == lay_out(arrays)


def test_any_order_in_the_header_is_believed() -> None:
    entries = {
        "b": entry("U8", [3], 4, 7),
        "empty": entry("F64", [0, 5], 4, 4),
        "a": entry("F32", [], 0, 4),
    }
    assert [place.name for place in checked_layout(entries, 7)] == ["a", "empty", "b"]


def test_a_foreign_dtype_is_left_to_the_caller() -> None:
    assert checked_layout({"a": entry("BF16", [2], 0, 4)}, 4)[0].dtype == "BF16"


@pytest.mark.parametrize(
    ("entries", "size", "complaint"),
    [
        ({"a": entry("U8", [3], 0, 3)}, 4, "end at byte 3 of 4"),
        ({"a": entry("U8", [3], 0, 3)}, 2, "end at byte 3 of 2"),
        ({"a": entry("U8", [3], 1, 4)}, 4, "'a' begins at byte 1, expected 0"),
        ({"a": entry("U8", [3], 0, 3), "b": entry("U8", [3], 2, 5)}, 5, "'b' begins at byte 2"),
        ({"a": entry("U8", [3], 0, 3), "b": entry("U8", [3], 0, 3)}, 3, "'b' begins at byte 0"),
        ({"a": entry("U8", [3], 0, 3), "b": entry("U8", [3], 4, 7)}, 7, "'b' begins at byte 4"),
        ({"a": entry("F32", [3], 0, 3)}, 3, "'a' has not the bytes"),
        ({"a": entry("U8", [4], 0, 3)}, 3, "'a' has not the bytes"),
        ({"a": entry("U8", [2**64 + 3], 0, 3)}, 3, "beyond all memory"),
        ({"a": entry("U8", [2**32, 2**32, 3], 0, 3)}, 3, "beyond all memory"),
        ({"a": entry("F64", [0, 2**62, 2**62], 0, 0)}, 0, "beyond all memory"),
        ({"a": entry("U8", [1] * 33, 0, 1)}, 1, "more than 32 dimensions"),
        ({"a": entry("U8", [-3], 0, 3)}, 3, "no shape"),
        ({"a": entry("U8", [True], 0, 1)}, 1, "no shape"),
        ({"a": entry("U8", [3.0], 0, 3)}, 3, "no shape"),
        ({"a": entry("U8", 3, 0, 3)}, 3, "no shape"),
        ({"a": entry(8, [3], 0, 3)}, 3, "no dtype"),
        ({"a": entry("U8", [3], 3, 0)}, 3, "no place"),
        ({"a": entry("U8", [3], -3, 0)}, 0, "no place"),
        ({"a": entry("U8", [3], "0", "3")}, 3, "no place"),
        ({"a": {"dtype": "U8", "shape": [3], "data_offsets": [3]}}, 3, "no place"),
        ({"a": {"dtype": "U8", "shape": [3]}}, 3, "not described"),
        ({"a": {**entry("U8", [3], 0, 3), "more": 1}}, 3, "not described"),
        ({"a": None}, 0, "not described"),
    ],
)
def test_refuses(entries: dict[str, Any], size: int, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        checked_layout(entries, size)


def test_numbers_of_any_length_make_a_short_complaint() -> None:
    with pytest.raises(ValueError, match="end at byte") as caught:
        checked_layout({"x" * 10**6: entry("BF16", [1], 0, 10**900)}, 3)
    assert len(str(caught.value)) < 200
