from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.tables import Column, read_table

SIZE = Column("size", "numeric", "gaussian", 10.0, 2.0, (), "float64", (0.0,), 9)
HUE = Column("hue", "categorical", "softmax", 0.0, 1.0, ("u", "v"), "<U5", (0.25, 0.75), 4)
EMPTY = Column("none", "empty", "none", 0.0, 1.0, (), "float64", (), 0)


def test_n_units() -> None:
    assert (SIZE.n_units, HUE.n_units, EMPTY.n_units) == (1, 2, 0)


@pytest.mark.parametrize(
    ("categories", "dtype"),
    [
        ((0, 7), "int64"),
        ((0, 200), "uint8"),
        (("u", "vw"), "<U5"),
        (("u", 3), "object"),
        ((0.0, 2.0), "float32"),
        ((False, True), "bool"),
        ((2**60, 2**60 + 1), "int64"),
    ],
)
def test_classes_restore_the_type(categories: tuple[Any, ...], dtype: str) -> None:
    column = replace(HUE, categories=categories, category_dtype=dtype)
    assert column.classes.dtype == np.dtype(dtype)
    assert column.classes.tolist() == list(categories)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"kind": "odd"}, "unknown kind"),
        ({"unit": "gaussian"}, "cannot have 'gaussian' units"),
        ({"scale": 0.0}, "positive"),
        ({"mean": float("nan")}, "finite"),
        ({"categories": ()}, "belong to a categorical column"),
        ({"categories": ("u", "u")}, "repeat"),
        ({"marginal": (1.0,)}, "as many marginals"),
        ({"marginal": (-0.5, 1.5)}, "between 0 and 1"),
        ({"n_observed": -1}, "negative"),
        ({"category_dtype": "int64"}, "not of type 'int64'"),
        ({"category_dtype": "nonsense"}, "not of type 'nonsense'"),
        ({"category_dtype": "<U99999999"}, "not of type"),
        ({"category_dtype": "datetime64[s]"}, "not of type"),
        ({"categories": (300, 1), "category_dtype": "uint8"}, "not of type 'uint8'"),
        ({"categories": ("long", "v"), "category_dtype": "<U1"}, "not of type '<U1'"),
    ],
)
def test_nonsense_is_refused(change: dict[str, Any], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        replace(HUE, **change)


@settings(deadline=None)
@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6), st.lists(st.floats(-30, 30), min_size=1))
def test_destandardised_undoes_standardised(mean: float, scale: float, z: list[float]) -> None:
    column = replace(SIZE, mean=mean, scale=scale)
    values = mean + scale * np.array(z)
    back = column.destandardised(column.standardised(values))
    np.testing.assert_allclose(back, values, rtol=1e-12, atol=4e-6 * scale)


@pytest.mark.parametrize("scale", [1e308, 1e300, 1e-300, 5e-324])
def test_extreme_scales(scale: float) -> None:
    column = replace(SIZE, mean=-scale, scale=scale)
    units = column.standardised(np.array([-scale, 0.0, scale]))
    np.testing.assert_allclose(units, [0.0, 1.0, 2.0], rtol=1e-6)
    np.testing.assert_allclose(column.destandardised(units), [-scale, 0.0, scale], atol=0)


def test_far_values_stay_finite() -> None:
    column = replace(SIZE, mean=0.0, scale=1e-300)
    limit = np.finfo(np.float32).max
    assert column.standardised(np.array([1.0, -1e308])).tolist() == [limit, -limit]
    far = replace(SIZE, scale=1e300).destandardised(np.array([limit, -limit]))
    assert np.isfinite(far).all()


def test_codes() -> None:
    raw = read_table([["v"], [None], ["new"], ["u"]]).columns[0]
    assert HUE.codes(raw).tolist() == [1, -1, -1, 0]


def test_codes_of_numbers() -> None:
    column = replace(HUE, categories=(2, 5), category_dtype="int64")
    raw = read_table(np.array([[5.0], [np.nan], [3.0], [2.0], [5.0]])).columns[0]
    assert column.codes(raw).tolist() == [1, -1, -1, 0, 1]
    assert column.codes(read_table([[None]]).columns[0]).tolist() == [-1]


def test_holds_text() -> None:
    assert HUE.holds_text
    assert not SIZE.holds_text
