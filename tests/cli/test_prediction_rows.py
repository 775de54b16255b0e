from __future__ import annotations

import numpy as np
import pyarrow as pa

from halfseen.cli.column_answer import ColumnAnswer
from halfseen.cli.prediction_rows import prediction_table


def test_columns_of_a_class() -> None:
    answer = ColumnAnswer(
        "kind",
        "category",
        True,
        np.zeros(2, bool),
        values=("a", "b"),
        chosen=np.array([1, 0]),
        probabilities=np.array([[0.2, 0.8], [0.6, 0.4]]),
        possible=np.array([[False, True], [True, True]]),
    )
    rows = prediction_table(5, pa.table({"id": ["p", "q"], "row": [9, 9]}), [answer]).to_pylist()
    assert rows == [
        {
            "row": 6,
            "id": "p",
            "kind": "b",
            "kind_confidence": 0.8,
            "kind=a": 0.2,
            "kind=b": 0.8,
            "kind_possible": "b",
            "kind_not_sure": False,
        },
        {
            "row": 7,
            "id": "q",
            "kind": "a",
            "kind_confidence": 0.6,
            "kind=a": 0.6,
            "kind=b": 0.4,
            "kind_possible": "a|b",
            "kind_not_sure": True,
        },
    ]
