"""What the networks among the baselines share: scaling, completion in chunks, new rows."""

from __future__ import annotations

from abc import abstractmethod

import jax
import numpy as np
from numpy.typing import NDArray

from halfseen.baselines._column_scaling import ColumnScaling
from halfseen.baselines._network_table import (
    NetworkOutput,
    NetworkTable,
    completed_in_chunks,
    network_table,
)
from halfseen.baselines.baseline import Baseline, CompletedTable, with_observed

SHARES = ("held_out", "dropout", "encoder_drop")


class NetworkBaseline(Baseline):
    """A network that is trained on a table and then completes rows, old or new, a chunk at a time.

    A label that was never observed scores 0.5 in every row; a column of features that was never
    observed is filled with 0.
    """

    random_state: int

    @abstractmethod
    def _scaling_of(self, X: NDArray[np.float64]) -> ColumnScaling:
        """How columns are brought to the range of the network."""

    @abstractmethod
    def _train(self, table: NetworkTable, generator: np.random.Generator, key: jax.Array) -> None:
        """Train on the scaled table.

        Starts and the order of rows come from the generator, draws on the device from the key.
        """

    @abstractmethod
    def _output(self, table: NetworkTable, key: jax.Array) -> NetworkOutput:
        """What the trained network says about all entries of some rows."""

    def _fit(self, X: NDArray[np.float64], Y: NDArray[np.float64]) -> None:
        self._check_settings()
        self._X, self._Y = X, Y
        self._scaling = self._scaling_of(X)
        self._label_seen = ~np.isnan(Y).all(axis=0)
        key = jax.random.key(self.random_state)
        self._output_key = jax.random.fold_in(key, 1)
        self._train(
            network_table(X, Y, self._scaling),
            np.random.default_rng(self.random_state),
            jax.random.fold_in(key, 0),
        )

    def _complete(self) -> CompletedTable:
        return with_observed(self._X, self._Y, *self._completed(self._X, self._Y))

    def _predict_scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        unknown = np.full((len(X), self.n_labels_), np.nan)
        return self._completed(X, unknown)[1]

    def complete_new(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Features of new rows, missing ones filled."""
        unknown = np.full((len(X), self.n_labels_), np.nan)
        return np.where(np.isnan(X), self._completed(X, unknown)[0], X)

    def _completed(
        self, X: NDArray[np.float64], Y: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        features, scores = completed_in_chunks(self._output, X, Y, self._scaling, self._output_key)
        return features, np.where(self._label_seen, scores, 0.5)

    def _check_settings(self) -> None:
        """Refuse settings that cannot work; each network adds its own."""
        for name, value in self.get_params().items():
            if name.startswith(("n_", "batch_size", "patience")) and value < 1:
                raise ValueError(f"{name} must be at least 1, got {value!r}")
            if name in SHARES and not 0 <= value < 1:
                raise ValueError(f"{name} is a share, at least 0 and below 1, got {value!r}")
