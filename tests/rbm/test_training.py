"""Lossy-CD against the exact gradient of log P(v_o), centring, and what an epoch leaves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfseen.rbm.likelihood import exact_log_z
from halfseen.rbm.mean_field import fixed_point, mean_field_free_energy
from halfseen.rbm.model import RBM, Rows
from halfseen.rbm.training import (
    Algorithm,
    DivergenceError,
    TrainingState,
    center_gradient,
    initial_states,
    lossy_cd_update,
    run_epoch,
    train,
)
from rbm.machines import MARGINALS, MIXED, N_HIDDEN, OBSERVED, ROWS, Floats, machine

pytestmark = pytest.mark.usefixtures("double_precision")

VARIED = Algorithm(chain_start="persistent", momentum=0.5)
PLAIN = Algorithm(n_gibbs_steps=6, chain_start="persistent", centering=False)
N_COPIES, N_CHAINS, N_DRAWS = 100, 400, 16
# Root mean square over parameters of the error, in standard errors: about 1 without a bias.
FAR = 2.0


@jax.jit
def mean_log_probability(rbm: RBM, visible: Any, observed: Any) -> jax.Array:
    nothing = jnp.zeros((1, rbm.layer.n_units))
    log_z = exact_log_z(rbm, Rows(nothing, nothing > 0, nothing[0]))
    return jnp.mean(exact_log_z(rbm, Rows(visible, observed, nothing[0])) - log_z)


def flat(rbm: Any, n_leading: int = 0) -> Floats:
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(rbm)]
    return np.concatenate([leaf.reshape(*leaf.shape[:n_leading], -1) for leaf in leaves], axis=-1)


def same_bits(left: Any, right: Any) -> bool:
    pairs = zip(jax.tree.leaves(left), jax.tree.leaves(right), strict=True)
    return all(np.array_equal(one, other) for one, other in pairs)


def state_of(rbm: RBM, algorithm: Algorithm, key: jax.Array | None = None) -> TrainingState:
    key = jax.random.key(0) if key is None else key
    chains = rbm.random_visible(key, MARGINALS, N_CHAINS)
    offsets = jnp.asarray(MARGINALS), jnp.full(N_HIDDEN, 0.4)
    return TrainingState(rbm, chains, offsets, algorithm.optimizer.init(rbm))


@partial(jax.jit, static_argnames=("algorithm", "n_before"))
def gradients(
    rbm: RBM, rows: Rows, keys: jax.Array, algorithm: Algorithm, n_before: int = 0
) -> RBM:
    """One gradient for each key, after some updates that move no parameter, but the chains."""

    def one(key: jax.Array) -> Any:
        keys = jax.random.split(key, n_before + 2)

        def update(state: TrainingState, key: jax.Array) -> tuple[TrainingState, None]:
            return lossy_cd_update(state, rows, key, jnp.zeros(()), algorithm), None

        state, _ = jax.lax.scan(update, state_of(rbm, algorithm, keys[0]), keys[2:])
        moved = lossy_cd_update(state, rows, keys[1], jnp.asarray(0.1), algorithm).rbm
        return jax.tree.map(lambda after, before: 10 * (after - before), moved, rbm)

    return jax.lax.map(one, keys)


def departure(
    algorithm: Algorithm, observed: Floats = OBSERVED, scale: float = 0.5, n_before: int = 0
) -> float:
    rbm = machine(scale=scale)
    visible = np.where(observed, ROWS, np.nan)
    rows = Rows(np.tile(visible, (N_COPIES, 1)), np.tile(observed, (N_COPIES, 1)), MARGINALS)
    keys = jax.random.split(jax.random.key(1), N_DRAWS)
    found = flat(gradients(rbm, rows, keys, algorithm, n_before), 1)
    expected = flat(jax.jit(jax.grad(mean_log_probability))(rbm, ROWS, observed))
    error = (found.mean(axis=0) - expected) / (found.std(axis=0, ddof=1) / np.sqrt(N_DRAWS))
    return float(np.sqrt(np.mean(error**2)))


@pytest.mark.parametrize("chain_start", ["random", "data", "persistent"])
def test_with_many_gibbs_steps_the_gradient_is_that_of_log_p(chain_start: Any) -> None:
    assert departure(PLAIN._replace(chain_start=chain_start)) < FAR


def test_a_single_step_is_biased_and_persistent_chains_arrive_step_by_step() -> None:
    algorithm, complete = PLAIN._replace(n_gibbs_steps=1), np.ones_like(OBSERVED)
    assert departure(algorithm, complete, scale=1.0) > 2 * FAR
    assert departure(algorithm, complete, scale=1.0, n_before=40) < FAR


def test_mean_field_training_ascends_the_difference_of_two_free_energies() -> None:
    rbm = machine(scale=0.5)
    algorithm = PLAIN._replace(phases="mean_field", chain_start="random", n_gibbs_steps=40)

    def contrast(rbm: RBM) -> jax.Array:
        def free_energy(observed: Any) -> jax.Array:
            # Forward mode goes through the iteration: nothing is assumed of the fixed points.
            point = fixed_point(rbm, Rows(ROWS, observed, MARGINALS), MARGINALS, 100)
            return mean_field_free_energy(rbm, point, observed)

        return jnp.mean(free_energy(jnp.zeros_like(OBSERVED)) - free_energy(OBSERVED))

    expected = flat(jax.jit(jax.jacfwd(contrast))(rbm))
    keys = jax.random.split(jax.random.key(1), 1)
    found = flat(gradients(rbm, Rows(ROWS, OBSERVED, MARGINALS), keys, algorithm), 1)[0]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_the_centred_gradient_is_that_of_the_centred_parametrisation() -> None:
    rbm, rng = machine(), np.random.default_rng(3)
    visible, hidden = rng.random(MIXED.n_units), rng.random(N_HIDDEN)

    def plain(centred: RBM) -> RBM:
        """E = -(v - mu).W.(h - lambda) - a.v - b.h written with the biases of eq. (1)."""
        visible_bias = centred.visible_bias - centred.weights @ hidden
        hidden_bias = centred.hidden_bias - visible @ centred.weights
        return replace(centred, visible_bias=visible_bias, hidden_bias=hidden_bias)

    @jax.jit
    def both(rbm: RBM) -> tuple[RBM, RBM, RBM, RBM]:
        def log_p(rbm: RBM) -> jax.Array:
            return mean_log_probability(rbm, ROWS, OBSERVED)

        gradient = jax.grad(log_p)(rbm)
        centred = replace(
            rbm,
            visible_bias=rbm.visible_bias + rbm.weights @ hidden,
            hidden_bias=rbm.hidden_bias + visible @ rbm.weights,
        )
        _, expected = jax.jvp(plain, (centred,), (jax.grad(lambda c: log_p(plain(c)))(centred),))
        uncentred = center_gradient(gradient, rbm, (0 * visible, 0 * hidden))
        return center_gradient(gradient, rbm, (visible, hidden)), expected, gradient, uncentred

    found, expected, gradient, uncentred = both(rbm)
    np.testing.assert_allclose(flat(found), flat(expected), rtol=1e-9, atol=1e-12)
    assert same_bits(uncentred, gradient)


def table(n_rows: int = 60) -> Rows:
    """Two kinds of rows, a quarter of the blocks missing with NaN behind them."""
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 2, n_rows)
    visible = ROWS[1 + kind] + 0.3 * rng.normal(size=(n_rows, 9)) * (np.arange(9) < 2)
    observed = (rng.random((n_rows, 6)) < 0.75)[:, [0, 1, 2, 3, 4, 4, 4, 5, 5]]
    return Rows(np.where(observed, visible, np.nan), observed, MARGINALS)


def first_states(algorithm: Algorithm, n_estimators: int = 1) -> TrainingState:
    keys = jax.random.split(jax.random.key(5), n_estimators)
    marginals = jnp.asarray(MARGINALS)
    return initial_states(keys, MIXED, N_HIDDEN, 20, marginals, 1.0, algorithm)


def epochs(algorithm: Algorithm, rows: Rows, **settings: Any) -> Iterator[TrainingState]:
    settings = {"learning_rate": 0.05, "batch_size": 20, "seed": 0} | settings
    return train(first_states(algorithm), rows, algorithm=algorithm, **settings)


def test_new_machines_have_the_marginals_of_the_data_and_small_weights() -> None:
    keys, marginals = jax.random.split(jax.random.key(0), 2), jnp.asarray(MARGINALS)
    states = initial_states(keys, MIXED, 40, 20, marginals, 0.5, Algorithm())
    rbm = only(states)
    np.testing.assert_allclose(rbm.visible_mean_from_hidden(np.zeros(40)), MARGINALS, rtol=1e-9)
    np.testing.assert_allclose(rbm.hidden_mean_from_visible(np.zeros(9)), np.full(40, 0.5))
    np.testing.assert_allclose(np.exp(rbm.log_variance), 0.5)
    assert 0.008 < np.std(rbm.weights) < 0.012
    assert (states.rbm.weights[0] != states.rbm.weights[1]).any()


def only(states: TrainingState) -> RBM:
    rbm: RBM = jax.tree.map(lambda leaf: leaf[0], states.rbm)
    return rbm


@pytest.mark.parametrize(
    "algorithm",
    [
        VARIED,
        Algorithm(chain_start="data", centering=False, learn_variance=False),
        Algorithm(chain_start="random", n_gibbs_steps=2, momentum=0.0, weight_decay=1e-3),
        Algorithm(chain_start="data", n_gibbs_steps=2, phases="mean_field"),
    ],
    ids=["default", "data", "random", "mean field"],
)
def test_training_raises_the_exact_log_probability(algorithm: Algorithm) -> None:
    rows, before = table(), only(first_states(algorithm))
    after = only(next(islice(epochs(algorithm, rows), 60, None)))
    gain = mean_log_probability(after, rows.visible, rows.observed)
    gain -= mean_log_probability(before, rows.visible, rows.observed)
    assert gain > 0.5
    assert same_bits(after.log_variance, before.log_variance) != algorithm.learn_variance


def test_hidden_values_change_no_bit_and_the_seed_decides_all() -> None:
    rows = table()
    behind = rows._replace(visible=np.where(rows.observed, rows.visible, 1e9))
    plain = list(islice(epochs(VARIED, rows), 3))
    assert same_bits(list(islice(epochs(VARIED, behind), 3)), plain)
    resumed = train(
        plain[1], rows, algorithm=VARIED, learning_rate=0.05, batch_size=20, seed=0,
        first_epoch=2,
    )  # fmt: skip
    assert same_bits(next(resumed), plain[2])
    assert not same_bits(
        next(epochs(VARIED, rows, seed=1)).rbm,
        plain[0].rbm,
    )


def test_machines_along_the_leading_axis_do_not_depend_on_each_other() -> None:
    algorithm, rows = VARIED, table()
    states, keys = first_states(algorithm, 2), jax.random.split(jax.random.key(2), 2)
    batches, rates = np.arange(60).reshape(3, 20), np.array([0.05, 0.02])
    both = run_epoch(states, rows, batches, keys, rates, algorithm=algorithm)
    for one in (slice(0, 1), slice(1, 2)):
        alone = jax.tree.map(lambda leaf, one=one: leaf[one], states)
        found = run_epoch(alone, rows, batches, keys[one], rates[one], algorithm=algorithm)
        expected = jax.tree.map(lambda leaf, one=one: leaf[one], both)
        jax.tree.map(partial(np.testing.assert_allclose, rtol=1e-8, atol=1e-10), found, expected)


def test_momentum_and_weight_decay() -> None:
    """Momentum adds a share of the step before; decay takes a share of the weights alone."""
    rbm, rows, rate = machine(), Rows(ROWS, OBSERVED, MARGINALS), jnp.asarray(0.1)
    update = jax.jit(lossy_cd_update, static_argnames="algorithm")
    keys = jax.random.split(jax.random.key(0), 2)
    first = update(state_of(rbm, PLAIN), rows, keys[0], rate, algorithm=PLAIN)
    second = update(first, rows, keys[1], rate, algorithm=PLAIN)

    momentum = PLAIN._replace(momentum=0.5)
    state = update(state_of(rbm, momentum), rows, keys[0], rate, algorithm=momentum)
    assert same_bits(state.rbm, first.rbm)
    found = update(state, rows, keys[1], rate, algorithm=momentum)
    step = flat(first.rbm) - flat(rbm)
    np.testing.assert_allclose(flat(found.rbm) - flat(second.rbm), 0.5 * step, atol=1e-12)

    decay = PLAIN._replace(weight_decay=0.3)
    found = update(state_of(rbm, decay), rows, keys[0], rate, algorithm=decay)
    expected = replace(first.rbm, weights=first.rbm.weights - 0.1 * 0.3 * rbm.weights)
    np.testing.assert_allclose(flat(found.rbm), flat(expected), atol=1e-12)


def test_a_diverged_epoch_is_repeated_with_a_lower_rate_until_hope_is_lost() -> None:
    algorithm, rows = Algorithm(chain_start="persistent", centering=False, momentum=0.5), table()
    with pytest.raises(DivergenceError, match=r"diverged 6 times, .*smaller"):
        next(epochs(algorithm, rows, learning_rate=1e12))
    found = epochs(algorithm, rows, learning_rate=1e4)
    expected = epochs(algorithm, rows, learning_rate=1e4 / 4)
    assert same_bits(next(found), next(expected))
