"""What the hidden units of a model respond to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from halfseen.estimators.rbm_base import RBMBase
from halfseen.explanations.column_states import column_states
from halfseen.explanations.hidden_layers import hidden_layers
from halfseen.explanations.printed_value import printed_value

_SHOWN = 5


@dataclass(frozen=True)
class UnitWeight:
    """How a hidden unit responds to a column, or to one of its categories.

    Attributes
    ----------
    column : str
        The column.
    category : str, float, int, bool or None
        The category, where the column has some.
    weight : float
        Log-odds of the unit per standard deviation of the column, or of the event that it is this
        category.

    Examples
    --------
    >>> print(UnitWeight("colour", "red", 0.75))
    colour=red +0.75
    """

    column: str
    category: Any
    weight: float

    def __str__(self) -> str:
        name = self.column
        if self.category is not None:
            name = f"{name}={printed_value(self.category)}"
        return f"{name} {self.weight:+.3g}"


@dataclass(frozen=True)
class HiddenUnitSummary:
    """A hidden unit, by what it responds to.

    Attributes
    ----------
    machine : int
        Which machine of the model, counted from 0; members of the ensemble if there is no
        likelihood-trained machine.
    unit : int
        Which hidden unit of it, counted from 0.
    bias : float
        Its bias b_j.
    activation : float
        Probability that it is on in a row in which every column stands at its average.
    strength : float
        Root of the sum of the squares of all its weights, by which units are ranked.
    responds_to : tuple of UnitWeight
        The strongest first.

    Examples
    --------
    >>> print(HiddenUnitSummary(0, 3, -1.0, 0.25, 0.75, (UnitWeight("colour", "red", 0.75),)))
    hidden unit 3 (25 % on in the average row): colour=red +0.75
    """

    machine: int
    unit: int
    bias: float
    activation: float
    strength: float
    responds_to: tuple[UnitWeight, ...]

    def __str__(self) -> str:
        shown = ", ".join(map(str, self.responds_to[:_SHOWN]))
        on = f"{100 * self.activation:.0f} % on in the average row"
        return f"hidden unit {self.unit} ({on}): {shown}"


def hidden_units(
    model: RBMBase, top: int = 10, n_columns: int = 10
) -> tuple[HiddenUnitSummary, ...]:
    """The hidden units that respond most strongly, each with what it responds to.

    Of the likelihood-trained machine; of the ensemble if there is none. The weight of a column is
    the change of the unit's input ``b_j + sum_i v_i w_ij`` when the column goes from low to high (a
    number by one standard deviation, a label or binary column from 0 to 1, a category from any
    other one to this one), times the standard deviation of that event.

    Parameters
    ----------
    model : HalfseenClassifier or HalfseenImputer
        A fitted model.
    top : int, default=10
        The most units to give.
    n_columns : int, default=10
        The most columns to give of each.

    Returns
    -------
    tuple of HiddenUnitSummary
        The strongest first.

    Examples
    --------
    >>> from halfseen.explanations.example_model import example_model
    >>> model = example_model()  # any fitted model
    >>> for unit in hidden_units(model, top=2, n_columns=3):
    ...     print(unit)
    hidden unit 0 (51 % on in the average row): age +1.2, ill +0.882, tired +0.55
    hidden unit 2 (59 % on in the average row): town=Bern +1.15, town=Lund -1.01, town=Pisa -0.275
    """
    layers = hidden_layers(model)
    states = column_states(model.schema_)
    usual = layers.usual_activation()
    weights = np.zeros((len(states), *usual.shape))  # (n_states, n_machines, n_hidden)
    for k, state in enumerate(states):
        low, high = layers.average.copy(), layers.average.copy()
        low[state.units], high[state.units] = state.low, state.high
        change = layers.widened(high) - layers.widened(low)
        weights[k] = np.einsum("u,muh->mh", change, layers.weights) * state.deviation
    strength = np.sqrt((weights**2).sum(axis=0))
    strongest = np.argsort(-strength, axis=None, kind="stable")[:top]
    summaries = []
    for machine, unit in zip(*np.unravel_index(strongest, strength.shape), strict=True):
        own = weights[:, machine, unit]
        order = np.argsort(-np.abs(own), kind="stable")[:n_columns]
        summaries.append(
            HiddenUnitSummary(
                int(machine),
                int(unit),
                float(layers.hidden_bias[machine, unit]),
                float(usual[machine, unit]),
                float(strength[machine, unit]),
                tuple(UnitWeight(states[k].name, states[k].category, float(own[k])) for k in order),
            )
        )
    return tuple(summaries)
