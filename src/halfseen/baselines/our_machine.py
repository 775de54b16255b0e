"""Our own estimator behind the baselines' protocol, so that it stands in the same tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines.baseline import Baseline, CompletedTable
from halfseen.estimators import HalfseenClassifier


class OurMachine(Baseline):
    """:class:`halfseen.HalfseenClassifier` with its defaults.

    Parameters
    ----------
    preset : {"default", "paper"}, default="default"
        Where the settings come from.
    effort : {"fast", "default", "best"}, default="default"
        How much work training takes.
    sees_missing : bool, default=False
        Whether mask units tell the machine what is missing.
    further : mapping or None, default=None
        Further parameters of :class:`halfseen.HalfseenClassifier`.
    random_state : int, default=0
        Seed.

    Examples
    --------
    >>> X = np.repeat([[0.0, np.nan], [4.0, 4.0]], 20, axis=0)
    >>> Y = np.repeat([[0.0], [1.0]], 20, axis=0)
    >>> completed = OurMachine().fit(X, Y).complete()
    >>> completed.features.shape, completed.scores.shape
    ((40, 2), (40, 1))
    """

    method: ClassVar[str] = "halfseen"
    grid: ClassVar[dict[str, list[Any]]] = {}

    def __init__(
        self,
        *,
        preset: str = "default",
        effort: str = "default",
        sees_missing: bool = False,
        further: Mapping[str, Any] | None = None,
        random_state: int = 0,
    ) -> None:
        self.preset = preset
        self.effort = effort
        self.sees_missing = sees_missing
        self.further = further
        self.random_state = random_state

    def _fit(self, X: NDArray[np.float64], Y: NDArray[np.float64]) -> None:
        self.X_, self.y_ = X, self._as_target(Y)
        kind = "labels" if self.target_ == "labels" else "classes"
        self.model_ = HalfseenClassifier(
            preset=self.preset,
            effort=self.effort,
            sees_missing=self.sees_missing,
            target_kind=kind,
            random_state=self.random_state,
            **(self.further or {}),
        ).fit(X, self.y_)

    def _complete(self) -> CompletedTable:
        completed = self.model_.complete(self.X_, self.y_)
        return CompletedTable(np.asarray(completed.X), self._as_scores(completed.proba))

    def _predict_scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._as_scores(self.model_.predict_proba(X))

    def complete_new(self, X: Any) -> NDArray[np.float64]:
        """Features of new rows, their holes filled, of shape (n_rows, n_features)."""
        return np.asarray(self.model_.transform(X), dtype=np.float64)

    @property
    def has_intervals(self) -> bool:
        """Whether :meth:`interval` answers at no great cost."""
        return self.preset == "default" and not (self.further or {}).get("objective")

    def interval(self, X: Any, level: float) -> NDArray[np.float64]:
        """Bounds of each number, of shape (n_rows, n_features, 2); NaN where there are none."""
        return np.asarray(self.model_.predict_interval(X, level), dtype=np.float64)

    def _as_target(self, Y: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.target_ == "labels":
            return Y
        known = ~np.isnan(Y[:, 0])
        return np.where(known, np.argmax(np.nan_to_num(Y), axis=1), np.nan)

    def _as_scores(self, probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.target_ == "labels":
            return probabilities
        scores = np.zeros((len(probabilities), self.n_labels_))
        scores[:, self.model_.classes_.astype(int)] = probabilities
        return scores
