"""Scores that skip unknown entries: scikit-learn's metrics on the entries that are known.

``y_true`` is a list, array, Series or frame of one or several columns. An entry is unknown if it is
NaN, NaT, ``None``, ``pandas.NA``, a polars null or masked in numpy; its prediction is not used.
Labels are 0 or 1, and ``y_proba`` is the probability of 1. Classes are numbers or text; ``classes``
has the class of each column of ``y_score`` or ``y_proba``, such as ``estimator.classes_``.

Scores of features take the complete table. ``where``, of bool and of its shape, chooses the entries
to score, by default all known ones. Columns are compared in units of ``scale``, by default
`column_std` of all known entries, scored or not; columns of scale 0 are skipped.
"""

from __future__ import annotations

import math
from decimal import Decimal
from numbers import Real
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn import metrics as complete
from sklearn.utils.validation import _check_sample_weight

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
MaybeArray = ArrayLike | None
Entries = tuple[Bools, Ints, Floats]  # where known, and there: labels or codes, and predictions


def label_array(y: object) -> NDArray[Any]:
    """Array of the shape of `y`, in which NaN beside text does not become the text "nan"."""
    if hasattr(y, "toarray"):
        raise ValueError("Sparse arrays have no place for a missing entry; pass `y.toarray()`.")
    if isinstance(y, np.ma.MaskedArray):
        y = np.where(np.ma.getmaskarray(y), np.array(None), y.data)
    values = np.asarray(y, dtype=object if isinstance(y, list | tuple) else None)
    if values.dtype.kind == "T":
        values = values.astype(object)
    if values.ndim not in (1, 2):
        raise ValueError(f"Labels and values have one or two dimensions, not {values.ndim}.")
    for position, value in enumerate(values.flat if values.dtype.kind == "O" else ()):
        if isinstance(value, list | tuple | set | frozenset | dict | np.ndarray):
            row = position * len(values) // values.size
            raise ValueError(f"Row {row} holds a {type(value).__name__} in place of a value.")
    return values


def known(y: object) -> Bools:
    """Where entries are known, in the shape of `y`. No number and no text stands for "unknown".

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
    # NaN and NaT do not equal themselves, and whether pandas.NA does is unknown, too.
    unknown = [v is None or type(v).__name__ == "NAType" or bool(v != v) for v in values.flat]
    return ~np.array(unknown, dtype=bool).reshape(values.shape)


def accuracy(y_true: object, y_pred: object, *, sample_weight: MaybeArray = None) -> float:
    """Share of known entries whose class is predicted, over all columns, rows weighted.

    Of labels it is 1 less the Hamming loss, and high for predicting 0 if labels are rare.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,) or (n_rows, n_columns)
    sample_weight : array-like of shape (n_rows,), optional

    Examples
    --------
    >>> accuracy(["cat", None, "dog"], ["cat", "cat", "cat"])
    0.5
    """
    observed = _observed(y_true, y_pred=y_pred)
    true, predicted = _columns(y_true)[observed], _columns(y_pred)[observed]
    _refuse(~known(predicted), y_pred, observed, "y_pred", "the class is known, so predict one.")
    pairs = list(zip(true, predicted, strict=True))
    mixed = np.array([isinstance(a, str) != isinstance(b, str) for a, b in pairs])
    _refuse(mixed, y_pred, observed, "y_pred", "y_true has another type there: text or number.")
    is_share = np.array([isinstance(b, Real) and float(b) % 1 != 0 for b in predicted])
    _refuse(is_share, y_pred, observed, "y_pred", "apply a threshold: a class is needed there.")
    right, weights = [bool(a == b) for a, b in pairs], _check_sample_weight(sample_weight, observed)
    return float(np.average(right, weights=weights[np.nonzero(observed)[0]]))


def micro_auc(y_true: object, y_score: object) -> float:
    """Area under one ROC curve of all known labels, pooled; label frequencies alone reach much.

    Parameters are those of `accuracy`.

    Examples
    --------
    >>> micro_auc([[1, np.nan], [0, 0]], [[0.9, 0.1], [0.2, 0.4]])
    1.0
    """
    _, true, score = _labels(y_true, y_score, "y_score")
    if true.min() == true.max():
        raise ValueError(f"All {true.size} known labels are {true[0]}; a ROC curve needs 0 and 1.")
    return float(complete.roc_auc_score(true, score))


def macro_auc(y_true: object, y_score: object) -> float:
    """Mean area under the ROC curves of the labels that have known zeros and known ones.

    Parameters are those of `accuracy`.

    Examples
    --------
    >>> macro_auc([[1, 0], [0, 0], [1, np.nan]], [[0.9, 0.1], [0.5, 0.2], [0.3, 0.9]])
    0.5
    """
    observed, true, score = _labels(y_true, y_score, "y_score")
    labels = [label for label in _by_column(observed) if np.unique(true[label]).size == 2]
    if not labels:
        raise ValueError(f"None of the {observed.shape[1]} labels has both a known 0 and 1.")
    return float(np.mean([complete.roc_auc_score(true[label], score[label]) for label in labels]))


def ovr_auc(y_true: object, y_score: object, classes: object) -> float:
    """Mean over the known classes of the AUC of the class against the rest ("averaged AUC").

    Parameters are those of `log_loss`, with scores for probabilities.

    Examples
    --------
    >>> ovr_auc(["a", "b", "a"], [[0.8, 0.2], [0.3, 0.7], [0.6, 0.4]], ["a", "b"])
    1.0
    """
    _, codes, scores = _class_codes(y_true, y_score, classes, "y_score")
    present = np.unique(codes)
    if present.size < 2:
        raise ValueError(f"All {codes.size} known rows have the same class; a ROC curve needs two.")
    areas = [complete.roc_auc_score(codes == code, scores[:, code]) for code in present]
    return float(np.mean(areas))


def log_loss(y_true: object, y_proba: object, classes: object = None) -> float:
    """Mean of -log(probability of the truth) of known labels, or of known classes.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,), or of labels (n_rows, n_labels)
    y_proba : array-like of shape (n_rows, n_classes), or of labels that of `y_true`
    classes : array-like of shape (n_classes,), or None for labels

    Examples
    --------
    >>> round(log_loss(["a", None], [[0.5, 0.5], [0.9, 0.1]], ["a", "b"]), 4)
    0.6931
    """
    if classes is None:
        _, codes, one = _labels(y_true, y_proba, "y_proba")
        return float(complete.log_loss(codes, np.column_stack([1 - one, one]), labels=[0, 1]))
    observed, codes, proba = _class_codes(y_true, y_proba, classes, "y_proba")
    totals = proba.sum(axis=1, keepdims=True)
    wrong = (proba < 0) | (np.abs(totals - 1) > 1e-3)  # room for a softmax in float32
    rule = "probabilities of classes are not negative and add up to 1 in every row."
    _refuse(wrong.ravel(), y_proba, observed, "y_proba", rule)
    return float(complete.log_loss(codes, proba / totals, labels=np.arange(proba.shape[1])))


class ReliabilityBin(NamedTuple):
    """Known labels with similar probabilities: their mean, the share of ones, and the number."""

    mean_probability: float
    share_true: float
    n_labels: int


def reliability_bins(
    y_true: object, y_proba: object, n_bins: int = 10
) -> tuple[ReliabilityBin, ...]:
    """Known labels in bins of equal width, each with its upper edge, without empty ones.

    Parameters are those of `accuracy`, with probabilities for predictions.

    Examples
    --------
    >>> reliability_bins([1, 0, None], [0.25, 0.25, 0.5])
    (ReliabilityBin(mean_probability=0.25, share_true=0.5, n_labels=2),)
    """
    if n_bins < 1:
        raise ValueError(f"n_bins must be at least 1, not {n_bins}.")
    _, true, proba = _labels(y_true, y_proba, "y_proba")
    bins = np.searchsorted(np.linspace(0, 1, n_bins + 1)[1:-1], proba)
    sums = (np.bincount(bins, weights).tolist() for weights in (proba, true, None))
    return tuple(
        ReliabilityBin(total / n, one / n, n) for total, one, n in zip(*sums, strict=True) if n
    )


def calibration_error(y_true: object, y_proba: object, n_bins: int = 10) -> float:
    """Mean distance of probability and frequency in the bins of `reliability_bins`.

    Examples
    --------
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
    sets : array-like of bool, of the shape of `y_true` and n_classes, True for classes in the set
    classes : array-like of shape (n_classes,), default=0, 1, ...

    Examples
    --------
    >>> set_coverage(["a", None, "b"], [[True, False], [True, True], [True, False]], ["a", "b"])
    0.5
    """
    true, members = _set_entries(y_true, sets)
    names = list(range(members.shape[1])) if classes is None else label_array(classes).tolist()
    is_true = np.array([[name == value for name in names] for value in true])
    return float((members & is_true).any(axis=1).mean())


def set_size(y_true: object, sets: ArrayLike) -> float:
    """Mean number of classes in the prediction sets of known entries, as of `set_coverage`.

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
    observed = known(_columns(y))
    numbers = _numbers(y, observed, "y").astype(np.float64)
    columns = [numbers[column] for column in _by_column(observed)]
    # Rounding gives equal numbers a tiny standard deviation; their range is exactly zero.
    return np.array([c.std() if c.size and np.ptp(c) > 0 else 0.0 for c in columns])


def rmse(y_true: object, y_pred: object, where: object = None) -> float:
    """Root mean squared error of the known entries of all columns, pooled.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_rows,) or (n_rows, n_columns)
    where : array-like of bool, optional

    Examples
    --------
    >>> rmse([[1.0, 2.0], [3.0, 4.0]], [[4.0, 2.0], [3.0, 8.0]], [[True, False], [False, True]])
    3.5355339059327378
    """
    _, (true, predicted) = _features(y_true, where, y_pred=y_pred)
    return float(complete.root_mean_squared_error(true, predicted))


def normalised_rmse(
    y_true: object, y_pred: object, where: object = None, scale: MaybeArray = None,
    average: Literal["columns", "entries"] = "columns",
) -> float:  # fmt: skip
    """Root mean squared error in units of `scale`, averaged within columns first or over entries.

    Parameters and result are those of `rmse`, with `scale` of shape (n_columns,).

    Examples
    --------
    >>> normalised_rmse([[0.0, 5.0], [2.0, 5.0]], [[1.0, 5.0], [1.0, 9.0]])
    1.0
    """
    where, unit = _in_units(y_true, where, scale)
    column, (true, predicted) = _features(y_true, where, y_pred=y_pred)
    squares = (predicted / unit[column] - true / unit[column]) ** 2
    parts = _by_column(where) if average == "columns" else [np.arange(squares.size)]
    return float(np.sqrt(np.mean([squares[part].mean() for part in parts if part.size])))


def interval_coverage(y_true: object, lower: object, upper: object, where: object = None) -> float:
    """Share of known entries within their intervals, bounds included.

    Parameters are those of `rmse`, with bounds for predictions.

    Examples
    --------
    >>> interval_coverage([[1.0, 2.0]], [[0.0, 3.0]], [[2.0, 9.0]])
    0.5
    """
    _, (true, low, high) = _features(y_true, where, lower=lower, upper=upper)
    return float(np.mean((low <= true) & (true <= high)))


def interval_width(
    y_true: object, lower: object, upper: object, where: object = None, scale: MaybeArray = None
) -> float:
    """Mean width of intervals of known entries, in units of `scale`.

    Examples
    --------
    >>> interval_width([[0.0], [2.0]], [[0.0], [0.0]], [[5.0], [3.0]])
    4.0
    """
    where, unit = _in_units(y_true, where, scale)
    column, (_, low, high) = _features(y_true, where, lower=lower, upper=upper)
    return float(np.mean((high - low) / unit[column]))


def _columns(y: object) -> NDArray[Any]:
    values = label_array(y)
    return values[:, None] if values.ndim == 1 else values


def _by_column(observed: Bools) -> list[Ints]:
    """For each column, the positions of its observed entries among all of them."""
    order = np.argsort(np.nonzero(observed)[1], kind="stable")
    return np.split(order, np.cumsum(observed.sum(axis=0))[:-1])


def _observed(y_true: object, where: object = None, **predictions: object) -> Bools:
    """Entries to score, of shape (n_rows, n_columns). Predictions have the shape of `y_true`."""
    observed = known(_columns(y_true))
    for name, table in predictions.items():
        if (shape := _columns(table).shape) != observed.shape:
            raise ValueError(f"y_true has shape {observed.shape} but {name} has shape {shape}.")
    if where is not None:
        chosen = _columns(np.array(np.asarray(where).tolist()))  # truth values may be objects
        if chosen.dtype != np.bool_ or chosen.shape != observed.shape:
            raise ValueError(f"where is {chosen.dtype} {chosen.shape}, not bool {observed.shape}.")
        observed &= chosen
    if not observed.any():
        raise ValueError("No entry to score is known in y_true, so there is nothing to score.")
    return observed


def _refuse(bad: Bools, y: object, observed: Bools, name: str, rule: str) -> None:
    """Raise an error that names the first bad entry among the observed ones, if there is any."""
    if bad.any():
        row, column = np.argwhere(observed)[bad.argmax()]
        names = list(getattr(y, "columns", range(column + 1)))
        place = f"row {row}, column {names[column]!r}" if label_array(y).ndim == 2 else f"row {row}"
        (value,) = _columns(y)[row, [column]].tolist()
        raise ValueError(f"{name} at {place} is {value!r}; {rule}")


def _numbers(y: object, observed: Bools, name: str) -> NDArray[Any]:
    """Observed entries, which must be finite numbers; float32 stays float32."""
    values = _columns(y)[observed]
    if values.dtype.kind not in "biuf":
        number = Real | Decimal | np.bool_  # text is none, even if it could be read as one
        values = np.array([float(v) if isinstance(v, number) else np.nan for v in values])
    numbers = values if values.dtype == np.float32 else values.astype(np.float64)
    _refuse(~np.isfinite(numbers), y, observed, name, "a finite number is needed there.")
    return numbers


def _labels(y_true: object, y_pred: object, name: str) -> Entries:
    observed = _observed(y_true, **{name: y_pred})
    true = _numbers(y_true, observed, "y_true")
    rule = "a label is 0 or 1, or missing. For classes use accuracy, ovr_auc or log_loss."
    _refuse((true != 0) & (true != 1), y_true, observed, "y_true", rule)
    predicted = _numbers(y_pred, observed, name)
    if name == "y_proba":
        outside = (predicted < 0) | (predicted > 1)
        _refuse(outside, y_pred, observed, name, "a probability lies between 0 and 1.")
    return observed, true.astype(np.int64), predicted


def _class_codes(y_true: object, y_score: object, classes: object, name: str) -> Entries:
    """Codes of known classes, and their rows of scores; the first array is of their shape."""
    true, scores, listed = _columns(y_true), label_array(y_score), label_array(classes)
    if true.shape[1] != 1:
        raise ValueError(f"y_true has shape {true.shape}; pass one column of classes at a time.")
    if listed.ndim != 1 or not known(listed).all() or len(set(listed.tolist())) < listed.size:
        raise ValueError(f"classes has a missing class or one twice: {listed.tolist()}.")
    if scores.shape != (shape := (len(true), listed.size)):
        raise ValueError(f"{name} has shape {scores.shape}, but {shape} is needed (rows, classes).")
    observed = _observed(y_true)
    code_of = {value: code for code, value in enumerate(listed.tolist())}
    codes = np.array([code_of.get(value, -1) for value in true[observed].tolist()])
    _refuse(codes < 0, y_true, observed, "y_true", f"the classes are {listed.tolist()}.")
    observed = observed.repeat(listed.size, axis=1)
    return observed, codes, _numbers(y_score, observed, name).reshape(-1, listed.size)


def _set_entries(y_true: object, sets: ArrayLike) -> tuple[list[Any], Bools]:
    """The known classes, and which classes their prediction sets contain."""
    true, found = label_array(y_true), np.asarray(sets)
    if found.dtype.kind != "b" or found.shape[:-1] != true.shape:
        raise ValueError(f"sets is {found.dtype} {found.shape}, not bool {true.shape} + classes.")
    observed = _observed(y_true).reshape(true.shape)
    return true[observed].tolist(), found[observed]


def _in_units(y_true: object, where: object, scale: MaybeArray) -> tuple[Bools, Floats]:
    """Entries to score in columns that vary, and the unit of every column."""
    observed = _observed(y_true, where)
    unit = column_std(y_true) if scale is None else np.asarray(scale, dtype=np.float64)
    if unit.shape != observed.shape[1:] or not (unit >= 0).all():
        raise ValueError(f"scale must hold {observed.shape[1]} numbers that are not negative.")
    observed &= unit > 0
    if not observed.any():
        raise ValueError("Every column to score is constant, so there is no scale; use rmse.")
    return observed, unit


def _features(y_true: object, where: object, **predictions: object) -> tuple[Ints, list[Floats]]:
    """Columns of the entries to score, and their values in `y_true` and in each prediction."""
    observed = _observed(y_true, where, **predictions)
    tables = {"y_true": y_true, **predictions}
    # float64 before subtracting: squares of float32 differences lose half of the digits.
    values = {name: _numbers(y, observed, name).astype(np.float64) for name, y in tables.items()}
    if "lower" in values:
        crossed = values["lower"] > values["upper"]
        _refuse(crossed, predictions["lower"], observed, "lower", "it lies above its upper bound.")
    return np.nonzero(observed)[1], list(values.values())
