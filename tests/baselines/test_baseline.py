"""The protocol of the baselines: what goes in is checked, and errors say where."""

import numpy as np
import pytest

from halfseen.baselines.baseline import NotInductive, checked_features, checked_table, with_observed


def test_an_infinite_value_is_named_by_place():
    with pytest.raises(ValueError, match="row 1, column 0"):
        checked_features([[1.0, 2.0], [np.inf, 3.0]])


def test_a_label_that_is_none_is_named_by_place():
    with pytest.raises(ValueError, match=r"Y holds .*2.* in row 0, column 1"):
        checked_table(np.ones((2, 1)), [[0, 2], [1, 0]], "labels")


@pytest.mark.parametrize("row", [[1.0, np.nan], [1.0, 1.0], [0.0, 0.0]])
def test_classes_are_one_hot_or_unknown_altogether(row):
    Y = np.array([[1.0, 0.0], row])
    checked_table(np.ones((2, 1)), Y, "labels")
    with pytest.raises(ValueError, match="row 1 of Y is not one class"):
        checked_table(np.ones((2, 1)), Y, "classes")


def test_nothing_observed_and_wrong_shapes_are_refused():
    with pytest.raises(ValueError, match="no observed label"):
        checked_table(np.ones((2, 1)), np.full((2, 1), np.nan), "labels")
    with pytest.raises(ValueError, match="one row for each of the 2 rows"):
        checked_table(np.ones((2, 1)), np.ones((3, 1)), "labels")
    with pytest.raises(ValueError, match="target must be"):
        checked_table(np.ones((2, 1)), np.ones((2, 1)), "label")


def test_observed_entries_are_put_back():
    X, Y = np.array([[1.0, np.nan]]), np.array([[np.nan, 1.0]])
    completed = with_observed(X, Y, np.array([[9.0, 2.0]]), np.array([[0.3, 0.4]]))
    assert completed.features.tolist() == [[1.0, 2.0]]
    assert completed.scores.tolist() == [[0.3, 1.0]]


def test_the_sentence_of_transductive_methods_names_the_remedy():
    assert "complete()" in str(NotInductive("MC-1"))
