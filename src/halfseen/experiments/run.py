"""Run the cells of a plan that have no record yet, side by side in processes that may die alone."""

from __future__ import annotations

import math
import os
import platform
import sys
import threading
import time
import warnings
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.metadata import version
from multiprocessing import connection, get_context, parent_process
from pathlib import Path
from statistics import fmean
from typing import Any, Final, NamedTuple
from unittest import mock

import numpy as np
from joblib import cpu_count
from pebble import ProcessExpired, ProcessPool

from halfseen._version import __version__
from halfseen.baselines.baseline import Baseline, tune
from halfseen.experiments.data_sets import DataSet, load_data_set, read_user_table
from halfseen.experiments.pipeline import (
    Hidden,
    Prediction,
    Question,
    fit_and_predict,
    hide,
    method_named,
)
from halfseen.experiments.plan import Cell, Plan, PlanError, TableChoice, cells_of
from halfseen.experiments.records import (
    CellRecord,
    Pictures,
    PlanLine,
    Status,
    Tuning,
    append,
    locked,
    read_run,
)
from halfseen.experiments.scores import table_scores

NEW_SHARE: Final = 0.3  # of the rows, in the inductive task
# One thread each: with as many processes as cores nothing is gained by more, and a sum over
# threads comes out differently for different numbers of them.
_ONE_THREAD: Final = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS",
     "NUMEXPR_NUM_THREADS", "NPROC"), "1",  # the last one is of JAX
)  # fmt: skip
_SPLIT_STREAM = 86_028_121
_N_PICTURES = 10
_LONGEST_WAIT = 1.0
_TOO_SLOW = "took longer than"


def hidden_of(cell: Cell) -> Hidden:
    """The data of a cell with its entries hidden, the same for every method."""
    data, seed = _loaded(cell.data_set, cell.table, cell.n_rows), cell.realisation
    new_rows = None
    if cell.task == "inductive":
        order = np.random.default_rng([seed, _SPLIT_STREAM]).permutation(len(data.X))
        new_rows = np.isin(np.arange(len(data.X)), order[: round(NEW_SHARE * len(data.X))])
    return hide(
        data, feature_rate=cell.feature_rate, label_rate=cell.label_rate, seed=seed,
        new_rows=new_rows, new_feature_rate=cell.new_feature_rate,
        feature_mechanism=cell.feature_mechanism, label_mechanism=cell.label_mechanism,
    )  # fmt: skip


@lru_cache(maxsize=2)
def _loaded(name: str, table: TableChoice | None, n_rows: int | None) -> DataSet:
    if table is None:
        return load_data_set(name, n_rows)
    how = {"ignore": table.ignore, "missing": table.missing}
    return read_user_table(table.file, table.labels, **how, name=name, n_rows=n_rows)


def tuning_grid(cell: Cell) -> dict[str, Sequence[Any]]:
    """What the tuner may choose from; what the plan sets is not tuned, nor are our own methods."""
    method = method_named(cell.method, cell.settings)
    is_tuned = cell.limits.tuning_tries > 1 and cell.limits.tuning_seconds > 0
    can = isinstance(method, Baseline) and (method.inductive or cell.task != "inductive")
    grid = method.grid if is_tuned and can else {}
    return {name: values for name, values in grid.items() if name not in cell.settings}


def tune_cell(cell: Cell) -> Tuning:
    """Choose settings on observed entries of realisation 0, for all realisations of a cell."""
    began, found = time.perf_counter(), dict[str, Any]()
    try:
        hidden = hidden_of(cell.model_copy(update={"realisation": 0}))
        target, old = hidden.data.target, ~hidden.is_new
        if target == "several":
            raise ValueError("there are several targets of classes")
        method, limits = method_named(cell.method, cell.settings), cell.limits
        with warnings.catch_warnings(action="ignore"):
            tuned = tune(
                method, tuning_grid(cell), hidden.X[old], hidden.Y[old], target,
                budget=limits.tuning_tries, seconds=limits.tuning_seconds,
            )  # fmt: skip
        found = {"settings": tuned.best, "n_tried": len(tuned.losses),
                 "n_planned": len(tuned.candidates)}  # fmt: skip
    except Exception as error:
        found = {"why": f"not tuned: {type(error).__name__}: {error}"}
    return Tuning(series=cell.series, seconds=time.perf_counter() - began, **found)


def run_cell(cell: Cell, tuning: Tuning) -> CellRecord:
    """Run one method on one realisation; whatever it raises becomes part of the record."""
    try:
        method = method_named(cell.method, {**tuning.settings, **cell.settings}, cell.realisation)
        if cell.task == "inductive" and not getattr(method, "inductive", True):
            return _record(cell, "left_out", f"{cell.method} predicts no new rows")
        hidden = hidden_of(cell)
        if cell.method == "misgan_convolutional" and hidden.data.image is None:
            why = f"convolutions need rows that are images, and those of {cell.data_set} are not"
            return _record(cell, "left_out", why)
        return _record(cell, "done", tuning.why, tuning, **_outcome(cell, method, hidden))
    except ImportError as error:
        return _record(cell, "left_out", str(error), tuning)
    except Exception as error:
        return _record(cell, "failed", f"{type(error).__name__}: {error}", tuning)


def _outcome(cell: Cell, method: Any, hidden: Hidden) -> dict[str, Any]:
    """What came of a method, and what it took."""
    data, began = hidden.data, time.perf_counter()
    question: Question = "new rows" if cell.task == "inductive" else "training rows"
    found = fit_and_predict(method, hidden, (question,))[question]
    seconds = time.perf_counter() - began
    scores = table_scores(hidden, question, found, getattr(method, "gives_probabilities", True))
    return {
        # Seven digits: thousands of records are kept with the code.
        "scores": {name: float(f"{score:.7g}") for name, score in scores.items()},
        "seconds": round(seconds, 2), "target": data.target,
        "shape": (*data.X.shape, data.Y.shape[1]), "pictures": _pictures(hidden, question, found),
    }  # fmt: skip


def _record(
    cell: Cell, status: Status, why: str, tuning: Tuning | None = None, **outcome: Any
) -> CellRecord:
    tuning = tuning or Tuning(series=cell.series)
    versions = {name: version(name) for name in ("numpy", "jax", "scikit-learn")}
    return CellRecord(
        key=cell.key, cell=cell, status=status, why=why, n_tried=tuning.n_tried,
        settings={**tuning.settings, **cell.settings}, n_planned=tuning.n_planned, **outcome,
        versions={"python": platform.python_version(), "halfseen": __version__, **versions},
    )  # fmt: skip


def _pictures(hidden: Hidden, question: Question, found: Prediction) -> Pictures | None:
    """Ten new images, of different classes where there are enough; the same for all methods."""
    data, rows = hidden.data, np.flatnonzero(hidden.rows(question))
    asked = rows[hidden.asked_X[rows].any(axis=1)]
    if question != "new rows" or data.image is None or found.features is None or not len(asked):
        return None
    first = np.unique(data.codes[asked, 0], return_index=True)[1]
    others = np.setdiff1d(np.arange(len(asked)), first)
    chosen = asked[np.concatenate([first, others])[:_N_PICTURES]]
    completed = found.features[np.searchsorted(rows, chosen)]
    if not np.isfinite(completed).all():
        return None
    low, high = float(np.nanmin(data.X)), float(np.nanmax(data.X))

    def grey(values: Any) -> Any:
        scaled = (np.nan_to_num(values, nan=low) - low) * 255 / max(high - low, 1e-12)
        return np.clip(np.rint(scaled), 0, 255).astype(int)

    truth = grey(data.X[chosen])
    observed = np.where(np.isnan(hidden.X[chosen]), -1, truth)
    images = {"truth": truth, "observed": observed, "completed": grey(completed)}
    return Pictures(shape=data.image, **{name: image.tolist() for name, image in images.items()})


# A cell, and its settings; None if they are to be found, for all realisations of it.
Job = tuple[Cell, Tuning | None]


def most_seconds(cell: Cell, tuning: Tuning | None) -> float:
    """After how long a job is stopped; the last setting may begin just before time is up."""
    return cell.limits.seconds + (cell.limits.tuning_seconds if tuning is None else 0.0)


class Progress(NamedTuple):
    """How far a run is; given about every second, and for each part that is done."""

    n_cells: int
    n_over: int
    running: tuple[str, ...]
    seconds_left: float | None
    part: CellRecord | Tuning | None = None


def run_plan(
    plan: Plan, path: Path, *, n_workers: int | None = None, limit_seconds: float | None = None,
    retry_failed: bool = False,
) -> Iterator[Progress]:  # fmt: skip
    """Run all cells of a plan that have no record in the file, as far as the caller iterates.

    Cells run side by side in processes of one thread each, by default one per core. Results depend
    on the plan alone. A process that is ended in whatever way, or after `limit_seconds`, loses the
    cells that were running and nothing else. Cells that failed are tried again if asked.
    """
    cells, n_cores = cells_of(plan), cpu_count()
    with locked(path):
        run = read_run(path)
        if all(line.text != plan.text or line.name != plan.name for line in run.plans):
            folder = plan.folder if plan.tables else None
            machine = f"{n_cores} cores, {platform.system()} {platform.machine()}"
            append(path, PlanLine(name=plan.name, text=plan.text, folder=folder, machine=machine))
        study = _Study(path, run.tunings, run.records, cells, retry_failed)
        seconds = math.inf if limit_seconds is None else limit_seconds
        yield from _run(study, n_workers or n_cores, time.monotonic() + seconds)


@dataclass
class _Study:
    """What is done, and what is still to be done, in order."""

    path: Path
    tunings: dict[str, Tuning]
    records: dict[str, CellRecord]
    cells: list[Cell]
    retry_failed: bool
    left: list[Cell] = field(default_factory=list)
    tuning: set[str] = field(default_factory=set)  # series whose settings are being chosen
    too_slow: dict[str, str] = field(default_factory=dict)  # series -> why
    parts: list[CellRecord | Tuning | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        for cell in self.cells:
            known = self.records.get(cell.key)
            if known is not None and known.status == "done":
                if known.cell.settings != cell.settings:
                    raise PlanError(
                        f"{self.path} has {cell.key} with other settings "
                        f"({known.cell.settings}). Give the method another variant, or run into "
                        "another file."
                    )
            elif known is None or self.retry_failed:
                self.left.append(cell)
                tuned = self.tunings.get(cell.series)
                if self.retry_failed and tuned is not None and tuned.why:
                    del self.tunings[cell.series]
            elif known.why.startswith(_TOO_SLOW):
                self.too_slow[cell.series] = _left_out(known)

    def next(self) -> Job | None:
        """A job that can begin; None if all that is left waits for settings."""
        for cell in list(self.left):
            if cell.series in self.tuning:
                continue
            if cell.series in self.too_slow:
                self.left.remove(cell)
                self.keep(_record(cell, "left_out", self.too_slow[cell.series]))
            elif cell.series not in self.tunings and tuning_grid(cell):
                self.tuning.add(cell.series)
                return cell, None
            else:
                self.left.remove(cell)
                return cell, self.tunings.get(cell.series, Tuning(series=cell.series))
        return None

    def take(self, cell: Cell, tuning: Tuning | None, future: Future[Any]) -> None:
        """Keep what came of a job."""
        try:
            return self.keep(future.result())
        except TimeoutError:
            why = f"{_TOO_SLOW} {most_seconds(cell, tuning):g} s"
        except ProcessExpired as error:
            code = error.exitcode or 0
            why = f"its process ended with code {code}"
            if code < 0:
                why = f"its process was ended by signal {-code}"
                why += "; out of memory?" if code == -9 else ""
        if tuning is None:
            return self.keep(Tuning(series=cell.series, why=f"not tuned: tuning {why}"))
        record = _record(cell, "failed", why, tuning)
        if why.startswith(_TOO_SLOW):
            self.too_slow[cell.series] = _left_out(record)
        self.keep(record)

    def keep(self, part: CellRecord | Tuning) -> None:
        """Add a line to the file."""
        append(self.path, part)
        self.parts.append(part)
        if isinstance(part, Tuning):
            self.tunings[part.series] = part
            self.tuning.discard(part.series)
        else:
            self.records[part.key] = part

    def progress(self, running: Collection[Job], n_workers: int) -> Iterator[Progress]:
        """How far the run is: once for each new part, else once."""
        took = [(r.cell.method, r.cell.question, r.seconds) for r in self.records.values()
                if r.seconds is not None]  # fmt: skip
        names = [f"{c.series} (tuning)" if tuning is None else c.key for c, tuning in running]
        cells = self.left + [cell for cell, tuning in running if tuning is not None]
        left = [(cell.method, cell.question) for cell in cells]
        seconds = seconds_left(took, left, n_workers)
        for part in self.parts or [None]:
            yield Progress(
                len(self.cells), len(self.cells) - len(left), tuple(names), seconds, part
            )
        self.parts = []


def _run(study: _Study, n_workers: int, ends: float) -> Iterator[Progress]:
    yield from study.progress([], n_workers)
    if not study.left:
        return
    pending: dict[Future[Any], Job] = {}
    with mock.patch.dict(os.environ, _ONE_THREAD):
        # Processes live over jobs, so that what one job compiled serves the next.
        pool = ProcessPool(n_workers, 0, _prepare_process, (), get_context("spawn"))
        try:
            while True:
                while len(pending) < n_workers and (job := study.next()) is not None:
                    pending[pool.schedule(do_job, job, timeout=most_seconds(*job))] = job
                yield from study.progress(pending.values(), n_workers)
                if not pending or time.monotonic() >= ends:
                    return
                patience = max(min(ends - time.monotonic(), _LONGEST_WAIT), 0.0)
                for ended in wait(pending, patience, FIRST_COMPLETED).done:
                    study.take(*pending.pop(ended), ended)
        finally:
            pool.stop()  # type: ignore[no-untyped-call]
            pool.join()


def do_job(cell: Cell, tuning: Tuning | None) -> CellRecord | Tuning:
    """Do one job, in whichever process."""
    return tune_cell(cell) if tuning is None else run_cell(cell, tuning)


def _prepare_process() -> None:
    """Keep messages of methods off the terminal, and end when the parent process does."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os.dup2(null, 1)
    os.dup2(null, 2)

    def end_with(parent: Any) -> None:
        connection.wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=end_with, args=(parent_process(),), daemon=True).start()


def _left_out(record: CellRecord) -> str:
    return f"realisation {record.cell.realisation} {record.why}, so the others were not begun"


def seconds_left(
    done: Iterable[tuple[str, str, float]], left: Sequence[tuple[str, str]], n_workers: int
) -> float | None:
    """Seconds until all of `left`, pairs of method and question, are done; None if unknown.

    A cell takes what the same method took on the same question; else what it took on others; else
    what cells took on the whole.
    """
    took: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for method, question, seconds in done:
        for kind in ((method, question), (method,), ()):
            took[kind].append(seconds)
    if not took:
        return None
    each = [fmean(took.get(both) or took.get(both[:1]) or took[()]) for both in left]
    return max(sum(each) / n_workers, max(each, default=0.0))
