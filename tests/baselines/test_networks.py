"""Networks: what they read and are asked for, when training stops, and that it helps."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from baselines.hidden_table import table
from halfseen.baselines import GAIN, MIWAE, MaskedNetwork, MisGAN, MisGANConvolutional
from halfseen.baselines.networks import (
    MaskedModel,
    Network,
    Rows,
    held_out_error,
    standard_scale,
    unit_interval_scale,
)

MASKED = MaskedNetwork(hidden=(16,), n_networks=2, n_steps=100, batch_size=32)
AUTOENCODER = MIWAE(
    n_latent=3, hidden=(16,), n_samples=3, n_imputation_samples=10, n_steps=100, batch_size=32
)
ADVERSARIAL = GAIN(n_steps=100, batch_size=32)
MISGAN = MisGAN(
    n_latent=4, n_critic=2, n_generator_steps=100, n_steps=100, n_draws=2, batch_size=32
)
LABELS, CLASSES = (MaskedModel(4, 3, classes, (5,), 2, 100) for classes in (False, True))
SETTINGS = {"feature_drop": 0.5, "label_drop": 1.0}


def drawn_rows(n_rows: int = 200) -> Rows:
    generator = np.random.default_rng(0)
    values = generator.normal(size=(n_rows, 7))
    values[:, 4:] = np.eye(3)[generator.integers(3, size=n_rows)]
    observed = generator.random((n_rows, 7)) < 0.6
    observed[:, 4:] = observed[:, 4:5]
    return Rows(jnp.asarray(values, jnp.float32), jnp.asarray(observed))


def test_what_is_not_observed_is_not_read() -> None:
    rows = drawn_rows()
    other = rows._replace(values=jnp.where(rows.observed, rows.values, 99.0))
    assert np.array_equal(LABELS.inputs(rows), LABELS.inputs(other))
    assert LABELS.inputs(rows).shape == (200, 14)


def test_unknown_zero_and_one_are_three_different_inputs() -> None:
    model = MaskedModel(0, 1, False, (5,), 1, 100)
    rows = Rows(jnp.array([[0.0], [0.0], [1.0]]), jnp.array([[False], [True], [True]]))
    assert model.inputs(rows).tolist() == [[0, 0], [-1, 1], [1, 1]]


@pytest.mark.parametrize("model", [LABELS, CLASSES], ids=["labels", "classes"])
def test_only_observed_entries_are_masked(model: MaskedModel) -> None:
    rows = drawn_rows()
    uniform = jnp.asarray(np.random.default_rng(1).random((200, 9)), jnp.float32)
    shown = model.masked(rows, uniform, SETTINGS)
    asked = np.asarray(rows.observed & ~shown.observed)
    assert not (shown.observed & ~rows.observed).any()
    seen = np.asarray(rows.observed)
    assert asked[:, :4].sum() / seen[:, :4].sum() == pytest.approx(0.25, abs=0.06)  # U(0, 0.5)
    assert asked[:, 4:].sum() / seen[:, 4:].sum() == pytest.approx(0.5, abs=0.12)
    assert (set(asked[:, 4:].sum(axis=1).tolist()) == {0, 3}) == model.classes


def test_losses_are_those_of_a_loop() -> None:
    rows, generator = drawn_rows(20), np.random.default_rng(2)
    output = generator.normal(size=(20, 7)).astype(np.float32)
    asked = np.asarray(rows.observed) & (generator.random((20, 7)) < 0.5)
    asked[:, 4:] = asked[:, 4:5]
    truth = np.asarray(rows.values)
    squared = np.mean((output[:, :4] - truth[:, :4])[asked[:, :4]] ** 2)
    p, labels = 1 / (1 + np.exp(-output[:, 4:])), truth[:, 4:]
    entropy = -(labels * np.log(p) + (1 - labels) * np.log(1 - p))[asked[:, 4:]].mean()
    found = float(LABELS.loss(jnp.asarray(output), rows, jnp.asarray(asked), 3.0))
    assert found == pytest.approx(squared + 3 * entropy, rel=1e-4)
    p = np.exp(output[:, 4:]) / np.exp(output[:, 4:]).sum(axis=1, keepdims=True)
    of_classes = -np.log((p * labels).sum(axis=1))[asked[:, 4]].mean()
    found = float(CLASSES.loss(jnp.asarray(output), rows, jnp.asarray(asked), 3.0))
    assert found == pytest.approx(squared + 3 * of_classes, rel=1e-4)
    assert float(LABELS.loss(jnp.asarray(output), rows, jnp.zeros((20, 7), bool), 1.0)) == 0


def test_the_ensemble_predicts_the_mean_of_its_networks() -> None:
    rows, key = drawn_rows(6), jax.random.key(0)
    networks = LABELS.start(key)._replace(optimiser_state=None)
    members = [jax.tree.map(lambda leaf, at=at: leaf[at : at + 1], networks) for at in range(2)]
    alone = [LABELS.output(member, rows, key, 1) for member in members]
    assert not np.allclose(*alone)
    together = LABELS.output(networks, rows, key, 1)
    np.testing.assert_allclose(together, np.mean(alone, axis=0), atol=1e-6)


def test_column_means_score_two_and_the_truth_scores_zero() -> None:
    rows = drawn_rows()
    rows = rows._replace(values=jnp.where(rows.observed, rows.values, 0.0))
    shown = rows.observed & (np.random.default_rng(3).random((200, 7)) < 0.5)
    mean = rows.values.sum(axis=0) / rows.observed.sum(axis=0)
    means = jnp.broadcast_to(mean, rows.values.shape)
    assert float(held_out_error(rows.values, rows, shown, 4)) == 0
    assert float(held_out_error(means, rows, shown, 4)) == pytest.approx(2, abs=1e-4)
    assert float(held_out_error(rows.values + 1, rows, rows.observed, 4)) == 0


def test_held_out_entries_are_not_trained_on() -> None:
    _, _, X, Y = table()
    fitted = clone(MASKED).set_params(held_out=0.5).fit(X, Y)
    rows = fitted._rows(X, Y)
    training, judged, shown = fitted._held_out_rows(rows, np.random.default_rng(0))
    held_out = np.asarray(rows.observed & ~training.observed)
    assert held_out.sum() / np.asarray(rows.observed).sum() == pytest.approx(0.5, abs=0.05)
    assert not np.asarray(training.values)[~np.asarray(training.observed)].any()
    assert (judged.observed & ~shown).sum() == held_out.sum()


def test_scales_of_odd_columns() -> None:
    X = np.array([[1.0, np.nan, 7.3], [3.0, np.nan, 7.3]])
    assert standard_scale(X).spread.tolist() == [1.0, 0.0, 0.0]
    assert unit_interval_scale(X).offset.tolist() == [1.0, 0.0, 7.3]
    assert unit_interval_scale(X).spread.tolist() == [2.0, 0.0, 0.0]
    X = np.array([[0.0, 50.0, np.nan, 255.0], [0.0, 10.0, np.nan, 20.0]])
    scale = MisGANConvolutional(shape=(2, 2))._scale(X)  # all pixels share one
    assert (scale.spread.tolist(), scale.offset.tolist()) == ([255.0] * 4, [0.0] * 4)


@pytest.mark.parametrize(
    ("method", "settings", "left", "auc"),
    [
        (MASKED, {"n_steps": 500, "learning_rate": 0.01}, 0.4, 0.92),
        (AUTOENCODER, {"n_steps": 300, "learning_rate": 0.005}, 0.35, 0.9),
        (ADVERSARIAL, {"n_steps": 1000}, 0.5, 0.8),
        (
            MISGAN,
            {"n_steps": 400, "learning_rate": 1e-3, "imputer_learning_rate": 2e-3},
            0.8,
            0.7,
        ),
    ],
    ids=["masked network", "MIWAE", "GAIN", "MisGAN"],
)
def test_trained_for_longer_it_predicts_what_is_hidden(
    method: Network, settings: dict[str, float], left: float, auc: float
) -> None:
    X, Y, X_seen, Y_seen = table()
    hidden_x, hidden_y = np.isnan(X_seen), np.isnan(Y_seen)
    features, scores = clone(method).set_params(**settings).fit(X_seen, Y_seen).complete()
    error = np.mean((features - X)[hidden_x] ** 2)
    error_of_means = np.mean((np.nanmean(X_seen, axis=0) - X)[hidden_x] ** 2)
    assert error < left * error_of_means
    assert roc_auc_score(Y[hidden_y], scores[hidden_y]) > auc


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (MaskedNetwork(n_networks=0), "n_networks must be at least 1, got 0"),
        (MaskedNetwork(dropout=1.0), "dropout is a share, at least 0 and below 1, got 1.0"),
        (GAIN(held_out=1.0), "held_out is a share, at least 0 and below 1, got 1"),
    ],
)
def test_settings_that_cannot_work_are_refused_by_name(method: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        method.fit([[1.0], [2.0]], [[0], [1]])


def test_a_network_stops_when_what_is_held_out_gets_no_better() -> None:
    generator = np.random.default_rng(0)
    X, Y = generator.normal(size=(96, 16)), (generator.random((96, 3)) < 0.5).astype(float)
    settings = {"n_steps": 3000, "patience": 200, "learning_rate": 0.05}
    assert 200 <= clone(MASKED).set_params(**settings).fit(X, Y).n_steps_ < 3000


def test_without_held_out_entries_all_steps_are_taken_and_the_last_counts() -> None:
    _, _, X, Y = table()
    gain = clone(ADVERSARIAL).set_params(n_steps=300, patience=100, held_out=0.0).fit(X, Y)
    assert gain.n_steps_ == 300
    assert gain.held_out_error_ == 0
