"""Which hidden units took part in a row."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from halfseen.explanations.hidden_layers import HiddenLayers
from halfseen.explanations.hidden_unit_part import ColumnPush, HiddenUnitPart
from halfseen.explanations.question import Question
from halfseen.tables import Schema

N_UNITS = 8
N_COLUMNS = 5


def hidden_unit_parts(
    layers: HiddenLayers,
    schema: Schema,
    questions: Sequence[Question],
    completed: NDArray[np.floating],
    observed: NDArray[np.bool_],
) -> tuple[HiddenUnitPart, ...]:
    """The hidden units that took part most in a row, with what moved them and what they moved.

    A unit takes part by what its activation, as against that of the average row, adds to the
    answers; where nothing is asked, by how far it is from its usual activation.

    Parameters
    ----------
    layers : HiddenLayers
        The machines.
    schema : Schema
        The columns.
    questions : sequence of Question
        What is asked of the row.
    completed : ndarray of float, shape (n_visible,)
        The row, completed.
    observed : ndarray of bool, shape (n_visible,)
        What was seen of it.

    Returns
    -------
    tuple of HiddenUnitPart
        At most eight.
    """
    activation = layers.activation(completed, observed)
    usual = layers.usual_activation()
    away = activation - usual
    pushes = [_input_weights(layers, question, completed) * away for question in questions]
    part = np.max(np.abs(pushes), axis=0) if pushes else np.abs(away)
    moved = layers.moved_by(layers.average, np.where(observed, completed, layers.average))
    of_column = np.zeros((layers.n_machines, len(schema.columns), moved.shape[2]))
    for machine in range(layers.n_machines):
        np.add.at(of_column[machine], schema.column_of_unit, moved[machine])
    strongest = np.argsort(-part, axis=None, kind="stable")[:N_UNITS]
    names = [column.name for column in schema.columns]
    asked = [question.column.name for question in questions]
    seen = np.unique(schema.column_of_unit[observed])
    parts = []
    for machine, unit in zip(*np.unravel_index(strongest, part.shape), strict=True):
        by = [(names[column], of_column[machine, column, unit]) for column in seen]
        to = [(name, push[machine, unit]) for name, push in zip(asked, pushes, strict=True)]
        parts.append(
            HiddenUnitPart(
                int(machine),
                int(unit),
                float(activation[machine, unit]),
                float(usual[machine, unit]),
                _strongest(by),
                _strongest(to),
            )
        )
    return tuple(parts)


def _input_weights(
    layers: HiddenLayers, question: Question, completed: NDArray[np.floating]
) -> NDArray[np.float64]:
    """What each hidden unit adds to the answer when it is on, (n_machines, n_hidden)."""
    weights = layers.weights[:, question.units]
    if question.is_number:
        scaled: NDArray[np.float64] = layers.visible_scale[:, question.units, None] * weights
        return scaled[:, 0]
    if not question.column.categories:
        return weights[:, 0]
    # Log-odds of one category against the others, each as probable as it is.
    share = completed[question.units].astype(np.float64).clip(0.0)
    share[question.code] = 0.0
    total = share.sum()
    share = share / total if total > 0 else share
    against: NDArray[np.float64] = np.einsum("c,mch->mh", share, weights)
    return weights[:, question.code] - against


def _strongest(pairs: list[tuple[str, float]]) -> tuple[ColumnPush, ...]:
    ordered = sorted(pairs, key=lambda pair: -abs(pair[1]))
    return tuple(ColumnPush(name, float(push)) for name, push in ordered[:N_COLUMNS] if push)
