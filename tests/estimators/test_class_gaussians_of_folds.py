"""Gaussians of classes in a model: what they read, what they are worth, and on file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from estimators.tables import PREDICTIVE
from halfseen import HalfseenClassifier, load
from halfseen.estimators import blind_fit, predictive_fit
from halfseen.estimators import class_gaussians_of_folds as module
from halfseen.estimators.class_gaussians_file import gaussians_from_arrays, gaussians_to_arrays
from halfseen.estimators.class_gaussians_of_folds import class_gaussians_of_folds
from halfseen.learning.held_out import hold_out
from halfseen.storage import Sealed
from halfseen.tables import Encoded, read_table, read_target

ALONE = PREDICTIVE | {"companion": False}


def crossed(n_rows: int = 1200, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Rows of two classes that differ only in how two of their numbers hang together."""
    random = np.random.default_rng(seed)
    classes = random.integers(0, 2, n_rows)
    first = random.normal(size=n_rows)
    second = np.where(classes == 1, first, -first) + 0.3 * random.normal(size=n_rows)
    X = np.stack([first, second, random.normal(size=n_rows)], axis=1)
    X[random.random(X.shape) < 0.1] = np.nan
    y = np.array(["minus", "plus"], dtype=object)[classes]
    return X, y


def with_holes(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    hidden = np.random.default_rng(1).random(len(y)) < 0.4
    known = y.copy()
    known[hidden] = None
    return known, hidden


@pytest.fixture(scope="module")
def model() -> HalfseenClassifier:
    X, y = crossed()
    return HalfseenClassifier(**ALONE).fit(X, with_holes(y)[0])


def test_they_tell_classes_apart_by_how_features_hang_together(model: HalfseenClassifier) -> None:
    X, y = crossed()
    known, hidden = with_holes(y)
    without = HalfseenClassifier(**ALONE, class_gaussians=False, forest=False).fit(X, known)
    assert without.prediction_.blind.names == []
    assert model.prediction_.blind.names == ["forest", "class Gaussians", "boosted trees"]
    assert (model.predict(X)[hidden] == y[hidden]).mean() > 0.8
    assert (without.predict(X)[hidden] == y[hidden]).mean() < 0.7
    said = {choice.what: choice.chosen for choice in model.history_.choices}
    assert said["class Gaussians"] == "2, one for each"
    assert said["classes of rows without a known one by"].endswith("boosted trees")


def test_nothing_that_a_fold_put_aside_is_read_by_its_gaussians(model: HalfseenClassifier) -> None:
    X, y = crossed()
    schema, ensemble = model.schema_, model.prediction_.ensemble
    target = read_target(with_holes(y)[0])
    encoded = schema.encode(read_table(X), target)
    folds = [
        hold_out(encoded, schema.column_of_unit, schema.is_target_unit, 0.3, seed)
        for seed in (0, 1)
    ]
    before = class_gaussians_of_folds(ensemble, encoded, folds, 0.05, 0)
    assert before is not None
    other = encoded.visible.copy()
    judged = np.zeros(other.shape, bool)
    judged[folds[0].judged_rows] = folds[0].judging
    other[judged] = 1.0 - other[judged]
    after = class_gaussians_of_folds(ensemble, Encoded(other, encoded.observed), folds, 0.05, 0)
    assert after is not None
    np.testing.assert_array_equal(after.of_folds[0].covariance, before.of_folds[0].covariance)
    np.testing.assert_array_equal(after.of_folds[0].mean, before.of_folds[0].mean)
    assert not np.array_equal(after.of_folds[1].covariance, before.of_folds[1].covariance)
    assert not np.array_equal(after.whole.covariance, before.whole.covariance)


def test_of_many_rows_some_are_read(
    model: HalfseenClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = crossed()
    target = read_target(y)
    encoded = model.schema_.encode(read_table(X), target)
    schema = model.schema_
    nothing = hold_out(encoded, schema.column_of_unit, schema.is_target_unit, 0.0, 0)
    monkeypatch.setattr(module, "_MOST_ROWS", 60)
    found = class_gaussians_of_folds(model.prediction_.ensemble, encoded, [nothing], 0.05, 0)
    assert found is not None
    counted = found.whole.share * (60 + 2) - 1  # a row was added to each class
    np.testing.assert_allclose(counted, counted.round(), atol=1e-9)
    assert counted.sum().round() == 60


def test_few_known_classes_are_too_few() -> None:
    X, y = crossed(120)
    y[49:] = None
    assert HalfseenClassifier(**ALONE).fit(X, y).prediction_.blind.gaussians is None


def test_a_file_says_the_same(model: HalfseenClassifier, tmp_path: Path) -> None:
    X, _ = crossed(seed=5)
    model.save(tmp_path / "model.halfseen")
    again = load(tmp_path / "model.halfseen")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def changed(arrays: dict[str, NDArray[Any]], name: str, value: Any) -> dict[str, NDArray[Any]]:
    return arrays | {f"p.gaussians.{name}": np.asarray(value)}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("share", [0.5, 0.5, 0.0], "shape"),
        ("share", [0.0, 1.0], "sum one"),
        ("mean", np.full((2, 3), np.nan), "within"),
        ("mean", np.zeros((2, 3), np.float32), "numbers of shape"),
        ("covariance", np.zeros((2, 3, 3)), "positive definite"),
        ("covariance", np.tile(np.triu(np.ones((3, 3))), (2, 1, 1)), "symmetric"),
    ],
)
def test_a_damaged_file_is_refused(
    model: HalfseenClassifier, name: str, value: Any, said: str
) -> None:
    arrays = gaussians_to_arrays(model.prediction_.blind.gaussians, "p.")
    columns = model.prediction_.ensemble.shape.columns
    assert gaussians_from_arrays(2, Sealed(6, {}, arrays), "p.", columns) is not None
    with pytest.raises(ValueError, match=said):
        gaussians_from_arrays(2, Sealed(6, {}, changed(arrays, name, value)), "p.", columns)
    with pytest.raises(ValueError, match="one target column"):
        gaussians_from_arrays(3, Sealed(6, {}, arrays), "p.", columns)


def test_means_beyond_all_rows_are_still_answered(model: HalfseenClassifier) -> None:
    gaussians = model.prediction_.blind.gaussians
    assert gaussians is not None
    far = replace(gaussians, mean=np.full_like(gaussians.mean, 1e9))
    said = far.probabilities(np.zeros((2, 3), np.float32), np.ones((2, 3), bool))
    assert np.isfinite(said).all()


def test_where_it_is_over_nothing_more_is_fitted(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = crossed(200)
    monkeypatch.setattr(
        blind_fit,
        "grow_forest",
        lambda *_: monkeypatch.setattr(predictive_fit.time, "monotonic", lambda: 1e12),
    )
    model = HalfseenClassifier(**ALONE, max_seconds=1e6).fit(X, y)
    assert model.prediction_.blind.names == []
