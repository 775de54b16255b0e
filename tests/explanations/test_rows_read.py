from __future__ import annotations

import numpy as np
import pytest

from explanations.tiny import people
from halfseen.explanations.example_model import example_model
from halfseen.explanations.rows_read import checked_rows, read_rows
from halfseen.tables import read_table


def test_rows_are_read_as_written_and_as_encoded() -> None:
    model, X = example_model(), people()
    y = np.array([[1, np.nan]] * 5)
    read = read_rows(model, X, y, [4, 0])
    assert read.numbers == (4, 0)
    whole = model.schema_.encode(read_table(X), None)
    features = ~model.schema_.is_target_unit
    np.testing.assert_array_equal(
        read.encoded.visible[:, features], whole.visible[[4, 0]][:, features]
    )
    assert (read.cell(1, 0), read.cell(1, 2), read.cell(1, 3)) == (75.0, "Lund", 1.0)
    assert read.is_hole(0, 2)
    assert read.is_hole(0, 4)
    assert not read.is_hole(0, 3)
    again = read.chosen(np.array([1]))
    assert again.numbers == (0,)
    assert again.cell(0, 0) == 75.0


def test_booleans_stay_booleans() -> None:
    X = people().assign(smokes=[True, False, True, None, False])
    assert read_rows(example_model(), X, None, [0]).cell(0, 1) is True


@pytest.mark.parametrize("row", [-1, 2, 1.5, True, "0"])
def test_rows_that_are_not_there_are_refused(row: object) -> None:
    with pytest.raises(ValueError, match="its 2 rows are counted from 0 to 1"):
        checked_rows([row], 2)  # type: ignore[list-item]


def test_labels_must_belong_to_the_rows() -> None:
    with pytest.raises(ValueError, match="X has 5 rows, but y has 2"):
        read_rows(example_model(), people(), [[1, 0], [0, 1]], None)


def test_labels_need_a_model_of_labels(models: dict[str, object]) -> None:
    from explanations.tiny import table_for

    model = models["features"]
    X, _ = table_for(model)
    with pytest.raises(ValueError, match="fitted without labels; leave y out"):
        read_rows(model, X, [1] * len(X), None)  # type: ignore[arg-type]
