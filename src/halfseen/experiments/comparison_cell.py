"""One method on one mask: what each process of a comparison does."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.baselines.baseline import CompletedTable
from halfseen.baselines.tuner import tune
from halfseen.experiments.comparison_memory import forget_peak, peak_megabytes
from halfseen.experiments.data_sets import DataSet, load_data_set
from halfseen.experiments.hiding import HiddenTable, hide_completely_at_random
from halfseen.experiments.methods import method_named
from halfseen.scoring import averaged_auc, micro_auc, rmse

_OWN_STREAM = 49_979_687


@dataclass(frozen=True)
class Task:
    """What the methods are compared on.

    With ``new_share``, that share of the rows is new: methods are fitted on the others, and all
    labels of the new rows are asked for, given what is left of their features.
    """

    data_set: str
    feature_rate: float
    label_rate: float
    n_rows: int | None = None
    new_share: float = 0.0


class Scores(NamedTuple):
    """How one method did on one mask; hidden entries only."""

    auc: float  # micro-AUC for labels, averaged one-vs-rest AUC for classes
    accuracy: float  # share of hidden labels right at one half, or of hidden classes at the arg max
    rmse: float  # pooled, in the data's own units; NaN for new rows
    seconds: float  # fitting and completing
    megabytes: float  # peak memory of the process, with libraries and data


class Choice(NamedTuple):
    """Settings chosen on observed entries, and among how many."""

    settings: dict[str, Any]
    n_tried: int
    n_planned: int


class Cell(NamedTuple):
    """The rows that are fitted, and those that are new."""

    data: DataSet
    hidden: HiddenTable
    fitted: NDArray[np.bool_]  # (n_rows,)


def hidden_cell(task: Task, seed: int) -> Cell:
    """The data set with entries hidden; the same for every method."""
    data = load_data_set(task.data_set, task.n_rows)
    hidden = hide_completely_at_random(
        data.X,
        data.Y,
        feature_rate=task.feature_rate,
        label_rate=task.label_rate,
        target=data.target,
        seed=seed,
    )
    draw = np.random.default_rng([seed, _OWN_STREAM]).random(len(data.X))
    return Cell(data, hidden, draw >= task.new_share)


def scored(
    data: DataSet, hidden: HiddenTable, completed: CompletedTable
) -> tuple[float, float, float]:
    """AUC, accuracy and RMSE over the hidden entries."""
    auc, accuracy = scored_labels(data, hidden.hidden_labels, completed.scores)
    return auc, accuracy, float(rmse(data.X, completed.features, hidden.hidden_features))


def scored_labels(
    data: DataSet, asked: NDArray[np.bool_], scores: NDArray[np.float64]
) -> tuple[float, float]:
    """AUC and accuracy over the labels that are asked for."""
    if data.target == "classes":
        rows = asked.all(axis=1)
        truth = np.argmax(data.Y[rows], axis=1)
        total = scores[rows].sum(axis=1, keepdims=True)
        shares = scores[rows] / np.where(total > 0, total, 1.0)
        auc = averaged_auc(truth, shares, np.arange(data.Y.shape[1]))
        return float(auc), float(np.mean(np.argmax(scores[rows], axis=1) == truth))
    truth, score = data.Y[asked], scores[asked]
    return float(micro_auc(truth, score)), float(np.mean((score > 0.5) == (truth > 0.5)))


def run_cell(task: Task, name: str, settings: dict[str, Any], seed: int) -> Scores:
    """Fit one method on one mask, complete or predict, score what was hidden."""
    data, hidden, fitted = hidden_cell(task, seed)
    method = method_named(name).set_params(**settings)
    forget_peak()
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        method.fit(hidden.X[fitted], hidden.Y[fitted], data.target)
        if task.new_share:
            predicted = method.predict_scores(hidden.X[~fitted])
        else:
            completed = method.complete()
    seconds = time.perf_counter() - started
    if not task.new_share:
        return Scores(*scored(data, hidden, completed), seconds, peak_megabytes())
    scores = np.zeros(data.Y.shape)
    scores[~fitted] = predicted
    asked = ~fitted[:, None] & ~np.isnan(data.Y)
    return Scores(*scored_labels(data, asked, scores), np.nan, seconds, peak_megabytes())


def chosen_settings(task: Task, name: str, seed: int, budget: int, seconds: float | None) -> Choice:
    """Settings chosen on the observed entries of one mask, within a number of tries and seconds.

    With one try or no time, the method keeps its own settings, and nothing is fitted.
    """
    method = method_named(name)
    if not method.grid or budget == 1 or seconds == 0:
        return Choice({}, 0, 0)
    data, hidden, fitted = hidden_cell(task, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tuned = tune(
            method,
            method.grid,
            hidden.X[fitted],
            hidden.Y[fitted],
            data.target,
            budget=budget,
            seconds=seconds,
            seed=seed,
        )
    return Choice(tuned.best, len(tuned.losses), len(tuned.candidates))
