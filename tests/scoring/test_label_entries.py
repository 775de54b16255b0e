import numpy as np
import pandas as pd
import pytest

from halfseen.scoring._label_entries import label_entries, probability_entries


def test_unknown_entries_become_nothing():
    entries = label_entries([[1, None], [np.nan, 0]], [[0.9, np.inf], [np.nan, 0.3]], "y_score")
    assert entries.true.tolist() == [[1, 0], [0, 0]]
    assert entries.predicted.tolist() == [[0.9, 0.0], [0.0, 0.3]]
    assert entries.observed.tolist() == [[True, False], [False, True]]


def test_a_single_column_matches_a_plain_list():
    one, other = (
        label_entries([1, 0], [[0.9], [0.2]], "p"),
        label_entries([[1], [0]], [0.9, 0.2], "p"),
    )
    assert one.predicted.tolist() == other.predicted.tolist() == [[0.9], [0.2]]


def test_truth_values_are_labels():
    assert label_entries([True, None, False], [1, 2, 3], "p").true.tolist() == [[1], [0], [0]]


@pytest.mark.parametrize("bad", [2, -1, 0.5, "1", "yes"])
def test_a_label_is_zero_or_one(bad):
    frame = pd.DataFrame({"beach": [1, 0], "sky": np.array([0, bad], dtype=object)})
    with pytest.raises(ValueError, match=r"row 1, column 'sky' is .*0 or 1"):
        label_entries(frame, np.zeros((2, 2)), "y_score")


def test_text_array_is_refused():
    with pytest.raises(ValueError, match="row 0 is 'a'"):
        label_entries(np.array(["a", "b"]), [0.1, 0.2], "y_score")


def test_shapes_must_agree():
    with pytest.raises(ValueError, match=r"\(2,\) but y_score has shape \(3,\)"):
        label_entries([1, 0], [0.1, 0.2, 0.3], "y_score")


def test_nothing_known():
    with pytest.raises(ValueError, match="No label in y_true is known"):
        label_entries([None, np.nan], [0.1, 0.2], "y_score")


@pytest.mark.parametrize("bad", [-0.1, 1.1])
def test_a_probability_lies_between_zero_and_one(bad):
    assert probability_entries([1, None], [1.0, bad]).predicted[0, 0] == 1.0
    with pytest.raises(ValueError, match=r"row 1 is .*between 0 and 1"):
        probability_entries([1, 0], [0.5, bad])
