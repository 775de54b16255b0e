"""Predictive models in files: the same answers, or an error that says what is wrong."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from estimators.bits import answers, assert_same_bits, assert_same_model, more_answers
from halfseen import HalfseenClassifier, HalfseenImputer, load
from halfseen.estimators.model_file import VERSION
from halfseen.estimators.prediction_file import prediction_from_file, prediction_to_file
from halfseen.storage import DamagedFile, Sealed, read_sealed, write_sealed


@pytest.mark.parametrize("kind", ["classes", "labels", "outputs"])
def test_same_answers(
    kind: str, tables: dict[str, pd.DataFrame], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    table, y = tables[kind], request.getfixturevalue(kind)
    model: HalfseenClassifier = request.getfixturevalue(f"predicts_{kind}")
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert type(again) is HalfseenClassifier
    assert_same_model(model, again)
    assert_same_bits(answers(model, table, y), answers(again, table, y))
    assert_same_bits(model.predict_set(table), again.predict_set(table))
    assert_same_bits(model.predict_interval(table), again.predict_interval(table))
    assert again.get_params() == model.get_params()
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_same_draws(
    predicts_classes: HalfseenClassifier, table: pd.DataFrame, tmp_path: Path
) -> None:
    predicts_classes.save(tmp_path / "model")
    said = more_answers(predicts_classes, table)
    assert_same_bits(more_answers(load(tmp_path / "model"), table), said)


def test_same_answers_of_an_imputer_without_companion(
    predicts_features: HalfseenImputer, wide: pd.DataFrame, tmp_path: Path
) -> None:
    predicts_features.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert_same_model(predicts_features, again)
    assert_same_bits(again.transform(wide), predicts_features.transform(wide))
    assert_same_bits(again.predict_interval(wide), predicts_features.predict_interval(wide))
    with pytest.raises(ValueError, match="fit with companion=True"):
        again.sample(2)


def test_no_prediction_is_nothing(predicts_classes: HalfseenClassifier) -> None:
    assert prediction_to_file(None) == (None, {})
    nothing = prediction_from_file(None, Sealed(VERSION, {}, {}), predicts_classes.schema_)
    assert nothing is None


Change = Callable[[dict[str, Any], dict[str, Any]], Any]


def size(name: str, value: Any) -> Change:
    def change(document: dict[str, Any], arrays: dict[str, Any]) -> None:
        document["prediction"][name] = value

    return change


def array(name: str, change: Callable[[Any], Any]) -> Change:
    def changed(document: dict[str, Any], arrays: dict[str, Any]) -> None:
        arrays[f"prediction.{name}"] = change(arrays[f"prediction.{name}"].copy())

    return changed


def first(value: Any) -> Callable[[Any], Any]:
    def change(values: Any) -> Any:
        values.flat[0] = value
        return values

    return change


NONSENSE: dict[str, Change] = {
    "prediction is a list": lambda document, arrays: document.update(prediction=[]),
    "prediction is true": lambda document, arrays: document.update(prediction=True),
    "one size more": size("n_dreams", 1),
    "one size less": lambda document, arrays: document["prediction"].pop("n_kinds"),
    "no kinds": size("n_kinds", 0),
    "no folds": size("n_folds", 0),
    "other folds": size("n_folds", 3),
    "as many members in more folds": lambda document, arrays: document["prediction"].update(
        n_kinds=1, n_folds=document["prediction"]["n_folds"] * document["prediction"]["n_kinds"]
    ),
    "no hidden units": size("n_hidden", 0),
    "half a hidden unit": size("n_hidden", 0.5),
    "hidden units are true": size("n_hidden", True),
    "very many hidden units": size("n_hidden", 10**40),
    "no sweeps": size("n_sweeps", 0),
    "sweeps without end": size("n_sweeps", 1000),
    "search without end": size("n_search_steps", 10**6),
    "knots below zero": size("n_knots", -1),
    "other knots": size("n_knots", 5),
    "batch is text": size("batch_size", "16"),
    "no weights": lambda document, arrays: arrays.pop("prediction.ensemble.weights"),
    "no blend": lambda document, arrays: arrays.pop("prediction.blend.number"),
    "no conformal": lambda document, arrays: arrays.pop("prediction.conformal.label"),
    "no companion": lambda document, arrays: arrays.pop("weights"),
    "weights of another shape": array("ensemble.weights", lambda w: w[:, :-1]),
    "weights of another type": array("ensemble.weights", lambda w: w.astype(np.float64)),
    "weights not a number": array("ensemble.weights", first(np.nan)),
    "weights infinite": array("ensemble.weights", first(np.inf)),
    "gain without measure": array("ensemble.gain", first(1e30)),
    "covariance not square": array("ensemble.prior_covariance", lambda c: c[:, :, :3]),
    "no covariance and no noise": array("ensemble.prior_covariance", lambda c: c[:, :, :0]),
    "priors of another type": array("ensemble.prior_sees_labels", lambda s: s.astype(np.int8)),
    "scale of zero": array("ensemble.unit_scale", first(0.0)),
    "scale below zero": array("ensemble.unit_scale", first(-1.0)),
    "knots that fall": array("ensemble.knots", lambda k: k[:, ::-1].copy()),
    "knots that repeat": array("ensemble.knots", np.zeros_like),
    "blend below zero": array("blend.number", lambda b: 2 * b - np.eye(*b.shape)),
    "blend of another sum": array("blend.discrete", lambda b: 2 * b),
    "blend of targets of nothing": array("blend.target", np.zeros_like),
    "blend in float32": array("blend.target", lambda b: b.astype(np.float32)),
    "shift not a number": array("blend.label_shift", first(np.nan)),
    "power infinite": array("blend.class_power", first(np.inf)),
    "power below nothing": array("blend.label_power", first(-0.5)),
    "one power too many": array("blend.label_power", lambda p: np.pad(p, [(0, 0), (0, 1)])),
    "lowest above highest": array("blend.lowest", lambda b: b + 1e3),
    "scores not a number": array("conformal.number", first(np.nan)),
    "scores below zero": array("conformal.number", first(-1.0)),
    "scores that fall": array("conformal.label", lambda c: c[:, ::-1].copy()),
    "scores of other levels": array("conformal.label", lambda c: c[:, :-1]),
}


@pytest.fixture(scope="module")
def sealed(
    tmp_path_factory: pytest.TempPathFactory, predicts_classes: HalfseenClassifier
) -> Sealed:
    path: Path = tmp_path_factory.mktemp("models") / "model.safetensors"
    predicts_classes.save(path)
    return read_sealed(path, kind="model", newest_version=VERSION)


def written(path: Path, document: Any, arrays: Any) -> Path:
    write_sealed(path, kind="model", version=VERSION, document=document, arrays=arrays)
    return path


@pytest.mark.parametrize("change", NONSENSE.values(), ids=NONSENSE)
def test_nonsense_under_a_valid_seal(change: Change, sealed: Sealed, tmp_path: Path) -> None:
    document, arrays = copy.deepcopy(sealed.document), dict(sealed.arrays)
    load(written(tmp_path / "sound", document, arrays))
    change(document, arrays)
    with pytest.raises(DamagedFile, match="model"):
        load(written(tmp_path / "model", document, arrays))


def test_any_array_may_be_wrong(
    sealed: Sealed, predicts_classes: HalfseenClassifier, table: pd.DataFrame, tmp_path: Path
) -> None:
    random = np.random.default_rng(7)
    names = sorted(name for name in sealed.arrays if name.startswith("prediction."))
    values = [np.nan, np.inf, -np.inf, 0.0, -1.0, 1e8, 1e38]
    n_refused = 0
    for _ in range(150):
        arrays = dict(sealed.arrays)
        name = names[int(random.integers(len(names)))]
        wrong = arrays[name].copy()
        place = int(random.integers(wrong.size)) if wrong.size else None
        match int(random.integers(4)):
            case 0:
                wrong = wrong[..., :-1]
            case 1:
                wrong = wrong.astype(np.float16)
            case 2:
                wrong = wrong[None]
            case _ if place is not None and wrong.dtype.kind == "i":
                wrong.flat[place] = (-1, 10**6)[int(random.integers(2))]
            case _ if place is not None and wrong.dtype != bool:
                wrong.flat[place] = values[int(random.integers(len(values)))]
        arrays[name] = wrong
        try:
            model = load(written(tmp_path / "model", sealed.document, arrays))
        except DamagedFile:
            n_refused += 1
        else:
            # What is not refused is a model, if perhaps another one.
            proba = model.predict_proba(table)
            assert np.isfinite(proba).all()
            assert np.isfinite(model.predict_interval(table)[:, :2]).all()
    assert n_refused > 90
