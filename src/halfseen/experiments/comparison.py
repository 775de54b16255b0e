"""Methods side by side: the same masks for all, each run in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

from halfseen.experiments.comparison_cell import (
    Choice,
    Scores,
    Task,
    chosen_settings,
    run_cell,
)
from halfseen.experiments.methods import method_named, why_not


@dataclass
class MethodResult:
    """One line of the table."""

    method: str
    settings: dict[str, Any] = field(default_factory=dict)
    n_tried: int = 0  # settings that the tuner tried
    n_planned: int = 0  # settings that it would have tried, had there been time
    scores: list[Scores] = field(default_factory=list)
    feature_source: str = ""
    not_run: str = ""


@dataclass(frozen=True)
class Limits:
    """How much a method may take.

    Parameters
    ----------
    n_settings : int
        Most settings that the tuner tries.
    tuning_seconds : float
        Seconds after which the tuner starts no further try.
    seconds : float
        For one method on one mask, after which it is stopped and reported as not run.
    """

    n_settings: int = 20
    tuning_seconds: float = 600.0
    seconds: float = 600.0


def compare(
    task: Task, names: Sequence[str], n_masks: int, limits: Limits, tell: Callable[[str], None]
) -> Iterator[MethodResult]:
    """Run every method on the same masks, and yield the result of each when it is done.

    Hyper-parameters are tuned once, on the observed entries of the first mask. A method that fails,
    does not apply, or takes longer than it may for one mask, is reported as not run, with the
    reason.
    """
    for name in names:
        result = MethodResult(name)
        try:
            _run(result, task, n_masks, limits, tell)
        except TimeoutError:
            result.not_run = f"took longer than {limits.seconds:g} s for one mask"
        except BrokenProcessPool:
            result.not_run = "its process died (out of memory?)"
        except (ImportError, NotImplementedError) as error:
            result.not_run = str(error)
        except Exception as error:
            result.not_run = f"{type(error).__name__}: {error}"
        yield result


def _run(
    result: MethodResult, task: Task, n_masks: int, limits: Limits, tell: Callable[[str], None]
) -> None:
    name = result.method
    result.not_run = why_not(name, task.data_set)
    if result.not_run:
        return
    method = method_named(name)
    result.feature_source = "" if method.imputes else method.feature_source
    tell(f"{name}: choosing settings")
    tuning = (task, name, 0, limits.n_settings, limits.tuning_seconds)
    # The last try may begin just before the time is up.
    choice: Choice = in_own_process(chosen_settings, tuning, limits.tuning_seconds + limits.seconds)
    result.settings, result.n_tried, result.n_planned = choice
    for seed in range(n_masks):
        tell(f"{name}: mask {seed + 1} of {n_masks}")
        cell = (task, name, result.settings, seed)
        result.scores.append(in_own_process(run_cell, cell, limits.seconds))


def in_own_process(function: Callable[..., Any], arguments: tuple[Any, ...], limit: float) -> Any:
    """The result of a function in a fresh process, whose memory and failures are its own.

    Raises
    ------
    TimeoutError
        After ``limit`` seconds; the process is stopped.
    """
    pool = ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn"))
    try:
        return pool.submit(function, *arguments).result(timeout=limit)
    except TimeoutError:
        for process in list((pool._processes or {}).values()):
            process.kill()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
