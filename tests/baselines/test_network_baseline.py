"""Networks: trained for longer they learn, and they stop when they should."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from baselines.hidden_table import table
from halfseen.baselines._network_baseline import NetworkBaseline
from halfseen.baselines.gain import GAIN
from halfseen.baselines.masked_network import MaskedNetwork
from halfseen.baselines.misgan import MisGAN
from halfseen.baselines.miwae import MIWAE

MASKED = MaskedNetwork(hidden=(16,), n_networks=2, n_epochs=5, batch_size=32)
AUTOENCODER = MIWAE(
    n_latent=3, hidden=(16,), n_samples=3, n_imputation_samples=10, n_epochs=5, batch_size=32
)
ADVERSARIAL = GAIN(n_steps=100, batch_size=32)
MISGAN = MisGAN(
    n_latent=4, n_critic=2, n_generator_rounds=20, n_imputer_rounds=20, n_draws=2, batch_size=32
)


@pytest.mark.parametrize(
    ("method", "settings", "left", "auc"),
    [
        (MASKED, {"n_epochs": 150, "learning_rate": 0.01}, 0.4, 0.92),
        (AUTOENCODER, {"n_epochs": 100, "learning_rate": 0.005}, 0.3, 0.92),
        (ADVERSARIAL, {"n_steps": 1000}, 0.5, 0.8),
        (
            MISGAN,
            {
                "n_generator_rounds": 20,
                "n_imputer_rounds": 200,
                "learning_rate": 1e-3,
                "imputer_learning_rate": 2e-3,
            },
            0.8,
            0.7,
        ),
    ],
    ids=["masked network", "MIWAE", "GAIN", "MisGAN"],
)
def test_trained_for_longer_it_predicts_what_is_hidden(
    method: NetworkBaseline, settings: dict[str, float], left: float, auc: float
) -> None:
    X, Y, X_seen, Y_seen = table()
    hidden_x, hidden_y = np.isnan(X_seen), np.isnan(Y_seen)
    features, scores = clone(method).set_params(**settings).fit(X_seen, Y_seen).complete()
    error = np.mean((features - X)[hidden_x] ** 2)
    error_of_means = np.mean((np.nanmean(X_seen, axis=0) - X)[hidden_x] ** 2)
    assert error < left * error_of_means
    assert roc_auc_score(Y[hidden_y], scores[hidden_y]) > auc


def test_settings_that_cannot_work_are_refused_by_name() -> None:
    _, _, X, Y = table()
    with pytest.raises(ValueError, match="n_epochs must be at least 1, got 0"):
        MaskedNetwork(n_epochs=0).fit(X, Y)
    with pytest.raises(ValueError, match="held_out is a share, at least 0 and below 1, got 1"):
        GAIN(held_out=1.0).fit(X, Y)


def test_a_network_stops_when_what_is_held_out_gets_no_better() -> None:
    generator = np.random.default_rng(0)
    X, Y = generator.normal(size=(96, 16)), (generator.random((96, 3)) < 0.5).astype(float)
    network = clone(MASKED).set_params(n_epochs=500, patience=5, learning_rate=0.05).fit(X, Y)
    assert 5 < network.n_epochs_ < 500


def test_without_held_out_entries_all_steps_are_taken_and_the_last_counts() -> None:
    _, _, X, Y = table()
    gain = clone(ADVERSARIAL).set_params(n_steps=300, patience=100, held_out=0.0).fit(X, Y)
    assert gain.n_steps_ == 300
    assert gain.held_out_error_ == 0


def test_the_bound_rises() -> None:
    _, _, X, Y = table()
    miwae = clone(AUTOENCODER).set_params(n_epochs=30, learning_rate=0.01).fit(X, Y)
    assert np.mean(miwae.bound_[-5:]) > np.mean(miwae.bound_[:5]) + 1
