"""The page about a study: its tables, and scores by the share that was hidden."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from halfseen.experiments.record import read_records
from halfseen.experiments.record_table import OURS, SCORE_NAMES, RecordTable, record_tables
from halfseen.plot import COLOURS
from halfseen.report.page import chart, render, write_page

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def write_study_report(
    study: str | PathLike[str] | Sequence[RecordTable],
    path: str | PathLike[str],
    *,
    title: str | None = None,
    command: str | None = None,
) -> None:
    """Write one page about a study: methods by scores and shares of hidden entries.

    Parameters
    ----------
    study : str, path-like or sequence of RecordTable
        The folder of a run, or its tables.
    path : str or path-like
        The page. An existing file is replaced as a whole or not at all.
    title : str, optional
        Title of the page.
    command : str, optional
        The command that writes the page, to be shown at its foot.
    """
    if isinstance(study, str | PathLike):
        folder = Path(study)
        study, title = record_tables(read_records(folder)), title or f"Study {folder.name}"
        if not study:
            raise ValueError(f"{folder} holds no finished cell. Run or resume the study first.")
    sections = [
        _section(f"part-{place}", list(tables))
        for place, (_, tables) in enumerate(groupby(study, key=_heading))
    ]
    contents = [(section["anchor"], section["title"]) for section in sections]
    text = render(
        "study.html", title=title or "Study", command=command, contents=contents,
        sections=sections,
    )  # fmt: skip
    write_page(text, path)


def _heading(table: RecordTable) -> str:
    return f"{table.data_set}, {table.task}, {table.hiding.replace('_', ' ')}"


def _section(anchor: str, tables: list[RecordTable]) -> dict[str, Any]:
    shown = []
    for table in tables:
        name = SCORE_NAMES.get(table.score, table.score)
        drawn = None
        if len(table.rates) > 1 and table.score != "seconds":
            drawn = chart(
                _draw, table, title=f"{name}: {_heading(table)}", height=220,
                text=f"{name} by the shares of features and labels that were hidden; the blue line "
                f"is {OURS}, the others are grey and stand in the table.",
            )  # fmt: skip
        heads = [f"#{100 * a:g} % / {100 * b:g} %" for a, b in table.rates]
        shown.append({"name": name, "chart": drawn, "heads": heads, "lines": table.lines})
    notes = list(dict.fromkeys(note for table in tables for note in table.notes))
    return {"anchor": anchor, "title": _heading(tables[0]), "tables": shown, "notes": notes}


def _draw(table: RecordTable, ax: Axes) -> None:
    """A line per method, ours on top."""
    for line in sorted(table.lines, key=lambda line: line.name == OURS):
        if line.is_published:
            continue
        means = [math.nan if entry is None else entry.mean for entry in line.entries]
        is_ours = line.name == OURS
        ax.plot(
            np.arange(len(means)), means, marker="o", markersize=4 if is_ours else 2.5,
            color=COLOURS["main" if is_ours else "quiet"], linewidth=2 if is_ours else 0.8,
        )  # fmt: skip
    ax.set_xticks(range(len(table.rates)), [f"{100 * a:g} / {100 * b:g}" for a, b in table.rates])
    ax.set_xlabel("% of features / labels hidden")
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(COLOURS["quiet"])
    ax.tick_params(color=COLOURS["quiet"], labelcolor=COLOURS["ink"])
    ax.xaxis.label.set_color(COLOURS["ink"])
