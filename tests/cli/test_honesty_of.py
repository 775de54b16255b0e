from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from halfseen.cli.honesty_of import honesty_of
from halfseen.tables import Schema, learn_columns, learn_target_columns, read_table, read_target


def test_coverage_sureness_and_calibration_are_counted() -> None:
    X, y = read_table([[1.0], [3.0], [5.0], [7.0]]), read_target(["a", "b", "a", "b"])
    schema = Schema(learn_columns(X), learn_target_columns(y), "classes")
    truth = schema.encode(X, y).visible
    seen = schema.encode(read_table([[1.0], [None], [None], [None]]), None)
    hidden = ~seen.observed
    completed = seen.visible.copy()
    completed[:, 1:] = [[0.9, 0.1], [0.2, 0.8], [0.3, 0.7], [0.4, 0.6]]

    def interval(visible: Any, observed: Any, level: float) -> tuple[Any, Any]:
        return np.full((4, 1), -0.5), np.full((4, 1), 0.5)  # holds the values 3 and 5

    prediction = SimpleNamespace(interval=interval, smallest_probability=lambda *_, **__: 0.35)
    model: Any = SimpleNamespace(schema_=schema, prediction_=prediction)
    honesty = honesty_of(model, seen, truth, hidden, completed, np.array([2.0, 1.0, 1.0]), 0.8)
    assert honesty.interval_coverage == pytest.approx(2 / 3)
    assert honesty.interval_width == pytest.approx(0.5)
    assert honesty.set_coverage == pytest.approx(3 / 4)  # the third row is sure, and wrong
    assert honesty.share_sure == pytest.approx(3 / 4)
    assert honesty.right_when_sure == pytest.approx(2 / 3)
    assert honesty.calibration_error is not None
    assert honesty.chance_error is not None


def test_without_an_ensemble_nothing_is_claimed() -> None:
    nothing: Any = None
    model: Any = SimpleNamespace(prediction_=None)
    honesty = honesty_of(model, nothing, nothing, nothing, nothing, nothing, 0.9)
    assert honesty.set_coverage is None
