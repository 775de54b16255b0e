"""NoisyIMC: labels from features where these suffice, and a low-rank rest where they do not."""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines._low_rank_features import low_rank_features
from halfseen.baselines._observed_scale import observed_scale
from halfseen.baselines._shrunk_spectrum import leading_singular_value, shrunk_spectrum
from halfseen.baselines.baseline import Baseline, CompletedTable, with_observed


class NoisyIMC(Baseline):
    """Inductive matrix completion with noisy side information, also known as DirtyIMC.

    Minimises over M of shape (n_features, n_labels) and N of shape (n_rows, n_labels)::

        1/2 sum over observed labels of (X M + N - Y)^2 + lM ||M||_* + lN ||N||_*

    with labels centred by what is observed of them. X has to be complete: features are standardised
    and completed first by soft-impute, a nuclear norm on X alone, its threshold chosen on held-out
    observed entries; the labels have no say in it. Convex; solved by accelerated proximal gradient
    steps on M and N together.

    Parameters
    ----------
    feature_share : float, default=0.03
        lM, as a share of the value above which M is 0.
    rest_share : float, default=0.25
        lN, as a share of the value above which N is 0; 1 leaves plain inductive matrix completion.
    max_iter : int, default=1000
        Most iterations.
    tol : float, default=1e-5
        An iteration that changes the predictions by less than this share is the last.
    random_state : int, default=0
        Seed of the entries held out while X is completed.

    Attributes
    ----------
    n_iter_ : int
        Iterations.
    movement_ : float
        Relative movement in the last one.

    Notes
    -----
    The completion of X costs O(n d min(n, d)) an iteration and a handful of n x d tables; after
    that an iteration costs O(n d L). For new rows N has no row: they are completed by the same
    low-rank loadings, and ``x M`` answers.

    References
    ----------
    K.-Y. Chiang, C.-J. Hsieh, I. Dhillon, "Matrix completion with noisy side information", NIPS
    2015.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.1], [0.1, np.nan], [1.0, 0.9], [np.nan, 1.0]])
    >>> Y = np.array([[0.0], [np.nan], [1.0], [np.nan]])
    >>> method = NoisyIMC().fit(X, Y)
    >>> scores = method.predict_scores([[0.0, np.nan], [1.0, 1.0]])
    >>> bool(scores[1, 0] > scores[0, 0])
    True
    """

    method: ClassVar[str] = "NoisyIMC"
    imputes: ClassVar[bool] = False
    gives_probabilities: ClassVar[bool] = False
    feature_source: ClassVar[str] = "soft-impute on the features alone, before the method"
    grid: ClassVar[dict[str, list[float]]] = {
        "feature_share": [0.1, 0.03, 0.01, 0.003, 0.001],
        "rest_share": [1.0, 0.5, 0.25, 0.1],
    }

    def __init__(
        self,
        *,
        feature_share: float = 0.03,
        rest_share: float = 0.25,
        max_iter: int = 1000,
        tol: float = 1e-5,
        random_state: int = 0,
    ) -> None:
        self.feature_share = feature_share
        self.rest_share = rest_share
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _fit(self, X: NDArray[np.float64], Y: NDArray[np.float64]) -> None:
        if self.feature_share <= 0 or self.rest_share <= 0:
            raise ValueError(
                "feature_share and rest_share must be positive, got "
                f"{self.feature_share!r} and {self.rest_share!r}"
            )
        self._scale = observed_scale(X)
        self._label_mean = observed_scale(Y).mean
        self._features = low_rank_features(self._scale.standardised(X), self.random_state)
        completed = self._features.completed
        solution = side_information_completion(
            completed,
            Y - self._label_mean,
            self.feature_share,
            self.rest_share,
            max_iter=self.max_iter,
            tol=self.tol,
        )
        self.n_iter_, self.movement_ = solution.n_iter, solution.movement
        self._M = solution.M
        scores = self._label_mean + completed @ solution.M + solution.N
        self._completed = with_observed(X, Y, self._scale.restored(completed), scores)

    def _complete(self) -> CompletedTable:
        return self._completed

    def _predict_scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        completed = self._features.of_rows(self._scale.standardised(X))
        return np.asarray(self._label_mean + completed @ self._M)


class SideInformationSolution(NamedTuple):
    """The two parts, and the penalties they belong to."""

    M: NDArray[np.float64]  # (n_features, n_labels)
    N: NDArray[np.float64]  # (n_rows, n_labels)
    feature_penalty: float
    rest_penalty: float
    n_iter: int
    movement: float


def side_information_completion(
    X: NDArray[np.float64],
    R: NDArray[np.float64],
    feature_share: float,
    rest_share: float,
    *,
    max_iter: int,
    tol: float,
) -> SideInformationSolution:
    """The convex problem alone: complete X, and R with NaN where unknown."""
    observed = ~np.isnan(R)
    known = np.where(observed, R, 0.0)
    largest = leading_singular_value(X) or 1.0
    unit_X = X / largest  # then both parts of the gradient have Lipschitz constant 1, jointly 2
    feature_penalty = feature_share * leading_singular_value(unit_X.T @ known)
    rest_penalty = rest_share * leading_singular_value(known)
    step, momentum, n_iter, movement = 0.5, 1.0, 0, np.inf
    M, N = np.zeros((X.shape[1], R.shape[1])), np.zeros_like(known)
    ahead_M, ahead_N = M, N
    prediction = np.zeros_like(known)
    for _ in range(max_iter):
        n_iter += 1
        error = np.where(observed, unit_X @ ahead_M + ahead_N - known, 0.0)
        next_M = shrunk_spectrum(ahead_M - step * (unit_X.T @ error), step * feature_penalty)
        next_N = shrunk_spectrum(ahead_N - step * error, step * rest_penalty)
        change_M, change_N = next_M.matrix() - M, next_N.matrix() - N
        M, N = M + change_M, N + change_N
        if np.vdot(ahead_M - M, change_M) + np.vdot(ahead_N - N, change_N) > 0:
            momentum = 1.0
        following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
        weight = (momentum - 1.0) / following
        ahead_M, ahead_N, momentum = M + weight * change_M, N + weight * change_N, following
        before, prediction = prediction, unit_X @ M + N
        size = max(float(np.linalg.norm(prediction)), 1e-300)
        movement = float(np.linalg.norm(prediction - before)) / size
        if movement <= tol:
            break
    return SideInformationSolution(
        M / largest, N, feature_penalty * largest, rest_penalty, n_iter, movement
    )
