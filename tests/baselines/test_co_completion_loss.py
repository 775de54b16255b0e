from __future__ import annotations

import numpy as np
from scipy.optimize import check_grad

from halfseen.baselines._co_completion_loss import CoCompletionLoss


def example() -> tuple[CoCompletionLoss, np.ndarray]:
    generator = np.random.default_rng(0)
    X, Y = generator.standard_normal((5, 3)), generator.integers(0, 2, (5, 2)).astype(float)
    Y[0, 0] = Y[2] = np.nan
    observed = generator.random(X.shape) < 0.6
    loss = CoCompletionLoss.of(X, observed, Y, 0.7, np.array([0.5, -1.0]))
    return loss, generator.standard_normal((5, 6))


def test_gradient() -> None:
    loss, Z = example()
    error = check_grad(
        lambda flat: loss.value(flat.reshape(Z.shape)),
        lambda flat: loss.gradient(flat.reshape(Z.shape)).ravel(),
        Z.ravel(),
    )
    assert error < 1e-6


def test_gradient_is_zero_where_nothing_is_observed() -> None:
    loss, Z = example()
    gradient = loss.gradient(Z)
    assert (gradient[:, :2][loss.signs == 0] == 0).all()
    assert (gradient[:, 2:5][~loss.observed_features] == 0).all()
    assert (gradient[:, 5] == 0).all()
    assert (gradient[:, :2][loss.signs != 0] != 0).all()


def test_lipschitz_constant_bounds_the_change_of_the_gradient() -> None:
    loss, Z = example()
    generator = np.random.default_rng(1)
    for _ in range(50):
        other = Z + generator.standard_normal(Z.shape) * generator.choice([0.01, 1.0, 10.0])
        change = np.linalg.norm(loss.gradient(Z) - loss.gradient(other))
        assert change <= loss.lipschitz * np.linalg.norm(Z - other) * (1 + 1e-12)
