"""What failed or was left out, and why."""

from __future__ import annotations

from collections.abc import Sequence

from halfseen.report.experiment_sections.contender import Contender
from halfseen.report.experiment_sections.course import Setting
from halfseen.report.experiment_sections.study import Study
from halfseen.report.page import Section
from halfseen.report.parts import Entry, Note, Table, TableColumn
from halfseen.report.safe_text import shortened

_LONGEST_WHY = 300


def not_done_section(study: Study) -> Section:
    """Cells without scores, with their reasons.

    Parameters
    ----------
    study : Study
        Everything that was run.

    Returns
    -------
    Section

    Examples
    --------
    >>> from pathlib import Path
    >>> from halfseen.experiments.record import Record
    >>> record = Record("scene", "transductive", "at_random", "at_random", 0.5, 0.5, None, "misgan",
    ...                 status="left_out", why="rows are no images")
    >>> not_done_section(Study("A study", [record], Path("run"))).parts[0].rows[0][3]
    'rows are no images'
    """
    by_reason: dict[tuple[Contender, str, str], list[tuple[Setting, int]]] = {}
    for (setting, contender), records in study.by_place.items():
        for record in records:
            if record.status != "done":
                reason = (contender, record.status, " ".join(record.why.split()))
                by_reason.setdefault(reason, []).append((setting, record.realisation))
    rows: list[list[Entry]] = [
        [
            contender.title,
            status.replace("_", " "),
            len(cells),
            shortened(why, _LONGEST_WHY) or "no reason given",
            _where(cells),
        ]
        for (contender, status, why), cells in by_reason.items()
    ]
    title, anchor = "Failed and left out", "not-done"
    if not rows:
        return Section(title, anchor, [Note("Nothing: every cell that was begun is done.")])
    rows.sort(key=lambda row: (str(row[0]), str(row[1])))
    heads = ("method", "status", TableColumn("cells", numeric=True), "reason", "where")
    caption = (
        "Cells without scores, by reason; they count in no mean, rank or comparison. The tables of "
        "the data sets open what is known of each."
    )
    return Section(title, anchor, [Table(heads, rows, caption, shown=20)])


def _where(cells: Sequence[tuple[Setting, int]]) -> str:
    """Courses, and how many pairs of rates of each."""
    by_course: dict[str, set[str]] = {}
    for setting, _ in cells:
        by_course.setdefault(setting.course.title, set()).add(setting.rates)
    said = [
        f"{course} ({next(iter(rates)) if len(rates) == 1 else f'{len(rates)} rates'})"
        for course, rates in sorted(by_course.items())
    ]
    return "; ".join(said)
