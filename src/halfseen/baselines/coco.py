"""COCO: features and the logits of labels completed as one matrix, with an elastic net on it."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from halfseen.baselines._co_completion import CoCompletion, CoCompletionSolution, continuation
from halfseen.baselines._co_completion_loss import CoCompletionLoss
from halfseen.baselines._shrunk_spectrum import leading_singular_value, shrunk_spectrum


class COCO(CoCompletion):
    """Co-completion of features and label logits, transductive.

    Minimises over Z of shape (n_rows, n_labels + n_features)::

        mu ||Z||_* + nu / 2 ||Z||^2
            + lam / |O_Y| sum log(1 + exp(-y (z + b))) + 1 / |O_X| sum 1/2 (z - x)^2

    with labels y in {-1, +1}, features standardised by what is observed of them, and b the logit of
    the frequency of each label. That is MC-1 without the column of ones, where the nuclear norm is
    one half of an elastic net on the singular values: the other half makes the minimum unique and
    keeps correlated directions together. Strongly convex.

    Both losses are averaged over their entries, as in MC-1, so that one range of weights serves
    tables of any size. The authors descend along subgradients; here the minimum is found by
    accelerated proximal gradient steps, mu falling by ``decay`` from one solution to the next. The
    fixed b takes the place of a constant feature: without either, a rare label could not be rare
    everywhere.

    Parameters
    ----------
    lam : float, default=0.03
        Weight of the mean label loss.
    mu_share : float, default=0.03
        mu, as a share of the spectral norm of the loss gradient at Z = 0, above which Z is 0.
    nu_share : float, default=0.001
        nu, as a share of the weight of one observed feature, 1 / |O_X|.
    decay : float, default=0.25
        What mu is multiplied with from one solution to the next.
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
    Time per iteration O(n p min(n, p)) for n rows and p columns; memory a handful of n x p tables.
    There is no answer for new rows.

    References
    ----------
    M. Xu, G. Niu, B. Han, I. Tsang, Z.-H. Zhou, M. Sugiyama, "Matrix co-completion for multi-label
    classification with missing features and labels", arXiv:1805.09156, 2018.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.array([[0.0, 0.1], [0.1, np.nan], [1.0, 0.9], [np.nan, 1.0]])
    >>> Y = np.array([[0.0], [np.nan], [1.0], [np.nan]])
    >>> scores = COCO(lam=1.0).fit(X, Y).complete().scores
    >>> bool(scores[3, 0] > 0.5 > scores[1, 0])
    True
    """

    method: ClassVar[str] = "COCO"
    grid: ClassVar[dict[str, list[float]]] = {
        "lam": [0.01, 0.03, 0.1, 0.3, 1.0],
        "mu_share": [0.07, 0.02],
        "nu_share": [0.001, 0.01],
    }

    def __init__(
        self,
        *,
        lam: float = 0.03,
        mu_share: float = 0.03,
        nu_share: float = 0.001,
        decay: float = 0.25,
        max_iter: int = 300,
        tol: float = 3e-4,
    ) -> None:
        self.lam = lam
        self.mu_share = mu_share
        self.nu_share = nu_share
        self.decay = decay
        self.max_iter = max_iter
        self.tol = tol

    def _check_settings(self) -> None:
        if self.lam <= 0 or self.mu_share <= 0 or self.nu_share < 0 or not 0 < self.decay < 1:
            raise ValueError(
                "lam and mu_share must be positive, nu_share zero or more and decay between 0 and "
                f"1, got lam={self.lam!r}, mu_share={self.mu_share!r}, "
                f"nu_share={self.nu_share!r}, decay={self.decay!r}"
            )

    def _offset(self, Y: NDArray[np.float64]) -> NDArray[np.float64]:
        return smoothed_logit(Y)

    def _solution(self, loss: CoCompletionLoss) -> CoCompletionSolution:
        return complete_elastic(
            loss, self.mu_share, self.nu_share, self.decay, self.max_iter, self.tol
        )


def smoothed_logit(Y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logit of the observed frequency of each label, with half a row of either value added.

    Examples
    --------
    >>> import numpy as np
    >>> smoothed_logit(np.array([[1.0, np.nan], [0.0, np.nan]]))
    array([0., 0.])
    """
    ones, known = np.nansum(Y, axis=0), np.sum(~np.isnan(Y), axis=0)
    return np.asarray(logit((ones + 0.5) / (known + 1.0)))


def complete_elastic(
    loss: CoCompletionLoss,
    mu_share: float,
    nu_share: float,
    decay: float,
    max_iter: int,
    tol: float,
) -> CoCompletionSolution:
    """The minimum of the loss plus an elastic net on the singular values of Z."""
    Z = np.zeros((len(loss.signs), loss.signs.shape[1] + loss.features.shape[1]))
    largest = leading_singular_value(loss.gradient(Z))
    step, nu, n_iter, movement = 1.0 / loss.lipschitz, nu_share * loss.per_feature, 0, np.inf
    mus = continuation(largest * mu_share, largest, decay)
    for mu in mus:
        enough = tol if mu == mus[-1] else 10 * tol
        ahead, momentum = Z, 1.0
        for _ in range(max_iter):
            moved = ahead - step * loss.gradient(ahead)
            shrunk = shrunk_spectrum(moved, step * mu).matrix() / (1.0 + step * nu)
            change = shrunk - Z
            # A momentum that points uphill is dropped (adaptive restart).
            if np.vdot(ahead - shrunk, change) > 0:
                momentum = 1.0
            following = 0.5 * (1.0 + np.sqrt(1.0 + 4.0 * momentum**2))
            ahead = shrunk + (momentum - 1.0) / following * change
            Z, momentum = shrunk, following
            n_iter += 1
            movement = float(np.linalg.norm(change) / max(float(np.linalg.norm(Z)), 1e-300))
            if movement < enough:
                break
    return CoCompletionSolution(Z, mus[-1], n_iter, movement)
