"""The results of a comparison in a file, so that a long one loses nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from halfseen.experiments.comparison import Limits, MethodResult
from halfseen.experiments.comparison_cell import Scores, Task


class OtherComparison(ValueError):
    """The file holds results that do not belong into this table."""


def save_results(
    path: Path, task: Task, n_masks: int, limits: Limits, results: Sequence[MethodResult]
) -> None:
    """Write all results beside the old file and put them in its place, as a whole or not at all.

    Parameters
    ----------
    path : Path
        A JSON file.
    task, n_masks, limits
        What was compared, and how.
    results : sequence of MethodResult
        Methods that are done, or were not run.
    """
    document = {**_heading(task, n_masks, limits), "methods": [_document(r) for r in results]}
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text(json.dumps(document, indent=1, allow_nan=False) + "\n", encoding="utf-8")
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def load_results(path: Path, task: Task, n_masks: int, limits: Limits) -> list[MethodResult]:
    """The results that a file holds.

    Raises
    ------
    OtherComparison
        If the file is of another task, number of masks or budget of settings, or no such file.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        heading = {name: document[name] for name in _heading(task, n_masks, limits)}
        results = [_result(part) for part in document["methods"]]
    except (ValueError, KeyError, TypeError) as error:
        raise OtherComparison(f"{path} does not hold the results of a comparison") from error
    for name, value in _heading(task, n_masks, limits).items():
        if heading[name] != value:
            raise OtherComparison(
                f"{path} is of another comparison: its {name} is {heading[name]!r}, not {value!r}; "
                "name another file or repeat its options"
            )
    return results


def _heading(task: Task, n_masks: int, limits: Limits) -> dict[str, Any]:
    return {"task": asdict(task), "n_masks": n_masks, "n_settings": limits.n_settings}


def _document(result: MethodResult) -> dict[str, Any]:
    document = asdict(result)
    # JSON has no NaN, which a score that does not apply is.
    document["scores"] = [
        {name: None if np.isnan(value) else value for name, value in scores._asdict().items()}
        for scores in result.scores
    ]
    return document


def _result(document: dict[str, Any]) -> MethodResult:
    scores = [
        Scores(**{name: np.nan if value is None else value for name, value in part.items()})
        for part in document.pop("scores")
    ]
    return MethodResult(**document, scores=scores)
