import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays
from sklearn.metrics import hamming_loss

from halfseen.scoring import hamming_accuracy


@settings(deadline=None)
@given(st.data(), array_shapes(min_dims=2, max_dims=2, min_side=1))
def test_is_one_minus_sklearns_loss_on_complete_labels(data, shape):
    true = data.draw(arrays(int, shape, elements=st.integers(0, 1)))
    predicted = data.draw(arrays(int, shape, elements=st.integers(0, 1)))
    expected = 1 - hamming_loss(true, predicted)
    assert hamming_accuracy(true, predicted) == pytest.approx(expected, abs=1e-15)


def test_counts_known_entries_only():
    true = pd.DataFrame({"a": pd.array([True, None, False]), "b": pd.array([1, 0, None])})
    assert hamming_accuracy(true, [[1, 1], [0, 1], [0, 1]]) == 0.75


def test_decisions_not_probabilities():
    frame = pd.DataFrame({"a": [1.0, 0.3]})
    with pytest.raises(ValueError, match=r"row 1, column 'a' is 0.3.*threshold"):
        hamming_accuracy([[1], [0]], frame)


def test_undecided_where_unknown_is_fine():
    assert hamming_accuracy([1, np.nan], [1, 0.3]) == 1.0
