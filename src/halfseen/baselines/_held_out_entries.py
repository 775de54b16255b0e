"""Observed entries that a network never trains on; they say when to stop."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from halfseen.baselines._network_table import CHUNK, NetworkOutput, NetworkTable

VALIDATION_ROWS = CHUNK  # rows that entries are held out from, at most


class HeldOutEntries(NamedTuple):
    """What a network trains on, and the rows in which it sees less than the table holds."""

    shown: NetworkTable  # the whole table, the held-out entries marked as not observed
    rows: jax.Array  # (n_validation_rows,)


def held_out_entries(
    generator: np.random.Generator, table: NetworkTable, share: float, classes: bool
) -> HeldOutEntries:
    """Hold a share of the observed entries out, from at most ``VALIDATION_ROWS`` rows.

    Parameters
    ----------
    generator : numpy.random.Generator
        Chooses rows and entries.
    table : NetworkTable
        All that is observed.
    share : float in [0, 1)
        Share of the observed entries of a row.
    classes : bool
        Whether the labels of a row go together.

    Examples
    --------
    >>> from halfseen.baselines._column_scaling import ColumnScaling
    >>> from halfseen.baselines._network_table import network_table
    >>> scaling = ColumnScaling(np.zeros(3), np.ones(3))
    >>> table = network_table(np.ones((100, 3)), np.ones((100, 1)), scaling)
    >>> held = held_out_entries(np.random.default_rng(0), table, 0.5, False)
    >>> 100 < int(held.shown.features_observed.sum()) < 200
    True
    """
    n_rows, n_labels = table.labels.shape
    rows = generator.permutation(n_rows)[:VALIDATION_ROWS].astype(np.int32)
    held_x = generator.random((len(rows), table.features.shape[1])) < share
    held_y = generator.random((len(rows), 1 if classes else n_labels)) < share
    shown_x = np.array(table.features_observed)
    shown_y = np.array(table.labels_observed)
    shown_x[rows] &= ~held_x
    shown_y[rows] &= ~held_y
    shown = table._replace(
        features_observed=jnp.asarray(shown_x), labels_observed=jnp.asarray(shown_y)
    )
    return HeldOutEntries(shown, jnp.asarray(rows))


def validation_tables(
    table: NetworkTable, held_out: HeldOutEntries
) -> tuple[NetworkTable, NetworkTable]:
    """The rows with held-out entries, with everything observed and without these entries.

    They are filled up to ``VALIDATION_ROWS`` with rows of nothing, so that a network looks at them
    with the same compilation as at a chunk of rows to complete.
    """
    rows = np.asarray(held_out.rows)
    padding = ((0, VALIDATION_ROWS - len(rows)), (0, 0))

    def padded(whole: NetworkTable) -> NetworkTable:
        return NetworkTable(*(jnp.asarray(np.pad(np.asarray(p)[rows], padding)) for p in whole))

    return padded(table), padded(held_out.shown)


@jax.jit
def held_out_error(output: NetworkOutput, table: NetworkTable, shown: NetworkTable) -> jax.Array:
    """Unexplained share of the variance of held-out features, plus the same of held-out labels.

    Parameters
    ----------
    output : NetworkOutput
        What a network says about some rows when it is shown ``shown``.
    table, shown : NetworkTable
        These rows with everything observed, and without what was held out.

    Returns
    -------
    array of shape ()
        2 for a network that says column means, 0 if nothing was held out.
    """
    return _unexplained(
        output.features, table.features, table.features_observed, shown.features_observed
    ) + _unexplained(output.scores, table.labels, table.labels_observed, shown.labels_observed)


def _unexplained(
    said: jax.Array, truth: jax.Array, observed: jax.Array, shown: jax.Array
) -> jax.Array:
    held = observed & ~shown
    count = jnp.maximum(observed.sum(axis=0), 1)
    mean = jnp.where(observed, truth, 0.0).sum(axis=0) / count
    error = jnp.where(held, said - truth, 0.0)
    spread = jnp.where(held, mean - truth, 0.0)
    return (error**2).sum() / jnp.maximum((spread**2).sum(), 1e-12)
