import numpy as np

from halfseen.tables import RawColumn


def test_observed_values_and_first_row() -> None:
    observed = np.array([False, True, True])
    column = RawColumn(np.array([0.0, 5.0, 7.0]), observed, is_text=False, is_bool=False)
    assert column.n_observed == 2
    assert column.observed_values.tolist() == [5.0, 7.0]
    assert column.first_row(column.values < 6.0) == 1
    assert column.first_row(column.values > 9.0) is None
