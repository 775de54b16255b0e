"""The side-by-side table as text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halfseen.experiments.comparison import MethodResult
from halfseen.experiments.comparison_cell import Task
from halfseen.experiments.data_sets import DataSet


def comparison_table(
    task: Task, data: DataSet, results: Sequence[MethodResult], n_masks: int
) -> str:
    """Mean and standard deviation over masks of every method, and why others were not run."""
    auc = "averaged AUC" if data.target == "classes" else "micro-AUC"
    accuracy = "accuracy" if data.target == "classes" else "Hamming acc."
    title = (
        f"{data.name}: {len(data.X)} rows, {data.X.shape[1]} features, {data.Y.shape[1]} "
        f"{data.target}; hidden: {task.feature_rate:.0%} of features, {task.label_rate:.0%} of "
        f"labels; {n_masks} {'mask' if n_masks == 1 else 'masks'}; {_asked(task)}"
    )
    run = [result for result in results if not result.not_run]
    lines: list[tuple[str, ...]] = [("method", auc, accuracy, "RMSE", "seconds", "peak MB")]
    lines += [(result.method, *_cells(result)) for result in run]
    widths = [max(len(line[column]) for line in lines) for column in range(len(lines[0]))]
    text = [title, ""]
    for line in lines:
        first, *others = line
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        text.append("  ".join([first.ljust(widths[0]), *cells]))
    text += _notes(run)
    absent = [f"  {result.method}: {result.not_run}" for result in results if result.not_run]
    return "\n".join([*text, *(["", "not run:", *absent] if absent else [])])


def _asked(task: Task) -> str:
    if task.new_share:
        return f"all labels of new rows ({task.new_share:.0%} of the rows), inductive"
    return "hidden entries only, transductive"


def _cells(result: MethodResult) -> list[str]:
    values = np.array(result.scores)
    mean, spread = values.mean(axis=0), values.std(axis=0, ddof=1 if len(values) > 1 else 0)
    scores = [f"{m:.4f} +- {s:.4f}" for m, s in zip(mean[:2], spread[:2], strict=True)]
    mark = "*" if result.feature_source else " "
    scores.append("-" if np.isnan(mean[2]) else f"{mean[2]:.5g} +- {spread[2]:.2g}{mark}")
    return [*scores, f"{mean[3]:.1f}", f"{mean[4]:.0f}"]


def _notes(results: Sequence[MethodResult]) -> list[str]:
    notes = [
        f"* {result.method}: RMSE is that of {result.feature_source}"
        for result in results
        if result.feature_source
    ]
    chosen = [
        f"  {result.method}: "
        + ", ".join(f"{k}={v}" for k, v in result.settings.items())
        + f" ({_tried(result)})"
        for result in results
        if result.settings
    ]
    parts = ["", *notes] if notes else []
    if chosen:
        parts += ["", "settings chosen on observed entries of the first mask:", *chosen]
    own = [result.method for result in results if not result.settings]
    if own:
        parts += ["", f"with their own settings, nothing tuned: {', '.join(own)}"]
    return parts


def _tried(result: MethodResult) -> str:
    if result.n_tried == 1 < result.n_planned:
        return f"its own settings, not tuned: no time to try one of {result.n_planned - 1} others"
    if result.n_tried < result.n_planned:
        return f"best of {result.n_tried} tried, of {result.n_planned} planned: time was up"
    return f"best of {result.n_tried}"
