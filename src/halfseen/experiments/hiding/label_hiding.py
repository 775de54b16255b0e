"""The ways to hide labels, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from halfseen.experiments.hiding.hide_completely_at_random import labels_at_random
from halfseen.experiments.hiding.hide_positives_only import (
    hide_all_but_positives,
    hide_positives_only,
)
from halfseen.experiments.hiding.hide_where_features import hide_where_features

# (Y, True where a feature is missing, rate, seed) -> True where hidden
HideLabels = Callable[[NDArray[np.float64], NDArray[np.bool_], float, int], NDArray[np.bool_]]

LABEL_HIDING: Mapping[str, HideLabels] = MappingProxyType(
    {
        "at_random": labels_at_random,
        "positives_only": hide_positives_only,
        "all_but_positives": hide_all_but_positives,
        "where_features": hide_where_features,
    }
)

# These treat ones and zeros differently, which would tear a row that is one class.
FOR_LABELS_ONLY = frozenset({"positives_only", "all_but_positives"})
