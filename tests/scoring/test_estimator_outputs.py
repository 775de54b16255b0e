from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from halfseen.scoring._estimator_outputs import (
    ClassOutput,
    LabelOutput,
    estimator_outputs,
    label_output,
)


def answering(probability, classes=None):
    return SimpleNamespace(predict_proba=lambda X: probability, classes_=classes)


def test_one_array_beside_several_columns_is_of_labels():
    p = np.array([[0.1, 0.2], [0.3, 0.4]])
    output = estimator_outputs(answering(p), None, [[1, None], [0, 1]])
    assert isinstance(output, LabelOutput)
    assert output.probability.tolist() == p.tolist()


@pytest.mark.parametrize("y", [["a", None], [["a"], [None]]])
def test_one_array_beside_one_column_is_of_classes(y):
    (output,) = estimator_outputs(answering(np.eye(2), ["a", "b"]), None, y)
    assert output.classes == ["a", "b"]
    assert output.true.tolist() == ["a", None]


def test_a_single_label_is_a_label():
    assert isinstance(estimator_outputs(answering(np.ones((2, 1))), None, [1, 0]), LabelOutput)


def test_a_list_is_of_columns_of_classes():
    frame = pd.DataFrame({"kind": ["cat", None], "size": [1, 2]})
    answer = [np.eye(2), np.full((2, 3), 1 / 3)]
    kind, size = estimator_outputs(answering(answer, [["cat", "dog"], [1, 2, 3]]), None, frame)
    assert (kind.name, size.name) == ("column 'kind'", "column 'size'")
    assert (kind.classes, size.classes) == (["cat", "dog"], [1, 2, 3])


def test_the_number_of_columns_must_agree():
    with pytest.raises(ValueError, match="gives 1 arrays, but y has 2 columns"):
        estimator_outputs(answering([np.eye(2)], [[0, 1]]), None, [[0, 1], [1, 1]])


def test_a_class_never_met_has_probability_zero():
    y = ["c", "a", None, "c"]
    (output,) = estimator_outputs(answering(np.full((4, 2), 0.5), ["a", "b"]), None, y)
    assert output.classes == ["a", "b", "c"]
    assert output.probability[:, 2].tolist() == [0, 0, 0, 0]


def test_text_and_numbers_are_never_the_same_class():
    with pytest.raises(ValueError, match=r"y holds 1\.0, but the estimator knows the classes"):
        estimator_outputs(answering(np.eye(2), ["0", "1"]), None, np.array([1.0, np.nan]))


def test_two_classes_are_read_as_a_label():
    column = ClassOutput(
        "y", np.array(["no", None, "yes"], object), np.eye(3)[:, :2], ["no", "yes"]
    )
    output = label_output([column, column])
    np.testing.assert_array_equal(output.true, [[0, 0], [np.nan, np.nan], [1, 1]])
    np.testing.assert_array_equal(output.probability, [[0, 0], [1, 1], [0, 0]])


@pytest.mark.parametrize(("met", "probability"), [(0, 0.0), (1, 1.0)])
def test_a_label_of_one_value_is_certain(met, probability):
    column = ClassOutput("y", np.array([met, met]), np.ones((2, 1)), [met])
    assert label_output([column]).probability.tolist() == [[probability], [probability]]


def test_one_class_of_text_cannot_be_a_label():
    with pytest.raises(ValueError, match="cannot be told which value"):
        label_output([ClassOutput("y", np.array(["yes"]), np.ones((1, 1)), ["yes"])])


def test_three_classes_are_no_label():
    with pytest.raises(ValueError, match=r"y has 3 classes .*averaged_auc"):
        label_output([ClassOutput("y", np.array([0]), np.ones((1, 3)) / 3, [0, 1, 2])])
