"""Models that are fitted once for all tests; none of the tests changes them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax
import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from estimators.tables import (
    LIGHT,
    PREDICTIVE,
    classes_of_rows,
    holed_table,
    labels_of_rows,
    outputs_of_rows,
)
from halfseen import HalfseenClassifier, HalfseenImputer


@pytest.fixture(scope="session")
def table() -> pd.DataFrame:
    return holed_table()


@pytest.fixture(scope="session")
def narrow(table: pd.DataFrame) -> pd.DataFrame:
    return table.drop(columns="colour")


@pytest.fixture(scope="session")
def wide(table: pd.DataFrame, labels: NDArray[np.float64]) -> pd.DataFrame:
    return table.assign(hot=labels[:, 0], cold=labels[:, 1])


@pytest.fixture(scope="session")
def tables(table: pd.DataFrame, narrow: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The table that the model of each kind of target was fitted to."""
    return {"classes": table, "labels": table, "outputs": narrow}


@pytest.fixture(scope="session")
def classes(table: pd.DataFrame) -> NDArray[Any]:
    return classes_of_rows(table)


@pytest.fixture(scope="session")
def labels(table: pd.DataFrame) -> NDArray[np.float64]:
    return labels_of_rows(table)


@pytest.fixture(scope="session")
def outputs(table: pd.DataFrame) -> NDArray[Any]:
    return outputs_of_rows(table)


@pytest.fixture(scope="session")
def of_classes(table: pd.DataFrame, classes: NDArray[Any]) -> HalfseenClassifier:
    return HalfseenClassifier(**LIGHT).fit(table, classes)


@pytest.fixture(scope="session")
def of_labels(table: pd.DataFrame, labels: NDArray[np.float64]) -> HalfseenClassifier:
    return HalfseenClassifier(**LIGHT).fit(table, labels)


@pytest.fixture(scope="session")
def of_outputs(narrow: pd.DataFrame, outputs: NDArray[Any]) -> HalfseenClassifier:
    return HalfseenClassifier(**LIGHT).fit(narrow, outputs)


@pytest.fixture(scope="session")
def imputer(wide: pd.DataFrame) -> HalfseenImputer:
    return HalfseenImputer(**LIGHT).fit(wide)


@contextmanager
def compiled_quickly() -> Iterator[None]:
    """What is compiled in here need not be fast."""
    before = jax.config.read("jax_disable_most_optimizations")
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", before)


@pytest.fixture(scope="session")
def predicts_classes(table: pd.DataFrame, classes: NDArray[Any]) -> HalfseenClassifier:
    return HalfseenClassifier(**PREDICTIVE).fit(table, classes)


@pytest.fixture(scope="session")
def predicts_labels(table: pd.DataFrame, labels: NDArray[np.float64]) -> HalfseenClassifier:
    return HalfseenClassifier(**PREDICTIVE, companion=False).fit(table, labels)


@pytest.fixture(scope="session")
def predicts_outputs(narrow: pd.DataFrame, outputs: NDArray[Any]) -> HalfseenClassifier:
    return HalfseenClassifier(**PREDICTIVE, companion=False).fit(narrow, outputs)


@pytest.fixture(scope="session")
def predicts_features(wide: pd.DataFrame) -> HalfseenImputer:
    return HalfseenImputer(**PREDICTIVE, companion=False).fit(wide)
