"""The whole test of randomness."""

from __future__ import annotations

import numpy as np
import pytest

from halfseen.inspection.judge_randomness import judge_randomness
from inspection.columns import sampled


@pytest.fixture(scope="module")
def people() -> dict[str, list[float | None]]:
    generator = np.random.default_rng(0)
    age = generator.normal(40, 10, 600)
    income = np.exp(generator.normal(size=600)) * age
    lost = generator.random(600) < 0.3
    columns = {
        "age": age,
        "income": np.where(
            generator.random(600) < 1 / (1 + np.exp(-(age - 45) / 5)), np.nan, income
        ),
        "size": np.where(lost, np.nan, generator.normal(size=600)),
        "weight": np.where(lost, np.nan, generator.normal(size=600)),
        "rare": np.where(np.arange(600) < 4, np.nan, generator.normal(size=600)),
    }
    return {name: values.tolist() for name, values in columns.items()}


def test_findings_in_words(people: dict[str, list[float | None]]) -> None:
    test = judge_randomness(sampled(people), seed=0)
    assert not test.looks_random
    income = test.columns[0]
    assert (income.name, income.driver, income.is_told) == ("income", "age", True)
    assert income.driver_auc is not None
    assert income.driver_auc > 0.7
    assert income.sentence.startswith("income is missing more often where age is high: AUC .")
    assert income.sentence.endswith("p < .001.")
    by_name = {column.name: column for column in test.columns}
    assert set(by_name) == {"income", "size", "weight", "rare"}
    assert (by_name["size"].companion, by_name["size"].companion_correlation) == ("weight", 1.0)
    assert "go together with those of weight" in by_name["size"].sentence
    assert not by_name["size"].is_told
    assert by_name["rare"].auc is None
    assert by_name["rare"].sentence == "rare was not tested: it has 4 holes, and 10 are needed."
    assert test.columns[-1].name == "rare"
    assert test.verdict.startswith("Holes are not completely at random: in 1 of 4 columns")
    assert "because of the value itself" in test.remark
    assert test.little is not None
    assert test.little.corrected_p >= test.little.p_value


def test_picture(people: dict[str, list[float | None]]) -> None:
    picture = judge_randomness(sampled(people)).co_missingness
    assert picture.names == ("income", "size", "weight", "rare")
    matrix = np.array(picture.correlation)
    assert matrix[1, 2] == 1.0
    np.testing.assert_array_equal(matrix, matrix.T)


def test_false_alarms_over_the_whole_table_are_rare() -> None:
    alarms = 0
    for seed in range(60):
        generator = np.random.default_rng([seed, 9])
        values = np.exp(generator.normal(size=(150, 5)) @ generator.normal(size=(5, 5)))
        values[generator.random(values.shape) < 0.2] = np.nan
        columns = {f"x{j}": values[:, j] for j in range(5)}
        alarms += not judge_randomness(sampled(columns), seed).looks_random
    assert alarms <= 7  # binomial(60, 0.05): 3, standard deviation 1.7


def test_holes_by_other_values_are_found_nearly_always() -> None:
    hits = 0
    for seed in range(20):
        generator = np.random.default_rng([seed, 10])
        values = generator.normal(size=(300, 5))
        values[generator.random(300) < 1 / (1 + np.exp(1 - values[:, 1])), 3] = np.nan
        test = judge_randomness(sampled({f"x{j}": values[:, j] for j in range(5)}), seed)
        hits += test.columns[0].is_told and test.columns[0].driver == "x1"
    assert hits >= 18


def test_a_category_as_the_cause() -> None:
    generator = np.random.default_rng(4)
    colour = generator.choice(["red", "green", "blue"], 400)
    size = np.where((colour == "red") & (generator.random(400) < 0.6), np.nan, 1.0)
    size[~np.isnan(size)] = generator.normal(size=np.count_nonzero(~np.isnan(size)))
    test = judge_randomness(sampled({"colour": colour.tolist(), "size": size}))
    assert test.columns[0].sentence.startswith("size is missing more often where colour is red")


def test_no_columns_no_holes_and_too_few() -> None:
    assert judge_randomness([]).looks_random
    full = judge_randomness(sampled({"a": [1.0, 2.0, 3.0]}))
    assert (full.verdict, full.n_rows, full.remark) == ("There are no holes.", 3, "")
    few = judge_randomness(sampled({"a": [1.0, 2.0, None], "b": [1.0, 2.0, 3.0]}))
    assert few.verdict == "There are too few holes to tell whether they are at random."
    assert few.looks_random


def test_the_same_seed_gives_the_same(people: dict[str, list[float | None]]) -> None:
    assert judge_randomness(sampled(people), 3) == judge_randomness(sampled(people), 3)


def test_wide_tables_are_judged_on_fewer_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    from halfseen.inspection import judge_randomness as _  # noqa: F401

    module = __import__("sys").modules["halfseen.inspection.judge_randomness"]
    monkeypatch.setattr(module, "_MOST_FEATURE_CELLS", 800)
    monkeypatch.setattr(module, "_FEWEST_ROWS", 50)
    values = np.random.default_rng(0).normal(size=(200, 4))
    values[np.random.default_rng(1).random(values.shape) < 0.3] = np.nan
    test = judge_randomness(sampled({f"x{j}": values[:, j] for j in range(4)}))
    assert test.n_rows == 100
