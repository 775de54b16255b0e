from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.tables import Column, read_table

SIZE = Column("size", "numeric", "gaussian", 10.0, 2.0, (), "float64", (0.0,), 9)
HUE = Column("hue", "categorical", "softmax", 0.0, 1.0, ("u", "v"), "<U5", (0.25, 0.75), 4)
SOLD = Column("sold", "numeric", "gaussian", 2.0, 1.5, (), "float64", (0.0,), 9, "log")
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
        ({"transform": "sqrt"}, "unknown transform 'sqrt'"),
        ({"transform": "log"}, "a categorical column cannot be on a log scale"),
        ({"mean": float("nan")}, "finite"),
        ({"categories": ()}, "belong to a categorical or ordinal column"),
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


def test_columns_are_linear_unless_told() -> None:
    assert (SIZE.transform, HUE.transform, EMPTY.transform) == ("linear",) * 3


def test_a_negative_mean_of_logarithms_is_refused() -> None:
    with pytest.raises(ValueError, match="'sold': the mean on a log scale cannot be negative"):
        replace(SOLD, mean=-0.1)


log_means, log_scales = st.floats(0.0, 20.0), st.floats(1e-3, 20.0)


@settings(deadline=None)
@given(log_means, log_scales, st.lists(st.floats(0.0, 1e300), min_size=1))
def test_log_destandardised_undoes_standardised(
    mean: float, scale: float, values: list[float]
) -> None:
    column = replace(SOLD, mean=mean, scale=scale)
    raw = np.array(values)
    units = column.standardised(raw)
    back = column.destandardised(units)
    # The unit is rounded to float32 and its logarithm computed in float64; nothing else is lost.
    rounding = scale * np.abs(units) * 2.0**-24 + 1e-15 * (mean + np.log1p(raw) + 1.0)
    assert (back >= 0.0).all()
    assert (np.abs(back - raw) <= (1.0 + raw) * np.expm1(2.0 * rounding)).all()


@settings(deadline=None)
@given(log_means, st.floats(0.1, 5.0), st.integers(0, 100_000))
def test_counts_come_back_whole(mean: float, scale: float, count: int) -> None:
    column = replace(SOLD, mean=mean, scale=scale)
    assert column.destandardised(column.standardised(np.array([count]))).round() == count


@settings(deadline=None)
@given(log_means, log_scales, st.lists(st.floats(0.0, 25.0, width=32), min_size=1))
def test_log_standardised_undoes_destandardised(mean: float, scale: float, z: list[float]) -> None:
    column = replace(SOLD, mean=mean, scale=scale)
    units = np.array(z, dtype=np.float32)
    np.testing.assert_allclose(
        column.standardised(column.destandardised(units)),
        units,
        rtol=2e-7,
        atol=1e-14 * (mean + 1.0) / scale,
    )


def test_log_units_are_those_of_log1p() -> None:
    values = np.array([0.0, 3.0, 1e6])
    np.testing.assert_allclose(
        SOLD.standardised(values), (np.log1p(values) - 2.0) / 1.5, rtol=1e-7, atol=0
    )


def test_values_below_zero_have_no_log_unit() -> None:
    assert np.isnan(SOLD.standardised(np.array([-0.5, 1.0, -7.0]))).tolist() == [True, False, True]


def test_far_log_units_stay_within_float64_and_not_below_zero() -> None:
    far = np.array([-np.finfo(np.float32).max, -5.0, 1e4, np.finfo(np.float32).max])
    limit = np.finfo(np.float64).max
    assert SOLD.destandardised(far).tolist() == [0.0, 0.0, limit, limit]
    assert np.isfinite(SOLD.log_slope(far)).all()
    back = SOLD.destandardised(SOLD.standardised(np.array([limit])))
    assert np.isfinite(back).all()


@settings(deadline=None)
@given(log_means, st.floats(0.1, 5.0), st.floats(0.05, 5.0))
def test_log_slope_is_the_slope_of_destandardised(mean: float, scale: float, z: float) -> None:
    step = 1e-5
    for transform in ("linear", "log"):
        column = replace(SIZE, mean=mean, scale=scale, transform=transform)
        low, high = column.destandardised(np.array([z - step, z + step]))
        (slope,) = column.log_slope(np.array([z]))
        assert slope == pytest.approx(np.log((high - low) / (2.0 * step)), abs=1e-5)


def test_log_slope_where_the_value_is_held_at_zero() -> None:
    assert SOLD.log_slope(np.array([-5.0])).tolist() == [np.log(1.5)]


MARKS = Column(
    "mark", "numeric", "gaussian", 2.5, 1.5, (1.0, 2.0, 5.0), "float64", (0.0,), 9, "ordinal"
)


@given(st.lists(st.floats(-10, 10), min_size=1))
def test_an_ordinal_column_answers_with_the_nearest_level(units: list[float]) -> None:
    values = MARKS.destandardised(np.array(units))
    levels = np.array(MARKS.categories)
    away = np.abs((2.5 + 1.5 * np.array(units))[:, None] - levels)
    assert np.isin(values, levels).all()
    assert np.allclose(np.abs(2.5 + 1.5 * np.array(units) - values), away.min(axis=1))
    assert np.array_equal(MARKS.destandardised(MARKS.standardised(levels)), levels)


@pytest.mark.parametrize(
    ("categories", "says"),
    [
        ((), "belong to a categorical or ordinal column"),
        ((2.0, 1.0), "levels of an ordinal column rise"),
        ((1, 2), "levels of an ordinal column are numbers"),
    ],
)
def test_what_cannot_be_levels(categories: tuple[float, ...], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        replace(MARKS, categories=categories)
