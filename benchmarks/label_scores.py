"""The two scores of labels that every table of a benchmark shows."""

from __future__ import annotations

from typing import NamedTuple

from halfseen.baselines.baseline import TargetKind
from halfseen.experiments.answer_scores import AnswerScores


class LabelScores(NamedTuple):
    """How right the labels are that were asked for."""

    auc: float  # micro-AUC of labels, mean of one against the rest of classes
    accuracy: float  # share right at one half of labels, at the arg max of classes


def label_scores(found: AnswerScores, target: TargetKind) -> LabelScores:
    """Those of labels, or those of classes."""
    if target == "classes":
        return LabelScores(found.averaged_auc, found.accuracy)
    return LabelScores(found.micro_auc, found.hamming_accuracy)
