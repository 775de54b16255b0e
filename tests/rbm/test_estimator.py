"""RBMClassifier and RBMImputer as users see them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from halfseen import (
    PAPER_LITERAL,
    DivergenceError,
    ModelFileError,
    RBMClassifier,
    RBMImputer,
    TrainingInterrupted,
    load,
)
from halfseen.model_file import read_model_file, write_model_file
from rbm.tables import KINDS, LIGHT, mixed_table, targets

TABLE = mixed_table()
NEW = mixed_table(70, seed=7, missing=0.4)


@pytest.fixture(scope="module")
def models() -> dict[str, RBMClassifier]:
    return {kind: RBMClassifier(**LIGHT).fit(TABLE, targets(TABLE, kind)) for kind in KINDS}


@pytest.fixture(scope="module")
def imputer() -> RBMImputer:
    return RBMImputer(**LIGHT).fit(TABLE)


def plain(answer: Any) -> list[np.ndarray]:
    """Arrays of an answer, whatever it came in."""
    if isinstance(answer, tuple | list):
        return [array for part in answer for array in plain(part)]
    return [] if answer is None else [np.asarray(pd.DataFrame(answer).astype(object))]


def answers(model: Any, X: Any, first_row: int = 0) -> list[np.ndarray]:
    """Everything that a model says of rows."""
    found = [model.transform(X), model.predict_interval(X), model.score_samples(X)]
    found[1] = found[1].reshape(len(X), -1)
    found.append(model.impute(X, 2, first_row=first_row))
    if isinstance(model, RBMClassifier):
        sets = model.predict_set(X)
        found += [model.predict(X), model.predict_proba(X), model.complete(X)]
        found += [[s.reshape(len(X), -1) for s in (sets if isinstance(sets, list) else [sets])]]
    return plain(found)


def assert_same(some: list[np.ndarray], others: list[np.ndarray]) -> None:
    assert len(some) == len(others)
    for one, other in zip(some, others, strict=True):
        pd.testing.assert_frame_equal(pd.DataFrame(one), pd.DataFrame(other), check_exact=True)


@pytest.mark.parametrize("kind", KINDS)
def test_shapes_and_values(models: dict[str, RBMClassifier], kind: str) -> None:
    model, n = models[kind], len(NEW)
    proba, predicted = model.predict_proba(NEW), model.predict(NEW)
    n_classes = {"binary": 2, "multiclass": 3, "multilabel": 3}.get(kind)
    if kind == "multioutput":
        assert [p.shape for p in proba] == [(n, 3), (n, 2)]
        assert predicted.shape == (n, 2)
        assert [s.shape for s in model.predict_set(NEW)] == [(n, 3), (n, 2)]
    else:
        assert proba.shape == (n, n_classes)
        shape = (n, 3, 2) if kind == "multilabel" else (n, n_classes)
        sets = model.predict_set(NEW)
        assert sets.shape == shape
        assert sets.dtype == bool
        assert sets.any(axis=-1).all()
    if kind in ("binary", "multiclass"):
        np.testing.assert_allclose(proba.sum(axis=1), 1.0)
        np.testing.assert_array_equal(predicted, model.classes_[proba.argmax(axis=1)])
    assert 0 <= model.score(NEW, predicted) == 1.0
    completion = model.complete(TABLE, targets(TABLE, kind))
    assert completion.X["size"].notna().all()
    assert not pd.isna(np.asarray(completion.y, dtype=object)).any()


def test_numbers_and_text_that_writes_them_are_one_class() -> None:
    y = np.where(targets(TABLE, "binary", unknown=0.0) == "low", 0, 1)
    model = RBMClassifier(**LIGHT).fit(TABLE, y)
    score = model.score(TABLE, y)
    for same in (y.astype(float), y.astype(str), y.astype(bool), pd.Series(y).astype("category")):
        assert model.score(TABLE, same) == score
    weights = (model.predict(TABLE) == y).astype(float)
    assert model.score(TABLE, y, sample_weight=weights) == 1.0
    assert model.score(TABLE, np.full(60, 7)) == 0.0  # a class that training had not
    assert model.complete(TABLE, np.where(y, "1", "0")).y.tolist() == y.astype(str).tolist()


def test_targets_of_numbers_and_of_text_stay_what_they_are() -> None:
    y = pd.DataFrame({"grade": [1, 2, 3] * 20, "word": ["x", None, "y"] * 20, "on": [True] * 60})
    y.loc[::2, "on"] = False
    model = RBMClassifier(**LIGHT).fit(TABLE, y)
    for found in (model.predict(TABLE), model.sample(20).y):
        assert [{type(cell) for cell in column} for column in found.T] == [{int}, {str}, {bool}]
    assert model.score(TABLE, model.predict(TABLE)) == 1.0


@pytest.mark.parametrize("kind", KINDS)
def test_known_targets_are_kept(models: dict[str, RBMClassifier], kind: str) -> None:
    y = targets(TABLE, kind)
    known = pd.notna(y)
    completion = models[kind].complete(TABLE, y)
    np.testing.assert_array_equal(np.asarray(completion.y)[known], np.asarray(y)[known])
    if kind == "multilabel":
        np.testing.assert_array_equal(completion.proba[known], y[known])


@pytest.mark.parametrize("kind", KINDS)
def test_no_answer_depends_on_order_chunks_or_company(
    models: dict[str, RBMClassifier], kind: str
) -> None:
    model = models[kind]
    whole = answers(model, NEW)
    parts = [answers(model, NEW[i : i + 23], first_row=i) for i in range(0, len(NEW), 23)]
    assert_same(whole, [np.concatenate(pieces) for pieces in zip(*parts, strict=True)])
    backwards = NEW[::-1].reset_index(drop=True)
    np.testing.assert_array_equal(
        np.asarray(model.transform(backwards)["size"])[::-1],
        np.asarray(model.transform(NEW)["size"]),
    )
    np.testing.assert_array_equal(model.score_samples(backwards)[::-1], model.score_samples(NEW))


@pytest.mark.parametrize("completion", ["mean_field", "tap", "gibbs"])
def test_every_completion_keeps_rows_apart(completion: str) -> None:
    model = RBMImputer(**LIGHT, completion=completion).fit(TABLE)
    whole = model.transform(NEW)
    pd.testing.assert_frame_equal(model.transform(NEW[40:]), whole[40:], check_exact=True)
    assert np.isfinite(whole["size"]).all()


def test_values_behind_missing_entries_are_not_read(imputer: RBMImputer) -> None:
    hidden = np.random.default_rng(0).random((60, 3)) < 0.3
    numbers = np.random.default_rng(1).normal(size=(60, 3))
    masked = np.ma.array(np.where(hidden, 1e300, numbers), mask=hidden)
    plain_table = np.where(hidden, np.nan, numbers)
    one = RBMImputer(**LIGHT).fit(masked).transform(plain_table)
    np.testing.assert_array_equal(one, RBMImputer(**LIGHT).fit(plain_table).transform(plain_table))


def test_the_same_seed_gives_the_same_model(models: dict[str, RBMClassifier]) -> None:
    again = clone(models["multiclass"]).fit(TABLE, targets(TABLE, "multiclass"))
    assert_same(answers(again, NEW), answers(models["multiclass"], NEW))
    other = clone(again).set_params(random_state=1).fit(TABLE, targets(TABLE, "multiclass"))
    assert (other.rbm_.weights != again.rbm_.weights).any()


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_model_answers_alike(
    models: dict[str, RBMClassifier], kind: str, tmp_path: Path
) -> None:
    models[kind].save(tmp_path / "model.safetensors")
    loaded = load(tmp_path / "model.safetensors")
    assert loaded.get_params() == models[kind].get_params()
    assert_same(answers(loaded, NEW), answers(models[kind], NEW))
    loaded.save(tmp_path / "again.safetensors")
    bytes_of = [(tmp_path / f"{name}.safetensors").read_bytes() for name in ("model", "again")]
    assert bytes_of[0] == bytes_of[1]


def test_saved_parameters_fit_the_same_columns(tmp_path: Path) -> None:
    types = {"colour": ("categorical", ["red", "green", "blue"]), 0: "numeric"}
    parameters = LIGHT | {"n_iter": np.int64(2), "learning_rate": np.float32(0.05)}
    model = RBMImputer(**parameters, feature_types=types).fit(TABLE)
    model.save(tmp_path / "model.safetensors")
    loaded = load(tmp_path / "model.safetensors")
    assert list(loaded.feature_types) == ["colour", 0]
    assert (type(loaded.n_iter), type(loaded.learning_rate)) == (int, float)
    assert clone(loaded).fit(TABLE).schema_ == model.schema_


def test_a_model_file_of_wrong_shapes_is_refused(
    models: dict[str, RBMClassifier], tmp_path: Path
) -> None:
    path = tmp_path / "model.safetensors"
    models["multilabel"].save(path)
    content = read_model_file(path)
    for change in (
        {"weights": content.arrays["weights"][:, :-1]},
        {"weights": content.arrays["weights"] * np.float32(np.nan)},
        {"hidden_bias": content.arrays["hidden_bias"].astype(np.float64)},
        {"thresholds": content.arrays["thresholds"][:-1]},
    ):
        write_model_file(path, content.kind, content.document, content.arrays | change)
        with pytest.raises(ModelFileError, match=f"RBMClassifier .*{next(iter(change))}"):
            load(path)


def test_containers_come_back(imputer: RBMImputer) -> None:
    numbers = TABLE[["size", "income"]].to_numpy(dtype=float, na_value=np.nan)
    array = RBMImputer(**LIGHT).fit(numbers)
    assert isinstance(array.transform(numbers), np.ndarray)
    assert array.sample(3).X.shape == (3, 2)
    frame = pl.DataFrame({"a": [1, 2, None, 4] * 5, "b": ["x", None, "y", "x"] * 5})
    model = RBMImputer(**LIGHT).fit(frame)
    filled = model.transform(frame)
    assert filled.schema == frame.schema
    assert filled.null_count().sum_horizontal().item() == 0
    assert model.sample(4).X.schema == frame.schema
    arrow = frame.to_arrow()
    assert RBMImputer(**LIGHT).fit(arrow).transform(arrow).schema == arrow.schema
    sample = imputer.sample(5).X
    assert list(sample.columns) == list(TABLE.columns)
    assert sample["count"].dtype == "Int64"
    assert set(sample["colour"]) <= {"red", "green", "blue"}


def test_observed_values_are_never_changed(imputer: RBMImputer) -> None:
    large = pd.DataFrame({"n": pd.array([2**60 + 1, None, 7, 2**60 + 3] * 8, dtype="Int64")})
    large["x"] = np.arange(32.0)
    filled = RBMImputer(**LIGHT).fit(large).transform(large)
    known = large["n"].notna()
    assert filled["n"][known].tolist() == large["n"][known].tolist()
    assert filled["n"].dtype == "Int64"
    for draw in imputer.impute(NEW, 3):
        seen = NEW.notna()
        pd.testing.assert_frame_equal(draw.where(seen), NEW.where(seen), check_exact=True)


def test_draws_stay_within_the_support(imputer: RBMImputer) -> None:
    for draw in imputer.impute(NEW, 5):
        assert draw["income"].min() >= min(TABLE["income"].min(), NEW["income"].min())
        assert set(draw["colour"]) <= {"red", "green", "blue"}
        assert draw["count"].dtype == "Int64"


def test_draws_differ_and_are_repeatable(imputer: RBMImputer) -> None:
    first, second = imputer.impute(NEW, 2)
    assert (first["size"] != second["size"]).any()
    pd.testing.assert_frame_equal(imputer.impute(NEW, 1)[0], first)
    other = imputer.impute(NEW, 1, random_state=5)[0]
    assert (other["size"] != first["size"]).any()


def test_intervals_hold_what_they_promise() -> None:
    table = mixed_table(600, seed=3, missing=0.0)
    model = RBMImputer(**LIGHT | {"n_iter": 10}).fit(table)
    new = mixed_table(300, seed=4, missing=0.0)
    hidden = np.random.default_rng(0).random(new.shape) < 0.3
    bounds = model.predict_interval(new.mask(hidden), coverage=0.8)
    for j, name in enumerate(("size", "income", "count")):
        truth = new[name].to_numpy(dtype=float)
        inside = (bounds[:, j, 0] <= truth) & (truth <= bounds[:, j, 1])
        assert inside[~hidden[:, j]].all()
        assert 0.65 < inside[hidden[:, j]].mean() < 0.95
    assert np.isnan(bounds[:, 3]).all()


def test_without_held_out_entries_there_are_no_intervals() -> None:
    model = RBMImputer(**LIGHT | {"validation_fraction": 0.0}).fit(TABLE)
    with pytest.raises(ValueError, match=r"validation_fraction above 0"):
        model.predict_interval(NEW)


def test_learning_works() -> None:
    table = mixed_table(400, seed=5, missing=0.3)
    y = targets(table, "binary", unknown=0.5)
    model = RBMClassifier(**LIGHT | {"n_iter": 30}).fit(table, y)
    new = mixed_table(300, seed=6, missing=0.2)
    assert model.score(new, targets(new, "binary", unknown=0.0)) > 0.8
    sizes = model.transform(new.assign(size=np.nan))["size"]
    known = new["size"].notna()
    assert np.corrcoef(sizes[known], new["size"][known])[0, 1] > 0.7
    assert (
        model.score_samples(new).mean() > model.score_samples(new.assign(size=-new["size"])).mean()
    )


def test_early_stopping_keeps_the_best_machine() -> None:
    records: list[Any] = []
    model = RBMClassifier(
        **LIGHT | {"n_iter": 40, "learning_rate": 0.3}, early_stopping=True, n_iter_no_change=3
    ).fit(TABLE, targets(TABLE, "multiclass"), callbacks=[records.append])
    losses = [record.validation_loss for record in model.history_]
    assert records == model.history_
    assert model.n_iter_ == len(losses) < 40
    assert int(np.argmin(losses)) == len(losses) - 4


def test_the_rule_of_the_paper_needs_the_true_labels() -> None:
    y, truth = targets(TABLE, "multilabel"), targets(TABLE, "multilabel", unknown=0.0)
    model = RBMClassifier(**LIGHT, early_stopping="peeking", n_iter_no_change=2)
    with pytest.raises(ValueError, match="y_true"):
        model.fit(TABLE, y)
    assert model.fit(TABLE, y, y_true=truth).history_[0].validation_loss < 1
    with pytest.raises(ValueError, match="y_true holds no label"):
        model.fit(TABLE, y, y_true=y)


def test_the_literal_paper_is_one_dictionary() -> None:
    model = RBMClassifier(**PAPER_LITERAL | {"n_iter": 2, "random_state": 0})
    y, truth = targets(TABLE, "multiclass"), targets(TABLE, "multiclass", unknown=0.0)
    assert model.fit(TABLE, y, y_true=truth).n_iter_ == 2
    assert model.rbm_.layer.group_sizes == (3,)  # the colours; classes are units of their own


def test_callbacks_end_training_and_the_keyboard_does() -> None:
    model = RBMImputer(**LIGHT | {"n_iter": 30})
    assert model.fit(TABLE, callbacks=[lambda record: record.epoch == 2]).n_iter_ == 3
    weights = np.asarray(model.rbm_.weights)

    def interrupt(record: Any) -> None:
        if record.epoch == 2:
            raise KeyboardInterrupt

    with pytest.warns(TrainingInterrupted, match="3 epochs"):
        model.fit(TABLE, callbacks=[interrupt])
    np.testing.assert_array_equal(model.rbm_.weights, weights)
    assert model.transform(NEW)["size"].notna().all()


def test_a_fit_that_fails_leaves_no_model() -> None:
    def fail(_: Any) -> None:
        raise OSError("no more")

    model = RBMImputer(**LIGHT).fit(TABLE)
    with pytest.raises(OSError, match="no more"):
        model.fit(TABLE, callbacks=[fail])
    with pytest.raises(NotFittedError):
        model.transform(TABLE)
    assert model.partial_fit(TABLE).n_iter_ == 1


def test_divergence_is_an_error_that_says_what_to_do() -> None:
    model = RBMImputer(**LIGHT | {"learning_rate": 1e9, "momentum": 0.9})
    with pytest.raises(DivergenceError, match="smaller learning_rate"):
        model.fit(TABLE)


def test_tables_in_parts() -> None:
    y = targets(TABLE, "multiclass")
    model = RBMClassifier(**LIGHT)
    for _ in range(3):
        for part in (slice(0, 30), slice(30, 60)):
            model.partial_fit(TABLE[part], y[part])
    assert model.n_iter_ == 6
    assert model.predict(NEW).shape == (70,)
    first = RBMClassifier(**LIGHT).partial_fit(TABLE[:3], [None] * 3, classes=["a", "b", "c"])
    assert first.classes_.tolist() == ["a", "b", "c"]
    assert RBMImputer(**LIGHT).partial_fit(TABLE).partial_fit(NEW).n_iter_ == 2


def test_thresholds_of_labels() -> None:
    y = targets(TABLE, "multilabel")
    each = RBMClassifier(**LIGHT).fit(TABLE, y)
    shared = RBMClassifier(**LIGHT, threshold="shared").fit(TABLE, y)
    fixed = RBMClassifier(**LIGHT, threshold=0.3).fit(TABLE, y)
    assert len(set(shared.thresholds_)) == 1
    assert fixed.thresholds_.tolist() == [0.3] * 3
    known = ~np.isnan(y)

    def accuracy(model: RBMClassifier) -> float:
        return float(((model.predict_proba(TABLE) > model.thresholds_) == y)[known].mean())

    assert accuracy(each) >= accuracy(shared) >= accuracy(fixed)


def test_several_machines_are_averaged() -> None:
    model = RBMClassifier(**LIGHT, n_estimators=3).fit(TABLE, targets(TABLE, "binary"))
    assert model.rbm_.weights.shape[0] == 3
    assert (model.rbm_.weights[0] != model.rbm_.weights[1]).any()
    whole = answers(model, NEW)
    parts = [answers(model, NEW[i : i + 40], first_row=i) for i in (0, 40)]
    assert_same(whole, [np.concatenate(pieces) for pieces in zip(*parts, strict=True)])


def test_a_blank_row_is_an_ordinary_row(imputer: RBMImputer) -> None:
    blank = NEW[:1].mask(np.ones((1, 5), bool))
    assert imputer.transform(blank)["size"].notna().all()
    np.testing.assert_allclose(imputer.score_samples(blank), 0.0, atol=1e-3)


def test_wrong_columns_raise_what_scikit_learn_raises(imputer: RBMImputer) -> None:
    with pytest.raises(ValueError, match="feature names should match"):
        imputer.transform(TABLE[["income", "size", "count", "colour", "sold"]])
    with pytest.raises(ValueError, match="feature names should match"):
        imputer.transform(TABLE.drop(columns="size"))


@pytest.mark.parametrize(
    ("parameters", "match"),
    [
        ({"n_components": 0}, "n_components"),
        ({"chain_start": "anywhere"}, "chain_start"),
        ({"validation_fraction": 0.9}, "validation_fraction"),
        ({"feature_types": {"weight": "numeric"}}, "unknown column 'weight'"),
    ],
)
def test_wrong_parameters(parameters: dict[str, Any], match: str) -> None:
    with pytest.raises(ValueError, match=match):
        RBMImputer(**parameters).fit(TABLE)


@pytest.mark.parametrize("X", [{"a": [1, 2]}, "table.csv", None, 5])
def test_what_is_no_table_is_refused_in_plain_words(X: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=re.compile("table|array", re.IGNORECASE)):
        RBMImputer().fit(X)


def test_numbers_as_target_are_refused() -> None:
    with pytest.raises(ValueError, match=r"Unknown label type: continuous.*Bin the values"):
        RBMClassifier().fit(TABLE, np.linspace(0, 1, 60))
    with pytest.raises(ValueError, match="requires y"):
        RBMClassifier().fit(TABLE, None)


def test_one_outlier_does_not_ruin_a_column() -> None:
    table = pd.DataFrame({"a": np.random.default_rng(0).normal(size=100)})
    table["b"] = table["a"] + 0.1
    table.loc[3, "a"], table.loc[10:40, "a"] = 1e6, np.nan
    with pytest.warns(UserWarning, match=r"column 'a', row 3: 1000000\.0"):
        model = RBMImputer(**LIGHT).fit(table)
    assert model.transform(table)["a"].drop(3).abs().max() < 5
    assert model.transform(table)["a"][3] == 1e6


def test_arrow_tables_of_large_integers() -> None:
    table = pa.table({"n": pa.array([2**60 + 1, None, 5] * 5), "x": pa.array([0.5, 1.5, None] * 5)})
    filled = RBMImputer(**LIGHT).fit(table).transform(table)
    assert filled["n"].to_pylist()[0] == 2**60 + 1
    assert filled["n"].null_count == 0
