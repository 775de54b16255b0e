"""What a fitted model has learned, as HTML for notebooks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.data.columns import Column

_MOST_COLUMNS, _MOST_VALUES, _LONGEST = 40, 5, 40
_HEADS = ("Column", "Type", "Known", "Values", "Median of validation entries")


def learned_html(model: Any) -> str:
    """A table of the columns of a fitted model, which unfolds: targets first."""
    schema = model.schema_
    rows = [_row(c, "target", e) for c, e in zip(schema.targets, _of_targets(model), strict=True)]
    of_features = zip(schema.features, _of_features(model), strict=True)
    rows += [_row(column, "column", error) for column, error in of_features]
    body = "".join(rows[:_MOST_COLUMNS])
    more = len(rows) - _MOST_COLUMNS
    kinds = Counter(column.type for column in schema.features)
    features = ", ".join(f"{n} {kind}" for kind, n in kinds.items())
    learned = f"{len(schema.features)} features ({features})"
    if schema.targets:
        learned += f" and {len(schema.targets)} target{'s' if len(schema.targets) > 1 else ''}"
    return (
        f'<details class="halfseen-learned"><summary>Learned: {learned}</summary>'
        f"<table><thead><tr>{''.join(f'<th>{head}</th>' for head in _HEADS)}</tr></thead>"
        f"<tbody>{body}</tbody></table>{f'<p>and {more} more columns</p>' if more > 0 else ''}"
        "</details>"
    )


def _row(column: Column, role: str, error: str) -> str:
    name = column.name if isinstance(column.name, str) else f"{role} {column.name}"
    kind = f"ignored: {column.reason}" if column.reason else column.type
    if column.is_number:
        values = f"{column.low:.4g} to {column.high:.4g}"
    else:
        shown = [_short(str(value)) for value in column.categories[:_MOST_VALUES]]
        more = len(column.categories) - _MOST_VALUES
        values = ", ".join(shown) + (f" and {more} more" if more > 0 else "")
    cells = (_short(name), kind, f"{column.n_observed:,}", values, error)
    return f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"


def _of_features(model: Any) -> Iterator[str]:
    columns: Any = model.schema_.features
    median = np.full(len(columns), np.nan)
    if model.calibration_ is not None:
        median = model.calibration_.intervals.error_quantile(0.5)
    for column, error in zip(columns, median, strict=True):
        if np.isnan(error):
            yield ""
        elif column.type == "log-numeric":
            yield f"error: a factor of {np.exp(column.scale * error):.3g}"
        else:
            yield f"error: {column.scale * error:.3g}"


def _of_targets(model: Any) -> Iterator[str]:
    calibration, n_targets = model.calibration_, len(model.schema_.targets)
    if calibration is None:
        yield from [""] * n_targets
    elif model.schema_.target_type == "multilabel-indicator":  # two states of each label
        yield from map(
            _of_classes, calibration.sets[0].least_probability(0.5).reshape(n_targets, 2)
        )
    else:
        yield from (_of_classes(sets.least_probability(0.5)) for sets in calibration.sets)


def _of_classes(median: NDArray[np.float64]) -> str:
    shown = ", ".join(f"{one:.2f}" for one in median[:_MOST_VALUES])
    return f"probability of the truth, by class: {shown}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "\N{HORIZONTAL ELLIPSIS}"
