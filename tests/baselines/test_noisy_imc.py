from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from halfseen.baselines.noisy_imc import (
    NoisyIMC,
    SideInformationSolution,
    side_information_completion,
)


def tiny(seed: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    X, R = generator.standard_normal((8, 4)), generator.standard_normal((8, 3))
    R[generator.random(R.shape) < 0.3] = np.nan
    return X, R


def solved(
    X: np.ndarray, R: np.ndarray, feature_share: float, rest_share: float
) -> SideInformationSolution:
    return side_information_completion(X, R, feature_share, rest_share, max_iter=50_000, tol=1e-14)


@pytest.mark.parametrize(
    ("seed", "feature_share", "rest_share"), [(0, 0.1, 0.3), (1, 0.3, 0.1), (2, 0.02, 0.5)]
)
def test_minus_the_gradient_is_a_subgradient_of_both_norms(
    seed: int, feature_share: float, rest_share: float
) -> None:
    X, R = tiny(seed)
    solution = solved(X, R, feature_share, rest_share)
    error = np.where(np.isnan(R), 0.0, X @ solution.M + solution.N - np.nan_to_num(R))
    for part, gradient, penalty in (
        (solution.M, X.T @ error, solution.feature_penalty),
        (solution.N, error, solution.rest_penalty),
    ):
        left, values, right = np.linalg.svd(part, full_matrices=False)
        rank = int(np.sum(values > 1e-8))
        left, right = left[:, :rank], right[:rank]
        W = -gradient / penalty - left @ right
        np.testing.assert_allclose(left.T @ W, 0.0, atol=1e-5)
        np.testing.assert_allclose(W @ right.T, 0.0, atol=1e-5)
        assert np.linalg.norm(W, 2) <= 1 + 1e-5


def test_reaches_the_minimum_found_by_plain_descent() -> None:
    X, R = tiny(4)
    solution = solved(X, R, 0.1, 0.3)
    observed, known = ~np.isnan(R), np.nan_to_num(R)

    def value(flat: np.ndarray, smoothing: float) -> tuple[float, np.ndarray]:
        M, N = flat[:12].reshape(4, 3), flat[12:].reshape(8, 3)
        error = np.where(observed, X @ M + N - known, 0.0)
        total, gradients = 0.5 * float(np.vdot(error, error)), []
        for part, smooth, penalty in (
            (M, X.T @ error, solution.feature_penalty),
            (N, error, solution.rest_penalty),
        ):
            left, values, right = np.linalg.svd(part, full_matrices=False)
            rounded = np.sqrt(values**2 + smoothing**2)
            total += penalty * float(rounded.sum())
            gradients.append(smooth + penalty * (left * (values / rounded)) @ right)
        return total, np.concatenate([gradient.ravel() for gradient in gradients])

    place = np.full(36, 0.01)
    for smoothing in (1e-1, 1e-2, 1e-3, 1e-4, 1e-5):
        options = {"maxiter": 5000, "maxfun": 20000, "ftol": 1e-15, "gtol": 1e-10}
        place = minimize(value, place, (smoothing,), "L-BFGS-B", True, options=options).x
    ours = np.concatenate([solution.M.ravel(), solution.N.ravel()])
    # A vanishing smoothing, since the norm itself has no gradient at a singular value of zero.
    assert value(ours, 1e-12)[0] <= value(place, 1e-12)[0] * (1 + 1e-9)
    assert value(ours, 1e-12)[0] == pytest.approx(value(place, 1e-12)[0], rel=1e-4)


def test_shares_of_one_leave_nothing() -> None:
    X, R = tiny(5)
    # A hair above one, since a largest singular value is known up to rounding.
    assert not solved(X, R, 1.0001, 1.0001).M.any()
    assert not solved(X, R, 1.0001, 1.0001).N.any()
    assert solved(X, R, 0.9, 1.0001).M.any()
    assert solved(X, R, 1.0001, 0.9).N.any()


def test_labels_have_no_say_in_the_features() -> None:
    generator = np.random.default_rng(0)
    X, Y = generator.standard_normal((30, 4)), generator.integers(0, 2, (30, 2)).astype(float)
    X[generator.random(X.shape) < 0.3] = np.nan
    first, second = (NoisyIMC().fit(X, labels).complete().features for labels in (Y, 1.0 - Y))
    np.testing.assert_array_equal(first, second)
    assert not NoisyIMC.imputes
    assert "soft-impute" in NoisyIMC.feature_source


@pytest.mark.parametrize("wrong", [{"feature_share": 0.0}, {"rest_share": -1.0}])
def test_settings_out_of_range(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        NoisyIMC(**wrong).fit([[1.0], [2.0]], [[0.0], [1.0]])
