"""Losses that early stopping watches: of held-out entries, or the peeking rule of the paper."""

from __future__ import annotations

from typing import NamedTuple, Self

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from halfseen.data.schema import Encoded, Schema
from halfseen.rbm.mean_field import fixed_point
from halfseen.rbm.model import RBM
from halfseen.rbm.units import VisibleLayer

_MAX_ROWS = 4096


class ValidationLoss(NamedTuple):
    """Losses of machines in training: of held-out entries, or of hidden labels."""

    layer: VisibleLayer
    visible: NDArray[np.float32]  # what machines are judged by
    observed: NDArray[np.bool_]  # what they are given
    entries: NDArray[np.bool_]  # what they are asked
    is_target: NDArray[np.bool_]  # (n_units,)
    marginals: NDArray[np.float32]
    by_auc: bool

    @classmethod
    def held_out(
        cls, schema: Schema, training: Encoded, held_out_units: NDArray[np.bool_], seed: int
    ) -> Self:
        """Mean losses of the held-out features and of the held-out targets, added."""
        rows = np.flatnonzero(held_out_units.any(axis=1))
        rows = rows[some_rows(len(rows), seed)]
        is_target = np.isin(np.arange(schema.n_units), schema.target_units)
        return cls(
            layer_of(schema), training.values[rows], training.observed[rows], held_out_units[rows],
            is_target, schema.marginals, False,
        )  # fmt: skip

    @classmethod
    def peeking(
        cls, schema: Schema, known: Encoded, training: Encoded, truth: Encoded | None
    ) -> Self:
        """One minus the AUC of the hidden labels, the rule of the paper; it uses the answers."""
        if truth is None:
            raise ValueError(
                'early_stopping="peeking" needs the true labels: fit(X, y, y_true=...). It is the '
                "rule of the paper and uses the labels that are to be predicted."
            )
        is_target = np.isin(np.arange(schema.n_units), schema.target_units)
        entries = truth.observed & ~known.observed & is_target
        if len(np.unique(truth.values[entries])) < 2:
            raise ValueError("y_true holds no label of both values that y does not know.")
        rows = np.flatnonzero(entries.any(axis=1))
        return cls(
            layer_of(schema), truth.values[rows], training.observed[rows], entries[rows],
            is_target, schema.marginals, True,
        )  # fmt: skip

    def __call__(self, rbms: RBM) -> NDArray[np.float64]:
        """Loss of each machine."""
        means = np.asarray(_mean_field_means(rbms, self.visible, self.observed, self.marginals))
        return np.array([self._loss(mean) for mean in means])

    def _loss(self, mean: NDArray[np.float32]) -> float:
        if self.by_auc:
            truth = self.visible[self.entries] > 0.5
            return 1.0 - float(roc_auc_score(truth, mean[self.entries]))
        losses = np.asarray(self.layer.loss(jnp.asarray(self.visible), jnp.asarray(mean)))
        parts = (self.entries & ~self.is_target, self.entries & self.is_target)
        return float(sum(losses[part].mean() for part in parts if part.any()))


def layer_of(schema: Schema) -> VisibleLayer:
    """The visible layer that a schema lays out."""
    return VisibleLayer(schema.n_gaussian, schema.n_bernoulli, schema.group_sizes)


def some_rows(n_rows: int, seed: int) -> NDArray[np.int64]:
    """All rows, or a random choice of them where there are many."""
    if n_rows <= _MAX_ROWS:
        return np.arange(n_rows)
    return np.sort(np.random.default_rng(seed).choice(n_rows, _MAX_ROWS, replace=False))


@jax.jit
def _mean_field_means(
    rbms: RBM, visible: jax.Array, observed: jax.Array, marginals: jax.Array
) -> jax.Array:
    """Means at the fixed point that the marginals lead to, by machine."""

    def by_machine(rbm: RBM) -> jax.Array:
        start = jnp.broadcast_to(marginals, visible.shape)
        return fixed_point(rbm, visible, observed, start, 10).visible_mean

    means: jax.Array = jax.lax.map(by_machine, rbms)
    return means
