import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from halfseen.scoring._fold_of_rows import fold_of_rows_by_class, fold_of_rows_by_labels


def spread(counts):
    return int(counts.max() - counts.min())


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from(["a", "b", "c", None]), min_size=2, max_size=40),
    st.integers(2, 6),
    st.randoms(use_true_random=False),
)
def test_every_class_and_the_unknown_spread_evenly(y, n_splits, random):
    order = list(range(len(y)))
    random.shuffle(order)
    fold = fold_of_rows_by_class(np.array(y, dtype=object), n_splits, np.array(order))
    assert spread(np.bincount(fold, minlength=n_splits)) <= 1
    for stratum in ("a", "b", "c", None):
        members = [f for f, value in zip(fold, y, strict=True) if value == stratum]
        assert spread(np.bincount(np.array(members, dtype=int), minlength=n_splits)) <= 1


@settings(max_examples=60, deadline=None)
@given(
    arrays(
        float,
        st.tuples(st.integers(2, 30), st.integers(2, 4)),
        elements=st.sampled_from([0, 1, np.nan]),
    ),
    st.integers(2, 6),
)
def test_folds_of_labels_are_equally_large(y, n_splits):
    fold = fold_of_rows_by_labels(y, n_splits, np.arange(len(y)))
    sizes = np.bincount(fold, minlength=n_splits)
    assert sizes.size == n_splits
    assert spread(sizes) <= 1


@pytest.mark.parametrize("n_rare", [2, 5, 7])
def test_the_rarest_label_spreads_evenly(n_rare):
    rng = np.random.default_rng(0)
    y = (rng.random((100, 4)) < 0.4).astype(float)
    y[:, 3] = 0
    y[rng.choice(100, n_rare, replace=False), 3] = 1
    fold = fold_of_rows_by_labels(y, 5, rng.permutation(100))
    assert spread(np.bincount(fold[y[:, 3] == 1], minlength=5)) <= 1


def test_unknown_entries_do_not_count():
    # Four known ones of the first label among many unknown: one for each fold.
    y = np.full((40, 2), np.nan)
    y[:4, 0] = 1
    y[4:12, 0] = 0
    y[:, 1] = 0
    fold = fold_of_rows_by_labels(y, 4, np.arange(40))
    assert np.bincount(fold[:4], minlength=4).tolist() == [1, 1, 1, 1]
    assert np.bincount(fold[4:12], minlength=4).tolist() == [2, 2, 2, 2]


def test_nothing_known_at_all():
    fold = fold_of_rows_by_labels(np.full((7, 2), np.nan), 3, np.arange(7))
    assert sorted(np.bincount(fold)) == [2, 2, 3]


def test_several_columns_of_classes():
    y = np.array([["a", 1], ["a", 2], ["b", 1], ["b", 2], [None, 3], ["c", 3]] * 2, dtype=object)
    fold = fold_of_rows_by_labels(y, 2, np.arange(12))
    for value in ("a", "b", "c"):
        assert spread(np.bincount(fold[y[:, 0] == value], minlength=2)) <= 1


def test_later_rows_make_up_for_what_earlier_rows_brought_along():
    # The rarer first label takes two ones of the second to fold 0; the other two go to fold 1.
    unknown = np.nan
    y = np.array([[1, 1], [1, unknown], [1, 1], [unknown, 1], [unknown, 1], *[[unknown] * 2] * 3])
    fold = fold_of_rows_by_labels(y, 2, np.arange(8))
    assert fold[:5].tolist() == [0, 1, 0, 1, 1]
    assert np.bincount(fold).tolist() == [4, 4]


def test_need_never_makes_a_fold_larger_than_its_share():
    # Fold 1 needs all three last rows, but has room for two.
    both, first, second = [1, 1], [1, np.nan], [np.nan, 1]
    y = np.array([both, first, both, first, both, second, second, second])
    fold = fold_of_rows_by_labels(y, 2, np.arange(8))
    assert fold.tolist() == [0, 1, 0, 1, 0, 1, 1, 0]
