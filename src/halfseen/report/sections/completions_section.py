"""Some rows as the model completes them, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.rbm_base import RBMBase
from halfseen.explanations import Answer, RowExplanation
from halfseen.explanations.printed_value import printed_value
from halfseen.explanations.rows_read import RowsRead
from halfseen.report.number_text import number_text, percent_text
from halfseen.report.page import Section
from halfseen.report.parts import (
    Cell,
    Details,
    Entry,
    Gallery,
    Note,
    Part,
    Picture,
    Table,
    TableColumn,
)
from halfseen.report.pictures import Bar, bars_svg
from halfseen.report.pictures.interval import interval_svg
from halfseen.report.sections.asked_entries import completed_units
from halfseen.tables import Column

LEVEL = 0.9
_MOST_HOLES = 10  # of a row
_MOST_ANSWERS = 4
_MOST_INFLUENCES = 7
_SURE = 0.005


def completions_section(
    model: RBMBase, rows: RowsRead | None, explained: Sequence[RowExplanation]
) -> Section:
    """Example rows: what was seen, what is filled in, how sure that is, and what made it so.

    Parameters
    ----------
    model : HalfseenClassifier or HalfseenImputer
        A fitted model.
    rows : RowsRead or None
        The examples.
    explained : sequence of RowExplanation
        Explanations of some of them.

    Returns
    -------
    Section

    Examples
    --------
    >>> completions_section(None, None, ()).parts[0].tone
    'absent'
    """
    title, anchor = "Example completions", "completions"
    if rows is None:
        text = (
            "Give the table, X (on the command line: --data), to see some of its rows filled, "
            "with intervals."
        )
        return Section(title, anchor, [Note(text, "absent")])
    schema = model.schema_
    shown = rows.encoded.observed & ~schema.is_target_unit
    completed = completed_units(model, rows.encoded.visible, shown)
    parts: list[Part] = []
    filled = _filled(model, rows, completed)
    if filled.rows:
        parts.append(Note(_words(model)))
        parts.append(filled)
    else:
        parts.append(Note("None of these rows has a hole among its features."))
    if schema.targets:
        parts.append(_labels(model, rows, completed))
    why = {explanation.row: _why(explanation) for explanation in explained}
    for position, number in enumerate(rows.numbers):
        parts.append(_whole_row(model, rows, position, completed, why.get(number, [])))
    return Section(title, anchor, parts)


def _words(model: RBMBase) -> str:
    text = "Each hole is filled with what is expected there, given the rest of its row."
    if model.prediction_ is not None:
        text += (
            f" Of numbers that are missing completely at random, {percent_text(LEVEL)} lie between "
            "the bounds; the bar shows them within the range of the column."
        )
    else:
        text += " Intervals need a predictive ensemble, which this model does not hold."
    return text


def _filled(model: RBMBase, rows: RowsRead, completed: NDArray[np.float32]) -> Table:
    schema = model.schema_
    values = schema.feature_values(completed)
    bounds = _bounds(model, rows)
    entries: list[list[Entry]] = []
    for position, number in enumerate(rows.numbers):
        holes = [
            j
            for j, c in enumerate(schema.features)
            if c.kind != "empty" and rows.is_hole(position, j)
        ]
        for j in holes[:_MOST_HOLES]:
            column, value = schema.features[j], values[j]
            if value is None:
                continue
            units = schema.feature_units(j)
            answer = value[position]
            head: list[Entry] = [f"row {number + 1}", column.name]
            if column.unit == "gaussian":
                entries.append(
                    head + _number(model, column, float(answer), bounds, position, units.start)
                )
            else:
                probability = completed[position, units].astype(np.float64)
                entries.append(head + _category(column, answer, probability))
    heads: list[TableColumn | str] = ["row", "column", "filled with", "how sure"]
    caption = f"Holes of {len(rows.numbers)} example rows, at most {_MOST_HOLES} of each"
    if bounds is not None:
        heads[3:3] = [TableColumn("from", numeric=True), TableColumn("to", numeric=True)]
        caption += f", with bounds of {percent_text(LEVEL)}"
    else:
        entries = [[*entry[:3], entry[5]] for entry in entries]
    return Table(heads, entries, f"{caption}.", shown=20)


def _bounds(
    model: RBMBase, rows: RowsRead
) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    if model.prediction_ is None or not model.schema_.n_gaussian:
        return None
    shown = rows.encoded.observed & ~model.schema_.is_target_unit
    return model.prediction_.interval(rows.encoded.visible, shown, LEVEL)


def _number(
    model: RBMBase,
    column: Column,
    value: float,
    bounds: tuple[NDArray[np.float64], NDArray[np.float64]] | None,
    position: int,
    unit: int,
) -> list[Entry]:
    filled = Cell(number_text(value, 4), value, tone="filled")
    if bounds is None or model.prediction_ is None:
        return [filled, None, None, None]
    edges = np.array([bounds[0][position, unit], bounds[1][position, unit]])
    low, high = column.destandardised(edges).tolist()
    blend = model.prediction_.blend
    ends = column.destandardised(np.array([blend.lowest[unit], blend.highest[unit]])).tolist()
    what = f"from {number_text(low)} to {number_text(high)}, column from "
    what += f"{number_text(ends[0])} to {number_text(ends[1])}"
    width = (high - low) / ((ends[1] - ends[0]) or 1.0)
    drawn = interval_svg(low, value, high, ends[0], ends[1], what)
    return [filled, low, high, Cell("", 1.0 - width, drawn)]


def _category(column: Column, answer: Any, probability: NDArray[np.float64]) -> list[Entry]:
    if column.kind == "binary":
        sure = max(float(probability[0]), 1 - float(probability[0]))
        text = str(int(probability[0] >= 0.5))
    else:
        sure, text = float(probability.max()), printed_value(answer)
    told = Cell(f"probability {percent_text(sure)}", sure)
    return [Cell(text, tone="filled"), None, None, told]


def _labels(model: RBMBase, rows: RowsRead, completed: NDArray[np.float32]) -> Table:
    schema = model.schema_
    n_features = len(schema.features)
    smallest = None
    if model.prediction_ is not None:
        smallest = model.prediction_.smallest_probability(LEVEL, knows_labels=False)
    thresholds = getattr(model, "thresholds_", np.zeros(0))
    entries: list[list[Entry]] = []
    for position, number in enumerate(rows.numbers):
        for j, probability in enumerate(schema.target_probabilities(completed)):
            column = schema.targets[j]
            own = probability[position]
            known: Entry = None
            if not rows.is_hole(position, n_features + j):
                value = rows.cell(position, n_features + j)
                known = printed_value(float(value) if isinstance(value, int | float) else value)
            if probability.ndim == 1:
                p, said = np.array([1 - own, own]), str(int(own > thresholds[j]))
                names = ["0", "1"]
                shown = float(own)
            else:
                p, names = own, [printed_value(category) for category in column.categories]
                said, shown = names[int(np.argmax(own))], float(own.max())
            entry: list[Entry] = [f"row {number + 1}", column.name, known]
            entry += [Cell(said, tone="filled"), Cell(percent_text(shown), shown)]
            if smallest is not None:
                entry.append(_possible(p, names, smallest))
            entries.append(entry)
    of = "1" if schema.target_kind == "labels" else "this class"
    what = "label" if schema.target_kind == "labels" else "class of"
    heads: list[TableColumn | str] = ["row", what, "known to be", "predicted"]
    heads.append(TableColumn(f"probability of {of}", numeric=True))
    caption = "Labels of the same rows, predicted from the features alone."
    if smallest is not None:
        heads.append(f"possible at {percent_text(LEVEL)}")
        caption += (
            f" Where more than one value is possible at {percent_text(LEVEL)}, the model is not "
            "sure."
        )
    return Table(heads, entries, caption, shown=20)


def _possible(p: NDArray[np.float64], names: list[str], smallest: float) -> str:
    inside = (p >= smallest) | (p == p.max())
    chosen = [name for name, is_in in zip(names, inside.tolist(), strict=True) if is_in]
    text = " or ".join(chosen) if len(chosen) <= 4 else f"any of {len(chosen)}"
    return text if len(chosen) == 1 else f"{text}: not sure"


def _whole_row(
    model: RBMBase,
    rows: RowsRead,
    position: int,
    completed: NDArray[np.float32],
    why: Sequence[Part],
) -> Details:
    schema = model.schema_
    values = schema.feature_values(completed)
    entries: list[list[Entry]] = []
    for j, column in enumerate(schema.features):
        if not rows.is_hole(position, j):
            value = rows.cell(position, j)
            text = number_text(value, 4) if isinstance(value, float) else printed_value(value)
            entries.append([column.name, text, "seen"])
        else:
            fill = values[j]
            if fill is None:
                entries.append([column.name, None, "stays a hole: nothing was seen in training"])
            else:
                text = _answer_text(column, fill[position])
                entries.append([column.name, Cell(text, tone="filled"), "filled"])
    n_holes = sum(rows.is_hole(position, j) for j in range(len(schema.features)))
    number = rows.numbers[position] + 1
    table = Table(("column", "value", "how"), entries, f"Row {number}, seen and filled.", shown=15)
    summary = f"Row {number}: {len(schema.features) - n_holes} seen, {n_holes} filled"
    return Details(f"{summary}; why the model says so" if why else summary, [*why, table])


def _answer_text(column: Column, answer: Any) -> str:
    if column.kind == "categorical":
        return printed_value(answer)
    if column.kind == "numeric":
        return number_text(float(answer), 4)
    return f"{int(answer >= 0.5)}, with a probability of 1 of {percent_text(float(answer))}"


def _why(explanation: RowExplanation) -> list[Part]:
    pictures = [
        _influences(answer)
        for answer in explanation.answers
        if any(abs(influence.effect) >= _SURE for influence in answer.influences)
    ]
    if not pictures:
        return []
    text = (
        "Each bar is what the answer loses when that one entry is taken away: to the right, the "
        "entry spoke for it."
    )
    return [Note(text), Gallery(pictures[:_MOST_ANSWERS])]


def _influences(answer: Answer) -> Picture:
    bars = [
        Bar(
            f"{each.column} = {printed_value(each.observed_value)}",
            each.effect,
            text=number_text(each.effect, 2)
            if each.effect < 0
            else f"+{number_text(each.effect, 2)}",
            series=1 if each.effect >= 0 else 0,
        )
        for each in answer.influences[:_MOST_INFLUENCES]
    ]
    unit = answer.influences[0].unit if answer.influences else "log-odds"
    said = f"{answer.column} is expected to be {printed_value(answer.value)}."
    if answer.probability is not None:
        said = f"{answer.column} is {printed_value(answer.event)} with a probability of "
        said += f"{percent_text(answer.probability)}."
    svg = bars_svg(
        bars,
        title=f"What pushed {answer.column}",
        description="; ".join(f"{bar.name}: {bar.text}" for bar in bars),
        x_label=unit if unit == "log-odds" else f"in units of {answer.column}",
    )
    return Picture(svg, said)
