from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from halfseen.report.sections.asked_entries import LEVELS, ask_entries, completed_units
from report.small import LABELS, rows_of, told_model


def test_known_labels_are_asked_without_any_label() -> None:
    schema, rows = rows_of()
    shown = []

    def complete(visible: np.ndarray, observed: np.ndarray) -> np.ndarray:
        shown.append(observed[:, schema.is_target_unit].any())
        return np.full_like(visible, 0.25)

    model = SimpleNamespace(
        schema_=schema, prediction_=None, machine_=SimpleNamespace(complete=complete)
    )
    asked = ask_entries(model, rows)  # type: ignore[arg-type]
    assert not any(shown)
    known = np.isfinite(LABELS)
    assert asked.labels.probability.tolist() == [0.25] * int(known.sum())
    assert asked.labels.came_true.tolist() == [
        *(LABELS[known[:, 0], 0] == 1),
        *(LABELS[known[:, 1], 1] == 1),
    ]


@pytest.mark.parametrize(("away", "inside"), [(0.25, [1, 1, 1, 1]), (0.85, [0, 0, 1, 1])])
def test_hidden_numbers_and_their_intervals(away: float, inside: list[int]) -> None:
    schema, rows = rows_of()
    model = told_model(schema, rows.encoded.visible, away)
    (numbers,) = ask_entries(model, rows, seed=3).numbers
    assert len(numbers.truth) > 0
    assert numbers.answer - numbers.truth == pytest.approx(away, abs=1e-6)
    assert (numbers.covered == np.array(inside, bool)).all()
    assert numbers.width == pytest.approx(np.tile(2 * np.array(LEVELS), (len(numbers.truth), 1)))


def test_hidden_categories_that_are_found_again() -> None:
    schema, rows = rows_of()
    model = told_model(schema, rows.encoded.visible)
    asked = ask_entries(model, rows, seed=3)
    assert len(asked.discrete.probability) > 0
    assert (asked.discrete.came_true == (asked.discrete.probability == 1)).all()


def test_the_same_seed_hides_the_same() -> None:
    schema, rows = rows_of()
    model = told_model(schema, rows.encoded.visible)
    first, again = (ask_entries(model, rows, seed=5) for _ in range(2))
    assert first.numbers[0].truth.tolist() == again.numbers[0].truth.tolist()


def test_a_model_without_halves() -> None:
    model = SimpleNamespace(prediction_=None, machine_=None)
    with pytest.raises(ValueError, match="fit it first"):
        completed_units(model, np.zeros((1, 1)), np.zeros((1, 1), bool))  # type: ignore[arg-type]
