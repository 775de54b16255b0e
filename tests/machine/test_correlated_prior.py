"""The prior's expectation by conjugate gradients, against a direct solve of every row."""

from __future__ import annotations

from functools import partial

import hypothesis.strategies as st
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from exact.compiled import precision
from halfseen.machine.correlated_prior import (
    CorrelatedPrior,
    LowRankPrior,
    Prior,
    conditional_mean,
)

pytestmark = pytest.mark.usefixtures("double_precision")

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

N_ROWS, N_UNITS, RANK = 6, 5, 2
SEEDS = st.integers(0, 10**6)


@partial(jax.jit, static_argnames="n_steps", compiler_options={"xla_backend_optimization_level": 0})
def compiled(prior: Prior, values: jax.Array, observed: jax.Array, n_steps: int) -> jax.Array:
    return conditional_mean(prior, values, observed, n_steps)


def expected_by(prior: Prior, values: Floats, observed: Bools, n_steps: int = N_UNITS) -> Floats:
    return np.asarray(compiled(prior, values, observed, n_steps))


def some_rows(seed: int, share: float = 0.6) -> tuple[Floats, Bools]:
    rng = np.random.default_rng([seed, 1])
    return rng.normal(size=(N_ROWS, N_UNITS)), rng.random((N_ROWS, N_UNITS)) < share


def some_dense(seed: int) -> CorrelatedPrior:
    rng = np.random.default_rng([seed, 2])
    root = rng.normal(size=(N_UNITS, N_UNITS))
    return CorrelatedPrior(rng.normal(size=N_UNITS), root @ root.T + 0.3 * np.eye(N_UNITS))


def some_low_rank(seed: int) -> LowRankPrior:
    rng = np.random.default_rng([seed, 3])
    return LowRankPrior(
        rng.normal(size=N_UNITS),
        rng.uniform(0.3, 2.0, size=N_UNITS),
        rng.normal(size=(N_UNITS, RANK)),
    )


def written_out(prior: LowRankPrior) -> CorrelatedPrior:
    loading = np.asarray(prior.loading)
    return CorrelatedPrior(prior.mean, np.diag(np.asarray(prior.noise)) + loading @ loading.T)


def solved_row_by_row(prior: CorrelatedPrior, values: Floats, observed: Bools) -> Floats:
    mean, covariance = np.asarray(prior.mean), np.asarray(prior.covariance)
    expected = np.empty_like(values)
    for row, seen in enumerate(observed):
        away = np.linalg.solve(covariance[np.ix_(seen, seen)], values[row, seen] - mean[seen])
        expected[row] = mean + covariance[:, seen] @ away
    return expected


@settings(max_examples=60, deadline=None, derandomize=True)
@given(seed=SEEDS, share=st.floats(0, 1))
def test_it_is_the_direct_solution(seed: int, share: float) -> None:
    prior, (values, observed) = some_dense(seed), some_rows(seed, share)
    right = solved_row_by_row(prior, values, observed)
    # One step more than units makes good what rounding takes away.
    found = expected_by(prior, values, observed, N_UNITS + 1)
    np.testing.assert_allclose(found, right, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found[observed], values[observed], rtol=1e-5, atol=1e-5)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(seed=SEEDS)
def test_a_low_rank_is_a_way_of_writing_a_covariance(seed: int) -> None:
    prior, (values, observed) = some_low_rank(seed), some_rows(seed)
    dense = written_out(prior)
    np.testing.assert_allclose(
        np.asarray(prior.covariance_times(values)),
        np.asarray(dense.covariance_times(values)),
        rtol=1e-12,
        atol=1e-12,
    )
    found = expected_by(prior, values, observed, N_UNITS + 1)
    right = solved_row_by_row(dense, values, observed)
    np.testing.assert_allclose(found, right, rtol=1e-5, atol=1e-5)
    same = expected_by(dense, values, observed, N_UNITS + 1)
    np.testing.assert_allclose(found, same, rtol=1e-5, atol=1e-5)


def test_two_distinct_eigenvalues_take_two_steps_and_a_rank_of_one_takes_one() -> None:
    values, observed = some_rows(4)
    direction = np.random.default_rng(4).normal(size=(N_UNITS, 1))
    prior = LowRankPrior(jnp.zeros(N_UNITS), jnp.full(N_UNITS, 0.7), direction)
    dense = written_out(prior)
    right = solved_row_by_row(dense, values, observed)
    np.testing.assert_allclose(expected_by(dense, values, observed, 2), right, atol=1e-9)
    assert not np.allclose(expected_by(dense, values, observed, 1), right, atol=1e-3)
    np.testing.assert_allclose(expected_by(prior, values, observed, 1), right, atol=1e-9)


def test_an_observed_row_is_itself_and_an_unobserved_one_the_mean() -> None:
    prior, (values, _) = some_dense(0), some_rows(0)
    every = np.ones_like(values, bool)
    np.testing.assert_allclose(expected_by(prior, values, every, 6), values, atol=1e-5)
    nothing = expected_by(prior, values, ~every)
    np.testing.assert_array_equal(nothing, np.tile(np.asarray(prior.mean), (N_ROWS, 1)))


@settings(max_examples=20, deadline=None, derandomize=True)
@given(seed=SEEDS, row=st.integers(0, N_ROWS - 1))
def test_no_row_knows_of_another(seed: int, row: int) -> None:
    prior, (values, observed) = some_dense(seed), some_rows(seed)
    others = np.arange(N_ROWS) != row
    changed, changed_observed = some_rows(seed + 1)
    changed[row], changed_observed[row] = values[row], observed[row]
    changed[others] *= 1e6
    before = expected_by(prior, values, observed)[row]
    np.testing.assert_array_equal(expected_by(prior, changed, changed_observed)[row], before)


@pytest.mark.parametrize("low_rank", [False, True])
@pytest.mark.parametrize("behind", [np.nan, np.inf, 1e300])
def test_nothing_behind_a_hole_is_read(low_rank: bool, behind: float) -> None:
    prior: Prior = some_low_rank(1) if low_rank else some_dense(1)
    values, observed = some_rows(1)
    assert not observed.all()
    overwritten = np.where(observed, values, behind)
    np.testing.assert_array_equal(
        expected_by(prior, overwritten, observed), expected_by(prior, values, observed)
    )


def test_in_single_precision_steps_beyond_the_last_do_no_harm() -> None:
    prior, (values, observed) = some_dense(2), some_rows(2)
    right = solved_row_by_row(prior, values, observed)
    with precision(double=False):
        single = CorrelatedPrior(*(jnp.asarray(part, jnp.float32) for part in prior))
        found = expected_by(single, values.astype(np.float32), observed, 80)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, right, rtol=1e-3, atol=1e-3)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(seed=SEEDS, share=st.floats(0, 1))
def test_numpy_finds_the_same_and_rests_when_all_rows_do(seed: int, share: float) -> None:
    prior, (values, observed) = some_dense(seed), some_rows(seed, share)
    found = conditional_mean(prior, values, observed, n_steps=60)
    assert isinstance(found, np.ndarray)
    np.testing.assert_allclose(found, solved_row_by_row(prior, values, observed), atol=1e-5)
    # A row that has come to rest stays there, however long its neighbours go on.
    for row in range(N_ROWS):
        alone = np.zeros_like(values), np.zeros_like(observed)
        alone[0][row], alone[1][row] = values[row], observed[row]
        again = conditional_mean(prior, *alone, n_steps=60)
        np.testing.assert_array_equal(again[row], found[row])
