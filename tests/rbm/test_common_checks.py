"""The checks that scikit-learn asks of every estimator, none of them expected to fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from halfseen import RBMClassifier, RBMImputer

QUICK: dict[str, Any] = {
    "n_components": 8,
    "learning_rate": 0.1,
    "n_iter": 20,
    "n_restarts": 1,
    "n_sweeps": 5,
    "validation_fraction": 0.0,
}


@parametrize_with_checks([RBMClassifier(**QUICK), RBMImputer(**QUICK)])
def test_scikit_learn(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.long
@parametrize_with_checks([RBMClassifier(), RBMImputer()])
def test_scikit_learn_with_defaults(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
