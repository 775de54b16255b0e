"""Why the model says what it says about one row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from halfseen.estimators.rbm_base import RBMBase
from halfseen.explanations.explain_rows import explain_rows
from halfseen.explanations.row_explanation import RowExplanation
from halfseen.explanations.typical_pattern import TypicalPattern


def explain_row(
    model: RBMBase,
    X: Any,
    row: int,
    y: Any = None,
    *,
    target: str | None = None,
    level: float = 0.9,
    method: str = "model",
    patterns: Sequence[TypicalPattern] | None = None,
) -> RowExplanation:
    """Which observed entries of a row pushed which of its labels and holes, and by how much.

    The same as :func:`explain_rows` for one row; see there.

    Parameters
    ----------
    model : HalfseenClassifier or HalfseenImputer
        A fitted model.
    X : array-like or frame of shape (n_rows, n_features)
        The table.
    row : int
        The row, counted from 0.
    y : array-like, series or frame, or None
        What is known of the labels of the table; known labels of the row are entries like others.
    target : str or None
        The one column to explain; None explains all unknown labels and all holes of the row.
    level : float, default=0.9
        How often intervals hold the truth.
    method : {"model", "exact"}, default="model"
        Ask the model as ``predict_proba`` and ``transform`` do, or enumerate a small machine.
    patterns : sequence of TypicalPattern or None
        From :func:`typical_patterns`, to find them only once for many calls.

    Returns
    -------
    RowExplanation

    Examples
    --------
    >>> import pandas as pd
    >>> from halfseen.explanations.example_model import example_model
    >>> model = example_model()  # any fitted model
    >>> people = pd.DataFrame(
    ...     {"age": [75.0, None, 5.0], "smokes": [1, 0, 1], "town": ["Lund", "Bern", None]})
    >>> for answer in explain_row(model, people, 1).answers:
    ...     print(answer)
    ill: 0 (23.1 % for 1)
      town = Bern: -0.285 log-odds
      smokes = 0: -0.277 log-odds
    tired: 0 (43.6 % for 1)
      smokes = 0: -0.172 log-odds
      town = Bern: -0.0793 log-odds
    age: 48.8
      town = Bern: -1.23 own units
      smokes = 0: -0.23 own units
    """
    return explain_rows(
        model, X, [row], y, target=target, level=level, method=method, patterns=patterns
    )[0]
