"""One joint Gaussian over features and labels: the linear yardstick for both."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines._gaussian import conditional_means, fit_gaussian
from halfseen.baselines._observed_scale import observed_scale
from halfseen.baselines.baseline import Baseline, CompletedTable, with_observed


class GaussianEM(Baseline):
    r"""Joint Gaussian over [features, labels], fitted by EM to the observed entries.

    Columns are standardised by their observed mean and spread, labels among them. EM climbs

    .. math:: \sum_i \log N(z_{i,O_i}; \mu_{O_i}, \Sigma_{O_i O_i})
        - \frac{n a}{2 (1 - a)} \left( \log\det\Sigma + \mathrm{tr}\,\Sigma^{-1} \right)

    with a the shrinkage, that is, every M step ends with ``(1 - a) S + a I``. Missing features and
    unknown labels are both the exact conditional mean given all that is observed in the row; a new
    row is one with all labels unknown. Scores are conditional means, not probabilities.

    Parameters
    ----------
    shrinkage : float, default=0.05
        Between 0 and 1; 0.02 to 0.2 is usual, more for few rows and many columns.
    n_iterations : int, default=30
        Most EM steps.
    tolerance : float, default=3e-4
        EM stops when the log posterior gains less than this per observed entry.

    Notes
    -----
    An EM step costs one Cholesky factor and inverse per pattern of missing entries: about
    ``n_patterns * m ** 3`` operations for m missing columns, and memory for the table and a few
    matrices of columns by columns. At half missing a step takes about 2 s for 2,400 x 300, 7 s
    for 70,000 x 100 and 10 s for 1,000 x 1,000 on one core.

    References
    ----------
    A. P. Dempster, N. M. Laird, D. B. Rubin, "Maximum likelihood from incomplete data via the EM
    algorithm", JRSS B 39, 1977. R. J. A. Little, D. B. Rubin, "Statistical Analysis with Missing
    Data", chapter 11.

    Examples
    --------
    >>> X = [[0.0, 0.1], [1.0, None], [2.0, 2.1], [3.0, 2.9]]
    >>> Y = [[0], [0], [1], [None]]
    >>> completed = GaussianEM(shrinkage=0.01).fit(X, Y).complete()
    >>> float(completed.features[1, 1].round())
    1.0
    >>> bool(completed.scores[3, 0] > 0.5)
    True
    """

    method: ClassVar[str] = "Joint Gaussian, EM"
    gives_probabilities: ClassVar[bool] = False
    grid: ClassVar[dict[str, list[float]]] = {"shrinkage": [0.01, 0.02, 0.05, 0.1, 0.2]}

    def __init__(
        self, *, shrinkage: float = 0.05, n_iterations: int = 30, tolerance: float = 3e-4
    ) -> None:
        self.shrinkage = shrinkage
        self.n_iterations = n_iterations
        self.tolerance = tolerance

    def _fit(self, X: NDArray[np.float64], Y: NDArray[np.float64]) -> None:
        self._table = (X, Y)
        joint = np.hstack([X, Y])
        self.scale_ = observed_scale(joint)
        self.gaussian_ = fit_gaussian(
            self.scale_.standardised(joint),
            shrinkage=self.shrinkage,
            n_iterations=self.n_iterations,
            tolerance=self.tolerance,
        )

    def _complete(self) -> CompletedTable:
        X, Y = self._table
        completed = self._completed(X, Y)
        features, scores = np.split(completed, [self.n_features_in_], axis=1)
        return with_observed(X, Y, features, scores)

    def _predict_scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        unknown = np.full((len(X), self.n_labels_), np.nan)
        return self._completed(X, unknown)[:, self.n_features_in_ :]

    def _completed(self, X: NDArray[np.float64], Y: NDArray[np.float64]) -> NDArray[np.float64]:
        standardised = self.scale_.standardised(np.hstack([X, Y]))
        return self.scale_.restored(conditional_means(self.gaussian_, standardised))
