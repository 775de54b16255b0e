"""What the tests of the baselines share."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import pytest


@pytest.fixture(scope="module")
def quick_compilation() -> Iterator[None]:
    """Compile without optimising: with tiny tables, compiling costs more than running."""
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", False)
