from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.files.fill_arrow import as_type, fill_arrow, fill_dictionary

INTEGERS = [pa.int8(), pa.uint8(), pa.int16(), pa.uint32(), pa.int64(), pa.uint64()]


class Refused(Exception):
    pass


def refuse(place: int | None, shown: str) -> Exception:
    return Refused(place, shown)


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(INTEGERS))
@settings(max_examples=150, deadline=None)
def test_whole_numbers_are_rounded_and_kept_in_range(value: float, kind: pa.DataType) -> None:
    limits = np.iinfo(kind.to_pandas_dtype())
    got = as_type(pa.array([value]), kind, refuse)[0].as_py()
    wanted = min(max(round(value), int(limits.min)), int(limits.max))
    assert got == wanted or abs(got - wanted) <= 2048 <= abs(wanted) / 2**52


def test_integers_stay_exact() -> None:
    assert as_type(pa.array([2**62 + 1]), pa.int64(), refuse).to_pylist() == [2**62 + 1]
    assert as_type(pa.array([2**62 + 1]), pa.int8(), refuse).to_pylist() == [127]


@pytest.mark.parametrize("value", [1e9, -1e9, 3.14159, 0.005])
def test_decimals_are_rounded_and_kept_in_range(value: float) -> None:
    got = as_type(pa.array([value]), pa.decimal128(7, 2), refuse)[0].as_py()
    assert abs(got) <= Decimal("99999.99")
    if abs(value) < 1e5:
        assert abs(float(got) - value) <= 0.0051


def test_the_place_of_a_value_that_does_not_fit_is_told() -> None:
    column = pa.array([1, None, None], pa.int8())
    with pytest.raises(Refused) as caught:
        fill_arrow(column, np.array([False, True, True]), pa.array(["1", "2", "x"]), refuse)
    assert caught.value.args == (2, "x")


def test_a_dictionary_that_is_full_refuses() -> None:
    words = [f"w{n}" for n in range(127)]
    column = pa.DictionaryArray.from_arrays(pa.array([0, None], pa.int8()), words)
    chosen = np.array([False, True])
    known = fill_dictionary(column, chosen, pa.array(["x", "w126"]), None, refuse)
    assert known.to_pylist() == ["w0", "w126"]
    with pytest.raises(Refused):
        fill_dictionary(column, chosen, pa.array(["x", "new"]), None, refuse)


def test_known_words_keep_their_places() -> None:
    column = pa.array(["b", None]).dictionary_encode()
    filled = fill_dictionary(
        column, np.array([False, True]), pa.array(["", "c"]), pa.array(["a", "b"]), refuse
    )
    assert filled.dictionary.to_pylist() == ["a", "b", "c"]
    assert filled.to_pylist() == ["b", "c"]


def test_nothing_chosen_changes_nothing() -> None:
    column = pa.array([1.0, None])
    assert fill_arrow(column, np.array([False, False]), pa.array([2.0, 2.0]), refuse) is column
