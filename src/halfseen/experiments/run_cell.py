"""One cell of a study: choose settings; hide, fit, predict, score."""

from __future__ import annotations

import contextlib
import math
import resource
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines.baseline import Baseline, NotInductive
from halfseen.baselines.tuner import tune
from halfseen.experiments.answer_scores import Answer, reliability_bins, score_answer
from halfseen.experiments.cell_data import HiddenRows, cell_data, hidden_rows, write_pictures
from halfseen.experiments.data_sets import DataSet
from halfseen.experiments.methods import method_with, why_not
from halfseen.experiments.plan import Cell
from halfseen.experiments.record import Record, Status, TunedSettings
from halfseen.experiments.run_folder import versions

COVERAGE: Final = 0.9  # of intervals
_TUNING_SEED = 0
_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def tuning_grid(cell: Cell) -> dict[str, Sequence[Any]]:
    """What the tuner may choose from; empty if nothing is tuned. What the plan sets is not tuned.

    >>> cell = Cell("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None, "halfseen")
    >>> tuning_grid(cell)
    {}
    """
    if cell.limits.tuning_tries <= 1 or cell.limits.tuning_seconds <= 0:
        return {}
    try:
        method = method_with(cell.method, cell.settings)
    except ImportError:
        return {}
    if cell.task == "inductive" and not method.inductive:
        return {}
    return {name: values for name, values in method.grid.items() if name not in cell.settings}


def tune_cell(cell: Cell) -> TunedSettings:
    """Choose settings on observed entries of realisation 0, for all realisations of a cell."""
    began = time.perf_counter()
    try:
        data = cell_data(cell)
        rows = hidden_rows(replace(cell, realisation=_TUNING_SEED), data)
        method = method_with(cell.method, cell.settings, _TUNING_SEED)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tuned = tune(
                method,
                tuning_grid(cell),
                rows.X[rows.fitted],
                rows.Y[rows.fitted],
                data.target,
                budget=cell.limits.tuning_tries,
                seconds=cell.limits.tuning_seconds,
                seed=_TUNING_SEED,
            )
    except Exception as error:
        why = f"not tuned: {type(error).__name__}: {error}"
        return TunedSettings(why=why, seconds=time.perf_counter() - began, series=cell.series)
    seconds = time.perf_counter() - began
    n_tried, n_planned = len(tuned.losses), len(tuned.candidates)
    return TunedSettings(tuned.best, n_tried, n_planned, seconds, series=cell.series)


def run_cell(cell: Cell, tuned: TunedSettings, run: Path) -> Record:
    """Run one method on one realisation; whatever it raises becomes part of the record.

    Pictures go to the run folder.
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
        forget_peak()
        began = time.perf_counter()
        method.fit(rows.X[rows.fitted], rows.Y[rows.fitted], data.target)
        answer = _predicted(cell, method, data, rows)
        seconds, megabytes = time.perf_counter() - began, peak_megabytes()
        answer = _with_new_features(cell, method, answer, rows)
        answer = _with_bounds(method, answer, rows)
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
        seconds=seconds,
        megabytes=megabytes,
        feature_source="" if method.imputes else method.feature_source,
        target=data.target,
        n_rows=data.X.shape[0],
        n_features=data.X.shape[1],
        n_labels=data.Y.shape[1],
    )


def _predicted(cell: Cell, method: Baseline, data: DataSet, rows: HiddenRows) -> Answer:
    if cell.task == "transductive":
        return Answer(*method.complete())
    is_new = ~rows.fitted
    scores = np.full(data.Y.shape, math.nan)
    scores[is_new] = method.predict_scores(rows.X[is_new])
    return Answer(None, scores)


def _with_new_features(cell: Cell, method: Baseline, answer: Answer, rows: HiddenRows) -> Answer:
    """With the features of new rows, where the method completes them."""
    is_new = ~rows.fitted
    of_new = method.complete_new(rows.X[is_new]) if cell.task == "inductive" else None
    if of_new is None:
        return answer
    features = rows.X.copy()
    features[is_new] = of_new
    return Answer(features, answer.scores)


def _with_bounds(method: Baseline, answer: Answer, rows: HiddenRows) -> Answer:
    """With intervals of the rows that are scored, where the method has any."""
    asked = rows.asked_features.any(axis=1)
    found = method.interval(rows.X[asked], COVERAGE) if asked.any() else None
    if found is None:
        return answer
    bounds: NDArray[np.float64] = np.full((*rows.X.shape, 2), math.nan)
    bounds[asked] = found
    return Answer(answer.features, answer.scores, bounds[..., 0], bounds[..., 1])


def forget_peak() -> None:
    """Count the peak of memory from now on, where the system can (Linux)."""
    with contextlib.suppress(OSError):
        _CLEAR.write_text("5")


def peak_megabytes() -> float:
    """Largest memory of this process since `forget_peak`.

    >>> 10 < peak_megabytes() < 1e6
    True
    """
    # On Linux, getrusage also counts the process that started this one.
    with contextlib.suppress(OSError):
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 2**10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10
