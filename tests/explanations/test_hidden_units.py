from __future__ import annotations

from copy import copy

import numpy as np
import pytest

from halfseen import HalfseenClassifier
from halfseen.explanations import hidden_units
from halfseen.explanations.example_model import example_model


def test_units_by_what_they_respond_to() -> None:
    model = example_model()
    machine = model.machine_
    assert machine is not None
    weights = machine.weights[0].astype(float)
    summaries = hidden_units(model)
    assert sorted(unit.unit for unit in summaries) == [0, 1, 2]
    strengths = [unit.strength for unit in summaries]
    assert strengths == sorted(strengths, reverse=True)
    for summary in summaries:
        of_unit = weights[:, summary.unit]
        found = {(each.column, each.category): each.weight for each in summary.responds_to}
        assert len(found) == 7
        assert found["age", None] == pytest.approx(of_unit[0])
        assert found["ill", None] == pytest.approx(of_unit[2] * np.sqrt(0.4 * 0.6))
        others = (0.5 * of_unit[4] + 0.2 * of_unit[6]) / 0.7
        lund = (of_unit[5] - others) * np.sqrt(0.3 * 0.7)
        assert found["town", "Lund"] == pytest.approx(lund)
        assert summary.strength == pytest.approx(np.sqrt(sum(w**2 for w in found.values())))
        inputs = machine.hidden_bias[0, summary.unit] + model.schema_.marginals @ of_unit
        assert summary.activation == pytest.approx(1 / (1 + np.exp(-inputs)))
        sizes = [abs(each.weight) for each in summary.responds_to]
        assert sizes == sorted(sizes, reverse=True)
    assert hidden_units(model, top=1, n_columns=2)[0].responds_to == summaries[0].responds_to[:2]


def test_of_an_ensemble_every_member_counts(ensemble: HalfseenClassifier) -> None:
    alone = copy(ensemble)
    alone.machine_ = None
    assert alone.prediction_ is not None
    summaries = hidden_units(alone, top=1000)
    n_members, n_hidden = alone.prediction_.ensemble.hidden_bias.shape
    assert n_members > 1
    assert {unit.machine for unit in summaries} == set(range(n_members))
    assert len(summaries) == n_members * n_hidden
    assert ensemble.machine_ is not None
    assert len(hidden_units(ensemble, top=1000)) == ensemble.machine_.hidden_bias.size
