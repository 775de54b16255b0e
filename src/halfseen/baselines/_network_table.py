"""A table as the networks read it: zeros where missing, and what is observed beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.baselines._column_scaling import ColumnScaling

CHUNK = 1024  # rows that are completed at once


class NetworkTable(NamedTuple):
    """Scaled features and labels in {0, 1}; where missing, 0 and not observed."""

    features: jax.Array  # (n_rows, n_features), float32
    features_observed: jax.Array  # (n_rows, n_features), bool
    labels: jax.Array  # (n_rows, n_labels), float32
    labels_observed: jax.Array  # (n_rows, n_labels), bool

    def rows(self, places: jax.Array) -> NetworkTable:
        """Some rows, gathered on the device."""
        return NetworkTable(*(part[places] for part in self))


class NetworkOutput(NamedTuple):
    """What a network says about every entry."""

    features: jax.Array  # (n_rows, n_features), scaled
    scores: jax.Array  # (n_rows, n_labels), in [0, 1]


def network_table(
    X: NDArray[np.float64], Y: NDArray[np.float64], scaling: ColumnScaling
) -> NetworkTable:
    """The table on the device; nothing behind a missing entry gets there.

    Examples
    --------
    >>> scaling = ColumnScaling(np.zeros(2), np.ones(2))
    >>> table = network_table(np.array([[2.0, np.nan]]), np.array([[np.nan]]), scaling)
    >>> table.features.tolist(), table.labels_observed.tolist()
    ([[2.0, 0.0]], [[False]])
    """
    known = ~np.isnan(Y)
    return NetworkTable(
        jnp.asarray(scaling.scaled(X)),
        jnp.asarray(~np.isnan(X)),
        jnp.asarray(np.where(known, Y, 0.0).astype(np.float32)),
        jnp.asarray(known),
    )


def completed_in_chunks(
    output: Callable[[NetworkTable, jax.Array], NetworkOutput],
    X: NDArray[np.float64],
    Y: NDArray[np.float64],
    scaling: ColumnScaling,
    key: jax.Array,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Features in raw units and scores of any number of rows, with one compilation.

    Parameters
    ----------
    output : callable
        What a network says about ``CHUNK`` rows, given a random key.
    X, Y
        NaN where missing.
    scaling : ColumnScaling
        Of the rows the network was trained on.
    key : jax.Array
        Random key; each chunk gets its own.

    Examples
    --------
    >>> scaling = ColumnScaling(np.zeros(1), np.ones(1))
    >>> echo = lambda table, key: NetworkOutput(table.features + 1, table.labels)
    >>> X, Y = np.array([[1.0], [np.nan]]), np.array([[1.0], [np.nan]])
    >>> completed_in_chunks(echo, X, Y, scaling, jax.random.key(0))[0].tolist()
    [[2.0], [1.0]]
    """
    features, scores = [], []
    for start in range(0, len(X), CHUNK):
        x, y = X[start : start + CHUNK], Y[start : start + CHUNK]
        padding = ((0, CHUNK - len(x)), (0, 0))
        padded = network_table(
            np.pad(x, padding, constant_values=np.nan),
            np.pad(y, padding, constant_values=np.nan),
            scaling,
        )
        said = output(padded, jax.random.fold_in(key, start))
        features.append(scaling.unscaled(np.asarray(said.features)[: len(x)]))
        scores.append(np.asarray(said.scores)[: len(x)].astype(np.float64))
    return np.concatenate(features), np.concatenate(scores)


def minibatch_rows(
    generator: np.random.Generator, n_rows: int, batch_size: int
) -> NDArray[np.int32]:
    """Places of all rows in a random order, of shape (n_batches, batch_size).

    The last minibatch is filled up from the beginning of the order, so that each has the same size.

    Examples
    --------
    >>> minibatch_rows(np.random.default_rng(0), 5, 2).shape
    (3, 2)
    """
    n_batches = -(-n_rows // batch_size)
    order = generator.permutation(n_rows).astype(np.int32)
    return np.resize(order, (n_batches, batch_size))
