"""Models of small tables, and services of them in this process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from halfseen import HalfseenClassifier, RBMClassifier, RBMImputer
from rbm.tables import LIGHT, mixed_table

pytest.importorskip("fastapi", reason="tests of the service need halfseen[serve]")
pytest.importorskip("httpx2", reason="tests of the service need httpx2")

SECRET = "Zanzibar-4711"  # a cell that no log may hold


@pytest.fixture(scope="session")
def table() -> pd.DataFrame:
    """Features of all kinds, a quarter of them missing."""
    return mixed_table(80)


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory, table: pd.DataFrame) -> dict[str, Path]:
    """Model files: one target, labels, no target, no names of columns."""
    folder = tmp_path_factory.mktemp("models")
    size = table["size"].fillna(0).to_numpy()
    grade = pd.Series(np.where(size > 0.3, "high", "low"), name="grade", dtype=object)
    labels = pd.DataFrame({"a": (size > 0) * 1.0, "b": (size > 1) * 1.0})
    labels.iloc[::5, 0] = np.nan
    numbers = table[["size", "income"]].to_numpy(float, na_value=np.nan)
    quick: dict[str, Any] = {"effort": "fast", "n_estimators": 2, "random_state": 0}
    models = {
        "grades": HalfseenClassifier(**quick).fit(table, grade),
        "labels": RBMClassifier(**LIGHT).fit(table, labels),
        "fills": RBMImputer(**LIGHT).fit(table),
        "arrays": RBMClassifier(**LIGHT).fit(numbers, grade.to_numpy()),
    }
    for name, model in models.items():
        model.save(folder / f"{name}.safetensors")
    return {name: folder / f"{name}.safetensors" for name in models}


@pytest.fixture(scope="session")
def models(files: dict[str, Path]) -> dict[str, Any]:
    """The models of the files."""
    from halfseen import load

    return {name: load(path) for name, path in files.items()}


def open_service(files: dict[str, Any], **settings: Any) -> Any:
    """A client of a service that runs while it is open."""
    from starlette.testclient import TestClient

    from halfseen.serve import Settings, create_app

    app = create_app(files, Settings(**settings))
    return TestClient(app, base_url="http://localhost", raise_server_exceptions=True)


@pytest.fixture(scope="package")
def client(files: dict[str, Path]) -> Iterator[Any]:
    """A client of all models."""
    with open_service(files, max_rows=600, max_body=300_000) as opened:
        yield opened


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as JSON has them."""
    cells = table.astype(object).where(table.notna(), None)
    return [
        {name: None if value is None else _plain(value) for name, value in row.items()}
        for row in cells.to_dict("records")
    ]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
