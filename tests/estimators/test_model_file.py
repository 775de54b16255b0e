"""Saving and loading: the same answers, or an error that says what is wrong."""

from __future__ import annotations

import copy
import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from estimators.bits import answers, assert_same_bits, assert_same_model
from estimators.golden import VERSIONS, answers_of, model_of
from estimators.tables import LIGHT
from halfseen import HalfseenClassifier, HalfseenImputer, load
from halfseen.estimators import model_file
from halfseen.learning.history import EpochRecord, History
from halfseen.storage import (
    DamagedFile,
    NewerFile,
    NotOurFile,
    SealError,
    WrongKind,
    read_sealed,
    write_sealed,
)

OBJECTIVES = {1: "data_started_cd"} | dict.fromkeys(range(2, 9), "predictive")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory, of_labels: HalfseenClassifier) -> Path:
    path: Path = tmp_path_factory.mktemp("models") / "model.safetensors"
    of_labels.save(path)
    return path


@pytest.mark.parametrize("kind", ["classes", "labels", "outputs"])
def test_same_answers(
    kind: str,
    tables: dict[str, pd.DataFrame],
    tmp_path: Path,
    request: pytest.FixtureRequest,
) -> None:
    table = tables[kind]
    model: HalfseenClassifier = request.getfixturevalue(f"of_{kind}")
    y = request.getfixturevalue(kind)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert type(again) is HalfseenClassifier
    assert_same_model(model, again)
    assert_same_bits(answers(model, table, y), answers(again, table, y))
    assert again.feature_names_in_.tolist() == list(table.columns)
    assert again.n_features_in_ == table.shape[1]
    assert again.history_ == model.history_
    assert again.get_params() == model.get_params()
    assert again.score(table, y) == model.score(table, y)


def test_same_answers_of_an_imputer(
    imputer: HalfseenImputer, wide: pd.DataFrame, tmp_path: Path
) -> None:
    imputer.save(str(tmp_path / "model"))
    again = load(str(tmp_path / "model"))
    assert type(again) is HalfseenImputer
    assert_same_model(imputer, again)
    assert_same_bits(again.transform(wide), imputer.transform(wide))
    assert_same_bits(again.sample(5).tolist(), imputer.sample(5).tolist())


def test_same_log_probability(
    of_classes: HalfseenClassifier, table: pd.DataFrame, tmp_path: Path
) -> None:
    of_classes.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert_same_bits(again.score_samples(table[:9]), of_classes.score_samples(table[:9]))


def test_a_loaded_model_learns_on(
    of_classes: HalfseenClassifier, table: pd.DataFrame, classes: NDArray[Any], tmp_path: Path
) -> None:
    of_classes.save(tmp_path / "model")
    again = load(tmp_path / "model").partial_fit(table, classes)
    assert again.n_iter_ == of_classes.n_iter_ + 1
    assert not np.array_equal(again.machine_.weights, of_classes.machine_.weights)
    refitted = load(tmp_path / "model").fit(table, classes)
    assert_same_model(refitted, of_classes)


def test_after_parts(table: pd.DataFrame, classes: NDArray[Any], tmp_path: Path) -> None:
    model = HalfseenClassifier(**LIGHT).partial_fit(table, classes)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert_same_model(model, again)
    assert again.history_ == History()


def test_array_without_names(wide: pd.DataFrame, tmp_path: Path) -> None:
    X = wide.astype(object).to_numpy()
    model = HalfseenImputer(**LIGHT).fit(X)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert not hasattr(again, "feature_names_in_")
    assert_same_bits(again.transform(X).tolist(), model.transform(X).tolist())


def test_numbers_of_numpy_can_be_saved(wide: pd.DataFrame, tmp_path: Path) -> None:
    parameters = LIGHT | {
        "n_hidden": np.int64(4),
        "learning_rate": np.float64(0.02),
        "column_kinds": {np.int64(2): "binary"},
        "random_state": np.int64(3),
        "callbacks": [lambda record: None],
    }
    model = HalfseenImputer(**parameters).fit(wide).set_params(clip_norm=np.inf)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model").get_params()
    expected = parameters | {"callbacks": (), "clip_norm": np.inf}
    assert {name: again[name] for name in expected} == expected
    assert type(again["n_hidden"]) is int


def test_what_json_cannot_hold_falls_back_to_its_default(
    wide: pd.DataFrame, tmp_path: Path
) -> None:
    random = np.random.RandomState(0)
    HalfseenImputer(**LIGHT | {"random_state": random}).fit(wide).save(tmp_path / "model")
    assert load(tmp_path / "model").random_state is None


def test_a_very_long_history_can_be_saved(of_classes: HalfseenClassifier, tmp_path: Path) -> None:
    model = copy.copy(of_classes)
    record = EpochRecord(0, 0.1, 0.01, 1.0, 2.0, 0.5)
    records = [EpochRecord(epoch, *list(vars(record).values())[1:]) for epoch in range(50_000)]
    model.history_ = History(records, "epochs", 7)
    model.save(tmp_path / "model")
    assert load(tmp_path / "model").history_ == model.history_


def test_the_same_model_gives_the_same_bytes(path: Path, tmp_path: Path) -> None:
    load(path).save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_saving_is_all_or_nothing(
    of_labels: HalfseenClassifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model"
    of_labels.save(path)
    before = path.read_bytes()

    def fail(*_: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="the disk is full"):
        of_labels.save(path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["model"]


def test_no_such_place(of_labels: HalfseenClassifier, tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        of_labels.save(tmp_path / "nowhere" / "model")
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "model")


def test_foreign_files(path: Path, tmp_path: Path, of_labels: HalfseenClassifier) -> None:
    other = tmp_path / "other"
    other.write_bytes(pickle.dumps(of_labels))
    with pytest.raises(NotOurFile, match="pickle"):
        load(other)
    other.write_bytes(b"")
    with pytest.raises(DamagedFile, match="empty"):
        load(other)
    write_sealed(other, kind="checkpoint", version=1, document={}, arrays={})
    with pytest.raises(WrongKind, match="'checkpoint'"):
        load(other)
    write_sealed(other, kind="model", version=model_file.VERSION + 1, document={}, arrays={})
    with pytest.raises(NewerFile, match="upgrade"):
        load(other)


def test_nothing_is_executed(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> Any:
            return (os.mkdir, (str(tmp_path / "sprung"),))

    trap = tmp_path / "trap"
    trap.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(SealError):
        load(trap)
    assert os.listdir(tmp_path) == ["trap"]


def damaged(content: bytes, random: np.random.Generator) -> bytes:
    """The file with one kind of damage."""
    flawed = bytearray(content)
    place = int(random.integers(len(content)))
    # Half of the blows fall on the length and the header, where most can go wrong.
    header = 8 + int.from_bytes(content[:8], "little")
    if random.random() < 0.5:
        place = int(random.integers(header))
    match int(random.integers(7)):
        case 0:
            flawed[place] ^= 1 << int(random.integers(8))
        case 1:
            for _ in range(20):
                flawed[int(random.integers(len(flawed)))] = int(random.integers(256))
        case 2:
            del flawed[place:]
        case 3:
            flawed[:8] = int(random.integers(2**63)).to_bytes(8, "little")
        case 4:
            flawed[place:place] = random.bytes(int(random.integers(1, 30)))
        case 5:
            del flawed[place : place + int(random.integers(1, 30))]
        case _:
            flawed[place : place + 4] = random.choice([b"9999", b"nan,", b'"":{', b"[[[[", b"1e99"])
    return bytes(flawed)


def test_two_thousand_damaged_files(
    path: Path, tmp_path: Path, of_labels: HalfseenClassifier
) -> None:
    content = path.read_bytes()
    random = np.random.default_rng(20)
    victim = tmp_path / "model"
    n_refused = 0
    for _ in range(2000):
        victim.write_bytes(damaged(content, random))
        try:
            model = load(victim)
        except SealError:
            n_refused += 1
        else:
            assert_same_model(model, of_labels)
    assert n_refused > 1900


Change = Callable[[dict[str, Any], dict[str, Any]], Any]


def at(*place: Any) -> Callable[[Any], Change]:
    """Put a value at a place of the document."""

    def to(value: Any) -> Change:
        def change(document: dict[str, Any], arrays: dict[str, Any]) -> None:
            holder: Any = document
            for key in place[:-1]:
                holder = holder[key]
            holder[place[-1]] = value

        return change

    return to


def array(name: str, change: Callable[[Any], Any]) -> Change:
    def changed(document: dict[str, Any], arrays: dict[str, Any]) -> None:
        arrays[name] = change(arrays[name])

    return changed


def first_entry(value: float) -> Callable[[Any], Any]:
    def change(values: Any) -> Any:
        values = values.copy()
        values.flat[0] = value
        return values

    return change


NONSENSE: dict[str, Change] = {
    "no estimator": lambda document, arrays: document.pop("estimator"),
    "one field more": at("surprise")(1),
    "unknown estimator": at("estimator")("RBMRegressor"),
    "estimator is a list": at("estimator")(["HalfseenClassifier"]),
    "estimator is another": at("estimator")("HalfseenImputer"),
    "unknown parameter": at("constructor", "n_dreams")(3),
    "parameters in a list": at("constructor")([1, 2]),
    "parameters are nothing": at("constructor")(None),
    "column kinds of one": at("constructor", "column_kinds")([["a"]]),
    "column kinds of lists": at("constructor", "column_kinds")([[[1], "binary"]]),
    "schema is text": at("schema")("features"),
    "schema without targets": at("schema", "targets")([]),
    "no features": at("schema", "features")([]),
    "a column is a number": at("schema", "features", 0)(3),
    "scale is zero": at("schema", "features", 0, "scale")(0.0),
    "scale is text": at("schema", "features", 0, "scale")("1"),
    "mean too large": at("schema", "features", 0, "mean")(10**400),
    "odd type": at("schema", "features", 3, "category_dtype")("O8,,(("),
    "odd structure": at("schema", "features", 3, "category_dtype")("i4,(3,)f8"),
    "date type": at("schema", "features", 3, "category_dtype")("M8[D]"),
    "wide text": at("schema", "features", 3, "category_dtype")("<U999999999"),
    "marginal out of range": at("schema", "features", 2, "marginal")([1.5]),
    "another kind of target": at("schema", "target_kind")("classes"),
    "settings are a list": at("settings")([]),
    "no hidden units": at("settings", "n_hidden")(0),
    "other hidden units": at("settings", "n_hidden")(5),
    "very many hidden units": at("settings", "n_hidden")(10**300),
    "hidden units in text": at("settings", "n_hidden")("4"),
    "other machines": at("settings", "n_machines")(3),
    "other restarts": at("settings", "n_restarts")(9),
    "unknown completion": at("settings", "completion")("magic"),
    "negative tolerance": at("settings", "tolerance")(-1),
    "unknown stop": at("stop_reason")("boredom"),
    "stop is a dict": at("stop_reason")({}),
    "best epoch is text": at("best_epoch")("first"),
    "epochs below zero": at("n_iter")(-1),
    "half an epoch": at("n_iter")(1.5),
    "epochs in text": at("n_iter")("4"),
    "epochs without end": at("n_iter")(10**400),
    "seed too large": at("seed")(2**31),
    "seed is true": at("seed")(True),
    "seed is nothing": at("seed")(None),
    "names of others": at("feature_names")(["a", "b"]),
    "names are text": at("feature_names")("abcd"),
    "names are numbers": at("feature_names")([1, 2, 3, 4]),
    "no weights": lambda document, arrays: arrays.pop("weights"),
    "no thresholds": lambda document, arrays: arrays.pop("thresholds"),
    "no history": lambda document, arrays: arrays.pop("history"),
    "weights of another shape": array("weights", lambda w: w[:, :-1]),
    "weights in one row": array("weights", lambda w: w.ravel()),
    "weights of another type": array("weights", lambda w: w.astype(np.float64)),
    "weights without measure": array("weights", first_entry(1e30)),
    "weights not a number": array("weights", first_entry(np.nan)),
    "bias infinite": array("visible_bias", first_entry(np.inf)),
    "bias without measure": array("hidden_bias", first_entry(1e38)),
    "variance without measure": array("log_variance", first_entry(88.0)),
    "restarts missing": array("restarts", lambda r: r[:1]),
    "marginals missing": array("marginals", lambda m: m[:-1]),
    "threshold above one": array("thresholds", first_entry(1.5)),
    "threshold not a number": array("thresholds", first_entry(np.nan)),
    "one threshold": array("thresholds", lambda t: t[:1]),
    "thresholds of another type": array("thresholds", lambda t: t.astype(np.int64)),
    "history of another shape": array("history", lambda h: h[:, :3]),
    "history infinite": array("history", first_entry(np.inf)),
}


@pytest.mark.parametrize("change", NONSENSE.values(), ids=NONSENSE)
def test_nonsense_under_a_valid_seal(change: Change, path: Path, tmp_path: Path) -> None:
    sealed = read_sealed(path, kind="model", newest_version=model_file.VERSION)
    document, arrays = copy.deepcopy(sealed.document), dict(sealed.arrays)
    written = {"kind": "model", "version": model_file.VERSION}
    write_sealed(tmp_path / "sound", **written, document=document, arrays=arrays)
    load(tmp_path / "sound")
    change(document, arrays)
    write_sealed(tmp_path / "model", **written, document=document, arrays=arrays)
    with pytest.raises(SealError, match="model"):
        load(tmp_path / "model")


@pytest.mark.parametrize("version", [1, 2])
def test_every_part_of_a_document_may_be_wrong(version: int, tmp_path: Path) -> None:
    sealed = read_sealed(model_of(version), kind="model", newest_version=version)
    random = np.random.default_rng(4)
    values: list[Any] = [None, True, -1, 10**40, 1e300, "", "é", [], {}, [[]], {"a": 1}]
    places = list(_places(sealed.document))
    n_refused = 0
    for _ in range(200):
        document = copy.deepcopy(sealed.document)
        place = places[int(random.integers(len(places)))]
        at(*place)(values[int(random.integers(len(values)))])(document, {})
        write_sealed(
            tmp_path / "model",
            kind="model",
            version=sealed.version,
            document=document,
            arrays=sealed.arrays,
        )
        try:
            load(tmp_path / "model")
        except SealError:
            n_refused += 1
    assert n_refused > 100


def _places(value: Any, place: tuple[Any, ...] = ()) -> Any:
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        yield (*place, key)
        if isinstance(item, dict | list):
            yield from _places(item, (*place, key))


def test_every_format_has_a_golden_file() -> None:
    assert range(1, model_file.VERSION + 1) == VERSIONS


@pytest.mark.as_in_use
@pytest.mark.parametrize("version", VERSIONS)
def test_every_format_loads(version: int) -> None:
    said = json.loads(answers_of(version).read_text())
    assert model_of(version).stat().st_size < 80_000
    model = load(model_of(version))
    assert (model.prediction_ is None) == (version == 1)
    assert model.settings_.objective == OBJECTIVES[version]
    # A model that is fitted anew is trained as it was, though "auto" has come to mean another way.
    assert load(model_of(version)).objective == ("data_started_cd" if version == 1 else "auto")
    rows = pd.DataFrame(said["rows"], columns=said["columns"])
    assert model.predict(rows).tolist() == said["predict"]
    assert np.allclose(model.predict_proba(rows), said["predict_proba"], atol=1e-4)
    filled = model.transform(rows)
    expected = pd.DataFrame(said["transform"], columns=said["columns"])
    for name in ("size", "weight", "sold"):
        assert np.allclose(filled[name].astype(float), expected[name].astype(float), rtol=1e-3)
    assert filled["colour"].tolist() == expected["colour"].tolist()
    if "predict_interval" in said:
        bounds = model.predict_interval(rows)[:, :2]
        assert np.allclose(bounds, said["predict_interval"], rtol=1e-3, atol=1e-3)


def test_every_older_format_has_its_upgrade() -> None:
    assert sorted(model_file._UPGRADES) == list(range(1, model_file.VERSION))
