"""Probabilities that were distorted in a known way become honest again, and several become one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, logit, softmax

from halfseen.estimators.pooling import (
    learn_class_pool,
    learn_label_pool,
    log_odds,
    pooled_classes,
    pooled_labels,
)

STRENGTH, OF_SHIFT = 10.0, 100.0
Floats = NDArray[np.float64]

EQUAL = {1: np.ones(1), 2: np.full(2, 0.5)}  # first powers


def some_labels(
    n_rows: int, slope: float, intercept: float
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Honest probabilities, the same distorted, and labels drawn from the honest ones."""
    random = np.random.default_rng(3)
    honest = random.uniform(0.02, 0.98, n_rows)
    return honest, expit((logit(honest) - intercept) / slope), random.random(n_rows) < honest


@pytest.mark.parametrize(("slope", "intercept"), [(0.5, 0.0), (2.0, 0.5), (1.0, -1.0)])
def test_labels_become_honest(slope: float, intercept: float) -> None:
    honest, distorted, truth = some_labels(200_000, slope, intercept)
    powers, shift = learn_label_pool(distorted[None], truth, EQUAL[1])
    assert np.allclose([*powers, shift], [slope, intercept], atol=0.05)
    assert np.allclose(pooled_labels(distorted[None], powers, shift), honest, atol=0.02)


@pytest.mark.parametrize("n_rows", [1, 7, 60])
def test_the_pool_of_labels_is_the_best_one(n_rows: int) -> None:
    _, distorted, truth = some_labels(n_rows, 2.0, 0.5)
    other = np.random.default_rng(8).uniform(0.3, 0.7, n_rows)
    said = np.stack([distorted, np.where(truth, other.clip(min=0.5), other)])
    sign, odds = np.where(truth, 1.0, -1.0), logit(said)
    first = np.array([0.5, 0.5, 0.0])

    def loss(sought: Floats) -> float:
        pulls = [2 * STRENGTH, 2 * STRENGTH, OF_SHIFT]
        pull = 0.5 * np.sum(pulls * (sought - first) ** 2)
        margin = sign * (sought[:2] @ odds + sought[2])
        outside = (sought < [0.0, 0.0, -3.0]) | (sought > [5.0, 5.0, 3.0])
        return np.inf if outside.any() else float(-np.log(expit(margin)).sum() + pull)

    best = minimize(loss, first, method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-10})
    powers, shift = learn_label_pool(said, truth, np.full(len(said), 1 / len(said)))
    assert np.allclose([*powers, shift], best.x, atol=3e-3)


def some_classes(n_rows: int, power: float) -> tuple[Floats, Floats]:
    """Probabilities distorted by a power, those of the true class first, and the honest ones."""
    random = np.random.default_rng(4)
    honest = softmax(1.5 * random.normal(size=(n_rows, 3)), axis=1)
    drawn = (random.random((n_rows, 1)) > np.cumsum(honest, axis=1)).sum(axis=1).clip(max=2)
    first = np.argsort(np.arange(3) != drawn[:, None], axis=1, kind="stable")
    honest = np.take_along_axis(honest, first, axis=1)
    return softmax(np.log(honest) / power, axis=1), honest


@pytest.mark.parametrize("power", [0.4, 1.0, 2.5])
def test_classes_become_honest(power: float) -> None:
    distorted, honest = some_classes(20_000, power)
    learned = learn_class_pool(distorted[None], EQUAL[1])
    assert learned == pytest.approx(power, rel=0.05)
    assert np.allclose(pooled_classes(distorted[None], learned), honest, atol=0.02)


@pytest.mark.parametrize("n_rows", [1, 9, 80])
def test_the_power_of_classes_is_the_best_one(n_rows: int) -> None:
    distorted, _ = some_classes(n_rows, 2.0)
    powers = np.linspace(0.1, 5.0, 9801)
    logs = np.log(distorted)
    fit = np.array([log_softmax(power * logs, axis=1)[:, 0].sum() for power in powers])
    best = powers[np.argmax(fit - 0.5 * STRENGTH * (powers - 1.0) ** 2)]
    assert learn_class_pool(distorted[None], EQUAL[1]) == pytest.approx(best, abs=2e-3)


@pytest.mark.parametrize("n_rows", [2, 30])
def test_no_pool_of_classes_near_by_is_better(n_rows: int) -> None:
    one, other = some_classes(n_rows, 2.0)
    logs = np.log(np.stack([one, other]))

    def loss(powers: Floats) -> float:
        fit = log_softmax(np.tensordot(powers, logs, axes=1), axis=1)[:, 0].sum()
        return float(-fit + 0.5 * STRENGTH * 2 * np.sum((powers - 0.5) ** 2))

    found = learn_class_pool(np.stack([one, other]), EQUAL[2])
    for step in 0.01 * np.array([[1, 0], [-1, 0], [0, 1], [0, -1], [1, -1], [-1, 1]]):
        assert loss(found) < loss((found + step).clip(0.0))


def test_a_predictor_that_knows_is_heard() -> None:
    random = np.random.default_rng(5)
    honest, _, truth = some_labels(5000, 1.0, 0.0)
    powers, _ = learn_label_pool(
        np.stack([honest, random.uniform(0.1, 0.9, 5000)]), truth, EQUAL[2]
    )
    assert powers[0] > 0.9
    assert powers[1] < 0.1


def test_two_halves_of_the_evidence_add_up() -> None:
    random = np.random.default_rng(6)
    evidence = random.normal(size=(2, 20_000))
    truth = random.random(20_000) < expit(evidence.sum(axis=0))
    powers, shift = learn_label_pool(
        expit(evidence), truth, np.full(len(evidence), 1 / len(evidence))
    )
    assert np.allclose(powers, 1.0, atol=0.06)
    assert np.isclose(shift, 0.0, atol=0.05)


def test_nothing_to_learn_from_leaves_all_equal() -> None:
    powers, shift = learn_label_pool(np.zeros((2, 0)), np.zeros(0, bool), EQUAL[2])
    assert (powers.tolist(), shift) == ([0.5, 0.5], 0.0)
    assert learn_class_pool(np.zeros((1, 0, 3)), EQUAL[1]).tolist() == [1.0]
    assert learn_class_pool(np.ones((1, 5, 1)), EQUAL[1]) == pytest.approx(1.0)


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=20), st.floats(0.1, 5.0), st.floats(-3.0, 3.0)
)
def test_labels_keep_their_order(said: list[float], slope: float, intercept: float) -> None:
    ordered = np.sort(np.array(said))
    calibrated = pooled_labels(ordered[None], np.array([slope]), intercept)
    assert (np.diff(calibrated) >= 0).all()
    assert ((calibrated > 0) & (calibrated <= 1)).all()


@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=6).filter(lambda said: sum(said) > 0),
    st.floats(0.1, 5.0),
)
def test_classes_keep_their_order(said: list[float], power: float) -> None:
    row = np.array([said]) / np.sum(said)
    calibrated = pooled_classes(row[None], np.array([power]))
    assert np.isclose(calibrated.sum(), 1.0)
    assert (calibrated > 0).all()
    assert (np.diff(calibrated[0][np.argsort(row[0], kind="stable")]) >= -1e-12).all()


def test_certainty_stays_finite() -> None:
    assert np.isfinite(log_odds(np.array([0.0, 0.5, 1.0]))).all()
    powers, shift = learn_label_pool(
        np.array([[0.0, 1.0, 1.0]]), np.array([True, False, True]), EQUAL[1]
    )
    assert np.isfinite([*powers, shift]).all()
    assert np.isfinite(learn_class_pool(np.array([[[0.0, 1.0], [1.0, 0.0]]]), EQUAL[1])).all()


def test_without_entries_the_first_powers_stay() -> None:
    first = np.array([0.7, 0.3, 0.0])
    powers, shift = learn_label_pool(np.zeros((3, 0)), np.zeros(0, bool), first)
    assert np.allclose(powers, first)
    assert shift == 0.0
    assert np.allclose(learn_class_pool(np.zeros((3, 0, 2)), first), first)
