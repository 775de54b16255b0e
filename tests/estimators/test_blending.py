"""Weights of several predictions, against optimisation by other means."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import softmax

from halfseen.estimators.blending import _drawn_blend, column_blends, mixture_weights

PULL = 30.0
Floats = NDArray[np.float64]


def blends_of(said: Floats, truth: Floats, judged: NDArray[np.bool_]) -> Floats:
    """Of predictions (n_predictors, n_rows, n_columns) and a table, the judged entries' blends."""
    column = np.nonzero(judged)[1]
    return column_blends(said[:, judged], truth[judged], column, truth.shape[1])


def some_probabilities(seed: int, n_predictors: int, n_entries: int) -> Floats:
    random = np.random.default_rng(seed)
    return random.beta(1.0 + np.arange(n_predictors)[:, None], 1.5, (n_predictors, n_entries))


@pytest.mark.parametrize(("n_predictors", "n_entries"), [(2, 40), (3, 300), (4, 5)])
def test_mixture_is_the_most_probable_one(n_predictors: int, n_entries: int) -> None:
    said = some_probabilities(1, n_predictors, n_entries)

    def loss(heights: Floats) -> float:
        weights = softmax(heights)
        drawn = PULL / n_predictors * np.log(weights).sum()
        return float(-np.log(weights @ said).sum() - drawn)

    best = softmax(minimize(loss, np.zeros(n_predictors), tol=1e-10).x)
    assert np.allclose(mixture_weights(said), best, atol=2e-3)


def test_mixture_of_no_entries_is_equal_and_zeros_do_no_harm() -> None:
    assert mixture_weights(np.zeros((4, 0))).tolist() == [0.25] * 4
    weights = mixture_weights(np.array([[0.0] * 200, [1.0] * 200, [0.0] * 200]))
    assert np.isclose(weights.sum(), 1.0)
    assert weights[1] == pytest.approx(210 / 230)


@given(seed=st.integers(0, 1000), n_predictors=st.integers(1, 6))
def test_mixture_does_not_depend_on_the_order(seed: int, n_predictors: int) -> None:
    said = some_probabilities(seed, n_predictors, 20)
    weights = mixture_weights(said)
    assert np.isclose(weights.sum(), 1.0)
    assert (weights > 0).all()
    assert np.allclose(mixture_weights(said[::-1])[::-1], weights)


def some_predictions(seed: int, n_predictors: int, n_rows: int) -> tuple[Floats, Floats]:
    """Predictions of one column that err each in its own measure, and the truth."""
    random = np.random.default_rng(seed)
    truth = random.normal(size=n_rows)
    errors = random.normal(size=(n_predictors, n_rows)) * (0.3 + np.arange(n_predictors))[:, None]
    return truth + errors, truth


@given(seed=st.integers(0, 1000), n_predictors=st.integers(1, 6), n_rows=st.integers(1, 60))
def test_no_other_blend_is_better(seed: int, n_predictors: int, n_rows: int) -> None:
    said, truth = some_predictions(seed, n_predictors, n_rows)
    random = np.random.default_rng([seed, 1])
    towards = random.dirichlet(np.ones(n_predictors))
    blend = _drawn_blend(said.T, truth, towards, PULL)
    assert np.isclose(blend.sum(), 1.0)
    assert (blend >= 0).all()

    def loss(weights: Floats) -> float:
        return float(
            np.sum((weights @ said - truth) ** 2) + PULL * np.sum((weights - towards) ** 2)
        )

    others = [*np.eye(n_predictors), *random.dirichlet(np.ones(n_predictors), 20)]
    assert all(loss(blend) <= loss(other) + 1e-3 * (1 + loss(other)) for other in others)


def test_a_known_blend_is_found_again() -> None:
    random = np.random.default_rng(0)
    said = random.normal(size=(3, 3000, 2))
    known = np.array([[0.2, 0.8, 0.0], [0.5, 0.0, 0.5]])
    truth = np.einsum("ck,krc->rc", known, said) + 0.1 * random.normal(size=(3000, 2))
    blends = blends_of(said, truth, np.ones((3000, 2), bool))
    assert np.allclose(blends, known, atol=0.02)


def test_what_nobody_knows_is_the_mean() -> None:
    random = np.random.default_rng(0)
    said, truth = random.normal(size=(2, 2000, 2)), random.normal(size=(2000, 2))
    said[:, :, 1] = truth[:, 1]  # the other column is known
    blends = blends_of(said, truth, np.ones((2000, 2), bool))
    assert blends[0].sum() < 0.15
    assert blends[1].sum() > 0.9


@pytest.mark.parametrize("seed", range(5))
def test_a_blend_hardly_loses_to_the_best_alone(seed: int) -> None:
    parts = [some_predictions(10 * seed + column, 4, 400) for column in range(3)]
    said = np.stack([part[0] for part in parts], axis=2)
    truth = np.stack([part[1] for part in parts], axis=1)
    judged = np.random.default_rng(seed).random(truth.shape) < 0.5
    blends = blends_of(said, truth, judged)
    blended = np.einsum("ck,krc->rc", blends, said)
    for column in range(3):
        rows = judged[:, column]
        error = np.mean((blended - truth)[rows, column] ** 2)
        alone = np.mean((said - truth)[:, rows, column] ** 2, axis=1)
        assert error <= alone.min() + 2 * PULL / rows.sum()


def test_columns_of_which_nothing_is_judged() -> None:
    said, truth = some_predictions(0, 2, 300)
    said, truth = np.repeat(said[:, :, None], 3, axis=2), np.repeat(truth[:, None], 3, axis=1)
    judged = np.zeros(truth.shape, bool)
    assert (blends_of(said, truth, judged) == 0.5).all()
    judged[:, 0] = True
    blends = blends_of(said, truth, judged)
    assert blends[1].tolist() == blends[2].tolist()
    assert blends[0, 0] > 0.7
    assert blends[1, 0] > 0.7


@given(seed=st.integers(0, 10**6), same=st.integers(1, 6), size=st.sampled_from([1e-9, 1.0, 1e2]))
def test_predictors_that_say_the_same(seed: int, same: int, size: float) -> None:
    random = np.random.default_rng(seed)
    said = size * random.normal(size=(3, 50, 1))
    said = np.concatenate([np.repeat(said[:1], same, axis=0), said])
    blends = blends_of(said, size * random.normal(size=(50, 1)), np.ones((50, 1), bool))
    assert np.isfinite(blends).all()
    assert (blends >= 0).all()
    assert (blends.sum(axis=1) <= 1 + 1e-9).all()
    # Equal predictors have equal weights.
    assert np.allclose(blends[:, : same + 1], blends[:, :1], atol=1e-3)
