"""How a gradient becomes a step: momentum or Adam, clipping, decay of the weights, schedule."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from halfseen.machine.namespace_of import namespace_of
from halfseen.machine.parameters import BoltzmannParameters

OptimiserName = Literal["sgd", "adam"]
ScheduleName = Literal["constant", "cosine"]


class Rates(NamedTuple):
    """Numbers of a step that can change without a new compilation."""

    learning_rate: jax.Array | float
    weight_decay: jax.Array | float
    lowest_log_variance: jax.Array | float
    highest_log_variance: jax.Array | float


@dataclass(frozen=True)
class Optimiser:
    """The direction of a step; its length is in :class:`Rates`.

    Parameters
    ----------
    name : {"sgd", "adam"}
        Plain ascent with momentum, or Adam.
    momentum : float in [0, 1)
        For "sgd".
    clip_norm : float
        Largest norm of the gradient of all parameters together; ``inf`` for none.
    """

    name: OptimiserName = "adam"
    momentum: float = 0.0
    clip_norm: float = math.inf

    def transformation(self) -> optax.GradientTransformation:
        """The chain of optax that turns gradients into directions of descent."""
        parts = []
        if math.isfinite(self.clip_norm):
            parts.append(optax.clip_by_global_norm(self.clip_norm))
        if self.name == "adam":
            parts.append(optax.scale_by_adam())
        elif self.momentum > 0:
            parts.append(optax.trace(decay=self.momentum))
        return optax.chain(*parts) if parts else optax.identity()

    def first_state(self, parameters: BoltzmannParameters) -> Any:
        """The optimiser's state before the first step."""
        return self.transformation().init(packed(parameters))

    def step(
        self,
        parameters: BoltzmannParameters,
        gradient: BoltzmannParameters,
        state: Any,
        rates: Rates,
    ) -> tuple[BoltzmannParameters, Any]:
        """One step of ascent; only the weights decay, the variances stay within their bounds."""
        direction, state = self.transformation().update(packed(gradient), state)
        return moved_within_bounds(parameters, direction, rates), state


class Packed(NamedTuple):
    """Parameters of one machine in two arrays: an optimiser runs small programs over each."""

    weights: jax.Array
    vectors: jax.Array  # biases of visible and hidden units, and log variances


def packed(parameters: BoltzmannParameters) -> Packed:
    """The parameters of one machine, or their gradient, in two arrays; NumPy's if they are.

    Examples
    --------
    >>> machine = BoltzmannParameters(np.ones((2, 3)), np.zeros(2), np.ones(3), np.zeros(1))
    >>> packed(machine).vectors
    array([0., 0., 1., 1., 1., 0.])
    """
    xp = namespace_of(parameters.weights)
    return Packed(parameters.weights, xp.concatenate(parameters[1:]))


def moved_within_bounds(
    parameters: BoltzmannParameters, direction: Packed, rates: Rates
) -> BoltzmannParameters:
    """One step of ascent; only the weights decay, the variances stay within their bounds."""
    xp = namespace_of(parameters.weights)
    weights, vectors = (
        value + rates.learning_rate * towards
        for value, towards in zip(packed(parameters), direction, strict=True)
    )
    decay = rates.learning_rate * rates.weight_decay
    n_visible, n_hidden = len(parameters.visible_bias), len(parameters.hidden_bias)
    lowest, highest = rates.lowest_log_variance, rates.highest_log_variance
    return BoltzmannParameters(
        weights - decay * parameters.weights,
        vectors[:n_visible],
        vectors[n_visible : n_visible + n_hidden],
        xp.clip(vectors[n_visible + n_hidden :], lowest, highest),
    )


def gradient_norm(gradient: BoltzmannParameters) -> jax.Array:
    """The length of a gradient of all parameters of one machine together.

    Examples
    --------
    >>> leaves = [jnp.full(shape, 2.0) for shape in ((1, 1), (1,), (1,), (1,))]
    >>> float(gradient_norm(BoltzmannParameters(*leaves)))
    4.0
    """
    weights, vectors = packed(gradient)
    return jnp.sqrt(jnp.sum(weights**2) + jnp.sum(vectors**2))


def first_states(first_state: Callable[[Any], Any], parameters: Any) -> Any:
    """The states of an optimiser before the first step of all machines of a replica axis.

    Plain ascent, momentum and Adam begin with zeros throughout, which need not be compiled.

    Examples
    --------
    >>> first_states(optax.trace(0.5).init, np.ones((2, 3))).trace.tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    of_machines = jax.eval_shape(jax.vmap(first_state), parameters)
    return jax.tree.map(lambda leaf: np.zeros(leaf.shape, leaf.dtype), of_machines)


def schedule_factor(schedule: ScheduleName, epoch: int, n_epochs: int) -> float:
    """What the learning rate is multiplied by in an epoch.

    "cosine" warms up over the first twentieth of the epochs and falls to a hundredth.

    Examples
    --------
    >>> schedule_factor("constant", 3, 10)
    1.0
    >>> round(schedule_factor("cosine", 100, 100), 2)
    0.01
    """
    if schedule == "constant":
        return 1.0
    warm = min(1.0, (epoch + 1) / max(1.0, n_epochs / 20))
    fallen = 0.5 * (1 + math.cos(math.pi * min(1.0, epoch / max(1, n_epochs))))
    return warm * (0.01 + 0.99 * fallen)
