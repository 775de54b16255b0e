"""Averages of pinned chains converge to E[v | v_o]."""

from __future__ import annotations

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from exact.compiled import compiled
from exact.machines import MIXED, random_visible
from halfseen.machine.gibbs_average import gibbs_average
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("double_precision")]

N_STARTS = 13


@compiled
def average(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    visible: jax.Array,
    observed: jax.Array,
    starts: jax.Array,
    key: jax.Array,
    n_burn_in: int,
    n_steps: int,
) -> jax.Array:
    return gibbs_average(
        parameters, layer, visible, observed, starts, key, n_burn_in=n_burn_in, n_steps=n_steps
    )


def of_mixed(
    visible: np.ndarray, observed: np.ndarray, seed: int, n_burn_in: int, n_steps: int
) -> np.ndarray:
    starts = random_visible(MIXED.machine, N_STARTS, np.random.default_rng(0))
    key = jax.random.key(seed)
    return np.asarray(
        average(MIXED.parameters, MIXED.layer, visible, observed, starts, key, n_burn_in, n_steps)
    )


def test_averages_converge_to_the_conditional_mean() -> None:
    expected = np.array([of_row.visible for of_row in MIXED.moments])
    runs = [of_mixed(MIXED.visible, MIXED.observed, seed, 20, 300) for seed in range(16)]
    found = np.mean(runs, axis=0)
    error = np.std(runs, axis=0, ddof=1) / np.sqrt(len(runs))
    missing = ~MIXED.observed
    deviation = np.abs(found - expected)[missing] / error[missing]
    assert np.max(deviation) < 5
    assert np.sqrt(np.mean(deviation**2)) < 1.6
    assert np.max(error) < 0.02
    for run in runs:
        np.testing.assert_array_equal(run[MIXED.observed], MIXED.visible[MIXED.observed])


def test_burn_in_is_left_out_and_nothing_else() -> None:
    run = partial(of_mixed, MIXED.visible, MIXED.observed, 3)
    missing = ~MIXED.observed
    together = 7 * run(0, 7)
    apart = 3 * run(0, 3) + 4 * run(3, 4)
    np.testing.assert_allclose(together[missing], apart[missing], rtol=1e-12)


def test_companions_do_not_change_a_bit() -> None:
    plain = of_mixed(MIXED.visible, MIXED.observed, 0, 5, 10)
    visible, observed = MIXED.visible[::-1].copy(), MIXED.observed[::-1].copy()
    visible[2], observed[2] = MIXED.visible[2], MIXED.observed[2]
    np.testing.assert_array_equal(of_mixed(visible, observed, 0, 5, 10)[2], plain[2])


@pytest.mark.parametrize("behind", [1e9, np.nan])
def test_what_stands_behind_missing_entries_is_not_read(behind: float) -> None:
    plain = of_mixed(MIXED.visible, MIXED.observed, 0, 5, 10)
    other = of_mixed(MIXED.with_behind(behind), MIXED.observed, 0, 5, 10)
    np.testing.assert_array_equal(other, plain)


def test_precision_of_the_rows_is_kept() -> None:
    theta = jax.tree.map(lambda leaf: leaf.astype(jnp.float32), MIXED.parameters)

    def run(visible: jax.Array, starts: jax.Array) -> jax.Array:
        return gibbs_average(
            theta,
            MIXED.layer,
            visible,
            jnp.asarray(MIXED.observed),
            starts,
            jax.random.key(0),
            n_burn_in=1,
            n_steps=2,
        )

    visible = MIXED.visible.astype(np.float32)
    assert jax.eval_shape(run, visible, visible[:2]).dtype == jnp.float32
