from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from explanations.tiny import HOT, NEW, OLD, people, random_machine, tiny_model
from halfseen.explanations import typical_patterns
from halfseen.explanations.example_model import example_model
from halfseen.explanations.typical_patterns import N_STARTS, pattern_values
from halfseen.tables import Schema

BINARY = (
    replace(NEW, marginal=(0.5,)),
    replace(HOT, marginal=(0.5,)),
    replace(OLD, marginal=(0.5,)),
)


def _two_modes() -> Any:
    """A machine of which all columns are on, or all off."""
    machine = random_machine(Schema(BINARY, (), None), 0, n_hidden=1)
    return tiny_model(
        BINARY,
        machine=replace(
            machine,
            weights=np.full((1, 3, 1), 8.0, np.float32),
            visible_bias=np.full((1, 3), -4.0, np.float32),
            hidden_bias=np.full((1, 1), -12.0, np.float32),
        ),
    )


def test_patterns_are_fixed_points_of_the_mean_field_equations() -> None:
    model = example_model()
    machine = model.machine_
    assert machine is not None
    patterns = typical_patterns(model)
    assert sum(pattern.share for pattern in patterns) == pytest.approx(1.0)
    for pattern in patterns:
        units = pattern.units.astype(float)
        hidden = 1 / (1 + np.exp(-(units @ machine.weights[0] + machine.hidden_bias[0])))
        inputs = machine.weights[0] @ hidden + machine.visible_bias[0]
        towns = np.exp(inputs[4:])
        swept = [
            np.exp(machine.log_variance[0, 0]) * inputs[0],
            *(1 / (1 + np.exp(-inputs[1:4]))),
            *(towns / towns.sum()),
        ]
        np.testing.assert_allclose(units, swept, atol=1e-4)


def test_both_modes_are_found_with_their_shares() -> None:
    model = _two_modes()
    patterns = typical_patterns(model)
    values = [[value.value for value in pattern.values] for pattern in patterns]
    assert sorted(values) == [[0, 0, 0], [1, 1, 1]]
    assert sum(pattern.share for pattern in patterns) == 1.0
    assert min(pattern.share for pattern in patterns) * N_STARTS > 20
    assert len(typical_patterns(model, n=1)) == 1


def test_rows_of_a_table_end_in_their_pattern() -> None:
    model = _two_modes()
    rows = [[1, 1, np.nan], [0, 0, 0], [1, np.nan, 1], [1, 1, 1]]
    X = pd.DataFrame(rows, columns=["new", "hot", "old"])
    on, off = typical_patterns(model, X=X)
    assert (on.share, off.share) == (0.75, 0.25)
    assert [value.value for value in on.values] == [1, 1, 1]
    turned = typical_patterns(model, X=X[::-1])
    assert turned == (on, off)
    np.testing.assert_array_equal(turned[0].units, on.units)


def test_values_are_told_in_the_units_of_their_columns() -> None:
    schema = example_model().schema_
    values = pattern_values(schema, np.array([1.5, 0.2, 0.9, 0.5, 0.1, 0.7, 0.2], np.float32))
    told = {value.column: (value.value, value.probability) for value in values}
    assert told["age"] == (80.0, None)
    assert told["smokes"] == (0, pytest.approx(0.8))
    assert told["town"] == ("Lund", pytest.approx(0.7))
    assert [value.is_target for value in values if value.column == "ill"] == [True]
    deviations = [abs(value.deviation) for value in values]
    assert deviations == sorted(deviations, reverse=True)


def test_a_model_without_the_machine_says_what_to_do() -> None:
    model = example_model()
    model.machine_ = None
    with pytest.raises(ValueError, match=r"companion=False.*fit it again with companion=True"):
        typical_patterns(model)
    with pytest.raises(ValueError, match="n must be at least 1"):
        typical_patterns(example_model(), n=0)


def test_a_table_must_fit_the_model() -> None:
    with pytest.raises(ValueError, match="feature names"):
        typical_patterns(example_model(), X=people()[["age"]])
