from __future__ import annotations

import numpy as np
import pytest

from explanations.tiny import people
from halfseen.explanations import explain_rows
from halfseen.explanations.example_model import example_model


def test_parts_are_weights_times_how_unusual_the_unit_is() -> None:
    model = example_model()
    machine = model.machine_
    assert machine is not None
    (explained,) = explain_rows(model, people(), [0], target="ill", patterns=())
    weights = machine.weights[0].astype(float)
    pushes = []
    for part in explained.hidden_units:
        away = part.activation - part.usual_activation
        assert part.pushes[0].push == pytest.approx(weights[2, part.unit] * away)
        pushes.append(abs(part.pushes[0].push))
        by = {"age": 0.0} | {each.column: each.push for each in part.columns}
        assert by["age"] == pytest.approx(weights[0, part.unit] * 1.25, abs=1e-6)
        assert by["smokes"] == pytest.approx(weights[1, part.unit] * 0.7, abs=1e-6)
        town = weights[4:, part.unit] @ (np.array([0, 1, 0]) - [0.5, 0.3, 0.2])
        assert by["town"] == pytest.approx(town, abs=1e-6)
    assert len(pushes) == 3
    assert pushes == sorted(pushes, reverse=True)


def test_without_a_question_the_farthest_from_usual_come_first() -> None:
    model, X = example_model(), people()
    (explained,) = explain_rows(model, X, [0], [[1, 0]] * len(X), patterns=())
    assert explained.answers == ()
    away = [abs(part.activation - part.usual_activation) for part in explained.hidden_units]
    assert away == sorted(away, reverse=True)
    assert {part.pushes for part in explained.hidden_units} == {()}
