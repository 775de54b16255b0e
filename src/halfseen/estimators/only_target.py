"""The only target column of a table, for those who tell its classes apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.ensemble import Ensemble
from halfseen.estimators.pooling import learn_class_pool
from halfseen.learning.held_out import HeldOut
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


class Judged:
    """Rows of a fold in which the class was put aside, and what may be shown of them."""

    def __init__(self, target: OnlyTarget, encoded: EncodedTable, fold: HeldOut) -> None:
        judged = np.flatnonzero(fold.judging[:, target.units[0]])
        self.visible, observed = encoded.rows(fold.judged_rows[judged])
        self.shown = observed & ~fold.judging[judged]
        self.code = target.codes(self.visible)


def honest_power(said: Sequence[NDArray[np.float64]], codes: Sequence[NDArray[np.int64]]) -> float:
    """The power of probabilities under which the true classes are most probable; one of no rows.

    Examples
    --------
    >>> sure = np.tile([0.99, 0.01], (100, 1))
    >>> half_right = np.arange(100) % 2
    >>> honest_power([sure], [half_right]) < 0.1
    True
    """
    truth_first = []
    for own, code in zip(said, codes, strict=True):
        ordered = np.argsort(np.arange(own.shape[1]) != code[:, None], axis=1, kind="stable")
        truth_first.append(np.take_along_axis(own, ordered, axis=1))
    return float(learn_class_pool(np.concatenate(truth_first)[None], np.ones(1))[0])
