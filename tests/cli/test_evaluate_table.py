"""Evaluation of a model that says what is already known."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from halfseen.cli.evaluate_table import evaluate_table
from halfseen.tables import Schema, learn_columns, read_table


class Knowing:
    """Stands in for an imputer: it has seen the whole table and repeats it."""

    prediction_ = None
    verbose = False

    def __init__(self, whole: pa.Table) -> None:
        self.schema_ = Schema(learn_columns(read_table(whole)), (), None)
        units = self.schema_.encode(read_table(whole), None).visible
        self.machine_: Any = SimpleNamespace(complete=lambda *_: units)

    def fit(self, X: pa.Table) -> Knowing:
        assert all(column.null_count for column in X.columns)
        return self


def test_who_knows_everything_is_better_than_all() -> None:
    random = np.random.default_rng(0)
    number = random.normal(size=200)
    noise, sides = random.normal(size=200), np.where(number > 0, "x", "y")
    whole = pa.table({"a": number, "b": noise, "c": sides})
    told: list[str] = []
    evaluation = evaluate_table(
        whole,
        [],
        lambda: Knowing(whole),
        n_rows_of_table=500,
        hidden_share=0.2,
        level=0.9,
        seed=0,
        tell=told.append,
    )
    assert evaluation.n_hidden == {"numbers": 80, "categories": 40}
    ours, trivial, iterative = evaluation.methods
    assert (ours.rmse_of_numbers, ours.right_categories) == (0.0, 1.0)
    assert ours.right_labels is None
    assert trivial.rmse_of_numbers == pytest.approx(1.0, abs=0.15)
    assert iterative.name.startswith("iterative")
    assert all(comparison.outcome == "better" for comparison in evaluation.comparisons)
    assert [column.name for column in evaluation.columns] == ["a", "b", "c"]
    assert evaluation.was_capped
    assert evaluation.honesty.interval_coverage is None
    assert told[0] == "learning"


def test_a_rare_large_value_among_the_hidden_is_no_small_measure() -> None:
    whole = pa.table({"a": [0.0] * 99 + [1000.0], "b": np.arange(100.0)})
    seeds = range(5)
    worst = max(
        evaluate_table(
            whole,
            [],
            lambda: Knowing(whole),
            n_rows_of_table=100,
            hidden_share=0.2,
            level=0.9,
            seed=seed,
        )
        .methods[1]
        .rmse_of_numbers
        or 0.0
        for seed in seeds
    )
    assert worst < 3
