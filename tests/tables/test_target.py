import numpy as np

from halfseen.tables import read_target


def test_n_observed_counts_over_columns() -> None:
    assert read_target(np.array([[0, np.nan], [1, 1]])).n_observed == 3
