"""The rows of some steps of predictive training: what is shown of them, and what is asked for."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from halfseen.learning.predictive_loss import what_counts
from halfseen.learning.predictive_member import (
    Member,
    PredictiveShape,
    Standard,
    missing_features,
    prior_base,
)
from halfseen.learning.rehiding import hidden_again, numbers_of_row
from halfseen.learning.table_source import Table
from halfseen.machine.predictive_sweeps import Wide
from halfseen.machine.random_bits import key_of_words


class RehiddenRows(NamedTuple):
    """All that a step is given; of several steps with a leading axis of steps."""

    units: Wide
    seen: Wide  # bool, which of them are shown
    counted: Wide  # in the slope of the loss; nothing but for what is known and was hidden again
    base: jax.Array  # (n_rows, n_visible), what the prior expects, in standard units
    missing: jax.Array  # (n_rows, n_visible), what mask units say; of no units without them
    kept: jax.Array  # (n_rows, n_hidden) bool, of hidden units; of none where none is left out


def rehidden_rows(
    shape: PredictiveShape,
    standard: Standard,
    member: Member,
    table: Table,
    rows: jax.Array,
    keys: jax.Array,
) -> RehiddenRows:
    """The rows of some steps, as one member is given them.

    Nothing of it hangs on what the member has learned. It is found for some steps at a time, since
    the search for what the prior expects takes many small operations one after the other, and
    written down, since whoever reads it would else compute it again.

    Parameters
    ----------
    shape, standard, member
        Whose rows they are.
    table : Table
        Where they stand.
    rows : jax.Array of int, of shape (n_steps, batch_size)
        Their places.
    keys : jax.Array of uint32, of shape (n_steps, 3)
        The words of the key of every step.

    Returns
    -------
    RehiddenRows
        With a leading axis of steps.
    """
    columns, in_steps = shape.columns, rows.shape
    n_hidden = shape.n_hidden if shape.leaves_out else 0
    n_drawn = numbers_of_row(columns.n_features, columns.n_targets) + n_hidden

    def drawn(words: jax.Array) -> jax.Array:
        return jax.random.uniform(key_of_words(words), (in_steps[1], n_drawn))

    # Drawn once, not again for what is shown and for what is judged.
    numbers = jax.lax.optimization_barrier(jax.vmap(drawn)(keys))  # type: ignore[no-untyped-call]
    numbers = numbers.reshape(-1, n_drawn)
    places = rows.reshape(-1)
    visible, known = table.visible[places], table.training[member.fold, places]
    n_known_labels = known.astype(jnp.float32) @ columns.is_target_unit.astype(np.float32)
    labelled = n_known_labels[:, None] > 0
    hidden = columns.by_unit(
        hidden_again(
            numbers[:, n_hidden:],
            columns.n_features,
            columns.n_targets,
            member.most_hidden,
            member.as_they_are * labelled,
        )
    )
    shown = known & ~hidden
    missing = missing_features(shape, known)[:, : columns.wide.layer.n_visible * shape.sees_missing]

    def of_steps(of_rows: jax.Array) -> jax.Array:
        return of_rows.reshape(*in_steps, -1)

    return RehiddenRows(
        Wide(*map(of_steps, columns.wide.widened(visible, standard.knots))),
        Wide(*map(of_steps, columns.wide.seen(shown))),
        what_counts(columns, of_steps(known & hidden), member.label_weight),
        of_steps(prior_base(shape, standard, member, visible, shown)),
        of_steps(missing),
        of_steps(numbers[:, :n_hidden] >= member.dropped),
    )
