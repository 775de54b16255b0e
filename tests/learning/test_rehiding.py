"""What is hidden again, and how often."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.typing import NDArray

from halfseen.learning.rehiding import (
    ALL_TARGETS_HIDDEN,
    LEAST_HIDDEN,
    hidden_again,
    numbers_of_row,
)

Bools = NDArray[np.bool_]

N_ROWS, N_FEATURES, N_TARGETS = 4000, 50, 5
compiled = jax.jit(hidden_again, static_argnums=(1, 2))


def numbers(seed: int, n_targets: int) -> jax.Array:
    return jax.random.uniform(jax.random.key(seed), (N_ROWS, numbers_of_row(N_FEATURES, n_targets)))


def drawn(seed: int, n_targets: int, most_hidden: float) -> tuple[Bools, Bools]:
    """Hidden features and hidden targets."""
    own = numbers(seed, n_targets)
    hidden = compiled(own, N_FEATURES, n_targets, jnp.float32(most_hidden))
    assert hidden.shape == (N_ROWS, N_FEATURES + n_targets)
    assert hidden.dtype == np.bool_
    return np.asarray(hidden)[:, :N_FEATURES], np.asarray(hidden)[:, N_FEATURES:]


@pytest.mark.parametrize("most_hidden", [0.9, 0.3])
def test_rows_draw_their_share_of_features_up_to_the_most(most_hidden: float) -> None:
    features, _ = drawn(0, N_TARGETS, most_hidden)
    share = features.mean(axis=1)
    middle, width = (LEAST_HIDDEN + most_hidden) / 2, most_hidden - LEAST_HIDDEN
    assert share.mean() == pytest.approx(middle, abs=0.02)
    # A uniform share, and on top of it the chance of each of its features.
    binomial = middle * (1 - middle) - width**2 / 12
    assert share.var() == pytest.approx(width**2 / 12 + binomial / N_FEATURES, rel=0.15)
    assert share.max() < most_hidden + 5 * np.sqrt(0.25 / N_FEATURES)
    np.testing.assert_allclose(features.mean(axis=0), middle, atol=0.06)


def test_targets_are_all_hidden_in_four_rows_of_ten_and_else_in_part() -> None:
    features, targets = drawn(1, N_TARGETS, 0.9)
    np.testing.assert_allclose(targets.mean(axis=0), 0.4 + 0.6 * 0.5, atol=0.04)
    by_share = (0.9**6 - 0.1**6) / (6 * 0.8)  # E[s^5] of a share s in [0.1, 0.9]
    every = ALL_TARGETS_HIDDEN + (1 - ALL_TARGETS_HIDDEN) * by_share
    assert targets.all(axis=1).mean() == pytest.approx(every, abs=0.04)
    nothing = (1 - ALL_TARGETS_HIDDEN) * by_share
    assert (~targets.any(axis=1)).mean() == pytest.approx(nothing, abs=0.03)
    together = np.corrcoef(features.mean(axis=1), targets.mean(axis=1))[0, 1]
    assert abs(together) < 0.08


def test_a_single_target_is_hidden_in_seven_rows_of_ten() -> None:
    features, targets = drawn(2, 1, 0.9)
    assert targets.mean() == pytest.approx(0.7, abs=0.04)
    assert abs(np.corrcoef(features.mean(axis=1), targets[:, 0])[0, 1]) < 0.08


def test_a_table_without_targets_hides_features_only() -> None:
    features, targets = drawn(3, 0, 0.5)
    assert targets.shape == (N_ROWS, 0)
    assert features.mean() == pytest.approx(0.275, abs=0.02)


def test_the_numbers_alone_decide() -> None:
    one, other = (np.hstack(drawn(seed, N_TARGETS, 0.9)) for seed in (4, 5))
    np.testing.assert_array_equal(np.hstack(drawn(4, N_TARGETS, 0.9)), one)
    assert np.any(one != other)


@pytest.mark.parametrize("n_targets", [1, N_TARGETS])
def test_rows_as_they_are_keep_their_features_and_are_asked_for_targets(n_targets: int) -> None:
    hidden = np.asarray(
        compiled(numbers(4, n_targets), N_FEATURES, n_targets, jnp.float32(0.9), jnp.float32(0.4))
    )
    features, targets = hidden[:, :N_FEATURES], hidden[:, N_FEATURES:]
    # With fifty features and at least a twentieth hidden, few other rows keep all of theirs.
    whole = ~features.any(axis=1)
    assert 0.4 <= whole.mean() + 0.03 <= 0.5
    if n_targets == 1:
        assert targets[whole].mean() > 0.97
    assert targets.mean() >= 0.65


def test_only_rows_that_may_are_taken_as_they_are() -> None:
    may = jnp.arange(N_ROWS)[:, None] < N_ROWS // 2
    hidden = compiled(numbers(5, 1), N_FEATURES, 1, jnp.float32(0.9), 1.0 * may)
    whole = ~np.asarray(hidden)[:, :N_FEATURES].any(axis=1)
    assert whole[: N_ROWS // 2].all()
    assert whole[N_ROWS // 2 :].mean() < 0.05
