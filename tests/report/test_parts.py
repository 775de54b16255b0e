from __future__ import annotations

import pytest

from halfseen.report import Cell, Table, TableColumn


def test_a_row_that_is_too_short_is_refused() -> None:
    with pytest.raises(ValueError, match="row 1 of the table 'Things' has 1 cells"):
        Table(("a", "b"), [("x", 1), ("y",)], "Things")


def test_heads_are_columns() -> None:
    table = Table(("a", TableColumn("b", numeric=True)), [], "Nothing")
    assert [(head.title, head.numeric) for head in table.heads] == [("a", False), ("b", True)]


def test_cells_are_compared_by_what_they_hold() -> None:
    assert Cell("1", 1.0) == Cell("1", 1.0)
    assert Cell("1", 1.0) != Cell("1", 2.0)
