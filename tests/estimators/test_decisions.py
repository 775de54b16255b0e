"""Thresholds, against brute force and a completion that can be looked through."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from halfseen.estimators.decisions import best_threshold, learn_thresholds, unpinned_probabilities
from halfseen.tables import Encoded

PROBABILITY = st.one_of(
    st.sampled_from([0.0, 0.25, 0.5, 0.5000001, 1.0]), st.floats(0.0, 1.0), st.just(np.nan)
)
ENTRIES = st.lists(st.tuples(PROBABILITY, st.booleans()), max_size=12)


def n_right(threshold: float, probability: NDArray[Any], truth: NDArray[Any]) -> int:
    known = ~np.isnan(probability)
    return int(np.sum((probability[known] > threshold) == truth[known]))


@given(ENTRIES)
def test_best_threshold_against_brute_force(entries: list[tuple[float, bool]]) -> None:
    probability = np.array([p for p, _ in entries], float)
    truth = np.array([t for _, t in entries], bool)
    threshold = best_threshold(probability, truth)
    assert 0.0 <= threshold <= 1.0
    right = n_right(threshold, probability, truth)
    # Every division of the entries that a threshold can make is made by one of these.
    seen = probability[~np.isnan(probability)].tolist()
    tried = [0.0, 0.5, 1.0, *seen]
    assert right == max(n_right(t, probability, truth) for t in tried)
    if n_right(0.5, probability, truth) == right:
        assert threshold == 0.5


def test_best_threshold_of_nothing_is_one_half() -> None:
    assert best_threshold(np.array([np.nan]), np.array([True])) == 0.5
    assert best_threshold(np.array([]), np.array([], bool)) == 0.5


def test_nearest_to_one_half_of_equals() -> None:
    probability, truth = np.array([0.1, 0.2, 0.9]), np.array([False, False, True])
    assert best_threshold(probability, truth) == 0.5
    assert best_threshold(probability - 0.1, truth) == 0.5


class See:
    """A completion that shows what it was given, and answers 0.3 for what it is not told."""

    def __init__(self) -> None:
        self.asked: list[NDArray[np.bool_]] = []

    def __call__(
        self, visible: NDArray[np.float32], observed: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        self.asked.append(observed.copy())
        return np.where(observed, visible, np.float32(0.3) + visible / 10).astype(np.float32)


@pytest.fixture
def rows() -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    random = np.random.default_rng(0)
    visible = (random.random((60, 5)) > 0.5).astype(np.float32)
    observed = random.random((60, 5)) > 0.3
    return np.where(observed, visible, 0).astype(np.float32), observed


UNITS = np.array([1, 3, 4])


def test_every_known_label_is_hidden_exactly_once(
    rows: tuple[NDArray[np.float32], NDArray[np.bool_]],
) -> None:
    visible, observed = rows
    see = See()
    probability = unpinned_probabilities(see, visible, observed, UNITS, seed=3)
    known = observed[:, UNITS]
    # What was hidden is answered, and nothing else is: a pinned label would give 0 or 1.
    assert np.array_equal(np.isnan(probability), ~known)
    assert np.allclose(probability[known], 0.3 + visible[:, UNITS][known] / 10)
    n_hidden = known.sum()
    assert sum(len(seen) for seen in see.asked) > len(visible)
    assert sum((~seen[:, UNITS]).sum() for seen in see.asked) >= n_hidden


def test_features_and_other_labels_stay_in_sight(
    rows: tuple[NDArray[np.float32], NDArray[np.bool_]],
) -> None:
    visible, _ = rows
    see = See()
    unpinned_probabilities(see, visible, np.ones(visible.shape, bool), UNITS, seed=3)
    for seen in see.asked:
        assert seen[:, [0, 2]].all()
        assert seen[:, UNITS].any()
        assert not seen[:, UNITS].all(axis=1).any()


def test_thresholds_come_from_unpinned_labels(
    rows: tuple[NDArray[np.float32], NDArray[np.bool_]],
) -> None:
    visible, observed = rows
    shared = learn_thresholds("shared", See(), Encoded(visible, observed), UNITS, seed=0)
    # Labels of 0 are given 0.3 and labels of 1 are given 0.4, so any cut between them is right.
    assert shared.shape == (3,)
    assert np.unique(shared).size == 1
    assert 0.3 < shared[0] < 0.4


def test_thresholds_of_each_label() -> None:
    visible = np.tile(np.array([[0, 0], [1, 1]], np.float32), (20, 1))

    def complete(v: NDArray[np.float32], o: NDArray[np.bool_]) -> NDArray[np.float32]:
        return np.where(o, v, v * 0.1 + np.array([0.2, 0.7], np.float32)).astype(np.float32)

    seen = np.ones(visible.shape, bool)
    low, high = learn_thresholds(
        "per_label", complete, Encoded(visible, seen), np.array([0, 1]), seed=0
    )
    assert 0.2 < low < 0.3
    assert 0.7 < high < 0.8


def test_a_number_is_taken_as_it_is(rows: tuple[NDArray[np.float32], NDArray[np.bool_]]) -> None:
    see = See()
    thresholds = learn_thresholds(0.2, see, Encoded(*rows), UNITS, seed=0)
    assert thresholds.tolist() == [0.2, 0.2, 0.2]
    assert see.asked == []


def test_no_known_label_gives_one_half(
    rows: tuple[NDArray[np.float32], NDArray[np.bool_]],
) -> None:
    visible, observed = rows
    unknown = observed.copy()
    unknown[:, UNITS] = False
    for threshold in ("shared", "per_label"):
        learned = learn_thresholds(threshold, See(), Encoded(visible, unknown), UNITS, seed=0)
        assert learned.tolist() == [0.5, 0.5, 0.5]


def test_many_rows_are_sampled() -> None:
    visible = np.zeros((6000, 2), np.float32)
    see = See()
    learn_thresholds(
        "shared", see, Encoded(visible, np.ones((6000, 2), bool)), np.array([0, 1]), seed=0
    )
    assert max(len(seen) for seen in see.asked) < 5000
