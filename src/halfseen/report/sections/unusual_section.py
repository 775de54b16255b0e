"""Rows that do not fit."""

from __future__ import annotations

from collections.abc import Sequence

from halfseen.explanations import SurprisingEntry, UnusualRow
from halfseen.explanations.printed_value import printed_value
from halfseen.report.number_text import number_text, percent_text
from halfseen.report.page import Section
from halfseen.report.parts import Entry, Note, Part, Table, TableColumn

_MOST = 3


def unusual_section(rows: Sequence[UnusualRow] | None, *, has_machine: bool) -> Section:
    """The rows whose observed entries are least probable, with the entries that do not fit.

    Parameters
    ----------
    rows : sequence of UnusualRow or None
        As :func:`halfseen.explanations.unusual_rows` gives them.
    has_machine : bool
        Whether the model can weigh rows at all.

    Returns
    -------
    Section

    Examples
    --------
    >>> unusual_section([UnusualRow(16, 4.2, -31.0, 8, ())], has_machine=True).parts[1].rows[0][0]
    'row 17'
    """
    title, anchor = "Unusual rows", "unusual"
    if not has_machine:
        text = (
            "This model holds no likelihood-trained machine, which alone can weigh rows; fit with "
            "companion=True to see which rows are unusual."
        )
        return Section(title, anchor, [Note(text, "absent")])
    if rows is None:
        text = (
            "Give the table, X (on the command line: --data), to see which of its rows do not "
            "fit the rest."
        )
        return Section(title, anchor, [Note(text, "absent")])
    if not rows:
        return Section(title, anchor, [Note("Nothing was observed in any of the rows.")])
    note = Note(
        "Rows by the log-probability of what was observed in them, set against that of rows which "
        "the machine draws itself with as many entries: a score of 3 lies three standard "
        "deviations (sd) below. Look at the entries that are farthest from what the rest of their "
        "row leads one to expect: they are errors, or discoveries."
    )
    entries: list[list[Entry]] = [
        [
            f"row {row.row + 1}",
            row.score,
            _surprises(row),
            row.n_observed,
            row.log_probability,
        ]
        for row in rows
    ]
    heads = (
        "row",
        TableColumn("score", numeric=True),
        "what does not fit",
        TableColumn("entries seen", numeric=True),
        TableColumn("log-probability", numeric=True),
    )
    parts: list[Part] = [note, Table(heads, entries, "The most unusual rows of the table.")]
    return Section(title, anchor, parts)


def _surprises(row: UnusualRow) -> str:
    """The entries that are not as expected; where all are, the one that is least so."""
    odd = [
        entry
        for entry in row.entries
        if (
            abs(entry.distance) >= 1
            if entry.distance is not None
            else entry.value != entry.expected
        )
    ]
    return "; ".join(_surprise(entry) for entry in (odd or list(row.entries[:1]))[:_MOST])


def _surprise(entry: SurprisingEntry) -> str:
    text = f"{entry.column} is {printed_value(entry.value)}, "
    if entry.distance is not None:
        far = number_text(abs(entry.distance), 2)
        return f"{text}expected {printed_value(entry.expected)} ({far} sd away)"
    likely = percent_text(entry.probability or 0.0)
    return f"{text}expected {printed_value(entry.expected)} ({likely} likely)"
