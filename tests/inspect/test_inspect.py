"""What `inspect_table` finds in tables that were made to have it, and in tables without."""

from __future__ import annotations

import datetime
import json
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import mannwhitneyu
from sklearn.metrics import roc_auc_score

from halfseen.data.infer import infer_type
from halfseen.inspect import Inspection, holm, inspect_table
from halfseen.inspect.table import _percent

N = 400


@pytest.fixture
def generator() -> np.random.Generator:
    return np.random.default_rng(0)


def kinds(found: Inspection) -> set[tuple[str, str | None]]:
    return {(finding.kind, finding.column) for finding in found.findings}


def finding(found: Inspection, kind: str) -> str:
    (sentence,) = [one.sentence for one in found.findings if one.kind == kind]
    return sentence


def plain_table(generator: np.random.Generator) -> pd.DataFrame:
    table = pd.DataFrame(
        {
            "size": generator.normal(10, 2, N),
            "weight": generator.normal(0, 1, N).round(3),
            "colour": generator.choice(["red", "blue", "green"], N),
            "sick": generator.integers(0, 2, N),
        }
    )
    is_missing = generator.random(table.shape) < 0.2
    is_missing[:, 1] = False
    return table.mask(is_missing)


def test_columns_are_described(generator: np.random.Generator) -> None:
    table = plain_table(generator)
    table.insert(0, "name", [f"n{k}" for k in range(N)])
    table["day"] = ["2024-05-31", "2023-01-01"] * (N // 2)
    found = inspect_table(table, ["sick"], ignored=["weight"])
    assert (found.n_rows, found.n_inspected_rows) == (N, N)
    assert found.share_missing == pytest.approx(table.isna().to_numpy().mean())
    assert found.share_without_label == pytest.approx(table["sick"].isna().mean())
    by_name = {column.name: column for column in found.columns}
    assert {name: column.role for name, column in by_name.items()} == {
        "name": "ignored", "size": "feature", "weight": "ignored", "colour": "feature",
        "sick": "label", "day": "ignored",
    }  # fmt: skip
    for name in ("name", "size", "colour", "day"):
        assert by_name[name].type, by_name[name].reason == infer_type(table[name], name)
    size = table["size"].dropna()
    numbers = by_name["size"].numbers
    assert numbers is not None
    assert (numbers.minimum, numbers.maximum) == (size.min(), size.max())
    assert numbers.mean == pytest.approx(size.mean())
    assert numbers.quantiles[2] == pytest.approx(size.median(), abs=0.1)
    assert by_name["size"].n_missing == table["size"].isna().sum()
    colours = table["colour"].value_counts()
    frequent = [(count.value, count.n_rows) for count in by_name["colour"].most_frequent]
    assert dict(frequent) == colours.to_dict()
    assert [n for _, n in frequent] == sorted(colours, reverse=True)
    assert (by_name["day"].earliest, by_name["day"].latest) == ("2023-01-01", "2024-05-31")
    assert np.mean(by_name["size"].missing_along_rows) == pytest.approx(table["size"].isna().mean())


def test_a_table_without_faults_has_no_findings(generator: np.random.Generator) -> None:
    for seed in range(5):
        table = plain_table(np.random.default_rng(seed))
        found = inspect_table(table, ["sick"])
        assert found.findings == ()
        assert found.missing_pairs == ()
        assert found.randomness.looks_random


def test_containers_and_json(generator: np.random.Generator) -> None:
    table = plain_table(generator)
    from_pandas = inspect_table(table, ["sick"])
    for other in (pl.from_pandas(table), pa.Table.from_pandas(table)):
        assert inspect_table(other, ["sick"]) == from_pandas
    document = json.loads(from_pandas.model_dump_json())
    assert Inspection.model_validate(document) == from_pandas
    assert inspect_table(np.ones((5, 2)), labels=[1]).columns[1].role == "label"
    with pytest.raises(ValueError, match="no column 'ill'"):
        inspect_table(table, ["ill"])


def test_types_as_asked(generator: np.random.Generator) -> None:
    table = plain_table(generator)
    found = inspect_table(table, feature_types={"size": "log-numeric", "colour": "ignored"})
    assert [c.type for c in found.columns[:3]] == ["log-numeric", "numeric", "ignored"]
    assert found.columns[2].reason == "by request"


def test_large_tables_are_sampled(generator: np.random.Generator) -> None:
    table = pd.DataFrame({"a": generator.normal(size=150_000), "b": np.arange(150_000) % 7})
    table.loc[table["a"] > 1, "a"] = np.nan
    found = inspect_table(table)
    assert (found.n_rows, found.n_inspected_rows) == (150_000, 100_000)
    assert found.share_missing == pytest.approx(0.079, abs=0.005)
    assert found == inspect_table(table)
    assert inspect_table(table[:50], n_rows=10**6).n_rows == 10**6
    assert "random sample of 100,000 rows" in found.text(120)


# Missing values.


def test_values_missing_by_another_column(generator: np.random.Generator) -> None:
    table = plain_table(generator)
    table["cause"] = generator.normal(size=N)
    table.loc[table["cause"] > 0.5, "weight"] = np.nan
    table.loc[table["colour"] == "red", "size"] = np.nan
    table["far"] = np.where(np.abs(table["cause"]) > 1, np.nan, 1.5 * generator.normal(size=N))
    found = inspect_table(table).randomness
    by_name = {column.name: column for column in found.columns}
    assert found.verdict.startswith("Not completely at random: in 3 of 5")
    assert (by_name["weight"].depends_on, by_name["weight"].how) == ("cause", "high")
    assert (by_name["size"].depends_on, by_name["size"].how) == ("colour", "red")
    assert by_name["far"].how == "far from its median"
    assert not by_name["sick"].is_dependent
    missing, cause = table["weight"].isna(), table["cause"]
    assert by_name["weight"].auc == pytest.approx(roc_auc_score(missing, cause), abs=1e-6)
    assert "weight is missing more often where cause is high: AUC" in by_name["weight"].sentence
    auc_far = roc_auc_score(table["far"].isna(), (cause.rank() - (N + 1) / 2).abs())
    assert by_name["far"].auc == pytest.approx(auc_far, abs=1e-6)
    known = table[table["colour"].notna()]
    auc_red = roc_auc_score(known["size"].isna(), known["colour"] == "red")
    assert by_name["size"].auc == pytest.approx(auc_red, abs=1e-6)


def test_the_test_is_the_rank_sum_test(generator: np.random.Generator) -> None:
    cause = generator.integers(0, 9, N).astype(float)  # with ties
    target = np.where(generator.random(N) < 0.2 + 0.02 * cause, np.nan, 1.0)
    target[~np.isnan(target)] = generator.normal(size=(~np.isnan(target)).sum())
    (column,) = inspect_table(pd.DataFrame({"t": target, "c": cause})).randomness.columns
    p = mannwhitneyu(cause[np.isnan(target)], cause[~np.isnan(target)], use_continuity=False).pvalue
    assert column.p_value == pytest.approx(2 * p, rel=0.01)  # two scores of the one other column


def test_values_missing_at_random_are_rarely_called_dependent() -> None:
    n_wrong = 0
    for seed in range(100):
        generator = np.random.default_rng(seed)
        table = pd.DataFrame(generator.normal(size=(150, 5)))
        table[5] = generator.choice(["a", "b", "c"], 150)
        table = table.mask(generator.random(table.shape) < 0.3)
        n_wrong += not inspect_table(table).randomness.looks_random
    assert n_wrong <= 12


def test_columns_that_go_missing_together(generator: np.random.Generator) -> None:
    table = plain_table(generator)
    table["twin"] = generator.normal(size=N)
    table.loc[table["size"].isna(), "twin"] = np.nan
    table["opposite"] = np.where(table["size"].isna(), generator.normal(size=N), np.nan)
    found = inspect_table(table)
    pairs = {(pair.column, pair.other): pair.correlation for pair in found.missing_pairs}
    assert pairs["size", "twin"] == pytest.approx(1)
    assert pairs["size", "opposite"] == pytest.approx(-1)
    assert len(pairs) == 3
    assert "- size and twin, always" in str(found)


def test_complete_and_nearly_complete_tables() -> None:
    assert inspect_table([[1, 2], [3, 4]]).randomness.verdict == "No value is missing."
    few = inspect_table([[1, 2], [3, None]]).randomness
    assert "Too few" in few.verdict
    assert few.columns[0].p_value is None


def test_holm() -> None:
    assert holm([0.01, 0.04, 0.03, 0.9]).tolist() == pytest.approx([0.04, 0.09, 0.09, 0.9])
    assert holm([]).tolist() == []


# Findings.


def test_leaks_are_found(generator: np.random.Generator) -> None:
    table = plain_table(generator)
    sick = table["sick"].fillna(0).astype(int)
    table["copy"] = table["sick"]
    table["shifted"] = sick * 3 + 0.5 * generator.random(N)
    table["word"] = np.where(sick == 1, generator.choice(["a", "b"], N), "c")
    table["closed"] = np.where(sick == 1, generator.normal(size=N), np.nan)
    table["grade"] = generator.integers(0, 3, N).astype(str)
    table["code"] = table["grade"].map({"0": "x", "1": "y", "2": "z"})
    # Many groups of few rows determine a label in the rows they are learned from.
    table["zip"] = generator.integers(0, N // 2, N).astype(str)
    found = inspect_table(table, ["sick", "grade"])
    leaks = {column for kind, column in kinds(found) if kind == "leak"}
    assert leaks == {"copy", "shifted", "word", "closed", "code"}
    sentences = " ".join(one.sentence for one in found.findings if one.kind == "leak")
    assert "copy equals the label sick" in sentences
    assert "Whether closed is missing nearly determines the label sick" in sentences
    assert found.findings[0].kind == "leak"


def test_labels_that_cannot_be_learned(generator: np.random.Generator) -> None:
    table = plain_table(generator)
    table["none"], table["one"], table["many"] = np.nan, 1.0, generator.normal(size=N)
    found = inspect_table(table, ["none", "one", "many"])
    labels = {("no known label", "none"), ("one class", "one"), ("label of numbers", "many")}
    assert labels <= kinds(found)


@pytest.mark.parametrize(
    ("values", "mark"),
    [
        ([*range(50), -999, -999, -999], "-999"),
        ([*range(50), 999, 999, 999], "999"),
        ([*range(50), -1, -1, -1], "-1"),
        ([*range(50), 2147483647, 2147483647, 2147483647], "2147483647"),
        ([0.5, 0.25, 0.125, -1, -1, -1], None),
        ([-9, -8, -7, -6] * 5, None),
        ([*range(95), 99, 99, 99], None),
        (["a", "b", "a", "unknown", "b", "a"], "unknown"),
        (["a", "b", "a", "-", "b", "a"], "-"),
        (["a", "b", "a", "none", "b", "a"], None),
    ],
)
def test_missing_marks(values: list[Any], mark: str | None) -> None:
    found = inspect_table(pd.DataFrame({"x": values, "z": np.arange(len(values)) % 3}))
    if mark is None:
        assert ("missing mark", "x") not in kinds(found)
    else:
        assert repr(mark) in finding(found, "missing mark")


def test_gross_errors(generator: np.random.Generator) -> None:
    table = pd.DataFrame({"age": generator.integers(1, 90, N), "load": generator.gamma(3, size=N)})
    assert inspect_table(table).findings == ()
    table.loc[7, "age"] = 34_000
    assert "age holds 34000, far from all others" in finding(inspect_table(table), "outlier")
    assert inspect_table(table).columns[0].type == "numeric"


def test_poor_columns(generator: np.random.Generator) -> None:
    table = plain_table(generator)
    table["same"], table["rising"] = 3, np.cumsum(generator.integers(1, 5, N))
    table["rare"] = np.where(np.arange(N) < 3, np.arange(N) * 1.5, np.nan)
    table["comma"] = generator.choice(["1,5", "2,25", "0,1"], N)
    table["town"] = generator.choice([f"t{k}" for k in range(180)], N)
    table["again"] = table["size"]
    found = inspect_table(table)
    expected = {
        ("constant", "same"), ("identifier", "rising"), ("nearly empty", "rare"),
        ("decimal comma", "comma"), ("many categories", "town"), ("duplicate column", "again"),
    }  # fmt: skip
    assert kinds(found) == expected


def test_rows(generator: np.random.Generator) -> None:
    table = plain_table(generator)
    table.loc[:4, ["size", "weight", "colour"]] = np.nan
    table.loc[:4, "sick"] = [0, 1, np.nan, 0, 0]
    table = pd.concat([table, table[10:22]])
    found = inspect_table(table, ["sick"])
    n_empty = table[["size", "weight", "colour"]].isna().all(axis=1).sum()
    assert f"in {n_empty} of {N + 12} rows" in finding(found, "empty rows")
    n_repeated = table.duplicated().sum()
    assert finding(found, "duplicate rows").startswith(f"{n_repeated} of {N + 12} rows repeat")


def test_suggestions(generator: np.random.Generator) -> None:
    table = plain_table(generator).rename(columns={"sick": "sick_a"})
    table["sick_b"] = generator.integers(0, 2, N)
    table["outcome"] = generator.choice(["x", "y", "z"], N)
    table["kids"] = generator.integers(0, 4, N)
    zeros = generator.random(N) < 0.3
    table["dose"] = np.where(zeros, 0, generator.lognormal(0, 1.5, N)).round(3)
    found = inspect_table(table)
    assert kinds(found) == {
        ("possible labels", None),
        ("log scale", "dose"),
        ("possible codes", None),
    }
    assert finding(found, "possible labels") == (
        "Possible labels: outcome, 'sick_*' (2 binary columns)."
    )
    assert "kids" in finding(found, "possible codes")
    assert infer_type(table["dose"], "dose").type == "numeric"
    assert ("possible labels", None) not in kinds(inspect_table(table, ["outcome"]))


def test_columns_that_cannot_be_modelled() -> None:
    table = pa.table(
        {
            "day": pa.array([datetime.date(2024, 5, 31), None] * 10),
            "empty": pa.nulls(20, pa.string()),
            "x": pa.array(range(20)),
        }
    )
    found = inspect_table(table)
    assert [column.reason for column in found.columns] == ["date", "empty", None]


def test_the_text(generator: np.random.Generator) -> None:
    table = plain_table(generator)
    table["a very long name of a column \x1b[31m with a colour"] = generator.normal(size=N)
    for j in range(40):
        table[f"more{j}"] = generator.normal(size=N)
    found = inspect_table(table, ["sick"])
    text = found.text(60)
    assert "\x1b" not in text
    assert "and 15 more columns (--all)" in text
    assert "label, binary" in text
    assert max(map(len, text.splitlines()[-4:])) <= 60
    assert len(found.text(60, show_all=True).splitlines()) > 45
    half_missing = pd.DataFrame({"x": [1.0] * 48 + [np.nan] * 48, "z": range(96)})
    assert "········████████" in str(inspect_table(half_missing))


def test_shares_in_percent() -> None:
    assert list(map(_percent, (0.0004, 0.031, 0.4))) == ["<0.1 %", "3.1 %", "40 %"]
