"""Run one cell: hide, fit, answer, score."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import asdict, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines.baseline import Baseline, NotInductive
from halfseen.baselines.our_machine import OurMachine
from halfseen.experiments.answer_scores import Answer, reliability_bins, score_answer
from halfseen.experiments.cell import Cell
from halfseen.experiments.cell_data import HiddenRows, cell_data, hidden_rows
from halfseen.experiments.cell_pictures import write_pictures
from halfseen.experiments.cell_tuning import TunedSettings
from halfseen.experiments.completed_new_rows import completed_new_rows
from halfseen.experiments.data_sets import DataSet
from halfseen.experiments.method_with import method_with
from halfseen.experiments.methods import why_not
from halfseen.experiments.peak_memory import forget_peak, peak_megabytes
from halfseen.experiments.record import Record, Status
from halfseen.experiments.versions import versions

LEVEL = 0.9  # of intervals


class _Fitted(NamedTuple):
    method: Baseline
    answer: Answer
    seconds: float
    megabytes: float


def run_cell(cell: Cell, tuned: TunedSettings, run: Path) -> Record:
    """Run one method on one realisation; whatever it raises becomes part of the record.

    Parameters
    ----------
    cell : Cell
        What to run.
    tuned : TunedSettings
        Settings that were chosen for it.
    run : Path
        The run folder, for pictures.

    Returns
    -------
    Record
        "done" with scores, or "failed" or "left_out" with the reason.
    """
    try:
        return _done(cell, tuned, run)
    except (NotInductive, ImportError) as error:
        return record_without_scores(cell, "left_out", str(error), tuned)
    except Exception as error:
        return record_without_scores(cell, "failed", f"{type(error).__name__}: {error}", tuned)


def record_without_scores(
    cell: Cell, status: Status, why: str, tuned: TunedSettings | None = None
) -> Record:
    """The record of a cell that has no result.

    Parameters
    ----------
    cell : Cell
        What was asked.
    status : {"failed", "left_out"}
        Whether it was tried.
    why : str
        The reason.
    tuned : TunedSettings or None
        Settings that were chosen for it, if any were.

    Returns
    -------
    Record

    Examples
    --------
    >>> cell = Cell("scene", "inductive", "at_random", "at_random", 0.5, 0.5, None, "mc1")
    >>> record_without_scores(cell, "left_out", "It is transductive only.").why
    'It is transductive only.'
    """
    tuned = tuned or TunedSettings()
    return Record(
        cell.data_set,
        cell.task,
        cell.feature_hiding,
        cell.label_hiding,
        cell.feature_rate,
        cell.label_rate,
        cell.new_feature_rate,
        cell.method,
        cell.variant,
        cell.realisation,
        {**tuned.settings, **cell.settings},
        tuned.n_tried,
        tuned.n_planned,
        status,
        why,
        versions=versions(),
        key=cell.key,
    )


def _done(cell: Cell, tuned: TunedSettings, run: Path) -> Record:
    why = why_not(cell.method, cell.data_set)
    if why:
        return record_without_scores(cell, "left_out", why, tuned)
    method = method_with(cell.method, {**tuned.settings, **cell.settings}, cell.realisation)
    if cell.task == "inductive" and not method.inductive:
        raise NotInductive(method.method)
    data = cell_data(cell)
    rows = hidden_rows(cell, data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = _fitted(cell, method, data, rows)
        answer = _with_bounds(fitted.method, fitted.answer, rows)
        scores = score_answer(
            data, rows.asked_features, rows.asked_labels, answer, method.gives_probabilities
        )
        bins = reliability_bins(data, rows.asked_labels, answer, method.gives_probabilities)
    if data.image is not None and answer.features is not None:
        write_pictures(run, cell.key, data, rows, answer.features)
    return replace(
        record_without_scores(cell, "done", tuned.why, tuned),
        scores=asdict(scores),
        reliability=tuple((float(p), float(share), float(n)) for p, share, n in bins),
        seconds=fitted.seconds,
        megabytes=fitted.megabytes,
        feature_source="" if method.imputes else method.feature_source,
        target=data.target,
        n_rows=data.X.shape[0],
        n_features=data.X.shape[1],
        n_labels=data.Y.shape[1],
    )


def _fitted(cell: Cell, method: Baseline, data: DataSet, rows: HiddenRows) -> _Fitted:
    forget_peak()
    began = time.perf_counter()
    method.fit(rows.X[rows.fitted], rows.Y[rows.fitted], data.target)
    features: NDArray[np.float64] | None = None
    if cell.task == "transductive":
        features, scores = method.complete()
    else:
        is_new = ~rows.fitted
        scores = np.full(data.Y.shape, math.nan)
        scores[is_new] = method.predict_scores(rows.X[is_new])
    seconds, megabytes = time.perf_counter() - began, peak_megabytes()
    if cell.task == "inductive":
        of_new = completed_new_rows(method, rows.X[is_new])
        if of_new is not None:
            features = rows.X.copy()
            features[is_new] = of_new
    return _Fitted(method, Answer(features, scores), seconds, megabytes)


def _with_bounds(method: Baseline, answer: Answer, rows: HiddenRows) -> Answer:
    """The answer with intervals of the asked rows, where the method has any."""
    asked = rows.asked_features.any(axis=1)
    if not isinstance(method, OurMachine) or not method.has_intervals or not asked.any():
        return answer
    bounds: NDArray[np.float64] = np.full((*rows.X.shape, 2), math.nan)
    bounds[asked] = method.interval(rows.X[asked], LEVEL)
    return Answer(answer.features, answer.scores, bounds[..., 0], bounds[..., 1])
