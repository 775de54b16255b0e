"""What all tests share."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import jax.experimental
import pytest


@pytest.fixture(scope="module")
def double_precision() -> Iterator[None]:
    """The tests of a module in float64; the package itself never asks for it."""
    place = jax if hasattr(jax, "enable_x64") else jax.experimental
    with place.enable_x64(True):
        yield
