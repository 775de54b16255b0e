from __future__ import annotations

from halfseen import HalfseenClassifier, HalfseenImputer
from halfseen.cli.column_plan import ColumnPlan
from halfseen.cli.training_options import Training


def test_what_is_asked_for_reaches_the_estimator() -> None:
    plan = ColumnPlan(("a", "b"), ("y",), (), {"a": "log", "y": "categorical"})
    model = Training("best", 10, 60.0, False, True).new_model(plan, 7)
    assert isinstance(model, HalfseenClassifier)
    assert model.column_kinds == {"a": "log"}
    asked = (model.effort, model.max_seconds, model.companion, model.sees_missing)
    assert asked == ("best", 60.0, False, True)
    assert model.random_state == 7


def test_without_labels_an_imputer() -> None:
    model = Training().new_model(ColumnPlan(("a",), (), (), {}), 0)
    assert isinstance(model, HalfseenImputer)
    assert (model.column_kinds, model.max_seconds, model.effort) == ("auto", "auto", "default")
