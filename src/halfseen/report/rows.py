"""What a model predicts for given rows: scores on known targets, and examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from halfseen.base.estimator import TableClassifier, TableModel
from halfseen.data.frames import Table, read_table
from halfseen.data.raw import plain
from halfseen.experiments.scores import LabelAnswers, LabelScore, label_answers, score_label
from halfseen.explain import EntryEffect, ExplainedPrediction, explain_rows
from halfseen.metrics import ReliabilityBin, reliability_bins
from halfseen.plot import column_label, value_label
from halfseen.report.facts import COVERAGE, Name

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


class Cell(NamedTuple):
    """A target, as predicted from the features, or a missing feature, as filled from all known."""

    column: Name
    is_target: bool
    value: Any
    event: Any  # what the probability is of; None for numbers
    probability: float | None
    bounds: tuple[float, float] | None  # of a number
    set: tuple[Any, ...]  # of a target
    truth: Any  # None where unknown
    is_wrong: bool
    effects: tuple[EntryEffect, ...]
    in_ranks: bool  # unit of the effects on an ordinal column


class Example(NamedTuple):
    """A row, why it is shown, and its predictions."""

    row: Any
    why: str
    n_observed: int
    cells: tuple[Cell, ...]
    n_more: int  # missing features that are not shown


def examples(found: Predictions) -> list[Example]:
    """Some rows: right and wrong, certain and not, of the rarest class, and unknown."""
    n_observed = found.table.observed.sum(axis=1)
    chosen = list(_choose(found, n_observed))[:_MOST_EXAMPLES]
    if not chosen:
        return []
    positions = [row for row, _ in chosen]
    n_columns, n_targets = len(found.model.schema_.columns), len(found.model.schema_.targets)
    explained: list[ExplainedPrediction] = []
    if n_targets:  # known or not, because y is not given
        columns = list(range(n_columns - n_targets, n_columns))
        explained += explain_rows(found.model, found.X, rows=positions, columns=columns).predictions
    given = explain_rows(found.model, found.X, found.y, rows=positions).predictions
    explained += [prediction for prediction in given if not prediction.is_target]
    intervals = None
    if found.model.calibration_ is not None:
        intervals = found.model.predict_interval(found.X, COVERAGE)
    shown = []
    for row, why in chosen:
        of_row = [prediction for prediction in explained if prediction.row == row]
        targets = [p for p in of_row if p.is_target]
        features = [p for p in of_row if not p.is_target]
        cells = [_target_cell(found, row, j, p) for j, p in enumerate(targets)]
        cells += [_feature_cell(found, row, p, intervals) for p in features[:_MOST_CELLS]]
        n_more = max(0, len(features) - _MOST_CELLS)
        shown.append(Example(found.rows[row], why, int(n_observed[row]), tuple(cells), n_more))
    return shown


def _choose(found: Predictions, n_observed: NDArray[np.int64]) -> Iterator[tuple[int, str]]:
    """Rows and why they are shown, each row once."""
    picks: list[tuple[NDArray[np.float64], str]] = []  # the row with the largest number is shown
    n_rows = len(n_observed)
    answers, is_known = found.answers, np.array(found.codes) >= 0
    if is_known.any():
        pairs = zip(found.codes, answers, strict=True)
        of_truth = np.array(
            [np.where(codes < 0, 1.0, one.proba[np.arange(n_rows), codes]) for codes, one in pairs]
        )
        decided = np.array([one.decided for one in answers])
        wrong = (is_known & (decided != np.array(found.codes))).any(axis=0)
        known = is_known.any(axis=0)
        worst = of_truth.min(axis=0)
        picks += [
            (np.where(known & wrong, 1 - worst, -1.0), "the largest error"),
            (np.where(known & ~wrong, worst, -1.0), "right, and the most certain"),
        ]
        j, code = _rarest(found.codes)
        rare = np.where(found.codes[j] == code, answers[j].proba[:, code], -1.0)
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
    picks.append((few, "least is missing"))
    taken: set[int] = set()
    for size, why in picks:
        size = np.where(np.isin(np.arange(n_rows), list(taken)), -1.0, size)
        if size.max() >= 0:
            taken.add(int(size.argmax()))
            yield int(size.argmax()), why


def _rarest(codes: list[NDArray[np.int64]]) -> tuple[int, int]:
    """Target and code of the class with the fewest known entries, but at least one."""
    counted = [np.unique(of_target[of_target >= 0], return_counts=True) for of_target in codes]
    _, j, code = min(
        (n, j, code)
        for j, (found, counts) in enumerate(counted)
        for code, n in zip(found.tolist(), counts.tolist(), strict=True)
    )
    return j, code


def _target_cell(found: Predictions, row: int, j: int, explained: ExplainedPrediction) -> Cell:
    column, answers = found.model.schema_.targets[j], found.answers[j]
    event = column.categories.index(explained.event)
    code, decided = int(found.codes[j][row]), int(answers.decided[row])
    members = () if answers.inside is None else np.flatnonzero(answers.inside[row])
    return Cell(
        column.name, True, column.categories[decided], explained.event,
        float(answers.proba[row, event]), None,
        tuple(column.categories[k] for k in members),
        None if code < 0 else column.categories[code], code >= 0 and decided != code,
        _moved(explained), False,
    )  # fmt: skip


def _feature_cell(
    found: Predictions, row: int, explained: ExplainedPrediction, intervals: Any
) -> Cell:
    features = found.model.schema_.features
    j = [column.name for column in features].index(explained.column)
    value: Any = plain(explained.value)
    bounds = None
    if features[j].is_number and features[j].whole:
        value = float(round(value))
    if intervals is not None and features[j].is_number:
        # They come from the features alone, the value from known targets, too.
        low, high = intervals[row, j].tolist()
        if features[j].whole:
            low, high = round(low), round(high)
        bounds = (float(min(low, value)), float(max(high, value)))
    return Cell(
        explained.column, False, value, explained.event, explained.probability, bounds, (), None,
        False, _moved(explained), features[j].type == "ordinal",
    )  # fmt: skip


def _moved(explained: ExplainedPrediction) -> tuple[EntryEffect, ...]:
    return tuple(effect for effect in explained.effects[:_MOST_EFFECTS] if effect.change)
