from __future__ import annotations

import pyarrow as pa
import pytest

from halfseen.cli.problem import Problem
from halfseen.cli.typed_columns import typed_for_model, zeros_and_ones
from halfseen.tables import Schema, learn_columns, read_table

SCHEMA = Schema(
    learn_columns(read_table([[1.5, 0, "red"], [2.5, 1, "blue"], [2.0, 1, "red"]])), (), None
)


@pytest.mark.parametrize("texts", [["yes", "no"], ["1", "2"], [None, None], ["1", ""]])
def test_other_texts_than_zeros_and_ones(texts: list[str | None]) -> None:
    assert zeros_and_ones(pa.chunked_array([pa.array(texts, pa.string())])) is None


def test_texts_become_numbers_where_the_model_has_numbers() -> None:
    table = pa.table({"x0": ["1.5", None], "x1": [True, False], "x2": ["red", "blue"]})
    typed = typed_for_model(table, SCHEMA, "t.csv")
    assert typed["x0"].to_pylist() == [1.5, None]
    assert typed["x1"].type == pa.bool_()
    assert typed["x2"].to_pylist() == ["red", "blue"]


def test_numbers_become_texts_where_the_model_has_texts() -> None:
    typed = typed_for_model(pa.table({"x2": [7, None]}), SCHEMA, "t.csv")
    assert typed["x2"].to_pylist() == ["7", None]


def test_text_that_is_no_number_is_named() -> None:
    with pytest.raises(Problem, match=r"t.csv, column 'x0'.*old"):
        typed_for_model(pa.table({"x0": ["1.5", "old"]}), SCHEMA, "t.csv")
