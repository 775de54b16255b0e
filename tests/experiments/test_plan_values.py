from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfseen.experiments.plan_values import PlanError, PlanValues

VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.lists(st.text())


@given(value=VALUES)
def test_a_rate_is_a_share_or_an_error_that_names_the_key(value: Any) -> None:
    values = PlanValues({}, "plan.toml", "[[grid]] 2")
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and 0 <= value <= 1:
        assert values.rate("rates", value) == value
    else:
        with pytest.raises(PlanError, match=r"^plan.toml: \[\[grid\]\] 2, key 'rates' holds"):
            values.rate("rates", value)


@given(value=VALUES, least=st.integers(0, 3))
def test_a_whole_number_is_one_or_an_error(value: Any, least: int) -> None:
    values = PlanValues({"n": value}, "plan.toml")
    is_one = isinstance(value, int) and not isinstance(value, bool) and value >= least
    if is_one:
        assert values.whole("n", 10, least) == value
    else:
        with pytest.raises(PlanError, match=r"plan\.toml: key 'n' must be a whole number"):
            values.whole("n", 10, least)


def test_percent_are_told_how_to_be_written() -> None:
    with pytest.raises(PlanError, match=r"For 50 % write 0\.5\."):
        PlanValues({}, "plan.toml").rate("rates", 50)


def test_numbers_are_checked() -> None:
    values = PlanValues({"a": 2, "b": "x", "c": -1.0, "d": float("nan")}, "plan.toml")
    assert values.number("a", 1.0, 0) == 2.0
    for key in "bcd":
        with pytest.raises(PlanError, match="number"):
            values.number(key, 1.0, 0)


def test_choices_come_once_and_are_known() -> None:
    values = PlanValues({"a": ["x", "y", "x"], "b": "z", "c": []}, "plan.toml")
    assert values.choices("a", ["x", "y"], ()) == ("x", "y")
    with pytest.raises(PlanError, match="Allowed are: x, y"):
        values.choices("b", ["x", "y"], ())
    with pytest.raises(PlanError, match="is empty"):
        values.choices("c", ["x", "y"], ())
