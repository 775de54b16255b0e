"""Scorers and splitters of scikit-learn for labels that are partly unknown."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_consistent_length, check_random_state

from halfseen import metrics
from halfseen.metrics import known, label_array

Array = NDArray[Any]
Ints = NDArray[np.int64]


@dataclass(frozen=True, repr=False)
class ObservedScorer:
    """What `observed_scorer` makes: nothing but a name, so that it is pickled, cloned, compared."""

    name: str

    def __call__(self, estimator: Any, X: object, y: object) -> float:
        """Score a fitted classifier; larger is better."""
        if self.name == "accuracy":
            return metrics.accuracy(y, estimator.predict(X))
        of_labels, of_classes = _OF_PROBABILITIES[self.name]
        found = _probabilities(estimator, X, y)
        return of_classes(found) if isinstance(found, list) else of_labels(y, found)

    def __sklearn_clone__(self) -> ObservedScorer:
        return self

    def __repr__(self) -> str:
        return f"observed_scorer({self.name!r})"


def observed_scorer(name: str) -> ObservedScorer:
    """Make a scorer that skips unknown entries, to pass as ``scoring=`` of cross-validation.

    - ``"accuracy"``: share of known classes or labels that are predicted right;
    - ``"roc_auc"``: AUC of two classes, mean one-vs-rest AUC of several, mean over labels or over
      the columns of classes of which at least two are known;
    - ``"micro_auc"``: AUC of all known labels, pooled;
    - ``"neg_log_loss"``: minus the mean log-loss of known labels or classes.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> X, y = np.zeros((4, 1)), np.array(["a", "a", "b", None], dtype=object)
    >>> observed_scorer("accuracy")(DummyClassifier().fit(X[:3], y[:3]), X, y)
    0.6666666666666666
    """
    names = ["accuracy", *_OF_PROBABILITIES]
    if name not in names:
        raise ValueError(f"The scores are {', '.join(names)}, not {name!r}.")
    return ObservedScorer(name)


class _Classes(NamedTuple):
    """One column of classes and the probability of each class."""

    name: str
    true: Array
    proba: Array
    classes: list[Any]


def _probabilities(estimator: Any, X: object, y: object) -> Array | list[_Classes]:
    """Of the classes of each column, from a list or for `y` of one column; otherwise of labels."""
    found, true = estimator.predict_proba(X), label_array(y)
    columns = true.reshape(len(true), -1)
    n_columns = columns.shape[1]
    if isinstance(found, list):
        if len(found) != n_columns:
            raise ValueError(f"predict_proba is of {len(found)} columns, but y has {n_columns}.")
        names = [f"column {name!r}" for name in getattr(y, "columns", range(n_columns))]
        return list(map(_classes, names, columns.T, found, estimator.classes_))
    proba = np.asarray(found)
    if proba.ndim == 1 or proba.shape[1] == 1 or n_columns > 1:
        return proba
    return [_classes("y", columns[:, 0], proba, estimator.classes_)]


def _classes(name: str, true: Array, proba: Array, classes: object) -> _Classes:
    """Add classes that the estimator was not fitted to: their probability is zero."""
    fitted = label_array(classes).tolist()
    # A dict keeps the order, which a set would not.
    added = [value for value in dict.fromkeys(true[known(true)].tolist()) if value not in fitted]
    if added and len({isinstance(value, str) for value in fitted + added}) > 1:
        raise ValueError(f"{name} holds {added}, the estimator {fitted}: use one type for both.")
    return _Classes(name, true, np.pad(proba, ((0, 0), (0, len(added)))), fitted + added)


def _micro_auc(columns: list[_Classes]) -> float:
    """AUC of columns of two classes as labels: the larger class is 1."""
    labels = np.full((len(columns[0].true), len(columns)), np.nan)
    proba = np.zeros(labels.shape)
    for j, (name, true, proba_of_class, classes) in enumerate(columns):
        if len(classes) > 2 or (len(classes) == 1 and classes[0] not in (0, 1)):
            raise ValueError(f"{name} has classes {classes}; use 'roc_auc', not 'micro_auc'.")
        one = max(classes) if len(classes) == 2 else 1
        observed = known(true)
        labels[observed, j] = [value == one for value in true[observed].tolist()]
        if one in classes:
            proba[:, j] = proba_of_class[:, classes.index(one)]
    return metrics.micro_auc(labels, proba)


def _mean_auc(columns: list[_Classes]) -> float:
    # If no column has a curve, the first one is an error.
    curves = [c for c in columns if len(set(c.true[known(c.true)].tolist())) > 1] or columns
    return float(np.mean([metrics.ovr_auc(c.true, c.proba, c.classes) for c in curves]))


def _neg_log_loss(columns: list[_Classes]) -> float:
    scored = [column for column in columns if known(column.true).any()] or columns
    losses = [metrics.log_loss(c.true, c.proba, c.classes) for c in scored]
    return -float(np.average(losses, weights=[known(c.true).sum() for c in scored]))


# Scores of labels, and of columns of classes.
_OF_PROBABILITIES = {
    "roc_auc": (metrics.macro_auc, _mean_auc),
    "micro_auc": (metrics.micro_auc, _micro_auc),
    "neg_log_loss": (lambda y, proba: -metrics.log_loss(y, proba), _neg_log_loss),
}


class ObservedStratifiedKFold(BaseCrossValidator):  # type: ignore[misc]
    """Stratified folds for labels that are partly unknown.

    Known labels spread evenly over the folds, and so do rows without a known label. Sizes of folds
    differ by at most one. A class with fewer rows than folds is no error. Several columns are
    assigned by iterative stratification (Sechidis, Tsoumakas and Vlahavas, 2011); zeros count too,
    because the AUC of a label needs zeros and ones in a fold.

    Parameters
    ----------
    n_splits : int, default=5; at least 2
    shuffle : bool, default=True; whether rows are shuffled before they are assigned
    random_state : int, RandomState or None, default=None; seed of the shuffle

    Examples
    --------
    >>> y = np.array(["a", "a", "b", None, None, "b"], dtype=object)
    >>> _, test = next(ObservedStratifiedKFold(n_splits=2, random_state=0).split(y, y))
    >>> sorted(map(str, y[test]))
    ['None', 'a', 'b']
    """

    def __init__(self, n_splits: int = 5, shuffle: bool = True, random_state: Any = None) -> None:
        if not isinstance(n_splits, int | np.integer) or n_splits < 2:
            raise ValueError(f"n_splits must be a whole number of at least 2, not {n_splits!r}.")
        if not shuffle and random_state is not None:
            raise ValueError("random_state has no effect without shuffle; leave one of them out.")
        self.n_splits = int(n_splits)
        self.shuffle = shuffle
        self.random_state = random_state

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Ints, Ints]]:
        """Yield the training rows and the test rows of each fold, in ascending order."""
        if y is None:
            raise ValueError("y is needed to stratify; without labels use sklearn's KFold.")
        if groups is not None:
            raise ValueError("Groups are not kept together here; use sklearn's GroupKFold.")
        labels = label_array(y)
        check_consistent_length(X, labels)
        n_rows = len(labels)
        if n_rows < self.n_splits:
            raise ValueError(f"{n_rows} rows cannot fill {self.n_splits} folds; lower n_splits.")
        random = check_random_state(self.random_state)
        order = random.permutation(n_rows) if self.shuffle else np.arange(n_rows)
        codes = np.column_stack([_codes(column) for column in labels.reshape(n_rows, -1).T])
        assign = _folds_by_class if codes.shape[1] == 1 else _folds_by_labels
        fold_of_row = assign(codes, self.n_splits, order)
        for fold in range(self.n_splits):
            yield np.flatnonzero(fold_of_row != fold), np.flatnonzero(fold_of_row == fold)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds."""
        return self.n_splits


def _codes(y: Array) -> Ints:
    """Number the values of a column in order of appearance; -1 is unknown."""
    code_of: dict[Any, int] = {}
    values = zip(y.tolist(), known(y), strict=True)
    return np.array([code_of.setdefault(v, len(code_of)) if ok else -1 for v, ok in values])


def _folds_by_class(codes: Ints, n_splits: int, order: Ints) -> Ints:
    """Assign rows to folds in turn, class by class, rows of unknown class last."""
    stratum = np.where(codes[:, 0] < 0, codes.max() + 1, codes[:, 0])
    fold = np.empty(len(codes), dtype=np.int64)
    fold[order[np.argsort(stratum[order], kind="stable")]] = np.arange(len(codes)) % n_splits
    return fold


def _folds_by_labels(codes: Ints, n_splits: int, order: Ints) -> Ints:
    """Assign rows of the rarest value first, to the fold with the fewest of it and fewest rows."""
    n_rows = len(codes)
    has_value = np.hstack([column[:, None] == np.arange(column.max() + 1) for column in codes.T])
    n_waiting = has_value.sum(axis=0)
    n_assigned = np.zeros((n_splits, len(n_waiting)), dtype=np.int64)
    size = np.zeros(n_splits, dtype=np.int64)
    fold_of_row = np.full(n_rows, -1)
    smallest, n_larger = divmod(n_rows, n_splits)
    while n_waiting.any():
        rarest = np.argmin(np.where(n_waiting > 0, n_waiting, n_rows + 1))
        for row in order[has_value[order, rarest] & (fold_of_row[order] < 0)]:
            is_full = size >= smallest + (np.count_nonzero(size > smallest) < n_larger)
            # One number that compares first by the value, then by size.
            need = n_assigned[:, rarest] * (n_rows + 1) + size
            fold = np.argmin(np.where(is_full, (n_rows + 1) ** 2, need))
            fold_of_row[row] = fold
            size[fold] += 1
            n_assigned[fold] += has_value[row]
            n_waiting -= has_value[row]
    for row in order[fold_of_row[order] < 0]:
        fold_of_row[row] = np.argmin(size)
        size[fold_of_row[row]] += 1
    return fold_of_row
