"""Share of known entries that were predicted right."""

from __future__ import annotations

import numpy as np

from halfseen.scoring._label_array import label_array
from halfseen.scoring._place import place
from halfseen.scoring.known import known


def accuracy(y_true: object, y_pred: object) -> float:
    """Share of known entries whose class was predicted right.

    With one column this is the accuracy over the rows whose class is known.
    With several columns of classes every known entry counts once, whatever its
    column.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,) or (n_rows, n_columns)
        True classes (numbers, text, truth values), missing where unknown.
    y_pred : array-like of the same shape
        Predicted classes. Entries whose truth is unknown are not looked at.

    Returns
    -------
    float
        Between 0 and 1.

    Raises
    ------
    ValueError
        When no class is known, a prediction is missing where the class is
        known, or text is compared with numbers.

    See Also
    --------
    hamming_accuracy : The same share for labels 0 or 1, with their values checked.

    Examples
    --------
    >>> accuracy(["cat", None, "dog"], ["cat", "cat", "cat"])
    0.5
    >>> accuracy([["a", 1], [None, 2]], [["a", 1], ["b", 1]])  # 2 of 3 known entries
    0.6666666666666666
    """
    true, predicted = label_array(y_true), label_array(y_pred)
    true_columns = true[:, None] if true.ndim == 1 else true
    predicted_columns = predicted[:, None] if predicted.ndim == 1 else predicted
    if true_columns.shape != predicted_columns.shape:
        raise ValueError(
            f"y_true has shape {true.shape} but y_pred has shape {predicted.shape}; every entry "
            "needs one prediction."
        )
    observed = known(true_columns)
    if not observed.any():
        raise ValueError("No class in y_true is known, so there is nothing to score.")
    missing = np.argwhere(observed & ~known(predicted_columns))
    if missing.size:
        at = place(y_true, true.ndim, int(missing[0][0]), int(missing[0][1]))
        raise ValueError(f"y_pred is missing at {at}, where the class is known; predict every row.")
    values, predictions = true_columns[observed], predicted_columns[observed]
    n_right = 0
    for entry, (value, prediction) in enumerate(zip(values, predictions, strict=True)):
        if isinstance(value, str) != isinstance(prediction, str):
            row, column = (int(index) for index in np.argwhere(observed)[entry])
            at = place(y_true, true.ndim, row, column)
            raise ValueError(
                f"At {at} y_true is {values.tolist()[entry]!r} and y_pred is "
                f"{predictions.tolist()[entry]!r}: text and numbers are never equal; use one kind "
                "for both."
            )
        n_right += bool(value == prediction)
    return n_right / values.size
