from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from exact.reference import moments
from explanations.tiny import as_tiny, tiny_model
from halfseen import HalfseenClassifier
from halfseen.explanations import Coupling, couplings
from halfseen.explanations.column_states import ColumnState, column_states
from halfseen.explanations.example_model import example_model
from halfseen.explanations.question import log_odds_of, probabilities_of


def _state(model: Any, name: str, category: Any) -> ColumnState:
    (state,) = (
        state
        for state in column_states(model.schema_)
        if (state.name, state.category) == (name, category)
    )
    return state


def _enumerated_change(model: Any, coupling: Coupling) -> float:
    """By brute force: the source pinned low and high, all else but the target at its average."""
    source = _state(model, coupling.source, coupling.source_category)
    target = _state(model, coupling.target, coupling.target_category)
    observed = model.schema_.column_of_unit != target.index
    changes = []
    for index in range(len(model.machine_.weights)):
        levels = []
        for end in (source.low, source.high):
            row = model.schema_.marginals.copy()
            row[source.units] = end
            expected = moments(as_tiny(model.machine_, index), row, observed).visible
            shares = expected[None, target.units]
            levels.append(log_odds_of(shares, target.code)[0])
        changes.append(levels[1] - levels[0])
    return float(np.mean(changes))


@pytest.mark.parametrize("kind", ["labels", "classes", "outputs"])
def test_couplings_are_those_of_enumeration(kind: str, models: dict[str, Any]) -> None:
    model = models[kind]
    found = couplings(model)
    assert found.origin == "machine"
    assert found.feature_feature == ()
    assert bool(found.label_label) == (kind != "classes")
    for coupling in (*found.label_label, *found.feature_label):
        expected = _enumerated_change(model, coupling)
        assert coupling.change == pytest.approx(expected, abs=1e-6)


def test_features_of_a_model_without_labels_couple_likewise(models: dict[str, Any]) -> None:
    model = models["features"]
    found = couplings(model)
    assert found.label_label == found.feature_label == ()
    numbers = {"sold"}
    assert any(coupling.target not in numbers for coupling in found.feature_feature)
    for coupling in found.feature_feature:
        if coupling.target not in numbers:
            expected = _enumerated_change(model, coupling)
            assert coupling.change == pytest.approx(expected, abs=1e-6)


def test_small_weights_couple_in_second_order(models: dict[str, Any]) -> None:
    model = copy(models["labels"])
    model.machine_ = replace(model.machine_, weights=0.02 * model.machine_.weights)
    machine, schema = model.machine_, model.schema_
    weights = machine.weights[0].astype(float)
    usual = 1 / (1 + np.exp(-(machine.hidden_bias[0] + schema.marginals @ weights)))
    second_order = (weights * usual * (1 - usual)) @ weights.T
    for coupling in couplings(model).label_label:
        source = _state(model, coupling.source, coupling.source_category).units.start
        target = _state(model, coupling.target, coupling.target_category).units.start
        assert coupling.change == pytest.approx(second_order[source, target], rel=0.02)


def test_labels_couple_alike_in_both_directions() -> None:
    model = example_model()
    turned = copy(model)
    schema = model.schema_
    turned.schema_ = replace(schema, targets=schema.targets[::-1])
    units = [0, 1, 3, 2, 4, 5, 6]
    assert model.machine_ is not None
    turned.machine_ = replace(
        model.machine_,
        weights=model.machine_.weights[:, units],
        visible_bias=model.machine_.visible_bias[:, units],
    )
    (one,), (other,) = couplings(model).label_label, couplings(turned).label_label
    assert (one.source, one.target) == (other.target, other.source)
    assert one.change == pytest.approx(other.change, rel=1e-12)
    assert one.strength == pytest.approx(other.strength, rel=1e-12)


def test_the_strongest_come_first_and_machines_are_averaged() -> None:
    model = example_model()
    found = couplings(model).feature_label
    sizes = [abs(coupling.strength) for coupling in found]
    assert sizes == sorted(sizes, reverse=True)
    assert couplings(model, top=2).feature_label == found[:2]
    machine = model.machine_
    assert machine is not None
    opposite = replace(
        machine,
        weights=np.concatenate([machine.weights, 0 * machine.weights]),
        visible_bias=np.repeat(machine.visible_bias, 2, axis=0),
        hidden_bias=np.repeat(machine.hidden_bias, 2, axis=0),
        log_variance=np.repeat(machine.log_variance, 2, axis=0),
    )
    both = tiny_model(model.schema_.features, model.schema_.targets, "labels", opposite)
    halved = {
        (c.source, c.source_category, c.target): c.change for c in couplings(both).feature_label
    }
    for coupling in found:
        key = (coupling.source, coupling.source_category, coupling.target)
        assert halved[key] == pytest.approx(coupling.change / 2, abs=1e-12)


def test_without_a_machine_the_ensemble_is_asked(ensemble: HalfseenClassifier) -> None:
    alone = copy(ensemble)
    alone.machine_ = None
    found = couplings(alone)
    assert found.origin == "ensemble"
    schema = alone.schema_
    coupling = next(each for each in found.feature_label if each.source == "colour")
    source = _state(alone, "colour", coupling.source_category)
    target = _state(alone, coupling.target, coupling.target_category)
    known = ~schema.is_target_unit
    levels = []
    for end in (source.low, source.high):
        row = np.where(known, schema.marginals, 0.0).astype(np.float32)
        row[source.units] = end
        assert alone.prediction_ is not None
        completed = alone.prediction_.complete(row[None], known[None])
        shares = probabilities_of(schema.targets[0], completed[:, target.units])
        levels.append(log_odds_of(shares, target.code)[0])
    assert coupling.change == levels[1] - levels[0]
