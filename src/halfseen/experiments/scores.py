"""Scores of predictions: of a whole table, of each label and class, and of intervals and sets."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen import metrics
from halfseen.base.estimator import by_target
from halfseen.data.frames import read_target
from halfseen.experiments.data_sets import Bools, Floats, Record, known_codes
from halfseen.experiments.pipeline import Hidden, Prediction, Question
from halfseen.experiments.significance import RowLosses, auc_influence

# name -> how it is shown
SCORES: Final[dict[str, str]] = {
    "micro_auc": "micro-AUC",
    "macro_auc": "macro-AUC",
    "averaged_auc": "averaged AUC",
    "hamming_accuracy": "Hamming accuracy",
    "accuracy": "accuracy",
    "accuracy_all_entries": "accuracy over all entries (observed ones count as correct)",
    "log_loss": "log-loss",
    "calibration_error": "calibration error",
    "rmse": "RMSE of hidden features",
    "normalised_rmse": "normalised RMSE of hidden features",
    "interval_coverage": "coverage of 90 % intervals",
    "interval_width": "width of 90 % intervals, in standard deviations",
}
_FEWEST_OF_A_CLASS = 20


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
    classes: tuple[ClassScore, ...] = ()

    @property
    def warning(self) -> str:
        """What these scores cannot promise; empty if nothing."""
        if len(self.classes) == 1:
            only = self.classes[0].value
            return f"{self.name}: all scored entries are {only}, so there is no AUC."
        rarest = min(self.classes, key=lambda one: one.n_known, default=None)
        if rarest is None or rarest.n_known >= _FEWEST_OF_A_CLASS:
            return ""
        entries = "entry is" if rarest.n_known == 1 else "entries are"
        return (
            f"{self.name}: only {rarest.n_known} scored {entries} {rarest.value}; its recall, "
            "coverage and AUC promise nothing."
        )


class LabelAnswers(NamedTuple):
    """Predictions of one label beside codes of its known classes, NaN where unknown."""

    classes: tuple[Any, ...]
    truth: Floats  # (n_rows,)
    proba: Floats  # (n_rows, n_classes)
    decided: NDArray[np.int64]  # (n_rows,)
    inside: Bools | None = None  # (n_rows, n_classes)


def label_answers(model: Any, X: Any, y: Any = None, coverage: float = 0.9) -> list[LabelAnswers]:
    """Predictions of a fitted model for the labels of rows, from features alone."""
    schema, proba = model.schema_, model._probabilities(X)
    n_rows, decided = len(proba[0]), model._decided_codes(proba)
    sets: list[Any] = [None] * len(proba)
    if model.calibration_ is not None:
        sets = by_target(model, model._sets(proba, coverage), are_sets=True)
    truths = [np.full(n_rows, np.nan)] * len(proba)
    if y is not None:
        raws = read_target(y, n_rows, str(schema.target_type)).columns
        pairs = zip(schema.targets, raws, strict=True)
        truths = [known_codes(*column.encode(raw)) for column, raw in pairs]
    parts = zip(schema.targets, truths, proba, decided, sets, strict=True)
    return [LabelAnswers(column.categories, *of_target) for column, *of_target in parts]


def label_scores(model: Any, X: Any, y: Any, coverage: float = 0.9) -> list[LabelScore]:
    """Scores of a fitted model for each label of rows, predicted from features alone."""
    names = [column.name for column in model.schema_.targets]
    names = [name if isinstance(name, str) else f"target {name}" for name in names]
    return list(map(score_label, names, label_answers(model, X, y, coverage)))


def score_label(name: str, answers: LabelAnswers) -> LabelScore:
    """Score the predictions of one label."""
    values, truth, proba, decided, inside = answers
    known = ~np.isnan(truth)
    if not known.any():
        return LabelScore(name=name, n_known=0)
    codes = truth[known].astype(np.int64)
    hits, in_set, found = decided[known] == codes, None, dict[str, float]()
    if inside is not None:
        size, in_set = inside[known].sum(axis=1), inside[known, codes]
        found = {"set_coverage": in_set.mean(), "set_size": size.mean(),
                 "share_abstained": (size != 1).mean()}  # fmt: skip
    classes = [
        ClassScore(
            value=str(values[code]), n_known=int(own.sum()), recall=float(hits[own].mean()),
            set_coverage=None if in_set is None else float(in_set[own].mean()),
        )
        for code, own in ((code, codes == code) for code in np.unique(codes))
    ]  # fmt: skip
    shown = slice(1 if proba.shape[1] == 2 else 0, None)
    is_class, chances = np.eye(proba.shape[1])[codes], proba[known].clip(0, 1)
    return LabelScore(
        name=name, n_known=len(codes), auc=_auc(truth, proba), accuracy=float(hits.mean()),
        log_loss=float(-np.log(np.clip(proba[known, codes], 1e-15, 1)).mean()),
        calibration_error=metrics.calibration_error(is_class[:, shown], chances[:, shown]),
        classes=tuple(classes), **found,
    )  # fmt: skip


def _auc(truth: Floats, proba: Floats) -> float | None:
    if len(np.unique(truth[~np.isnan(truth)])) < 2:
        return None
    if proba.shape[1] == 2:
        return metrics.macro_auc(truth[:, np.newaxis], proba[:, 1:])
    return metrics.ovr_auc(truth, proba, list(range(proba.shape[1])))


def table_scores(
    hidden: Hidden, question: Question, found: Prediction, gives_probabilities: bool = True
) -> dict[str, float]:
    """All scores that apply to the hidden entries of a question; labels are decided at one half.

    ``accuracy_all_entries`` is over all known entries, where what is not asked for counts as
    correct: probably what the paper's transductive tables hold. It rises by hiding less.
    """
    result = _of_numbers(hidden, question, found)
    codes = hidden.asked_codes(question)
    if not np.isnan(codes).all():
        for asked, scores in zip(codes.T, found.scores, strict=True):
            if not np.isfinite(scores[~np.isnan(asked)]).all():
                raise ValueError("the method gave a score that is no finite number")
        n_known = int((~np.isnan(hidden.data.codes[hidden.rows(question)])).sum())
        of_labels = _of_labels if hidden.data.target == "labels" else _of_classes
        result |= of_labels(codes, found.scores, gives_probabilities)
        result["accuracy_all_entries"] = 1 - result.pop("n_wrong") / n_known
    return {name: float(value) for name, value in result.items()}


def _of_labels(truth: Floats, scores: list[Floats], is_probability: bool) -> dict[str, float]:
    score, asked = np.stack([one[:, 1] for one in scores], axis=1), ~np.isnan(truth)
    decided = (score > 0.5).astype(float)
    found = {"hamming_accuracy": metrics.accuracy(truth, decided)}
    found["n_wrong"] = int((asked & (decided != truth)).sum())
    if np.unique(truth[asked]).size == 2:
        found["micro_auc"] = metrics.micro_auc(truth, score)
    if ((truth == 0).any(axis=0) & (truth == 1).any(axis=0)).any():
        found["macro_auc"] = metrics.macro_auc(truth, score)
    if is_probability:
        found["log_loss"] = metrics.log_loss(truth, score)
        found["calibration_error"] = metrics.calibration_error(truth, score)
    return found


def _of_classes(truth: Floats, scores: list[Floats], is_probability: bool) -> dict[str, float]:
    """Scores of one target of classes, or means over several."""
    parts, n_wrong = defaultdict[str, list[float]](list), 0
    for codes, score in zip(truth.T, scores, strict=True):
        known = ~np.isnan(codes)
        if not known.any():
            continue
        wrong = int((score.argmax(axis=1)[known] != codes[known]).sum())
        n_wrong += wrong
        parts["accuracy"].append(1 - wrong / int(known.sum()))
        if (auc := _auc(codes, score)) is not None:
            parts["averaged_auc"].append(auc)
        if is_probability:
            is_class = np.eye(score.shape[1])[codes[known].astype(int)]
            parts["log_loss"].append(metrics.log_loss(codes, score, np.arange(score.shape[1])))
            parts["calibration_error"].append(metrics.calibration_error(is_class, score[known]))
    return {name: float(np.mean(values)) for name, values in parts.items()} | {"n_wrong": n_wrong}


def _of_numbers(hidden: Hidden, question: Question, found: Prediction) -> dict[str, float]:
    data, rows = hidden.data, hidden.rows(question)
    truth, asked = data.X[rows], hidden.asked_X[rows] & data.numeric
    result: dict[str, float] = {}
    if found.features is not None and asked.any():
        result["rmse"] = metrics.rmse(truth, found.features, asked)
        scale = metrics.column_std(data.X)
        if (asked & (scale > 0)).any():
            result["normalised_rmse"] = metrics.normalised_rmse(
                truth, found.features, asked, scale, average="entries"
            )
    if (entries := interval_entries(hidden, question, found)) is not None:
        _, held, width = entries
        result |= {"interval_coverage": held.mean(), "interval_width": width.mean()}
    return result


# Numbers of columns, whether the interval holds the truth, and its width in standard deviations.
IntervalEntries = tuple[NDArray[np.int64], Bools, Floats]


def interval_entries(
    hidden: Hidden, question: Question, found: Prediction
) -> IntervalEntries | None:
    """Hidden numbers with an interval."""
    if found.bounds is None:
        return None
    numbers, rows = hidden.data.numbers(), hidden.rows(question)
    truth, (low, high) = numbers[rows], np.moveaxis(found.bounds, -1, 0)
    asked = hidden.asked_X[rows][:, hidden.data.first_of_blocks] & ~np.isnan(truth + low)
    if not asked.any():
        return None
    scale, slack = metrics.column_std(numbers), 1e-6 * np.abs(truth)
    held = (low - slack <= truth) & (truth <= high + slack)
    width = (high - low) / np.where(scale > 0, scale, 1.0)
    return np.nonzero(asked)[1], held[asked], width[asked]


def row_losses(hidden: Hidden, found: Mapping[Question, Prediction]) -> dict[Any, RowLosses]:
    """Losses of each kind of entries that there is."""
    kinds = {
        "labels of new rows": _label_losses(hidden, "new rows", found["new rows"]),
        "hidden labels": _label_losses(hidden, "training rows", found["training rows"]),
        **_feature_losses(hidden, found["training rows"].features),
    }
    return {what: losses for what, losses in kinds.items() if losses is not None}


def _label_losses(hidden: Hidden, question: Question, found: Prediction) -> RowLosses | None:
    """Log-losses of asked labels, and what each row adds to the AUC."""
    codes = hidden.asked_codes(question)
    known = ~np.isnan(codes)
    if not known.any():
        return None
    values, influences, aucs = np.zeros(known.shape), [], []
    for j, proba in enumerate(found.scores):
        truth = codes[known[:, j], j].astype(np.int64)
        values[known[:, j], j] = -np.log(np.clip(proba[known[:, j], truth], 1e-6, 1.0))
        for code in range(1 if proba.shape[1] == 2 else 0, proba.shape[1]):
            of_class = auc_influence(truth == code, proba[known[:, j], code])
            if of_class is not None:
                aucs.append(of_class[0])
                influence = np.zeros(len(codes))
                influence[known[:, j]] = of_class[1] * len(codes) / len(truth)
                influences.append(influence)
    losses = _row_losses(values, known, hidden.rows(question), is_square=False)
    if not aucs:
        return losses
    of_rows = np.mean(influences, axis=0)[known.any(axis=1)]
    scale = len(of_rows) / len(known)  # the mean over used rows stays
    return losses._replace(auc=float(np.mean(aucs)), auc_of_rows=of_rows * scale)


def _feature_losses(hidden: Hidden, features: Floats | None) -> dict[str, RowLosses]:
    """Errors of hidden categories, and squared normalised errors of hidden numbers."""
    if features is None:
        return {}
    data, rows = hidden.data, hidden.rows("training rows")
    truth, asked = data.X[rows], hidden.asked_X[rows]
    squares, errors = [], []
    for block in np.unique(data.blocks):
        own = np.flatnonzero(data.blocks == block)
        scored, of_truth, guess = asked[:, own[0]], truth[:, own], features[:, own]
        if data.numeric[own[0]]:
            scale = float(np.std(of_truth[scored])) if scored.any() else 0.0
            if scale > 0:
                squares.append((np.square((guess - of_truth)[:, 0] / scale), scored))
        elif len(own) == 1:
            errors.append(((guess >= 0.5)[:, 0] != (of_truth >= 0.5)[:, 0], scored))
        else:
            errors.append((guess.argmax(axis=1) != np.nan_to_num(of_truth).argmax(axis=1), scored))
    kinds = {"hidden categories": errors, "hidden numbers": squares}
    found_of: dict[str, RowLosses] = {}
    for what, parts in kinds.items():
        if parts:
            values, known = (np.stack(part, axis=1) for part in zip(*parts, strict=True))
            found_of[what] = _row_losses(values, known, rows, what == "hidden numbers")
    return found_of


def _row_losses(values: Any, scored: Bools, rows: Bools, is_square: bool) -> RowLosses:
    n_entries, used = int(scored.sum()), scored.any(axis=1)
    of_rows = np.where(scored, values, 0.0).sum(axis=1)
    mean = float(of_rows.sum() / max(n_entries, 1))
    weighted = of_rows[used] * used.sum() / max(n_entries, 1)
    metric = math.sqrt(mean) if is_square else mean
    return RowLosses(metric, n_entries, np.flatnonzero(rows)[used], weighted)


def pooled_answers(
    parts: list[tuple[Hidden, Prediction]], j: int, classes: tuple[str, ...]
) -> LabelAnswers:
    """Predictions of one output for new rows, all repeats together."""
    truth = np.concatenate([hidden.asked_codes("new rows")[:, j] for hidden, _ in parts])
    proba = np.concatenate([found.scores[j] for _, found in parts])
    decided = np.concatenate([(found.decided or [])[j] for _, found in parts])
    sets = [found.sets[j] for _, found in parts if found.sets is not None]
    inside = np.concatenate(sets) if len(sets) == len(parts) else None
    return LabelAnswers(classes, truth, proba, decided, inside)
