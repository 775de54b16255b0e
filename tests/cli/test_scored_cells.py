from __future__ import annotations

import numpy as np
import pytest

from halfseen.cli.scored_cells import ScoredCells, loss_difference, score_cells
from halfseen.tables import Schema, learn_columns, learn_target_columns, read_table, read_target


@pytest.fixture(scope="module")
def schema() -> Schema:
    X = read_table([[1.0, 0, "red"], [3.0, 1, "blue"], [5.0, 1, "green"]])
    y = read_target(np.array([[0, 1], [1, 0], [1, 1]]))
    return Schema(learn_columns(X), learn_target_columns(y), "labels")


def test_each_cell_is_scored_once_and_by_its_kind(schema: Schema) -> None:
    rows = [[1.0, 0, "red"], [5.0, 1, "blue"]]
    true = schema.encode(read_table(rows), read_target(np.array([[0, 1], [1, 0]]), "labels"))
    hidden = np.zeros(true.observed.shape, dtype=bool)
    hidden[0] = True
    hidden[1, schema.feature_units(0)] = True
    said = np.full(hidden.shape, 0.5)
    said[:, schema.feature_units(0).start] = true.visible[:, 0] + [0.5, -1.0]
    said[0, schema.feature_units(1)] = 0.25
    said[0, schema.feature_units(2)] = [0.0, 0.0, 3.0]
    said[0, schema.target_units(0)], said[0, schema.target_units(1)] = 0.1, 0.2
    numbers, categories, labels = (
        score_cells(schema, kind, true.visible, hidden, said)
        for kind in ("numbers", "categories", "labels")
    )
    np.testing.assert_allclose(numbers.loss, [0.25, 1.0])
    np.testing.assert_array_equal(numbers.row, [0, 1])
    np.testing.assert_array_equal(categories.column, [1, 2])
    np.testing.assert_allclose(categories.loss, [2 * 0.25**2, 0.0])
    assert categories.accuracy == 1.0
    np.testing.assert_array_equal(labels.is_right, [True, False])
    np.testing.assert_allclose(labels.probability, [0.9, 0.8])
    assert labels.of_column(4).accuracy == 0.0


def test_nothing_hidden_is_nothing_scored(schema: Schema) -> None:
    nothing = np.zeros((3, schema.n_visible), dtype=bool)
    cells = score_cells(schema, "labels", nothing.astype(np.float32), nothing, nothing * 1.0)
    assert len(cells.loss) == 0
    assert np.isnan(cells.accuracy)


def cells_with(loss: np.ndarray) -> ScoredCells:
    rows = np.repeat(np.arange(len(loss) // 2), 2)
    return ScoredCells("numbers", rows, 0 * rows, loss, loss > 0, loss)


def test_difference_of_losses() -> None:
    random = np.random.default_rng(0)
    loss = random.random(400)
    lower, upper = loss_difference(cells_with(loss), cells_with(loss + 0.2), 0)
    assert lower == pytest.approx(-0.2)
    assert upper == pytest.approx(-0.2)
    lower, upper = loss_difference(cells_with(loss), cells_with(random.permutation(loss)), 0)
    assert lower < 0 < upper
