"""How far missing numbers may go beyond those observed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from halfseen.estimators import bounds_of_numbers as module
from halfseen.estimators.bounds_of_numbers import bounds_of_numbers
from halfseen.tables import Schema, learn_columns, read_table


def bounds_of(values: Any) -> NDArray[np.float64]:
    """The bounds of a column in its own units."""
    table = read_table(np.asarray(values, float)[:, None])
    schema = Schema(learn_columns(table), (), None)
    bounds = bounds_of_numbers(schema.encode(table, None), schema)
    column = schema.columns[0]
    return np.array([column.mean + column.scale * bound[0] for bound in bounds])


def test_beyond_the_last_by_its_distance_from_the_sixth() -> None:
    values = [-9.0, *np.linspace(-2, 2, 30), 11.0]
    step = 4 / 29
    lowest, highest = -9 - (7 + 4 * step), 11 + 9 + 4 * step
    np.testing.assert_allclose(bounds_of(values), [lowest, highest], rtol=1e-5)


def test_not_beyond_zero() -> None:
    values = np.geomspace(0.5, 90, 40)
    assert bounds_of(values)[0] == pytest.approx(0.5 - (values[5] - 0.5), rel=1e-4)
    apart = np.r_[0.5, 20 + values]
    assert bounds_of(apart)[0] == pytest.approx(0.0, abs=1e-4)
    assert bounds_of(-apart)[1] == pytest.approx(0.0, abs=1e-4)


def test_a_column_that_ends_in_a_frequent_value_ends_there() -> None:
    values = np.r_[np.full(8, 3.0), np.linspace(4, 9, 30), np.full(8, 20.0)]
    np.testing.assert_allclose(bounds_of(values), [3, 20], rtol=1e-5)


def test_of_few_values_or_many_rows_they_are_those_observed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    few = [1.0, 2.0, 3.5, 7.25, np.nan]
    np.testing.assert_allclose(bounds_of(few), [1, 7.25], rtol=1e-5)
    monkeypatch.setattr(module, "_MANY_ROWS", 20)
    np.testing.assert_allclose(bounds_of(np.geomspace(1, 90, 21)), [1, 90], rtol=1e-5)
