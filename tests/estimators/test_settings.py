"""Presets, what the user set, and wrong values."""

from __future__ import annotations

import json
import math
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfseen import HalfseenClassifier, HalfseenImputer
from halfseen.estimators.rbm_base import SHARED_SETTINGS
from halfseen.estimators.settings import (
    Settings,
    check_settings,
    default_settings,
    paper_settings,
    plain_numbers,
    resolve_settings,
)


def test_paper_preset() -> None:
    settings = resolve_settings("paper", {}, n_rows=500, n_visible=30)
    assert settings == paper_settings(500, 30)
    assert (settings.n_hidden, settings.learning_rate, settings.batch_size) == (100, 0.001, 10)
    assert (settings.n_gibbs_steps, settings.objective) == (1, "lossy_cd")
    assert (settings.n_restarts, settings.n_sweeps) == (10, 10)
    assert (settings.optimizer, settings.momentum, settings.weight_decay) == ("sgd", 0.0, 0.0)
    assert (settings.variance, settings.centered, settings.clip_norm) == (1.0, False, math.inf)
    assert (settings.class_units, settings.random_starts) == ("independent", "uniform")
    assert (settings.averaging, settings.tolerance, settings.damping) == ("equal", 0.0, 0.0)
    assert settings.variance_bounds() == (1.0, 1.0, 1.0)


def test_what_the_user_sets_wins_over_the_preset() -> None:
    given = {"n_hidden": 7, "optimizer": "adam", "learning_rate": "auto"}
    settings = resolve_settings("paper", given, n_rows=50, n_visible=3)
    assert (settings.n_hidden, settings.optimizer, settings.learning_rate) == (7, "adam", 0.001)


@given(n_rows=st.integers(1, 10**7), n_visible=st.integers(1, 10**5))
def test_presets_are_in_range_for_tables_of_any_shape(n_rows: int, n_visible: int) -> None:
    check_settings(default_settings(n_rows, n_visible))
    check_settings(paper_settings(n_rows, n_visible))


def test_every_setting_is_a_parameter_of_the_classifier() -> None:
    names = {field.name for field in fields(Settings)}
    assert names <= set(HalfseenClassifier().get_params())
    assert names - {"class_units", "threshold", "forest", "class_gaussians"} == set(SHARED_SETTINGS)
    assert set(SHARED_SETTINGS) <= set(HalfseenImputer().get_params())


WRONG: list[tuple[str, Any]] = [
    ("n_hidden", 0),
    ("n_hidden", 2.5),
    ("n_hidden", True),
    ("n_hidden", "many"),
    ("n_hidden", None),
    ("n_hidden", np.array([3])),
    ("objective", "cd"),
    ("n_gibbs_steps", 0),
    ("n_chains", -1),
    ("learning_rate", 0.0),
    ("learning_rate", math.nan),
    ("learning_rate", "fast"),
    ("learning_rate", math.inf),
    ("batch_size", 0),
    ("n_epochs", 0),
    ("optimizer", "rmsprop"),
    ("optimizer", ["adam"]),
    ("momentum", 1.0),
    ("weight_decay", -0.1),
    ("clip_norm", 0.0),
    ("schedule", "step"),
    ("centered", 1),
    ("centered", "yes"),
    ("variance", 0.0),
    ("variance", "fixed"),
    ("variance", np.array([1.0, 2.0])),
    ("random_starts", "zeros"),
    ("n_machines", 0),
    ("completion", "exact"),
    ("n_restarts", 0),
    ("n_sweeps", 0),
    ("tolerance", -1e-9),
    ("damping", 1.0),
    ("averaging", "best"),
    ("stopping", "early"),
    ("held_out_share", 1.0),
    ("patience", 0),
    ("monitor_every", 0),
    ("effort", "much"),
    ("companion", 1),
    ("companion", "no"),
    ("label_weight", -1.0),
    ("label_weight", math.inf),
    ("max_seconds", -1.0),
    ("max_seconds", math.nan),
    ("class_units", "sigmoid"),
    ("threshold", 1.5),
    ("threshold", "each"),
    ("threshold", np.array([0.1, 0.2])),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_wrong_value_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"^{name} must be"):
        resolve_settings("default", {name: value}, n_rows=50, n_visible=3)


@pytest.mark.parametrize("preset", ["best", None, ["paper"]])
def test_wrong_preset(preset: Any) -> None:
    with pytest.raises(ValueError, match=r"^preset must be one of"):
        resolve_settings(preset, {}, n_rows=50, n_visible=3)


def test_numpy_numbers_become_plain_ones() -> None:
    given = {
        "n_hidden": np.int64(7),
        "learning_rate": np.float32(0.5),
        "weight_decay": 1,
        "centered": np.True_,
        "variance": np.float64(2.0),
        "threshold": np.float64(0.25),
    }
    settings = resolve_settings("default", given, n_rows=50, n_visible=3)
    assert json.dumps(settings.to_document())
    for name, kind in (("n_hidden", int), ("learning_rate", float), ("weight_decay", float)):
        assert type(getattr(settings, name)) is kind
    assert settings.centered is True
    assert type(settings.threshold) is float
    assert plain_numbers(settings) == settings


@pytest.mark.parametrize("preset", ["default", "paper"])
def test_document_comes_back(preset: str) -> None:
    settings = resolve_settings(preset, {"threshold": 0.3}, n_rows=50, n_visible=3)
    document = json.loads(json.dumps(settings.to_document(), allow_nan=False))
    assert Settings.from_document(document) == settings


@pytest.mark.parametrize(
    "change",
    [{"n_hidden": 0}, {"n_hidden": None}, {"n_hidden": 10**400}, {"extra": 1}, {"centered": "no"}],
)
def test_document_out_of_range_is_refused(change: dict[str, Any]) -> None:
    document = paper_settings(10, 10).to_document() | change
    with pytest.raises(ValueError, match=r"must be|format"):
        Settings.from_document(document)


@pytest.mark.parametrize("document", [None, [], {}, {"n_hidden": 3}])
def test_something_else_is_no_settings(document: Any) -> None:
    with pytest.raises(ValueError, match="not those of this format"):
        Settings.from_document(document)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("lossy_cd", "LossyCD"),
        ("data_started_cd", "DataStartedCD"),
        ("persistent_cd", "PersistentCD"),
        ("fully_persistent_cd", "FullyPersistentCD"),
        ("mean_field_cd", "MeanFieldCD"),
    ],
)
def test_objective_by_name(name: str, expected: str) -> None:
    given = {"objective": name, "n_gibbs_steps": 3}
    objective = resolve_settings("default", given, n_rows=9, n_visible=3).learning_objective()
    assert type(objective).__name__ == expected


def test_a_companion_is_one_machine_trained_by_likelihood() -> None:
    given = {"n_machines": 3, "n_hidden": 7}
    settings = resolve_settings("default", given, n_rows=9, n_visible=3)
    assert settings.objective == "predictive"
    with pytest.raises(ValueError, match="not trained by its likelihood"):
        settings.learning_objective()
    companion = settings.of_companion()
    assert (companion.objective, companion.n_machines) == ("data_started_cd", 1)
    assert companion.n_hidden == 7
    paper = paper_settings(9, 3)
    assert paper.of_companion() is paper


def test_learned_variance_stays_between_its_bounds() -> None:
    first, lowest, highest = default_settings(10, 3).variance_bounds()
    assert 0 < lowest < first < highest


def test_completion_and_optimiser_take_their_settings() -> None:
    given = {"completion": "gibbs", "n_sweeps": 7, "damping": 0.5, "averaging": "equal"}
    settings = resolve_settings("default", given, n_rows=9, n_visible=3)
    completion = settings.completion_settings()
    assert (completion.method, completion.n_sweeps) == ("gibbs", 7)
    assert (completion.damping, completion.averaging) == (0.5, "equal")
    assert settings.learning_optimiser().name == "adam"


@pytest.mark.parametrize(
    ("effort", "part", "longer"), [("fast", 4, 3), ("default", 2, 4), ("best", 1, 3)]
)
@pytest.mark.parametrize("n_rows", [2000, 20_000])
def test_a_companion_takes_longer_steps_that_end_small(
    effort: str, part: int, longer: int, n_rows: int
) -> None:
    shape = {"n_rows": n_rows, "n_visible": 20}
    alone = resolve_settings("default", {"objective": "data_started_cd"}, **shape)
    companion = resolve_settings("default", {"effort": effort}, **shape)
    assert companion.n_epochs == max(10, alone.n_epochs // part)
    assert (companion.schedule, companion.stopping) == ("cosine", "none")
    assert companion.learning_rate == longer * alone.learning_rate
    assert (alone.schedule, alone.stopping) == ("constant", "held_out")


def test_the_paper_has_a_pace_of_its_own() -> None:
    asked = {"objective": "predictive", "effort": "default"}
    papers = resolve_settings("paper", asked, n_rows=2000, n_visible=20)
    assert (papers.n_epochs, papers.schedule) == (1000, "constant")


@pytest.mark.parametrize(
    "own", [{"patience": 3}, {"n_epochs": 7}, {"learning_rate": 0.1}, {"schedule": "constant"}]
)
def test_who_sets_the_pace_is_not_hurried(own: dict[str, Any]) -> None:
    usual = resolve_settings("default", own, n_rows=2000, n_visible=20)
    given = resolve_settings("default", own | {"effort": "fast"}, n_rows=2000, n_visible=20)
    assert replace(given, effort="default") == usual


@pytest.mark.parametrize("effort", ["fast", "default", "best"])
def test_parts_are_learned_at_a_constant_pace(effort: str) -> None:
    """Of parts nobody knows the end, towards which the steps of a companion grow small."""
    given = {"objective": "data_started_cd"}
    alone = resolve_settings("default", given, n_rows=2000, n_visible=20).of_parts()
    parts = resolve_settings("default", {"effort": effort}, n_rows=2000, n_visible=20).of_parts()
    assert (parts.schedule, parts.learning_rate) == (alone.schedule, alone.learning_rate)
    own = {"effort": effort, "learning_rate": 0.1}
    assert resolve_settings("default", own, n_rows=9, n_visible=2).of_parts().learning_rate == 0.1


@pytest.mark.parametrize("name", ["n_epochs", "learning_rate"])
def test_a_wrong_pace_is_named(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        resolve_settings("default", {"effort": "fast", name: None}, n_rows=9, n_visible=2)
