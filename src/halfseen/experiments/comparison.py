"""Methods side by side: the same masks for all, each run in a process of its own."""

from __future__ import annotations

import resource
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np

from halfseen.baselines.baseline import Baseline, CompletedTable
from halfseen.baselines.tuner import tune
from halfseen.experiments.data_sets import DataSet, load_data_set
from halfseen.experiments.hiding import HiddenTable, hide_completely_at_random
from halfseen.experiments.methods import method_named
from halfseen.scoring import averaged_auc, micro_auc, rmse


@dataclass(frozen=True)
class Task:
    """What the methods are compared on."""

    data_set: str
    feature_rate: float
    label_rate: float
    n_rows: int | None = None


class Scores(NamedTuple):
    """How one method did on one mask; hidden entries only."""

    auc: float  # micro-AUC for labels, averaged one-vs-rest AUC for classes
    accuracy: float  # share of hidden labels right at one half, or of hidden classes at the arg max
    rmse: float  # pooled, in the data's own units
    seconds: float  # fitting and completing
    megabytes: float  # peak memory of the process


@dataclass
class MethodResult:
    """One line of the table."""

    method: str
    settings: dict[str, Any] = field(default_factory=dict)
    scores: list[Scores] = field(default_factory=list)
    feature_source: str = ""
    not_run: str = ""


def scored(
    data: DataSet, hidden: HiddenTable, completed: CompletedTable
) -> tuple[float, float, float]:
    """AUC, accuracy and RMSE over the hidden entries."""
    if data.target == "classes":
        rows = hidden.hidden_labels.all(axis=1)
        truth = np.argmax(data.Y[rows], axis=1)
        total = completed.scores[rows].sum(axis=1, keepdims=True)
        shares = completed.scores[rows] / np.where(total > 0, total, 1.0)
        auc = averaged_auc(truth, shares, np.arange(data.Y.shape[1]))
        accuracy = float(np.mean(np.argmax(completed.scores[rows], axis=1) == truth))
    else:
        truth = data.Y[hidden.hidden_labels]
        score = completed.scores[hidden.hidden_labels]
        auc = micro_auc(truth, score)
        accuracy = float(np.mean((score > 0.5) == (truth > 0.5)))
    error = rmse(data.X, completed.features, hidden.hidden_features)
    return float(auc), accuracy, float(error)


def run_cell(task: Task, name: str, settings: dict[str, Any], seed: int) -> Scores:
    """Fit one method on one mask, complete the table, score what was hidden."""
    data, hidden = _hidden(task, seed)
    method = method_named(name).set_params(**settings)
    started = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        completed = method.fit(hidden.X, hidden.Y, data.target).complete()
    seconds = time.perf_counter() - started
    return Scores(*scored(data, hidden, completed), seconds, peak_megabytes())


def tuned_settings(task: Task, name: str, seed: int, budget: int) -> dict[str, Any]:
    """Settings chosen on the observed entries of one mask."""
    data, hidden = _hidden(task, seed)
    method = method_named(name)
    grid = getattr(method, "grid", {})
    if not grid:
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tune(method, grid, hidden.X, hidden.Y, data.target, budget=budget, seed=seed).best


def compare(
    task: Task,
    names: Sequence[str],
    n_masks: int,
    *,
    budget: int,
    timeout: float,
    tell: Callable[[str], None],
) -> Iterator[MethodResult]:
    """Run every method on the same masks, and yield the result of each when it is done.

    Hyper-parameters are tuned once, on the observed entries of the first mask. A method that fails,
    or takes longer than ``timeout`` seconds for one mask, is reported as not run, with the reason.
    """
    for name in names:
        result = MethodResult(name)
        try:
            method: Baseline = method_named(name)
            result.feature_source = "" if method.imputes else method.feature_source
            tell(f"{name}: choosing settings")
            result.settings = _in_own_process(
                tuned_settings, (task, name, 0, budget), timeout * budget
            )
            for seed in range(n_masks):
                tell(f"{name}: mask {seed + 1} of {n_masks}")
                cell = (task, name, result.settings, seed)
                result.scores.append(_in_own_process(run_cell, cell, timeout))
        except TimeoutError:
            result.not_run = f"took longer than {timeout:g} s for one mask"
        except BrokenProcessPool:
            result.not_run = "its process died (out of memory?)"
        except ImportError as error:
            result.not_run = str(error)
        except Exception as error:
            result.not_run = f"{type(error).__name__}: {error}"
        yield result


def peak_megabytes() -> float:
    """Largest memory of this process so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10


def _hidden(task: Task, seed: int) -> tuple[DataSet, HiddenTable]:
    data = load_data_set(task.data_set, task.n_rows)
    hidden = hide_completely_at_random(
        data.X,
        data.Y,
        feature_rate=task.feature_rate,
        label_rate=task.label_rate,
        target=data.target,
        seed=seed,
    )
    return data, hidden


def _in_own_process(function: Callable[..., Any], arguments: tuple[Any, ...], limit: float) -> Any:
    """The result of a function in a fresh process, whose memory and failures are its own."""
    pool = ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn"))
    try:
        return pool.submit(function, *arguments).result(timeout=limit)
    except TimeoutError:
        for process in list((pool._processes or {}).values()):
            process.kill()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
