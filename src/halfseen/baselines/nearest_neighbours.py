"""Missing entries, labels too, averaged over the nearest rows in which they are observed."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.impute import KNNImputer

from halfseen.baselines._observed_scale import ObservedScale, observed_scale
from halfseen.baselines.baseline import Baseline, CompletedTable, with_observed
from halfseen.baselines.column_prior import label_frequency

# Megabytes that distances may take at a time.
WORKING_MEMORY = 128


class NearestNeighbours(Baseline):
    """KNNImputer over [features, labels]: features are averages and labels a vote of neighbours.

    The distance of two rows is that of the columns observed in both, scaled up to all columns;
    all are standardised, and a label counts as much as ``label_weight`` features. Each
    missing entry looks for the nearest rows in which that entry is observed, so the share of
    neighbours with a label is its probability.

    Parameters
    ----------
    n_neighbours : int, default=20
        Neighbours averaged, all with the same weight: rows that share few columns are near by
        chance, and weights by distance would trust them most.
    label_weight : float, default=3.0
        Weight of an observed label in the distance.
    max_donors : int, default=4000
        Most rows that may be neighbours, drawn at random from taller tables, so that the cost does
        not grow with the square of the rows.
    random_state : int, default=0
        Seed of that draw.

    Notes
    -----
    Costs ``n_rows * n_donors`` distances and a partial sort of them for every column; distances
    are taken in batches of bounded memory.

    References
    ----------
    O. Troyanskaya et al., "Missing value estimation methods for DNA microarrays", Bioinformatics
    17, 2001, in the implementation of scikit-learn.

    Examples
    --------
    >>> X = [[0.0, 0.1], [0.1, 0.0], [5.0, 5.1], [5.1, None]]
    >>> Y = [[0], [0], [1], [None]]
    >>> completed = NearestNeighbours(n_neighbours=1).fit(X, Y).complete()
    >>> completed.features[3], completed.scores[3]
    (array([5.1, 5.1]), array([1.]))
    """

    method: ClassVar[str] = "Nearest neighbours"
    grid: ClassVar[dict[str, list[object]]] = {
        "n_neighbours": [5, 10, 20, 40],
        "label_weight": [1.0, 3.0, 10.0],
    }

    def __init__(
        self,
        *,
        n_neighbours: int = 20,
        label_weight: float = 3.0,
        max_donors: int = 4000,
        random_state: int = 0,
    ) -> None:
        self.n_neighbours = n_neighbours
        self.label_weight = label_weight
        self.max_donors = max_donors
        self.random_state = random_state

    def _fit(self, X: NDArray[np.float64], Y: NDArray[np.float64]) -> None:
        if self.label_weight <= 0:
            raise ValueError(f"label_weight must be positive, got {self.label_weight}")
        self._table = (X, Y)
        self.scale_ = observed_scale(X)
        spread = observed_scale(Y).spread / np.sqrt(self.label_weight)
        self.label_scale_ = ObservedScale(label_frequency(Y), spread)
        donors = self._joint(X, Y)
        if len(donors) > self.max_donors:
            generator = np.random.default_rng([self.random_state, 0xD0])
            donors = donors[generator.choice(len(donors), self.max_donors, replace=False)]
        self.imputer_ = KNNImputer(n_neighbors=self.n_neighbours, keep_empty_features=True).fit(
            donors
        )

    def _joint(self, X: NDArray[np.float64], Y: NDArray[np.float64]) -> NDArray[np.float64]:
        """Columns as the distance weighs them; 0 is a feature's mean and a label's frequency."""
        return np.hstack([self.scale_.standardised(X), self.label_scale_.standardised(Y)])

    def _completed(
        self, X: NDArray[np.float64], Y: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        with config_context(working_memory=WORKING_MEMORY):
            completed = self.imputer_.transform(self._joint(X, Y))
        features, votes = np.split(completed, [self.n_features_in_], axis=1)
        # Rounding may carry a unanimous vote past 1.
        return self.scale_.restored(features), self.label_scale_.restored(votes).clip(0.0, 1.0)

    def _complete(self) -> CompletedTable:
        X, Y = self._table
        return with_observed(X, Y, *self._completed(X, Y))

    def _predict_scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._completed(X, np.full((len(X), self.n_labels_), np.nan))[1]
