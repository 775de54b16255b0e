from __future__ import annotations

from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

from exact.reference import draw
from explanations.tiny import as_tiny, enumerated_example
from halfseen.estimators.fitted_machine import FittedMachine
from halfseen.explanations import UnusualRow, unusual_rows, usual_log_probability
from halfseen.explanations.example_model import example_model

N_ROWS = 60


def _drawn_people(n_rows: int = N_ROWS, share: float = 0.2) -> pd.DataFrame:
    """Rows from the distribution of the example model, with holes."""
    model = example_model()
    assert model.machine_ is not None
    tiny = as_tiny(model.machine_)
    rng = np.random.default_rng(0)
    rows = draw(tiny, np.zeros(7), np.zeros(7, bool), n_rows, rng)
    towns = np.array(["Bern", "Lund", "Pisa"], object)[rows[:, 4:].argmax(axis=1)]
    X = pd.DataFrame({"age": 50 + 20 * rows[:, 0], "smokes": rows[:, 1], "town": towns})
    holes = rng.random(X.shape) < share
    return X.mask(holes).astype({"town": object})


@pytest.fixture(scope="module")
def drawn() -> pd.DataFrame:
    return _drawn_people()


@pytest.fixture(scope="module")
def whole(drawn: pd.DataFrame) -> dict[int, UnusualRow]:
    """All rows by their number."""
    return {row.row: row for row in unusual_rows(enumerated_example(), drawn, top=N_ROWS)}


def test_what_is_improbable_comes_first(drawn: pd.DataFrame) -> None:
    X = drawn.copy()
    X.loc[7, ["age", "smokes", "town"]] = [260.0, 1.0, "Bern"]
    X.loc[9, ["age", "smokes", "town"]] = [np.nan, np.nan, None]
    model = enumerated_example()
    found = unusual_rows(model, X, top=N_ROWS)
    assert found[0].row == 7
    assert 9 not in {row.row for row in found}
    assert found[0].score > 5
    assert found[0].entries[0].column == "age"
    assert found[0].entries[0].value == 260.0
    scores = [row.score for row in found]
    assert scores == sorted(scores, reverse=True)
    counts = X.notna().sum(axis=1)
    for row in found:
        assert row.n_observed == counts[row.row]
        assert len(row.entries) == row.n_observed
        surprises = [entry.surprise for entry in row.entries]
        assert surprises == sorted(surprises, reverse=True)


def test_scores_are_comparable_between_holes(whole: dict[int, UnusualRow]) -> None:
    for count in (1, 2, 3):
        of_count = [row.score for row in whole.values() if row.n_observed == count]
        assert abs(np.median(of_count)) < 1.0


def test_neither_order_nor_parts_matter(drawn: pd.DataFrame, whole: dict[int, UnusualRow]) -> None:
    model = enumerated_example()
    order = np.random.default_rng(1).permutation(N_ROWS)
    turned = unusual_rows(model, drawn.iloc[order].reset_index(drop=True), top=N_ROWS)
    for row in turned:
        assert row.score == whole[int(order[row.row])].score
        assert row.entries == whole[int(order[row.row])].entries
    usual = usual_log_probability(model, drawn)
    for row in unusual_rows(model, drawn[:10], top=10, usual=usual):
        assert row == whole[row.row]


def test_known_labels_are_entries(drawn: pd.DataFrame) -> None:
    y = np.full((N_ROWS, 2), np.nan)
    y[3] = 1, 0
    found = {row.row: row for row in unusual_rows(enumerated_example(), drawn, y, top=N_ROWS)}
    assert found[3].n_observed == drawn.loc[3].notna().sum() + 2
    assert {"ill", "tired"} <= {entry.column for entry in found[3].entries}


def test_log_probabilities_are_those_of_the_model(
    drawn: pd.DataFrame, whole: dict[int, UnusualRow]
) -> None:
    expected = enumerated_example().score_samples(drawn)
    for row in whole.values():
        assert row.log_probability == pytest.approx(expected[row.row], rel=1e-12)


def test_a_model_without_the_machine_says_what_to_do(drawn: pd.DataFrame) -> None:
    model = example_model()
    model.machine_ = None
    with pytest.raises(ValueError, match=r"companion=False.*fit it again with companion=True"):
        unusual_rows(model, drawn)
    with pytest.raises(ValueError, match="top must be at least 1"):
        unusual_rows(example_model(), drawn, top=0)


@pytest.mark.long
def test_sampling_ranks_rows_as_enumeration_does(drawn: pd.DataFrame) -> None:
    sampled = example_model()
    assert sampled.machine_ is not None
    values = {field.name: getattr(sampled.machine_, field.name) for field in fields(FittedMachine)}
    sampled.machine_ = FittedMachine(**values)
    exactly = {row.row: row.score for row in unusual_rows(enumerated_example(), drawn, top=N_ROWS)}
    for row in unusual_rows(sampled, drawn, top=N_ROWS):
        assert row.score == pytest.approx(exactly[row.row], abs=0.3)
