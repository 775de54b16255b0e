"""What an estimator says about labels and classes, whatever shape it comes in."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.scoring._label_array import label_array
from halfseen.scoring._place import column_name
from halfseen.scoring.known import known


class LabelOutput(NamedTuple):
    """Labels with the probability of 1.

    Attributes
    ----------
    true : object of shape (n_rows,) or (n_rows, n_labels)
        Labels 0 or 1, missing where unknown.
    probability : ndarray of the same shape
        Probability that the label is 1.
    """

    true: object
    probability: NDArray[Any]


class ClassOutput(NamedTuple):
    """One column of classes with the probability of each class.

    Attributes
    ----------
    name : str
        What the column is called in an error message.
    true : ndarray of shape (n_rows,)
        Classes, missing where unknown.
    probability : ndarray of shape (n_rows, n_classes)
        One column per class.
    classes : list
        The class of every column of `probability`.
    """

    name: str
    true: NDArray[Any]
    probability: NDArray[Any]
    classes: list[Any]


def estimator_outputs(estimator: Any, X: object, y: object) -> LabelOutput | list[ClassOutput]:
    """Ask an estimator for probabilities and see whether they are of labels or of classes.

    One array with one column per column of a two-dimensional `y` holds
    probabilities of labels; one array beside a single column `y` holds
    probabilities of its classes; a list holds one such array per column of
    `y`. A class that is known in `y` but that the estimator never met gets
    probability zero, which is what the estimator implies; every candidate
    trained on the same rows bears it alike.

    Parameters
    ----------
    estimator : fitted classifier
        Has ``predict_proba`` and, for classes, ``classes_``.
    X : table of shape (n_rows, n_features)
        Rows to score.
    y : array-like of shape (n_rows,) or (n_rows, n_columns)
        Labels or classes, missing where unknown.

    Returns
    -------
    LabelOutput or list of ClassOutput
        Classes come as one element per column.
    """
    answer = estimator.predict_proba(X)
    true = label_array(y)
    columns = true[:, None] if true.ndim == 1 else true
    n_columns = columns.shape[1]
    if isinstance(answer, list):
        if len(answer) != n_columns:
            raise ValueError(
                f"predict_proba gives {len(answer)} arrays, but y has {n_columns} columns; score "
                "with the columns the estimator was fitted on."
            )
        named = [column_name(y, column) for column in range(n_columns)]
        several = zip(named, columns.T, answer, estimator.classes_, strict=True)
        return [_class_output(*output) for output in several]
    probability = np.asarray(answer)
    if probability.ndim == 1 or probability.shape[1] == 1 or n_columns > 1:
        return LabelOutput(y, probability)
    return [_class_output("y", columns[:, 0], probability, estimator.classes_)]


def label_output(output: LabelOutput | list[ClassOutput]) -> LabelOutput:
    """Read columns of two classes as labels: the second class of each is 1.

    Parameters
    ----------
    output : LabelOutput or list of ClassOutput
        What `estimator_outputs` found.

    Returns
    -------
    LabelOutput
        With one column per column of classes.
    """
    if isinstance(output, LabelOutput):
        return output
    pairs = [_as_label(column) for column in output]
    return LabelOutput(
        np.column_stack([true for true, _ in pairs]),
        np.column_stack([probability for _, probability in pairs]),
    )


def _class_output(
    name: str, true: NDArray[Any], probability: object, classes: object
) -> ClassOutput:
    met = label_array(classes).tolist()
    # A dict keeps the order of first appearance, which a set would not.
    unmet = [value for value in dict.fromkeys(true[known(true)].tolist()) if value not in met]
    for value in unmet:
        if any(isinstance(value, str) != isinstance(other, str) for other in met):
            raise ValueError(
                f"{name} holds {value!r}, but the estimator knows the classes {met}: text and "
                "numbers are never equal; use one kind for both."
            )
    answered = np.asarray(probability)
    nothing = np.zeros((answered.shape[0], len(unmet)), dtype=answered.dtype)
    return ClassOutput(name, true, np.hstack([answered, nothing]), [*met, *unmet])


def _as_label(output: ClassOutput) -> tuple[NDArray[np.float64], NDArray[Any]]:
    classes = output.classes
    if len(classes) > 2:
        raise ValueError(
            f"{output.name} has {len(classes)} classes ({classes}); this score takes labels of two "
            "values. Use 'averaged_auc' for classes."
        )
    if len(classes) == 1 and classes[0] not in (0, 1):
        raise ValueError(
            f"{output.name} has the one class {classes[0]!r}, so it cannot be told which value "
            "of the label is 1; write labels as 0 and 1."
        )
    # The larger one even where the estimator met only one of them.
    one = 1 if len(classes) == 1 else max(classes)
    observed = known(output.true)
    true = np.full(observed.shape, np.nan)
    true[observed] = [value == one for value in output.true[observed].tolist()]
    if one not in classes:
        return true, np.zeros(observed.shape)
    return true, output.probability[:, classes.index(one)]
