from __future__ import annotations

from typing import ClassVar

import jax
import numpy as np
from numpy.typing import NDArray

from halfseen.baselines._column_scaling import ColumnScaling
from halfseen.baselines._network_baseline import NetworkBaseline
from halfseen.baselines._network_table import NetworkOutput, NetworkTable
from halfseen.experiments.completed_new_rows import completed_new_rows


class Nines(NetworkBaseline):
    """A network that says nine of everything."""

    method: ClassVar[str] = "nines"

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def _scaling_of(self, X: NDArray[np.float64]) -> ColumnScaling:
        return ColumnScaling(np.zeros(X.shape[1]), np.ones(X.shape[1]))

    def _train(self, table: NetworkTable, generator: np.random.Generator, key: jax.Array) -> None:
        pass

    def _output(self, table: NetworkTable, key: jax.Array) -> NetworkOutput:
        return NetworkOutput(0 * table.features + 9, table.labels)


def test_networks_complete_rows_that_they_never_saw() -> None:
    method = Nines().fit(np.ones((3, 2)), np.array([[0.0], [1.0], [1.0]]))
    completed = completed_new_rows(method, np.array([[np.nan, 2.0], [3.0, np.nan]]))
    np.testing.assert_array_equal(completed, [[9.0, 2.0], [3.0, 9.0]])
