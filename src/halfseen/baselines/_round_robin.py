"""scikit-learn's IterativeImputer, set up for tables with empty or constant or many columns."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer

from halfseen.baselines._observed_scale import ObservedScale, observed_scale


class RoundRobin:
    """Each column in turn regressed on the others, round after round, on standardised columns.

    Parameters
    ----------
    regressor : regressor of scikit-learn
        Fitted once for each column in each round.
    n_rounds : int
        Rounds.
    n_nearest : int
        Most columns that a column is regressed on, drawn by correlation when there are more.
    random_state : int
        Seed of that draw.

    Examples
    --------
    >>> from sklearn.linear_model import BayesianRidge
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, np.nan]])
    >>> robin = RoundRobin(BayesianRidge(), n_rounds=3, n_nearest=10, random_state=0)
    >>> float(robin.fit_transform(X)[3, 1].round(2))
    3.0
    """

    def __init__(self, regressor: Any, *, n_rounds: int, n_nearest: int, random_state: int) -> None:
        self.regressor = regressor
        self.n_rounds = n_rounds
        self.n_nearest = n_nearest
        self.random_state = random_state

    def fit_transform(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Learn from the observed entries, and complete these rows."""
        self.scale: ObservedScale = observed_scale(X)
        n_others = X.shape[1] - 1
        self.imputer = IterativeImputer(
            self.regressor,
            # A single column has nothing to be regressed on.
            max_iter=self.n_rounds if n_others else 0,
            n_nearest_features=self.n_nearest if n_others > self.n_nearest else None,
            keep_empty_features=True,
            random_state=self.random_state,
        )
        with warnings.catch_warnings():
            # The number of rounds is the budget; scikit-learn would call that an early stop.
            warnings.simplefilter("ignore", ConvergenceWarning)
            completed = self.imputer.fit_transform(self.scale.standardised(X))
        return np.where(np.isnan(X), self.scale.restored(completed), X)

    def transform(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Complete new rows."""
        completed = self.imputer.transform(self.scale.standardised(X))
        return np.where(np.isnan(X), self.scale.restored(completed), X)
