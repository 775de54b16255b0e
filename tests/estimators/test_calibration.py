"""Probabilities that were distorted in a known way become honest again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import expit, log_softmax, logit, softmax

from halfseen.estimators.calibration import (
    calibrated_classes,
    calibrated_labels,
    learn_class_calibration,
    learn_label_calibration,
    log_odds,
)

STRENGTH = 10.0
Floats = NDArray[np.float64]


def some_labels(
    n_rows: int, slope: float, intercept: float
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Honest probabilities, the same distorted, and labels drawn from the honest ones."""
    random = np.random.default_rng(3)
    honest = random.uniform(0.02, 0.98, n_rows)
    return honest, expit((logit(honest) - intercept) / slope), random.random(n_rows) < honest


@pytest.mark.parametrize(("slope", "intercept"), [(0.5, 0.0), (2.0, 0.5), (1.0, -1.0)])
def test_labels_become_honest(slope: float, intercept: float) -> None:
    honest, distorted, truth = some_labels(40_000, slope, intercept)
    line = learn_label_calibration(distorted, truth)
    assert np.allclose(line, [slope, intercept], atol=0.05)
    assert np.allclose(calibrated_labels(distorted, line), honest, atol=0.02)


@pytest.mark.parametrize("n_rows", [1, 7, 60])
def test_the_line_of_labels_is_the_best_one(n_rows: int) -> None:
    _, distorted, truth = some_labels(n_rows, 2.0, 0.5)
    sign, odds = np.where(truth, 1.0, -1.0), logit(distorted)

    def loss(line: Floats) -> float:
        pull = 0.5 * STRENGTH * np.sum((line - [1.0, 0.0]) ** 2)
        return float(-np.log(expit(sign * (line[0] * odds + line[1]))).sum() + pull)

    best = minimize(loss, [1.0, 0.0], method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-10})
    assert np.allclose(learn_label_calibration(distorted, truth), best.x, atol=2e-3)


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
    learned = learn_class_calibration(distorted)
    assert learned == pytest.approx(power, rel=0.05)
    assert np.allclose(calibrated_classes(distorted, learned), honest, atol=0.02)


@pytest.mark.parametrize("n_rows", [1, 9, 80])
def test_the_power_of_classes_is_the_best_one(n_rows: int) -> None:
    distorted, _ = some_classes(n_rows, 2.0)
    powers = np.linspace(0.1, 5.0, 9801)
    logs = np.log(distorted)
    fit = np.array([log_softmax(power * logs, axis=1)[:, 0].sum() for power in powers])
    best = powers[np.argmax(fit - 0.5 * STRENGTH * (powers - 1.0) ** 2)]
    assert learn_class_calibration(distorted) == pytest.approx(best, abs=2e-3)


def test_nothing_to_learn_from_changes_nothing() -> None:
    assert learn_label_calibration(np.zeros(0), np.zeros(0, bool)).tolist() == [1.0, 0.0]
    assert learn_class_calibration(np.zeros((0, 3))) == 1.0
    assert learn_class_calibration(np.ones((5, 1))) == pytest.approx(1.0)


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=20), st.floats(0.1, 5.0), st.floats(-3.0, 3.0)
)
def test_labels_keep_their_order(said: list[float], slope: float, intercept: float) -> None:
    ordered = np.sort(np.array(said))
    calibrated = calibrated_labels(ordered, np.array([slope, intercept]))
    assert (np.diff(calibrated) >= 0).all()
    assert ((calibrated > 0) & (calibrated <= 1)).all()


@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=6).filter(lambda said: sum(said) > 0),
    st.floats(0.1, 5.0),
)
def test_classes_keep_their_order(said: list[float], power: float) -> None:
    row = np.array([said]) / np.sum(said)
    calibrated = calibrated_classes(row, power)
    assert np.isclose(calibrated.sum(), 1.0)
    assert (calibrated > 0).all()
    assert (np.diff(calibrated[0][np.argsort(row[0], kind="stable")]) >= -1e-12).all()


def test_certainty_stays_finite() -> None:
    assert np.isfinite(log_odds(np.array([0.0, 0.5, 1.0]))).all()
    learned = learn_label_calibration(np.array([0.0, 1.0, 1.0]), np.array([True, False, True]))
    assert np.isfinite(learned).all()
    assert np.isfinite(learn_class_calibration(np.array([[0.0, 1.0], [1.0, 0.0]])))
