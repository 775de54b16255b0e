"""A small table with structure and holes, and a plan that trains on it within moments.

All tests of the loop share its shapes, so that they share their compilations.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from halfseen.learning.data_started_cd import DataStartedCD
from halfseen.learning.held_out import hold_out
from halfseen.learning.monitor import HeldOutMonitor
from halfseen.learning.optimiser import Optimiser
from halfseen.learning.persistent_cd import FullyPersistentCD
from halfseen.learning.trainer import TrainingPlan
from halfseen.machine.visible_layer import VisibleLayer
from halfseen.tables import Encoded

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]

LAYER = VisibleLayer(n_gaussian=2, n_bernoulli=2, group_sizes=(3,))
# Two numbers, two yes/no features, one class of three.
COLUMN_OF_UNIT = np.array([0, 1, 2, 3, 4, 4, 4])
IS_TARGET_UNIT = COLUMN_OF_UNIT == 4
N_ROWS = 83
MARGINALS = (0.0, 0.0, 0.5, 0.5, 1 / 3, 1 / 3, 1 / 3)

PLAN = TrainingPlan(
    layer=LAYER,
    objective=DataStartedCD(n_steps=1, offset_rate=0.01),
    optimiser=Optimiser("adam", 0.0, 10.0),
    n_hidden=5,
    n_epochs=6,
    batch_size=20,
    learning_rate=0.02,
    weight_decay=0.001,
    schedule="constant",
    first_variance=0.5,
    lowest_variance=0.01,
    highest_variance=1.21,
    weight_scale=0.01,
    centered=True,
    start_marginals=MARGINALS,
    observed_marginals=MARGINALS,
    n_machines=1,
    patience=1000,
    monitor_every=1,
    seed=7,
)

# Of all objectives the one that remembers most.
PERSISTENT_PLAN = replace(PLAN, objective=FullyPersistentCD(1, 30, 0.01))


def small_table(seed: int = 0, n_rows: int = N_ROWS) -> tuple[Floats, Bools]:
    """Rows of three kinds, a fifth of the entries missing, with NaN behind the holes."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, size=n_rows)
    centres = np.array([[-1.2, -0.8], [1.2, -0.4], [0.0, 1.3]])
    often = np.array([[0.95, 0.05], [0.05, 0.9], [0.9, 0.95]])
    numbers = centres[kind] + 0.3 * rng.normal(size=(n_rows, 2))
    binary = rng.random((n_rows, 2)) < often[kind]
    visible = np.concatenate([numbers, binary, np.eye(3)[kind]], axis=1).astype(np.float32)
    observed = (rng.random((n_rows, 5)) < 0.8)[:, COLUMN_OF_UNIT]
    visible[~observed] = np.nan
    return visible, observed


def small_monitor(visible: Floats, observed: Bools) -> tuple[HeldOutMonitor, Bools]:
    """A monitor of a fifth of the entries, and the entries left to train on."""
    table = Encoded(visible, observed)
    held_out = hold_out(table, COLUMN_OF_UNIT, IS_TARGET_UNIT, 0.2, seed=3)
    marginals = np.array(MARGINALS, np.float32)
    monitor = HeldOutMonitor(LAYER, table, held_out, IS_TARGET_UNIT, marginals)
    return monitor, held_out.training(observed)


def assert_same_bits(left: Any, right: Any) -> None:
    """Every leaf equal, bit for bit."""
    for one, other in zip(jax.tree.leaves(left), jax.tree.leaves(right), strict=True):
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other))


def are_same_bits(left: Any, right: Any) -> bool:
    """Whether every leaf is equal, bit for bit."""
    pairs = zip(jax.tree.leaves(left), jax.tree.leaves(right), strict=True)
    return all(np.array_equal(np.asarray(one), np.asarray(other)) for one, other in pairs)


def assert_finite(tree: Any) -> None:
    """No leaf holds anything that is not a number."""
    for leaf in jax.tree.leaves(tree):
        assert np.all(np.isfinite(np.asarray(leaf)))
