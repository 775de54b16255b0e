"""What a member of an ensemble says of a tile of rows."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import numpy as np

from halfseen.learning.predictive_member import Member, PredictiveShape, Standard, member_sweep
from halfseen.machine.predictive_sweeps import PredictiveParameters


class Answers(NamedTuple):
    """Of members (first axis) and rows (second axis)."""

    means: Any  # (n_members, n_rows, n_visible), of every unit
    base: Any  # (n_members, n_rows, n_visible), what the prior expects, in standard units
    knot_mean: Any  # (n_members, n_rows, n_gaussian), under the knots
    knot_square: Any  # the same of the square


def answers_of_rows(
    shape: PredictiveShape,
    standard: Standard,
    member: Member,
    parameters: PredictiveParameters,
    visible: jax.Array,
    shown: jax.Array,
) -> Answers:
    """The answers of one member, without the axis of members, row by row.

    By NumPy if rows, member and parameters are NumPy's.
    """
    wide = shape.columns.wide
    n_gaussian = wide.layer.n_gaussian
    units = wide.widened(visible, standard.knots)
    sweep, base = member_sweep(shape, standard, member, parameters, units, shown, shown)
    means = wide.mean_from_input(sweep.inputs)
    number = means.units[:, :n_gaussian]
    knot_mean, knot_square = number, number**2
    if wide.n_knots:
        shares = wide.by_number(means.knots)
        knot_mean = (shares * standard.knots).sum(axis=-1)
        knot_square = (shares * standard.knots**2).sum(axis=-1)
    return Answers(means.units, base, knot_mean, knot_square)


@partial(jax.jit, static_argnames="shape")
def answers_of_tile(
    shape: PredictiveShape,
    standard: Standard,
    member: Member,
    parameters: PredictiveParameters,
    visible: jax.Array,
    shown: jax.Array,
) -> Answers:
    """:func:`answers_of_rows`, compiled for tiles of one shape."""
    return answers_of_rows(shape, standard, member, parameters, visible, shown)


def answers_of_tile_on_host(
    shape: PredictiveShape,
    standard: Standard,
    member: Member,
    parameters: PredictiveParameters,
    visible: Any,
    shown: Any,
) -> Answers:
    """:func:`answers_of_rows` by NumPy, as silent as a program about what overflows."""
    with np.errstate(all="ignore"):
        return answers_of_rows(shape, standard, member, parameters, visible, shown)
