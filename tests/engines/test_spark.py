"""Spark data frames, on a local Spark with Python processes of its own; needs Java."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pandas.testing import assert_frame_equal

from engines.conftest import FEATURES, LABELS, N
from halfseen import RBMImputer
from halfseen.engines import complete

pytestmark = [pytest.mark.engines, pytest.mark.filterwarnings("ignore")]
METHODS = ["predict", "predict_proba", "predict_set", "predict_interval", "score_samples"]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    sql = pytest.importorskip("pyspark.sql", reason="Spark is left out: install pyspark")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark is left out: it needs Java, on Debian default-jre-headless")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYSPARK_PYTHON", sys.executable)
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        builder = sql.SparkSession.builder.master("local[2]").appName("halfseen")
        settings = {
            "ui.enabled": False,
            "sql.shuffle.partitions": 3,
            "ui.showConsoleProgress": False,
        }
        for name, value in settings.items():
            builder = builder.config(f"spark.{name}", value)
        session = builder.getOrCreate()
        session.sparkContext.setLogLevel("ERROR")
        yield session
        session.stop()


@pytest.fixture(scope="module")
def hs(spark: Any) -> Any:
    """The module under test, which needs pyspark."""
    return pytest.importorskip("halfseen.engines.spark")


@pytest.fixture(scope="module")
def given(table: pd.DataFrame) -> pd.DataFrame:
    """The table in types that Spark has."""
    return table.astype({"colour": "string"}).reset_index()


@pytest.fixture(scope="module", params=[1, 3, 17])
def rows(request: Any, spark: Any, given: pd.DataFrame) -> Any:
    """A frame in so many partitions, in the order of the table, and an empty one."""
    return cut(spark, given, request.param)


def cut(spark: Any, given: pd.DataFrame, n_partitions: int) -> Any:
    whole = spark.createDataFrame(pa.Table.from_pandas(given, preserve_index=False))
    parts = whole.repartitionByRange(n_partitions, "key").sortWithinPartitions("key")
    return parts.union(whole.filter("key < 0"))


def collected(df: Any, *order: str) -> pd.DataFrame:
    return df.toArrow().to_pandas().sort_values(list(order or ["key"]), ignore_index=True)


def test_complete(hs: Any, rows: Any, given: pd.DataFrame, model: Any) -> None:
    lazy = hs.complete(rows, model)
    assert lazy.schema == rows.schema
    expected = complete(given, model)
    found = collected(lazy)
    assert found.notna().drop(columns="id").all(axis=None)
    assert_frame_equal(found, expected, check_dtype=False)
    other_order = rows.select(*reversed(rows.columns))
    assert_frame_equal(
        collected(hs.complete(other_order, model))[found.columns], expected, check_dtype=False
    )


@pytest.mark.parametrize("method", METHODS)
def test_answers(hs: Any, rows: Any, given: pd.DataFrame, model: Any, method: str) -> None:
    lazy = getattr(hs, method)(rows, model)
    assert lazy.columns[: len(rows.columns)] == rows.columns
    found = collected(lazy)[lazy.columns[len(rows.columns) :]]
    expected = np.asarray(getattr(model, method)(given[FEATURES]))
    if method == "predict_interval":
        expected = expected[:, [column.is_number for column in model.schema_.features]]
    np.testing.assert_array_equal(found.to_numpy(), expected.reshape(N, -1))


def test_draws_are_those_of_the_whole(hs: Any, rows: Any, given: pd.DataFrame, model: Any) -> None:
    found = collected(hs.impute(rows, model, n_draws=2, random_state=3), "draw", "key")
    for draw, expected in enumerate(model.impute(given[FEATURES], 2, 3)):
        of_draw = found.loc[found.draw == draw, FEATURES].reset_index(drop=True)
        assert_frame_equal(of_draw, expected, check_dtype=False)


def test_a_model_transforms(hs: Any, rows: Any, given: pd.DataFrame, model: Any) -> None:
    found = collected(hs.SparkHalfseenModel(model, "found", "chance").transform(rows))
    filled = model.complete(given[FEATURES])
    np.testing.assert_array_equal(found[[f"found_{name}" for name in LABELS]], filled.y)
    np.testing.assert_array_equal(np.stack(found["chance"]), filled.proba)


def test_a_fit_that_reads_all_rows_is_the_local_fit(
    hs: Any, rows: Any, given: pd.DataFrame
) -> None:
    kind = type("Quick", (hs.SparkHalfseenImputer,), {"_kind": RBMImputer})
    X = rows.select("number", "count")
    found = kind(n_iter=2, random_state=0).fit(X).to_local()
    whole = X.toArrow()
    local = RBMImputer(n_iter=2, random_state=0).fit(whole)
    assert found.transform(whole).equals(local.transform(whole))


def test_what_cannot_work_is_refused_before_a_job(
    hs: Any, spark: Any, given: pd.DataFrame, model: Any
) -> None:
    rows = cut(spark, given, 1)
    with pytest.raises(ValueError, match="has a column 'score' already"):
        hs.score_samples(rows.withColumnRenamed("id", "score"), model)
    with pytest.raises(TypeError, match="'flag' has no type"):
        hs.complete(rows.drop("flag").selectExpr("*", "null as flag"), model)
    with pytest.raises(ValueError, match="no column of the model"):
        hs.complete(rows.select("id"), model)
