"""log P(v_o): exact against brute force, estimates against exact, probabilities that sum to one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfseen.rbm.likelihood import (
    Estimate,
    annealed_log_z,
    exact_log_z,
    log_partition,
    log_probability,
)
from halfseen.rbm.model import RBM
from rbm.machines import BINARY, MARGINALS, MIXED, OBSERVED, ROWS, exact, machine

pytestmark = pytest.mark.usefixtures("double_precision")

OPEN = np.any(~OBSERVED, axis=1)
BEHIND = np.where(OBSERVED, ROWS, np.nan)
BASE = np.linspace(-0.6, 0.6, MIXED.n_units)

exactly = jax.jit(exact_log_z)
annealed = jax.jit(partial(annealed_log_z, n_temperatures=50, n_chains=200))
probability = jax.jit(log_probability, static_argnames=("n_temperatures", "n_chains"))


def padded(rbm: RBM, n_hidden: int) -> RBM:
    """The same machine with hidden units that are connected to nothing: each doubles every Z_O."""
    more = n_hidden - rbm.n_hidden
    return replace(
        rbm,
        weights=jnp.pad(rbm.weights, [(0, 0), (0, more)]),
        hidden_bias=jnp.pad(rbm.hidden_bias, (0, more)),
    )


@pytest.mark.parametrize("visible", [ROWS, BEHIND], ids=["rows", "nan behind missing entries"])
def test_log_z_is_that_of_the_enumeration(visible: np.ndarray) -> None:
    rbm = machine()
    expected = [states.log_z for states in exact(rbm)]
    np.testing.assert_allclose(exactly(rbm, visible, OBSERVED), expected, rtol=1e-10)
    found = probability(rbm, visible, OBSERVED, jax.random.key(0), BASE)
    np.testing.assert_allclose(found.value, np.array(expected) - expected[0], atol=1e-9)
    np.testing.assert_array_equal(found.standard_error, np.zeros(4))


def test_many_configurations_are_summed_bit_by_bit() -> None:
    rbm = machine()
    expected = exactly(rbm, ROWS, OBSERVED) + 10 * np.log(2)
    np.testing.assert_allclose(exactly(padded(rbm, 13), ROWS, OBSERVED), expected, rtol=1e-10)


def test_too_many_hidden_units_are_named_with_a_remedy() -> None:
    with pytest.raises(ValueError, match=r"21 hidden units, .* at most 20 .* annealed importance"):
        exact_log_z(padded(machine(), 21), ROWS, OBSERVED)


def test_probabilities_of_complete_rows_sum_to_those_of_partial_rows_and_to_one() -> None:
    rbm = machine(BINARY)
    rows = np.array([[int(bit) for bit in f"{code:04b}"] for code in range(16)], float)
    observed = np.ones_like(rows, bool)
    observed[0] = [False, True, False, True]
    key, base = jax.random.key(0), np.zeros(4)
    of_partial = np.exp(probability(rbm, rows, observed, key, base).value)[0]
    of_rows = np.exp(probability(rbm, rows, np.ones_like(observed), key, base).value)
    assert of_rows.sum() == pytest.approx(1.0, rel=1e-10)
    agree = np.all(rows[:, observed[0]] == rows[0, observed[0]], axis=1)
    assert agree.sum() == 4
    assert of_partial == pytest.approx(of_rows[agree].sum(), rel=1e-10)


@pytest.mark.parametrize("scale", [0.7, -1.0])
def test_annealed_estimates_lie_within_their_standard_errors(scale: float) -> None:
    rbm = machine(scale=scale)
    expected = exactly(rbm, ROWS, OBSERVED)
    deviations = []
    for seed in range(6):
        found = annealed(rbm, ROWS, OBSERVED, jax.random.key(seed), BASE)
        error = np.asarray(found.standard_error)
        assert np.all((error[OPEN] > 0) & (error[OPEN] < 0.1))
        deviations.append(((found.value - expected) / error)[OPEN])
        np.testing.assert_allclose(found.value[~OPEN], expected[~OPEN], rtol=1e-12)
        assert np.all(error[~OPEN] < 1e-12)
    assert np.max(np.abs(deviations)) < 4
    # Neither too small nor too large an error is reported.
    assert 0.5 < np.sqrt(np.mean(np.square(deviations))) < 1.6


def test_beyond_twenty_hidden_units_the_probability_is_estimated() -> None:
    rbm, key = padded(machine(), 21), jax.random.key(0)
    log_z = jax.jit(partial(log_partition, n_temperatures=100))(rbm, key, BASE)
    expected = exactly(machine(), ROWS, OBSERVED)
    assert abs(log_z.value - expected[0] - 18 * np.log(2)) < 4 * log_z.standard_error < 0.2
    found = probability(rbm, ROWS, OBSERVED, key, BASE, log_z)
    assert np.all(np.abs(found.value - expected + expected[0]) < 4 * found.standard_error)
    # A complete row has no error but that of log Z.
    np.testing.assert_allclose(found.standard_error[1], log_z.standard_error, rtol=1e-9)


def test_hidden_values_and_other_rows_change_no_bit_of_an_estimate() -> None:
    rbm, key = machine(), jax.random.key(1)
    plain = annealed(rbm, ROWS, OBSERVED, key, MARGINALS)
    order = np.array([3, 0, 2, 3])
    for found, expected in (
        (annealed(rbm, BEHIND, OBSERVED, key, MARGINALS), plain),
        (
            annealed(rbm, ROWS[order], OBSERVED[order], key, MARGINALS),
            Estimate(*(leaf[order] for leaf in plain)),
        ),
    ):
        jax.tree.map(np.testing.assert_array_equal, found, expected)
