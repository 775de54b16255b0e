"""Observed entries hidden again at random, for a machine to predict."""

from __future__ import annotations

import jax
import jax.numpy as jnp

LEAST_HIDDEN = 0.05
ALL_TARGETS_HIDDEN = 0.4
SINGLE_TARGET_HIDDEN = 0.7
_LEAST_TARGETS, _MOST_TARGETS = 0.1, 0.9
_OF_ROWS = 4  # numbers drawn for a whole row


def numbers_of_row(n_features: int, n_targets: int) -> int:
    """How many random numbers decide what a row hides again.

    Examples
    --------
    >>> numbers_of_row(3, 1)
    8
    """
    return _OF_ROWS + n_features + n_targets


def hidden_again(
    drawn: jax.Array,
    n_features: int,
    n_targets: int,
    most_hidden: jax.Array,
    as_they_are: jax.Array | float = 0.0,
) -> jax.Array:
    """Which columns of which rows to hide, of shape (n_rows, n_features + n_targets).

    Every row draws its own share of features to hide, between 0.05 and ``most_hidden``. Of the
    targets it hides all in four rows of ten, as in a new row, and otherwise a random share, as in a
    row of which some labels are known; a single target column is hidden in seven rows of ten.
    A share ``as_they_are`` of the rows keeps all of its features, and only its targets are hidden:
    what is asked of most rows is a label, given all that is known of them. All of it is decided by
    ``drawn``, numbers between 0 and 1 of shape (n_rows, numbers_of_row(n_features, n_targets)).

    Examples
    --------
    >>> drawn = jax.random.uniform(jax.random.key(0), (5, numbers_of_row(3, 1)))
    >>> hidden_again(drawn, 3, 1, jnp.array(0.9)).shape
    (5, 4)
    """
    of_share, of_whole, of_every, of_targets = jnp.split(drawn[:, :_OF_ROWS], _OF_ROWS, axis=1)
    share = LEAST_HIDDEN + (most_hidden - LEAST_HIDDEN) * of_share
    whole = of_whole < as_they_are
    features = (drawn[:, _OF_ROWS : _OF_ROWS + n_features] < share) & ~whole
    of_target = drawn[:, _OF_ROWS + n_features :]
    if n_targets <= 1:
        targets = whole | (of_target < SINGLE_TARGET_HIDDEN)
    else:
        target_share = _LEAST_TARGETS + (_MOST_TARGETS - _LEAST_TARGETS) * of_targets
        targets = (of_every < ALL_TARGETS_HIDDEN) | (of_target < target_share)
    return jnp.concatenate([features, targets], axis=1)
