"""Data sets without a file, and what a data set holds."""

from __future__ import annotations

import numpy as np
import pytest

from halfseen.experiments.data_sets import DataSet, load_data_set
from halfseen.experiments.telemetry import telemetry


def test_digits_are_images_of_ten_classes():
    data = load_data_set("digits")
    assert data.X.shape == (1797, 64)
    assert (data.X.min(), data.X.max()) == (0.0, 1.0)
    assert (data.Y.sum(axis=1) == 1).all()
    assert data.image == (8, 8)
    assert data.label_names == tuple("0123456789")


def test_some_digits_are_rows_of_all():
    every, some = load_data_set("digits"), load_data_set("digits", n_rows=40, seed=5)
    rows = {row.tobytes() for row in every.X}
    assert len(some.X) == 40
    assert all(row.tobytes() in rows for row in some.X)
    assert not np.array_equal(some.X, load_data_set("digits", n_rows=40, seed=6).X)
    assert len(load_data_set("digits", n_rows=10**6).X) == 1797


def test_telemetry_is_whole_and_of_any_size():
    data, made = load_data_set("telemetry", n_rows=300, seed=2), telemetry(300, seed=2)
    np.testing.assert_array_equal(data.X, made.X)
    np.testing.assert_array_equal(data.Y, made.y)
    assert not np.isnan(data.X).any()
    flags = [name.startswith("flag") for name in data.feature_names]
    np.testing.assert_array_equal(~data.numeric, flags)
    assert set(np.unique(data.X[:, ~data.numeric])) == {0.0, 1.0}


def test_rows_take_their_split_along():
    data = DataSet(
        "mine", np.arange(8.0).reshape(4, 2), np.ones((4, 1)), "labels",
        is_train=np.array([True, False, True, False]), blocks=np.array([0, 0]),
    )  # fmt: skip
    some = data.rows(np.array([False, True, True, False]))
    np.testing.assert_array_equal(some.X, [[2, 3], [4, 5]])
    np.testing.assert_array_equal(some.is_train, [False, True])
    np.testing.assert_array_equal(some.blocks, [0, 0])


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"feature_names": ("a",)}, "has 1 feature names, 2 are needed"),
        ({"label_names": ("a", "b")}, "has 2 label names, 1 are needed"),
        ({"blocks": np.zeros(3, int)}, "has 3 numbers of blocks, 2 are needed"),
        ({"numeric": np.ones(1, bool)}, "has 1 kinds of columns, 2 are needed"),
        ({"is_train": np.ones(3, bool)}, "has 3 rows of the split, 4 are needed"),
        ({"Y": np.ones((3, 1))}, "has 3 rows of Y, 4 are needed"),
    ],
)
def test_parts_that_do_not_fit_are_named(changed, said):
    given = {"name": "mine", "X": np.zeros((4, 2)), "Y": np.ones((4, 1)), "target": "labels"}
    with pytest.raises(ValueError, match=said):
        DataSet(**(given | changed))
