"""What a baseline is: fit on what is observed, complete it, and predict new rows where it can."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

TargetKind = Literal["labels", "classes"]


class CompletedTable(NamedTuple):
    """Features and label scores of all rows.

    Observed features come back as they were. Scores are larger for labels that are more likely;
    where ``Baseline.gives_probabilities``, they lie in [0, 1], and observed labels score 0 or 1.
    """

    features: NDArray[np.float64]  # (n_rows, n_features)
    scores: NDArray[np.float64]  # (n_rows, n_labels)


class NotInductive(NotImplementedError):
    """The method completes the rows it was fitted on and no others."""

    def __init__(self, method: str) -> None:
        super().__init__(
            f"{method} is transductive only: it has no answer for rows it was not fitted on; "
            "fit it on old and new rows together and call complete()"
        )


class Baseline(BaseEstimator, ABC):  # type: ignore[misc]
    """One method to compare against.

    A table of numbers with NaN where a feature is missing, and a matrix of labels with NaN where a
    label is unknown. Classes are coded one-hot, and then a whole row of labels is unknown together.

    Every parameter is set in the constructor and has a default; ``random_state`` is an int, and the
    same seed gives the same result. What lies behind a missing entry is never read: it is NaN.

    Attributes
    ----------
    method : str
        Name of the method in tables.
    inductive : bool
        Whether :meth:`predict_scores` answers for new rows.
    imputes : bool
        Whether the method itself completes features; if False, ``complete().features`` comes from
        the completion before it, and says so in ``feature_source``.
    gives_probabilities : bool
        Whether scores are probabilities.
    grid : mapping from parameter name to a sequence of values
        What :func:`~halfseen.baselines.tune` may choose from; empty if there is nothing to choose.
    """

    method: ClassVar[str]
    inductive: ClassVar[bool] = True
    imputes: ClassVar[bool] = True
    gives_probabilities: ClassVar[bool] = True
    feature_source: ClassVar[str] = "the method itself"
    grid: ClassVar[Mapping[str, Sequence[Any]]] = {}

    def fit(self, X: Any, Y: Any, target: TargetKind = "labels") -> Self:
        """Fit on everything observed.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Numbers, NaN where missing.
        Y : array-like of shape (n_rows, n_labels)
            0, 1, or NaN where unknown.
        target : {"labels", "classes"}, default="labels"
            Whether a row may have any number of labels, or is of exactly one class.

        Returns
        -------
        self
        """
        features, labels = checked_table(X, Y, target)
        self.target_ = target
        self.n_features_in_ = features.shape[1]
        self.n_labels_ = labels.shape[1]
        self._fit(features, labels)
        return self

    def complete(self) -> CompletedTable:
        """Features and label scores of the rows that were fitted, transductive."""
        return self._complete()

    def predict_scores(self, X: Any) -> NDArray[np.float64]:
        """Label scores of new rows, complete or not, of shape (n_rows, n_labels).

        Raises
        ------
        NotInductive
            If the method cannot.
        """
        if not self.inductive:
            raise NotInductive(self.method)
        features = checked_features(X)
        if features.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {features.shape[1]} features, but {self.method} was fitted on "
                f"{self.n_features_in_}"
            )
        return self._predict_scores(features)

    def complete_new(self, X: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Features of new rows, missing ones filled; None from a method that cannot."""
        return None

    def interval(self, X: NDArray[np.float64], coverage: float) -> NDArray[np.float64] | None:
        """Bounds of features, of shape (n_rows, n_features, 2); None from a method without any."""
        return None

    @abstractmethod
    def _fit(self, X: NDArray[np.float64], Y: NDArray[np.float64]) -> None: ...

    @abstractmethod
    def _complete(self) -> CompletedTable: ...

    def _predict_scores(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        raise NotInductive(self.method)


def checked_features(X: Any) -> NDArray[np.float64]:
    """X as finite float64 numbers and NaN, or an error that names the column and row.

    Examples
    --------
    >>> checked_features([[1, None], [2, 3]])
    array([[ 1., nan],
           [ 2.,  3.]])
    """
    features = np.array(X, dtype=np.float64)
    if features.ndim != 2 or 0 in features.shape:
        raise ValueError(f"X must be a table of rows and columns, got shape {features.shape}")
    rows, columns = np.nonzero(np.isinf(features))
    if len(rows):
        raise ValueError(
            f"X holds an infinite value in row {rows[0]}, column {columns[0]}; "
            "write NaN if it is missing"
        )
    return features


def checked_table(
    X: Any, Y: Any, target: TargetKind
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Features and labels that fit each other, or an error that says what does not."""
    features = checked_features(X)
    labels = np.array(Y, dtype=np.float64)
    if labels.ndim != 2 or len(labels) != len(features) or labels.shape[1] == 0:
        raise ValueError(
            f"Y must be a matrix with one row for each of the {len(features)} rows of X and one "
            f"column per label, got shape {labels.shape}"
        )
    known = ~np.isnan(labels)
    rows, columns = np.nonzero(known & (labels != 0) & (labels != 1))
    if len(rows):
        raise ValueError(
            f"labels are 0, 1 or NaN, but Y holds {labels[rows[0], columns[0]]!r} in row "
            f"{rows[0]}, column {columns[0]}; code classes one-hot"
        )
    if not known.any():
        raise ValueError("Y has no observed label; at least one is needed")
    if target not in ("labels", "classes"):
        raise ValueError(f'target must be "labels" or "classes", got {target!r}')
    if target == "classes":
        known_of_row = known.sum(axis=1)
        torn = np.flatnonzero((known_of_row > 0) & (known_of_row < labels.shape[1]))
        several = np.flatnonzero(known.all(axis=1) & (np.nansum(labels, axis=1) != 1))
        if len(torn) or len(several):
            row = int(np.concatenate([torn, several])[0])
            raise ValueError(
                f"row {row} of Y is not one class: with target='classes' a row is one-hot or NaN "
                "altogether"
            )
    return features, labels


def with_observed(
    X: NDArray[np.float64],
    Y: NDArray[np.float64],
    features: NDArray[np.float64],
    scores: NDArray[np.float64],
) -> CompletedTable:
    """Predictions with every observed entry put back as it was."""
    return CompletedTable(np.where(np.isnan(X), features, X), np.where(np.isnan(Y), scores, Y))
