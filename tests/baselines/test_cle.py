from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from halfseen.baselines._collaborative_loss import LinearCoupling
from halfseen.baselines.cle import CLE, balanced_factors, held_out_labels


def linear_table() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng([0, 8])
    factors = generator.standard_normal((90, 2))
    X = factors @ generator.standard_normal((2, 6))
    Y = (factors > 0).astype(float)
    Y[generator.random(Y.shape) < 0.4] = np.nan
    return np.where(generator.random(X.shape) < 0.3, np.nan, X), Y


def test_either_output_can_be_asked_for() -> None:
    X, Y = linear_table()
    fits = {name: CLE(output=name).fit(X, Y) for name in ("embedding", "regression")}
    assert {name: fit.output_ for name, fit in fits.items()} == {name: name for name in fits}
    scores = [fit.complete().scores for fit in fits.values()]
    assert not np.allclose(scores[0], scores[1])
    chosen = CLE().fit(X, Y)
    assert chosen.output_ in fits


def test_regression_scores_of_fitted_rows_are_those_of_new_rows() -> None:
    X, Y = linear_table()
    method = CLE(output="regression", coupling=1e-6, max_iter=2000).fit(X, Y)
    # With next to no coupling a row's embedding depends on its features alone.
    hidden = np.isnan(Y)
    np.testing.assert_allclose(
        method.predict_scores(X)[hidden], method.complete().scores[hidden], atol=2e-3
    )


def test_ridge_is_where_the_gradient_of_B_vanishes() -> None:
    generator = np.random.default_rng(0)
    U, V, M = (generator.standard_normal(shape) for shape in [(9, 2), (5, 2), (9, 3)])
    B = LinearCoupling().ridge(U, V, M, 0.5)
    gradient = LinearCoupling().gradient(U, V, B, M).B
    np.testing.assert_allclose(gradient + 2 * 0.5 * B, 0.0, atol=1e-10)
    np.testing.assert_allclose(LinearCoupling().answers(U, V, B), U @ V.T @ B)


def test_balanced_factors_give_the_leading_part() -> None:
    generator = np.random.default_rng(0)
    table = 50 * generator.standard_normal((30, 2)) @ generator.standard_normal((2, 8))
    left, right = balanced_factors(table, 4, generator)
    assert left.shape == (30, 4)
    np.testing.assert_allclose(left @ right.T, table, atol=3.0)
    np.testing.assert_allclose(np.linalg.norm(left), np.linalg.norm(right), rtol=0.01)


def test_held_out_labels_are_observed_even_with_the_seed_that_hid_the_others() -> None:
    observed = np.random.default_rng(0).random((100, 4)) >= 0.5
    held_out = held_out_labels(observed, "labels", np.random.default_rng(0))
    assert held_out.any()
    assert not held_out[~observed].any()
    whole_rows = np.broadcast_to(observed[:, :1], observed.shape)
    held_out = held_out_labels(whole_rows, "classes", np.random.default_rng(0))
    assert held_out.any()
    assert (held_out.all(axis=1) == held_out.any(axis=1)).all()
    assert not held_out[~whole_rows].any()


@pytest.mark.parametrize(
    "wrong", [{"n_components": 0}, {"coupling": 0.0}, {"output": "best"}, {"label_weight": -1.0}]
)
def test_settings_out_of_range(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        CLE(**wrong).fit([[1.0], [2.0]], [[0.0], [1.0]])
