"""Mask units: the machine sees what is missing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from halfseen import HalfseenClassifier, load

LEARNING = {"n_hidden": 8, "n_epochs": 60, "n_machines": 1, "companion": False, "random_state": 0}


@pytest.fixture(scope="module")
def told_by_holes() -> tuple[np.ndarray, np.ndarray]:
    """Noise that says nothing of the class; only its holes do."""
    generator = np.random.default_rng(0)
    y = generator.integers(0, 2, 300)
    X = generator.normal(size=(300, 3))
    X[(y == 1) & (generator.random(300) < 0.9), 0] = np.nan
    return X, y


@pytest.fixture(scope="module")
def seeing(told_by_holes: tuple[np.ndarray, np.ndarray]) -> HalfseenClassifier:
    return HalfseenClassifier(sees_missing=True, **LEARNING).fit(*told_by_holes)


def test_only_mask_units_learn_from_holes(told_by_holes, seeing) -> None:
    # Trees tell what the prior has guessed from what is seen, and have to be left out.
    blind = HalfseenClassifier(**LEARNING, forest=False).fit(*told_by_holes)
    assert seeing.score(*told_by_holes) > 0.85
    assert blind.score(*told_by_holes) < 0.8


def test_mask_units_are_saved(told_by_holes, seeing, tmp_path: Path) -> None:
    seeing.save(tmp_path / "model")
    again = load(tmp_path / "model")
    X = told_by_holes[0]
    np.testing.assert_array_equal(again.predict_proba(X), seeing.predict_proba(X))


def test_hidden_values_are_not_read(told_by_holes, seeing) -> None:
    X = told_by_holes[0].copy()
    encoded = seeing.schema_.encode(seeing._read_features(X, reset=False), None)
    other = np.where(encoded.observed, encoded.visible, np.float32(7))
    np.testing.assert_array_equal(
        seeing.prediction_.complete(other, encoded.observed),
        seeing.prediction_.complete(*encoded),
    )
