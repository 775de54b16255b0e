"""A member of an ensemble: what it is given, and what it says of some rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import jax
import numpy as np

from halfseen.learning.predictive_loss import PredictiveColumns
from halfseen.machine.correlated_prior import Prior, conditional_mean
from halfseen.machine.namespace_of import namespace_of
from halfseen.machine.predictive_sweeps import LastSweep, PredictiveParameters, Wide, last_sweep


@dataclass(frozen=True)
class PredictiveShape:
    """What is compiled: the columns, and the sizes that do not change in training."""

    columns: PredictiveColumns
    n_hidden: int
    n_sweeps: int
    n_search_steps: int  # of the prior's conditional mean
    batch_size: int
    sees_missing: bool = False  # whether mask units say what is missing in a row
    leaves_out: bool = True  # whether each row may leave out hidden units of its own in training
    n_parts: int = 1  # of a minibatch, each of which has its share of the hidden units


class Standard(NamedTuple):
    """From units to the standard units of the prior, and the knots of the numbers."""

    mean: jax.Array  # (n_visible,)
    scale: jax.Array  # (n_visible,)
    knots: jax.Array  # (n_gaussian, n_knots)


class Member(NamedTuple):
    """What distinguishes one member of the ensemble; every leaf has a leading axis of members."""

    prior: Prior
    prior_sees_labels: jax.Array  # bool: the prior takes part in labels, too
    fold: jax.Array  # which of the masks of training entries is its own
    learning_rate: jax.Array
    weight_decay: jax.Array
    most_hidden: jax.Array  # largest share of features hidden again
    as_they_are: jax.Array  # share of the rows whose features are not hidden again
    label_weight: jax.Array
    dropped: jax.Array  # share of the hidden units left out of a row


def prior_base(
    shape: PredictiveShape,
    standard: Standard,
    member: Member,
    visible: jax.Array,
    shown: jax.Array,
) -> jax.Array:
    """What the member's prior expects of every unit, in standard units, (n_rows, n_visible).

    A prior that does not see labels neither reads them nor says anything of them. By NumPy if the
    rows are NumPy's.
    """
    is_target = shape.columns.is_target_unit
    seen = shown & (~is_target | member.prior_sees_labels)
    values = (visible - standard.mean) / standard.scale
    expected = conditional_mean(member.prior, values, seen, shape.n_search_steps)
    speaks = ~shown & (~is_target | member.prior_sees_labels)
    base: jax.Array = namespace_of(visible).where(speaks, expected, np.float32(0.0))
    return base


def member_sweep(
    shape: PredictiveShape,
    standard: Standard,
    member: Member,
    parameters: PredictiveParameters,
    units: Wide,
    shown: jax.Array,
    known: jax.Array,
) -> tuple[LastSweep, jax.Array]:
    """The last of the sweeps of one member, and its prior's expectation.

    ``units`` are the rows with their numbers shared out over the knots. ``known`` is what the table
    holds of a row, of which training shows only a part; mask units tell the hidden units which
    features it lacks.
    """
    base = prior_base(shape, standard, member, units.units, shown)
    missing = missing_features(shape, known)
    seen = shape.columns.wide.seen(shown)
    return swept(shape, parameters, units, seen, base, missing), base


def swept(
    shape: PredictiveShape,
    parameters: PredictiveParameters,
    units: Wide,
    seen: Wide,
    base: jax.Array,
    missing: jax.Array,
    kept_hidden: jax.Array | float = 1.0,
) -> LastSweep:
    """The last of the sweeps of one member from what its prior expects.

    What mask units say, ``missing``, is not read by a member that has none.
    """
    push: jax.Array | float = 0.0
    if parameters.missing_weights is not None:
        push = missing @ parameters.missing_weights
    wide = shape.columns.wide
    return last_sweep(parameters, wide, units, seen, base, shape.n_sweeps, kept_hidden, push)


def missing_features(shape: PredictiveShape, known: jax.Array) -> jax.Array:
    """What mask units say: 1 for a feature that the row lacks, (n_rows, n_visible)."""
    missing = ~known & ~shape.columns.is_target_unit
    return missing.astype(np.float32)
