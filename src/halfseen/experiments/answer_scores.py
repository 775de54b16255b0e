"""Every score of what a method predicts for hidden entries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from halfseen.experiments.data_sets import DataSet
from halfseen.metrics import (
    ReliabilityBin,
    accuracy,
    calibration_error,
    hamming_accuracy,
    interval_coverage,
    interval_width,
    log_loss,
    macro_auc,
    micro_auc,
    normalised_rmse,
    ovr_auc,
    rmse,
)
from halfseen.metrics import reliability_bins as bins_of_labels

_DECIDED_AT = 0.5


@dataclass(frozen=True, eq=False)
class Answer:
    """What a method predicts for all rows; what is not asked for is not looked at."""

    features: NDArray[np.float64] | None  # (n_rows, n_features), completed, if the method does
    scores: NDArray[np.float64]  # (n_rows, n_labels), larger for labels that are more likely
    # Bounds of the features, NaN where there are none; None if the method gives none.
    lower: NDArray[np.float64] | None = None
    upper: NDArray[np.float64] | None = None


@dataclass(frozen=True)
class AnswerScores:
    """How right an answer is where it was asked for; NaN where a score does not apply.

    Attributes
    ----------
    micro_auc, macro_auc, hamming_accuracy : float
        Of labels; each label is decided at one half.
    averaged_auc, accuracy : float
        Of classes; the class is the one with the largest score.
    accuracy_all_entries : float
        Hamming accuracy of labels, or accuracy of classes, over all known entries or rows, where
        whatever was not asked for counts as right: probably what the paper's transductive tables
        hold. It rises by asking less.
    log_loss, calibration_error : float
        Of labels or classes, if scores are probabilities; the calibration error of classes is over
        all of them, each against the rest.
    rmse, standardised_rmse : float
        Of numbers, pooled: in raw units, and in standard deviations of their columns.
    interval_coverage, interval_width : float
        Share of numbers within their bounds, and how far these are apart in standard deviations.

    """

    micro_auc: float = np.nan
    macro_auc: float = np.nan
    averaged_auc: float = np.nan
    hamming_accuracy: float = np.nan
    accuracy: float = np.nan
    accuracy_all_entries: float = np.nan
    log_loss: float = np.nan
    calibration_error: float = np.nan
    rmse: float = np.nan
    standardised_rmse: float = np.nan
    interval_coverage: float = np.nan
    interval_width: float = np.nan


def score_answer(
    data: DataSet,
    asked_features: NDArray[np.bool_],
    asked_labels: NDArray[np.bool_],
    answer: Answer,
    gives_probabilities: bool,
) -> AnswerScores:
    """Score an answer where it was asked for and the truth is known.

    With classes, rows count of which every label is asked for. An answer without a finite number
    where it was asked for one is refused.

    >>> data = DataSet("two", np.zeros((4, 1)), np.array([[0.0], [1.0], [1.0], [0.0]]), "labels")
    >>> asked = np.array([[True], [True], [False], [False]])
    >>> answer = Answer(None, np.array([[0.6], [0.9], [0.0], [0.0]]))
    >>> scores = score_answer(data, np.zeros((4, 1), bool), asked, answer, True)
    >>> scores.micro_auc, scores.hamming_accuracy, scores.accuracy_all_entries, scores.rmse
    (1.0, 0.5, 0.75, nan)
    """
    of_labels = _scores_of_labels if data.target == "labels" else _scores_of_classes
    return AnswerScores(
        **of_labels(data.Y, asked_labels & ~np.isnan(data.Y), answer.scores, gives_probabilities),
        **_scores_of_features(data, asked_features & ~np.isnan(data.X), answer),
    )


def reliability_bins(
    data: DataSet, asked_labels: NDArray[np.bool_], answer: Answer, gives_probabilities: bool
) -> tuple[ReliabilityBin, ...]:
    """Ten bins of probabilities beside what came true; those that are empty are left out.

    Nothing if scores are no probabilities, or nothing was asked for.

    >>> data = DataSet("two", np.zeros((2, 1)), np.array([[0.0], [1.0]]), "labels")
    >>> answer = Answer(None, np.array([[0.25], [0.25]]))
    >>> reliability_bins(data, np.ones((2, 1), bool), answer, True)
    (ReliabilityBin(mean_probability=0.25, share_true=0.5, n_labels=2),)
    >>> reliability_bins(data, np.ones((2, 1), bool), answer, False)
    ()
    """
    asked = asked_labels & ~np.isnan(data.Y)
    rows = asked.all(axis=1) if data.target == "classes" else asked.any(axis=1)
    if not gives_probabilities or not rows.any():
        return ()
    scores = answer.scores[rows]
    if data.target == "classes":
        scores = _shares(scores)
    return bins_of_labels(np.where(asked, data.Y, np.nan)[rows], scores)


def _scores_of_labels(
    Y: NDArray[np.float64],
    asked: NDArray[np.bool_],
    scores: NDArray[np.float64],
    gives_probabilities: bool,
) -> dict[str, float]:
    if not asked.any():
        return {}
    _check_finite(scores, asked)
    true = np.where(asked, Y, np.nan)
    decided = (scores > _DECIDED_AT).astype(float)
    found = {
        "hamming_accuracy": hamming_accuracy(true, decided),
        "accuracy_all_entries": 1 - (asked & (decided != Y)).sum() / (~np.isnan(Y)).sum(),
    }
    if np.unique(true[asked]).size == 2:
        found["micro_auc"] = micro_auc(true, scores)
    has_curve = (asked & (Y == 0)).any(axis=0) & (asked & (Y == 1)).any(axis=0)
    if has_curve.any():
        found["macro_auc"] = macro_auc(true, scores)
    if gives_probabilities:
        found["log_loss"] = log_loss(true, scores)
        found["calibration_error"] = calibration_error(true, scores)
    return {name: float(value) for name, value in found.items()}


def _scores_of_classes(
    Y: NDArray[np.float64],
    asked: NDArray[np.bool_],
    scores: NDArray[np.float64],
    gives_probabilities: bool,
) -> dict[str, float]:
    rows: NDArray[np.bool_] = np.asarray(asked.all(axis=1))
    if not rows.any():
        return {}
    _check_finite(scores, np.broadcast_to(rows[:, None], Y.shape))
    true, predicted = np.argmax(Y[rows], axis=1), np.argmax(scores[rows], axis=1)
    shares, classes = _shares(scores[rows]), np.arange(Y.shape[1])
    known = ~np.isnan(Y).any(axis=1)
    found = {
        "accuracy": accuracy(true, predicted),
        "accuracy_all_entries": 1 - (true != predicted).sum() / known.sum(),
    }
    if np.unique(true).size >= 2:
        found["averaged_auc"] = ovr_auc(true, shares, classes)
    if gives_probabilities:
        found["log_loss"] = log_loss(true, shares, classes)
        found["calibration_error"] = calibration_error(Y[rows], shares)
    return {name: float(value) for name, value in found.items()}


def _scores_of_features(
    data: DataSet, asked: NDArray[np.bool_], answer: Answer
) -> dict[str, float]:
    if data.numeric is not None:
        asked = asked & data.numeric
    if not asked.any():
        return {}
    found = {}
    varies = _varies(data.X)
    if answer.features is not None:
        found["rmse"] = rmse(data.X, answer.features, asked)
        if (asked & varies).any():
            found["standardised_rmse"] = normalised_rmse(
                data.X, answer.features, asked, average="entries"
            )
    if answer.lower is None or answer.upper is None:
        return found
    bounded = asked & ~np.isnan(answer.lower) & ~np.isnan(answer.upper)
    if bounded.any():
        found["interval_coverage"] = interval_coverage(data.X, answer.lower, answer.upper, bounded)
    if (bounded & varies).any():
        found["interval_width"] = interval_width(data.X, answer.lower, answer.upper, bounded)
    return found


def _varies(X: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether a column holds two known values that differ."""
    missing = np.isnan(X)
    lowest = np.where(missing, np.inf, X).min(axis=0)
    varies: NDArray[np.bool_] = lowest < np.where(missing, -np.inf, X).max(axis=0)
    return varies


def _shares(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scores of classes as shares of their sum; all classes alike where they add up to nothing."""
    total = scores.sum(axis=1, keepdims=True)
    nothing = (scores == 0).all(axis=1, keepdims=True)
    shares: NDArray[np.float64] = np.where(
        nothing, 1 / scores.shape[1], scores / np.where(total > 0, total, 1.0)
    )
    return shares


def _check_finite(scores: NDArray[np.float64], asked: NDArray[np.bool_]) -> None:
    rows, labels = np.nonzero(asked & ~np.isfinite(scores))
    if len(rows):
        raise ValueError(
            f"the method gave {scores[rows[0], labels[0]]} for label {labels[0]} of row {rows[0]} "
            "instead of a score"
        )
