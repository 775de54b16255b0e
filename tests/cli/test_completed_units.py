from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from cli.tiny import MODEL, tiny_table
from halfseen import load
from halfseen.cli import completed_units as module
from halfseen.cli.completed_units import bounds_of_units, completed_units
from halfseen.tables import Encoded, read_table


@pytest.fixture(scope="module")
def model() -> Any:
    return load(MODEL)


@pytest.fixture(scope="module")
def rows(model: Any) -> Encoded:
    features = tiny_table()[["size", "weight", "sold", "colour"]]
    encoded: Encoded = model.schema_.encode(read_table(features), None)
    return encoded


def test_parts_change_nothing(model: Any, rows: Encoded, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, bounds = completed_units(model, rows), bounds_of_units(model, rows, 0.9)
    monkeypatch.setattr(module, "_ROWS_AT_ONCE", 7)
    np.testing.assert_array_equal(completed_units(model, rows), whole)
    for part, expected in zip(bounds_of_units(model, rows, 0.9), bounds, strict=True):
        np.testing.assert_array_equal(part, expected)


def test_the_ensemble_answers(model: Any, rows: Encoded) -> None:
    np.testing.assert_array_equal(completed_units(model, rows), model.prediction_.complete(*rows))
