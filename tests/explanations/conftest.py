"""Models that are made once for all tests; none of the tests changes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from estimators.conftest import compiled_quickly
from estimators.golden import VERSIONS, model_of
from explanations.tiny import tiny_models
from halfseen import HalfseenClassifier, load


@pytest.fixture(autouse=True)
def quickly() -> Iterator[None]:
    """With tiny models, compiling costs more than running."""
    with compiled_quickly():
        yield


@pytest.fixture(scope="session")
def models() -> dict[str, Any]:
    """One model for every kind of target, and one without."""
    return tiny_models()


@pytest.fixture(scope="session")
def ensemble() -> HalfseenClassifier:
    """A trained model of classes, with an ensemble and a likelihood-trained machine."""
    model = load(model_of(VERSIONS[-1]))
    assert isinstance(model, HalfseenClassifier)
    return model.set_params(verbose=False)
