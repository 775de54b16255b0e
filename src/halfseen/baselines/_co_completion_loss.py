"""The smooth part that MC-1 and COCO share: a logistic loss on labels, squares on features."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit


class CoCompletionLoss(NamedTuple):
    """Loss of ``Z = [labels, features]`` on the observed entries, each kind averaged.

    ``label_weight / |O_Y| sum log(1 + exp(-y (z + offset))) + 1 / |O_X| sum 1/2 (z - x)^2``, y in
    {-1, +1}. Columns of Z beyond labels and features are free.

    Examples
    --------
    >>> import numpy as np
    >>> loss = CoCompletionLoss.of(np.zeros((1, 1)), np.ones((1, 1), bool), np.array([[1.0]]), 2.0)
    >>> round(loss.value(np.zeros((1, 2))), 4)
    1.3863
    >>> loss.gradient(np.zeros((1, 2)))
    array([[-1.,  0.]])
    """

    signs: NDArray[np.float64]  # (n_rows, n_labels), -1 or +1, and 0 where unknown
    features: NDArray[np.float64]  # (n_rows, n_features), 0 where missing
    observed_features: NDArray[np.bool_]  # (n_rows, n_features)
    offset: NDArray[np.float64]  # (n_labels,)
    label_weight: float

    @classmethod
    def of(
        cls,
        features: NDArray[np.float64],
        observed_features: NDArray[np.bool_],
        Y: NDArray[np.float64],
        label_weight: float,
        offset: NDArray[np.float64] | None = None,
    ) -> Self:
        """The loss of a table; labels are 0, 1 or NaN."""
        signs = np.where(np.isnan(Y), 0.0, 2.0 * np.where(np.isnan(Y), 0.5, Y) - 1.0)
        if offset is None:
            offset = np.zeros(Y.shape[1])
        return cls(signs, features, observed_features, offset, label_weight)

    @property
    def per_label(self) -> float:
        """Weight of one observed label."""
        return self.label_weight / max(int(np.count_nonzero(self.signs)), 1)

    @property
    def per_feature(self) -> float:
        """Weight of one observed feature."""
        return 1.0 / max(int(np.count_nonzero(self.observed_features)), 1)

    @property
    def lipschitz(self) -> float:
        """Lipschitz constant of the gradient."""
        return max(0.25 * self.per_label, self.per_feature)

    def value(self, Z: NDArray[np.float64]) -> float:
        """The loss at Z."""
        n_labels, n_features = self.signs.shape[1], self.features.shape[1]
        margin = self.signs * (Z[:, :n_labels] + self.offset)
        error = np.where(
            self.observed_features, Z[:, n_labels : n_labels + n_features] - self.features, 0.0
        )
        of_labels = np.logaddexp(0.0, -margin)[self.signs != 0].sum()
        return float(self.per_label * of_labels + 0.5 * self.per_feature * np.vdot(error, error))

    def gradient(self, Z: NDArray[np.float64]) -> NDArray[np.float64]:
        """The gradient at Z, zero where nothing is observed, of the shape of Z."""
        n_labels, n_features = self.signs.shape[1], self.features.shape[1]
        margin = self.signs * (Z[:, :n_labels] + self.offset)
        gradient = np.zeros_like(Z)
        gradient[:, :n_labels] = -self.per_label * self.signs * expit(-margin)
        of_features = gradient[:, n_labels : n_labels + n_features]
        np.subtract(
            Z[:, n_labels : n_labels + n_features],
            self.features,
            out=of_features,
            where=self.observed_features,
        )
        of_features *= self.per_feature
        return gradient
