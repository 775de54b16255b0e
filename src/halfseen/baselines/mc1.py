"""MC-1: features and labels completed as one matrix of low rank, with a column of ones."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines._co_completion import CoCompletion, CoCompletionSolution, continuation
from halfseen.baselines._co_completion_loss import CoCompletionLoss
from halfseen.baselines._shrunk_spectrum import leading_singular_value, shrunk_spectrum


class MC1(CoCompletion):
    """Matrix completion of [labels, features, 1], transductive.

    Minimises over Z of shape (n_rows, n_labels + n_features + 1)::

        mu ||Z||_* + lam / |O_Y| sum log(1 + exp(-y z)) + 1 / |O_X| sum 1/2 (z - x)^2
        subject to the last column of Z being 1

    with labels y in {-1, +1} and features standardised by what is observed of them. The column of
    ones lets a label have a threshold. Convex.

    Fixed point continuation: mu falls by ``decay`` from a value that leaves almost nothing of Z to
    the final one, each solution the start of the next; a gradient step, then every singular value
    is made smaller. The authors then write the ones back, and the fixed point of that is not the
    minimum; here step and constraint are combined by three-operator splitting (Davis and Yin),
    at the same cost, and the fixed point is the minimum.

    Parameters
    ----------
    lam : float, default=0.003
        Weight of the mean label loss; the authors try 0.001 to 1.
    mu_share : float, default=0.03
        The final mu, as a share of the spectral norm of the loss gradient at Z = 0, above which
        nothing but ones would be left. The authors' mu of 1e-5 is a share of about 0.02 on a table
        of 2,400 rows and 300 columns, half of them observed.
    decay : float, default=0.25
        eta, what mu is multiplied with from one solution to the next.
    max_iter : int, default=300
        Most iterations at each mu.
    tol : float, default=3e-4
        An iteration that moves Z by less than this share of it is the last at its mu; on the way
        to the final mu, ten times as much is allowed.

    Attributes
    ----------
    n_iter_ : int
        Iterations in all.
    movement_ : float
        Relative movement in the last one.

    Notes
    -----
    Time per iteration O(n p min(n, p)) for n rows and p columns, of which one product and one small
    eigenvalue problem; memory a handful of n x p tables. There is no answer for new rows.

    References
    ----------
    A. Goldberg, X. Zhu, B. Recht, J. Xu, R. Nowak, "Transduction with matrix completion: three
    birds with one stone", NIPS 2010. D. Davis, W. Yin, "A three-operator splitting scheme and its
    optimization applications", 2017.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.1], [0.1, np.nan], [1.0, 0.9], [np.nan, 1.0]])
    >>> Y = np.array([[0.0], [np.nan], [1.0], [np.nan]])
    >>> scores = MC1(lam=1.0).fit(X, Y).complete().scores
    >>> bool(scores[3, 0] > 0.5 > scores[1, 0])
    True
    """

    method: ClassVar[str] = "MC-1"
    grid: ClassVar[dict[str, list[float]]] = {
        "lam": [0.001, 0.003, 0.01, 0.03, 0.1, 0.3],
        "mu_share": [0.1, 0.03, 0.01],
    }

    def __init__(
        self,
        *,
        lam: float = 0.003,
        mu_share: float = 0.03,
        decay: float = 0.25,
        max_iter: int = 300,
        tol: float = 3e-4,
    ) -> None:
        self.lam = lam
        self.mu_share = mu_share
        self.decay = decay
        self.max_iter = max_iter
        self.tol = tol

    def _check_settings(self) -> None:
        if self.lam <= 0 or self.mu_share <= 0 or not 0 < self.decay < 1:
            raise ValueError(
                "lam and mu_share must be positive and decay between 0 and 1, got "
                f"lam={self.lam!r}, mu_share={self.mu_share!r}, decay={self.decay!r}"
            )

    def _offset(self, Y: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.zeros(Y.shape[1])

    def _solution(self, loss: CoCompletionLoss) -> CoCompletionSolution:
        return complete_with_ones(loss, self.mu_share, self.decay, self.max_iter, self.tol)


def complete_with_ones(
    loss: CoCompletionLoss, mu_share: float, decay: float, max_iter: int, tol: float
) -> CoCompletionSolution:
    """The minimum of the loss plus mu times the nuclear norm, where the last column is one."""
    n_rows = len(loss.signs)
    start = np.zeros((n_rows, loss.signs.shape[1] + loss.features.shape[1] + 1))
    largest = leading_singular_value(loss.gradient(start))
    n_iter, movement = 0, np.inf
    step = 1.6 / loss.lipschitz  # the splitting converges below 2
    before = start  # what the shrinkage is applied to; called z in Davis and Yin
    before[:, -1] = 1.0
    shrunk = before
    mus = continuation(largest * mu_share, largest, decay)
    for mu in mus:
        enough = tol if mu == mus[-1] else 10 * tol
        for _ in range(max_iter):
            shrunk = shrunk_spectrum(before, step * mu).matrix()
            change = shrunk - before - step * loss.gradient(shrunk)
            change[:, -1] = 1.0 - shrunk[:, -1]
            before = before + change
            n_iter += 1
            movement = float(np.linalg.norm(change) / max(float(np.linalg.norm(before)), 1e-300))
            if movement < enough:
                break
    return CoCompletionSolution(shrunk, mus[-1], n_iter, movement)
