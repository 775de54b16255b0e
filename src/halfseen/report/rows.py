"""What a model predicts for given rows: scores on known targets, and examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from halfseen.base.estimator import TableClassifier, TableModel
from halfseen.data.frames import Table, read_table
from halfseen.experiments.scores import LabelAnswers, LabelScore, label_answers, score_label
from halfseen.explain import ExplainedPrediction, explain_rows
from halfseen.metrics import ReliabilityBin, reliability_bins
from halfseen.plot import column_label, value_label
from halfseen.report.facts import COVERAGE

_MOST_CELLS = 4  # missing features that are shown of an example
_MOST_EFFECTS = 3
_MOST_EXAMPLES = 6


class Predictions(NamedTuple):
    """Given rows, and what the model predicts for their targets from their features."""

    model: TableModel
    X: Any
    y: Any
    table: Table
    rows: Sequence[Any]  # their names: as given, else of the index of a data frame, else positions
    answers: list[LabelAnswers]  # of each target
    codes: list[NDArray[np.int64]]  # of known targets, -1 where unknown

    @classmethod
    def of(cls, model: TableModel, X: Any, y: Any, rows: Sequence[Any] | None = None) -> Self:
        """Predict the targets of all rows, which are not given to the model."""
        table, answers = read_table(X), list[LabelAnswers]()
        if rows is None:
            rows = X.index.tolist() if hasattr(X, "iloc") else range(table.n_rows)
        if len(rows) != table.n_rows:
            raise ValueError(f"rows has {len(rows)} names, and X {table.n_rows} rows.")
        if isinstance(model, TableClassifier):
            answers = label_answers(model, X, y, COVERAGE)
        codes = [np.nan_to_num(one.truth, nan=-1).astype(np.int64) for one in answers]
        return cls(model, X, y, table, rows, answers, codes)

    def scores(self) -> list[LabelScore]:
        """Scores of each target that has known entries."""
        targets = zip(self.model.schema_.targets, self.answers, strict=True)
        scores = [score_label(column_label(c.name, is_target=True), one) for c, one in targets]
        return [score for score in scores if score.n_known]

    def reliability(self) -> tuple[ReliabilityBin, ...]:
        """Probabilities and frequencies, all classes pooled; of two classes the second alone."""
        pairs = [
            (np.where(codes < 0, np.nan, codes == code), answers.proba[:, code])
            for codes, answers in zip(self.codes, self.answers, strict=True)
            for code in range(len(answers.classes) == 2, len(answers.classes))
        ]
        truth, proba = zip(*pairs, strict=True)
        return reliability_bins(np.stack(truth, axis=1), np.stack(proba, axis=1))


def examples(found: Predictions) -> list[dict[str, Any]]:
    """Some rows: right and wrong, certain and not, of the rarest class, and unknown."""
    n_observed = found.table.observed.sum(axis=1)
    chosen = list(_choose(found, n_observed))[:_MOST_EXAMPLES]
    if not chosen:
        return []
    positions = [row for row, _ in chosen]
    schema = found.model.schema_
    # Targets are explained known or not, because y is not given.
    columns = list(range(len(schema.features), len(schema.columns)))
    targets = explain_rows(found.model, found.X, rows=positions, columns=columns).predictions
    given = explain_rows(found.model, found.X, found.y, rows=positions).predictions
    intervals = None
    if found.model.calibration_ is not None:
        intervals = found.model.predict_interval(found.X, COVERAGE)
    shown = []
    for row, why in chosen:
        features = [one for one in given if one.row == row and not one.is_target]
        of_targets = (one for one in targets if one.row == row)
        cells = [_target_cell(found, row, j, one) for j, one in enumerate(of_targets)]
        cells += [_feature_cell(found, row, one, intervals) for one in features[:_MOST_CELLS]]
        n_more = max(0, len(features) - _MOST_CELLS)
        example = {"row": found.rows[row], "why": why, "n_observed": int(n_observed[row])}
        shown.append(example | {"cells": cells, "n_more": n_more})
    return shown


def _choose(found: Predictions, n_observed: NDArray[np.int64]) -> Iterator[tuple[int, str]]:
    """Rows and why they are shown, each row once."""
    picks: list[tuple[NDArray[np.float64], str]] = []  # the row with the largest number is shown
    n_rows, answers, codes = len(n_observed), found.answers, np.array(found.codes)
    is_known = codes >= 0
    if is_known.any():
        known, pairs = is_known.any(axis=0), zip(codes, answers, strict=True)
        worst = np.min(
            [np.where(own < 0, 1.0, one.proba[np.arange(n_rows), own]) for own, one in pairs],
            axis=0,
        )
        wrong = (is_known & (np.array([one.decided for one in answers]) != codes)).any(axis=0)
        picks.append((np.where(known & wrong, 1 - worst, -1.0), "the largest error"))
        picks.append((np.where(known & ~wrong, worst, -1.0), "right, and the most certain"))
        counts = [np.bincount(of_target[of_target >= 0]).tolist() for of_target in found.codes]
        n_each = [(n, j, code) for j, own in enumerate(counts) for code, n in enumerate(own) if n]
        _, j, code = min(n_each)
        rare = np.where(codes[j] == code, answers[j].proba[:, code], -1.0)
        name = column_label(found.model.schema_.targets[j].name, is_target=True)
        value = value_label(answers[j].classes[code])
        picks.append((rare, f"of the rarest class, {name} = {value}"))
    if answers:
        unknown = ~is_known.any(axis=0)
        certainty = np.min([one.proba.max(axis=1) for one in answers], axis=0)
        picks.append((np.where(unknown, 1 - certainty, -1.0), "unknown, and the least certain"))
        picks.append((np.where(unknown, certainty, -1.0), "unknown, and the most certain"))
    n_missing = (found.table.observed.shape[1] - n_observed).astype(float)
    some = np.where((n_missing > 0) & (n_observed > 0), n_missing, -1.0)
    few = np.where(some > 0, 1 / (1 + np.abs(some)), -1.0)
    off_half = np.abs(n_missing / found.table.observed.shape[1] - 0.5)
    half = np.where((some > 0) & (off_half < 0.2), 1 - off_half, -1.0)
    picks += [(some, "most is missing"), (half, "about half is missing")]
    taken = np.zeros(n_rows, bool)
    for size, why in [*picks, (few, "least is missing")]:
        row = int(np.where(taken, -1.0, size).argmax())
        if size[row] >= 0 and not taken[row]:
            taken[row] = True
            yield row, why


def _target_cell(
    found: Predictions, row: int, j: int, explained: ExplainedPrediction
) -> dict[str, Any]:
    """A target as predicted from the features, beside its truth, None where unknown."""
    column, answers = found.model.schema_.targets[j], found.answers[j]
    code, decided = int(found.codes[j][row]), int(answers.decided[row])
    members = () if answers.inside is None else np.flatnonzero(answers.inside[row])
    return _cell(explained, column.categories[decided]) | {
        "probability": float(answers.proba[row, column.categories.index(explained.event)]),
        "set": [column.categories[k] for k in members],
        "truth": None if code < 0 else column.categories[code],
        "is_wrong": code >= 0 and decided != code,
    }


def _feature_cell(
    found: Predictions, row: int, explained: ExplainedPrediction, intervals: Any
) -> dict[str, Any]:
    """A missing feature as filled from all that is known, with its interval if it is a number."""
    features, value = found.model.schema_.features, explained.value
    j = [column.name for column in features].index(explained.column)
    of_number: dict[str, Any] = {"in_ranks": features[j].type == "ordinal"}
    if features[j].is_number:
        rounded: Any = round if features[j].whole else float
        value = float(rounded(value))
        if intervals is not None:
            # They come from the features alone, the value from known targets, too.
            low, high = map(rounded, intervals[row, j].tolist())
            of_number["bounds"] = (float(min(low, value)), float(max(high, value)))
    return _cell(explained, value) | of_number


def _cell(explained: ExplainedPrediction, value: Any) -> dict[str, Any]:
    moved = [effect for effect in explained.effects[:_MOST_EFFECTS] if effect.change]
    return {
        "column": explained.column, "is_target": explained.is_target, "value": value,
        "event": explained.event, "probability": explained.probability, "bounds": None, "set": (),
        "truth": None, "is_wrong": False, "effects": moved, "in_ranks": False,
    }  # fmt: skip
