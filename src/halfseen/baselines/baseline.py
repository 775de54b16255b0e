"""What a baseline is: fit on what is observed, complete it, and predict new rows where it can.

The simplest one stands here too, with the scales that all of them share and one tuner for all.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar, Literal, NamedTuple, Self, dataclass_transform

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.metrics import roc_auc_score

TargetKind = Literal["labels", "classes"]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

# A spread below this share of a column's size is rounding, not variation.
_ROUNDING = 1e-10
_TUNING_SHARE, _TUNING_STREAM = 0.15, 15_485_863


class CompletedTable(NamedTuple):
    """Features and label scores of all rows, observed ones as they were.

    Scores are larger for labels that are more likely, and in [0, 1] if they are probabilities.
    """

    features: Floats  # (n_rows, n_features)
    scores: Floats  # (n_rows, n_labels)


class NotInductive(NotImplementedError):
    """The method completes the rows it was fitted on and no others."""


@dataclass_transform(kw_only_default=True, eq_default=False)
class Baseline(BaseEstimator, ABC):  # type: ignore[misc]
    """One method to compare against.

    A table of numbers with NaN where a feature is missing, and a matrix of labels with NaN where a
    label is unknown. Classes are coded one-hot, and then a whole row of labels is unknown together.
    ``random_state`` is an int, and the same seed gives the same result.

    Attributes
    ----------
    method : str
        Name of the method in tables.
    inductive, gives_probabilities : bool
        Whether :meth:`complete` takes new rows; whether scores are probabilities.
    imputes : bool
        Whether the method itself completes features; if not, ``complete().features`` are column
        means, or come from a completion before it.
    grid, while_tuning : mapping from parameter name
        Values that :func:`~halfseen.baselines.tune` may choose from; and a cheaper value of a
        parameter while settings are compared, for instance a smaller ensemble.
    """

    method: ClassVar[str]
    inductive: ClassVar[bool] = True
    imputes: ClassVar[bool] = True
    gives_probabilities: ClassVar[bool] = True
    grid: ClassVar[Mapping[str, Sequence[Any]]] = {}
    while_tuning: ClassVar[Mapping[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(kw_only=True, eq=False, repr=False)(cls)  # parameters are its annotated fields

    def fit(self, X: Any, Y: Any, target: TargetKind = "labels") -> Self:
        """Fit on everything observed.

        Parameters
        ----------
        X, Y : array-like of shape (n_rows, n_features) and (n_rows, n_labels)
            Numbers, NaN where missing; 0, 1, or NaN where unknown.
        target : {"labels", "classes"}, default="labels"
            Whether a row may have any number of labels, or is of exactly one class.

        Returns
        -------
        self
        """
        self._table, self.target_ = checked_table(X, Y, target), target
        self.n_features_in_, self.n_labels_ = (part.shape[1] for part in self._table)
        self._fit(*self._table)
        return self

    def complete(self, X: Any = None) -> CompletedTable:
        """Features and label scores of new rows; without any, of those that were fitted."""
        if X is None:
            return with_observed(*self._table, *self._completed_fitted())
        if not self.inductive:
            raise NotInductive(
                f"{self.method} is transductive only: it has no answer for rows it was not fitted "
                "on; fit it on old and new rows together and call complete()"
            )
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

    def _parts(self, joint: Floats) -> tuple[Floats, Floats]:
        return joint[:, : self.n_features_in_], joint[:, self.n_features_in_ :]

    def _completed_fitted(self) -> tuple[Floats, Floats]:
        """The same of the rows that were fitted, where more is known of them."""
        return self._completed(*self._table)


def checked_features(X: Any) -> Floats:
    """X as finite float64 numbers and NaN, or an error that names the column and row."""
    features = np.array(X, dtype=np.float64)
    if features.ndim != 2 or 0 in features.shape:
        raise ValueError(f"X must be a table of rows and columns, got shape {features.shape}")
    for row, column in np.argwhere(np.isinf(features)):
        raise ValueError(
            f"X holds an infinite value in row {row}, column {column}; write NaN if it is missing"
        )
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
    is_class = known.all(axis=1) & (np.nansum(labels, axis=1) == 1)
    for row in np.flatnonzero(known.any(axis=1) & ~is_class) if target == "classes" else ():
        raise ValueError(
            f"row {row} of Y is not one class: with target='classes' a row is one-hot or all NaN"
        )
    return features, labels


def with_observed(X: Floats, Y: Floats, features: Floats, scores: Floats) -> CompletedTable:
    """Predictions with every observed entry put back as it was."""
    return CompletedTable(np.where(np.isnan(X), features, X), np.where(np.isnan(Y), scores, Y))


class ColumnScale(NamedTuple):
    """What a column is shifted and divided by."""

    offset: Floats  # (n_columns,)
    spread: Floats  # (n_columns,), positive

    def standardised(self, table: Floats) -> Floats:
        """The table in units of spread around the offset; NaN stays NaN."""
        return (table - self.offset) / self.spread

    def restored(self, table: Floats) -> Floats:
        """The table back in its own units."""
        return table * self.spread + self.offset


def observed_scale(table: Floats) -> ColumnScale:
    """Mean (0 if nothing is observed) and standard deviation (1 without variation) of columns."""
    observed = ~np.isnan(table)
    n_observed = np.maximum(observed.sum(axis=0), 1)
    mean = np.where(observed, table, 0.0).sum(axis=0) / n_observed
    deviation = np.where(observed, table - mean, 0.0)
    spread = np.sqrt((deviation**2).sum(axis=0) / n_observed)
    return ColumnScale(mean, np.where(spread > _ROUNDING * np.abs(mean), spread, 1.0))


def label_frequency(Y: Floats) -> Floats:
    """The share of ones among the observed entries of each label, 0.5 where there are none."""
    n_observed = (~np.isnan(Y)).sum(axis=0)
    return np.where(n_observed > 0, np.nansum(Y, axis=0) / np.maximum(n_observed, 1), 0.5)


def held_out_entries(
    observed: Bools, share: float, generator: np.random.Generator, by_row: bool = False
) -> Bools:
    """A share of the observed entries, at least one; whole rows if `by_row`."""
    # By number: entries drawn anew, with the seed that hid others, would be those very others.
    candidates = observed[:, :1] if by_row else observed
    places = np.flatnonzero(candidates)
    n_chosen = min(len(places), max(1, round(share * len(places))))
    held_out = np.zeros(candidates.size, dtype=bool)
    held_out[generator.choice(places, size=n_chosen, replace=False)] = True
    return np.broadcast_to(held_out.reshape(candidates.shape), observed.shape)


class ColumnPrior(Baseline):
    """Every missing feature is its column's observed mean, every unknown label its frequency.

    Its pooled AUC shows what is only due to some labels being more frequent than others.

    Examples
    --------
    >>> ColumnPrior().fit([[1.0], [3.0], [None]], [[1], [None], [0]]).complete().features.tolist()
    [[1.0], [3.0], [2.0]]
    """

    method = "Column prior"

    def _fit(self, X: Floats, Y: Floats) -> None:
        self.feature_means_ = observed_scale(X).offset
        self.label_frequencies_ = label_frequency(Y)

    def _completed(self, X: Floats, Y: Floats) -> tuple[Floats, Floats]:
        return self.feature_means_, self.label_frequencies_


class Tuned(NamedTuple):
    """What was chosen, and how each candidate did."""

    best: dict[str, Any]
    candidates: list[dict[str, Any]]
    losses: Floats  # (n_tried,), of the candidates that there was time for


def hold_out(X: Floats, Y: Floats, target: TargetKind, seed: int) -> tuple[Floats, Floats]:
    """The table with a share of its observed entries hidden; classes are hidden as a whole."""
    # A stream of its own: drawn like a study's mask, it would hide only what is hidden already.
    generator = np.random.default_rng([seed, _TUNING_STREAM])
    hidden_x, hidden_y = (generator.random(part.shape) < _TUNING_SHARE for part in (X, Y))
    if target == "classes":
        hidden_y = np.broadcast_to(hidden_y[:, :1], Y.shape)
    return np.where(hidden_x, np.nan, X), np.where(hidden_y, np.nan, Y)


def _loss(method: Baseline, X: Floats, Y: Floats, held_out_x: Bools, held_out_y: Bools) -> float:
    """Standardised squared error plus one minus the pooled AUC, on what was held out."""
    completed, loss = method.complete(), 0.0
    if method.imputes and held_out_x.any():
        scale = np.nanstd(X, axis=0)
        error = (completed.features - X) / np.where(scale > 0, scale, 1.0)
        loss += float(np.mean(error[held_out_x] ** 2))
    if np.unique(Y[held_out_y]).size == 2:
        loss += 1.0 - float(roc_auc_score(Y[held_out_y], completed.scores[held_out_y]))
    return loss if np.isfinite(loss) else np.inf


def tune(
    method: Baseline, grid: Mapping[str, Sequence[Any]], X: Any, Y: Any,
    target: TargetKind = "labels", *, budget: int = 20, seconds: float | None = None, seed: int = 0,
) -> Tuned:  # fmt: skip
    """Try at most ``budget`` settings, drawn from the grid without repetition, and take the best.

    The first of them are those that the method came with. Only observed entries are seen: 15 % of
    them are hidden from every candidate, the same for all.

    Parameters
    ----------
    method : Baseline
        The method with its other settings.
    grid : mapping from parameter name to a sequence of values
        What to choose from; all combinations are tried if the budget allows.
    X, Y, target
        As in :meth:`Baseline.fit`.
    budget, seed : int, default=20, 0
        Most candidates; seed of the entries held out and of the drawn candidates.
    seconds : float or None, default=None
        Of processor time: begin no candidate that would end later, judged by those before it; one
        is always tried. Other work on the machine changes nothing of what is tried.

    Returns
    -------
    Tuned

    Examples
    --------
    >>> from halfseen.baselines import GaussianEM
    >>> X = np.random.default_rng(0).standard_normal((60, 1)) * [[1.0, 2.0, -1.0]]
    >>> Y = (X[:, :1] > 0).astype(float)
    >>> tune(GaussianEM(), {"shrinkage": [0.01, 0.9]}, X, Y).best
    {'shrinkage': 0.01}
    """
    features, labels = checked_table(X, Y, target)
    shown_x, shown_y = hold_out(features, labels, target, seed)
    held_out_x = np.isnan(shown_x) & ~np.isnan(features)
    held_out_y = np.isnan(shown_y) & ~np.isnan(labels)
    if not held_out_y.any():
        raise ValueError("there are too few observed labels to tune; use the method's defaults")
    own, losses = {name: getattr(method, name) for name in grid}, list[float]()
    drawn = drawn_candidates(grid, budget, seed)
    candidates = [own, *(candidate for candidate in drawn if candidate != own)][:budget]
    started = time.process_time()
    for candidate in candidates:
        gone = time.process_time() - started
        if seconds is not None and losses and gone * (1 + 1 / len(losses)) > seconds:
            break
        tried = clone(method).set_params(**{**method.while_tuning, **candidate})
        tried.fit(shown_x, shown_y, target)
        losses.append(_loss(tried, features, labels, held_out_x, held_out_y))
    return Tuned(candidates[int(np.argmin(losses))], candidates, np.array(losses))


def drawn_candidates(
    grid: Mapping[str, Sequence[Any]], budget: int, seed: int
) -> list[dict[str, Any]]:
    """At most ``budget`` different points of a grid, in random order."""
    points = list(product(*grid.values()))
    generator = np.random.default_rng([seed, 1])
    chosen = generator.choice(len(points), size=min(len(points), budget), replace=False)
    return [dict(zip(grid, points[place], strict=True)) for place in chosen]
