"""How well labels are predicted: of a saved model, and within an evaluation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict

from halfseen import metrics
from halfseen.data.columns import Column
from halfseen.data.frames import read_target
from halfseen.data.schema import Schema

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


class Record(BaseModel):
    """A part of a result."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ClassScore(Record):
    """One class of a label, over its known entries."""

    value: str
    n_known: int
    recall: float  # share of them that are predicted
    set_coverage: float | None = None  # share of them that prediction sets hold


class LabelScore(Record):
    """How well a label is predicted, over its known entries; None where nothing can be scored."""

    name: str
    n_known: int
    auc: float | None = None
    log_loss: float | None = None
    accuracy: float | None = None
    calibration_error: float | None = None
    set_coverage: float | None = None
    set_size: float | None = None
    share_abstained: float | None = None
    accuracy_where_sure: float | None = None
    classes: tuple[ClassScore, ...] = ()


class LabelAnswers(NamedTuple):
    """Answers for one label: codes of its known classes, NaN where unknown, and predictions."""

    column: Column
    truth: Floats  # (n_rows,)
    proba: Floats  # (n_rows, n_classes)
    decided: NDArray[np.int64]  # (n_rows,)
    inside: Bools | None = None  # (n_rows, n_classes)


def label_answers(
    model: Any, X: Any, y: Any, coverage: float | None = 0.9, proba: Any = None
) -> list[LabelAnswers]:
    """Answers of a model for the labels of rows, by default from features alone."""
    schema: Schema = model.schema_
    proba = _by_label(schema, model.predict_proba(X) if proba is None else proba)
    n_rows = len(proba[0])
    raws = read_target(y, n_rows, str(schema.target_type)).columns
    sets: list[Any] = [None] * len(proba)
    if coverage is not None and model.calibration_ is not None:
        sets = _by_label(schema, model.predict_set(X, coverage), are_sets=True)
    answers = []
    for j, (column, raw) in enumerate(zip(schema.targets, raws, strict=True)):
        decided = proba[j].argmax(axis=1)
        if schema.target_type == "multilabel-indicator":
            decided = (proba[j][:, 1] > model.thresholds_[j]).astype(np.int64)
        answers.append(LabelAnswers(column, _codes(column, raw), proba[j], decided, sets[j]))
    return answers


def score_label(name: str, answers: LabelAnswers) -> LabelScore:
    """Score the answers for one label."""
    column, truth, proba, decided, inside = answers
    known = ~np.isnan(truth)
    if not known.any():
        return LabelScore(name=name, n_known=0)
    codes, values = truth[known].astype(np.int64), [str(v) for v in column.categories]
    right, in_set = decided[known] == codes, None
    found: dict[str, Any] = {}
    if inside is not None:
        members = inside[known]
        in_set = members[np.arange(len(codes)), codes]
        sure = members.sum(axis=1) == 1
        found = {
            "set_coverage": float(in_set.mean()), "set_size": float(members.sum(axis=1).mean()),
            "share_abstained": float(1 - sure.mean()),
            "accuracy_where_sure": float(right[sure].mean()) if sure.any() else None,
        }  # fmt: skip
    classes = []
    for code in np.unique(codes).tolist():
        own = codes == code
        covered = None if in_set is None else float(in_set[own].mean())
        classes.append(
            ClassScore(
                value=values[code], n_known=int(own.sum()), recall=float(right[own].mean()),
                set_coverage=covered,
            )
        )  # fmt: skip
    of_truth = proba[known][np.arange(len(codes)), codes]
    hit = (codes[:, np.newaxis] == np.arange(proba.shape[1])).astype(np.float64)
    shown = proba[known][:, 1:] if proba.shape[1] == 2 else proba[known]
    return LabelScore(
        name=name, n_known=len(codes), auc=_auc(truth, proba),
        log_loss=float(-np.log(np.clip(of_truth, 1e-15, 1)).mean()),
        accuracy=float(right.mean()),
        calibration_error=metrics.calibration_error(hit[:, -shown.shape[1] :], shown.clip(0, 1)),
        classes=tuple(classes), **found,
    )  # fmt: skip


def _by_label(schema: Schema, found: Any, are_sets: bool = False) -> list[Any]:
    """Probabilities or sets of each label, of shape (n_rows, n_classes)."""
    if isinstance(found, list):
        return found
    if schema.target_type != "multilabel-indicator":
        return [found]
    if are_sets:
        return list(np.moveaxis(found, 1, 0))
    return [np.stack([1 - one, one], axis=1) for one in np.asarray(found, np.float64).T]


def _codes(column: Column, raw: Any) -> Floats:
    values, observed = column.encode(raw)
    codes = values.argmax(axis=1) if column.n_units > 1 else values[:, 0]
    return np.where(observed, codes, np.nan)


def _auc(truth: Floats, proba: Floats) -> float | None:
    known = ~np.isnan(truth)
    if len(np.unique(truth[known])) < 2:
        return None
    if proba.shape[1] == 2:
        return metrics.macro_auc(truth[:, np.newaxis], proba[:, 1:])
    return metrics.ovr_auc(truth, proba, list(range(proba.shape[1])))
