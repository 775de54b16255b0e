"""What a model predicts for given rows: scores on known targets, and examples."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from halfseen.base.estimator import TableClassifier, TableModel
from halfseen.data.frames import Table, read_table
from halfseen.data.raw import category_key, plain
from halfseen.explain import EntryEffect, ExplainedPrediction, explain_rows
from halfseen.metrics import ReliabilityBin, accuracy, log_loss, ovr_auc, reliability_bins
from halfseen.plot import (
    GroupCoverage,
    coverage_by_class,
    known_codes,
    sets_of_targets,
    value_label,
)
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
    codes: list[NDArray[np.int64]]  # of known targets, -1 where unknown; none without targets
    probabilities: list[NDArray[np.float64]]  # of each target, (n_rows, n_classes)
    decided: list[NDArray[np.int64]]

    @classmethod
    def of(cls, model: TableModel, X: Any, y: Any, rows: Sequence[Any] | None = None) -> Self:
        """Predict the targets of all rows, which are not given to the model."""
        table = read_table(X)
        if rows is None:
            rows = X.index.tolist() if hasattr(X, "iloc") else range(table.n_rows)
        if len(rows) != table.n_rows:
            raise ValueError(f"rows has {len(rows)} names, and X {table.n_rows} rows.")
        if not isinstance(model, TableClassifier):
            return cls(model, X, y, table, rows, [], [], [])
        targets, n_rows = model.schema_.targets, table.n_rows
        unknown = [np.full(n_rows, -1)] * len(targets)
        codes = unknown if y is None else known_codes(model, y, n_rows)
        values = np.asarray(model.predict(X)).reshape(n_rows, -1).T.tolist()
        decided = [
            np.array([list(map(category_key, column.categories)).index(category_key(value))
                      for value in of_target])
            for column, of_target in zip(targets, values, strict=True)
        ]  # fmt: skip
        return cls(model, X, y, table, rows, codes, _probabilities(model, X), decided)

    @property
    def n_known(self) -> int:
        """Number of known target entries."""
        return sum(int((codes >= 0).sum()) for codes in self.codes)


class TargetScore(NamedTuple):
    """Scores of a target on its known entries; AUC is None if all are of one class."""

    target: Name
    n_known: int
    accuracy: float
    most_frequent: float  # accuracy of always predicting the most frequent class
    auc: float | None
    log_loss: float


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


def target_scores(found: Predictions) -> list[TargetScore]:
    """Scores of each target that has known entries."""
    scores = []
    for column, codes, proba, decided in zip(
        found.model.schema_.targets, found.codes, found.probabilities, found.decided, strict=True
    ):
        truth, classes = np.where(codes < 0, np.nan, codes), range(len(column.categories))
        counts = np.bincount(codes[codes >= 0], minlength=len(classes))
        if not counts.sum():
            continue
        scores.append(
            TargetScore(
                column.name, int(counts.sum()), accuracy(truth, decided),
                float(counts.max() / counts.sum()),
                ovr_auc(truth, proba, list(classes)) if (counts > 0).sum() > 1 else None,
                log_loss(truth, proba, list(classes)),
            )
        )  # fmt: skip
    return scores


def target_reliability(found: Predictions) -> tuple[ReliabilityBin, ...]:
    """Probabilities and frequencies, all classes pooled; of two classes the second alone."""
    truth, proba = [], []
    for codes, of_target in zip(found.codes, found.probabilities, strict=True):
        classes = range(1 if of_target.shape[1] == 2 else 0, of_target.shape[1])
        truth += [np.where(codes < 0, np.nan, codes == code) for code in classes]
        proba += [of_target[:, code] for code in classes]
    return reliability_bins(np.stack(truth, axis=1), np.stack(proba, axis=1))


def target_coverage(found: Predictions, y: Any) -> tuple[GroupCoverage, ...]:
    """Coverage of prediction sets by class; empty without validation entries."""
    model = found.model
    if not isinstance(model, TableClassifier) or model.calibration_ is None:
        return ()
    return coverage_by_class(model, found.X, y, COVERAGE)


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
    intervals = sets = None
    if found.model.calibration_ is not None:
        intervals = found.model.predict_interval(found.X, COVERAGE)
        if isinstance(found.model, TableClassifier):
            sets = sets_of_targets(found.model, found.X, COVERAGE)
    shown = []
    for row, why in chosen:
        of_row = [prediction for prediction in explained if prediction.row == row]
        targets = [p for p in of_row if p.is_target]
        features = [p for p in of_row if not p.is_target]
        cells = [_target_cell(found, row, j, p, sets) for j, p in enumerate(targets)]
        cells += [_feature_cell(found, row, p, intervals) for p in features[:_MOST_CELLS]]
        n_more = max(0, len(features) - _MOST_CELLS)
        shown.append(Example(found.rows[row], why, int(n_observed[row]), tuple(cells), n_more))
    return shown


def _choose(found: Predictions, n_observed: NDArray[np.int64]) -> Iterator[tuple[int, str]]:
    """Rows and why they are shown, each row once."""
    picks: list[tuple[NDArray[np.float64], str]] = []  # the row with the largest number is shown
    n_rows = len(n_observed)
    if found.n_known:
        pairs = list(zip(found.codes, found.probabilities, strict=True))
        of_truth = np.array(
            [np.where(codes < 0, 1.0, p[np.arange(n_rows), codes]) for codes, p in pairs]
        )
        is_known = np.array(found.codes) >= 0
        wrong = (is_known & (np.array(found.decided) != np.array(found.codes))).any(axis=0)
        known = is_known.any(axis=0)
        worst = of_truth.min(axis=0)
        picks += [
            (np.where(known & wrong, 1 - worst, -1.0), "the largest error"),
            (np.where(known & ~wrong, worst, -1.0), "right, and the most certain"),
        ]
        j, code = _rarest(found.codes)
        rare = np.where(found.codes[j] == code, found.probabilities[j][:, code], -1.0)
        column = found.model.schema_.targets[j]
        picks.append((rare, f"of the rarest class, {value_label(column.categories[code])}"))
    if found.probabilities:
        unknown = np.all([codes < 0 for codes in found.codes], axis=0)
        certainty = np.min([p.max(axis=1) for p in found.probabilities], axis=0)
        picks.append((np.where(unknown, 1 - certainty, -1.0), "unknown, and the least certain"))
        picks.append((np.where(unknown, certainty, -1.0), "unknown, and the most certain"))
    n_missing = (found.table.observed.shape[1] - n_observed).astype(float)
    some = np.where((n_missing > 0) & (n_observed > 0), n_missing, -1.0)
    few = np.where(some > 0, 1 / (1 + np.abs(some)), -1.0)
    half = np.where(some > 0, 1 - np.abs(n_missing / found.table.observed.shape[1] - 0.5), -1.0)
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


def _target_cell(
    found: Predictions, row: int, j: int, explained: ExplainedPrediction, sets: Any
) -> Cell:
    column, code = found.model.schema_.targets[j], int(found.codes[j][row])
    event = column.categories.index(explained.event)
    decided = int(found.decided[j][row])
    members = () if sets is None else np.flatnonzero(sets[j][row])
    return Cell(
        column.name, True, column.categories[decided], explained.event,
        float(found.probabilities[j][row, event]), None,
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


def _probabilities(model: TableClassifier, X: Any) -> list[NDArray[np.float64]]:
    """Probabilities of all classes of each target."""
    proba = model.predict_proba(X)
    if model.schema_.target_type == "multilabel-indicator":
        return [np.stack([1 - of_label, of_label], axis=1) for of_label in proba.T]
    return proba if isinstance(proba, list) else [proba]
