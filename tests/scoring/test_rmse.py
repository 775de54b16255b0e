import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import root_mean_squared_error

from halfseen.scoring import rmse


@pytest.mark.parametrize("frame", [np.asarray, pd.DataFrame, pl.DataFrame])
def test_is_sklearns_over_the_hidden_entries(frame):
    rng = np.random.default_rng(0)
    true, filled = rng.normal(size=(20, 4)), rng.normal(size=(20, 4))
    hidden = rng.random((20, 4)) < 0.3
    expected = root_mean_squared_error(true[hidden], filled[hidden])
    assert rmse(frame(true), frame(filled), frame(hidden)) == pytest.approx(expected, rel=1e-14)


def test_what_was_never_hidden_does_not_count():
    true = np.array([[0.0, 5.0], [np.nan, 5.0]])
    hidden = np.array([[True, False], [True, False]])
    assert rmse(true, [[2.0, np.nan], [99.0, 7.0]], hidden) == 2.0


def test_single_precision_input_is_squared_in_double():
    true = np.array([[1e8, 0.0]], dtype=np.float32)
    filled = np.array([[1e8, 1.0]], dtype=np.float32)
    assert rmse(true, filled, np.ones((1, 2), dtype=bool)) == np.sqrt(0.5)
