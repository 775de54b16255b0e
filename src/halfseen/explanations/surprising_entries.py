"""Which observed entries of a row do not fit the rest of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.rbm_base import RBMBase
from halfseen.explanations.likelihood_machine import likelihood_machine
from halfseen.explanations.question import Question, probabilities_of, question_about
from halfseen.explanations.rows_read import RowsRead
from halfseen.explanations.surprising_entry import SurprisingEntry
from halfseen.explanations.unpinned_rows import unpinned_rows


def surprising_entries(
    model: RBMBase, read: RowsRead, n_entries: int
) -> tuple[tuple[SurprisingEntry, ...], ...]:
    """The entries of each row that are farthest from what the rest of the row leads to expect.

    Parameters
    ----------
    model : HalfseenClassifier or HalfseenImputer
        A fitted model; it answers as ``transform`` does. How far a number may lie from the answer
        is what the ensemble says, but not less than the deviation of the machine's unit.
    read : RowsRead
        The rows.
    n_entries : int
        The most entries to give of each row.

    Returns
    -------
    tuple of tuple of SurprisingEntry
        Per row, the most surprising first.
    """
    schema = model.schema_
    machine = likelihood_machine(model, "telling which entries surprise")
    of_unit = _own_spread(machine.log_variance)

    def completed_and_spread(
        visible: NDArray[np.float32], observed: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """Completed units, followed by the spread of every number, as one array."""
        spread = np.tile(of_unit, (len(visible), 1))
        if model.prediction_ is not None:
            completed, of_ensemble = model.prediction_.complete_with_spread(visible, observed)
            spread = np.maximum(spread, of_ensemble)
        else:
            completed = machine.complete(visible, observed)
        return np.concatenate([completed.astype(np.float64), spread], axis=1)

    rows = unpinned_rows(schema, read.encoded, completed_and_spread)
    result = []
    for position, row in enumerate(rows):
        entries = []
        for k, column in enumerate(row.columns):
            answer = row.completed[k + 1 : k + 2]
            question = question_about(schema, int(column), answer)
            entries.append(_entry(model, read, position, question, answer))
        entries.sort(key=lambda entry: -entry.surprise)
        result.append(tuple(entries[:n_entries]))
    return tuple(result)


def _own_spread(log_variance: NDArray[np.float32]) -> NDArray[np.float64]:
    """Standard deviation of a Gaussian unit given the hidden ones, averaged over machines."""
    spread: NDArray[np.float64] = np.exp(0.5 * log_variance.astype(np.float64)).mean(axis=0)
    return spread


def _entry(
    model: RBMBase,
    read: RowsRead,
    position: int,
    question: Question,
    answer: NDArray[np.floating],
) -> SurprisingEntry:
    units = read.encoded.visible[position, question.units].astype(np.float64)
    value = read.cell(position, question.index)
    expected = question.value(model, answer)
    name = question.column.name
    if question.is_number:
        unit = question.units.start
        spread = float(answer[0, model.schema_.n_visible + unit])
        distance = float(units[0] - answer[0, unit]) / spread
        return SurprisingEntry(name, value, expected, None, distance, 0.5 * distance**2)
    shares = probabilities_of(question.column, answer[:, question.units])[0]
    if question.column.categories:
        probability = float(shares[int(np.argmax(units))])
    else:
        # Grey levels between 0 and 1 count as mixtures of both.
        probability = float(units[0] * shares[0] + (1.0 - units[0]) * (1.0 - shares[0]))
    return SurprisingEntry(name, value, expected, probability, None, -float(np.log(probability)))
