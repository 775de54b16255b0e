"""The content of a file cannot be exchanged by accident."""

import dataclasses

import numpy as np
import pytest

from halfseen.storage import Sealed


def test_is_frozen() -> None:
    sealed = Sealed(version=1, document={}, arrays={})
    with pytest.raises(dataclasses.FrozenInstanceError):
        sealed.version = 2  # type: ignore[misc]


def test_comparing_asks_for_identity_and_never_for_ambiguous_arrays() -> None:
    one = Sealed(1, {}, {"a": np.zeros(3)})
    other = Sealed(1, {}, {"a": np.zeros(3)})
    assert one == one
    assert one != other
