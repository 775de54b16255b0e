"""The page about a study: its tables, and scores by the share that was hidden; images."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halfseen.atomic import replace_atomically
from halfseen.experiments.records import CellRecord
from halfseen.experiments.tables import OURS, SCORE_NAMES, RecordTable, record_tables
from halfseen.plot import COLOURS, framed
from halfseen.report.page import chart, render, write_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HIDDEN_PIXEL = (0.62, 0.72, 0.85)


def write_study_report(
    records: Sequence[CellRecord], path: str | PathLike[str], *, title: str = "Study",
    command: str | None = None,
) -> None:  # fmt: skip
    """Write one page about a study: methods by scores and shares of hidden entries.

    Parameters
    ----------
    records : sequence of CellRecord, of a run
    path : path-like; an existing file is replaced as a whole or not at all
    title, command : str: the title of the page, and the command that writes it
    """
    tables = record_tables(records)
    if not tables:
        raise ValueError("There is no finished cell. Run or resume the study first.")
    groups = groupby(tables, key=lambda one: one.question)
    sections = [_section(f"part-{k}", name, list(group)) for k, (name, group) in enumerate(groups)]
    contents = [(section["anchor"], section["title"]) for section in sections]
    content = {"command": command, "contents": contents, "sections": sections, "ours": OURS}
    write_page(render("study.html", title=title, **content), path)


def _section(anchor: str, question: str, tables: list[RecordTable]) -> dict[str, Any]:
    shown = []
    for table in tables:
        name = SCORE_NAMES.get(table.score, table.score)
        drawn = None
        if len(table.rates) > 1 and table.score != "seconds":
            drawn = chart(_draw, table, title=f"{name}: {question}", height=220)
        heads = [f"#{100 * a:g} % / {100 * b:g} %" for a, b in table.rates]
        shown.append({"name": name, "chart": drawn, "heads": heads, "lines": table.lines})
    notes = list(dict.fromkeys(note for table in tables for note in table.notes))
    return {"anchor": anchor, "title": question, "tables": shown, "notes": notes}


def _draw(table: RecordTable, ax: Axes) -> None:
    """A line per method, ours on top."""
    framed(ax)
    drawn = [line for line in table.lines if not line.is_published]
    for line in sorted(drawn, key=lambda line: line.name == OURS):
        means = [math.nan if entry is None else entry.mean for entry in line.entries]
        is_ours = line.name == OURS
        ax.plot(
            np.arange(len(means)), means, marker="o", markersize=4 if is_ours else 2.5,
            color=COLOURS["main" if is_ours else "quiet"], linewidth=2 if is_ours else 0.8,
        )  # fmt: skip
    ax.set_xticks(range(len(table.rates)), [f"{100 * a:g} / {100 * b:g}" for a, b in table.rates])
    ax.set_xlabel("% of features / labels hidden")


def write_images(records: Sequence[CellRecord], path: str | PathLike[str]) -> None:
    """Write restored images as a PNG file: for each question the truth, observed, each method."""
    from matplotlib.figure import Figure

    rows: list[tuple[str, Any, tuple[int, int]]] = []
    by_question: dict[str, dict[str, Any]] = {}  # the first pictures of each method
    for record in records:
        if record.pictures is not None:
            of_methods = by_question.setdefault(record.cell.question, {})
            of_methods.setdefault(record.cell.name, record.pictures)
    for question, first in by_question.items():
        some = next(iter(first.values()))
        rows += [(f"{question}: truth", some.truth, some.shape)]
        rows += [("observed", some.observed, some.shape)]
        rows += [(name, one.completed, one.shape) for name, one in first.items()]
    if not rows:
        raise ValueError("No cell has images; the plan mnist-reconstruction makes some.")
    figure = Figure(figsize=(8, 0.7 * len(rows)), layout="constrained")
    for place, (name, images, shape) in enumerate(rows):
        ax = figure.add_subplot(len(rows), 1, place + 1)
        grey = np.concatenate([np.reshape(image, shape) for image in images], axis=1).astype(float)
        colours = np.repeat(np.clip(grey, 0, 255)[..., None] / 255, 3, axis=2)
        colours[grey < 0] = _HIDDEN_PIXEL
        ax.imshow(colours, interpolation="nearest")
        ax.set_xticks([])
        ax.set_yticks([shape[0] / 2], [name])
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
    with replace_atomically(Path(path)) as part:
        figure.savefig(part, format="png", dpi=100)
