from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from estimators.tables import holed_table
from explanations.tiny import people
from halfseen import HalfseenClassifier
from halfseen.explanations.example_model import example_model
from halfseen.explanations.rows_read import read_rows
from halfseen.explanations.surprising_entries import surprising_entries


def test_entries_are_set_against_what_the_rest_of_the_row_says() -> None:
    model, X = example_model(), people()
    (entries,) = surprising_entries(model, read_rows(model, X, None, [0]), 9)
    assert {entry.column for entry in entries} == {"age", "smokes", "town"}
    found = {entry.column: entry for entry in entries}
    without = X.assign(age=np.nan)
    expected = model.transform(without).loc[0, "age"]
    age = found["age"]
    assert age.expected == expected
    assert age.distance == pytest.approx((75.0 - expected) / 20 / np.exp(-0.25), rel=1e-5)
    assert age.surprise == 0.5 * (age.distance or 0.0) ** 2
    smokes = float(model.transform(X.assign(smokes=np.nan)).loc[0, "smokes"])
    assert found["smokes"].probability == pytest.approx(smokes)
    assert found["smokes"].surprise == pytest.approx(-np.log(smokes))
    assert found["town"].value == "Lund"
    assert found["town"].distance is None


def test_the_number_of_entries_is_bounded() -> None:
    model = example_model()
    of_rows = surprising_entries(model, read_rows(model, people(), None, [0, 1]), 1)
    assert [len(entries) for entries in of_rows] == [1, 1]


def test_an_ensemble_answers_where_there_is_one(ensemble: HalfseenClassifier) -> None:
    X = holed_table()
    (entries,) = surprising_entries(ensemble, read_rows(ensemble, X, None, [0]), 9)
    for entry in entries:
        without = X[:1].astype({entry.column: object})
        without.loc[0, entry.column] = None
        again = ensemble.transform(pd.DataFrame(without))
        if entry.column in ("size", "weight"):
            assert entry.expected == float(again.loc[0, entry.column])
