"""The fitted prior, against sample covariances and a slow EM that looks at every row."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

from halfseen.baselines._gaussian import (
    Gaussian,
    conditional_means,
    expectation,
    log_posterior,
    maximised,
    pairwise_start,
)
from halfseen.learning import prior_fit
from halfseen.learning.one_thread import thread_pools
from halfseen.learning.over_relaxed import Moments, over_relaxed
from halfseen.learning.prior_fit import (
    PriorSettings,
    exact_expectation,
    fit_prior,
    prior_loss,
)
from halfseen.machine.correlated_prior import CorrelatedPrior, LowRankPrior
from learning.small import assert_same_bits

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]

N_ROWS, N_UNITS, SHRINKAGE = 120, 6, 0.1
SEEDS = st.integers(0, 10**6)


def correlated(seed: int) -> tuple[Floats, Bools]:
    """Rows of two factors, four entries of ten missing, one row all missing and one complete."""
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(N_ROWS, 2)) @ rng.normal(size=(2, N_UNITS))
    values = (0.5 + factors + 0.4 * rng.normal(size=(N_ROWS, N_UNITS))).astype(np.float32)
    observed = rng.random((N_ROWS, N_UNITS)) < 0.6
    observed[3], observed[5] = False, True
    return values, observed


def every_row(n_rounds: int) -> PriorSettings:
    return PriorSettings(SHRINKAGE, n_rounds, n_rows_of_covariance=N_ROWS)


def fitted(values: Floats, observed: Bools, how: PriorSettings, seed: int = 0) -> Gaussian:
    prior = fit_prior(values, observed, how, seed)
    assert isinstance(prior, CorrelatedPrior)
    return Gaussian(np.asarray(prior.mean, np.float64), np.asarray(prior.covariance, np.float64))


def slow(values: Floats, observed: Bools, n_rounds: int) -> Gaussian:
    table = np.where(observed, values, np.nan).astype(np.float64)
    gaussian = pairwise_start(table, SHRINKAGE)
    for round_ in range(n_rounds):
        after = maximised(expectation(gaussian, table), SHRINKAGE)
        if round_ < n_rounds - 1:
            after = Gaussian(*over_relaxed(Moments(*gaussian), Moments(*after)))
        gaussian = after
    return gaussian


def shrunk(covariance: NDArray[np.float64], shrinkage: float) -> NDArray[np.float64]:
    return (1 - shrinkage) * covariance + shrinkage * np.eye(len(covariance))


@settings(max_examples=15, deadline=None, derandomize=True)
@given(seed=SEEDS, shrinkage=st.floats(0.01, 0.9))
def test_of_complete_rows_it_is_the_shrunk_covariance(seed: int, shrinkage: float) -> None:
    values, _ = correlated(seed)
    found = fitted(values, np.ones_like(values, bool), PriorSettings(shrinkage, 2, 10))
    np.testing.assert_allclose(found.mean, values.mean(axis=0, dtype=np.float64), atol=1e-5)
    sample = np.cov(values.astype(np.float64), rowvar=False, bias=True)
    np.testing.assert_allclose(found.covariance, shrunk(sample, shrinkage), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("n_rounds", [0, 1, 2, 3, 8])
def test_of_every_row_each_round_is_one_of_the_slow_em(n_rounds: int) -> None:
    values, observed = correlated(1)
    found, right = fitted(values, observed, every_row(n_rounds)), slow(values, observed, n_rounds)
    np.testing.assert_allclose(found.mean, right.mean, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(found.covariance, right.covariance, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("share", [0.2, 0.6, 0.9])
def test_rows_that_are_solved_for_by_themselves_are_the_expectation(share: float) -> None:
    values, observed = correlated(9)
    observed &= np.random.default_rng(1).random(observed.shape) < share / 0.6
    gaussian = slow(values, observed, 2)
    table = np.where(observed, values, np.nan).astype(np.float64)
    held = np.nan_to_num(table)
    found, spread = exact_expectation(Moments(*gaussian), held, observed)
    np.testing.assert_allclose(found, conditional_means(gaussian, table), atol=1e-9)
    right = np.zeros_like(spread)
    for seen in observed:
        own, others = np.flatnonzero(seen), np.flatnonzero(~seen)
        covariance = gaussian.covariance
        explained = np.zeros((len(others), len(others)))
        if len(own):
            both = covariance[np.ix_(own, others)]
            explained = both.T @ np.linalg.solve(covariance[np.ix_(own, own)], both)
        right[np.ix_(others, others)] += covariance[np.ix_(others, others)] - explained
    np.testing.assert_allclose(spread, right / N_ROWS, atol=1e-9)


def test_columns_that_hang_together_closely_are_learned_exactly() -> None:
    """Smooth curves: a search of a few steps would lead rounds astray, or end far away."""
    rng = np.random.default_rng(3)
    place = np.linspace(0, 1, 80)
    waves = np.sin(2 * np.pi * np.outer(np.arange(1, 6), place) + rng.random((5, 1)))
    rows = rng.normal(size=(60, 5)) @ waves
    values = ((rows - rows.mean(axis=0)) / rows.std(axis=0)).astype(np.float32)
    observed = rng.random(values.shape) < 0.7
    how = PriorSettings(0.002, n_rounds=14, first_shrinkage=0.2, is_exact=True)
    nothing = np.zeros(80, bool)
    exact = prior_loss(fit_prior(values, observed, how, 0), values, observed, ~observed, nothing)
    usual = fit_prior(values, observed, PriorSettings(), 0)
    assert exact < 0.3 * prior_loss(usual, values, observed, ~observed, nothing)
    assert exact < 0.003


def test_labels_that_nobody_knows_do_not_hide_what_is_known_of_features() -> None:
    values = np.array([[2.0, 1.0, 5.0]], np.float32)
    prior = CorrelatedPrior(jnp.zeros(3), jnp.eye(3))
    judged = np.ones((1, 3), bool)
    found = prior_loss(prior, values, ~judged, judged, np.array([False, False, True]))
    # Squared errors 4 and 1 of two features, 25 of a label.
    assert found == pytest.approx((2.5**2 * 25) ** (1 / 3))


@settings(max_examples=8, deadline=None, derandomize=True)
@given(seed=SEEDS)
def test_every_round_climbs(seed: int) -> None:
    values, observed = correlated(seed)
    table = np.where(observed, values, np.nan).astype(np.float64)
    heights = []
    for n_rounds in (0, 1, 3, 6):
        found = fitted(values, observed, every_row(n_rounds))
        likelihood = expectation(found, table).log_likelihood
        heights.append(log_posterior(found, likelihood, N_ROWS, SHRINKAGE))
    assert np.all(np.diff(heights) > -1e-2)
    assert heights[-1] > heights[0]


def test_a_third_of_the_rows_is_nearly_as_good_as_all() -> None:
    values, observed = correlated(2)
    found = fitted(values, observed, PriorSettings(SHRINKAGE, 8, N_ROWS // 3))
    right = slow(values, observed, 8)
    distance = np.linalg.norm(found.covariance - right.covariance)
    assert 0 < distance < 0.1 * np.linalg.norm(right.covariance)


def test_the_seed_decides_which_rows_are_looked_at() -> None:
    values, observed = correlated(3)
    how = PriorSettings(SHRINKAGE, 3, 20)
    one = fitted(values, observed, how, seed=1)
    assert_same_bits(fitted(values, observed, how, seed=1), one)
    assert np.any(fitted(values, observed, how, seed=2).covariance != one.covariance)


@pytest.mark.parametrize("behind", [np.nan, 1e30])
def test_nothing_behind_a_hole_is_read(behind: float) -> None:
    values, observed = correlated(4)
    before = fitted(values, observed, PriorSettings(SHRINKAGE, 3, 20))
    overwritten = np.where(observed, values, np.float32(behind))
    assert_same_bits(fitted(overwritten, observed, PriorSettings(SHRINKAGE, 3, 20)), before)


def test_a_unit_never_seen_is_left_alone_by_the_others() -> None:
    values, observed = correlated(5)
    observed[:, 2] = False
    found = fitted(values, observed, every_row(8))
    others = np.arange(N_UNITS) != 2
    assert abs(found.mean[2]) < 1e-9
    np.testing.assert_allclose(found.covariance[2, others], 0, atol=1e-6)
    assert 0 < found.covariance[2, 2] <= 1
    right = slow(values[:, others], observed[:, others], 8)
    np.testing.assert_allclose(found.covariance[np.ix_(others, others)], right.covariance, 1e-3)


def test_a_long_table_is_represented_by_some_of_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prior_fit, "MOST_ROWS", 37)
    values = np.random.default_rng(6).integers(0, 2, size=(N_ROWS, N_UNITS)).astype(np.float32)
    prior = fit_prior(values, np.ones_like(values, bool), every_row(1), seed=0)
    counted = np.asarray(prior.mean) * 37
    np.testing.assert_allclose(counted, counted.round(), atol=1e-4)
    frequency = np.asarray(prior.mean)
    assert isinstance(prior, CorrelatedPrior)
    variance = shrunk(np.diag(frequency * (1 - frequency)), SHRINKAGE)
    np.testing.assert_allclose(np.diag(prior.covariance), np.diag(variance), atol=1e-5)


def test_many_units_have_a_covariance_of_low_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prior_fit, "MOST_UNITS_OF_FULL_RANK", N_UNITS - 1)
    monkeypatch.setattr(prior_fit, "RANK", 2)
    rng = np.random.default_rng(7)
    loading = rng.normal(size=(N_UNITS, 2))
    covariance = 0.3 * np.eye(N_UNITS) + loading @ loading.T
    # Rows whose sample covariance is this one exactly, and so of rank two beside its noise.
    centred = rng.normal(size=(N_ROWS, N_UNITS))
    white = np.linalg.qr(centred - centred.mean(axis=0))[0] * np.sqrt(N_ROWS)
    values = (white @ np.linalg.cholesky(covariance).T).astype(np.float32)
    prior = fit_prior(values, np.ones_like(values, bool), every_row(1), seed=0)
    assert isinstance(prior, LowRankPrior)
    assert prior.loading.shape == (N_UNITS, 2)
    found = np.asarray(jax.jit(LowRankPrior.covariance_times)(prior, jnp.eye(N_UNITS)))
    np.testing.assert_allclose(found, shrunk(covariance, SHRINKAGE), atol=1e-4)
    np.testing.assert_allclose(prior.noise, 0.9 * 0.3 + 0.1, atol=1e-4)


def test_the_loss_of_a_prior_is_its_mean_squared_error() -> None:
    values, observed = correlated(8)
    gaussian = slow(values, observed, 3)
    prior = CorrelatedPrior(*(jnp.asarray(part, jnp.float32) for part in gaussian))
    table = np.where(observed, values, np.nan).astype(np.float64)
    judged = ~observed & (np.arange(N_UNITS) < 4)
    away = (conditional_means(gaussian, table) - values)[judged]
    unread = np.where(observed | judged, values, np.float32(np.nan))
    found = prior_loss(prior, unread, observed, judged, np.zeros(N_UNITS, bool))
    assert found == pytest.approx(float(np.mean(away**2)), rel=1e-3)


def test_all_pools_of_linear_algebra_are_found() -> None:
    """The same libraries as threadpoolctl finds by itself, which takes longer."""
    of_all = ThreadpoolController().select(user_api="blas").info()
    found = thread_pools.__wrapped__().select(user_api="blas").info()
    assert [own["filepath"] for own in found] == [own["filepath"] for own in of_all]
    assert found


@pytest.mark.parametrize("n_units", [6, 430])
def test_host_and_device_search_alike(n_units: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a small table NumPy searches for expectations, of a larger one a compiled program."""
    rng = np.random.default_rng(2)
    common = rng.normal(size=(60, 3)) @ rng.normal(size=(3, n_units)) / 3
    values = (common + rng.normal(size=common.shape)).astype(np.float32)
    seen = rng.random(values.shape) < 0.7
    quick = PriorSettings(shrinkage=0.3, n_rounds=3, n_rows_of_covariance=10)

    def fitted() -> tuple[Any, float]:
        prior = fit_prior(values, seen, quick, seed=0)
        nothing = np.zeros(n_units, bool)
        return jax.device_get(prior), prior_loss(prior, values, seen, ~seen, nothing)

    on_host, loss_on_host = fitted()
    monkeypatch.setattr(prior_fit, "_MOST_ON_HOST", 0)
    on_device, loss = fitted()
    scale = np.abs(on_device.mean).max() + 1
    np.testing.assert_allclose(on_host.mean, on_device.mean, atol=1e-3 * scale)
    assert loss_on_host == pytest.approx(loss, rel=1e-2)
