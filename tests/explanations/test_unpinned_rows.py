from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from explanations.tiny import people, table_for
from halfseen.explanations.example_model import example_model
from halfseen.explanations.rows_read import read_rows
from halfseen.explanations.unpinned_rows import completer_of, entries_of, unpinned_rows
from halfseen.tables import read_table


def test_rows_are_those_of_the_table_after_deletion_bit_for_bit() -> None:
    model, X = example_model(), people()
    assert model.machine_ is not None
    rows = unpinned_rows(
        model.schema_, read_rows(model, X, None, None).encoded, completer_of(model, "model")
    )
    for number, row in enumerate(rows):
        whole = model.machine_.complete(*model.schema_.encode(read_table(X), None))
        np.testing.assert_array_equal(row.completed[0], whole[number])
        for column, completed in zip(row.columns, row.completed[1:], strict=True):
            deleted = X.astype(object)
            deleted.iloc[number, column] = None
            again = model.machine_.complete(*model.schema_.encode(read_table(deleted), None))
            np.testing.assert_array_equal(completed, again[number])


@pytest.mark.parametrize("kind", ["labels", "outputs"])
def test_every_observed_entry_is_taken_away_once(kind: str, models: dict[str, Any]) -> None:
    model = models[kind]
    X, y = table_for(model)
    encoded = read_rows(model, X, y, None).encoded
    sent: list[Any] = []

    def completer(visible: Any, observed: Any) -> Any:
        sent.append((visible, observed))
        return visible

    rows = unpinned_rows(model.schema_, encoded, completer)
    assert len(sent) == 1
    assert not sent[0][0][~sent[0][1]].any()
    for row, observed in zip(rows, encoded.observed, strict=True):
        np.testing.assert_array_equal(row.columns, entries_of(model.schema_, observed))
        assert len(row.completed) == 1 + len(row.columns)


def test_exact_needs_the_machine() -> None:
    model = example_model()
    model.machine_ = None
    with pytest.raises(
        ValueError, match=r'method="exact" needs .*fit it again with companion=True'
    ):
        completer_of(model, "exact")
