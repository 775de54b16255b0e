from __future__ import annotations

from copy import copy

import jax
import numpy as np
import pytest

from halfseen import HalfseenClassifier
from halfseen.explanations.example_model import example_model
from halfseen.explanations.hidden_layers import hidden_layers
from halfseen.machine.binned_units import interpolated
from halfseen.machine.conditionals import hidden_mean_from_visible


def test_activations_are_those_of_the_machine() -> None:
    model = example_model()
    assert model.machine_ is not None
    row = np.array([1.5, 1, 0, 0.5, 0, 1, 0], np.float32)
    layers = hidden_layers(model)
    one = jax.tree.map(lambda leaf: leaf[0], model.machine_.machines)
    expected = hidden_mean_from_visible(one, row)
    found = layers.activation(row, np.ones(7, bool))
    np.testing.assert_allclose(found[0], expected, rtol=1e-5)


def test_moves_add_up_to_the_change_of_the_input(ensemble: HalfseenClassifier) -> None:
    alone = copy(ensemble)
    alone.machine_ = None
    layers = hidden_layers(alone)
    row = layers.average.copy()
    row[:2] = 0.7, -1.9
    seen = np.ones(len(row), bool)
    log_odds = [
        np.log(p / (1 - p)) for p in (layers.activation(row, seen), layers.usual_activation())
    ]
    moved = layers.moved_by(layers.average, row)
    np.testing.assert_allclose(moved.sum(axis=1), log_odds[0] - log_odds[1], atol=1e-9)
    assert not moved[:, 2:].any()
    assert moved[:, :2].any()


def test_numbers_are_shared_out_over_knots(ensemble: HalfseenClassifier) -> None:
    alone = copy(ensemble)
    alone.machine_ = None
    layers = hidden_layers(alone)
    n_visible = len(layers.average)
    wide = layers.widened(layers.average)
    assert len(wide) == n_visible + layers.knots.size
    shares = interpolated(layers.average[None, :2].astype(np.float32), layers.knots)
    np.testing.assert_allclose(wide[n_visible:], np.ravel(shares), atol=1e-6)


def test_a_model_without_any_machine_is_refused() -> None:
    model = example_model()
    model.machine_ = None
    with pytest.raises(ValueError, match="fit it again"):
        hidden_layers(model)
