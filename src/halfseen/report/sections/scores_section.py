"""Held-out scores beside those of other methods."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from halfseen.report.number_text import MINUS, number_text
from halfseen.report.page import Section
from halfseen.report.parts import Cell, Entry, Gallery, Note, Part, Picture, Table, TableColumn
from halfseen.report.pictures import Bar, Cloud, dots_svg, scatter_svg
from halfseen.report.score_row import ScoreRow

_OTHERS = 7  # the quiet colour


def scores_section(evaluation: Sequence[ScoreRow] | None) -> Section:
    """Scores on entries that were hidden, of this model and of others.

    Parameters
    ----------
    evaluation : sequence of ScoreRow or None
        One row for every score of every method.

    Returns
    -------
    Section

    Examples
    --------
    >>> rows = [ScoreRow("halfseen", "AUC", 0.9, 0.01, 3.0), ScoreRow("prior", "AUC", 0.5)]
    >>> scores_section(rows).parts[1].rows[0][0].text
    'halfseen'
    >>> scores_section(None).parts[0].tone
    'absent'
    """
    title, anchor = "Held-out scores", "scores"
    if not evaluation:
        text = (
            "Give an evaluation (on the command line: --evaluation, with what halfseen evaluate -o "
            "wrote) to see how well known entries are found again when they are hidden, beside the "
            "usual pipelines."
        )
        return Section(title, anchor, [Note(text, "absent")])
    scores = list(dict.fromkeys(row.score for row in evaluation))
    methods = list(dict.fromkeys(row.method for row in evaluation))
    pictures = [
        _picture(score, [row for row in evaluation if row.score == score]) for score in scores
    ]
    times = _times(evaluation, scores[0])
    parts: list[Part] = [
        Note(
            "Known entries were hidden, every method was fitted without them and asked for them; "
            "all methods saw the same entries."
        ),
        _table(evaluation, methods, scores),
        Gallery(pictures + ([] if times is None else [times])),
    ]
    return Section(title, anchor, parts)


def _table(evaluation: Sequence[ScoreRow], methods: list[str], scores: list[str]) -> Table:
    by_place = {(row.method, row.score): row for row in evaluation}
    best = {}
    for score in scores:
        own = [row for row in evaluation if row.score == score and np.isfinite(row.value)]
        if own:
            sign = 1 if own[0].better_when_higher else -1
            best[score] = max(sign * row.value for row in own) * sign
    rows: list[list[Entry]] = []
    for method in methods:
        own = [row for row in evaluation if row.method == method]
        row: list[Entry] = [Cell(method, tone="strong" if own[0].ours else "plain")]
        for score in scores:
            found = by_place.get((method, score))
            row.append(None if found is None else _cell(found, best.get(score)))
        seconds = [r.seconds for r in own if r.seconds is not None]
        row.append(max(seconds) if seconds else None)
        rows.append(row)
    heads: list[TableColumn | str] = ["method"]
    for score in scores:
        higher = next(row for row in evaluation if row.score == score).better_when_higher
        heads.append(TableColumn(f"{score} ({'higher' if higher else 'lower'} is better)", True))
    heads.append(TableColumn("seconds", numeric=True))
    caption = "Scores on hidden entries"
    if any(row.spread is not None for row in evaluation):
        caption += ", with standard deviations over repeats"
    return Table(heads, rows, f"{caption}; the best of each column is bold.", shown=30)


def _cell(row: ScoreRow, best: float | None) -> Entry:
    if not np.isfinite(row.value):
        return None
    text = _figure(row.value)
    if row.spread is not None:
        decimals = len(text.partition(".")[2])
        text += f" ± {row.spread:.{decimals}f}"
    return Cell(text, row.value, tone="strong" if row.value == best else "plain")


def _figure(value: float) -> str:
    """A score with as many decimals as its neighbours."""
    return f"{value:.3f}".replace("-", MINUS) if abs(value) < 100 else number_text(value, 4)


def _picture(score: str, rows: Sequence[ScoreRow]) -> Picture:
    higher = rows[0].better_when_higher
    finite = [row for row in rows if np.isfinite(row.value)]
    ordered = sorted(finite, key=lambda row: -row.value if higher else row.value)
    bars = [
        Bar(r.method, r.value, r.spread, _figure(r.value), 0 if r.ours else _OTHERS)
        for r in ordered
    ]
    direction = "higher" if higher else "lower"
    svg = dots_svg(
        bars,
        title=f"{score} of every method",
        description=", ".join(f"{row.method} {_figure(row.value)}" for row in ordered),
        x_label=f"{score}, {direction} is better",
    )
    return Picture(svg, f"{score}: the best on top.")


def _times(evaluation: Sequence[ScoreRow], score: str) -> Picture | None:
    rows = [
        row
        for row in evaluation
        if row.score == score and row.seconds and row.seconds > 0 and np.isfinite(row.value)
    ]
    if len(rows) < 2:
        return None
    clouds = [
        Cloud(name, [r.seconds or 0 for r in own], [r.value for r in own], [r.method for r in own])
        for name, own in (
            ("this model", [row for row in rows if row.ours]),
            ("others", [row for row in rows if not row.ours]),
        )
        if own
    ]
    svg = scatter_svg(
        clouds,
        title="Time against score",
        description=f"Seconds and {score} of {len(rows)} methods.",
        x_label="seconds, log scale",
        y_label=score,
        x_is_log=True,
    )
    return Picture(svg, f"{score} against the time that fitting and answering took.")
