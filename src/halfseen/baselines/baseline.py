"""What a baseline is: fit on what is observed, complete it, and predict new rows where it can.

The simplest one stands here too, with the scales and draws of entries that all of them share.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

TargetKind = Literal["labels", "classes"]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

# A spread below this share of a column's size is rounding, not variation.
_ROUNDING = 1e-10


class CompletedTable(NamedTuple):
    """Features and label scores of all rows.

    Observed features come back as they were. Scores are larger for labels that are more likely;
    where ``Baseline.gives_probabilities``, they lie in [0, 1], and observed labels score 0 or 1.
    """

    features: Floats  # (n_rows, n_features)
    scores: Floats  # (n_rows, n_labels)


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
    ``random_state`` is an int, and the same seed gives the same result.

    Attributes
    ----------
    method : str
        Name of the method in tables.
    inductive : bool
        Whether :meth:`complete` and :meth:`predict_scores` take new rows.
    imputes : bool
        Whether the method itself completes features; if not, ``complete().features`` are column
        means, or come from a completion before it.
    gives_probabilities : bool
        Whether scores are probabilities.
    grid : mapping from parameter name to a sequence of values
        What :func:`~halfseen.baselines.tune` may choose from; empty if there is nothing to choose.
    while_tuning : mapping from parameter name to a value
        Parameters that are cheaper while settings are compared, for instance a smaller ensemble.
    """

    method: ClassVar[str]
    inductive: ClassVar[bool] = True
    imputes: ClassVar[bool] = True
    gives_probabilities: ClassVar[bool] = True
    grid: ClassVar[Mapping[str, Sequence[Any]]] = {}
    while_tuning: ClassVar[Mapping[str, Any]] = {}

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
        self._table, self.target_ = (features, labels), target
        self.n_features_in_ = features.shape[1]
        self.n_labels_ = labels.shape[1]
        self._fit(features, labels)
        return self

    def complete(self, X: Any = None) -> CompletedTable:
        """Features and label scores of new rows, complete or not; else of those that were fitted.

        Raises
        ------
        NotInductive
            If there are new rows and the method cannot.
        """
        if X is None:
            return with_observed(*self._table, *self._completed_fitted())
        if not self.inductive:
            raise NotInductive(self.method)
        features = checked_features(X)
        if features.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {features.shape[1]} features, but {self.method} was fitted on "
                f"{self.n_features_in_}"
            )
        unknown = np.full((len(features), self.n_labels_), np.nan)
        return with_observed(features, unknown, *self._completed(features, unknown))

    def predict_scores(self, X: Any) -> Floats:
        """Label scores of new rows, of shape (n_rows, n_labels), as :meth:`complete` gives them."""
        return self.complete(X).scores

    @abstractmethod
    def _fit(self, X: Floats, Y: Floats) -> None: ...

    @abstractmethod
    def _completed(self, X: Floats, Y: Floats) -> tuple[Floats, Floats]:
        """Features and label scores of any rows; observed ones are put back."""

    def _completed_fitted(self) -> tuple[Floats, Floats]:
        """The same of the rows that were fitted, where more is known of them."""
        return self._completed(*self._table)


def checked_features(X: Any) -> Floats:
    """X as finite float64 numbers and NaN, or an error that names the column and row."""
    features = np.array(X, dtype=np.float64)
    if features.ndim != 2 or 0 in features.shape:
        raise ValueError(f"X must be a table of rows and columns, got shape {features.shape}")
    for row, column in np.argwhere(np.isinf(features)):
        place = f"row {row}, column {column}"
        raise ValueError(f"X holds an infinite value in {place}; write NaN if it is missing")
    return features


def checked_table(X: Any, Y: Any, target: TargetKind) -> tuple[Floats, Floats]:
    """Features and labels that fit each other, or an error that says what does not."""
    features = checked_features(X)
    labels = np.array(Y, dtype=np.float64)
    if labels.ndim != 2 or len(labels) != len(features) or labels.shape[1] == 0:
        raise ValueError(
            f"Y must be a matrix with one row for each of the {len(features)} rows of X and one "
            f"column per label, got shape {labels.shape}"
        )
    known = ~np.isnan(labels)
    for row, column in np.argwhere(known & (labels != 0) & (labels != 1)):
        raise ValueError(
            f"labels are 0, 1 or NaN, but Y holds {labels[row, column]!r} in row {row}, column "
            f"{column}; code classes one-hot"
        )
    if not known.any():
        raise ValueError("Y has no observed label; at least one is needed")
    if target not in ("labels", "classes"):
        raise ValueError(f'target must be "labels" or "classes", got {target!r}')
    if target == "classes":
        is_class = known.all(axis=1) & (np.nansum(labels, axis=1) == 1)
        for row in np.flatnonzero(known.any(axis=1) & ~is_class):
            raise ValueError(
                f"row {row} of Y is not one class: with target='classes' a row is one-hot or NaN "
                "altogether"
            )
    return features, labels


def with_observed(X: Floats, Y: Floats, features: Floats, scores: Floats) -> CompletedTable:
    """Predictions with every observed entry put back as it was."""
    return CompletedTable(np.where(np.isnan(X), features, X), np.where(np.isnan(Y), scores, Y))


class ColumnScale(NamedTuple):
    """What a column is shifted and divided by.

    >>> scale = observed_scale(np.array([[1.0, 5.0], [3.0, np.nan]]))
    >>> scale.standardised(np.array([[1.0, 6.0]])), scale.restored(np.array([[-1.0, 1.0]]))
    (array([[-1.,  1.]]), array([[1., 6.]]))
    """

    offset: Floats  # (n_columns,)
    spread: Floats  # (n_columns,), positive

    def standardised(self, table: Floats) -> Floats:
        """The table in units of spread around the offset; NaN stays NaN."""
        return (table - self.offset) / self.spread

    def restored(self, table: Floats) -> Floats:
        """The table back in its own units."""
        return table * self.spread + self.offset


def observed_scale(table: Floats) -> ColumnScale:
    """Mean and standard deviation over what is observed in each column.

    A column without observed entries has mean 0, and one without variation has spread 1.
    """
    observed = ~np.isnan(table)
    n_observed = np.maximum(observed.sum(axis=0), 1)
    mean = np.where(observed, table, 0.0).sum(axis=0) / n_observed
    deviation = np.where(observed, table - mean, 0.0)
    spread = np.sqrt((deviation**2).sum(axis=0) / n_observed)
    return ColumnScale(mean, np.where(spread > _ROUNDING * np.abs(mean), spread, 1.0))


def label_frequency(Y: Floats) -> Floats:
    """The share of ones among the observed entries of each label, 0.5 where there are none.

    >>> label_frequency(np.array([[1.0, 0.0, np.nan], [0.0, np.nan, np.nan]]))
    array([0.5, 0. , 0.5])
    """
    n_observed = (~np.isnan(Y)).sum(axis=0)
    return np.where(n_observed > 0, np.nansum(Y, axis=0) / np.maximum(n_observed, 1), 0.5)


def held_out_entries(
    observed: Bools, share: float, generator: np.random.Generator, by_row: bool = False
) -> Bools:
    """A share of the observed entries, at least one; whole rows if `by_row`.

    Drawn among the observed ones by number: drawing every entry anew with a seed that also hid
    entries from the table would pick those very entries, and hold out none.
    """
    candidates = observed[:, :1] if by_row else observed
    places = np.flatnonzero(candidates)
    chosen = generator.choice(
        places, size=min(len(places), max(1, round(share * len(places)))), replace=False
    )
    held_out = np.zeros(candidates.size, dtype=bool)
    held_out[chosen] = True
    return np.broadcast_to(held_out.reshape(candidates.shape), observed.shape)


class ColumnPrior(Baseline):
    """Every missing feature is its column's observed mean, every unknown label its frequency.

    Its pooled AUC shows what is only due to some labels being more frequent than others.

    Examples
    --------
    >>> X, Y = [[1.0, 2.0], [3.0, None], [None, 4.0]], [[1, 0], [None, 0], [0, None]]
    >>> features, scores = ColumnPrior().fit(X, Y).complete()
    >>> features.tolist(), scores.tolist()
    ([[1.0, 2.0], [3.0, 3.0], [2.0, 4.0]], [[1.0, 0.0], [0.5, 0.0], [0.0, 0.0]])
    """

    method: ClassVar[str] = "Column prior"

    def _fit(self, X: Floats, Y: Floats) -> None:
        self.feature_means_ = observed_scale(X).offset
        self.label_frequencies_ = label_frequency(Y)

    def _completed(self, X: Floats, Y: Floats) -> tuple[Floats, Floats]:
        return self.feature_means_, self.label_frequencies_
