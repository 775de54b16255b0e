"""A row's answer depends on the row and the model, and on nothing else, bit by bit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from estimators.bits import answers, assert_same_bits
from estimators.tables import LIGHT, classes_of_rows, holed_table, labels_of_rows
from halfseen import HalfseenClassifier

pytestmark = pytest.mark.as_in_use

METHODS = ("mean_field", "second_order", "gibbs")
MANY = 300  # more than one tile, and not a multiple of one


@pytest.fixture(scope="module")
def models(table: pd.DataFrame, classes: Any) -> dict[str, HalfseenClassifier]:
    return {
        method: HalfseenClassifier(**LIGHT, completion=method).fit(table, classes)
        for method in METHODS
    }


@pytest.fixture(scope="module")
def rows() -> tuple[pd.DataFrame, Any]:
    table = holed_table(MANY, seed=5, share=0.4)
    return table, classes_of_rows(table)


@pytest.fixture(scope="module")
def whole(
    models: dict[str, HalfseenClassifier], rows: tuple[pd.DataFrame, Any]
) -> dict[str, list[Any]]:
    return {method: answers(model, *rows) for method, model in models.items()}


def taken(answer: list[Any], rows: Any) -> list[Any]:
    return [
        part.iloc[rows].reset_index(drop=True) if isinstance(part, pd.DataFrame) else part[rows]
        for part in answer
    ]


def asked(model: HalfseenClassifier, rows: tuple[pd.DataFrame, Any], chosen: Any) -> list[Any]:
    table, y = rows
    return answers(model, table.iloc[chosen].reset_index(drop=True), y[chosen])


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=15, deadline=None)
@given(order=st.permutations(range(20)))
def test_order_of_rows(
    method: str,
    order: list[int],
    models: dict[str, HalfseenClassifier],
    rows: tuple[pd.DataFrame, Any],
    whole: dict[str, list[Any]],
) -> None:
    assert_same_bits(asked(models[method], rows, order), taken(whole[method], order))


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=15, deadline=None)
@given(chosen=st.lists(st.integers(0, MANY - 1), min_size=1, max_size=40))
def test_company_of_rows(
    method: str,
    chosen: list[int],
    models: dict[str, HalfseenClassifier],
    rows: tuple[pd.DataFrame, Any],
    whole: dict[str, list[Any]],
) -> None:
    assert_same_bits(asked(models[method], rows, chosen), taken(whole[method], chosen))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("size", "last"), [(1, 20), (7, 60), (256, MANY), (299, MANY)])
def test_chunks_of_rows(
    method: str,
    size: int,
    last: int,
    models: dict[str, HalfseenClassifier],
    rows: tuple[pd.DataFrame, Any],
    whole: dict[str, list[Any]],
) -> None:
    for first in range(0, last, size):
        chunk = np.arange(first, min(first + size, MANY))
        assert_same_bits(asked(models[method], rows, chunk), taken(whole[method], chunk))


def test_log_probability_of_rows(
    models: dict[str, HalfseenClassifier], rows: tuple[pd.DataFrame, Any]
) -> None:
    model, (table, _) = models["mean_field"], rows
    together = model.score_samples(table)
    assert together.shape == (MANY,)
    assert np.isfinite(together).all()
    backwards = model.score_samples(table[::-1])
    assert_same_bits(backwards, together[::-1].copy())
    for first in range(0, 35, 7):
        chunk = model.score_samples(table[first : first + 7])
        assert_same_bits(chunk, together[first : first + 7].copy())
    assert_same_bits(model.score_samples(table[3:4]), together[3:4].copy())
    assert_same_bits(model.score_samples(table), together)


def test_several_machines(table: pd.DataFrame, classes: Any, rows: Any) -> None:
    one, other = (
        HalfseenClassifier(**LIGHT | {"random_state": seed}).fit(table, classes) for seed in (0, 1)
    )
    together = {
        name: np.concatenate([getattr(model.machine_, name) for model in (one, other)])
        for name in ("weights", "visible_bias", "hidden_bias", "log_variance")
    }
    one.machine_ = replace(one.machine_, **together)
    whole = answers(one, *rows)
    order = np.random.default_rng(0).permutation(MANY)
    assert_same_bits(asked(one, rows, order), taken(whole, order))
    assert_same_bits(asked(one, rows, [17]), taken(whole, [17]))


def test_labels(of_labels: HalfseenClassifier) -> None:
    table = holed_table(MANY, seed=6)
    y = labels_of_rows(table)
    together = answers(of_labels, table, y)
    assert_same_bits(
        asked(of_labels, (table, y), range(290, 300)), taken(together, range(290, 300))
    )
    assert_same_bits(asked(of_labels, (table, y), [299]), taken(together, [299]))
