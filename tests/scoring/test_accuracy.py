import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score

from halfseen.scoring import accuracy


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcd")), min_size=1))
def test_is_sklearns_on_complete_classes(pairs):
    true, predicted = zip(*pairs, strict=True)
    assert accuracy(true, predicted) == accuracy_score(true, predicted)


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from([0.0, 1.0, np.nan]), st.sampled_from([0, 1])), min_size=1)
)
def test_is_sklearns_on_the_known_rows(pairs):
    true, predicted = (np.array(side) for side in zip(*pairs, strict=True))
    seen = ~np.isnan(true)
    if seen.any():
        assert accuracy(true, predicted) == accuracy_score(true[seen], predicted[seen])
    else:
        with pytest.raises(ValueError, match="nothing to score"):
            accuracy(true, predicted)


@pytest.mark.parametrize(
    "y",
    [
        pd.Series(["a", None, "b"], dtype="string"),
        pd.Series(["a", None, "b"], dtype="category"),
        pl.Series(["a", None, "b"]),
        np.array([["a"], [None], ["b"]], dtype=object),
    ],
)
def test_frames_and_columns(y):
    assert accuracy(y, np.array(["a", "a", "a"])) == 0.5


def test_columns_of_different_kinds_are_pooled():
    true = pd.DataFrame({"kind": ["cat", None, "dog"], "size": pd.array([1, 2, None])})
    predicted = np.array([["cat", 1], ["dog", 1], ["cat", 9]], dtype=object)
    assert accuracy(true, predicted) == 0.5


def test_text_is_not_compared_with_numbers():
    true = pd.DataFrame({"kind": ["cat"], "size": [1]})
    with pytest.raises(ValueError, match="row 0, column 'size' y_true is 1 and y_pred is '1'"):
        accuracy(true, np.array([["cat", "1"]]))


def test_a_missing_prediction_is_named():
    assert accuracy(["a", None], ["a", None]) == 1.0
    with pytest.raises(ValueError, match="y_pred is missing at row 1"):
        accuracy(["a", "b"], ["a", None])


def test_shapes_must_agree():
    with pytest.raises(ValueError, match=r"\(2,\) but y_pred has shape \(1,\)"):
        accuracy([1, 0], [1])
