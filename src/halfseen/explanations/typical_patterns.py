"""The patterns that a machine knows by heart."""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.rbm_base import RBMBase
from halfseen.estimators.restart_configurations import restart_configurations
from halfseen.explanations.likelihood_machine import likelihood_machine
from halfseen.explanations.nearest_patterns import standard_units
from halfseen.explanations.question import probabilities_of, units_of
from halfseen.explanations.rows_read import read_rows
from halfseen.explanations.typical_pattern import PatternValue, TypicalPattern
from halfseen.machine.mean_field import mean_field
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.tiles import in_tiles
from halfseen.machine.visible_layer import VisibleLayer
from halfseen.tables import Schema

N_STARTS = 256
_N_SWEEPS = 2000
_TOLERANCE = 1e-5
# Fixed points that nowhere differ by more count as one: probabilities, or standard deviations.
_SAME = 0.05


def typical_patterns(
    model: RBMBase, n: int = 8, X: Any = None, y: Any = None
) -> tuple[TypicalPattern, ...]:
    """Where the mean-field equations of the likelihood-trained machine come to rest by themselves.

    The equations (11)-(13) of the paper are followed from many starts with nothing pinned. Rows of
    one kind end in one pattern. A machine whose columns hardly depend on each other has a single
    pattern, near the average row.

    Parameters
    ----------
    model : HalfseenClassifier or HalfseenImputer
        A fitted model with a likelihood-trained machine.
    n : int, default=8
        The most patterns to give.
    X : array-like or frame of shape (n_rows, n_features), or None
        The rows to start from, their holes filled by the machine: a table shows which share of it
        belongs to which pattern. None starts from 256 rows whose columns are drawn independently,
        as often as training saw their values.
    y : array-like, series or frame, or None
        What is known of the labels of these rows.

    Returns
    -------
    tuple of TypicalPattern
        Those that most starts end in first.

    Raises
    ------
    ValueError
        The model has no likelihood-trained machine.

    Examples
    --------
    >>> from halfseen.explanations.example_model import example_model
    >>> model = example_model()  # any fitted model
    >>> for pattern in typical_patterns(model):
    ...     print(pattern)
    100 % of the starts: ill = 0 (64 %), smokes = 0 (73 %), town = Bern (52 %), age = 50.49,
    tired = 1 (51 %)
    """
    machine = likelihood_machine(model, "finding typical patterns")
    if n < 1:
        raise ValueError(f"n must be at least 1, got {n!r}")
    schema = model.schema_
    if X is None:
        spread = machine.log_variance.mean(axis=0)
        starts = restart_configurations(
            machine.layer, schema.marginals, spread, N_STARTS + 1, "marginals", machine.seed
        )[1:]  # the first is the average itself, which may rest on a saddle
    else:
        starts = machine.complete(*read_rows(model, X, y, None).encoded)
    n_machines = len(machine.weights)
    found = []
    for index in range(n_machines):
        one = jax.tree.map(lambda leaf, index=index: leaf[index], machine.machines)
        for units, count in _distinct(_at_rest(one, machine.layer, starts)):
            share = count / (len(starts) * n_machines)
            found.append(TypicalPattern(index, share, pattern_values(schema, units), units))
    return tuple(sorted(found, key=lambda pattern: -pattern.share)[:n])


def _at_rest(
    machine: BoltzmannParameters, layer: VisibleLayer, starts: NDArray[np.float32]
) -> NDArray[np.float32]:
    def of_tile(tile: NDArray[np.float32], _: NDArray[np.bool_]) -> NDArray[np.float32]:
        return np.asarray(_tile_at_rest(machine, tile, layer))

    return in_tiles(of_tile, starts, np.zeros(starts.shape, bool))


@partial(jax.jit, static_argnames="layer")
def _tile_at_rest(
    machine: BoltzmannParameters, starts: jax.Array, layer: VisibleLayer
) -> jax.Array:
    nothing = jnp.zeros(starts.shape, bool)
    rest = mean_field(
        machine, layer, starts, nothing, starts, n_sweeps=_N_SWEEPS, tolerance=_TOLERANCE
    )
    return rest.visible_mean


def _distinct(points: NDArray[np.float32]) -> list[tuple[NDArray[np.float32], int]]:
    """The points without repetition, each with how many of them it stands for.

    In an order that depends on the points alone.
    """
    left = points[np.lexsort(points.T[::-1])]
    found = []
    while len(left):
        same = np.abs(left - left[0]).max(axis=1) <= _SAME
        found.append((left[0], int(same.sum())))
        left = left[~same]
    return found


def pattern_values(schema: Schema, units: NDArray[np.float32]) -> tuple[PatternValue, ...]:
    """Visible units of one row as values of its columns, those far from average first.

    Examples
    --------
    >>> from halfseen.tables import learn_columns, read_table
    >>> schema = Schema(learn_columns(read_table([[0.5], [1.5], [4.0]])), (), None)
    >>> print(pattern_values(schema, np.array([1.0], np.float32))[0])
    x0 = 3.472
    """
    standard = standard_units(schema, units)
    values = []
    for index, column in enumerate(schema.columns):
        if column.kind == "empty":
            continue
        where = units_of(schema, index)
        is_target = index >= len(schema.features)
        if column.unit == "gaussian":
            number = float(column.destandardised(units[where])[0])
            away = float(standard[where][0])
            values.append(PatternValue(column.name, is_target, number, None, away))
            continue
        shares = probabilities_of(column, units[None, where])[0]
        if column.categories:
            code = int(np.argmax(shares))
            value, share = column.categories[code], float(shares[code])
        else:
            code, value = 0, int(shares[0] >= 0.5)
            share = float(shares[0] if value else 1.0 - shares[0])
        away = float(standard[where][code])
        values.append(PatternValue(column.name, is_target, value, share, away))
    return tuple(sorted(values, key=lambda each: -abs(each.deviation)))
