"""What both estimators share: wrong parameters, unfitted models, column kinds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from estimators.bits import assert_same_bits
from estimators.tables import LIGHT
from halfseen import HalfseenClassifier, HalfseenImputer

WRONG: list[tuple[str, Any]] = [
    ("preset", "best"),
    ("column_kinds", "number"),
    ("column_kinds", ["numeric"]),
    ("column_kinds", 3),
    ("column_kinds", {"size": "number"}),
    ("column_kinds", {"sice": "numeric"}),
    ("column_kinds", {4: "numeric"}),
    ("column_kinds", {True: "numeric"}),
    ("n_hidden", -1),
    ("completion", "exact"),
    ("checkpoint", 3),
    ("checkpoint_every", 0),
    ("checkpoint_every", 1.5),
    ("resume", "yes"),
    ("callbacks", 3),
    ("callbacks", print),
    ("callbacks", ["print"]),
    ("verbose", "loud"),
    ("random_state", "zero"),
    ("random_state", -1),
    ("random_state", 1.5),
]


@pytest.mark.parametrize(("name", "value"), WRONG)
@pytest.mark.parametrize("estimator", [HalfseenClassifier, HalfseenImputer])
def test_wrong_parameters_are_refused_by_name(
    estimator: Any, name: str, value: Any, table: pd.DataFrame, classes: NDArray[Any]
) -> None:
    with pytest.raises(ValueError, match=f"^{name} "):
        estimator(**LIGHT | {name: value}).fit(table, classes)


def test_resume_needs_a_file_and_a_seed(table: pd.DataFrame, tmp_path: Any) -> None:
    with pytest.raises(ValueError, match="resume=True needs the file to go on from in checkpoint"):
        HalfseenImputer(**LIGHT, resume=True).fit(table)
    with pytest.raises(ValueError, match="resume=True needs random_state"):
        HalfseenImputer(resume=True, checkpoint=tmp_path / "fit").fit(table)


@pytest.mark.parametrize("estimator", [HalfseenClassifier, HalfseenImputer])
@pytest.mark.parametrize(
    "call",
    [
        lambda model, X: model.transform(X),
        lambda model, X: model.score_samples(X),
        lambda model, X: model.sample(),
        lambda model, X: model.save("model"),
        lambda model, X: model.score(X, np.zeros(len(X))),
        lambda model, X: getattr(model, "predict", model.transform)(X),
        lambda model, X: getattr(model, "predict_proba", model.transform)(X),
        lambda model, X: getattr(model, "complete", model.transform)(X),
    ],
)
def test_unfitted(estimator: Any, call: Any, table: pd.DataFrame) -> None:
    with pytest.raises(NotFittedError, match="not fitted yet"):
        call(estimator(), table)


@pytest.mark.parametrize("kinds", [{"sold": "binary"}, {2: "binary"}, {np.int64(2): "binary"}])
def test_column_kinds_by_name_or_position(
    kinds: Any, wide: pd.DataFrame, imputer: HalfseenImputer
) -> None:
    model = HalfseenImputer(**LIGHT, column_kinds=kinds).fit(wide)
    assert_same_bits(model.machine_.weights, imputer.machine_.weights)
    kinds_learned = [column.kind for column in model.schema_.features]
    assert kinds_learned == ["numeric", "numeric", "binary", "categorical", "binary", "binary"]


def test_grey_levels(wide: pd.DataFrame) -> None:
    grey = wide.assign(sold=wide["sold"] * 0.5 + 0.25)
    model = HalfseenImputer(**LIGHT, column_kinds={"sold": "binary"}).fit(grey)
    filled = model.transform(grey)["sold"]
    seen = grey["sold"].notna()
    assert filled[seen].tolist() == grey["sold"][seen].tolist()
    assert ((filled > 0) & (filled < 1)).all()


@pytest.mark.parametrize("n_samples", [0, -1, 2.5, "two", None, True])
def test_wrong_number_of_samples(n_samples: Any, imputer: HalfseenImputer) -> None:
    with pytest.raises(ValueError, match=r"^n_samples must be a whole number from 1"):
        imputer.sample(n_samples)


@pytest.mark.parametrize("seed", [-1, 2**32, "one", 0.5])
def test_wrong_seed_of_samples(seed: Any, imputer: HalfseenImputer) -> None:
    with pytest.raises(ValueError, match=r"^random_state must be a whole number from 0"):
        imputer.sample(5, random_state=seed)


def test_log_probability_is_a_density_in_raw_units(
    of_classes: HalfseenClassifier, table: Any
) -> None:
    before = of_classes.score_samples(table[:20])
    # The same model of the same table in other units: a density changes by the factor.
    scaled = HalfseenClassifier(**LIGHT).fit(
        table.assign(weight=table["weight"] * 1024.0), ["low", "mid", "high"] + [None] * 37
    )
    plain = HalfseenClassifier(**LIGHT).fit(table, ["low", "mid", "high"] + [None] * 37)
    X = table[:20]
    after = scaled.score_samples(X.assign(weight=X["weight"] * 1024.0))
    seen = X["weight"].notna().to_numpy()
    expected = plain.score_samples(X) - seen * np.log(1024.0)
    assert np.allclose(after, expected, rtol=1e-5, atol=1e-4)
    assert before.shape == (20,)


def test_settings_are_resolved_and_parameters_left_alone(of_classes: HalfseenClassifier) -> None:
    assert of_classes.n_gibbs_steps == "auto"
    assert of_classes.settings_.n_gibbs_steps == 1
    assert of_classes.settings_.n_hidden == LIGHT["n_hidden"]
    assert of_classes.n_iter_ == len(of_classes.history_) == LIGHT["n_epochs"]
    assert of_classes.n_features_in_ == 4


def test_sizes_follow_the_table() -> None:
    few, many = HalfseenImputer()._resolved(50, 3), HalfseenImputer()._resolved(10**5, 60)
    assert few.n_hidden < many.n_hidden
    assert few.batch_size < many.batch_size
    assert few.n_epochs > many.n_epochs
