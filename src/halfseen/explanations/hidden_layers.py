"""The hidden layers of a model's machines, as explanations read them."""

from __future__ import annotations

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from halfseen.estimators.ensemble import Ensemble
from halfseen.estimators.fitted_machine import FittedMachine
from halfseen.estimators.rbm_base import RBMBase
from halfseen.machine.binned_units import interpolated
from halfseen.tables import Schema


@dataclass(frozen=True)
class HiddenLayers:
    """The hidden layers of a model's machines, in double precision.

    Machines of an ensemble have, beside the units of the schema, the knots of every number.

    Attributes
    ----------
    weights : ndarray of shape (n_machines, n_units, n_hidden)
        Of units and knots.
    hidden_bias : ndarray of shape (n_machines, n_hidden)
        Of the hidden units.
    visible_scale : ndarray of shape (n_machines, n_visible)
        What an input of 1 moves a unit by: the variance of a Gaussian unit, 1 for all else.
    missing_weights : ndarray of shape (n_machines, n_visible, n_hidden) or None
        Of mask units.
    is_feature : ndarray of bool, shape (n_visible,)
        Which units belong to features: of these alone there are mask units.
    average : ndarray of shape (n_visible,)
        The average row.
    knots : ndarray of shape (n_gaussian, n_knots)
        Places of the knots; of no columns where there are none.
    """

    weights: NDArray[np.float64]
    hidden_bias: NDArray[np.float64]
    visible_scale: NDArray[np.float64]
    missing_weights: NDArray[np.float64] | None
    is_feature: NDArray[np.bool_]
    average: NDArray[np.float64]
    knots: NDArray[np.float32]

    @property
    def n_machines(self) -> int:
        """Number of machines."""
        return len(self.weights)

    def widened(self, visible: NDArray[np.floating]) -> NDArray[np.float64]:
        """One row (n_visible,) as units and knots, (n_units,)."""
        units = visible.astype(np.float64)
        n_gaussian, n_knots = self.knots.shape
        if not n_knots:
            return units
        shares = interpolated(jnp.asarray(units[None, :n_gaussian]), jnp.asarray(self.knots))
        return np.concatenate([units, np.asarray(shares, np.float64).reshape(-1)])

    def activation(
        self, visible: NDArray[np.floating], observed: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """P(h_j = 1 | v) of one completed row, of shape (n_machines, n_hidden)."""
        inputs = np.einsum("u,muh->mh", self.widened(visible), self.weights) + self.hidden_bias
        if self.missing_weights is not None:
            missing = (~observed & self.is_feature).astype(np.float64)
            inputs = inputs + np.einsum("u,muh->mh", missing, self.missing_weights)
        activation: NDArray[np.float64] = np.exp(-np.logaddexp(0.0, -inputs))
        return activation

    def usual_activation(self) -> NDArray[np.float64]:
        """The same of the average row, nothing of which is missing."""
        return self.activation(self.average, np.ones(len(self.average), bool))

    def moved_by(
        self, before: NDArray[np.floating], after: NDArray[np.floating]
    ) -> NDArray[np.float64]:
        """Change of every hidden input by every visible unit, (n_machines, n_visible, n_hidden)."""
        change = (self.widened(after) - self.widened(before))[:, None] * self.weights
        of_unit = np.zeros((self.n_machines, len(self.average), self.weights.shape[2]))
        unit = np.arange(len(self.average))
        owner = np.concatenate([unit, np.repeat(unit[: len(self.knots)], self.knots.shape[1])])
        for machine in range(self.n_machines):
            np.add.at(of_unit[machine], owner, change[machine])
        return of_unit


def hidden_layers(model: RBMBase) -> HiddenLayers:
    """The hidden layers of the likelihood-trained machines; of the ensemble if there are none."""
    check_is_fitted(model)
    if model.machine_ is not None:
        return _of_machine(model.schema_, model.machine_)
    if model.prediction_ is None:
        raise ValueError("this model holds no machine; fit it again")
    return _of_ensemble(model.schema_, model.prediction_.ensemble)


def _of_machine(schema: Schema, machine: FittedMachine) -> HiddenLayers:
    scale = np.ones((len(machine.weights), schema.n_visible))
    scale[:, : schema.n_gaussian] = np.exp(machine.log_variance.astype(np.float64))
    return HiddenLayers(
        machine.weights.astype(np.float64),
        machine.hidden_bias.astype(np.float64),
        scale,
        None,
        ~schema.is_target_unit,
        schema.marginals,
        np.zeros((schema.n_gaussian, 0), np.float32),
    )


def _of_ensemble(schema: Schema, ensemble: Ensemble) -> HiddenLayers:
    sees_missing = ensemble.shape.sees_missing
    return HiddenLayers(
        ensemble.weights.astype(np.float64),
        ensemble.hidden_bias.astype(np.float64),
        np.ones((len(ensemble.weights), schema.n_visible)),
        ensemble.missing_weights.astype(np.float64) if sees_missing else None,
        ~schema.is_target_unit,
        schema.marginals,
        ensemble.knots,
    )
