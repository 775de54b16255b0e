"""Tables so large that their units are not written down give the same models, bit for bit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from halfseen import HalfseenClassifier, HalfseenImputer
from halfseen.estimators import decisions, forest_fit
from halfseen.estimators.model_file import KIND, VERSION
from halfseen.learning import held_out, prior_fit
from halfseen.storage import read_sealed
from halfseen.tables import Schema, encoded_on_demand

LIGHT: dict[str, Any] = {
    "n_hidden": 4,
    "n_epochs": 3,
    "batch_size": 16,
    "random_state": 0,
    "verbose": False,
}


N_ROWS = 900


def numbers() -> NDArray[np.float32]:
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(N_ROWS, 2))
    X = (hidden @ rng.normal(size=(2, 6)) + 0.3 * rng.normal(size=(N_ROWS, 6))).astype(np.float32)
    X[:, 5] = X[:, 5] > 0
    X[rng.random(X.shape) < 0.3] = np.nan
    return X


def labels(X: NDArray[np.float32]) -> NDArray[np.float64]:
    rng = np.random.default_rng(1)
    y = np.stack([np.nan_to_num(X[:, 0]) > 0, np.nan_to_num(X[:, 1]) > 0.2], axis=1).astype(float)
    y[rng.random(y.shape) < 0.4] = np.nan
    return y


@pytest.fixture(autouse=True)
def few_rows_represent_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Judged are 30 rows, and priors are fitted to 40: nobody needs the whole of a table."""
    monkeypatch.setattr(held_out, "MOST_JUDGED_ROWS", 30)
    monkeypatch.setattr(prior_fit, "MOST_ROWS", 40)
    monkeypatch.setattr(forest_fit, "_MOST_ROWS", 40)
    monkeypatch.setattr(decisions, "MOST_ROWS", 40)


@pytest.fixture
def on_demand(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """From here on every table is large, and none may be written down as a whole."""
    monkeypatch.setattr(encoded_on_demand, "LARGE", 0)
    write, asked = Schema.write, []

    def some_rows_only(schema: Schema, table: Any, target: Any) -> Any:
        asked.append(table.n_rows)
        assert table.n_rows < N_ROWS
        return write(schema, table, target)

    monkeypatch.setattr(Schema, "write", some_rows_only)
    return asked


def assert_same_model(one: Path, other: Path) -> None:
    """All that the files hold but their histories, in which seconds stand."""
    found, expected = (
        read_sealed(path, kind=KIND, newest_version=VERSION) for path in (one, other)
    )
    assert found.arrays.keys() == expected.arrays.keys()
    for name in expected.arrays.keys() - {"history"}:
        np.testing.assert_array_equal(found.arrays[name], expected.arrays[name], err_msg=name)
    for name in ("schema", "settings"):
        assert found.document[name] == expected.document[name]


SETTINGS: list[dict[str, Any]] = [
    {},
    {"companion": False, "sees_missing": True},
    {"objective": "lossy_cd", "threshold": "shared", "stopping": "held_out"},
    {"objective": "persistent_cd", "stopping": "none"},
]


@pytest.mark.parametrize("more", SETTINGS, ids=["default", "alone", "lossy_cd", "persistent"])
def test_the_same_classifier(more: dict[str, Any], tmp_path: Path, request: Any) -> None:
    X = numbers()
    y = labels(X)
    HalfseenClassifier(**LIGHT, **more).fit(X, y).save(tmp_path / "written")
    asked = request.getfixturevalue("on_demand")
    HalfseenClassifier(**LIGHT, **more).fit(X, y).save(tmp_path / "on_demand")
    assert len(asked) > 5
    assert_same_model(tmp_path / "on_demand", tmp_path / "written")


def test_the_same_classes(tmp_path: Path, request: Any) -> None:
    X = numbers()
    y = labels(X)[:, 0]
    HalfseenClassifier(**LIGHT).fit(X, y).save(tmp_path / "written")
    asked = request.getfixturevalue("on_demand")
    HalfseenClassifier(**LIGHT).fit(X.astype(np.float64), y).save(tmp_path / "on_demand")
    assert len(asked) > 5
    assert_same_model(tmp_path / "on_demand", tmp_path / "written")


def test_the_same_imputer(tmp_path: Path, request: Any) -> None:
    HalfseenImputer(**LIGHT).fit(numbers()).save(tmp_path / "written")
    asked = request.getfixturevalue("on_demand")
    HalfseenImputer(**LIGHT).fit(numbers()).save(tmp_path / "on_demand")
    assert len(asked) > 5
    assert_same_model(tmp_path / "on_demand", tmp_path / "written")


def test_what_keeps_something_of_every_row_is_written_down(monkeypatch: Any) -> None:
    X = numbers()
    given = LIGHT | {"objective": "fully_persistent_cd"}
    held = HalfseenImputer(**given).fit(X)
    monkeypatch.setattr(encoded_on_demand, "LARGE", 0)
    again = HalfseenImputer(**given).fit(X)
    np.testing.assert_array_equal(again.machine_.weights, held.machine_.weights)


def test_the_oracle_sees_all_rows(monkeypatch: Any) -> None:
    X = numbers()
    y = labels(X)
    truth = np.where(np.isnan(y), np.arange(2) % 2, y)
    given = LIGHT | {"preset": "paper", "stopping": "oracle", "oracle_y": truth}
    held = HalfseenClassifier(**given).fit(X, y)
    monkeypatch.setattr(encoded_on_demand, "LARGE", 0)
    again = HalfseenClassifier(**given).fit(X, y)
    np.testing.assert_array_equal(again.machine_.weights, held.machine_.weights)
    assert [one.loss for one in again.history_] == [one.loss for one in held.history_]


def test_learning_in_parts(monkeypatch: Any) -> None:
    X = numbers()
    y = labels(X)
    held = HalfseenClassifier(**LIGHT).partial_fit(X[:50], y[:50]).partial_fit(X[50:], y[50:])
    monkeypatch.setattr(encoded_on_demand, "LARGE", 0)
    again = HalfseenClassifier(**LIGHT).partial_fit(X[:50], y[:50]).partial_fit(X[50:], y[50:])
    np.testing.assert_array_equal(again.machine_.weights, held.machine_.weights)


def test_batches_so_large_that_few_make_the_table(tmp_path: Path, request: Any) -> None:
    X = numbers()
    given = LIGHT | {"batch_size": 256}
    HalfseenImputer(**given).fit(X).save(tmp_path / "written")
    asked = request.getfixturevalue("on_demand")
    HalfseenImputer(**given).fit(X).save(tmp_path / "on_demand")
    assert max(asked) == 2 * 256
    assert_same_model(tmp_path / "on_demand", tmp_path / "written")
