from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa

from halfseen.cli.column_answer import ColumnAnswer
from halfseen.cli.filling import Filling

BATCH = pa.table({"id": [None, "b", "c"], "a": [1.0, None, 3.0], "b": ["x", "x", None]})


def test_only_rows_with_holes_are_asked_about() -> None:
    asked: list[Any] = []
    heard: list[Any] = []
    done: list[int] = []

    def answering(table: pa.Table) -> list[ColumnAnswer]:
        asked.append(table.to_pylist())
        seen = np.ones(len(table), dtype=bool)  # a model may know less than the file holds
        return [
            ColumnAnswer("a", "number", False, seen, expected=np.array([7.5, 8.5])),
            ColumnAnswer("b", "category", False, seen, values=("x", "y"), chosen=np.array([1, 1])),
            ColumnAnswer("absent", "number", True, seen, expected=np.zeros(2)),
        ]

    source: Any = SimpleNamespace(present=["a", "b"], for_model=lambda batch: batch)
    filling = Filling(source, answering, lambda *heard_of: heard.append(heard_of), done.append)
    first, second = filling(BATCH), filling(BATCH.slice(0, 1))
    assert [row["id"] for row in asked[0]] == ["b", "c"]
    assert len(asked) == 1
    assert first["a"].to_pylist() == [None, 7.5, 8.5]
    assert first["b"].to_pylist() == [None, "y", "y"]
    assert second == {}
    ((numbers, answers),) = heard
    assert numbers.tolist() == [2, 3]
    seen = {answer.name: answer.observed.tolist() for answer in answers}
    assert seen == {"a": [False, True], "b": [True, False]}
    assert done == [3, 4]
