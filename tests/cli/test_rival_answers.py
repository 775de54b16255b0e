from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from halfseen.cli.hidden_entries import hide_entries
from halfseen.cli.rival_answers import ITERATIVE, NATIVE, TRIVIAL, rival_answers
from halfseen.cli.scored_cells import score_cells
from halfseen.cli.table_units import encoded_units
from halfseen.tables import Schema, learn_columns, learn_target_columns, read_table, read_target


@pytest.fixture(scope="module")
def whole() -> pa.Table:
    random = np.random.default_rng(0)
    hidden = random.normal(size=150)
    return pa.table(
        {
            "a": hidden,
            "b": hidden + 0.1 * random.normal(size=150),
            "c": np.where(hidden > 0, "hi", "lo"),
            "d": np.digitize(hidden, [-0.4, 0.4]).astype(str),
            "y": np.where(hidden > 0.3, "top", "low"),
            "z": (hidden < 0).astype(int),
        }
    )


def schema_of(table: pa.Table) -> Schema:
    X, y = read_table(table.select(["a", "b", "c", "d"])), read_target(table.select(["y", "z"]))
    return Schema(learn_columns(X), learn_target_columns(y), "outputs")


def test_pipelines_find_again_what_hangs_together(whole: pa.Table) -> None:
    holed = hide_entries(whole, 0.2, 0)
    schema = schema_of(holed)
    seen, true = encoded_units(schema, holed), encoded_units(schema, whole)
    hidden = true.observed & ~seen.observed
    answers = {answer.name: answer for answer in rival_answers(schema, seen, 0)}
    assert list(answers) == [TRIVIAL, ITERATIVE, NATIVE]
    assert not answers[NATIVE].fills_features
    assert answers[TRIVIAL].is_trivial

    def cells(name: str, kind: str):  # type: ignore[no-untyped-def]
        return score_cells(schema, kind, true.visible, hidden, answers[name].units)  # type: ignore[arg-type]

    assert cells(ITERATIVE, "numbers").rmse < 0.5 * cells(TRIVIAL, "numbers").rmse
    assert cells(ITERATIVE, "categories").accuracy > 0.75 > cells(TRIVIAL, "categories").accuracy
    for name in (ITERATIVE, NATIVE):
        assert cells(name, "labels").accuracy > 0.9 > cells(TRIVIAL, "labels").accuracy


def test_a_label_with_one_known_value_is_that_value(whole: pa.Table) -> None:
    same = whole.set_column(5, "z", pa.array([1] + [None] * 149)).slice(0, 30)
    schema = schema_of(same)
    *_, native = rival_answers(schema, encoded_units(schema, same), 0)
    assert (native.units[:, schema.target_units(1)] == 1.0).all()
