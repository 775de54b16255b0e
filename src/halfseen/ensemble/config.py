"""Every number of the default that depends on a table or on the effort, and the one rule for them.

All of it is smooth in the shape of the table: neighbouring shapes have neighbouring settings.
Constants that no table changes stand at the head of the module that uses them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Effort = Literal["fast", "default", "best"]
_PASSES = 30  # over the table
_TIMES: dict[Effort, float] = {"fast": 0.35, "default": 1.0, "best": 3.0}


@dataclass(frozen=True)
class Config:
    """Sizes and budgets of a fit."""

    n_folds: int  # each with a machine of its own
    n_hidden: int
    n_bins: int  # of each number
    batch_size: int
    n_steps: int
    learning_rate: float
    rank: int  # of the prior
    n_patterns: int  # rows whose missing units' covariance a round of EM finds
    n_trees: int  # of each forest
    n_boosting_rounds: int
    keep_features: float  # share of labelled rows whose features are not masked
    validation_fraction: float = 0.1
    patience: int = 2  # checks in a row that are clearly worse, after which training ends
    class_rank: int = 16
    n_search: int = 6  # steps of conjugate gradients in training
    n_search_predict: int = 25


def for_table(
    *,
    n_rows: int,
    n_units: int,
    n_numbers: int,
    share_observed: float,
    effort: Effort = "default",
    n_estimators: int | None = None,
    validation_fraction: float = 0.1,
) -> Config:
    """Settings for a table of this shape, of whose features this share is observed."""
    times = _TIMES[effort]
    batch_size = round(min(max(1.3 * n_rows**0.5, 16.0), 128.0))
    bins = 8 / (1 + (n_numbers / 350) ** 4)
    n_bins = round(bins) if round(bins) > 1 else 0  # one says nothing
    folds = min(max(4.5 - n_rows / 1500, 2.0), 4.0)  # short tables have few validation entries
    folds_of = {"fast": 1, "default": round(folds), "best": round(2 * folds)}
    n_folds = n_estimators or folds_of[effort]
    # Rows that are as incomplete as those that training masks need not be shown as they are.
    keep_features = max(0.0, share_observed - 0.5)
    return Config(
        n_folds=n_folds,
        n_hidden=round(min(max(n_rows / 10, 48.0), 200.0)),
        n_bins=n_bins,
        batch_size=batch_size,
        n_steps=round(times * min(max(_PASSES * n_rows / batch_size, 300.0), 2500.0)),
        learning_rate=2e-2
        * max(1.0, batch_size / 64) ** 0.5
        * min(1.0, 1000 / (n_units + bins * n_numbers)),
        rank=min(160, max(1, n_units - 1)),
        n_patterns=round(min(max(64 * (400 / n_units) ** 2, 8.0), 100.0)),
        n_trees=max(10, round(100 * min(times, 1.0) / max(n_folds, 2))),
        n_boosting_rounds=round(80 * min(1.0, 4 * keep_features) * min(times, 1.0)),
        keep_features=keep_features,
        validation_fraction=validation_fraction,
    )
