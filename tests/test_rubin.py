"""Rubin's rules against figures worked by hand, and what they refuse."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t as student

from halfseen import pool


def test_three_estimates_worked_by_hand() -> None:
    found = pool([10.0, 11.0, 12.0], [1.0, 1.0, 1.0])
    # W = 1, B = 1, T = 1 + 4 / 3; r = 4 / 3, nu = 2 (1 + 3 / 4) ** 2.
    assert found.estimate == 11.0
    assert found.standard_error == pytest.approx((7 / 3) ** 0.5)
    assert found.dof == pytest.approx(2 * (7 / 4) ** 2)
    assert found.missing_share == pytest.approx(4 / 7)
    reach = student.ppf(0.975, found.dof) * found.standard_error
    assert (found.lower, found.upper) == pytest.approx((11 - reach, 11 + reach))


def test_few_rows_leave_fewer_degrees_of_freedom() -> None:
    # nu_obs = 100 / 102 * 99 * 3 / 7, and 1 / nu = (4 / 7) ** 2 / 2 + 1 / nu_obs.
    found = pool([10.0, 11.0, 12.0], [1.0] * 3, complete_dof=99)
    assert found.dof == pytest.approx(1 / ((4 / 7) ** 2 / 2 + 102 / (100 * 99 * 3 / 7)))


def test_without_missing_values_the_complete_analysis_is_left() -> None:
    found = pool([2.0, 2.0], [0.25, 0.25], complete_dof=30, coverage=0.9)
    assert found.missing_share == 0
    assert found.dof == pytest.approx(30 * 31 / 33)
    assert np.isinf(pool([2.0, 2.0], [0.25, 0.25]).dof)


def test_arrays_and_series_are_pooled_one_by_one_and_stay_what_they_are() -> None:
    estimates, variances = np.array([[1.0, 5.0], [3.0, 5.0]]), np.full((2, 2), 0.5)
    found = pool(estimates, variances)
    alone = pool([1.0, 3.0], [0.5, 0.5])
    assert [part[0] for part in found] == pytest.approx(list(alone))
    named = pool([pd.Series(row, index=["a", "b"]) for row in estimates], variances)
    assert named.upper["a"] == pytest.approx(alone.upper)
    assert list(named.estimate.index) == ["a", "b"]


def test_fitted_models_bring_their_errors_and_degrees_of_freedom() -> None:
    models = [
        SimpleNamespace(
            params=pd.Series({"slope": s}), bse=pd.Series({"slope": 0.5}), df_resid=98.0
        )
        for s in (1.0, 1.5, 2.0)
    ]
    found, alone = pool(models), pool([1.0, 1.5, 2.0], [0.25] * 3, complete_dof=98.0)
    assert found.lower["slope"] == pytest.approx(alone.lower)
    assert found.dof["slope"] == pytest.approx(alone.dof)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1.0], [1.0]), "at least two filled tables"),
        (([1.0, 2.0], None), "Pass variances"),
        (([1.0, 2.0], [1.0, -1.0]), "must not be negative"),
        (([1.0, np.nan], [1.0, 1.0]), "estimates must be finite"),
        (([1.0, 2.0], [1.0]), "differ in shape"),
    ],
)
def test_what_cannot_be_pooled_is_refused(arguments: tuple[object, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        pool(*arguments)  # type: ignore[arg-type]
