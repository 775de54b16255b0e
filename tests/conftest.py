"""What all tests share."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import pytest


@pytest.fixture(scope="module")
def double_precision() -> Iterator[None]:
    """The tests of a module in float64; the package itself never asks for it."""
    if hasattr(jax, "enable_x64"):
        switch = jax.enable_x64
    else:
        from jax.experimental import enable_x64 as switch
    with switch(True):
        yield
