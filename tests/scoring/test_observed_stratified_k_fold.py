import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, KFold, check_cv

from halfseen.scoring import ObservedStratifiedKFold

entries = st.sampled_from([0.0, 1.0, 2.0, np.nan])
columns = st.integers(6, 30).flatmap(lambda n: arrays(float, n, elements=entries))
tables = st.tuples(st.integers(6, 30), st.integers(1, 3)).flatmap(
    lambda shape: arrays(float, shape, elements=entries)
)


def folds_of(splitter, y):
    return [test.tolist() for _, test in splitter.split(np.zeros((len(y), 1)), y)]


@settings(max_examples=60, deadline=None)
@given(columns | tables, st.integers(2, 6), st.integers(0, 99) | st.none())
def test_every_row_is_tested_once(y, n_splits, seed):
    splitter = ObservedStratifiedKFold(n_splits, shuffle=seed is not None, random_state=seed)
    tested = []
    for train, test in splitter.split(np.zeros(len(y)), y):
        assert sorted([*train, *test]) == list(range(len(y)))
        tested.append(test)
    assert len(tested) == splitter.get_n_splits() == n_splits
    assert sorted(np.concatenate(tested)) == list(range(len(y)))
    sizes = [len(test) for test in tested]
    assert max(sizes) - min(sizes) <= 1


@settings(max_examples=20, deadline=None)
@given(columns | tables, st.integers(0, 99))
def test_the_seed_decides(y, seed):
    once = folds_of(ObservedStratifiedKFold(3, random_state=seed), y)
    assert folds_of(ObservedStratifiedKFold(3, random_state=seed), y) == once


def test_another_seed_gives_other_folds():
    y = np.array([0, 1, np.nan, 1] * 10)
    first, second = (folds_of(ObservedStratifiedKFold(3, random_state=s), y) for s in (0, 1))
    assert first != second


def test_without_shuffle_rows_are_dealt_in_order():
    y = ["a", "a", "a", "a", None, None]
    assert folds_of(ObservedStratifiedKFold(2, shuffle=False), y) == [[0, 2, 4], [1, 3, 5]]


def test_the_kind_of_table_does_not_matter():
    rng = np.random.default_rng(0)
    y = rng.choice([0.0, 1.0, np.nan], (30, 3))
    splitter = ObservedStratifiedKFold(3, random_state=0)
    frame = pd.DataFrame(y, columns=["a", "b", "c"])
    polars = pl.DataFrame(y, schema=["a", "b", "c"]).fill_nan(None)
    for other in (frame, frame.astype("Int64"), polars, y.tolist()):
        assert folds_of(splitter, other) == folds_of(splitter, y)
    classes = np.array(["x", "y", None], dtype=object)[rng.integers(0, 3, 30)]
    series = pd.Series(classes)
    for other in (series, series.astype("category"), pl.Series(classes.tolist()), list(classes)):
        assert folds_of(splitter, other) == folds_of(splitter, classes)


def test_one_column_is_a_column_of_classes():
    y = np.random.default_rng(0).choice([0.0, 1.0, np.nan], (30, 1))
    splitter = ObservedStratifiedKFold(3, random_state=0)
    assert folds_of(splitter, y) == folds_of(splitter, y[:, 0])


def test_a_class_with_fewer_rows_than_folds_goes_to_different_folds():
    y = np.array(["common"] * 20 + ["rare"] * 3 + [None] * 7, dtype=object)
    tested = folds_of(ObservedStratifiedKFold(5, random_state=0), y)
    counts = [sum(y[row] == "rare" for row in test) for test in tested]
    assert sorted(counts) == [0, 0, 1, 1, 1]


def uneven(splitter, y):
    """Mean squared difference of the known ones per fold and label from their share."""
    counts = np.array([np.nansum(y[test], axis=0) for _, test in splitter.split(y, y)])
    return np.mean((counts - counts.mean(axis=0)) ** 2)


@pytest.mark.parametrize("shape", [(200,), (200, 6)])
def test_known_labels_spread_better_than_by_chance(shape):
    rng = np.random.default_rng(0)
    y = (rng.random(shape) < np.linspace(0.03, 0.3, shape[-1] if len(shape) == 2 else 1)).astype(
        float
    )
    y[rng.random(shape) < 0.5] = np.nan
    ours = np.mean([uneven(ObservedStratifiedKFold(5, random_state=s), y) for s in range(5)])
    plain = np.mean([uneven(KFold(5, shuffle=True, random_state=s), y) for s in range(5)])
    assert ours < plain / 3


def test_it_is_a_splitter_of_sklearn():
    splitter = ObservedStratifiedKFold(3, random_state=7)
    assert repr(splitter) == "ObservedStratifiedKFold(n_splits=3, random_state=7, shuffle=True)"
    assert check_cv(splitter) is splitter
    search = clone(GridSearchCV(None, {}, cv=splitter))
    assert search.cv.random_state == 7


@pytest.mark.parametrize("n_splits", [1, 0, 2.5, "3"])
def test_at_least_two_folds(n_splits):
    with pytest.raises(ValueError, match="n_splits must be a whole number of at least 2"):
        ObservedStratifiedKFold(n_splits)


def test_a_seed_without_shuffle_is_refused():
    with pytest.raises(ValueError, match="no effect without shuffle"):
        ObservedStratifiedKFold(shuffle=False, random_state=0)


@pytest.mark.parametrize(
    ("y", "groups", "message"),
    [
        (None, None, "y is needed to stratify"),
        ([1, 0, None], [1, 1, 2], "GroupKFold"),
        ([1, 0, None, 1], None, "inconsistent numbers of samples"),
        ([1, 0, None], None, "3 rows cannot fill 5 folds"),
    ],
)
def test_what_cannot_be_split_is_said(y, groups, message):
    with pytest.raises(ValueError, match=message):
        next(ObservedStratifiedKFold().split(np.zeros((3, 1)), y, groups))
