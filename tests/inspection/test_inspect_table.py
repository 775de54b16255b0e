"""What is in a table, as a user asks."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.inspection import CategoryCount, Pattern, TableSummary, inspect_table

HAND = pd.DataFrame(
    {
        "site": ["a", "b", None, "a", None],
        "alerts": [0.0, 3.0, 9.0, None, None],
        "seen": pd.to_datetime(["2020-01-01", None, "2020-01-03", None, "2020-01-02"]),
        "attack": [0, None, 1, None, 1],
        "stage": ["x", None, "y", "x", None],
    }
)


def test_a_table_by_hand() -> None:
    summary = inspect_table([HAND], labels=["attack", "stage"])
    site, alerts, seen, attack, stage = summary.columns
    assert summary.n_rows == summary.n_sampled_rows == 5
    assert [c.role for c in summary.columns] == ["feature", "feature", "date", "label", "label"]
    assert (site.kind, site.n_missing, site.n_distinct) == ("categorical", 2, 2)
    assert site.top == (CategoryCount("a", 2), CategoryCount("b", 1))
    assert alerts.numbers is not None
    assert (alerts.numbers.mean, alerts.numbers.minimum, alerts.numbers.maximum) == (4.0, 0.0, 9.0)
    assert alerts.numbers.sd == pytest.approx(np.sqrt(14))
    assert alerts.numbers.quartiles == (1.5, 3.0, 6.0)
    assert (seen.kind, seen.earliest, seen.latest) == ("date", "2020-01-01", "2020-01-03")
    assert (attack.kind, stage.kind) == ("binary", "categorical")
    assert summary.labels[0].n_positives == 2
    assert summary.labels[0].share_known == pytest.approx(3 / 5)
    assert summary.labels[1].classes == (CategoryCount("x", 2), CategoryCount("y", 1))
    assert summary.labels[1].n_positives is None
    assert summary.n_rows_without_label == 1
    assert summary.n_empty_rows == 0
    assert summary.share_missing == pytest.approx(10 / 25)
    assert summary.patterns[0] == Pattern((False, False, True, True, False), 1)
    assert sum(pattern.n_rows for pattern in summary.patterns) == 5


def test_patterns_and_empty_rows() -> None:
    x = np.array([[1, np.nan, 0], [2, np.nan, 1], [np.nan, np.nan, 1], [3.0, 1.0, np.nan]])
    summary = inspect_table([x], labels=["x2"])
    assert summary.patterns[0] == Pattern((True, False, True), 2)
    assert len(summary.patterns) == 3
    assert summary.n_empty_rows == 1
    assert [w.kind for w in summary.warnings].count("empty rows") == 1


def test_roles_are_kept_and_set_columns_aside() -> None:
    ids = pd.DataFrame({"id": range(100), "v": np.random.default_rng(0).normal(size=100)})
    assert [w.kind for w in inspect_table([ids]).warnings] == ["identifier"]
    summary = inspect_table([ids], roles={"id": "identifier"})
    assert summary.warnings == ()
    assert summary.columns[0].role == "identifier"
    assert inspect_table([ids], roles={"v": "label"}).labels[0].name == "v"


@pytest.mark.parametrize("make", [lambda f: f, pa.Table.from_pandas])
def test_one_table_needs_no_list(make: Any) -> None:
    assert inspect_table(make(HAND)) == inspect_table([HAND])


def mixed(n_rows: int, seed: int) -> pd.DataFrame:
    """Every kind of column, with holes that depend on the first."""
    generator = np.random.default_rng(seed)
    alerts = np.floor(np.exp(generator.normal(1, 1.5, n_rows)))
    size = np.where(generator.random(n_rows) < 1 / (1 + 9 / (1 + alerts)), np.nan, alerts * 0.1)
    colour = generator.choice(["red", "green", "blue", None], n_rows)
    return pd.DataFrame(
        {
            "alerts": alerts,
            "size": size + generator.normal(size=n_rows),
            "colour": colour,
            "mixed": pd.Series(generator.choice([1, 2.5, "a", None], n_rows), dtype=object),
            "name": [f"device {row}" for row in range(n_rows)],
            "attack": np.where(
                generator.random(n_rows) < 0.5, np.nan, generator.random(n_rows) < 0.2
            ),
        }
    )


LONG = mixed(9000, 0)


def cut(frame: pd.DataFrame, ends: Sequence[int]) -> list[pd.DataFrame]:
    places = [0, *sorted(ends), len(frame)]
    return [frame.iloc[a:b] for a, b in pairwise(places)]


@pytest.fixture(scope="module")
def whole() -> TableSummary:
    return inspect_table([LONG], labels=["attack"], seed=5, max_sample_rows=900)


@settings(max_examples=5, deadline=None)
@given(ends=st.lists(st.integers(0, 9000), max_size=5))
def test_the_cut_does_not_matter(whole: TableSummary, ends: list[int]) -> None:
    parts = cut(LONG, ends)
    assert inspect_table(parts, labels=["attack"], seed=5, max_sample_rows=900) == whole


def test_small_cuts_and_other_containers(whole: TableSummary) -> None:
    parts = cut(LONG, range(100, 9000, 100))
    asked: dict[str, Any] = {"labels": ["attack"], "seed": 5, "max_sample_rows": 900}
    assert inspect_table(parts, **asked) == whole
    plain = LONG.drop(columns="mixed")  # arrow has no column of mixed types
    tables = [pa.Table.from_pandas(part) for part in cut(plain, [3000])]
    assert inspect_table(tables, **asked) == inspect_table([plain], **asked)


def test_the_sample_depends_on_the_seed_and_the_counts_do_not(whole: TableSummary) -> None:
    other = inspect_table([LONG], labels=["attack"], seed=6, max_sample_rows=900)
    assert other.randomness != whole.randomness
    assert other.patterns == whole.patterns
    assert other.labels == whole.labels
    assert whole.n_sampled_rows == 900


def test_what_was_put_in_is_found(whole: TableSummary) -> None:
    assert whole.randomness.columns[0].sentence.startswith(
        "size is missing more often where alerts is high"
    )
    assert ("name", "identifier") in [(w.column, w.kind) for w in whole.warnings]
    assert whole.columns[3].kind == "categorical"


def test_a_summary_is_plain_enough_for_json(whole: TableSummary) -> None:
    document = json.loads(json.dumps(dataclasses.asdict(whole), allow_nan=False))
    assert document["n_rows"] == 9000
    assert document["columns"][0]["numbers"]["minimum"] == LONG["alerts"].min()


def test_hostile_columns_are_told_of_and_not_refused() -> None:
    frame = pd.DataFrame(
        {
            "inf": [1.0, np.inf, -np.inf],
            "huge": [1e300, -1e300, 5e-324],
            "nothing": [None, None, None],
            "lists": [[1], None, [2]],
            "quoted'name": ["a", "\u202e", ""],
        }
    )
    summary = inspect_table([frame])
    assert [c.kind for c in summary.columns][2:4] == ["empty", "other"]
    assert summary.columns[3].role == "ignored"
    assert summary.columns[0].n_observed == 1
    assert {"infinite", "nearly empty"} <= {w.kind for w in summary.warnings}
