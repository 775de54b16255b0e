"""What all tests share."""

from __future__ import annotations

import gc
import shutil
import tempfile
from collections.abc import Iterator

import jax
import pytest

from hurry import hurry

_folder = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Compile in a hurry, in this process and in the workers that it starts."""
    # One process may read what another is still writing; then it compiles for itself.
    config.addinivalue_line("filterwarnings", "ignore:.*persistent compilation cache")
    if not hasattr(config, "workerinput"):
        config.stash[_folder] = tempfile.mkdtemp(prefix="halfseen-compiled-")
        hurry(config.stash[_folder])


def pytest_unconfigure(config: pytest.Config) -> None:
    if _folder in config.stash:
        shutil.rmtree(config.stash[_folder], ignore_errors=True)


def pytest_collection_finish() -> None:
    """Look for garbage less often: tracing makes much that lives, and little that is circular."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


@pytest.fixture(scope="module")
def double_precision() -> Iterator[None]:
    """The tests of a module in float64; the package itself never asks for it."""
    place = jax if hasattr(jax, "enable_x64") else jax.experimental  # depends on the age of JAX
    with place.enable_x64(True):
        yield
