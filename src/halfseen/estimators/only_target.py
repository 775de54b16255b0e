"""The only target column of a table, for those who tell its classes apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.ensemble import Ensemble
from halfseen.tables import EncodedTable


@dataclass(frozen=True)
class OnlyTarget:
    """Where the units of the target stand, and those of the features."""

    units: NDArray[np.int64]
    is_feature: NDArray[np.bool_]

    @property
    def n_classes(self) -> int:
        """Classes: as many as units, or two of a single one."""
        return max(2, len(self.units))

    def codes(self, visible: NDArray[np.float32]) -> NDArray[np.int64]:
        """The class of every row, from 0; of no meaning where it is not known."""
        truth = visible[:, self.units]
        if truth.shape[1] > 1:
            largest: NDArray[np.int64] = np.argmax(truth, axis=1)
            return largest
        return (truth[:, 0] > 0.5).astype(np.int64)

    def known_rows(self, encoded: EncodedTable) -> NDArray[np.int64]:
        """Rows of the table whose class is known."""
        return np.flatnonzero(encoded.units(self.units[:1]).observed[:, 0])

    def of_units(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities of classes as those of the units of the target."""
        return probabilities if len(self.units) > 1 else probabilities[:, 1:]


def only_target(ensemble: Ensemble) -> OnlyTarget | None:
    """The target of an ensemble; None if it has several, or none, or no features."""
    columns = ensemble.shape.columns
    if columns.n_targets != 1 or not columns.n_features:
        return None
    is_target = columns.is_target_unit
    return OnlyTarget(np.flatnonzero(is_target), ~is_target)


def some_of(rows: NDArray[np.int64], most: int, seed: int | list[int]) -> NDArray[np.int64]:
    """All rows, or as many at random, in their order.

    Examples
    --------
    >>> some_of(np.arange(3), 5, seed=0), len(some_of(np.arange(9), 5, seed=0))
    (array([0, 1, 2]), 5)
    """
    if len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng(seed).permutation(rows)[:most])
