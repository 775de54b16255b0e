from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.tiny import tiny_data_set
from halfseen.experiments.cell_data import hidden_rows
from halfseen.experiments.plan import Cell

CELL = Cell("tiny", "transductive", "at_random", "at_random", 0.5, 0.3, None, "mc1")


@given(
    task=st.sampled_from(["transductive", "inductive"]),
    rates=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    new_rate=st.none() | st.floats(0, 1),
    target=st.sampled_from(["labels", "classes"]),
    realisation=st.integers(0, 5),
)
def test_what_is_asked_for_is_not_shown(
    task: str, rates: tuple[float, float], new_rate: float | None, target: str, realisation: int
) -> None:
    data = tiny_data_set(target)
    cell = Cell(
        "tiny", task, "at_random", "at_random", *rates, new_rate, "mc1", realisation=realisation
    )
    rows = hidden_rows(cell, data)
    assert np.isnan(rows.X[rows.asked_features]).all()
    assert np.isnan(rows.Y[rows.asked_labels]).all()
    shown = ~np.isnan(rows.X)
    assert (rows.X[shown] == data.X[shown]).all()
    if task == "transductive":
        assert rows.fitted.all()
        assert (np.isnan(rows.X) == rows.asked_features).all()
    else:
        assert (~rows.fitted).sum() == round(0.3 * len(data.X))
        assert rows.asked_labels[~rows.fitted].all()
        assert not rows.asked_labels[rows.fitted].any()
        assert not rows.asked_features[rows.fitted].any()


def test_every_method_gets_the_same_mask() -> None:
    data = tiny_data_set()
    one, other = (hidden_rows(replace(CELL, method=name), data) for name in ("mc1", "cle"))
    for ours, theirs in zip(one, other, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("task", ["transductive", "inductive"])
def test_realisations_differ(task: str) -> None:
    data = tiny_data_set()
    cell = replace(CELL, task=task)
    one, other = (hidden_rows(replace(cell, realisation=r), data) for r in (0, 1))
    assert (one.asked_features != other.asked_features).any()
    assert (one.fitted != other.fitted).any() == (task == "inductive")


def test_new_rows_may_lack_more() -> None:
    rows = hidden_rows(replace(CELL, task="inductive", new_feature_rate=1.0), tiny_data_set())
    assert np.isnan(rows.X[~rows.fitted]).all()
    assert not np.isnan(rows.X[rows.fitted]).all()
