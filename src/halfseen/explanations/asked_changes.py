"""How far columns move each other, as the ensemble answers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.rbm_base import RBMBase
from halfseen.explanations.column_states import ColumnState
from halfseen.explanations.question import log_odds_of, probabilities_of
from halfseen.explanations.unpinned_rows import completer_of


def asked_changes(
    model: RBMBase, states: Sequence[ColumnState], targets: Sequence[ColumnState]
) -> NDArray[np.float64]:
    """Change of every target when a source goes from low to high, by asking the model.

    In models with labels all features stand at their average and the other labels are unknown; in
    models without, nothing but the source is known.

    Parameters
    ----------
    model : HalfseenClassifier or HalfseenImputer
        A fitted model.
    states, targets : sequence of ColumnState
        Sources and targets.

    Returns
    -------
    ndarray of float64, shape (n_targets, n_states)
        Log-odds, for numbers standard deviations; meaningless within one column.
    """
    schema = model.schema_
    average = schema.marginals.astype(np.float32)
    known = ~schema.is_target_unit if schema.targets else np.zeros(schema.n_visible, bool)
    rows = np.tile(np.where(known, average, np.float32(0)), (2 * len(states), 1))
    observed = np.tile(known, (2 * len(states), 1))
    for k, state in enumerate(states):
        for row, end in ((2 * k, state.low), (2 * k + 1, state.high)):
            rows[row, state.units] = end
            observed[row, state.units] = True
    completed = completer_of(model, "model")(rows, observed)
    changes = np.zeros((len(targets), len(states)))
    for t, target in enumerate(targets):
        units = completed[:, target.units].astype(np.float64)
        if target.is_number:
            levels = units[:, 0]
        else:
            column = schema.columns[target.index]
            levels = log_odds_of(probabilities_of(column, units), target.code)
        changes[t] = levels[1::2] - levels[::2]
    return changes
