"""What all tests share."""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
from collections.abc import Iterator

import pytest

from exact.compiled import precision
from hurry import AS_IN_USE, hurry

_folder = pytest.StashKey[str]()


def pytest_configure(config: pytest.Config) -> None:
    """Compile in a hurry, in this process and in the workers that it starts."""
    config.addinivalue_line(
        "markers", "as_in_use: of bits that hang on how programs are compiled; see test_as_in_use"
    )
    # One process may read what another is still writing; then it compiles for itself.
    config.addinivalue_line("filterwarnings", "ignore:.*persistent compilation cache")
    is_worker = hasattr(config, "workerinput")
    if not is_worker and AS_IN_USE not in os.environ:
        config.stash[_folder] = tempfile.mkdtemp(prefix="halfseen-compiled-")
        hurry(config.stash[_folder])


def pytest_unconfigure(config: pytest.Config) -> None:
    if _folder in config.stash:
        shutil.rmtree(config.stash[_folder], ignore_errors=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What is to be tested without hurry is not tested in a hurry as well."""
    runs_long = "not long" not in config.option.markexpr
    if runs_long and any(item.path.name == "test_as_in_use.py" for item in items):
        left = [item for item in items if item.get_closest_marker("as_in_use")]
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]


def pytest_collection_finish() -> None:
    """Look for garbage less often: tracing makes much that lives, and little that is circular."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 50, 100)


@pytest.fixture(scope="module")
def double_precision() -> Iterator[None]:
    """The tests of a module in float64; the package itself never asks for it."""
    with precision(double=True):
        yield
