"""Nuclear norms: shrunk spectra, optimality of the convex problems, rows that are folded in."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

from halfseen.baselines.low_rank import (
    NoisyIMC,
    SoftImpute,
    fold_in,
    low_rank_completion,
    shrunk_spectrum,
    side_information_completion,
    soft_imputed,
    spectral_norm,
)


@pytest.mark.parametrize("shape", [(9, 4), (4, 9), (5, 5), (1, 3), (3, 1)])
@pytest.mark.parametrize("threshold", [0.0, 0.5, 2.0, 100.0])
def test_a_shrunk_spectrum_is_that_of_the_full_decomposition(
    shape: tuple[int, int], threshold: float
) -> None:
    A = np.random.default_rng(0).standard_normal(shape)
    left, values, right = np.linalg.svd(A, full_matrices=False)
    shrunk = np.maximum(values - threshold, 0.0)
    spectrum = shrunk_spectrum(A, threshold)
    np.testing.assert_allclose(spectrum.matrix(), (left * shrunk) @ right, atol=1e-10)
    np.testing.assert_allclose(spectrum.singular_values, shrunk[shrunk > 0], atol=1e-10)
    rank = len(spectrum.singular_values)
    np.testing.assert_allclose(spectrum.right.T @ spectrum.right, np.eye(rank), atol=1e-10)
    assert spectral_norm(A) == pytest.approx(values[0])


def test_nothing_but_zeros_and_low_rank() -> None:
    assert not shrunk_spectrum(np.zeros((4, 3)), 0.0).matrix().any()
    assert spectral_norm(np.zeros((4, 3))) == 0.0
    generator = np.random.default_rng(1)
    A = generator.standard_normal((50, 2)) @ generator.standard_normal((2, 20))
    assert len(shrunk_spectrum(A, 0.0).singular_values) == 2


def incomplete(n_rows: int, n_columns: int, noise: float = 0.3) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(4)
    full = generator.standard_normal((n_rows, 2)) @ generator.standard_normal((2, n_columns))
    full += noise * generator.standard_normal(full.shape)
    return full, np.where(generator.random(full.shape) < 0.3, np.nan, full)


def assert_subgradient(matrix: np.ndarray, gradient: np.ndarray, penalty: float) -> None:
    """Minus the gradient is the penalty times ``U V' + W``, with W of norm 1 at most."""
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    rank = int(np.sum(values > 1e-8))
    left, right = left[:, :rank], right[:rank]
    W = -gradient / penalty - left @ right
    np.testing.assert_allclose(left.T @ W, 0.0, atol=1e-5)
    np.testing.assert_allclose(W @ right.T, 0.0, atol=1e-5)
    assert np.linalg.norm(W, 2) <= 1 + 1e-5


@pytest.mark.parametrize("shape", [(15, 6), (6, 15)])
def test_soft_impute_reaches_its_minimum(shape: tuple[int, int]) -> None:
    _, table = incomplete(*shape)
    spectrum = soft_imputed(table, np.zeros(shape), 0.8, tol=1e-12, max_iter=20_000)
    assert 0 < len(spectrum.singular_values) < min(shape)
    residual = np.where(np.isnan(table), 0.0, spectrum.matrix() - np.nan_to_num(table))
    assert_subgradient(spectrum.matrix(), residual, 0.8)


def test_the_chosen_penalty_completes_better_than_others() -> None:
    full, table = incomplete(150, 12, noise=1.0)
    hidden = np.isnan(table)

    def error(matrix: np.ndarray) -> float:
        return float(np.mean((matrix - full)[hidden] ** 2))

    found = low_rank_completion(table, 0)
    start, largest = np.zeros_like(table), spectral_norm(np.nan_to_num(table))
    for share in (0.95, 0.001):
        assert error(found.matrix) < 0.98 * error(
            soft_imputed(table, start, share * largest).matrix()
        )


def test_a_mask_drawn_with_the_same_seed_leaves_entries_to_choose_by() -> None:
    """Hidden by the very stream a careless choice would draw from: still a small penalty."""
    table = np.random.default_rng(9).standard_normal((200, 1)) * np.ones((1, 11)) + 0.1
    table[np.random.default_rng(0).random(table.shape) < 0.5] = np.nan
    for seed in (0, 1):
        assert low_rank_completion(table, seed).penalty < 0.5 * spectral_norm(np.nan_to_num(table))


def test_a_table_of_nothing_is_completed_by_zeros() -> None:
    X = np.full((4, 3), np.nan)
    X[0, 0] = 0.0
    completion = low_rank_completion(X, 0)
    assert not completion.matrix.any()
    assert not completion.of_rows(X).any()


def test_every_row_folded_in_is_a_ridge_regression_on_what_it_shows() -> None:
    generator = np.random.default_rng(0)
    V, X = generator.standard_normal((6, 3)), generator.standard_normal((40, 6))
    X[generator.random(X.shape) < 0.5] = np.nan
    X[7], X[8] = np.nan, 1.0
    embeddings = fold_in(V, 0.7, X)
    for row, embedding in zip(X, embeddings, strict=True):
        seen = ~np.isnan(row)
        gradient = V[seen].T @ (V[seen] @ embedding - row[seen]) + 0.7 * embedding
        np.testing.assert_allclose(gradient, 0.0, atol=1e-10)
    assert not embeddings[7].any()
    order = generator.permutation(40)
    np.testing.assert_allclose(embeddings[order], fold_in(V, 0.7, X[order]), rtol=1e-10)


def test_a_new_row_is_completed_as_one_that_was_fitted() -> None:
    _, table = incomplete(80, 9)
    X, Y = table[:, :8], np.where(np.isnan(table[:, 8:]), np.nan, table[:, 8:] > 0)
    Y[::2] = np.nan
    fitted = SoftImpute().fit(X, Y)
    features, scores = fitted.complete()
    np.testing.assert_allclose(fitted.predict_scores(X[::2]), scores[::2], atol=0.02)
    np.testing.assert_allclose(fitted.complete(X[::2]).features, features[::2], atol=0.1)


def tiny(seed: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    X, R = generator.standard_normal((8, 4)), generator.standard_normal((8, 3))
    R[generator.random(R.shape) < 0.3] = np.nan
    return X, R


def solved(
    X: np.ndarray, R: np.ndarray, feature_share: float, rest_share: float
) -> tuple[np.ndarray, np.ndarray, tuple[float, float]]:
    return side_information_completion(X, R, feature_share, rest_share, max_iter=20_000, tol=1e-13)


@pytest.mark.parametrize(("seed", "shares"), [(0, (0.1, 0.3)), (1, (0.3, 0.1)), (2, (0.02, 0.5))])
def test_noisy_imc_reaches_its_minimum(seed: int, shares: tuple[float, float]) -> None:
    X, R = tiny(seed)
    M, N, (of_features, of_rest) = solved(X, R, *shares)
    error = np.where(np.isnan(R), 0.0, X @ M + N - np.nan_to_num(R))
    assert_subgradient(M, X.T @ error, of_features)
    assert_subgradient(N, error, of_rest)


def test_noisy_imc_reaches_the_minimum_found_by_plain_descent() -> None:
    X, R = tiny(4)
    M_found, N_found, penalties = solved(X, R, 0.1, 0.3)
    observed, known = ~np.isnan(R), np.nan_to_num(R)

    def value(flat: np.ndarray, smoothing: float) -> tuple[float, np.ndarray]:
        M, N = flat[:12].reshape(4, 3), flat[12:].reshape(8, 3)
        error = np.where(observed, X @ M + N - known, 0.0)
        total, gradients = 0.5 * float(np.vdot(error, error)), []
        for part, smooth, penalty in (
            (M, X.T @ error, penalties[0]),
            (N, error, penalties[1]),
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
    ours = np.concatenate([M_found.ravel(), N_found.ravel()])
    # A vanishing smoothing, since the norm itself has no gradient at a singular value of zero.
    assert value(ours, 1e-12)[0] <= value(place, 1e-12)[0] * (1 + 1e-9)
    assert value(ours, 1e-12)[0] == pytest.approx(value(place, 1e-12)[0], rel=1e-4)


def test_shares_of_one_leave_nothing() -> None:
    X, R = tiny(5)
    # A hair above one, since a largest singular value is known up to rounding.
    left = [
        [part.any() for part in solved(X, R, *shares)[:2]]
        for shares in ((1.0001, 1.0001), (0.9, 1.0001), (1.0001, 0.9))
    ]
    assert left == [[False, False], [True, False], [False, True]]


def test_labels_do_not_change_the_features_of_noisy_imc() -> None:
    X, Y = incomplete(30, 4)[1], np.random.default_rng(0).integers(0, 2, (30, 2)).astype(float)
    first, second = (NoisyIMC().fit(X, labels).complete().features for labels in (Y, 1.0 - Y))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("wrong", [{"feature_share": 0.0}, {"rest_share": -1.0}])
def test_settings_out_of_range(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        NoisyIMC(**wrong).fit([[1.0], [2.0]], [[0.0], [1.0]])
