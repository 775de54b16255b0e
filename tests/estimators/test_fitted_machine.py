"""A machine on the shelf, against what can be computed by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit
from scipy.stats import norm

from halfseen import HalfseenClassifier
from halfseen.estimators.fitted_machine import FARTHEST, FittedMachine
from halfseen.tables import Encoded, read_table, read_target


@pytest.fixture(scope="module")
def encoded(of_classes: HalfseenClassifier, table: pd.DataFrame, classes: Any) -> Encoded:
    return of_classes.schema_.encode(read_table(table), read_target(classes))


@pytest.fixture(scope="module")
def independent(of_classes: HalfseenClassifier) -> FittedMachine:
    """A machine without weights: every unit, or group of units, goes its own way."""
    machine = of_classes.machine_
    n_visible = machine.layer.n_visible
    marginals = np.array([0.0, 0.0, 0.25, 0.5, 0.25, 0.25, 0.125, 0.125, 0.75], np.float32)
    bias = np.concatenate([[0.0, 0.0], np.log([1 / 3]), np.log(marginals[3:])]).astype(np.float32)
    assert n_visible == 9
    return replace(
        machine,
        weights=np.zeros_like(machine.weights),
        visible_bias=bias[None],
        hidden_bias=np.zeros_like(machine.hidden_bias),
        log_variance=np.zeros_like(machine.log_variance),
        marginals=marginals,
    )


def test_observed_entries_are_pinned(of_classes: HalfseenClassifier, encoded: Encoded) -> None:
    completed = of_classes.machine_.complete(*encoded)
    assert np.array_equal(completed[encoded.observed], encoded.visible[encoded.observed])
    assert np.isfinite(completed).all()
    groups = completed[:, 3:].reshape(-1, 2, 3).sum(axis=2)
    assert np.allclose(groups, 1.0, atol=1e-5)


def test_what_stands_behind_holes_is_not_read(
    of_classes: HalfseenClassifier, encoded: Encoded
) -> None:
    behind = np.where(encoded.observed, encoded.visible, np.float32(1e9))
    completed = of_classes.machine_.complete(behind, encoded.observed)
    assert completed.tobytes() == of_classes.machine_.complete(*encoded).tobytes()


def test_independent_units_are_completed_by_their_means(
    independent: FittedMachine, encoded: Encoded
) -> None:
    completed = independent.complete(*encoded)
    missing = ~encoded.observed
    expected = np.broadcast_to(independent.marginals, completed.shape)
    assert np.allclose(completed[missing], expected[missing], atol=1e-5)


def test_log_probability_of_independent_units(independent: FittedMachine, encoded: Encoded) -> None:
    visible, seen = encoded.visible.astype(float), encoded.observed
    numbers = np.where(seen[:, :2], norm.logpdf(visible[:, :2]), 0.0).sum(axis=1)
    yes = np.where(visible[:, 2] == 1.0, np.log(0.25), np.log(0.75))
    groups = np.where(seen[:, 3:], visible[:, 3:] * np.log(independent.marginals[3:]), 0.0)
    expected = numbers + np.where(seen[:, 2], yes, 0.0) + groups.sum(axis=1)
    assert np.allclose(independent.log_probability(*encoded), expected, atol=2e-3)


def test_partition_is_estimated_once(of_classes: HalfseenClassifier) -> None:
    machine = of_classes.machine_
    assert machine.log_partitions is machine.log_partitions
    assert machine.log_partitions.shape == (1,)
    assert 0 <= machine.log_partition_errors[0] < 0.5


def test_several_machines_are_averaged(of_classes: HalfseenClassifier, encoded: Encoded) -> None:
    machine = of_classes.machine_
    names = ("weights", "visible_bias", "hidden_bias", "log_variance")
    twice = replace(machine, **{n: np.repeat(getattr(machine, n), 2, axis=0) for n in names})
    other = replace(machine, visible_bias=machine.visible_bias + np.float32(0.5))
    both = replace(twice, visible_bias=np.concatenate([machine.visible_bias, other.visible_bias]))
    mean = (machine.complete(*encoded) + other.complete(*encoded)) / 2
    assert np.allclose(twice.complete(*encoded), machine.complete(*encoded), atol=1e-5)
    assert np.allclose(both.complete(*encoded), mean, atol=1e-5)


def test_numbers_out_of_reach(of_classes: HalfseenClassifier, encoded: Encoded) -> None:
    visible = encoded.visible.copy()
    visible[:, 0] = np.finfo(np.float32).max
    seen = encoded.observed.copy()
    seen[:, 0] = True
    near = visible.copy()
    near[:, 0] = FARTHEST
    machine = of_classes.machine_
    far_answer, near_answer = machine.complete(visible, seen), machine.complete(near, seen)
    assert np.isfinite(near_answer).all()
    assert np.array_equal(far_answer, near_answer)
    assert (visible[:, 0] == np.finfo(np.float32).max).all()


def test_samples_of_independent_units(independent: FittedMachine) -> None:
    rows = independent.sample(5, seed=0)
    assert rows.shape == (5, 9)
    assert np.isfinite(rows).all()
    assert (rows[:, 3:].reshape(-1, 2, 3).sum(axis=2) == 1.0).all()
    assert np.array_equal(rows, independent.sample(5, seed=0))
    assert not np.array_equal(rows, independent.sample(5, seed=1))
    many = np.concatenate([independent.sample(5, seed=seed) for seed in range(60)])
    assert np.allclose(many.mean(axis=0), independent.marginals, atol=0.2)
    assert many[:, 2].mean() == pytest.approx(expit(np.log(1 / 3)), abs=0.1)


def test_samples_of_several_machines(independent: FittedMachine) -> None:
    names = ("weights", "visible_bias", "hidden_bias", "log_variance")
    five = replace(independent, **{n: np.repeat(getattr(independent, n), 5, 0) for n in names})
    rows = five.sample(23, seed=0)  # five of each, and some too many
    assert rows.shape == (23, 9)
    assert np.unique(rows[:, 0]).size == 23
