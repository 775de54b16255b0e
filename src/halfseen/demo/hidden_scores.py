"""Scores of an answer on the hidden entries, and on nothing else."""

from __future__ import annotations

from typing import NamedTuple

from halfseen.demo.answer import Answer
from halfseen.demo.hidden_digits import HiddenDigits
from halfseen.metrics import accuracy, ovr_auc, rmse


class HiddenScores(NamedTuple):
    """How well hidden labels and hidden pixels were found.

    Attributes
    ----------
    accuracy : float
        Share of the hidden labels that are right.
    averaged_auc : float
        Mean over the classes of the AUC of each against the rest, on hidden labels.
    rmse : float or None
        Root mean squared error of the hidden pixels in grey levels; None if they were not filled.

    Examples
    --------
    >>> HiddenScores(accuracy=0.9, averaged_auc=0.99, rmse=None).accuracy
    0.9
    """

    accuracy: float
    averaged_auc: float
    rmse: float | None


def score_hidden(digits: HiddenDigits, answer: Answer) -> HiddenScores:
    """Compare an answer with the truth where the truth was hidden.

    Parameters
    ----------
    digits : HiddenDigits
        What was asked.
    answer : Answer
        What came back, for all rows.

    Returns
    -------
    HiddenScores

    Examples
    --------
    >>> import numpy as np
    >>> from halfseen.demo.hidden_digits import hide_digits
    >>> digits = hide_digits(slice(0, 100), 0.5, seed=0)
    >>> truth = Answer(digits.labels, np.eye(10)[digits.labels], np.arange(10), digits.pixels)
    >>> score_hidden(digits, truth)
    HiddenScores(accuracy=1.0, averaged_auc=1.0, rmse=0.0)
    """
    labels = digits.hidden_labels_only
    return HiddenScores(
        accuracy=accuracy(labels, answer.labels),
        averaged_auc=ovr_auc(labels, answer.scores, answer.classes),
        rmse=None
        if answer.pixels is None
        else rmse(digits.pixels, answer.pixels, ~digits.observed_pixels),
    )
