"""What a fitted model has learned, as HTML for notebooks."""

from __future__ import annotations

from collections import Counter
from html import escape
from itertools import islice
from typing import Any

import numpy as np

from halfseen.data.columns import Column
from halfseen.data.raw import shortened

_MOST_COLUMNS, _MOST_VALUES, _LONGEST = 40, 5, 40
_HEADS = ("Column", "Type", "Known", "Values", "Median of validation entries")


def learned_html(model: Any) -> str:
    """A table of the columns of a fitted model, which unfolds: targets first."""
    schema = model.schema_
    roles = ["target"] * len(schema.targets) + ["column"] * len(schema.features)
    rows = list(map(_row, schema.targets + schema.features, roles, _errors(model)))
    more = len(rows) - _MOST_COLUMNS
    kinds = Counter(column.type for column in schema.features)
    features = ", ".join(f"{n} {kind}" for kind, n in kinds.items())
    learned = f"{len(schema.features)} features ({features})"
    if schema.targets:
        learned += f" and {len(schema.targets)} target{'s' if len(schema.targets) > 1 else ''}"
    return (
        f'<details class="halfseen-learned"><summary>Learned: {learned}</summary>'
        f"<table><thead><tr>{''.join(f'<th>{head}</th>' for head in _HEADS)}</tr></thead>"
        f"<tbody>{''.join(rows[:_MOST_COLUMNS])}</tbody></table>"
        f"{f'<p>and {more} more columns</p>' if more > 0 else ''}</details>"
    )


def _row(column: Column, role: str, error: str) -> str:
    name = column.name if isinstance(column.name, str) else f"{role} {column.name}"
    kind = f"ignored: {column.reason}" if column.reason else column.type
    shown = [shortened(str(value), _LONGEST) for value in column.categories[:_MOST_VALUES]]
    more = len(column.categories) - _MOST_VALUES
    values = ", ".join(shown) + (f" and {more} more" if more > 0 else "")
    values = f"{column.low:.4g} to {column.high:.4g}" if column.is_number else values
    cells = (shortened(name, _LONGEST), kind, f"{column.n_observed:,}", values, error)
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"


def _errors(model: Any) -> list[str]:
    """Median probability of the truth of each target, and median error of each feature."""
    schema, calibration = model.schema_, model.calibration_
    if calibration is None:
        return [""] * len(schema.columns)
    median = (f"{p:.2f}" for sets in calibration.sets for p in sets.least_probability(0.5))
    found = []
    for column in schema.targets:
        shown = list(islice(median, len(column.categories)))[:_MOST_VALUES]
        found.append(f"probability of the truth, by class: {', '.join(shown)}")
    errors = calibration.intervals.error_quantile(0.5)
    for column, error in zip(schema.features, errors, strict=True):
        factor = "a factor of " if column.type == "log-numeric" else ""
        found.append("" if np.isnan(error) else f"error: {factor}{column.error_size(error):.3g}")
    return found
