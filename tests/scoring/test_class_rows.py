import numpy as np
import pytest

from halfseen.scoring._class_rows import class_rows

SCORES = np.array([[0.1, 0.9], [np.nan, np.nan], [0.7, 0.3]])


@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (["b", None, "a"], ["a", "b"]),
        ([1.0, np.nan, 0.0], [0, 1]),
        ([True, None, False], np.array([False, True])),
        (np.array([["b"], [None], ["a"]], dtype=object), np.array(["a", "b"])),
        ([1, None, 2], np.array([2, 1])),
    ],
)
def test_known_rows_are_looked_up(y, classes):
    rows = class_rows(y, SCORES, classes, "y_score")
    assert rows.codes.tolist() == [1, 0]
    assert rows.row.tolist() == [0, 2]
    assert rows.scores.tolist() == [[0.1, 0.9], [0.7, 0.3]]


def test_a_class_outside_the_list_is_named():
    with pytest.raises(ValueError, match=r"row 2 is 'c', which is not in .*\['a', 'b'\]"):
        class_rows(["a", None, "c"], SCORES, ["a", "b"], "y_score")


def test_a_missing_score_of_a_known_row_is_named():
    with pytest.raises(ValueError, match="y_score at row 1, column 0 is nan"):
        class_rows(["a", "b", "a"], SCORES, ["a", "b"], "y_score")


def test_one_column_of_scores_per_class():
    with pytest.raises(ValueError, match=r"\(3, 2\), but \(3, 3\) is needed"):
        class_rows(["a", None, "b"], SCORES, ["a", "b", "c"], "y_score")


@pytest.mark.parametrize("classes", [["a", None], [["a", "b"]], []])
def test_the_list_of_classes_is_complete(classes):
    with pytest.raises(ValueError, match=r"classes must be|is needed"):
        class_rows(["a", None, "b"], SCORES, classes, "y_score")


def test_the_list_of_classes_names_each_once():
    with pytest.raises(ValueError, match="twice"):
        class_rows(["a", None, "b"], SCORES, ["a", "a"], "y_score")


def test_one_column_at_a_time():
    with pytest.raises(ValueError, match="one column of classes at a time"):
        class_rows([["a", "b"]], [[0.5, 0.5]], ["a", "b"], "y_score")


def test_nothing_known():
    with pytest.raises(ValueError, match="No class in y_true is known"):
        class_rows([None] * 3, SCORES, ["a", "b"], "y_score")
