"""Scores that skip unknown entries: scikit-learn's metrics on the entries that are known.

Unknown is NaN, NaT, ``None``, ``pandas.NA``, a polars null or a masked entry of numpy, in lists,
arrays, Series and frames. Predictions for unknown entries are never read.

Scores of features take the complete table, and `where` to say which entries to score. Columns are
compared in units of `scale`, the standard deviation of their known values; constant columns have
none and are skipped.
"""

from __future__ import annotations

import math
import sys
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import log_loss as _complete_log_loss
from sklearn.metrics import roc_auc_score

__all__ = [
    "ReliabilityBin",
    "accuracy",
    "calibration_error",
    "column_std",
    "energy_score",
    "hamming_accuracy",
    "interval_coverage",
    "interval_width",
    "known",
    "label_array",
    "log_loss",
    "macro_auc",
    "micro_auc",
    "normalised_rmse",
    "ovr_auc",
    "reliability_bins",
    "rmse",
    "set_coverage",
    "set_size",
]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

# Rows of a softmax in single precision add up to one well within this; unnormalised scores do not.
_SUM_TOLERANCE = 1e-3


def label_array(y: object) -> NDArray[Any]:
    """Return labels, predictions or values as an array in which missing entries stay missing.

    Examples
    --------
    >>> label_array(["a", float("nan")])  # numpy.asarray would make it the text "nan"
    array(['a', nan], dtype=object)
    """
    if hasattr(y, "toarray"):
        raise ValueError(
            "Sparse arrays have no place for a missing entry; pass `y.toarray()` with NaN where an "
            "entry is unknown."
        )
    if isinstance(y, np.ma.MaskedArray):
        # The values under the mask are dropped, so that nothing can read them.
        is_float = y.dtype.kind == "f"
        values = np.full(y.shape, np.nan if is_float else None, y.dtype if is_float else object)
        seen = ~np.ma.getmaskarray(y)
        values[seen] = y.data[seen]
    else:
        values = np.asarray(y, dtype=object) if isinstance(y, list | tuple) else np.asarray(y)
    if values.dtype.kind == "T":
        values = values.astype(object)
    if values.ndim not in (1, 2):
        raise ValueError(
            f"Labels and values have one or two dimensions (rows, columns), not {values.ndim}; got "
            f"{type(y).__name__}."
        )
    if values.dtype.kind == "O":
        for position, value in enumerate(values.flat):
            if isinstance(value, list | tuple | set | frozenset | dict | np.ndarray):
                raise ValueError(
                    f"Row {position * len(values) // values.size} holds a {type(value).__name__}; "
                    "every entry is one value, and all rows are equally long."
                )
    return values


def known(y: object) -> Bools:
    """Return where the entries of `y` are known. No number and no text stands for "unknown".

    Examples
    --------
    >>> known(["cat", None, "nan"])
    array([ True, False,  True])
    """
    values = label_array(y)
    if values.dtype.kind in "fcmM":
        return np.asarray(~np.isnan(values))
    if values.dtype.kind != "O":
        return np.ones(values.shape, dtype=bool)
    # pandas.NA equals nothing, not even itself. Unless pandas is loaded, no entry can be it.
    na = getattr(sys.modules.get("pandas"), "NA", None)
    found = (v is not None and v is not na and bool(v == v) for v in values.flat)
    return np.fromiter(found, dtype=bool, count=values.size).reshape(values.shape)


def accuracy(y_true: object, y_pred: object) -> float:
    """Share of known entries whose class is predicted, over all columns.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,) or (n_rows, n_columns)
        Classes (numbers, text, truth values); `y_true` is missing where unknown.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> accuracy(["cat", None, "dog"], ["cat", "cat", "cat"])
    0.5
    """
    true, predicted = label_array(y_true), label_array(y_pred)
    true_columns, predicted_columns = _columns(true), _columns(predicted)
    if true_columns.shape != predicted_columns.shape:
        raise ValueError(_shapes_differ(true, predicted, "y_pred"))
    observed = known(true_columns)
    if not observed.any():
        raise ValueError("No class in y_true is known, so there is nothing to score.")
    missing = np.argwhere(observed & ~known(predicted_columns))
    if missing.size:
        at = _place(y_true, true, missing[0])
        raise ValueError(f"y_pred is missing at {at}, where the class is known.")
    pairs = list(zip(true_columns[observed], predicted_columns[observed], strict=True))
    for entry, (value, prediction) in enumerate(pairs):
        if isinstance(value, str) != isinstance(prediction, str):
            raise ValueError(
                f"At {_place(y_true, true, np.argwhere(observed)[entry])} y_true is "
                f"{_plain(value)!r} and y_pred is {_plain(prediction)!r}: text and numbers are "
                "never equal; use one type for both."
            )
    return sum(bool(value == prediction) for value, prediction in pairs) / len(pairs)


def hamming_accuracy(y_true: object, y_pred: object) -> float:
    """Share of known labels that are predicted right: 1 - Hamming loss.

    Where labels are rare, predicting 0 everywhere scores high.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,) or (n_rows, n_labels)
        Labels and predictions, 0 or 1; `y_true` is missing where unknown.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> hamming_accuracy([[1, np.nan], [0, 1]], [[1, 0], [1, 1]])
    0.6666666666666666
    """
    labels = _labels(y_true, y_pred, "y_pred")
    other = np.argwhere((labels.predicted != 0) & (labels.predicted != 1))
    if other.size:
        value = float(labels.predicted[tuple(other[0])])
        at = _place(y_pred, label_array(y_pred), other[0])
        raise ValueError(
            f"y_pred at {at} is {value!r}, but hamming_accuracy takes 0 or 1; apply a threshold to "
            "probabilities first."
        )
    return float((labels.true == labels.predicted)[labels.observed].mean())


def micro_auc(y_true: object, y_score: object) -> float:
    """Area under one ROC curve of all known labels, pooled.

    Pooling rewards the frequency of each label: constant scores per label reach 0.78 on Yeast.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_rows, n_labels)
        Labels 0 or 1, missing where unknown.
    y_score : array-like of the same shape
        Larger where 1 is more likely.

    Returns
    -------
    float
        Between 0 and 1; 0.5 for a constant score.

    Examples
    --------
    >>> micro_auc([[1, np.nan], [0, 0]], [[0.9, 0.1], [0.2, 0.4]])
    1.0
    """
    labels = _labels(y_true, y_score, "y_score")
    true = labels.true[labels.observed]
    if true.min() == true.max():
        raise ValueError(
            f"All {true.size} known labels are {true[0]}; a ROC curve needs zeros and ones."
        )
    return float(roc_auc_score(true, labels.predicted[labels.observed]))


def macro_auc(y_true: object, y_score: object) -> float:
    """Mean over labels of the area under the ROC curve of the label, on its known rows.

    Labels with known zeros only, or known ones only, are skipped.

    Parameters
    ----------
    y_true, y_score
        As of `micro_auc`.

    Returns
    -------
    float
        Between 0 and 1; 0.5 for scores that do not depend on the row.

    Examples
    --------
    >>> macro_auc([[1, 0], [0, 0], [1, np.nan]], [[0.9, 0.1], [0.5, 0.2], [0.3, 0.9]])
    0.5
    """
    labels = _labels(y_true, y_score, "y_score")
    areas = [
        roc_auc_score(labels.true[seen, j], labels.predicted[seen, j])
        for j, seen in enumerate(labels.observed.T)
        if np.unique(labels.true[seen, j]).size == 2
    ]
    if not areas:
        raise ValueError(
            f"None of the {labels.observed.shape[1]} labels has both a known zero and a known one, "
            "so there is no ROC curve; score more rows."
        )
    return float(np.mean(areas))


def ovr_auc(y_true: object, y_score: object, classes: object) -> float:
    """Mean over classes of the AUC of the class against the rest ("averaged AUC").

    Classes that no known row has are skipped.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        Classes, missing where unknown.
    y_score : array-like of shape (n_rows, n_classes)
        Larger where the class is more likely.
    classes : array-like of shape (n_classes,)
        The class of each column of `y_score`, such as ``estimator.classes_``.

    Returns
    -------
    float
        Between 0 and 1; 0.5 for scores that do not depend on the row.

    Examples
    --------
    >>> ovr_auc(["a", "b", None, "a"], [[0.8, 0.2], [0.3, 0.7], [0.5, 0.5], [0.6, 0.4]],
    ...     ["a", "b"])
    1.0
    """
    _, codes, scores = _class_rows(y_true, y_score, classes, "y_score")
    present = np.unique(codes)
    if present.size < 2:
        raise ValueError(
            f"All {codes.size} known rows have the same class; a ROC curve needs known rows of at "
            "least two classes."
        )
    return float(np.mean([roc_auc_score(codes == code, scores[:, code]) for code in present]))


def log_loss(y_true: object, y_proba: object, classes: object = None) -> float:
    """Mean of -log(probability of the truth) over known entries.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_rows, n_labels)
        Classes, or labels 0 or 1; missing where unknown.
    y_proba : array-like
        Of labels the probability of 1, shaped as `y_true`; of classes one column per class.
    classes : array-like of shape (n_classes,), optional
        The class of each column of `y_proba`; leave it out for labels.

    Returns
    -------
    float
        At least 0; ``log(2)`` for a fair coin. Probabilities are clipped as by scikit-learn.

    Examples
    --------
    >>> round(log_loss([[1, np.nan], [0, 1]], [[0.5, 0.1], [0.5, 0.5]]), 4)
    0.6931
    >>> round(log_loss(["a", None], [[0.5, 0.5], [0.9, 0.1]], ["a", "b"]), 4)
    0.6931
    """
    if classes is None:
        labels = _labels(y_true, y_proba, "y_proba", probabilities=True)
        one = labels.predicted[labels.observed]
        codes, proba = labels.true[labels.observed], np.column_stack([1 - one, one])
    else:
        rows, codes, proba = _class_rows(y_true, y_proba, classes, "y_proba")
        if proba.shape[1] < 2:
            raise ValueError("There is one class only; log_loss needs at least two.")
        totals = proba.sum(axis=1, keepdims=True)
        wrong = np.flatnonzero(
            (np.abs(totals[:, 0] - 1) > _SUM_TOLERANCE) | (proba < 0).any(axis=1)
        )
        if wrong.size:
            raise ValueError(
                f"y_proba at row {rows[wrong[0]]} is {proba[wrong[0]].tolist()}; probabilities of "
                "classes lie between 0 and 1 and add up to 1 in every row."
            )
        proba = proba / totals
    return float(_complete_log_loss(codes, proba, labels=np.arange(proba.shape[1])))


class ReliabilityBin(NamedTuple):
    """Known labels with similar probabilities.

    Attributes
    ----------
    mean_probability, share_true : float
        Mean probability and share of ones.
    n_labels : int
        Number of labels.
    """

    mean_probability: float
    share_true: float
    n_labels: int


def reliability_bins(
    y_true: object, y_proba: object, n_bins: int = 10
) -> tuple[ReliabilityBin, ...]:
    """Probabilities and frequencies of known labels, in bins of equal width that hold any.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_rows, n_labels)
        Labels 0 or 1, missing where unknown.
    y_proba : array-like of the same shape
        Probability of 1.
    n_bins : int, default=10
        Number of bins. A bin includes its upper edge, as in scikit-learn's `calibration_curve`.

    Returns
    -------
    tuple of ReliabilityBin
        By increasing probability.

    Examples
    --------
    >>> reliability_bins([1, 0, None, 1], [0.25, 0.25, 0.5, 1.0])
    (ReliabilityBin(mean_probability=0.25, share_true=0.5, n_labels=2),
     ReliabilityBin(mean_probability=1.0, share_true=1.0, n_labels=1))
    """
    if n_bins < 1:
        raise ValueError(f"n_bins must be at least 1, not {n_bins}.")
    labels = _labels(y_true, y_proba, "y_proba", probabilities=True)
    proba = labels.predicted[labels.observed].astype(np.float64)
    bins = np.searchsorted(np.linspace(0, 1, n_bins + 1)[1:-1], proba)
    counts = np.bincount(bins, minlength=n_bins)
    totals = np.bincount(bins, weights=proba, minlength=n_bins)
    ones = np.bincount(bins, weights=labels.true[labels.observed], minlength=n_bins)
    return tuple(
        ReliabilityBin(float(totals[i] / count), float(ones[i] / count), int(count))
        for i, count in enumerate(counts)
        if count
    )


def calibration_error(y_true: object, y_proba: object, n_bins: int = 10) -> float:
    """Expected calibration error: mean distance of probability and frequency in bins.

    Parameters
    ----------
    y_true, y_proba, n_bins
        As of `reliability_bins`.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> calibration_error([1, 0, None, 1, 0], [0.5, 0.5, 0.9, 0.5, 0.5])
    0.0
    >>> calibration_error([0, 0], [0.25, 0.75])
    0.5
    """
    bins = reliability_bins(y_true, y_proba, n_bins)
    gaps = [one.n_labels * abs(one.share_true - one.mean_probability) for one in bins]
    return math.fsum(gaps) / sum(one.n_labels for one in bins)


def set_coverage(y_true: object, sets: ArrayLike, classes: object = None) -> float:
    """Share of known entries whose prediction set contains the truth.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_rows, n_columns)
        Classes, missing where unknown.
    sets : array-like of bool of shape (n_rows, n_classes) or (n_rows, n_columns, n_classes)
        True where the set contains the class.
    classes : array-like of shape (n_classes,), optional
        Classes of the last axis; by default 0, 1, ..., so that labels need none.

    Returns
    -------
    float
        Between 0 and 1. A class that is not in `classes` is not covered.

    Examples
    --------
    >>> set_coverage(["a", None, "b"], [[True, False], [True, True], [True, False]], ["a", "b"])
    0.5
    """
    true, members = _set_entries(y_true, sets)
    names = list(range(members.shape[1])) if classes is None else label_array(classes).tolist()
    covers = [
        any(row[i] and name == value for i, name in enumerate(names))
        for value, row in zip(true, members.tolist(), strict=True)
    ]
    return float(np.mean(covers))


def set_size(y_true: object, sets: ArrayLike) -> float:
    """Mean number of classes in the prediction sets of known entries.

    Parameters
    ----------
    y_true, sets
        As of `set_coverage`.

    Returns
    -------
    float
        Smaller is better at the same coverage.

    Examples
    --------
    >>> set_size(["a", None, "b"], [[True, False], [True, True], [True, True]])
    1.5
    """
    return float(_set_entries(y_true, sets)[1].sum(axis=1).mean())


def column_std(y: object) -> Floats:
    """Standard deviation of the known values of each column, exactly 0 where they are all equal.

    Examples
    --------
    >>> column_std([[0.0, 0.1, None], [2.0, 0.1, None], [None, 0.1, None]])
    array([1., 0., 0.])
    """
    values = label_array(y)
    observed = known(values)
    numbers = np.full(values.shape, np.nan)
    numbers[observed] = _numbers(y, observed, "y")
    entries = [column[~np.isnan(column)] for column in _columns(numbers).T]
    # Rounding gives equal numbers a tiny standard deviation; their range is exactly zero.
    return np.array([c.std() if c.size and np.ptp(c) > 0 else 0.0 for c in entries])


def rmse(y_true: object, y_pred: object, where: object = None) -> float:
    """Root mean squared error of the known entries of all columns, pooled.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows, n_columns) or (n_rows,)
        Values and predictions; `y_true` is missing where unknown.
    where : array-like of bool of the same shape, optional
        Entries to score, by default all known ones.

    Returns
    -------
    float
        At least 0.

    Examples
    --------
    >>> rmse([[1.0, 2.0], [3.0, 4.0]], [[4.0, 2.0], [3.0, 8.0]], [[True, False], [False, True]])
    3.5355339059327378
    """
    true, predicted = _entries(y_true, where, y_pred=y_pred)[1]
    return float(np.sqrt(np.mean((predicted - true) ** 2)))


def normalised_rmse(
    y_true: object,
    y_pred: object,
    where: object = None,
    scale: ArrayLike | None = None,
    average: Literal["columns", "entries"] = "columns",
) -> float:
    """Root mean squared error in units of the standard deviations of columns.

    Parameters
    ----------
    y_true, y_pred, where
        As of `rmse`.
    scale : array-like of shape (n_columns,), optional
        By default ``column_std(y_true)``, of all known entries, scored or not.
    average : {"columns", "entries"}, default="columns"
        Whether squared errors are averaged within columns first, or pooled.

    Returns
    -------
    float
        At least 0; about 1 for the mean of each column.

    Examples
    --------
    >>> y_true = [[0.0, 5.0], [2.0, 5.0], [4.0, 5.0], [6.0, 5.0]]
    >>> round(normalised_rmse(y_true, [[3.0, 5.0], [2.0, 9.0], [4.0, 5.0], [6.0, 5.0]],
    ...     [[True, False], [False, True], [False, False], [False, False]]), 4)  # 3 / sqrt(5)
    1.3416
    """
    column, (true, predicted) = _entries(y_true, where, y_pred=y_pred)
    column, unit, (true, predicted) = _in_units(y_true, scale, column, true, predicted)
    squares = (predicted / unit - true / unit) ** 2
    if average == "columns":
        squares = np.array([squares[column == j].mean() for j in np.unique(column)])
    return float(np.sqrt(squares.mean()))


def energy_score(
    y_true: object, draws: ArrayLike, where: object = None, scale: ArrayLike | None = None
) -> float:
    """Energy score of joint draws, over the root of the number of entries of the row.

    A proper score of the joint distribution of the entries of a row: the mean distance of draws
    from the truth, less half of their mean distance from each other [1]_.

    Parameters
    ----------
    y_true : array-like of shape (n_rows, n_columns)
        Values, missing where unknown.
    draws : array-like of shape (n_draws, n_rows, n_columns)
        Two draws or more.
    where, scale
        As of `normalised_rmse`.

    Returns
    -------
    float
        Mean over rows with an entry to score.

    References
    ----------
    .. [1] Gneiting and Raftery, "Strictly proper scoring rules, prediction, and estimation",
       Journal of the American Statistical Association 102 (2007).

    Examples
    --------
    >>> energy_score([[0.0], [2.0]], [[[0.0], [3.0]], [[0.0], [1.0]]])
    0.0
    >>> energy_score([[0.0], [2.0]], [[[1.0], [3.0]], [[1.0], [3.0]]])
    1.0
    """
    drawn = np.asarray(draws, dtype=np.float64)
    values = label_array(y_true)
    if drawn.ndim != 3 or len(drawn) < 2 or drawn.shape[1:] != values.shape:
        raise ValueError(
            f"draws has shape {drawn.shape}; at least two draws of {values.shape} are needed."
        )
    scored = _scored(y_true, where)
    unit = _units(y_true, scale)
    scored &= unit > 0
    if not scored.any():
        raise ValueError("Every column to score is constant, so there is no scale; use rmse.")
    unit = np.where(unit > 0, unit, 1.0)

    def standardised(table: object, name: str) -> Floats:
        numbers = np.zeros(values.shape)
        numbers[scored] = _numbers(table, scored, name)
        return numbers / unit

    true = standardised(y_true, "y_true")
    tables = [standardised(draw, f"draws[{i}]") for i, draw in enumerate(drawn)]

    def distance(a: Floats, b: Floats) -> Floats:
        return np.asarray(np.sqrt(((a - b) ** 2).sum(axis=1)))

    to_truth = np.mean([distance(draw, true) for draw in tables], axis=0)
    between = [distance(a, b) for i, a in enumerate(tables) for b in tables[:i]]
    score = to_truth - np.mean(between, axis=0) / 2
    rows = scored.any(axis=1)
    return float((score[rows] / np.sqrt(scored[rows].sum(axis=1))).mean())


def interval_coverage(y_true: object, lower: object, upper: object, where: object = None) -> float:
    """Share of known entries within their intervals, bounds included.

    Parameters
    ----------
    y_true, lower, upper : array-like of shape (n_rows, n_columns) or (n_rows,)
        Values and bounds; `y_true` is missing where unknown.
    where : array-like of bool of the same shape, optional
        Entries to score, by default all known ones.

    Returns
    -------
    float
        Between 0 and 1.

    Examples
    --------
    >>> interval_coverage([[1.0, 2.0], [3.0, None]], [[0.0, 1.0], [4.0, 4.0]],
    ...     [[2.0, 9.0], [5.0, 6.0]])
    0.6666666666666666
    """
    true, low, high = _interval_entries(y_true, lower, upper, where)[1]
    return float(np.mean((low <= true) & (true <= high)))


def interval_width(
    y_true: object,
    lower: object,
    upper: object,
    where: object = None,
    scale: ArrayLike | None = None,
) -> float:
    """Mean width of intervals of known entries, in units of the standard deviations of columns.

    Parameters
    ----------
    y_true, lower, upper, where
        As of `interval_coverage`.
    scale : array-like of shape (n_columns,), optional
        By default ``column_std(y_true)``, of all known entries, scored or not.

    Returns
    -------
    float
        Smaller is better at the same coverage; 3.29 for 90 % intervals of a standard normal.

    Examples
    --------
    >>> y_true = [[0.0], [2.0], [4.0], [6.0]]  # the standard deviation is sqrt(5)
    >>> round(interval_width(y_true, [[0.0]] * 4, [[5.0]] * 4), 4)
    2.2361
    """
    column, (_, low, high) = _interval_entries(y_true, lower, upper, where)
    _, unit, (low, high) = _in_units(y_true, scale, column, low, high)
    return float(np.mean((high - low) / unit))


class _Labels(NamedTuple):
    """Labels and predictions of shape (n_rows, n_labels), 0 where nothing is known."""

    true: NDArray[np.int64]
    predicted: NDArray[Any]
    observed: Bools


def _labels(y_true: object, y_pred: object, name: str, probabilities: bool = False) -> _Labels:
    true, predicted = label_array(y_true), label_array(y_pred)
    if _columns(true).shape != _columns(predicted).shape:
        raise ValueError(_shapes_differ(true, predicted, name))
    observed = known(true)
    if not observed.any():
        raise ValueError("No label in y_true is known, so there is nothing to score.")
    # Text compared with a number is not equal, never an error.
    values = true[observed].astype(object) if true.dtype.kind in "SU" else true[observed]
    bad = np.flatnonzero(~((values == 0) | (values == 1)))
    if bad.size:
        at = _place(y_true, true, np.argwhere(observed)[bad[0]])
        raise ValueError(
            f"y_true at {at} is {values.tolist()[bad[0]]!r}; a label is 0 or 1, or missing where "
            "unknown. For classes use accuracy, ovr_auc or log_loss with classes."
        )
    numbers = _numbers(y_pred, observed.reshape(predicted.shape), name)
    outside = np.flatnonzero((numbers < 0) | (numbers > 1)) if probabilities else bad
    if outside.size:
        at = _place(y_true, true, np.argwhere(observed)[outside[0]])
        raise ValueError(
            f"{name} at {at} is {float(numbers[outside[0]])!r}; a probability lies between 0 and 1."
        )
    observed = _columns(observed)
    labels = np.zeros(observed.shape, dtype=np.int64)
    labels[observed] = values.astype(np.int64)
    predictions = np.zeros(observed.shape, dtype=numbers.dtype)
    predictions[observed] = numbers
    return _Labels(labels, predictions, observed)


def _class_rows(
    y_true: object, y_score: object, classes: object, name: str
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]:
    """Rows of known class, the codes of their classes, and their scores."""
    true, scores, listed = label_array(y_true), label_array(y_score), label_array(classes)
    if true.ndim == 2 and true.shape[1] == 1:
        true = true[:, 0]
    if true.ndim != 1:
        raise ValueError(
            f"y_true has shape {true.shape}; pass one column of classes at a time. For labels (0 "
            "or 1) use micro_auc, macro_auc, or log_loss without classes."
        )
    if listed.ndim != 1 or not known(listed).all():
        raise ValueError("classes must be a list of classes without missing entries.")
    code_of = {value: code for code, value in enumerate(listed.tolist())}
    if len(code_of) != listed.size:
        raise ValueError(f"classes has a class twice: {listed.tolist()}.")
    if scores.shape != (len(true), listed.size):
        raise ValueError(
            f"{name} has shape {scores.shape}, but {(len(true), listed.size)} is needed: one row "
            f"per row of y_true and one column for each of the {listed.size} classes."
        )
    observed = known(true)
    if not observed.any():
        raise ValueError("No class in y_true is known, so there is nothing to score.")
    rows = np.flatnonzero(observed)
    for row, value in zip(rows, true[observed].tolist(), strict=True):
        if value not in code_of:
            raise ValueError(
                f"y_true at row {row} is {value!r}, which is not in the list of classes "
                f"{list(code_of)}; add it together with its column of {name}."
            )
    codes = np.array([code_of[value] for value in true[observed].tolist()], dtype=np.int64)
    where = np.repeat(observed[:, None], listed.size, axis=1)
    return rows, codes, _numbers(y_score, where, name).reshape(-1, listed.size)


def _set_entries(y_true: object, sets: ArrayLike) -> tuple[list[Any], Bools]:
    true, members = label_array(y_true), np.asarray(sets)
    if members.dtype.kind != "b" or members.shape[:-1] != true.shape:
        raise ValueError(
            f"sets holds {members.dtype} of shape {members.shape}; it must hold True or False, of "
            f"shape {true.shape} and one more axis of classes."
        )
    observed = known(true)
    if not observed.any():
        raise ValueError("No class in y_true is known, so there is nothing to score.")
    return true[observed].tolist(), members[observed]


def _scored(y_true: object, where: object) -> Bools:
    """Where an entry is known and to be scored."""
    scored = known(y_true)
    if where is not None:
        chosen = label_array(where)
        if chosen.dtype.kind == "O" and all(isinstance(v, bool | np.bool_) for v in chosen.flat):
            chosen = chosen.astype(bool)
        if chosen.dtype.kind != "b" or chosen.shape != scored.shape:
            raise ValueError(
                f"where holds {chosen.dtype} of shape {chosen.shape}; it must hold True or False, "
                f"of shape {scored.shape}."
            )
        scored = scored & chosen
    if not scored.any():
        raise ValueError("No entry to score is known in y_true, so there is nothing to score.")
    return scored


def _entries(
    y_true: object, where: object, **predicted: object
) -> tuple[NDArray[np.int64], list[Floats]]:
    """Columns of the scored entries, and their values in `y_true` and in each prediction."""
    scored = _scored(y_true, where)
    tables = {"y_true": y_true, **predicted}
    for name, table in predicted.items():
        if label_array(table).shape != scored.shape:
            raise ValueError(_shapes_differ(scored, label_array(table), name))
    # float64 before subtracting: squares of float32 differences lose half of the digits.
    values = [_numbers(table, scored, name).astype(np.float64) for name, table in tables.items()]
    column = np.nonzero(scored)[-1] if scored.ndim == 2 else np.zeros(scored.sum(), np.int64)
    return column, values


def _interval_entries(
    y_true: object, lower: object, upper: object, where: object
) -> tuple[NDArray[np.int64], list[Floats]]:
    column, (true, low, high) = _entries(y_true, where, lower=lower, upper=upper)
    crossed = np.flatnonzero(low > high)
    if crossed.size:
        raise ValueError(
            f"A lower bound in column {column[crossed[0]]} lies above its upper bound; give the "
            "lower bounds first."
        )
    return column, [true, low, high]


def _units(y_true: object, scale: ArrayLike | None) -> Floats:
    unit = column_std(y_true) if scale is None else np.asarray(scale, dtype=np.float64)
    n_columns = _columns(label_array(y_true)).shape[1]
    if unit.shape != (n_columns,) or not (unit >= 0).all():
        raise ValueError(f"scale must hold {n_columns} numbers that are not negative.")
    return unit


def _in_units(
    y_true: object, scale: ArrayLike | None, column: NDArray[np.int64], *values: Floats
) -> tuple[NDArray[np.int64], Floats, list[Floats]]:
    """Columns, units and values of the entries whose column varies."""
    unit = _units(y_true, scale)[column]
    varies = unit > 0
    if not varies.any():
        raise ValueError("Every column to score is constant, so there is no scale; use rmse.")
    return column[varies], unit[varies], [value[varies] for value in values]


def _numbers(y: object, where: Bools, name: str) -> NDArray[Any]:
    """The finite numbers at the entries in `where`, and no others; float32 stays float32."""
    values = label_array(y)
    chosen = values[where]
    if chosen.dtype in (np.dtype(np.float32), np.dtype(np.float64)):
        entries = chosen
    elif chosen.dtype.kind in "biuf":
        entries = chosen.astype(np.float64)
    else:
        entries = np.array([_number(value) for value in chosen], dtype=np.float64)
    bad = np.flatnonzero(~np.isfinite(entries))
    if bad.size:
        at = _place(y, values, np.argwhere(where)[bad[0]])
        raise ValueError(
            f"{name} at {at} is {chosen.tolist()[bad[0]]!r}, but a finite number is needed there; "
            "only entries that are not scored may be missing."
        )
    return entries


def _number(value: Any) -> float:
    try:
        # float("0.5") would read text as a number.
        return np.nan if isinstance(value, str | bytes) else float(value)
    except (TypeError, ValueError):
        return np.nan


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _columns(values: NDArray[Any]) -> NDArray[Any]:
    return values[:, None] if values.ndim == 1 else values


def _shapes_differ(true: NDArray[Any], predicted: NDArray[Any], name: str) -> str:
    return (
        f"y_true has shape {true.shape} but {name} has shape {predicted.shape}; every entry needs "
        "one prediction."
    )


def _place(y: object, values: NDArray[Any], position: NDArray[np.int64]) -> str:
    """Row and column of an entry, by the names that the user knows."""
    if values.ndim == 1:
        return f"row {position[0]}"
    names = getattr(y, "columns", None)
    column = int(position[-1]) if names is None else repr(list(names)[position[-1]])
    return f"row {position[0]}, column {column}"
