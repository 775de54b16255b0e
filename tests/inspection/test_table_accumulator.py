"""A table, batch by batch."""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd
import pytest

from halfseen.inspection.table_accumulator import TableAccumulator


def test_columns_must_stay_the_same() -> None:
    table = TableAccumulator()
    table.add({"a": ([1.0], [True])})
    with pytest.raises(ValueError, match=r"'b'.*'a'"):
        table.add({"b": ([1.0], [True])})


def test_unknown_columns_and_roles_are_named() -> None:
    frame = pd.DataFrame({"attack": [1], "alerts": [2]})
    with pytest.raises(ValueError, match="no column 'atack'; did you mean 'attack'"):
        TableAccumulator(labels=["atack"]).add(frame)
    with pytest.raises(ValueError, match="there are 'attack', 'alerts'"):
        TableAccumulator(roles={"zzz": "text"}).add(frame)
    with pytest.raises(ValueError, match="Unknown role 'key' of column 'attack'; roles are 'feat"):
        TableAccumulator(roles={"attack": "key"})
    with pytest.raises(ValueError, match="label and cannot be 'text'"):
        TableAccumulator(labels=["attack"], roles={"attack": "text"})
    with pytest.raises(ValueError, match=r"\['attack'\]"):
        TableAccumulator(labels="attack")
    with pytest.raises(ValueError, match="at least 1"):
        TableAccumulator(max_sample_rows=0)


def test_nothing_to_inspect_and_nothing_afterwards() -> None:
    with pytest.raises(ValueError, match="nothing to inspect"):
        TableAccumulator().summary()
    table = TableAccumulator()
    table.add(np.zeros((3, 1)))
    assert table.summary() == table.summary()
    with pytest.raises(ValueError, match="summed up"):
        table.add(np.zeros((3, 1)))


def test_columns_without_rows() -> None:
    table = TableAccumulator(labels=["b"])
    table.add(pd.DataFrame({"a": pd.Series([], dtype=float), "b": pd.Series([], dtype=float)}))
    summary = table.summary()
    assert (summary.n_rows, summary.share_missing, summary.names) == (0, 0.0, ("a", "b"))
    assert summary.randomness.verdict == "There are no holes."
    assert summary.n_rows_without_label == 0


def test_more_patterns_than_are_shown() -> None:
    observed = (np.arange(300)[:, None] >> np.arange(9)) & 1 == 1
    table = TableAccumulator()
    table.add(np.where(observed, 1.0, np.nan))
    summary = table.summary()
    assert len(summary.patterns) == 50
    assert summary.n_rows_in_other_patterns == 250


def test_wide_tables_are_sampled_less(monkeypatch: pytest.MonkeyPatch) -> None:
    module = sys.modules["halfseen.inspection.table_accumulator"]
    monkeypatch.setattr(module, "_MOST_SAMPLED_CELLS", 100)
    table = TableAccumulator()
    table.add(np.random.default_rng(0).normal(size=(50, 10)))
    summary = table.summary()
    assert (summary.n_rows, summary.n_sampled_rows) == (50, 10)
