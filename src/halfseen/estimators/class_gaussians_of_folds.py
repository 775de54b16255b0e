"""Gaussians of the classes of a target: of every fold, to be judged, and of all rows, to answer."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from halfseen.estimators.ensemble import Ensemble
from halfseen.estimators.fits_side_by_side import fits_side_by_side
from halfseen.estimators.only_target import only_target, some_of
from halfseen.learning.class_gaussian_fit import fit_class_gaussians, n_rounds
from halfseen.learning.held_out import HeldOut
from halfseen.learning.predictive_loss import PredictiveColumns
from halfseen.machine.class_gaussians import ClassGaussians
from halfseen.tables import EncodedTable

_MOST_PER_ROW = 5e5  # operations of an answer
_MOST_TO_FIT = 4e9  # operations of all fits: beyond them fewer rows are read
_OF_A_MATRIX = 3000.0  # operations that would take as long as beginning with one
_FEWEST_ROWS = 50  # with a known class
_MOST_ROWS = 20_000  # that are read
_ROWS_LOOKED_AT = 1000  # to see how many holes there are


class GaussiansOfFolds(NamedTuple):
    """Gaussians fitted to what each fold may learn from, and to everything."""

    of_folds: list[ClassGaussians]
    whole: ClassGaussians


def class_gaussians_of_folds(
    ensemble: Ensemble,
    encoded: EncodedTable,
    folds: list[HeldOut],
    shrinkage: float,
    seed: int,
) -> GaussiansOfFolds | None:
    """The Gaussians of the classes of the only target column.

    None if there is not one target column, if few of its entries are known, if most units of
    features are no numbers, or if answers would take too long. Of a long table 20,000 labelled rows
    are read, or fewer where each takes long.
    """
    target = only_target(ensemble)
    if target is None or not may_have_gaussians(ensemble.shape.columns):
        return None
    known = target.known_rows(encoded)
    if len(known) < _FEWEST_ROWS or not ensemble.prior_covariance.shape[2]:
        return None
    is_feature = target.is_feature
    some = encoded.rows(known[:: -(-len(known) // _ROWS_LOOKED_AT)])[1][:, is_feature]
    of_a_row = max(0.01, 1.0 - float(some.all(axis=1).mean())) * n_rounds(some)
    of_a_row *= (len(folds) + 1) * (_OF_A_MATRIX + int(is_feature.sum()) ** 3)
    most = max(_FEWEST_ROWS, min(_MOST_ROWS, int(_MOST_TO_FIT / of_a_row)))
    rows = some_of(known, most, [seed, 17])
    visible, observed = encoded.rows(rows)
    code = target.codes(visible)
    values = ensemble.in_standard_units(visible)[:, is_feature]

    def fitted(place: int) -> ClassGaussians:
        """Of one fold, or of all that is known if there is no fold of this number."""
        may_learn = observed
        if place < len(folds):
            may_learn = folds[place].training_of(rows, observed)
        teaches = may_learn[:, target.units[0]]
        prior = min(place, len(folds) - 1)
        return fit_class_gaussians(
            values[teaches],
            may_learn[teaches][:, is_feature],
            code[teaches],
            target.n_classes,
            ensemble.prior_mean[prior][is_feature].astype(np.float64),
            ensemble.prior_covariance[prior][np.ix_(is_feature, is_feature)].astype(np.float64),
            shrinkage,
        )

    *of_folds, whole = fits_side_by_side(fitted, range(len(folds) + 1))
    return GaussiansOfFolds(of_folds, whole)


def may_have_gaussians(columns: PredictiveColumns) -> bool:
    """Whether there is one target column, features are mostly numbers, and answers are cheap.

    Examples
    --------
    >>> from halfseen.machine.predictive_sweeps import PredictiveLayer
    >>> from halfseen.machine.visible_layer import VisibleLayer
    >>> def of(n_numbers, n_binary):
    ...     wide = PredictiveLayer(VisibleLayer(n_numbers, n_binary), 0)
    ...     n_units = n_numbers + n_binary
    ...     return PredictiveColumns(wide, tuple(range(n_units)), n_units - 1, 1)
    >>> may_have_gaussians(of(20, 1)), may_have_gaussians(of(200, 1)), may_have_gaussians(of(3, 9))
    (True, False, False)
    """
    if columns.n_targets != 1 or not columns.n_features:
        return False
    n_units = int((~columns.is_target_unit).sum())
    n_classes = max(2, int(columns.is_target_unit.sum()))
    is_cheap = n_classes * (_OF_A_MATRIX + n_units**3) <= _MOST_PER_ROW
    return is_cheap and 2 * columns.wide.layer.n_gaussian >= n_units
