from __future__ import annotations

from dataclasses import replace

import numpy as np

from halfseen.explanations.rows_read import RowsRead
from halfseen.inspection import TableSummary, inspect_table
from halfseen.report import Details, Facts, Gallery, Note, Page, Picture, Section, page_html
from halfseen.report import Table as ReportTable
from halfseen.report.sections.data_section import data_section, distinct_names, observed_of
from halfseen.tables import (
    Schema,
    Table,
    learn_columns,
    learn_target_columns,
    read_table,
    read_target,
)
from report.checked import checked_html
from report.small import HOSTILE, rows_of


def summary_of(schema: Schema, rows: RowsRead) -> TableSummary:
    names = distinct_names(schema)
    table = Table(rows.raws, names, len(rows.numbers))  # type: ignore[arg-type]
    return inspect_table([table], labels=names[len(schema.features) :])


def html_of(section: Section) -> str:
    html = page_html(Page("t", "l", (section,)))
    checked_html(html)
    return html


def test_without_a_table_the_schema_speaks() -> None:
    schema, _ = rows_of()
    section = data_section(schema, None, None)
    facts, columns, absent = section.parts
    assert isinstance(facts, Facts)
    assert dict(facts.items) == {"features": "3", "labels": "2"}
    assert isinstance(columns, ReportTable)
    assert [row[0] for row in columns.rows] == [HOSTILE, "colour & size", "on", "y0", "y1"]
    assert isinstance(absent, Note)
    assert absent.tone == "absent"
    html_of(section)


def test_missing_shares_are_those_of_the_table() -> None:
    schema, rows = rows_of()
    section = data_section(schema, summary_of(schema, rows), rows)
    facts, columns = section.parts[:2]
    assert isinstance(facts, Facts)
    assert isinstance(columns, ReportTable)
    assert dict(facts.items)["rows"] == "8"
    assert dict(facts.items)["of the features missing"] == "25\u00a0%"
    assert dict(facts.items)["of the labels missing"] == "25\u00a0%"
    assert [row[3].key for row in columns.rows] == [0.25, 0.25, 0.25, 0.25, 0.25]
    assert "&lt;script&gt;" in html_of(section)


def test_the_map_counts_rows_as_the_table_does() -> None:
    schema, rows = rows_of()
    numbered = replace(rows, numbers=tuple(range(100, 108)))
    section = data_section(schema, summary_of(schema, rows), numbered)
    pictures = [part for part in section.parts if isinstance(part, Picture)]
    assert ">101</text>" in pictures[0].svg
    assert ">108</text>" in pictures[0].svg


def test_labels_that_were_not_given_are_not_seen() -> None:
    _, rows = rows_of()
    without = replace(rows, raws=(*rows.raws[:3], None, None))
    assert not observed_of(without)[:, 3:].any()
    assert observed_of(without)[:, 0].tolist() == rows.raws[0].observed.tolist()  # type: ignore[union-attr]


def test_nothing_missing_is_said() -> None:
    table = read_table(np.arange(12.0).reshape(6, 2) ** 1.5)
    schema = Schema(learn_columns(table), (), None)
    section = data_section(schema, inspect_table([table]), None)
    assert Note("Nothing is missing in this table.") in section.parts


def test_columns_that_are_missing_together_are_drawn() -> None:
    generator = np.random.default_rng(0)
    values = generator.random((60, 3))
    values[::2, 0] = values[::2, 1] = np.nan
    values[1, 2] = np.nan
    table = read_table(values)
    schema = Schema(learn_columns(table), (), None)
    section = data_section(schema, inspect_table([table]), None)
    (gallery,) = (part for part in section.parts if isinstance(part, Gallery))
    titles = [picture.caption for picture in gallery.pictures]
    assert any("commonest patterns" in title for title in titles)
    assert any("missing together" in title for title in titles)
    html_of(section)


def test_holes_that_can_be_told_are_listed() -> None:
    generator = np.random.default_rng(0)
    values = generator.random((400, 2))
    values[values[:, 0] > 0.5, 1] = np.nan
    table = read_table(values)
    schema = Schema(learn_columns(table), (), None)
    section = data_section(schema, inspect_table([table]), None)
    (details,) = (part for part in section.parts if isinstance(part, Details))
    (found,) = details.parts
    assert isinstance(found, ReportTable)
    assert found.rows[0][0] == "x1"


def test_a_label_called_like_a_feature_is_marked() -> None:
    import pandas as pd

    table = read_table(pd.DataFrame({"y": [0.5, 1.5]}))
    target = read_target([0, 1])
    schema = Schema(learn_columns(table), learn_target_columns(target), "classes")
    assert distinct_names(schema) == ("y", "y (label)")
