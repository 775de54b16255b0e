"""Settings are smooth in the shape of a table."""

from __future__ import annotations

from dataclasses import asdict
from itertools import product
from typing import Any

import numpy as np
import pytest

from halfseen.ensemble.config import Effort, for_table

# Settings that fall to zero may do so in steps of this size.
RAMPS = {"keep_features": 0.02, "n_boosting_rounds": 8.0, "n_bins": 2.0}


def numbers_of(**shape: Any) -> dict[str, float]:
    settings = asdict(for_table(**shape))
    return {name: value for name, value in settings.items() if isinstance(value, int | float)}


def neighbours(shape: dict[str, Any]) -> list[dict[str, Any]]:
    grown = {name: max(shape[name] + 1, round(1.1 * shape[name])) for name in list(shape)[:3]}
    grown["n_units"] = max(grown["n_units"], grown["n_numbers"])
    grown["share_observed"] = shape["share_observed"] + 0.02
    return [shape | {name: value} for name, value in grown.items()]


@pytest.mark.parametrize("effort", ["fast", "default", "best"])
def test_neighbouring_tables_have_neighbouring_settings(effort: Effort) -> None:
    rows = np.geomspace(50, 100_000, 60).round().astype(int)
    for n_rows, n_units, of_units in product(rows, (3, 20, 150, 550, 900, 2000), (0, 0.6, 1)):
        for share in (0.1, 0.49, 0.55, 0.7, 0.95) if n_rows == rows[0] else (0.5,):
            shape = {
                "n_rows": int(n_rows),
                "n_units": n_units,
                "n_numbers": int(of_units * n_units),
                "share_observed": share,
            }
            here = numbers_of(**shape, effort=effort)
            for other in neighbours(shape):
                for name, there in numbers_of(**other, effort=effort).items():
                    step = abs(there - here[name])
                    allowed = max(0.25 * max(there, here[name]), RAMPS.get(name, 0.0))
                    if isinstance(there, int):
                        allowed = max(allowed, 1.0)
                    assert step <= allowed + 1e-9, (name, here[name], there, shape, other)


def test_more_effort_is_more_work() -> None:
    shape: dict[str, Any] = {"n_rows": 5000, "n_units": 40, "n_numbers": 20, "share_observed": 0.8}
    fast, default, best = (numbers_of(**shape, effort=e) for e in ("fast", "default", "best"))
    for name in ("n_folds", "n_steps"):
        assert fast[name] < default[name] < best[name]
    n_trees = [numbers["n_folds"] * numbers["n_trees"] for numbers in (fast, default, best)]
    assert n_trees[0] < n_trees[1] <= n_trees[2]


@pytest.mark.parametrize("n_estimators", [1, 2, 5])
def test_as_many_machines_as_are_asked_for(n_estimators: int) -> None:
    shape: dict[str, Any] = {"n_rows": 500, "n_units": 9, "n_numbers": 3, "share_observed": 0.7}
    assert for_table(**shape, n_estimators=n_estimators).n_folds == n_estimators
