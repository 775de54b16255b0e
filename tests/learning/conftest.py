"""Tests of training compile much and compute little."""

from __future__ import annotations

from collections.abc import Iterator

import jax
import pytest


@pytest.fixture(autouse=True, scope="package")
def quick_compilation() -> Iterator[None]:
    """Programs that run slower and are compiled sooner."""
    before = jax.config.values["jax_disable_most_optimizations"]
    jax.config.update("jax_disable_most_optimizations", True)  # type: ignore[no-untyped-call]
    yield
    jax.config.update("jax_disable_most_optimizations", before)  # type: ignore[no-untyped-call]
