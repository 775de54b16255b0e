"""How labels and features of a model hang together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from halfseen.estimators.rbm_base import RBMBase
from halfseen.explanations.asked_changes import asked_changes
from halfseen.explanations.column_states import ColumnState, column_states
from halfseen.explanations.coupling import Coupling
from halfseen.explanations.hidden_layer_changes import hidden_layer_changes

_SHOWN = 10


@dataclass(frozen=True)
class Couplings:
    """How labels and features of a model hang together, the strongest couplings first.

    Attributes
    ----------
    label_label : tuple of Coupling
        Between labels or class columns, each pair once.
    feature_label : tuple of Coupling
        From features to labels or classes.
    feature_feature : tuple of Coupling
        Between features, each pair once; only of models without labels.
    origin : {"machine", "ensemble"}
        Whether they are those of the likelihood-trained machine or, where there is none, of the
        ensemble.

    Examples
    --------
    >>> print(Couplings((Coupling("rain", None, "wet", None, 2.0, 1.0),), (), (), "machine"))
    labels
      rain -> wet: +2
    """

    label_label: tuple[Coupling, ...]
    feature_label: tuple[Coupling, ...]
    feature_feature: tuple[Coupling, ...]
    origin: Literal["machine", "ensemble"]

    def __str__(self) -> str:
        parts = (
            ("labels", self.label_label),
            ("features and labels", self.feature_label),
            ("features", self.feature_feature),
        )
        lines = []
        for name, part in parts:
            if part:
                lines += [name, *(f"  {each}" for each in part[:_SHOWN])]
        return "\n".join(lines)


def couplings(model: RBMBase, top: int | None = None) -> Couplings:
    r"""Which labels go together, and which features speak for which label.

    A coupling is the change of the log-odds of a target (a label, or a class) when a source goes
    from low to high while everything else stands at its average: a number from half a standard
    deviation below its average to half of one above, a label or binary column from 0 to 1, a
    category from any other one to this one. In the likelihood-trained machine the hidden units can
    be summed out, and the log-odds of a label k are exactly

    .. math:: a_k + \sum_j [\log(1 + e^{\theta_j + w_{kj}}) - \log(1 + e^{\theta_j})],
              \quad \theta_j = b_j + \sum_{i \ne k} v_i w_{ij},

    likewise those of a class, against all others. For small weights the change is the second order
    term :math:`\sum_j w_{ij} w_{kj} s_j (1 - s_j)`, with s_j the activation of the average row.
    Between two labels it is the logarithm of their odds ratio, the same in both directions. A
    number as target, in models without labels, moves by
    :math:`\sigma_k^2 \sum_j w_{kj} \Delta s_j`, in its standard deviations. Several machines are
    averaged.

    Without a likelihood-trained machine the ensemble is asked: features at their average, labels
    other than the source unknown; in models without labels, everything but the source unknown.

    Parameters
    ----------
    model : HalfseenClassifier or HalfseenImputer
        A fitted model.
    top : int or None
        The most couplings to give of each kind; None gives all.

    Returns
    -------
    Couplings

    Examples
    --------
    >>> from halfseen.explanations.example_model import example_model
    >>> model = example_model()  # any fitted model
    >>> print(couplings(model, top=2))
    labels
      ill -> tired: +0.741
    features and labels
      age -> ill: +0.385
      smokes -> ill: +0.559
    """
    check_is_fitted(model)
    schema = model.schema_
    states = column_states(schema)
    n_features = len(schema.features)
    targets = tuple(state for state in states if state.index >= n_features) or states
    source_column = np.array([state.index for state in states])
    target_column = np.array([state.index for state in targets])[:, None]
    once = source_column < target_column
    within = once & (source_column >= n_features) if schema.targets else once
    into = (source_column < n_features) & (target_column >= n_features)
    if model.machine_ is not None:
        changes = hidden_layer_changes(model.schema_, model.machine_, states, targets)
    else:
        changes = asked_changes(model, states, targets)
    source_spread = np.array([state.deviation for state in states])
    target_spread = np.array([state.deviation for state in targets])[:, None]
    both_spreads = np.sqrt(source_spread * target_spread)
    pairs = _ranked(states, targets, changes, changes * both_spreads, within, top)
    return Couplings(
        label_label=pairs if schema.targets else (),
        feature_label=_ranked(states, targets, changes, changes * source_spread, into, top),
        feature_feature=() if schema.targets else pairs,
        origin="ensemble" if model.machine_ is None else "machine",
    )


def _ranked(
    states: Sequence[ColumnState],
    targets: Sequence[ColumnState],
    changes: NDArray[np.float64],
    strengths: NDArray[np.float64],
    wanted: NDArray[np.bool_],
    top: int | None,
) -> tuple[Coupling, ...]:
    rows, columns = np.nonzero(wanted)
    order = np.argsort(-np.abs(strengths[rows, columns]), kind="stable")[:top]
    return tuple(
        Coupling(
            states[s].name,
            states[s].category,
            targets[t].name,
            targets[t].category,
            float(changes[t, s]),
            float(strengths[t, s]),
        )
        for t, s in zip(rows[order], columns[order], strict=True)
    )
