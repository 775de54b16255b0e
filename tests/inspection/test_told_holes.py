"""Telling holes from values."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from halfseen.inspection.told_holes import ToldHoles, told_holes
from halfseen.inspection.value_features import value_features
from inspection.columns import sampled


def told(values: NDArray[np.float64], hole: NDArray[np.bool_], seed: int = 0) -> ToldHoles:
    """Holes of a column that stands beside these."""
    columns = {f"x{j}": values[:, j] for j in range(values.shape[1])}
    owner = np.array([values.shape[1]])
    return told_holes(value_features(sampled(columns)), hole[None], owner, seed)[0]


@pytest.mark.parametrize("how", ["high", "low", "extreme"])
def test_where_the_holes_are(how: str) -> None:
    generator = np.random.default_rng(0)
    values = generator.normal(size=(400, 5))
    cause = {"high": values[:, 2], "low": -values[:, 2], "extreme": values[:, 2] ** 2 - 1}[how]
    found = told(values, generator.random(400) < 1 / (1 + np.exp(1 - 1.5 * cause)))
    assert found.p_value < 1e-4
    assert 0.6 < found.auc < 0.95
    assert found.driver == 4 + (how == "extreme")
    assert found.is_more == (how != "low")


def test_many_weak_causes_are_told_together() -> None:
    generator = np.random.default_rng(1)
    values = generator.normal(size=(1500, 12))
    cause = values.sum(axis=1) / np.sqrt(12)
    found = told(values, generator.random(1500) < 1 / (1 + np.exp(1 - cause)))
    assert found.auc > 0.65
    assert found.p_value < 1e-6


def test_p_values_are_uniform_or_larger_without_cause() -> None:
    p_values = []
    for seed in range(100):
        generator = np.random.default_rng(seed)
        values = np.floor(np.exp(generator.normal(size=(120, 4))))
        p_values.append(told(values, generator.random(120) < 0.15, seed).p_value)
    # binomial(100, 0.05): 5, standard deviation 2.2; binomial(100, 0.3): 30 and 4.6
    assert np.sum(np.array(p_values) < 0.05) <= 10
    assert np.sum(np.array(p_values) < 0.3) <= 42


def test_holes_that_come_together_are_no_evidence() -> None:
    p_values = []
    for seed in range(60):
        generator = np.random.default_rng(seed)
        values = np.exp(generator.normal(size=(150, 3)))
        hole = generator.random(150) < 0.4
        columns = {f"x{j}": np.where(hole, np.nan, values[:, j]) for j in range(3)}
        features = value_features(sampled(columns))
        p_values.append(told_holes(features, hole[None], np.array([3]), seed)[0].p_value)
    assert np.sum(np.array(p_values) < 0.05) <= 7


def test_own_values_are_left_out_and_targets_do_not_mix() -> None:
    generator = np.random.default_rng(3)
    values = generator.normal(size=(300, 2))
    features = value_features(sampled({"a": values[:, 0], "b": values[:, 1]}))
    holes = np.stack([values[:, 0] > 1, values[:, 1] > 1])
    own, others = (told_holes(features, holes, np.array(owners), 0) for owners in ([0, 1], [1, 0]))
    assert min(one.p_value for one in own) > 0.01
    assert max(one.p_value for one in others) < 1e-6
    alone = told_holes(features, holes[1:], np.array([0]), 0)[0]
    assert alone.p_value == pytest.approx(others[1].p_value, rel=1e-3)
    assert alone.driver == others[1].driver


def test_no_other_column() -> None:
    features = value_features(sampled({"a": [1.0, 2.0, 3.0] * 10}))
    hole = np.arange(30) % 2 == 0
    assert told_holes(features, hole[None], np.array([0]), 0)[0] == ToldHoles(0.5, 1.0, None, True)
