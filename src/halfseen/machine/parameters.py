"""The parameters of a machine, theta = {w, a, b} of the paper, and its variances."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import numpy as np
from numpy.typing import NDArray

from halfseen.machine.visible_layer import VisibleLayer


class BoltzmannParameters(NamedTuple):
    """Parameters of one machine; with a leading axis on every leaf, of several.

    The energy is the paper's eq. (1), ``E(v, h) = - v.W.h - a.v - b.h``; Gaussian units have the
    prior N(0, sigma_i^2) of eq. (2), so that ``<v_i | h> = sigma_i^2 (a_i + sum_j w_ij h_j)``.
    """

    weights: jax.Array  # (n_visible, n_hidden)
    visible_bias: jax.Array  # (n_visible,)
    hidden_bias: jax.Array  # (n_hidden,)
    log_variance: jax.Array  # (n_gaussian,), log sigma_i^2


def initial_parameters(
    generator: np.random.Generator,
    layer: VisibleLayer,
    n_hidden: int,
    *,
    marginals: NDArray[np.floating[Any]],
    variance: float,
    weight_scale: float,
) -> BoltzmannParameters:
    """Small random weights, and visible biases that reproduce the observed marginals.

    Nothing is compiled: a program that runs once takes longer to compile than to run.

    Parameters
    ----------
    generator : numpy.random.Generator
        Draws the weights.
    layer : VisibleLayer
        The kinds of the visible units.
    n_hidden : int
        Number of binary hidden units.
    marginals : ndarray of shape (n_visible,)
        Mean of each visible unit over the entries where it was observed.
    variance : float
        First value of sigma^2 of every Gaussian unit.
    weight_scale : float
        Standard deviation of the first weights (Hinton 2010: about .01).

    Returns
    -------
    BoltzmannParameters
        With hidden biases of zero, as NumPy's arrays in the precision of the marginals.

    Examples
    --------
    >>> layer = VisibleLayer(n_gaussian=1, n_bernoulli=1, group_sizes=(3,))
    >>> marginals = np.array([0.0, 0.25, 0.2, 0.2, 0.6])
    >>> theta = initial_parameters(np.random.default_rng(0), layer, 4, marginals=marginals,
    ...                            variance=1.0, weight_scale=0.01)
    >>> theta.weights.shape
    (5, 4)
    """
    weights = weight_scale * generator.standard_normal((layer.n_visible, n_hidden))
    log_variance = np.full((layer.n_gaussian,), np.log(variance), marginals.dtype)
    first: tuple[Any, ...] = (
        weights.astype(marginals.dtype),
        layer.input_from_mean(marginals, log_variance),
        np.zeros((n_hidden,), marginals.dtype),
        log_variance,
    )
    return BoltzmannParameters(*first)
