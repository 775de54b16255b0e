"""Hidden units by what they respond to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from explain.models import NEW, gaussian, y_of
from halfseen import RBMImputer
from halfseen.explain import hidden_units


def test_responses_are_weights_per_standard_deviation(models: dict[str, Any]) -> None:
    model = models["multiclass"]
    schema, weights = model.schema_, np.asarray(model.rbm_.weights, float)[0]
    found = hidden_units(model, top=6, n_responses=99)
    assert len(found.units) == 6
    strengths = [of.strength for of in found.units]
    assert strengths == sorted(strengths, reverse=True)
    for of in found.units:
        sizes = [abs(response.weight) for response in of.responses]
        assert sizes == sorted(sizes, reverse=True)
        assert len(sizes) == schema.n_units
        variance = 0.0  # of the input, were columns independent
        for j, column in enumerate(schema.columns):
            own, p = weights[schema.units_of(j), of.unit], np.array(column.marginal)
            if column.unit == "gaussian":
                of_column = own @ own
            elif column.n_units == 1:
                of_column = (p * (1 - p) * own**2).item()
            else:
                of_column = p @ (own - p @ own) ** 2
            variance += of_column
            responses = [
                r for r in of.responses if (r.column, r.is_target) == (column.name, j == 5)
            ]
            assert sum(r.weight**2 for r in responses) == pytest.approx(of_column)
        assert of.strength**2 == pytest.approx(variance)
    values = {r.value for r in found.units[0].responses if r.column == "colour"}
    assert values == {"red", "green", "blue"}
    [sold] = [r for r in found.units[0].responses if r.column == "sold"]
    assert sold.value is True
    assert np.sign(sold.weight) == np.sign(weights[schema.units_of(4), found.units[0].unit])


def test_rows_that_activate_a_unit_most(models: dict[str, Any]) -> None:
    model, y = models["multilabel"], y_of("multilabel", NEW)
    units = model._complete_units(model._encode(NEW, y)[1])
    inputs = units @ np.asarray(model.rbm_.weights)[0] + np.asarray(model.rbm_.hidden_bias)[0]
    expected = 1 / (1 + np.exp(-inputs))
    for of in hidden_units(model, NEW, y, top=3, n_rows=4).units:
        own = expected[:, of.unit]
        assert of.activation == pytest.approx(own.mean(), rel=1e-5)
        assert [row.row for row in of.rows] == np.argsort(-own)[:4].tolist()
        assert [row.activation for row in of.rows] == pytest.approx(np.sort(own)[:-5:-1], rel=1e-5)
    assert all(of.rows == () for of in hidden_units(model).units)


def test_several_machines_are_ranked_together() -> None:
    X = np.random.default_rng(0).normal(size=(50, 3))
    model = RBMImputer(4, n_iter=2, n_estimators=3, random_state=0).fit(X)
    found = hidden_units(model, X, top=12)
    assert {(of.machine, of.unit) for of in found.units} == {
        (machine, unit) for machine in range(3) for unit in range(4)
    }
    table = pd.DataFrame(found.table())
    assert len(table) == 36
    assert {"machine", "strength", "response_column", "response_weight"} <= {*table}


def test_a_model_without_hidden_units_is_refused() -> None:
    model, X = gaussian(np.eye(2), 20)
    with pytest.raises(TypeError, match="GaussianModel has no hidden units to show"):
        hidden_units(model, X)
