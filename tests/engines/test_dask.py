"""Dask data frames, on threads of this process."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from engines.conftest import FEATURES, LABELS
from halfseen import RBMImputer
from halfseen.engines import complete

dask = pytest.importorskip("dask")
dd = pytest.importorskip("dask.dataframe")
hd = pytest.importorskip("halfseen.engines.dask")

METHODS = ["predict", "predict_proba", "predict_set", "predict_interval", "score_samples"]
pytestmark = pytest.mark.filterwarnings("ignore:.*is not a category of the training table")


def cut(table: pd.DataFrame, n_partitions: int) -> Any:
    """A Dask frame with an empty partition among the others."""
    frame = dd.from_pandas(table, npartitions=n_partitions, sort=False)
    return dd.concat([frame.partitions[:1], frame[frame.id == "none"]] + (
        [frame.partitions[1:]] if n_partitions > 1 else []
    ))  # fmt: skip


LONG = pytest.mark.engines  # one small table is enough for make test


@pytest.fixture(
    scope="module", params=[pytest.param(1, marks=LONG), 3, pytest.param(17, marks=LONG)]
)
def rows(request: Any, table: pd.DataFrame) -> Any:
    return cut(table, request.param)


@pytest.fixture(params=["synchronous", pytest.param("threads", marks=LONG)])
def scheduler(request: Any) -> Any:
    with dask.config.set(scheduler=request.param, num_workers=2):
        yield


def test_complete(rows: Any, model: Any, scheduler: None) -> None:
    lazy = hd.complete(rows, model)
    found = lazy.compute()
    assert_frame_equal(found, complete(rows.compute(), model))
    assert_frame_equal(found.iloc[:0], lazy._meta)
    for k in range(lazy.npartitions):
        assert_frame_equal(lazy.partitions[k].compute().iloc[:0], lazy._meta)


@pytest.mark.parametrize("method", METHODS)
def test_answers(rows: Any, model: Any, method: str) -> None:
    lazy = getattr(hd, method)(rows, model)
    found = lazy.compute(scheduler="synchronous")
    assert_frame_equal(pd.DataFrame(found.iloc[:0]), pd.DataFrame(lazy._meta))
    whole = rows.compute(scheduler="synchronous")
    expected = np.asarray(getattr(model, method)(whole[FEATURES]))
    if method == "predict_interval":
        expected = expected[:, [c.is_number for c in model.schema_.features]]
    expected = expected.reshape(len(whole), -1)
    np.testing.assert_array_equal(found.to_numpy().reshape(expected.shape), expected)
    assert found.index.equals(whole.index)


def test_draws_are_those_of_the_whole(rows: Any, model: Any) -> None:
    lazy = hd.impute(rows, model, n_draws=2, random_state=3)
    found = lazy.compute(scheduler="synchronous")
    assert_frame_equal(found.iloc[:0], lazy._meta)
    X = rows.compute(scheduler="synchronous")[FEATURES]
    for draw, expected in enumerate(model.impute(X, 2, 3)):
        assert_frame_equal(found.loc[found.draw == draw, FEATURES], expected)


def test_the_model_is_one_node_of_the_graph(rows: Any, model: Any, model_path: str) -> None:
    graph = dict(hd.complete(rows, model).optimize().__dask_graph__())
    assert sum("halfseen-model" in str(key) for key in graph) == 1
    from_path = hd.predict_proba(rows, model_path).compute(scheduler="synchronous")
    of_model = hd.predict_proba(rows, model).compute(scheduler="synchronous")
    assert_frame_equal(from_path, of_model)


def test_types_that_partitions_would_decide_are_refused(table: pd.DataFrame, model: Any) -> None:
    with dask.config.set({"dataframe.convert-string": False}):
        rows = dd.from_pandas(table.astype({"flag": object}), npartitions=2, sort=False)
    with pytest.raises(TypeError, match=r"'flag' has the type object.*Convert it"):
        hd.complete(rows, model)
    unknown = dd.from_pandas(table, npartitions=2, sort=False)
    unknown["colour"] = unknown["colour"].cat.as_unknown()
    assert_frame_equal(
        hd.complete(unknown, model).compute(scheduler="synchronous").astype({"colour": str}),
        complete(table, model).astype({"colour": str}), check_dtype=False,
    )  # fmt: skip
    with pytest.raises(TypeError, match=r"'colour' are unknown.*categorize"):
        hd.DaskHalfseenImputer().fit(unknown)


def test_an_imputer_has_nothing_to_predict(rows: Any, table: pd.DataFrame) -> None:
    imputer = RBMImputer(n_iter=2, random_state=0).fit(table[["number", "count"]])
    with pytest.raises(TypeError, match="RBMImputer has no target"):
        hd.predict(rows, imputer)


@pytest.fixture
def quick() -> Any:
    """A wrapper of the paper's imputer, which is quick to fit."""
    return type("Quick", (hd.DaskHalfseenImputer,), {"_estimator": RBMImputer})


@pytest.mark.parametrize("n_partitions", [pytest.param(1, marks=LONG), 7])
def test_a_fit_that_reads_all_rows_is_the_local_fit(
    table: pd.DataFrame, quick: Any, n_partitions: int
) -> None:
    X = cut(table[["number", "count", "id"]], n_partitions)[["number", "count"]]
    with dask.config.set(scheduler="synchronous"):
        found = quick(n_iter=2, random_state=0).fit(X).to_local()
        whole = X.compute().reset_index(drop=True)
    local = RBMImputer(n_iter=2, random_state=0).fit(whole)
    np.testing.assert_array_equal(found.transform(whole), local.transform(whole))


def test_partitions_of_other_lengths_are_refused(table: pd.DataFrame) -> None:
    X, y = (dd.from_pandas(table, npartitions=k, sort=False) for k in (2, 3))
    y = y.partitions[:2]
    classifier = hd.DaskHalfseenClassifier()
    with dask.config.set(scheduler="synchronous"), pytest.raises(ValueError, match="align them"):
        classifier.fit(X[FEATURES], y[LABELS])
