"""Fitted models, by kind of target."""

from __future__ import annotations

from typing import Any

import pytest

from halfseen import RBMClassifier, RBMImputer
from rbm.tables import KINDS, LIGHT, mixed_table, targets

TABLE = mixed_table(80)
NEW = mixed_table(30, seed=5, missing=0.3)
ALL_KINDS = (*KINDS, "imputer")


def y_of(kind: str) -> Any:
    """Targets of the new rows, of which some are unknown; None for the imputer."""
    return None if kind == "imputer" else targets(NEW, kind)


def fitted(kind: str, **settings: Any) -> Any:
    """A model of the mixed table."""
    options = {**LIGHT, **settings}
    if kind == "imputer":
        return RBMImputer(**options).fit(TABLE)
    return RBMClassifier(**options).fit(TABLE, targets(TABLE, kind))


@pytest.fixture(scope="package")
def models() -> dict[str, Any]:
    return {kind: fitted(kind, validation_fraction=0.3) for kind in ALL_KINDS}
