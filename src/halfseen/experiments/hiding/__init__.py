"""Hiding entries of a table, so that what a method says of them can be scored."""

from halfseen.experiments.hiding.feature_hiding import FEATURE_HIDING as FEATURE_HIDING
from halfseen.experiments.hiding.hidden_table import HiddenTable as HiddenTable
from halfseen.experiments.hiding.hide import hide as hide
from halfseen.experiments.hiding.hide_blocks import hide_blocks as hide_blocks
from halfseen.experiments.hiding.hide_by_other_columns import (
    hide_by_other_columns as hide_by_other_columns,
)
from halfseen.experiments.hiding.hide_by_own_value import hide_by_own_value as hide_by_own_value
from halfseen.experiments.hiding.hide_completely_at_random import (
    hide_completely_at_random as hide_completely_at_random,
)
from halfseen.experiments.hiding.hide_exact_per_row import hide_exact_per_row as hide_exact_per_row
from halfseen.experiments.hiding.hide_positives_only import (
    hide_all_but_positives as hide_all_but_positives,
)
from halfseen.experiments.hiding.hide_positives_only import (
    hide_positives_only as hide_positives_only,
)
from halfseen.experiments.hiding.hide_where_features import (
    hide_where_features as hide_where_features,
)
from halfseen.experiments.hiding.hide_with_new_rows import hide_with_new_rows as hide_with_new_rows
from halfseen.experiments.hiding.label_hiding import LABEL_HIDING as LABEL_HIDING

__all__ = [
    "FEATURE_HIDING",
    "LABEL_HIDING",
    "HiddenTable",
    "hide",
    "hide_all_but_positives",
    "hide_blocks",
    "hide_by_other_columns",
    "hide_by_own_value",
    "hide_completely_at_random",
    "hide_exact_per_row",
    "hide_positives_only",
    "hide_where_features",
    "hide_with_new_rows",
]
