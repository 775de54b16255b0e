"""Gaussians of the classes of a target: of every fold, to be judged, and of all rows, to answer."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.ensemble import Ensemble
from halfseen.estimators.forest_fit import target_units
from halfseen.estimators.pooling import learn_class_pool
from halfseen.learning.class_gaussian_fit import fit_class_gaussians, n_rounds
from halfseen.learning.held_out import HeldOut
from halfseen.learning.predictive_loss import PredictiveColumns
from halfseen.machine.class_gaussians import ClassGaussians
from halfseen.machine.usable_cores import usable_cores
from halfseen.tables import EncodedTable

_MOST_PER_ROW = 5e5  # operations of an answer
_MOST_TO_FIT = 4e9  # operations of all fits: beyond them fewer rows are read
_FEWEST_ROWS = 50  # with a known class
_ROWS_LOOKED_AT = 1000  # to see how many holes there are


class OfFolds(NamedTuple):
    """Gaussians fitted to what each fold may learn from, and to everything."""

    of_folds: list[ClassGaussians]
    whole: ClassGaussians


def class_gaussians_of_folds(
    ensemble: Ensemble,
    encoded: EncodedTable,
    folds: list[HeldOut],
    shrinkage: float,
    seed: int,
) -> OfFolds | None:
    """The Gaussians of the classes of the only target column, each as sure as it may be.

    The power that makes them honest is learned on labels put aside. None if there is not one
    target column, if few of its entries are known, if most units of features are no numbers, or if
    answers would take too long.
    """
    columns = ensemble.shape.columns
    if not is_within_reach(columns) or not ensemble.prior_covariance.shape[2]:
        return None
    units = target_units(columns)[0]
    known = np.flatnonzero(encoded.units(units[:1]).observed[:, 0])
    n_classes = max(2, len(units))
    n_units = int((~columns.is_target_unit).sum())
    if len(known) < _FEWEST_ROWS:
        return None
    some = encoded.rows(known[:_ROWS_LOOKED_AT])[1][:, ~columns.is_target_unit]
    most = int(_MOST_TO_FIT / (n_rounds(some) * (len(folds) + 1) * n_units**3))
    rows = _some_of(known, max(most, _FEWEST_ROWS), seed)
    visible, observed = encoded.rows(rows)
    code = _codes(visible[:, units])
    values = ensemble.in_standard_units(visible)

    def fitted(place: int) -> ClassGaussians:
        """Of one fold, or of all that is known if there is no fold of this number."""
        may_learn = observed
        if place < len(folds):
            may_learn = folds[place].training_of(rows, observed)
        teaches = may_learn[:, units[0]]
        is_feature = ~columns.is_target_unit
        prior = min(place, len(folds) - 1)
        return fit_class_gaussians(
            values[teaches][:, is_feature],
            may_learn[teaches][:, is_feature],
            code[teaches],
            n_classes,
            ensemble.prior_mean[prior][is_feature].astype(np.float64),
            ensemble.prior_covariance[prior][np.ix_(is_feature, is_feature)].astype(np.float64),
            shrinkage,
        )

    with ThreadPoolExecutor(usable_cores(), thread_name_prefix="halfseen") as threads:
        *of_folds, whole = threads.map(fitted, range(len(folds) + 1))
    power = _honest_power(ensemble, encoded, folds, of_folds)
    of_folds = [replace(own, power=power) for own in of_folds]
    return OfFolds(of_folds, replace(whole, power=power))


def is_within_reach(columns: PredictiveColumns) -> bool:
    """Whether there is one target column, features are mostly numbers, and answers are cheap.

    Examples
    --------
    >>> from halfseen.machine.predictive_sweeps import PredictiveLayer
    >>> from halfseen.machine.visible_layer import VisibleLayer
    >>> def of(n_numbers, n_binary):
    ...     wide = PredictiveLayer(VisibleLayer(n_numbers, n_binary), 0)
    ...     n_units = n_numbers + n_binary
    ...     return PredictiveColumns(wide, tuple(range(n_units)), n_units - 1, 1)
    >>> is_within_reach(of(20, 1)), is_within_reach(of(200, 1)), is_within_reach(of(3, 9))
    (True, False, False)
    """
    if columns.n_targets != 1 or not columns.n_features:
        return False
    n_units = int((~columns.is_target_unit).sum())
    n_classes = max(2, int(columns.is_target_unit.sum()))
    is_cheap = n_classes * n_units**3 <= _MOST_PER_ROW
    return is_cheap and 2 * columns.wide.layer.n_gaussian >= n_units


def _honest_power(
    ensemble: Ensemble,
    encoded: EncodedTable,
    folds: list[HeldOut],
    of_folds: list[ClassGaussians],
) -> float:
    """The power under which labels put aside are most probable."""
    columns = ensemble.shape.columns
    units, is_feature = target_units(columns)[0], ~columns.is_target_unit
    truth_first = [np.zeros((0, len(of_folds[0].share)))]
    for fold, own in zip(folds, of_folds, strict=True):
        judged = np.flatnonzero(fold.judging[:, units[0]])
        visible, observed = encoded.rows(fold.judged_rows[judged])
        shown = (observed & ~fold.judging[judged])[:, is_feature]
        said = own.probabilities(ensemble.in_standard_units(visible)[:, is_feature], shown)
        code = _codes(visible[:, units])
        ordered = np.argsort(np.arange(said.shape[1]) != code[:, None], axis=1, kind="stable")
        truth_first.append(np.take_along_axis(said, ordered, axis=1))
    return float(learn_class_pool(np.concatenate(truth_first)[None], np.ones(1))[0])


def _codes(truth: NDArray[np.float32]) -> NDArray[np.int64]:
    """The class of every row, from one unit for each class or a single one for two."""
    if truth.shape[1] > 1:
        largest: NDArray[np.int64] = np.argmax(truth, axis=1)
        return largest
    return (truth[:, 0] > 0.5).astype(np.int64)


def _some_of(rows: NDArray[np.int64], most: int, seed: int) -> NDArray[np.int64]:
    if len(rows) <= most:
        return rows
    return np.sort(np.random.default_rng([seed, 17]).permutation(rows)[:most])
