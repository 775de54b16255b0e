"""log P(v_o): exact against brute force, estimates against exact, probabilities that sum to one."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfseen.rbm.likelihood import (
    MAX_ENUMERATED_UNITS,
    annealed_log_z,
    exact_log_z,
    log_partitions,
    log_probabilities,
)
from halfseen.rbm.model import RBM, Rows
from rbm.machines import BINARY, MARGINALS, OBSERVED, ROWS, exact, machine

pytestmark = pytest.mark.usefixtures("double_precision")

OPEN = np.any(~OBSERVED, axis=1)
TABLE = Rows(ROWS, OBSERVED, MARGINALS)
BEHIND = TABLE._replace(visible=np.where(OBSERVED, ROWS, np.nan))

exactly = jax.jit(exact_log_z)
annealed = jax.jit(partial(annealed_log_z, n_temperatures=50, n_chains=200))


def log_probability(rbm: RBM, visible: Any, observed: Any) -> jax.Array:
    """log P(v_o) of each row."""
    machines, key = jax.tree.map(lambda leaf: leaf[None], rbm), jax.random.key(0)
    marginals = jnp.asarray(MARGINALS[: rbm.layer.n_units])
    log_z = log_partitions(machines, key, marginals)
    return log_probabilities(machines, key, Rows(visible, observed, marginals), log_z)


def padded(rbm: RBM, n_hidden: int) -> RBM:
    """The same machine with hidden units that are connected to nothing: each doubles every Z_O."""
    more = n_hidden - rbm.n_hidden
    return replace(
        rbm,
        weights=jnp.pad(rbm.weights, [(0, 0), (0, more)]),
        hidden_bias=jnp.pad(rbm.hidden_bias, (0, more)),
    )


@pytest.mark.parametrize("rows", [TABLE, BEHIND], ids=["rows", "nan behind missing entries"])
def test_log_z_is_that_of_the_enumeration(rows: Rows) -> None:
    rbm = machine()
    expected = [states.log_z for states in exact(rbm)]
    np.testing.assert_allclose(exactly(rbm, rows), expected, rtol=1e-10)
    found = log_probability(rbm, rows.visible, OBSERVED)
    np.testing.assert_allclose(found, np.array(expected) - expected[0], atol=1e-9)


def test_many_configurations_are_summed_bit_by_bit() -> None:
    rbm = machine()
    expected = exactly(rbm, TABLE) + 10 * np.log(2)
    np.testing.assert_allclose(exactly(padded(rbm, 13), TABLE), expected, rtol=1e-10)


def test_probabilities_of_complete_rows_sum_to_those_of_partial_rows_and_to_one() -> None:
    rbm = machine(BINARY)
    rows = np.array([[int(bit) for bit in f"{code:04b}"] for code in range(16)], float)
    observed = np.ones_like(rows, bool)
    observed[0] = [False, True, False, True]
    of_partial = np.exp(log_probability(rbm, rows, observed))[0]
    of_rows = np.exp(log_probability(rbm, rows, np.ones_like(observed)))
    assert of_rows.sum() == pytest.approx(1.0, rel=1e-10)
    agree = np.all(rows[:, observed[0]] == rows[0, observed[0]], axis=1)
    assert agree.sum() == 4
    assert of_partial == pytest.approx(of_rows[agree].sum(), rel=1e-10)


@pytest.mark.parametrize("scale", [0.7, -1.0])
def test_annealed_estimates_of_z_have_no_bias_and_little_spread(scale: float) -> None:
    rbm = machine(scale=scale)
    expected = exactly(rbm, TABLE)
    keys = jax.random.split(jax.random.key(0), 12)
    found = np.array([annealed(rbm, TABLE, key) for key in keys]) - expected
    assert np.max(np.abs(found)) < 0.3
    ratios = np.exp(found[:, OPEN])
    error = ratios.std(axis=0, ddof=1) / np.sqrt(len(keys))
    assert np.all(np.abs(ratios.mean(axis=0) - 1) < 4 * error)
    np.testing.assert_allclose(found[:, ~OPEN], 0.0, atol=1e-10)


def test_beyond_twenty_hidden_units_the_probability_is_estimated() -> None:
    rbm = padded(machine(), MAX_ENUMERATED_UNITS + 1)
    log_z = exactly(machine(), TABLE)
    found = log_probability(rbm, ROWS, OBSERVED)
    np.testing.assert_allclose(found, log_z - log_z[0], atol=0.3)
    # A complete row has no error but that of log Z.
    np.testing.assert_allclose(found[1], log_z[1] - log_z[0], atol=0.05)


def test_hidden_values_and_other_rows_change_no_bit_of_an_estimate() -> None:
    rbm, key = machine(), jax.random.key(1)
    plain = annealed(rbm, TABLE, key)
    order = np.array([3, 0, 2, 3])
    np.testing.assert_array_equal(annealed(rbm, BEHIND, key), plain)
    found = annealed(rbm, Rows(ROWS[order], OBSERVED[order], MARGINALS), key)
    np.testing.assert_array_equal(found, plain[order])
