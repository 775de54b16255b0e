"""One joint Gaussian over features and labels: the linear yardstick for both."""

from __future__ import annotations

from typing import Self

import jax.numpy as jnp
import numpy as np

from halfseen.baselines.baseline import Baseline, Floats, observed_scale
from halfseen.ensemble.prior import Moments, conditional_means, fit_prior

_CHUNK = 1024  # rows that are completed at once
_MOST_ROWS = 20_000  # that the Gaussian is fitted to; drawn at random from taller tables
_PATTERNS = 64  # rows whose conditional covariance is found in each round of EM
_SEARCH_STEPS = 30  # of conjugate gradients, for a conditional mean


class GaussianCompletion:
    """A Gaussian of full rank fitted to an incomplete table; completes its rows and others.

    EM is that of the recommended model, :func:`halfseen.ensemble.prior.fit_prior`. Every M step
    ends with ``(1 - a) S + a I`` for the shrinkage a, on standardised columns.
    """

    def __init__(self, shrinkage: float, n_rounds: int, seed: int) -> None:
        if not 0 < shrinkage < 1:
            raise ValueError(f"shrinkage must lie strictly between 0 and 1, got {shrinkage}")
        self.shrinkage, self.n_rounds, self.seed = shrinkage, n_rounds, seed

    def fit(self, table: Floats) -> Self:
        """Fit to what is observed."""
        self.scale = observed_scale(table)
        if len(table) > _MOST_ROWS:
            generator = np.random.default_rng([self.seed, 4])
            table = table[generator.choice(len(table), _MOST_ROWS, replace=False)]
        standardised, n_columns = self.scale.standardised(table), table.shape[1]
        self.gaussian = fit_prior(
            standardised, ~np.isnan(standardised), np.ones(len(table)),
            Moments(np.zeros(n_columns), np.eye(n_columns)), (0.0, self.shrinkage),
            rank=max(n_columns - 1, 1), n_rounds=self.n_rounds, n_patterns=_PATTERNS,
            seed=[self.seed],
        )  # fmt: skip
        return self

    def transform(self, table: Floats) -> Floats:
        """Missing entries as conditional means; observed ones as they are."""
        standardised, found = self.scale.standardised(table), np.empty_like(table)
        for start in range(0, len(table), _CHUNK):
            chunk = standardised[start : start + _CHUNK]
            # All chunks have one shape, so that one program is compiled.
            padded = np.pad(chunk, ((0, _CHUNK - len(chunk)), (0, 0)), constant_values=np.nan)
            values, observed = jnp.asarray(np.nan_to_num(padded), jnp.float32), ~np.isnan(padded)
            arguments = self.gaussian, values, jnp.asarray(observed)
            completed = conditional_means(*arguments, n_steps=_SEARCH_STEPS)
            found[start : start + _CHUNK] = np.asarray(completed)[: len(chunk)]
        return np.where(np.isnan(table), self.scale.restored(found), table)

    def fit_transform(self, table: Floats) -> Floats:
        """Fit to the rows and complete them."""
        return self.fit(table).transform(table)


class GaussianEM(Baseline):
    """Joint Gaussian over [features, labels], fitted by EM to the observed entries.

    Missing features and unknown labels are both the conditional mean given all that is observed in
    the row; a new row is one with all labels unknown. Scores are no probabilities. A. P. Dempster,
    N. M. Laird, D. B. Rubin, "Maximum likelihood from incomplete data via the EM algorithm", 1977.

    Parameters
    ----------
    shrinkage : float, default=0.05
        Between 0 and 1; 0.02 to 0.2 is usual, more for few rows and many columns.
    n_rounds, random_state : int, default=20, 0
        Rounds of EM, and seed.

    Examples
    --------
    >>> X, Y = [[0.0, 0.1], [1.0, None], [2.0, 2.1], [3.0, 2.9]], [[0], [0], [1], [None]]
    >>> GaussianEM(shrinkage=0.01).fit(X, Y).complete().features.round()[1].tolist()
    [1.0, 1.0]
    """

    method = "Joint Gaussian, EM"
    gives_probabilities = False
    grid = {"shrinkage": [0.01, 0.02, 0.05, 0.1, 0.2]}

    shrinkage: float = 0.05
    n_rounds: int = 20
    random_state: int = 0

    def _fit(self, X: Floats, Y: Floats) -> None:
        completion = GaussianCompletion(self.shrinkage, self.n_rounds, self.random_state)
        self.completion_ = completion.fit(np.hstack([X, Y]))

    def _completed(self, X: Floats, Y: Floats) -> tuple[Floats, Floats]:
        return self._parts(self.completion_.transform(np.hstack([X, Y])))
