"""What the model has learned: couplings between columns, and hidden units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from halfseen.explanations import Coupling, Couplings, HiddenUnitSummary
from halfseen.explanations.printed_value import printed_value
from halfseen.report.number_text import MINUS, number_text, percent_text
from halfseen.report.page import Section
from halfseen.report.parts import Cell, Details, Entry, Note, Part, Picture, Table, TableColumn
from halfseen.report.pictures import heat_map_svg

_MOST_ACROSS = 24
_MOST_DOWN = 24
_MOST_ROWS = 60


def couplings_section(couplings: Couplings, units: Sequence[HiddenUnitSummary]) -> Section:
    """Which columns hang together, and what the hidden units respond to.

    Parameters
    ----------
    couplings : Couplings
        As :func:`halfseen.explanations.couplings` gives them.
    units : sequence of HiddenUnitSummary
        As :func:`halfseen.explanations.hidden_units` gives them.

    Returns
    -------
    Section

    Examples
    --------
    >>> found = Couplings((), (Coupling("rain", None, "wet", None, 2.0, 1.0),), (), "machine")
    >>> couplings_section(found, ()).parts[1].caption[:8]
    'Features'
    """
    asked = "the likelihood-trained machine" if couplings.origin == "machine" else "the ensemble"
    parts: list[Part] = [
        Note(
            f"From {asked}: how the log-odds of a label or class (of a number: itself, in standard "
            "deviations) change when another column goes from low to high, everything else at its "
            "average. Warm: they go together; cool: one speaks against the other. They are what "
            "the model uses, not what causes what."
        )
    ]
    parts += _map(
        couplings.feature_label,
        "Features (down) and labels or classes (across): change of the log-odds per standard "
        "deviation of the feature.",
        "Couplings of features and labels",
        transposed=True,
    )
    parts += _map(
        couplings.label_label,
        "Labels among each other: change of the log-odds per standard deviation.",
        "Couplings of labels",
        mirrored=True,
    )
    parts += _map(
        couplings.feature_feature,
        "Columns among each other: change per standard deviation.",
        "Couplings of columns",
        mirrored=True,
    )
    tables = [
        _table(part, caption)
        for part, caption in (
            (couplings.feature_label, "Couplings from features to labels or classes"),
            (couplings.label_label, "Couplings of labels"),
            (couplings.feature_feature, "Couplings of columns"),
        )
        if part
    ]
    if tables:
        parts.append(Details("Couplings in figures", tables))
    if units:
        parts.append(_units(units))
    if len(parts) == 1:
        parts.append(Note("There is one column only, so there is nothing to couple.", "absent"))
    return Section("Couplings and hidden units", "couplings", parts)


def named(column: str, category: Any) -> str:
    """A column, or one of its categories."""
    return column if category is None else f"{column} = {printed_value(category)}"


def signed(value: float) -> str:
    """A number with its sign."""
    return number_text(value) if value < 0 else f"+{number_text(value)}"


def _map(
    couplings: Sequence[Coupling],
    caption: str,
    title: str,
    *,
    mirrored: bool = False,
    transposed: bool = False,
) -> list[Part]:
    if not couplings:
        return []
    sources = _strongest([named(c.source, c.source_category) for c in couplings], couplings)
    targets = _strongest([named(c.target, c.target_category) for c in couplings], couplings)
    if mirrored:
        both = [
            name
            for pair in zip(_names(couplings, 0), _names(couplings, 1), strict=True)
            for name in pair
        ]
        doubled = [c for c in couplings for _ in range(2)]
        sources = targets = _strongest(both, doubled)
    down, across = (sources, targets) if transposed or mirrored else (targets, sources)
    down, across = down[:_MOST_DOWN], across[:_MOST_ACROSS]
    values = np.full((len(down), len(across)), np.nan)
    for c in couplings:
        source, target = named(c.source, c.source_category), named(c.target, c.target_category)
        pairs = [(source, target)] if transposed else [(target, source)]
        pairs += [(source, target)] if mirrored else []
        for row, column in pairs:
            if row in down and column in across:
                values[down.index(row), across.index(column)] = c.strength
    n_left_out = len(set(_names(couplings, 0) + _names(couplings, 1)) - set(down) - set(across))
    if n_left_out:
        caption += f" The strongest; {n_left_out:,} more are left out."
    strongest = couplings[0]
    svg = heat_map_svg(
        values,
        down,
        across,
        title=title,
        description=f"The strongest is {named(strongest.source, strongest.source_category)} and "
        f"{named(strongest.target, strongest.target_category)}, {signed(strongest.strength)}.",
        value_label="change per standard deviation",
    )
    return [Picture(svg, caption)]


def _names(couplings: Sequence[Coupling], side: int) -> list[str]:
    return [
        named(c.target, c.target_category) if side else named(c.source, c.source_category)
        for c in couplings
    ]


def _strongest(names: Sequence[str], couplings: Sequence[Coupling]) -> list[str]:
    """Names without repetition, those of the strongest couplings first."""
    ordered = sorted(zip(names, couplings, strict=True), key=lambda pair: -abs(pair[1].strength))
    return list(dict.fromkeys(name for name, _ in ordered))


def _table(couplings: Sequence[Coupling], caption: str) -> Table:
    rows: list[list[Entry]] = [
        [
            named(c.source, c.source_category),
            named(c.target, c.target_category),
            Cell(signed(c.change), c.change),
            Cell(signed(c.strength), c.strength),
        ]
        for c in couplings[:_MOST_ROWS]
    ]
    heads = (
        "from",
        "to",
        TableColumn("change, low to high", numeric=True),
        TableColumn("per standard deviation", numeric=True),
    )
    more = len(couplings) - len(rows)
    return Table(
        heads, rows, f"{caption}; {more:,} weaker ones are left out." if more else f"{caption}."
    )


def _units(units: Sequence[HiddenUnitSummary]) -> Table:
    several = len({unit.machine for unit in units}) > 1
    rows: list[list[Entry]] = []
    for unit in units:
        name = f"{unit.machine + 1}.{unit.unit + 1}" if several else str(unit.unit + 1)
        words = ", ".join(
            f"{named(each.column, each.category)} {'+' if each.weight > 0 else MINUS}"
            f"{number_text(abs(each.weight), 2)}"
            for each in unit.responds_to[:6]
        )
        rows.append(
            [
                Cell(name, float(unit.machine * 1_000_000 + unit.unit)),
                Cell(percent_text(unit.activation), unit.activation),
                unit.strength,
                words,
            ]
        )
    heads = (
        TableColumn("hidden unit"),
        TableColumn("on in the average row", numeric=True),
        TableColumn("strength", numeric=True),
        "responds to, in log-odds per standard deviation",
    )
    return Table(heads, rows, "The hidden units that respond most, and what they respond to.")
