"""What all tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from exact.compiled import precision


@pytest.fixture(scope="module")
def double_precision() -> Iterator[None]:
    """The tests of a module in float64; the package itself never asks for it."""
    with precision(double=True):
        yield
