"""Fitted models, by kind of target."""

from __future__ import annotations

from typing import Any

import pytest

from explain.models import ALL_KINDS, fitted


@pytest.fixture(scope="package")
def models() -> dict[str, Any]:
    return {kind: fitted(kind) for kind in ALL_KINDS}
