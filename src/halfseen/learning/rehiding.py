"""Observed entries hidden again at random, for a machine to predict."""

from __future__ import annotations

import jax
import jax.numpy as jnp

LEAST_HIDDEN = 0.05
ALL_TARGETS_HIDDEN = 0.4
SINGLE_TARGET_HIDDEN = 0.7
_LEAST_TARGETS, _MOST_TARGETS = 0.1, 0.9


def hidden_again(
    key: jax.Array,
    n_rows: int,
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
    what is asked of most rows is a label, given all that is known of them.

    Examples
    --------
    >>> hidden_again(jax.random.key(0), 5, 3, 1, jnp.array(0.9)).shape
    (5, 4)
    """
    share_key, feature_key, all_key, target_share_key, target_key = jax.random.split(key, 5)
    share = jax.random.uniform(share_key, (n_rows, 1), minval=LEAST_HIDDEN, maxval=most_hidden)
    features = jax.random.uniform(feature_key, (n_rows, n_features)) < share
    drawn = jax.random.uniform(target_key, (n_rows, n_targets))
    whole = jax.random.uniform(jax.random.fold_in(share_key, 1), (n_rows, 1)) < as_they_are
    features &= ~whole
    if n_targets <= 1:
        return jnp.concatenate([features, whole | (drawn < SINGLE_TARGET_HIDDEN)], axis=1)
    every = jax.random.uniform(all_key, (n_rows, 1)) < ALL_TARGETS_HIDDEN
    target_share = jax.random.uniform(
        target_share_key, (n_rows, 1), minval=_LEAST_TARGETS, maxval=_MOST_TARGETS
    )
    return jnp.concatenate([features, every | (drawn < target_share)], axis=1)
