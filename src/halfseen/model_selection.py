"""Scorers and splitters of scikit-learn for labels that are partly unknown."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import BaseCrossValidator
from sklearn.utils import check_consistent_length, check_random_state

from halfseen.metrics import (
    accuracy,
    hamming_accuracy,
    known,
    label_array,
    log_loss,
    macro_auc,
    micro_auc,
    ovr_auc,
)

__all__ = ["ObservedScorer", "ObservedStratifiedKFold", "observed_scorer"]


@dataclass(frozen=True, repr=False)
class ObservedScorer:
    """A score of a fitted estimator on known entries of `y`; larger is better.

    Holds nothing but its name, so it can be pickled, cloned and compared.

    Parameters
    ----------
    name : str
        As of `observed_scorer`.
    """

    name: str

    def __post_init__(self) -> None:
        if self.name not in _SCORES:
            raise ValueError(f"The scores are {', '.join(_SCORES)}, not {self.name!r}.")

    def __call__(self, estimator: Any, X: object, y: object) -> float:
        """Score a fitted classifier on rows of `X`; `y` may hold unknown entries."""
        return float(_SCORES[self.name](estimator, X, y))

    def __sklearn_clone__(self) -> ObservedScorer:
        """Return the scorer itself: nothing in it changes."""
        return self

    def __repr__(self) -> str:
        return f"observed_scorer({self.name!r})"


def observed_scorer(name: str) -> ObservedScorer:
    """Make a scorer that skips unknown entries.

    Pass it as ``scoring=`` to ``GridSearchCV``, ``cross_val_score`` or ``cross_validate``, and
    `ObservedStratifiedKFold` as ``cv=``.

    Parameters
    ----------
    name : str
        - ``"accuracy"``: share of known classes that are predicted;
        - ``"hamming_accuracy"``: share of known labels that are predicted right;
        - ``"roc_auc"``: AUC of two classes, mean one-vs-rest AUC of several, mean over labels;
        - ``"micro_auc"``: AUC of all known labels, pooled;
        - ``"neg_log_loss"``: minus the mean log-loss of known labels or classes.

        Of several columns of classes, ``"roc_auc"`` averages those with two known classes or more.

    Returns
    -------
    ObservedScorer
        A callable ``(estimator, X, y) -> float``.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> X, y = np.zeros((4, 1)), np.array(["a", "a", "b", None], dtype=object)
    >>> always_a = DummyClassifier().fit(X[:3], y[:3])
    >>> round(observed_scorer("accuracy")(always_a, X, y), 4)
    0.6667
    >>> observed_scorer("roc_auc")(always_a, X, y)
    0.5
    """
    return ObservedScorer(name)


class _Labels(NamedTuple):
    """Labels and the probability of 1, of the same shape."""

    true: object
    proba: NDArray[Any]


class _Classes(NamedTuple):
    """One column of classes and the probability of each class."""

    name: str
    true: NDArray[Any]
    proba: NDArray[Any]
    classes: list[Any]


def _outputs(estimator: Any, X: object, y: object) -> _Labels | list[_Classes]:
    """Probabilities of an estimator: of labels, or of each column of classes.

    A list has one array per column of classes, as in scikit-learn. One array is of labels if `y`
    has several columns, otherwise of the classes of one column.
    """
    found = estimator.predict_proba(X)
    true = label_array(y)
    columns = true[:, None] if true.ndim == 1 else true
    if isinstance(found, list):
        if len(found) != columns.shape[1]:
            raise ValueError(
                f"predict_proba returns {len(found)} arrays, but y has {columns.shape[1]} columns; "
                "score with the columns that the estimator was fitted to."
            )
        names = list(getattr(y, "columns", range(len(found))))
        return [
            _classes(f"column {name!r}", *column)
            for name, *column in zip(names, columns.T, found, estimator.classes_, strict=True)
        ]
    proba = np.asarray(found)
    if proba.ndim == 1 or proba.shape[1] == 1 or columns.shape[1] > 1:
        return _Labels(y, proba)
    return [_classes("y", columns[:, 0], proba, estimator.classes_)]


def _classes(name: str, true: NDArray[Any], proba: object, classes: object) -> _Classes:
    """Add classes that the estimator was not fitted to: their probability is zero."""
    fitted = label_array(classes).tolist()
    # A dict keeps the order, which a set would not.
    added = [value for value in dict.fromkeys(true[known(true)].tolist()) if value not in fitted]
    for value in added:
        if any(isinstance(value, str) != isinstance(other, str) for other in fitted):
            raise ValueError(
                f"{name} holds {value!r}, but the classes of the estimator are {fitted}: text and "
                "numbers are never equal; use one type for both."
            )
    array = np.asarray(proba)
    zeros = np.zeros((len(array), len(added)), dtype=array.dtype)
    return _Classes(name, true, np.hstack([array, zeros]), [*fitted, *added])


def _label(column: _Classes) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """A column of two classes as a label: the larger class is 1."""
    classes = column.classes
    if len(classes) > 2:
        raise ValueError(
            f"{column.name} has {len(classes)} classes ({classes}); micro_auc takes labels of two "
            "values. Use 'roc_auc' for classes."
        )
    if len(classes) == 1 and classes[0] not in (0, 1):
        raise ValueError(
            f"{column.name} has the one class {classes[0]!r}, which may be 0 or 1; write labels as "
            "0 and 1."
        )
    one = 1 if len(classes) == 1 else max(classes)
    observed = known(column.true)
    true = np.full(observed.shape, np.nan)
    true[observed] = [value == one for value in column.true[observed].tolist()]
    if one not in classes:
        return true, np.zeros(observed.shape)
    return true, column.proba[:, classes.index(one)]


def _micro_auc(estimator: Any, X: object, y: object) -> float:
    output = _outputs(estimator, X, y)
    if isinstance(output, _Labels):
        return micro_auc(*output)
    true, proba = zip(*[_label(column) for column in output], strict=True)
    return micro_auc(np.column_stack(true), np.column_stack(proba))


def _roc_auc(estimator: Any, X: object, y: object) -> float:
    output = _outputs(estimator, X, y)
    if isinstance(output, _Labels):
        return macro_auc(*output)
    areas = [
        ovr_auc(column.true, column.proba, column.classes)
        for column in output
        if len(set(column.true[known(column.true)].tolist())) > 1
    ]
    if not areas:
        raise ValueError(
            f"Fewer than two classes are known in {', '.join(column.name for column in output)}; a "
            "ROC curve needs known rows of at least two classes."
        )
    return float(np.mean(areas))


def _neg_log_loss(estimator: Any, X: object, y: object) -> float:
    output = _outputs(estimator, X, y)
    if isinstance(output, _Labels):
        return -log_loss(*output)
    counts = [int(known(column.true).sum()) for column in output]
    if not any(counts):
        raise ValueError("No class in y is known, so there is nothing to score.")
    losses = [
        log_loss(column.true, column.proba, column.classes) if count else 0.0
        for column, count in zip(output, counts, strict=True)
    ]
    return -float(np.average(losses, weights=counts))


_SCORES: dict[str, Callable[[Any, object, object], float]] = {
    "accuracy": lambda estimator, X, y: accuracy(y, estimator.predict(X)),
    "hamming_accuracy": lambda estimator, X, y: hamming_accuracy(y, estimator.predict(X)),
    "roc_auc": _roc_auc,
    "micro_auc": _micro_auc,
    "neg_log_loss": _neg_log_loss,
}


class ObservedStratifiedKFold(BaseCrossValidator):  # type: ignore[misc]
    """Stratified folds for labels that are partly unknown.

    Known labels spread evenly over the folds, and so do rows without a known label. Each row is in
    one test fold, and the sizes of folds differ by at most one. A class with fewer rows than folds
    is no error.

    Parameters
    ----------
    n_splits : int, default=5
        Number of folds, at least 2.
    shuffle : bool, default=True
        Whether rows are shuffled before they are assigned.
    random_state : int, RandomState or None, default=None
        Seed of the shuffle.

    Notes
    -----
    Labels, and several columns of classes, are assigned by iterative stratification [1]_. Zeros
    count too, because the AUC of a label needs zeros and ones in a fold.

    References
    ----------
    .. [1] Sechidis, Tsoumakas and Vlahavas, "On the stratification of multi-label data", ECML PKDD
       (2011).

    Examples
    --------
    >>> y = np.array(["a", "a", "b", None, None, "b"], dtype=object)
    >>> folds = ObservedStratifiedKFold(n_splits=2, random_state=0)
    >>> for train, test in folds.split(np.zeros((6, 1)), y):
    ...     print(sorted(str(label) for label in y[test]))
    ['None', 'a', 'b']
    ['None', 'a', 'b']
    """

    def __init__(
        self,
        n_splits: int = 5,
        shuffle: bool = True,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        if not isinstance(n_splits, int | np.integer) or n_splits < 2:
            raise ValueError(f"n_splits must be a whole number of at least 2, not {n_splits!r}.")
        if not shuffle and random_state is not None:
            raise ValueError("random_state has no effect without shuffle; leave one of them out.")
        self.n_splits = int(n_splits)
        self.shuffle = shuffle
        self.random_state = random_state

    def split(
        self, X: object, y: object = None, groups: object = None
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """Yield the training rows and the test rows of each fold, in ascending order."""
        if y is None:
            raise ValueError("y is needed to stratify; without labels use sklearn's KFold.")
        if groups is not None:
            raise ValueError("Groups are not kept together here; use sklearn's GroupKFold.")
        labels = label_array(y)
        check_consistent_length(X, labels)
        n_rows = len(labels)
        if n_rows < self.n_splits:
            raise ValueError(
                f"{n_rows} rows cannot fill {self.n_splits} folds; lower n_splits or add rows."
            )
        order = np.arange(n_rows)
        if self.shuffle:
            order = check_random_state(self.random_state).permutation(n_rows)
        columns = labels[:, None] if labels.ndim == 1 else labels
        codes = np.column_stack([_codes(column) for column in columns.T])
        assign = _folds_by_class if codes.shape[1] == 1 else _folds_by_labels
        fold_of_row = assign(codes, self.n_splits, order)
        for fold in range(self.n_splits):
            yield np.flatnonzero(fold_of_row != fold), np.flatnonzero(fold_of_row == fold)

    def get_n_splits(self, X: object = None, y: object = None, groups: object = None) -> int:
        """Return the number of folds."""
        return self.n_splits


def _codes(y: NDArray[Any]) -> NDArray[np.int64]:
    """Number the values of a column in order of appearance; -1 is unknown."""
    observed = known(y)
    code_of: dict[Any, int] = {}
    codes = np.full(len(y), -1, dtype=np.int64)
    codes[observed] = [code_of.setdefault(v, len(code_of)) for v in y[observed].tolist()]
    return codes


def _folds_by_class(
    codes: NDArray[np.int64], n_splits: int, order: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Assign rows to folds in turn, class by class, rows of unknown class last."""
    stratum = np.where(codes[:, 0] < 0, codes.max() + 1, codes[:, 0])
    sorted_rows = order[np.argsort(stratum[order], kind="stable")]
    fold = np.empty(len(codes), dtype=np.int64)
    fold[sorted_rows] = np.arange(len(codes)) % n_splits
    return fold


def _folds_by_labels(
    codes: NDArray[np.int64], n_splits: int, order: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Assign rows to folds by iterative stratification, the rarest known value first.

    Each row goes to the fold with the fewest rows of that value, then to the smallest.
    """
    n_rows = len(codes)
    first = np.concatenate([[0], np.cumsum(codes.max(axis=0) + 1)])  # value numbers of columns
    values = [(row + first[:-1])[row >= 0] for row in codes]
    rows_of_value: list[list[int]] = [[] for _ in range(first[-1])]
    for row in order.tolist():
        for value in values[row]:
            rows_of_value[value].append(row)
    n_waiting = np.array([len(rows) for rows in rows_of_value], dtype=np.int64)
    n_assigned = np.zeros((len(n_waiting), n_splits), dtype=np.int64)
    size = np.zeros(n_splits, dtype=np.int64)
    fold_of_row = np.full(n_rows, -1, dtype=np.int64)
    smallest, n_larger = divmod(n_rows, n_splits)
    while n_waiting.any():
        rarest = int(np.argmin(np.where(n_waiting > 0, n_waiting, n_rows + 1)))
        for row in rows_of_value[rarest]:
            if fold_of_row[row] < 0:
                may_grow = np.count_nonzero(size > smallest) < n_larger
                has_room = (size < smallest) | ((size == smallest) & may_grow)
                # One number that compares first by the value, then by size.
                need = n_assigned[rarest] * (n_rows + 1) + size
                fold = int(np.argmin(np.where(has_room, need, (n_rows + 1) ** 2)))
                fold_of_row[row] = fold
                size[fold] += 1
                n_assigned[values[row], fold] += 1
                n_waiting[values[row]] -= 1
    for row in order[fold_of_row[order] < 0]:
        fold = int(np.argmin(size))
        fold_of_row[row] = fold
        size[fold] += 1
    return fold_of_row
