import numpy as np
import pytest
from sklearn.metrics import log_loss as complete_log_loss

from halfseen.scoring import log_loss

CLASSES = ["a", "b", "c"]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_is_sklearns_on_complete_classes(dtype):
    rng = np.random.default_rng(0)
    true = rng.choice(CLASSES, 30)
    probability = rng.dirichlet(np.ones(3), 30).astype(dtype)
    probability[0] = [1, 0, 0]
    true[0] = "b"  # certain and wrong: both clip
    expected = complete_log_loss(true, probability, labels=CLASSES)
    assert log_loss(true, probability, CLASSES) == pytest.approx(expected, rel=1e-6)
    if dtype is np.float64:
        assert log_loss(true, probability, CLASSES) == pytest.approx(expected, rel=1e-13)


def test_is_sklearns_on_complete_labels():
    rng = np.random.default_rng(0)
    true, probability = rng.integers(0, 2, (20, 3)), rng.random((20, 3))
    expected = complete_log_loss(true.ravel(), probability.ravel())
    assert log_loss(true, probability) == expected
    assert log_loss(true[:, 0], probability[:, 0]) == complete_log_loss(
        true[:, 0], probability[:, 0]
    )


def test_known_labels_of_one_value_have_a_loss():
    assert log_loss([1, np.nan, 1], [0.5, 0.0, 0.5]) == pytest.approx(np.log(2))


def test_known_rows_only():
    probability = [[0.2, 0.3, 0.5], [np.nan] * 3, [0.1, 0.1, 0.8]]
    expected = -(np.log(0.3) + np.log(0.8)) / 2
    assert log_loss(["b", None, "c"], probability, CLASSES) == pytest.approx(expected)


def test_order_of_the_list_goes_with_the_columns():
    assert log_loss(["a"], [[0.2, 0.8]], ["b", "a"]) == pytest.approx(-np.log(0.8))


def test_single_precision_sums_do_not_disturb():
    probability = np.full((2, 3), 1 / 3, dtype=np.float32).astype(np.float64)
    assert log_loss(["a", "b"], probability * (1 + 1e-6), CLASSES) == pytest.approx(np.log(3))


@pytest.mark.parametrize("bad", [[0.2, 0.3, 0.1], [-0.5, 0.5, 1.0]])
def test_a_row_that_is_no_distribution_is_named(bad):
    with pytest.raises(ValueError, match="y_probability at row 2 is"):
        log_loss([None, "b", "c"], [bad, [0, 1, 0], bad], CLASSES)


def test_one_class_is_not_enough():
    with pytest.raises(ValueError, match="one class only"):
        log_loss(["a"], [[1.0]], ["a"])


def test_labels_need_probabilities():
    with pytest.raises(ValueError, match="between 0 and 1"):
        log_loss([1, 0], [3.0, -2.0])
