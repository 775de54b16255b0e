"""What scikit-learn's users rely on: containers, pipelines, clones, searches, pickles."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from estimators.bits import answers, assert_same_bits, assert_same_model
from estimators.tables import LIGHT
from halfseen import HalfseenClassifier, HalfseenImputer, ObservedStratifiedKFold, observed_scorer


def as_objects(table: pd.DataFrame) -> NDArray[Any]:
    cells = table.astype(object).to_numpy()
    return np.where(pd.isna(cells), None, cells)


def as_polars(table: pd.DataFrame) -> pl.DataFrame:
    columns = {name: table[name].astype(object).where(table[name].notna(), None) for name in table}
    return pl.DataFrame({name: column.tolist() for name, column in columns.items()})


CONTAINERS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda table: table,
    "pandas with types": lambda table: table.astype(
        {"size": "Float64", "weight": "Float64", "sold": "Int64", "colour": "category"}
    ),
    "pandas with text": lambda table: table.astype({"colour": "string", "sold": "boolean"}),
    "polars": as_polars,
    "pyarrow": lambda table: as_polars(table).to_arrow(),
    "objects": as_objects,
    "list": lambda table: as_objects(table).tolist(),
}


@pytest.mark.parametrize("container", CONTAINERS)
def test_containers(
    container: str, table: pd.DataFrame, classes: NDArray[Any], of_classes: HalfseenClassifier
) -> None:
    X = CONTAINERS[container](table)
    model = HalfseenClassifier(**LIGHT).fit(X, classes)
    # One table, one model, whatever it comes in.
    assert_same_bits(model.machine_.weights, of_classes.machine_.weights)
    assert_same_bits(model.predict_proba(X), of_classes.predict_proba(table))
    filled = model.transform(X)
    expected = of_classes.transform(table)
    if isinstance(X, list):
        assert isinstance(filled, np.ndarray)
    else:
        assert type(filled) is type(X)
    if hasattr(X, "columns"):
        names = filled.column_names if isinstance(filled, pa.Table) else list(filled.columns)
        assert names == list(table.columns)
        assert model.n_features_in_ == 4
    if not isinstance(X, list | np.ndarray | pa.Table):
        assert model.feature_names_in_.tolist() == list(table.columns)
        assert model.get_feature_names_out().tolist() == list(table.columns)
    rows = filled.to_pylist() if isinstance(filled, pa.Table) else None
    cells = (
        pd.DataFrame(rows)
        if rows is not None
        else pd.DataFrame(np.asarray(filled, dtype=object), columns=table.columns)
    )
    for name in ("size", "weight"):
        assert_same_bits(cells[name].to_numpy(dtype=float), expected[name].to_numpy())
    assert cells["colour"].tolist() == expected["colour"].tolist()


@pytest.mark.parametrize("container", CONTAINERS)
def test_observed_cells_come_back_and_input_is_not_touched(
    container: str, table: pd.DataFrame, of_classes: HalfseenClassifier
) -> None:
    X = CONTAINERS[container](table)
    before = pickle.loads(pickle.dumps(X))
    if hasattr(X, "columns"):
        filled = of_classes.transform(X)
    else:
        filled = clone(of_classes).fit(X, ["low", "mid", "high"] + [None] * 37).transform(X)
    if isinstance(X, list | pa.Table):
        assert pickle.dumps(X) == pickle.dumps(before)
    else:
        assert_same_bits(X, before)
    flat, given = (
        pd.DataFrame(np.asarray(pd.DataFrame(t.to_pylist()) if isinstance(t, pa.Table) else t))
        for t in (filled, X)
    )
    for j, name in enumerate(table):
        seen = table[name].notna().to_numpy()
        assert flat[j][seen].tolist() == given[j][seen].tolist()
        assert flat[j].notna().all()


def test_fit_transform_is_fit_and_transform(
    table: pd.DataFrame,
    wide: pd.DataFrame,
    classes: NDArray[Any],
    of_classes: HalfseenClassifier,
    imputer: HalfseenImputer,
) -> None:
    fitted = HalfseenClassifier(**LIGHT).fit_transform(table, classes)
    assert_same_bits(fitted, of_classes.transform(table))
    assert_same_bits(HalfseenImputer(**LIGHT).fit_transform(wide), imputer.transform(wide))


@pytest.mark.parametrize("kind", ["classes", "labels", "outputs"])
def test_same_seed_same_fit(
    kind: str, tables: dict[str, pd.DataFrame], request: pytest.FixtureRequest
) -> None:
    table = tables[kind]
    y = request.getfixturevalue(kind)
    first = request.getfixturevalue(f"of_{kind}")
    again = HalfseenClassifier(**LIGHT).fit(table, y)
    assert_same_model(first, again)
    assert_same_bits(answers(first, table, y), answers(again, table, y))
    other = HalfseenClassifier(**LIGHT | {"random_state": 1}).fit(table, y)
    assert not np.array_equal(first.machine_.weights, other.machine_.weights)


def test_random_state_is_drawn_from(wide: pd.DataFrame) -> None:
    random = np.random.RandomState(0)
    one = HalfseenImputer(**LIGHT | {"random_state": random}).fit(wide)
    other = HalfseenImputer(**LIGHT | {"random_state": random}).fit(wide)
    same = HalfseenImputer(**LIGHT | {"random_state": np.random.RandomState(0)}).fit(wide)
    assert_same_bits(one.machine_.weights, same.machine_.weights)
    assert not np.array_equal(one.machine_.weights, other.machine_.weights)
    HalfseenImputer(**LIGHT | {"random_state": None}).fit(wide)


def test_clone_and_parameters(of_classes: HalfseenClassifier) -> None:
    parameters = LIGHT | {"column_kinds": {"sold": "binary"}, "threshold": 0.3}
    copy = clone(HalfseenClassifier(**parameters))
    assert not hasattr(copy, "machine_")
    assert {name: copy.get_params()[name] for name in parameters} == parameters
    assert copy.set_params(n_hidden=9).n_hidden == 9
    assert clone(of_classes).get_params() == of_classes.get_params()


def test_last_step_of_a_pipeline(
    table: pd.DataFrame, classes: NDArray[Any], of_classes: HalfseenClassifier
) -> None:
    pipeline = make_pipeline(FunctionTransformer(), HalfseenClassifier(**LIGHT)).fit(table, classes)
    assert_same_bits(pipeline.predict_proba(table), of_classes.predict_proba(table))
    assert pipeline.score(table, classes) == of_classes.score(table, classes)
    assert pipeline.classes_.tolist() == of_classes.classes_.tolist()


def test_middle_step_of_a_pipeline(wide: pd.DataFrame, imputer: HalfseenImputer) -> None:
    numbers = FunctionTransformer(lambda X: X[["size", "weight", "sold"]])
    last = LogisticRegression()
    y = np.arange(40) % 2
    pipeline = make_pipeline(HalfseenImputer(**LIGHT), numbers, last).fit(wide, y)
    assert pipeline.predict(wide).shape == (40,)
    assert_same_bits(pipeline[0].transform(wide), imputer.transform(wide))


@pytest.mark.parametrize("container", ["pandas", "polars", "objects"])
def test_set_output(container: str, wide: pd.DataFrame, imputer: HalfseenImputer) -> None:
    X = CONTAINERS[container](wide)
    names = [f"x{j}" for j in range(6)] if container == "objects" else list(wide.columns)
    expected = imputer.transform(wide)
    for library, frame in (("pandas", pd.DataFrame), ("polars", pl.DataFrame)):
        model = HalfseenImputer(**LIGHT).set_output(transform=library)
        for filled in (model.fit(X).transform(X), model.fit_transform(X)):
            assert type(filled) is frame
            assert list(filled.columns) == names
            for name, column in zip(names, wide.columns, strict=True):
                assert filled[name].to_list() == expected[column].to_list()
    default = HalfseenImputer(**LIGHT).set_output(transform="default").fit(X)
    assert type(default.transform(X)) is type(X)


def test_pickle(
    of_classes: HalfseenClassifier,
    table: pd.DataFrame,
    wide: pd.DataFrame,
    classes: NDArray[Any],
    imputer: HalfseenImputer,
) -> None:
    again = pickle.loads(pickle.dumps(of_classes))
    assert_same_model(of_classes, again)
    assert_same_bits(answers(again, table, classes), answers(of_classes, table, classes))
    assert_same_bits(pickle.loads(pickle.dumps(imputer)).transform(wide), imputer.transform(wide))


def test_pickle_between_parts(table: pd.DataFrame, classes: NDArray[Any]) -> None:
    model = HalfseenClassifier(**LIGHT).partial_fit(table[:20], classes[:20])
    again = pickle.loads(pickle.dumps(model))
    for one in (model, again):
        one.partial_fit(table[20:], classes[20:])
    assert_same_model(model, again)


@pytest.mark.parametrize("kind", ["classes", "labels", "outputs"])
def test_cross_validation_with_unknown_labels(
    kind: str, tables: dict[str, pd.DataFrame], request: pytest.FixtureRequest
) -> None:
    table = tables[kind]
    y = request.getfixturevalue(kind)
    score = "hamming_accuracy" if kind == "labels" else "accuracy"
    folds = ObservedStratifiedKFold(n_splits=3, random_state=0)
    for name in (score, "neg_log_loss"):
        scores = cross_val_score(
            HalfseenClassifier(**LIGHT), table, y, cv=folds, scoring=observed_scorer(name)
        )
        assert np.isfinite(scores).all()
        assert len(scores) == 3


def test_grid_search_with_unknown_labels(table: pd.DataFrame, classes: NDArray[Any]) -> None:
    search = GridSearchCV(
        HalfseenClassifier(**LIGHT),
        {"learning_rate": np.array([0.001, 0.02]), "n_sweeps": np.array([6])},
        cv=ObservedStratifiedKFold(n_splits=2, random_state=0),
        scoring=observed_scorer("roc_auc"),
        error_score="raise",
    ).fit(table, classes)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.predict(table).shape == (40,)
    with_default_score = cross_val_score(HalfseenClassifier(**LIGHT), table, classes, cv=KFold(2))
    assert np.isfinite(with_default_score).all()


def test_tags() -> None:
    classifier = HalfseenClassifier().__sklearn_tags__()
    imputer = HalfseenImputer().__sklearn_tags__()
    assert classifier.classifier_tags.multi_label
    assert not classifier.target_tags.multi_output
    assert classifier.target_tags.required
    assert not imputer.target_tags.required
    for tags in (classifier, imputer):
        assert tags.input_tags.allow_nan
        assert tags.input_tags.string
        assert tags.input_tags.categorical
        assert not tags.input_tags.sparse
