"""What holds for every network among the baselines."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from halfseen.baselines._network_baseline import NetworkBaseline
from halfseen.baselines.gain import GAIN
from halfseen.baselines.masked_network import MaskedNetwork
from halfseen.baselines.misgan import MisGAN
from halfseen.baselines.misgan_convolutional import MisGANConvolutional
from halfseen.baselines.miwae import MIWAE
from halfseen.baselines.tuner import drawn_candidates

pytestmark = pytest.mark.usefixtures("quick_compilation")

MASKED = MaskedNetwork(hidden=(16,), n_networks=2, n_epochs=5, batch_size=32)
AUTOENCODER = MIWAE(
    n_latent=3, hidden=(16,), n_samples=3, n_imputation_samples=10, n_epochs=5, batch_size=32
)
ADVERSARIAL = GAIN(n_steps=100, batch_size=32)
MISGAN = MisGAN(
    n_latent=4, n_critic=2, n_generator_rounds=20, n_imputer_rounds=20, n_draws=2, batch_size=32
)
CONVOLUTIONAL = MisGANConvolutional(
    shape=(4, 4),
    n_channels=2,
    n_latent=4,
    n_critic=1,
    n_generator_rounds=2,
    n_imputer_rounds=2,
    n_draws=2,
    batch_size=32,
)
METHODS = [MASKED, AUTOENCODER, ADVERSARIAL, MISGAN]
# Compiling takes most of the time: the Gaussian decoder is tried on labels, the other on classes.
FOR_CLASSES = [
    MASKED,
    clone(AUTOENCODER).set_params(decoder="student"),
    ADVERSARIAL,
    pytest.param(MISGAN, marks=pytest.mark.long),
    pytest.param(CONVOLUTIONAL, marks=pytest.mark.long),
]


def named(method: NetworkBaseline) -> str:
    return method.method


def table(target: str = "labels") -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """X and Y in full, then with 40 % hidden: three factors give 16 features and the labels.

    All tests share one shape, and with it the compilations.
    """
    generator = np.random.default_rng([0, 9])
    factors = generator.standard_normal((96, 3))
    X = factors @ generator.standard_normal((3, 16)) * 2.0 + 5.0
    X += 0.2 * generator.standard_normal(X.shape)
    if target == "classes":
        Y = np.eye(3)[np.argmax(factors, axis=1)]
        hidden_y = np.broadcast_to(generator.random((96, 1)) < 0.4, Y.shape)
    else:
        Y = (factors + 0.3 > 0).astype(float)
        hidden_y = generator.random(Y.shape) < 0.4
    hidden_x = generator.random(X.shape) < 0.4
    return X, Y, np.where(hidden_x, np.nan, X), np.where(hidden_y, np.nan, Y)


@pytest.mark.parametrize("method", METHODS, ids=named)
def test_same_seed_same_bits_another_seed_others(method: NetworkBaseline) -> None:
    X, Y, X_seen, Y_seen = table()
    first, second, other = (
        clone(method).set_params(random_state=seed).fit(X_seen, Y_seen).complete()
        for seed in (0, 0, 1)
    )
    assert first.features.tobytes() == second.features.tobytes()
    assert first.scores.tobytes() == second.scores.tobytes()
    assert first.scores.tobytes() != other.scores.tobytes()
    seen_x, seen_y = ~np.isnan(X_seen), ~np.isnan(Y_seen)
    np.testing.assert_array_equal(first.features[seen_x], X[seen_x])
    np.testing.assert_array_equal(first.scores[seen_y], Y[seen_y])


@pytest.mark.parametrize("method", METHODS, ids=named)
def test_odd_columns_rows_and_labels(method: NetworkBaseline) -> None:
    _, _, X, Y = table()
    X[:, 0] = np.where(np.isnan(X[:, 0]), np.nan, 7.3)  # constant
    X[:, 1] = np.nan  # never observed
    X[3], Y[3] = np.nan, np.nan  # a row of nothing
    Y[:, 0] = np.where(np.isnan(Y[:, 0]), np.nan, 0.0)  # one value only
    Y[:, 1] = np.nan  # never known
    fitted = clone(method).fit(X, Y)
    features, scores = fitted.complete()
    assert np.isfinite(features).all()
    assert np.isfinite(scores).all()
    assert features[:, 0] == pytest.approx(7.3)
    assert not features[:, 1].any()
    unknown = np.isnan(Y)
    assert (scores[unknown[:, 1], 1] == 0.5).all()
    assert ((scores >= 0) & (scores <= 1)).all()
    new = fitted.predict_scores(np.full((2, 16), np.nan))
    assert np.isfinite(new).all()


@pytest.mark.parametrize("method", FOR_CLASSES, ids=named)
def test_classes_share_one_probability(method: NetworkBaseline) -> None:
    X, _, X_seen, Y_seen = table("classes")
    fitted = clone(method).fit(X_seen, Y_seen, "classes")
    features, scores = fitted.complete()
    assert scores.sum(axis=1) == pytest.approx(1, abs=1e-5)
    seen = ~np.isnan(X_seen)
    np.testing.assert_array_equal(features[seen], X[seen])
    new = fitted.predict_scores(X_seen[:5])
    assert new.shape == (5, 3)
    assert new.sum(axis=1) == pytest.approx(1, abs=1e-5)
    np.testing.assert_array_equal(new, fitted.predict_scores(X_seen[:5]))


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


@pytest.mark.parametrize("method", [*METHODS, CONVOLUTIONAL], ids=named)
def test_every_setting_of_the_grid_is_one_of_the_constructor(method: NetworkBaseline) -> None:
    for candidate in drawn_candidates(method.grid, budget=1000, seed=0):
        assert set(candidate) <= set(type(method)().get_params())
    assert method.grid


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
