"""The start configurations of completion: drawn once, the same for every row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.settings import RandomStarts
from halfseen.learning.starts import drawn_visible, uniform_marginals
from halfseen.machine.visible_layer import VisibleLayer


def start_marginals(
    layer: VisibleLayer, observed_marginals: NDArray[np.float64], starts: RandomStarts
) -> NDArray[np.float32]:
    """The marginals around which random configurations are drawn, of shape (n_visible,)."""
    if starts == "uniform":
        return uniform_marginals(layer)
    return observed_marginals.astype(np.float32)


def restart_configurations(
    layer: VisibleLayer,
    observed_marginals: NDArray[np.float64],
    log_variance: NDArray[np.float32],
    n_restarts: int,
    starts: RandomStarts,
    seed: int,
) -> NDArray[np.float32]:
    """Configurations of shape (n_restarts, n_visible).

    "uniform" draws all at random, as the paper does; "marginals" begins with the observed marginals
    themselves and draws the others around them.

    Examples
    --------
    >>> layer = VisibleLayer(n_gaussian=0, n_bernoulli=2)
    >>> restart_configurations(layer, np.array([0.25, 0.75]), np.zeros(0, np.float32), 1,
    ...                        "marginals", seed=0)
    array([[0.25, 0.75]], dtype=float32)
    """
    marginals = start_marginals(layer, observed_marginals, starts)
    restarts = drawn_visible(
        np.random.default_rng([seed, 3]), layer, marginals, np.exp(0.5 * log_variance), n_restarts
    )
    if starts == "marginals":
        restarts[0] = marginals
    return restarts
