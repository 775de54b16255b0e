"""The checks that scikit-learn asks of every estimator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from halfseen import HalfseenClassifier, HalfseenImputer

QUICK: dict[str, Any] = {"effort": "fast", "n_estimators": 1}


def expected_failures(estimator: Any) -> dict[str, str]:
    if isinstance(estimator, HalfseenImputer):
        return {}
    reason = "minibatches and held-out entries are drawn by row: a weight of two is no second row"
    return {"check_sample_weight_equivalence_on_dense_data": reason}


@parametrize_with_checks(
    [HalfseenClassifier(**QUICK, trees=False, class_gaussians=False), HalfseenImputer(**QUICK)],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.long
@parametrize_with_checks(
    [HalfseenClassifier(), HalfseenImputer()], expected_failed_checks=expected_failures
)
def test_scikit_learn_with_defaults(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
