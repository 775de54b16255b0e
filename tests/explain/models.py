"""The estimators on a mixed table, and a Gaussian whose every prediction is known."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import multivariate_normal

from halfseen import RBMClassifier, RBMImputer
from halfseen.base.estimator import TableImputer
from halfseen.data.schema import Encoded
from rbm.tables import KINDS, LIGHT, mixed_table, targets

SETTINGS: dict[str, Any] = {**LIGHT, "learning_rate": 0.2, "n_iter": 6}
TABLE = mixed_table(80)
NEW = mixed_table(14, seed=5, missing=0.35)
ALL_KINDS = (*KINDS, "imputer")


def y_of(kind: str, table: pd.DataFrame) -> Any:
    """Targets, of which some are unknown; None for the imputer."""
    return None if kind == "imputer" else targets(table, kind)


def fitted(kind: str) -> Any:
    """A model of the mixed table."""
    if kind == "imputer":
        return RBMImputer(**SETTINGS).fit(TABLE)
    return RBMClassifier(**SETTINGS).fit(TABLE, targets(TABLE, kind))


class GaussianModel(TableImputer):
    """Standardised columns with a given covariance, and their exact conditional means."""

    def __init__(self, covariance: Any = None) -> None:
        self.covariance = covariance

    def fit(self, X: Any, y: None = None) -> Self:
        self._learn(X, "numeric")
        self._seed = 0
        return self

    def _complete_units(self, encoded: Encoded) -> NDArray[np.float32]:
        rows = zip(*encoded, strict=True)
        return np.array([self._mean(values, seen) for values, seen in rows], np.float32)

    def _mean(self, values: NDArray[Any], seen: NDArray[np.bool_]) -> NDArray[Any]:
        across = self.covariance[:, seen]
        expected = across @ np.linalg.solve(across[seen], values[seen]) if seen.any() else 0.0
        return np.where(seen, values, expected)

    def _log_probability(self, encoded: Encoded) -> NDArray[np.float64]:
        found = [
            multivariate_normal(cov=self.covariance[np.ix_(seen, seen)]).logpdf(values[seen])
            if seen.any()
            else 0.0
            for values, seen in zip(*encoded, strict=True)
        ]
        return np.array(found)


def gaussian(covariance: Any, n_rows: int = 400) -> tuple[GaussianModel, NDArray[np.float64]]:
    """A model and rows of its distribution, of mean 0 and standard deviation 1."""
    rng = np.random.default_rng(0)
    X = rng.multivariate_normal(np.zeros(len(covariance)), covariance, n_rows)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    return GaussianModel(np.asarray(covariance)).fit(X), X
