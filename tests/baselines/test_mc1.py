"""MC-1: the minimum of its convex problem, by other ways than its own."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import check_grad, minimize

from halfseen.baselines.low_rank import MC1, CoCompletionLoss, complete_with_ones


def tiny_loss(seed: int, lam: float) -> CoCompletionLoss:
    generator = np.random.default_rng(seed)
    X = generator.standard_normal((7, 3)) @ generator.standard_normal((3, 4))
    Y = generator.integers(0, 2, (7, 2)).astype(float)
    Y[generator.random(Y.shape) < 0.3] = np.nan
    observed = generator.random(X.shape) < 0.7
    return CoCompletionLoss.of(np.where(observed, X, np.nan), Y, lam)


def value_of(loss: CoCompletionLoss, Z: np.ndarray) -> float:
    n_labels, n_features = loss.signs.shape[1], loss.features.shape[1]
    labels, features, _ = np.split(Z, [n_labels, n_labels + n_features], axis=1)
    of_labels = np.log1p(np.exp(-loss.signs * labels))[loss.signs != 0].sum()
    error = (features - loss.features)[loss.observed_features]
    return float(loss.per_label * of_labels + 0.5 * loss.per_feature * np.sum(error**2))


def objective(loss: CoCompletionLoss, Z: np.ndarray, mu: float) -> float:
    return value_of(loss, Z) + mu * float(np.linalg.svd(Z, compute_uv=False).sum())


def smoothed_minimum(loss: CoCompletionLoss, mu: float) -> np.ndarray:
    """Z by plain descent on sum sqrt(s^2 + e^2), e ever smaller, ones held fixed."""
    Z = np.zeros((7, 7))
    Z[:, -1] = 1.0

    def value(flat: np.ndarray, smoothing: float) -> tuple[float, np.ndarray]:
        full = np.column_stack([flat.reshape(7, 6), np.ones(7)])
        left, values, right = np.linalg.svd(full, full_matrices=False)
        rounded = np.sqrt(values**2 + smoothing**2)
        gradient = loss.gradient(full) + mu * (left * (values / rounded)) @ right
        return value_of(loss, full) + mu * rounded.sum(), gradient[:, :-1].ravel()

    for smoothing in (1e-1, 1e-2, 1e-3, 1e-4, 1e-5):
        found = minimize(
            value,
            Z[:, :-1].ravel(),
            args=(smoothing,),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 5000, "maxfun": 20000, "ftol": 1e-15, "gtol": 1e-10},
        )
        Z[:, :-1] = found.x.reshape(7, 6)
    return Z


@pytest.mark.parametrize(("seed", "lam", "share"), [(0, 1.0, 0.2), (1, 0.1, 0.05), (2, 3.0, 0.4)])
def test_reaches_the_minimum_of_the_convex_problem(seed: int, lam: float, share: float) -> None:
    loss = tiny_loss(seed, lam)
    ours, mu, _, _ = complete_with_ones(loss, share, 0.25, 20_000, 1e-12)
    reference = smoothed_minimum(loss, mu)
    np.testing.assert_allclose(ours[:, -1], 1.0, atol=1e-8)
    ours[:, -1] = 1.0
    lowest = objective(loss, reference, mu)
    assert objective(loss, ours, mu) == pytest.approx(lowest, rel=1e-4)
    assert objective(loss, ours, mu) <= lowest * (1 + 1e-9)
    np.testing.assert_allclose(ours, reference, atol=0.02)


def test_minus_the_gradient_is_a_subgradient_of_the_nuclear_norm() -> None:
    loss = tiny_loss(3, 1.0)
    Z, mu, _, _ = complete_with_ones(loss, 0.1, 0.25, 20_000, 1e-13)
    left, values, right = np.linalg.svd(Z)
    rank = int(np.sum(values > 1e-9))
    left, right = left[:, :rank], right[:rank]
    assert 0 < rank < 7
    # Off the column of ones, G must be U V' + W with U'W = 0, W V = 0 and ||W|| <= 1. On that
    # column it is free, so it is what U'G = V' asks of it within the span of U.
    G = -loss.gradient(Z) / mu
    np.testing.assert_allclose((left.T @ G)[:, :-1], right[:, :-1], atol=1e-7)
    beyond = (G - left @ (left.T @ G))[:, :-1]
    assert np.linalg.norm(beyond, 2) <= 1 + 1e-7


def test_writing_the_ones_back_is_not_enough() -> None:
    """The published step has another fixed point, with a larger objective."""
    loss = tiny_loss(0, 1.0)
    Z, mu, _, _ = complete_with_ones(loss, 0.2, 0.25, 20_000, 1e-12)
    step = 1.0 / loss.lipschitz
    Z[:, -1] = 1.0
    best = objective(loss, Z, mu)
    for _ in range(5000):
        left, values, right = np.linalg.svd(Z - step * loss.gradient(Z), full_matrices=False)
        Z = (left * np.maximum(values - step * mu, 0.0)) @ right
        Z[:, -1] = 1.0
    assert objective(loss, Z, mu) > best * (1 + 1e-4)


@pytest.mark.parametrize("wrong", [{"lam": 0.0}, {"mu_share": -1.0}, {"decay": 1.0}])
def test_settings_out_of_range(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        MC1(**wrong).fit([[1.0], [2.0]], [[0.0], [1.0]])


def test_it_says_how_it_ended() -> None:
    generator = np.random.default_rng(0)
    X, Y = generator.standard_normal((20, 4)), generator.integers(0, 2, (20, 2)).astype(float)
    long, short = MC1().fit(X, Y), MC1(max_iter=1).fit(X, Y)
    assert short.n_iter_ < long.n_iter_
    assert long.movement_ < long.tol
    assert short.movement_ > short.tol
    assert long.mu_ == pytest.approx(short.mu_)


def example() -> tuple[CoCompletionLoss, np.ndarray]:
    generator = np.random.default_rng(0)
    X, Y = generator.standard_normal((5, 3)), generator.integers(0, 2, (5, 2)).astype(float)
    Y[0, 0] = Y[2] = np.nan
    observed = generator.random(X.shape) < 0.6
    loss = CoCompletionLoss.of(np.where(observed, X, np.nan), Y, 0.7)
    return loss, generator.standard_normal((5, 6))


def test_gradient() -> None:
    loss, Z = example()
    error = check_grad(
        lambda flat: value_of(loss, flat.reshape(Z.shape)),
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
