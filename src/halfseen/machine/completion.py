"""Completing rows: several restarts of one method, averaged into one answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import jax
import jax.numpy as jnp

from halfseen.machine.gibbs import pinned
from halfseen.machine.gibbs_average import gibbs_average
from halfseen.machine.mean_field import FixedPoint, mean_field
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.second_order import second_order
from halfseen.machine.visible_layer import VisibleLayer

CompletionMethod = Literal["mean_field", "second_order", "gibbs"]
Averaging = Literal["equal", "free_energy"]


@dataclass(frozen=True)
class CompletionSettings:
    """How missing entries are found.

    Parameters
    ----------
    method : {"mean_field", "second_order", "gibbs"}
        The paper's equations (11)-(13), their second order (TAP), or averaged Gibbs chains.
    n_sweeps : int
        The most sweeps of the equations; for "gibbs" the steps averaged, after half as many that
        are left out.
    tolerance : float
        A row rests when no entry moves by more.
    damping : float in [0, 1)
        Share of the old value kept in every sweep.
    averaging : {"equal", "free_energy"}
        Fixed points averaged equally (the paper), or by exp(-F) of their mean-field free energy.
        Gibbs chains are always averaged equally.
    """

    method: CompletionMethod = "mean_field"
    n_sweeps: int = 50
    tolerance: float = 1e-4
    damping: float = 0.0
    averaging: Averaging = "free_energy"


def complete(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    settings: CompletionSettings,
    visible: jax.Array,
    observed: jax.Array,
    restarts: jax.Array,
    key: jax.Array,
) -> jax.Array:
    """Expected value of every entry given the observed ones of its row.

    Parameters
    ----------
    parameters : BoltzmannParameters
        One machine.
    layer : VisibleLayer
        The kinds of its visible units.
    settings : CompletionSettings
        The method, its sweeps and the averaging.
    visible, observed : jax.Array of shape (n_rows, n_visible)
        The rows; what stands at missing entries is not read.
    restarts : jax.Array of shape (n_restarts, n_visible)
        The start configurations, the same for every row.
    key : jax.Array
        Random key, used by "gibbs" only and in the same way for every row.

    Returns
    -------
    jax.Array of shape (n_rows, n_visible)
        Observed entries at their values.

    Examples
    --------
    >>> layer = VisibleLayer(n_gaussian=0, n_bernoulli=2)
    >>> theta = BoltzmannParameters(jnp.zeros((2, 3)), jnp.zeros(2), jnp.zeros(3), jnp.zeros(0))
    >>> complete(theta, layer, CompletionSettings(), jnp.ones((1, 2)),
    ...          jnp.array([[True, False]]), jnp.zeros((4, 2)), jax.random.key(0)).tolist()
    [[1.0, 0.5]]
    """
    complete_by = _METHODS[settings.method]
    return complete_by(parameters, layer, settings, visible, observed, restarts, key)


def complete_by_machines(
    machines: BoltzmannParameters,
    layer: VisibleLayer,
    settings: CompletionSettings,
    visible: jax.Array,
    observed: jax.Array,
    restarts: jax.Array,
    key: jax.Array,
) -> jax.Array:
    """The mean of :func:`complete` over machines stacked on the first axis of every leaf."""

    def by_one(parameters: BoltzmannParameters) -> jax.Array:
        return complete(parameters, layer, settings, visible, observed, restarts, key)

    if machines.hidden_bias.shape[0] == 1:
        return by_one(jax.tree.map(lambda leaf: leaf[0], machines))
    return pinned(visible, observed, jnp.mean(jax.lax.map(by_one, machines), axis=0))


def average_fixed_points(points: FixedPoint, averaging: Averaging) -> jax.Array:
    """Fixed points of several restarts (first axis) to one visible mean."""
    if averaging == "equal":
        return jnp.mean(points.visible_mean, axis=0)
    weight = jax.nn.softmax(-points.free_energy, axis=0)
    return jnp.sum(weight[..., None] * points.visible_mean, axis=0)


_Completer = Callable[
    [
        BoltzmannParameters,
        VisibleLayer,
        CompletionSettings,
        jax.Array,
        jax.Array,
        jax.Array,
        jax.Array,
    ],
    jax.Array,
]


def _by_fixed_points(solve: Callable[..., FixedPoint]) -> _Completer:
    def complete_by(
        parameters: BoltzmannParameters,
        layer: VisibleLayer,
        settings: CompletionSettings,
        visible: jax.Array,
        observed: jax.Array,
        restarts: jax.Array,
        key: jax.Array,
    ) -> jax.Array:
        points = solve(
            parameters,
            layer,
            visible,
            observed,
            restarts[:, None, :],
            n_sweeps=settings.n_sweeps,
            tolerance=settings.tolerance,
            damping=settings.damping,
        )
        return pinned(visible, observed, average_fixed_points(points, settings.averaging))

    return complete_by


def _by_gibbs(
    parameters: BoltzmannParameters,
    layer: VisibleLayer,
    settings: CompletionSettings,
    visible: jax.Array,
    observed: jax.Array,
    restarts: jax.Array,
    key: jax.Array,
) -> jax.Array:
    return gibbs_average(
        parameters,
        layer,
        visible,
        observed,
        restarts,
        key,
        n_burn_in=settings.n_sweeps // 2,
        n_steps=settings.n_sweeps,
    )


_METHODS: dict[CompletionMethod, _Completer] = {
    "mean_field": _by_fixed_points(mean_field),
    "second_order": _by_fixed_points(second_order),
    "gibbs": _by_gibbs,
}
