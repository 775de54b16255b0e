import numpy as np
import pytest

from halfseen.scoring._bounded_values import bounded_values


def test_distances_to_both_bounds_at_hidden_known_entries_alone():
    true = [[1.0, 2.0], [np.nan, 4.0]]
    lower, upper = [[0.0, 9.0], [9.0, 5.0]], [[3.0, 0.0], [0.0, 6.0]]
    bounded = bounded_values(true, lower, upper, [[True, False], [True, True]])
    np.testing.assert_array_equal(bounded.below, [-1.0, 1.0])
    np.testing.assert_array_equal(bounded.above, [2.0, 2.0])
    np.testing.assert_array_equal(bounded.column, [0, 1])


def test_bounds_in_the_wrong_order_are_said():
    with pytest.raises(ValueError, match="give the lower bounds first"):
        bounded_values([[1.0]], [[2.0]], [[0.0]], [[True]])
