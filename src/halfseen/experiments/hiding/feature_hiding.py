"""The ways to hide features, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from halfseen.experiments.hiding.hide_blocks import hide_blocks
from halfseen.experiments.hiding.hide_by_other_columns import hide_by_other_columns
from halfseen.experiments.hiding.hide_by_own_value import hide_by_own_value
from halfseen.experiments.hiding.hide_completely_at_random import features_at_random
from halfseen.experiments.hiding.hide_exact_per_row import hide_exact_per_row
from halfseen.experiments.hiding.untied_ranks import untied_ranks

_OWN_STREAM = 15_485_863

# (X, rate, seed) -> True where hidden
HideFeatures = Callable[[NDArray[np.float64], float, int], NDArray[np.bool_]]


def _untied(hide: HideFeatures) -> HideFeatures:
    def hide_untied(X: NDArray[np.float64], rate: float, seed: int) -> NDArray[np.bool_]:
        return hide(untied_ranks(X, np.random.default_rng([seed, _OWN_STREAM])), rate, seed)

    return hide_untied


FEATURE_HIDING: Mapping[str, HideFeatures] = MappingProxyType(
    {
        "at_random": features_at_random,
        "exact_per_row": hide_exact_per_row,
        "by_other_columns": _untied(hide_by_other_columns),
        "by_own_value": _untied(hide_by_own_value),
        "blocks": hide_blocks,
    }
)
