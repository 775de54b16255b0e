"""The checks that scikit-learn asks of every estimator, none of them expected to fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from halfseen import HalfseenClassifier, HalfseenImputer
from halfseen.estimators import fitted_machine

# A few epochs of many small steps: quick, and enough to learn what the checks ask for. The defaults
# pass as well.
QUICK = {
    "n_hidden": 8,
    "n_epochs": 6,
    "batch_size": 2,
    "learning_rate": 0.05,
    "optimizer": "sgd",
    "objective": "mean_field_cd",
    "centered": False,
    "stopping": "none",
    "n_restarts": 1,
    "n_sweeps": 5,
}
# Every shape is compiled anew, which takes minutes.
PREDICTIVE = {
    "n_hidden": 8,
    "n_epochs": 40,
    "batch_size": 8,
    "learning_rate": 0.05,
    "n_machines": 1,
    "centered": False,
    "stopping": "none",
    "n_restarts": 1,
    "n_sweeps": 5,
}


@pytest.fixture(scope="module", autouse=True)
def _roughly() -> Iterator[None]:
    """Log Z, which is estimated anew for every fit, need not be accurate."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fitted_machine, "N_TEMPERATURES_OF_PARTITION", 20)
        yield


@parametrize_with_checks([HalfseenClassifier(**QUICK), HalfseenImputer(**QUICK)])
def test_scikit_learn(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)


@pytest.mark.long
@parametrize_with_checks([HalfseenClassifier(**PREDICTIVE), HalfseenImputer(**PREDICTIVE)])
def test_scikit_learn_predictively(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
