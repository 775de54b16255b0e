"""The joint table of features and labels completed by a matrix of small nuclear norm."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines._fold_in import fold_in
from halfseen.baselines._observed_scale import observed_scale
from halfseen.baselines._shrunk_spectrum import (
    ShrunkSpectrum,
    leading_singular_value,
    shrunk_spectrum,
)
from halfseen.baselines.baseline import Baseline, CompletedTable, with_observed


def soft_imputed(
    table: NDArray[np.float64],
    start: NDArray[np.float64],
    threshold: float,
    *,
    n_iterations: int,
    tolerance: float,
) -> ShrunkSpectrum:
    """Put the matrix where entries are missing, shrink, and again, until it changes little.

    Examples
    --------
    >>> table = np.array([[2.0, 2.0], [2.0, np.nan]])
    >>> start = np.zeros((2, 2))
    >>> soft_imputed(table, start, 0.1, n_iterations=500, tolerance=1e-6).matrix().round(1)
    array([[2. , 1.9],
           [1.9, 1.8]])
    """
    observed = ~np.isnan(table)
    matrix = start
    for _ in range(n_iterations):
        before = matrix
        spectrum = shrunk_spectrum(np.where(observed, table, before), threshold)
        matrix = spectrum.matrix()
        change = float(np.sum((matrix - before) ** 2))
        if change <= tolerance**2 * max(float(np.sum(before**2)), 1e-12):
            break
    return spectrum


class SoftImpute(Baseline):
    r"""Nuclear-norm completion of [features, labels], the penalty chosen along a warm path.

    Columns are standardised by their observed mean and spread, labels among them;

    .. math:: \min_M \tfrac12 \sum_{(i,j)\ \mathrm{observed}} (z_{ij} - M_{ij})^2
        + \lambda \|M\|_*

    is solved for falling :math:`\lambda`, each from the solution before. A tenth of the observed
    entries is held out to choose :math:`\lambda`; the path is then run on all of them down to it.
    At the optimum ``M = A B'`` with the rows of A ridge regressions on B, and so is a new row.
    Scores are entries of M in the units of labels, not probabilities.

    Parameters
    ----------
    n_lambdas : int, default=10
        Length of the path, geometric.
    smallest : float, default=0.02
        Last :math:`\lambda` as a share of the smallest one that makes M zero.
    n_iterations : int, default=100
        Most shrinkage steps for each :math:`\lambda`.
    tolerance : float, default=1e-3
        A :math:`\lambda` is done when M changes by less than this share of its norm.
    random_state : int, default=0
        Seed of the entries held out.

    Notes
    -----
    A step costs a Gram matrix and its eigenvectors, ``n_rows * n_columns ** 2`` operations when
    the table is tall, and memory for four tables.

    References
    ----------
    R. Mazumder, T. Hastie, R. Tibshirani, "Spectral regularization algorithms for learning large
    incomplete matrices", JMLR 11, 2010.

    Examples
    --------
    >>> X = [[0.0, 0.1], [1.0, None], [2.0, 2.1], [3.0, 2.9]]
    >>> Y = [[0], [0], [1], [None]]
    >>> completed = SoftImpute().fit(X, Y).complete()
    >>> bool(completed.scores[3, 0] > 0.5)
    True
    """

    method: ClassVar[str] = "SoftImpute"
    gives_probabilities: ClassVar[bool] = False
    # The penalty is chosen inside, on entries held out.
    grid: ClassVar[dict[str, list[object]]] = {}

    def __init__(
        self,
        *,
        n_lambdas: int = 10,
        smallest: float = 0.02,
        n_iterations: int = 100,
        tolerance: float = 1e-3,
        random_state: int = 0,
    ) -> None:
        self.n_lambdas = n_lambdas
        self.smallest = smallest
        self.n_iterations = n_iterations
        self.tolerance = tolerance
        self.random_state = random_state

    def _fit(self, X: NDArray[np.float64], Y: NDArray[np.float64]) -> None:
        self._table = (X, Y)
        joint = np.hstack([X, Y])
        self.scale_ = observed_scale(joint)
        table = self.scale_.standardised(joint)
        # A stream of its own: entries hidden elsewhere with the same seed must not be these.
        generator = np.random.default_rng([self.random_state, 0x50F7])
        held_out = generator.random(table.shape) < 0.1
        held_out &= ~np.isnan(table)
        lambdas = self._lambdas(table)
        errors: list[float] = []
        matrix = np.zeros_like(table)
        for threshold in lambdas:
            matrix = self._solved(np.where(held_out, np.nan, table), matrix, threshold).matrix()
            errors.append(float(np.sum((matrix - table)[held_out] ** 2)))
            if errors[-1] > 1.02 * min(errors):
                break
        best = int(np.argmin(errors))
        matrix = np.zeros_like(table)
        for threshold in lambdas[: best + 1]:
            spectrum = self._solved(table, matrix, threshold)
            matrix = spectrum.matrix()
        self._matrix = matrix
        self.lambda_ = float(lambdas[best])
        self.loadings_ = spectrum.right * np.sqrt(spectrum.singular_values)

    def _lambdas(self, table: NDArray[np.float64]) -> NDArray[np.float64]:
        largest = max(leading_singular_value(np.where(np.isnan(table), 0.0, table)), 1e-6)
        return largest * np.geomspace(1.0, self.smallest, self.n_lambdas + 1)[1:]

    def _solved(
        self, table: NDArray[np.float64], start: NDArray[np.float64], threshold: float
    ) -> ShrunkSpectrum:
        return soft_imputed(
            table, start, threshold, n_iterations=self.n_iterations, tolerance=self.tolerance
        )

    def _complete(self) -> CompletedTable:
        X, Y = self._table
        completed = self.scale_.restored(self._matrix)
        features, scores = np.split(completed, [self.n_features_in_], axis=1)
        return with_observed(X, Y, features, scores)

    def _predict_scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        unknown = np.full((len(X), self.n_labels_), np.nan)
        table = self.scale_.standardised(np.hstack([X, unknown]))
        matrix = fold_in(self.loadings_, self.lambda_, table) @ self.loadings_.T
        return self.scale_.restored(matrix)[:, self.n_features_in_ :]
