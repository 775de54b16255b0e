"""Column types: encoding, decoding, categories and gross outliers."""

from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from halfseen.data.columns import Column, gross_outliers, learn_column
from halfseen.data.raw import category_key, read_column

DAY = date(2024, 1, 1)
CELLS = {
    "numeric": [1.5, None, -2.25, 8.0], "log-numeric": [0.01, None, 3.0, 1e6],
    "ordinal": [3, None, 1, 2], "binary": ["no", None, "yes", "no"],
    "categorical": ["b", None, "a", "c"],
}  # fmt: skip


@pytest.mark.parametrize("type", CELLS)
def test_a_column_round_trips_through_its_units(type):
    cells = CELLS[type]
    column = learn_column(cells, "x", type)
    values, observed = column.encode(cells)
    assert (values.shape, values.dtype) == ((4, column.n_units), np.float32)
    assert observed.tolist() == [True, False, True, True]
    assert not values[1].any()
    decoded = column.decode(values)[observed].tolist()
    known = [cell for cell in cells if cell is not None]
    assert decoded == (pytest.approx(known, rel=1e-5) if column.is_number else known)


@settings(deadline=None)
@given(
    st.lists(st.floats(1e-300, 1e300) | st.floats(-1e300, -1e-300) | st.just(0.0), min_size=1),
    st.sampled_from(["numeric", "log-numeric"]),
)
def test_numbers_at_any_scale_of_float64_stay_finite_and_in_range(numbers, type):
    numbers = np.abs(numbers) if type == "log-numeric" else numbers
    column = learn_column(numbers, 0, type)
    values, _ = column.encode([*numbers, 1.7e308, -1.7e308, 5e-324, 0.0])
    decoded = column.decode(values)
    assert np.isfinite(np.append(values, decoded)).all()
    assert ((decoded >= column.low) & (decoded <= column.high)).all()


@pytest.mark.parametrize(
    ("cells", "n_categories", "asked", "decoded"),
    [([1, 1.0, "1", " 1.0 ", "b"], 2, np.array([1.0], np.float32), [1]),
     (["007", "7", "+7"], 3, [7, "007"], ["7", "007"]),
     ([2**60, 2**60 + 1], 2, [2**60 + 1, str(2**60)], [2**60 + 1, 2**60])],
)  # fmt: skip
def test_a_category_is_a_number_or_a_text(cells, n_categories, asked, decoded):
    column = learn_column(cells, "x", "categorical")
    assert len(column.categories) == n_categories
    values, observed = column.encode(asked)
    assert observed.all()
    assert column.decode(values).tolist() == decoded


@pytest.mark.parametrize(
    ("value", "key"),
    [(Decimal("2.50"), "2.5"), (Fraction(1, 2), "0.5"), (np.float32(0.1), "0.1"), (-0.0, "0"),
     (1e22, "1" + "0" * 22), (True, "True"), (np.int8(-3), "-3"), ("-0.0", "0"), ("x", "x")],
)  # fmt: skip
def test_key_of_a_category(value, key):
    assert category_key(value) == key


def test_booleans_match_what_files_write_for_them():
    column, labels = learn_column([True, False], "x", "binary"), learn_column([0, 1], "x", "binary")
    assert column.encode(["true", "FALSE", 1, "0"])[0].tolist() == [[1.0], [0.0], [1.0], [0.0]]
    assert labels.encode([True, False])[0].tolist() == [[1.0], [0.0]]


def test_values_that_have_no_unit_are_named_and_taken_as_missing():
    column = learn_column(["a", "b"], "x", "categorical")
    with pytest.warns(UserWarning, match=r"'x': 'new' is not a category"):
        values, observed = column.encode(["a", "new", "b"])
    assert observed.tolist() == [True, False, True]
    assert not values[1].any()
    column = learn_column([0.0, 0.25, 1.0], "x", "binary", graded=True)
    assert column.decode(column.encode([0.25, None])[0])[0] == 0.25
    with pytest.warns(UserWarning, match=r"outside \[0, 1\]"):
        assert column.encode([2.0, 0.5])[1].tolist() == [False, True]


@pytest.mark.parametrize("far", [1e6, 1e30, -1e30])
@pytest.mark.parametrize("type", ["numeric", "log-numeric"])
def test_one_outlier_is_found_and_does_not_change_the_scale(far, type):
    numbers = np.random.default_rng(0).uniform(1, 4, 300)
    clean = learn_column(numbers, "height", type)
    numbers[7] = far = abs(far) ** 2 if type == "log-numeric" else far
    column = learn_column(numbers, "height", type, outliers=(outliers := []))
    assert outliers == [("height", 7, far)]
    assert column.scale == pytest.approx(clean.scale, rel=0.02)
    assert column.high <= 4
    assert abs(column.encode([far])[0].item()) < 10


@pytest.mark.parametrize("draw", ["normal", "exponential", "lognormal", "standard_t", "pareto"])
def test_tails_of_usual_distributions_hold_no_gross_outliers(draw):
    rng = np.random.default_rng(1)
    shape = {"standard_t": (2,), "pareto": (1.5,), "lognormal": (0, 1.5)}.get(draw, ())
    marked = [gross_outliers(getattr(rng, draw)(*shape, size=400)).sum() for _ in range(40)]
    assert sum(marked) <= 1
    common_value = np.append(np.zeros(200), [*np.linspace(1, 2, 20), 1e8])
    assert np.flatnonzero(gross_outliers(common_value)).tolist() == [220]


@pytest.mark.parametrize(
    ("cells", "type", "categories", "message"),
    [(["a", 1.0], "numeric", None, "row 0 holds 'a'"), ([DAY], "numeric", None, "holds dates"),
     ([1.0, -2.0], "log-numeric", None, "row 1 holds -2.0"),
     ([1, 2, 3], "binary", None, "3 different values"),
     (["xl"], "ordinal", ["s", "m"], "'xl', which is not among"),
     (["1"], "ordinal", ["1", 1.0], "repeat")],
)  # fmt: skip
def test_values_that_do_not_fit_their_type_are_refused(cells, type, categories, message):
    with pytest.raises(ValueError, match=message):
        learn_column(cells, "x", type, categories=categories)


def test_given_categories_keep_their_order():
    assert learn_column(["m"], "x", "ordinal", categories=["s", "m"]).categories == ("s", "m")
    assert learn_column([None], "size", "ordinal").reason == "empty"


def test_probabilities_sum_to_one():
    column = learn_column(["a", "b", "c"], "x", "categorical", one_unit_per_class=True)
    assert column.unit == "bernoulli"
    found = column.probabilities(np.array([[0.2, 0.2, 0.0], [0.0, 0.0, 0.0]]))
    np.testing.assert_allclose(found, [[0.5, 0.5, 0.0], [1 / 3] * 3])
    two = learn_column([0, 1], "x", "binary")
    np.testing.assert_allclose(two.probabilities(np.array([[0.2]])), [[0.8, 0.2]])


@pytest.mark.parametrize(
    "change",
    [{"scale": 0.0}, {"scale": float("nan")}, {"low": 9.0}, {"unit": "none"}, {"marginal": ()},
     {"type": "log-numeric"}, {"reason": "empty"}, {"extra": 1}, {"categories": ("a",)}],
)  # fmt: skip
def test_a_forged_column_is_refused(change):
    with pytest.raises(ValidationError):
        Column(**(dict(learn_column([-1.0, 2.0], "x", "numeric")) | change))


@pytest.mark.parametrize(
    ("cells", "error", "message"),
    [([1.0, np.inf], ValueError, "infinity.*row 1"),
     (["a", float("inf")], ValueError, "infinity.*row 1"), ([1, 10**400], ValueError, "too large"),
     ([1j], ValueError, "Complex data not"), ([[1]], TypeError, "string or a number, not 'list'"),
     ([1.0, DAY], TypeError, "row 1.*not 'date'.*all dates")],
)  # fmt: skip
def test_cells_that_are_no_data_are_refused(cells, error, message):
    with pytest.raises(error, match=message):
        read_column(cells, "x")


def test_text_becomes_numbers_only_if_nothing_is_lost():
    assert read_column(["1.50", None, "2e3", "-.5"]).kind == "number"
    for text in (["1", "07"], ["1", "x"], [str(2**53 + 1), "1"], ["1e999"], ["nan", "1"]):
        assert read_column(text).kind == "text"
