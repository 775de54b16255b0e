import numpy as np
import pandas as pd
import pytest

from halfseen.scoring._scored_values import scored_values


def test_hidden_and_known_entries_are_compared():
    true = np.array([[1.0, np.nan, 3.0], [4.0, 5.0, 6.0]])
    filled = np.array([[2.0, 9.0, 9.0], [np.nan, 3.0, 6.0]])
    hidden = np.array([[True, True, False], [False, True, True]])
    scored = scored_values(true, filled, hidden)
    assert scored.error.tolist() == [1.0, -2.0, 0.0]
    assert scored.column.tolist() == [0, 1, 2]


def test_an_entry_left_empty_is_named():
    frame = pd.DataFrame({"a": [1.0], "b": [np.nan]})
    with pytest.raises(ValueError, match="filled at row 0, column 'b' is nan"):
        scored_values([[1.0, 2.0]], frame, [[False, True]])


def test_nothing_hidden():
    with pytest.raises(ValueError, match="No hidden entry has a known true value"):
        scored_values([[1.0, np.nan]], [[1.0, 1.0]], [[False, True]])


@pytest.mark.parametrize("hidden", [np.array([[0, 1]]), [[0, 1]], [[None, True]]])
def test_hidden_holds_truth_values(hidden):
    with pytest.raises(ValueError, match=r"True .* or False only"):
        scored_values([[1.0, 2.0]], [[1.0, 1.0]], hidden)


def test_shapes_must_agree():
    with pytest.raises(ValueError, match="same shape"):
        scored_values([[1.0, 2.0]], [[1.0, 1.0]], [True, False])
