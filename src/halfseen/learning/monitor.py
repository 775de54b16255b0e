"""What training is judged by: entries put aside or, to reproduce the paper, an oracle."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from halfseen.learning.epoch import padded_rows
from halfseen.learning.held_out import HeldOut
from halfseen.learning.one_thread import one_thread
from halfseen.machine.compilation_cache import QUICKLY_COMPILED
from halfseen.machine.mean_field import swept_mean
from halfseen.machine.namespace_of import namespace_of
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer
from halfseen.tables import EncodedTable

_SMALLEST_PROBABILITY = 1e-6


class Losses(NamedTuple):
    """The smaller the better; each of shape (n_replicas,), NaN where there is nothing to judge."""

    total: NDArray[np.float64]
    features: NDArray[np.float64]
    labels: NDArray[np.float64]


class Monitor(Protocol):
    """Judges machines in training."""

    def losses(self, machines: BoltzmannParameters) -> Losses:
        """Losses of all machines of the replica axis."""
        ...


class HeldOutMonitor:
    """Loss of completing the entries that were put aside.

    Half the squared error in standard units for numbers, log-loss for the rest; means over feature
    entries and over label entries, added.

    Parameters
    ----------
    layer : VisibleLayer
        The kinds of the visible units.
    table : EncodedTable
        The table.
    held_out : HeldOut
        What was put aside.
    is_target_unit : ndarray of bool, of shape (n_visible,)
        True for units of target columns.
    marginals : ndarray of shape (n_visible,)
        Where completion starts.
    n_sweeps : int
        Sweeps of completion.
    """

    def __init__(
        self,
        layer: VisibleLayer,
        table: EncodedTable,
        held_out: HeldOut,
        is_target_unit: NDArray[np.bool_],
        marginals: NDArray[np.float32],
        n_sweeps: int = 10,
    ) -> None:
        self.layer = layer
        self.n_sweeps = n_sweeps
        self.marginals = jax.device_put(marginals)
        self.is_target_unit = jax.device_put(is_target_unit)
        n_judged = len(held_out.judged_rows)
        padding = [(0, padded_rows(n_judged) - n_judged), (0, 0)]
        visible, observed = table.rows(held_out.judged_rows)
        self.visible = jax.device_put(np.pad(np.where(observed, visible, 0), padding))
        self.training = jax.device_put(np.pad(observed & ~held_out.judging, padding))
        self.judging = jax.device_put(np.pad(held_out.judging, padding))
        self.judges_features = bool(held_out.judging[:, ~is_target_unit].any())
        self.judges_labels = bool(held_out.judging[:, is_target_unit].any())

    def losses(self, machines: BoltzmannParameters) -> Losses:
        """Losses of all machines of the replica axis."""
        judged = self.visible, self.training, self.judging, self.is_target_unit, self.marginals
        shape: dict[str, Any] = {"layer": self.layer, "n_sweeps": self.n_sweeps}
        if isinstance(machines.weights, np.ndarray):
            features, labels = _losses_on_host(machines, jax.device_get(judged), **shape)
        else:
            features, labels = _held_out_losses(machines, *judged, **shape)
        of_features, of_labels = np.asarray(features, float), np.asarray(labels, float)
        total = np.zeros_like(of_features)
        for term, there in ((of_features, self.judges_features), (of_labels, self.judges_labels)):
            total = total + term if there else total
        return Losses(total, of_features, of_labels)

    @property
    def judges_anything(self) -> bool:
        """False where the table was too small to put anything aside."""
        return self.judges_features or self.judges_labels


@partial(jax.jit, static_argnames=("layer", "n_sweeps"), compiler_options=QUICKLY_COMPILED)
def _held_out_losses(
    machines: BoltzmannParameters,
    visible: jax.Array,
    training: jax.Array,
    judging: jax.Array,
    is_target_unit: jax.Array,
    marginals: jax.Array,
    *,
    layer: VisibleLayer,
    n_sweeps: int,
) -> tuple[jax.Array, jax.Array]:
    def one(parameters: BoltzmannParameters) -> tuple[jax.Array, jax.Array]:
        judged = visible, training, judging, is_target_unit, marginals
        return completion_losses(parameters, *judged, layer=layer, n_sweeps=n_sweeps)

    return jax.lax.map(one, machines)  # type: ignore[no-any-return]


def _losses_on_host(
    machines: BoltzmannParameters,
    judged: tuple[Any, ...],
    *,
    layer: VisibleLayer,
    n_sweeps: int,
) -> tuple[list[jax.Array], list[jax.Array]]:
    with one_thread, np.errstate(all="ignore"):  # what runs away is told by its losses
        pairs = [
            completion_losses(machine, *judged, layer=layer, n_sweeps=n_sweeps)
            for machine in map(BoltzmannParameters, *machines)
        ]
    return [features for features, _ in pairs], [labels for _, labels in pairs]


def completion_losses(
    parameters: BoltzmannParameters,
    visible: jax.Array,
    training: jax.Array,
    judging: jax.Array,
    is_target_unit: jax.Array,
    marginals: jax.Array,
    *,
    layer: VisibleLayer,
    n_sweeps: int,
) -> tuple[jax.Array, jax.Array]:
    """Mean loss of completing the judged features, and that of the judged labels, by a machine."""
    completed = swept_mean(parameters, layer, visible, training, marginals, n_sweeps)
    of_unit = entry_losses(layer, visible, completed)

    def mean_loss(counted: jax.Array) -> jax.Array:
        xp = namespace_of(of_unit)
        total: jax.Array = xp.where(counted, of_unit, 0.0).sum()
        return total / layer.observed_blocks(counted).sum()

    return mean_loss(judging & ~is_target_unit), mean_loss(judging & is_target_unit)


def entry_losses(layer: VisibleLayer, visible: jax.Array, completed: jax.Array) -> jax.Array:
    """Loss of every unit's prediction; the loss of a softmax group is the sum over its units."""
    gaussian, bernoulli, softmax = layer.split(visible)
    gaussian_mean, bernoulli_mean, softmax_mean = layer.split(completed)
    xp = namespace_of(completed)
    inner = xp.clip(bernoulli_mean, _SMALLEST_PROBABILITY, 1 - _SMALLEST_PROBABILITY)
    losses: jax.Array = xp.concatenate(
        [
            0.5 * (gaussian - gaussian_mean) ** 2,
            -bernoulli * xp.log(inner) - (1 - bernoulli) * xp.log1p(-inner),
            -softmax * xp.log(xp.maximum(softmax_mean, _SMALLEST_PROBABILITY)),
        ],
        axis=-1,
    )
    return losses


class OracleMonitor:
    """The paper's stopping rule: the transductive AUC of the labels that are to be predicted.

    It looks at the very labels that are scored afterwards, and serves only to reproduce the paper's
    tables. The loss is one minus the AUC pooled over all hidden label units.

    Parameters
    ----------
    layer : VisibleLayer
        The kinds of the visible units.
    visible, observed : ndarray of shape (n_rows, n_visible)
        The table in training.
    truth : ndarray of shape (n_rows, n_visible)
        True values of label units.
    judging : ndarray of bool, of shape (n_rows, n_visible)
        True for label units that are hidden in training and known to the oracle.
    marginals : ndarray of shape (n_visible,)
        Where completion starts.
    n_sweeps : int
        Sweeps of completion.
    """

    def __init__(
        self,
        layer: VisibleLayer,
        visible: NDArray[np.float32],
        observed: NDArray[np.bool_],
        truth: NDArray[np.float32],
        judging: NDArray[np.bool_],
        marginals: NDArray[np.float32],
        n_sweeps: int = 10,
    ) -> None:
        if np.unique(truth[judging]).size < 2:
            raise ValueError(
                "the oracle knows no hidden label of both values, so there is no AUC to stop on; "
                'use stopping="held_out"'
            )
        rows = np.flatnonzero(judging.any(axis=1))
        self.layer = layer
        self.n_sweeps = n_sweeps
        self.visible = jnp.asarray(np.where(observed, visible, 0)[rows])
        self.observed = jnp.asarray(observed[rows])
        self.marginals = jnp.asarray(marginals)
        self.judging = judging[rows]
        self.truth = truth[rows][self.judging]

    def losses(self, machines: BoltzmannParameters) -> Losses:
        """One minus the AUC of every machine of the replica axis."""
        completed = _completed(
            machines,
            self.visible,
            self.observed,
            self.marginals,
            layer=self.layer,
            n_sweeps=self.n_sweeps,
        )
        scores = np.asarray(completed)[:, self.judging]
        losses = np.array([self._loss(score) for score in scores])
        return Losses(losses, np.full(len(losses), np.nan), losses)

    def _loss(self, score: NDArray[np.float32]) -> float:
        if not np.all(np.isfinite(score)):
            return float("nan")
        return 1.0 - float(roc_auc_score(self.truth, score))


@partial(jax.jit, static_argnames=("layer", "n_sweeps"))
def _completed(
    machines: BoltzmannParameters,
    visible: jax.Array,
    observed: jax.Array,
    marginals: jax.Array,
    *,
    layer: VisibleLayer,
    n_sweeps: int,
) -> jax.Array:
    def one(parameters: BoltzmannParameters) -> jax.Array:
        return swept_mean(parameters, layer, visible, observed, marginals, n_sweeps)

    return jax.lax.map(one, machines)  # type: ignore[no-any-return]
