"""scikit-learn's checks once more, with all defaults as a user has them: several minutes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from halfseen import HalfseenClassifier, HalfseenImputer


@pytest.mark.long
@parametrize_with_checks([HalfseenClassifier(), HalfseenImputer()])
def test_scikit_learn_with_defaults(estimator: Any, check: Callable[[Any], None]) -> None:
    check(estimator)
