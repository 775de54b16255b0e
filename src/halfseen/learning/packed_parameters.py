"""The parameters of a predictive machine as they lie in memory while it is trained."""

from __future__ import annotations

from typing import Any, NamedTuple

from halfseen.machine.namespace_of import namespace_of
from halfseen.machine.predictive_sweeps import PredictiveParameters, Wide


class Packed(NamedTuple):
    """All that is learned, in as few arrays as may be.

    An optimiser runs a handful of small programs over every array it is given. Biases and gains
    are therefore one array; weights lie as (n_hidden, n_units), because their gradient is then
    found by a product that is faster.
    """

    weights: Wide  # (..., n_hidden, n_units)
    vectors: Any  # (..., n), biases of visible and hidden units, and gains
    missing_weights: Any  # (..., n_visible, n_hidden), or None


def packed(parameters: PredictiveParameters) -> Packed:
    """Parameters, or their gradient, of one machine or of several; in NumPy if they are NumPy's.

    The biases of the start are not learned and are left out.

    Examples
    --------
    >>> import numpy as np
    >>> zeros = Wide(np.zeros(2), np.zeros(3))
    >>> weights = Wide(np.zeros((2, 4)), np.zeros((3, 4)))
    >>> machine = PredictiveParameters(weights, zeros, np.ones(4), zeros, zeros)
    >>> packed(machine).weights.knots.shape, packed(machine).vectors.shape
    ((4, 3), (14,))
    """
    xp = namespace_of(parameters.hidden_bias)
    vectors = *parameters.visible_bias, parameters.hidden_bias, *parameters.gain
    return Packed(_turned(parameters.weights), xp.concatenate(vectors, axis=-1), *parameters[5:])


def unpacked(own: Packed, start_bias: Wide) -> PredictiveParameters:
    """The parameters that were packed, with the biases of their start.

    Examples
    --------
    >>> import numpy as np
    >>> start = Wide(np.zeros(1), np.zeros(0))
    >>> own = Packed(Wide(np.ones((2, 1)), np.ones((2, 0))), np.arange(4), None)
    >>> parameters = unpacked(own, start)
    >>> parameters.visible_bias.units, parameters.hidden_bias, parameters.gain.units
    (array([0]), array([1, 2]), array([3]))
    """
    n_units, n_knots = (part.shape[-1] for part in start_bias)
    n_hidden = own.weights.units.shape[-2]
    parts, first = [], 0
    for length in (n_units, n_knots, n_hidden, n_units, n_knots):
        parts.append(own.vectors[..., first : first + length])
        first += length
    return PredictiveParameters(
        weights=_turned(own.weights),
        visible_bias=Wide(*parts[:2]),
        hidden_bias=parts[2],
        gain=Wide(*parts[3:]),
        start_bias=start_bias,
        missing_weights=own.missing_weights,
    )


def _turned(weights: Wide) -> Wide:
    return Wide(*(part.swapaxes(-1, -2) for part in weights))
