"""Importance and couplings: planted structure, and the formulas behind them."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
import pytest

from explain.models import ALL_KINDS, NEW, TABLE, gaussian, y_of
from halfseen import RBMClassifier, metrics
from halfseen.explain import couplings, deletion, importance

COVARIANCE = [
    [1.0, 0.8, 0.0, -0.5],
    [0.8, 1.0, 0.0, -0.4],
    [0.0, 0.0, 1.0, 0.0],
    [-0.5, -0.4, 0, 1],
]


@pytest.mark.parametrize("kind", ["binary", "multiclass", "multilabel", "multioutput"])
def test_importance_is_the_loss_of_predicting_without_a_column(
    kind: str, models: dict[str, Any]
) -> None:
    model, y = models[kind], y_of(kind, TABLE)

    def losses(X: pd.DataFrame) -> list[float]:
        proba = model.predict_proba(X)
        if kind == "multilabel":
            return [metrics.log_loss(y[:, [j]], proba[:, [j]]) for j in range(y.shape[1])]
        if kind == "multioutput":
            pairs = zip(y.T, proba, model.classes_, strict=True)
            return [metrics.log_loss(*of_output) for of_output in pairs]
        return [metrics.log_loss(y, proba, model.classes_)]

    found = importance(model, TABLE, y, n_rows=len(TABLE))
    assert found.features == tuple(TABLE)
    assert set(found.metric) == {"log_loss"}
    np.testing.assert_allclose(found.loss, losses(TABLE), rtol=1e-6)
    for i, name in enumerate(TABLE):
        hidden = TABLE.copy()
        hidden[name] = TABLE[name].mask(TABLE[name].notna())
        raised = np.array(losses(hidden)) - found.loss
        np.testing.assert_allclose(found.increase[:, i], raised, atol=1e-6)


def test_importance_of_numbers_is_normalised_rmse() -> None:
    model, X = gaussian(COVARIANCE)
    found = importance(model, X, columns=[0], n_rows=400)
    assert (found.predicted, found.metric) == ((0,), ("normalised_rmse",))
    expected = X[:, [1, 3]] @ np.linalg.solve([[1.0, -0.4], [-0.4, 1.0]], [0.8, -0.5])
    np.testing.assert_allclose(found.loss, np.std(X[:, 0] - expected), rtol=0.01)
    without = np.sqrt(np.mean((X[:, 0] + 0.5 * X[:, 3]) ** 2))
    np.testing.assert_allclose(found.increase[0, 1], without - found.loss[0], rtol=1e-4)
    assert found.increase[0, 2] == pytest.approx(0.0, abs=1e-6)
    assert found.increase[0, 0] == 0.0
    assert found.table()[0]["feature"] == 1


def test_importance_of_an_imputer_covers_all_columns(models: dict[str, Any]) -> None:
    found = importance(models["imputer"], TABLE, n_rows=40)
    assert found.predicted == tuple(TABLE)
    assert found.metric == ("normalised_rmse",) * 3 + ("log_loss",) * 2
    assert np.isfinite(found.increase).all()
    assert len(found.table()) == 25


def test_importance_is_seeded_and_does_not_depend_on_parts(
    models: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    model, y = models["multiclass"], y_of("multiclass", TABLE)
    first = importance(model, TABLE, y, n_rows=20, random_state=3)
    other = importance(model, TABLE, y, n_rows=20, random_state=4)
    monkeypatch.setattr(deletion, "_UNITS_AT_ONCE", 50)
    again = importance(model, TABLE, y, n_rows=20, random_state=3)
    np.testing.assert_array_equal(first.increase, again.increase)
    assert (first.loss != other.loss).all()


def test_importance_needs_a_truth(models: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="No entry of the columns to predict is known; pass y"):
        importance(models["binary"], TABLE)


def test_weights_couple_by_the_second_derivative_of_log_p(models: dict[str, Any]) -> None:
    model = models["binary"]
    schema, y = model.schema_, y_of("binary", TABLE)
    found = couplings(model, TABLE, y)
    completed = jnp.asarray(model._complete_units(model._encode(TABLE, y)[1]))
    machine = jax.tree.map(lambda leaf: leaf[0], model.rbm_)
    hessian = -np.mean(jax.vmap(jax.hessian(machine.free_energy))(completed), axis=0)
    assert found.method == "weights"
    p = schema.marginals
    of_unit = {0: 1.0, 1: 1.0, 4: np.sqrt(p[3] * (1 - p[3])), 5: np.sqrt(p[4] * (1 - p[4]))}
    for i, of_i in of_unit.items():
        for k, of_k in of_unit.items():
            if i != k:
                units = schema.units_of(i).start, schema.units_of(k).start
                expected = float(hessian[units] * of_i * of_k)
                assert found.strength[i, k] == pytest.approx(abs(expected), rel=1e-3)
                assert found.direction[i, k] == np.sign(expected)


@pytest.mark.parametrize("method", ["weights", "deletion"])
@pytest.mark.parametrize("kind", ALL_KINDS)
def test_couplings_are_symmetric(kind: str, method: Any, models: dict[str, Any]) -> None:
    model = models[kind]
    found = couplings(model, NEW, y_of(kind, NEW), method=method)
    n = len(model.schema_.columns)
    assert (len(found.columns), found.strength.shape) == (n, (n, n))
    assert sum(found.is_target) == len(model.schema_.targets)
    for matrix in (found.strength, found.direction):
        np.testing.assert_array_equal(matrix, matrix.T)
        assert (np.diag(matrix) == 0).all()
    assert (found.strength >= 0).all()
    assert found.strength[0, 1] > 0
    assert (found.direction[3] == 0).all()  # colours have no order
    table = found.table(top=3)
    assert [of["strength"] for of in table] == sorted(found.strength[np.triu_indices(n, 1)])[:-4:-1]


@pytest.mark.parametrize("method", ["weights", "deletion"])
def test_a_column_without_weights_is_coupled_to_nothing(
    method: Any, models: dict[str, Any]
) -> None:
    model = copy(models["multiclass"])
    units = model.schema_.units_of(1)
    model.rbm_ = replace(model.rbm_, weights=model.rbm_.weights.at[:, units].set(0.0))
    found = couplings(model, TABLE, y_of("multiclass", TABLE), method=method)
    np.testing.assert_allclose(found.strength[1], 0.0, atol=1e-6)
    assert found.strength[0, 2] > 1e-4


def test_planted_couplings_are_found_by_both_methods() -> None:
    rng = np.random.default_rng(0)
    a, noise = rng.normal(size=(2, 300))
    label = np.where(a + 0.3 * rng.normal(size=300) > 0, "yes", "no")
    X = pd.DataFrame({"a": a, "minus": -a + 0.3 * rng.normal(size=300), "noise": noise})
    model = RBMClassifier(8, learning_rate=0.05, n_iter=40, random_state=0).fit(X, label)
    for method in ("weights", "deletion"):
        found = couplings(model, X, label, method=method)
        assert found.strength[2].max() < 0.3 * found.strength[[0, 0, 1], [1, 3, 3]].min()
        assert found.direction[0, 1] == found.direction[1, 3] == -1
        assert found.direction[0, 3] == 1
    top = importance(model, X, label).table()
    assert [of["feature"] for of in top][2] == "noise"


def test_deletion_couples_a_gaussian_by_its_regressions() -> None:
    model, X = gaussian([[1.0, 0.6], [0.6, 1.0]])
    found = couplings(model, X, n_rows=400)
    assert found.method == "deletion"
    # One column is hidden, the other one known: its whole prediction is lost.
    assert found.strength[0, 1] == pytest.approx(0.6 * np.sqrt(2 / np.pi), rel=0.1)
    assert found.direction[0, 1] == 1
    four, X = gaussian(COVARIANCE)
    found = couplings(four, X)
    np.testing.assert_allclose(found.strength[2], 0.0, atol=1e-6)
    assert found.direction[0, 3] == found.direction[1, 3] == -1
    assert found.table(top=1)[0] == {
        "column": 0, "is_target": False, "other": 1, "other_is_target": False,
        "strength": found.strength[0, 1], "direction": 1,
    }  # fmt: skip


def test_without_rows_they_are_drawn_from_the_model(models: dict[str, Any]) -> None:
    found = couplings(models["binary"], method="deletion", n_rows=20)
    X, y = models["binary"].sample(20, 0)
    again = couplings(models["binary"], X, y, method="deletion", n_rows=20)
    np.testing.assert_array_equal(found.strength, again.strength)


def test_methods_that_are_not_there_are_refused(models: dict[str, Any]) -> None:
    model, X = gaussian(np.eye(2), 20)
    with pytest.raises(TypeError, match="GaussianModel has no weights to show"):
        couplings(model, X, method="weights")
    with pytest.raises(ValueError, match="method must be"):
        couplings(models["binary"], NEW, method="guess")  # type: ignore[arg-type]
