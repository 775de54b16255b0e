"""The steps of fit: plans, monitors, and parts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from estimators.tables import LIGHT
from halfseen import HalfseenClassifier
from halfseen.estimators.fitting import (
    Fitted,
    Surroundings,
    _monitor,
    fit_machine,
    layer_of,
    predictive_columns,
    shelved,
    training_plan,
)
from halfseen.learning.monitor import HeldOutMonitor, OracleMonitor
from halfseen.tables import Encoded, Schema, learn_columns, read_table, read_target


@pytest.fixture(scope="module")
def encoded(of_labels: HalfseenClassifier, table: pd.DataFrame, labels: Any) -> Encoded:
    return of_labels.schema_.encode(read_table(table), read_target(labels))


def test_layer_follows_the_schema(of_outputs: HalfseenClassifier) -> None:
    layer = layer_of(of_outputs.schema_)
    assert (layer.n_gaussian, layer.n_bernoulli, layer.group_sizes) == (2, 1, (3, 3))
    assert layer.n_visible == of_outputs.schema_.n_visible


def test_columns_of_predictive_training_are_those_of_the_schema(
    of_outputs: HalfseenClassifier,
) -> None:
    schema = of_outputs.schema_
    columns = predictive_columns(schema, 3)
    assert (columns.n_features, columns.n_targets) == (len(schema.features), len(schema.targets))
    assert columns.is_target_unit.tolist() == schema.is_target_unit.tolist()
    same = schema.column_of_unit[:, None] == schema.column_of_unit
    own = np.array(columns.column_of_unit)
    assert ((own[:, None] == own) == same).all()
    assert set(own.tolist()) == set(range(columns.n_features + columns.n_targets))


def test_which_columns_are_numbers_is_not_compiled() -> None:
    tables = [[["a", 1.5, 0], ["b", 2.5, 1]], [[1.5, 0, "a"], [2.5, 1, "b"]]]
    one, other = (
        predictive_columns(Schema(learn_columns(read_table(table)), (), None), 3)
        for table in tables
    )
    assert one == other


def test_plan_follows_the_settings(of_labels: HalfseenClassifier) -> None:
    schema, settings = of_labels.schema_, of_labels.settings_
    plan = training_plan(schema, settings, n_rows=40, seed=7)
    assert (plan.n_hidden, plan.n_epochs, plan.batch_size) == (4, 4, 16)
    assert plan.seed == 7
    assert np.allclose(plan.observed_marginals, schema.marginals)
    assert plan.start_marginals == tuple(schema.marginals.astype(np.float32).tolist())
    uniform = training_plan(schema, replace(settings, random_starts="uniform"), 40, 7)
    assert uniform.start_marginals[2:4] == (0.5, 0.5)


def test_batches_are_no_longer_than_the_padded_table(of_labels: HalfseenClassifier) -> None:
    huge = replace(of_labels.settings_, batch_size=10**6)
    assert training_plan(of_labels.schema_, huge, n_rows=40, seed=0).batch_size == 64
    # Parts of any length are planned alike, so that they share what is compiled.
    plans = {training_plan(of_labels.schema_, of_labels.settings_, n, 0) for n in (3, 20, 40)}
    assert len(plans) == 1


def test_held_out_entries_are_not_trained_on(
    of_labels: HalfseenClassifier, encoded: Encoded
) -> None:
    layer = layer_of(of_labels.schema_)
    settings = replace(of_labels.settings_, held_out_share=0.3)
    monitor, held_out = _monitor(of_labels.schema_, layer, encoded, settings, 0, None)
    assert isinstance(monitor, HeldOutMonitor)
    assert held_out is not None
    training = held_out.training(encoded.observed)
    assert not (training & ~encoded.observed).any()
    share = 1 - training.sum() / encoded.observed.sum()
    assert 0.15 < share < 0.35


@pytest.mark.parametrize("change", [{"stopping": "none"}, {"held_out_share": 0.0}])
def test_nothing_is_held_out(of_labels: HalfseenClassifier, encoded: Encoded, change: Any) -> None:
    settings = replace(of_labels.settings_, **change)
    layer = layer_of(of_labels.schema_)
    monitor, held_out = _monitor(of_labels.schema_, layer, encoded, settings, 0, None)
    assert monitor is None
    assert held_out is None


def test_a_table_too_small_to_put_anything_aside(
    of_labels: HalfseenClassifier, encoded: Encoded
) -> None:
    few = Encoded(encoded.visible[:2], encoded.observed[:2])
    layer = layer_of(of_labels.schema_)
    monitor, held_out = _monitor(of_labels.schema_, layer, few, of_labels.settings_, 0, None)
    assert monitor is None
    assert held_out is not None
    assert np.array_equal(held_out.training(few.observed), few.observed)


def test_the_oracle_judges_hidden_labels_only(
    of_labels: HalfseenClassifier, encoded: Encoded
) -> None:
    truth = np.resize([0.0, 1.0, 1.0], (40, 2))
    oracle = of_labels.schema_.encode(None, read_target(truth, "labels"))
    layer = layer_of(of_labels.schema_)
    monitor, held_out = _monitor(of_labels.schema_, layer, encoded, of_labels.settings_, 0, oracle)
    assert isinstance(monitor, OracleMonitor)
    assert held_out is None
    hidden = ~encoded.observed & of_labels.schema_.is_target_unit
    assert monitor.judging.sum() == hidden.sum()


def test_fit_machine_is_what_the_estimator_does(
    of_labels: HalfseenClassifier, encoded: Encoded
) -> None:
    fitted = fit_machine(
        of_labels.schema_, encoded, of_labels.settings_, of_labels._seed, Surroundings()
    )
    assert isinstance(fitted, Fitted)
    assert np.array_equal(fitted.machine.weights, of_labels.machine_.weights)
    assert len(fitted.history) == LIGHT["n_epochs"]


def test_shelved_machines_are_plain_arrays(of_labels: HalfseenClassifier) -> None:
    machine = of_labels.machine_
    again = shelved(machine.machines, of_labels.schema_, of_labels.settings_, machine.seed)
    for name in ("weights", "visible_bias", "hidden_bias", "log_variance", "restarts"):
        array = getattr(again, name)
        assert type(array) is np.ndarray
        assert array.dtype == np.float32
        assert np.array_equal(array, getattr(machine, name))
