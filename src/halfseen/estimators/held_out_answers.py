"""What members and readers of features say of the entries that were put aside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.blind_readers import BlindReaders, BlindSaid
from halfseen.estimators.ensemble import ROWS_AT_ONCE, Ensemble
from halfseen.estimators.ensemble_answers import Answers
from halfseen.estimators.fits_side_by_side import fits_side_by_side
from halfseen.estimators.fitted_prediction import (
    discrete_candidates,
    judged_candidates,
    spread_of,
    target_candidates,
)
from halfseen.learning.held_out import HeldOut
from halfseen.tables import EncodedTable


class Said(NamedTuple):
    """What all candidates say of judged rows: of features where they are judged, of all targets."""

    numbers: NDArray[np.float64]  # (n_candidates, n_numbers), of judged numbers, row by row
    spread: NDArray[np.float64]  # (n_numbers,), how far from them the truth is expected
    truth: NDArray[np.float64]  # (n_kinds + 1, n_entries), given to it in other judged features
    targets: NDArray[np.float64]  # (n_candidates, n_judged_rows, n_target_units)


class HeldOutAnswers(NamedTuple):
    """What the members of one fold say of the entries put aside in it."""

    known: Said  # with the other labels of the row shown
    new: Said  # with all labels of the row hidden
    truth: NDArray[np.float32]  # (n_judged_rows, n_visible)
    judged: NDArray[np.bool_]  # (n_judged_rows, n_visible)
    shown: NDArray[np.bool_]  # (n_judged_rows, n_visible)
    n_blind: int  # candidates for targets, the last ones, that read no labels
    n_of_classes: int  # of them, the last ones, those whose sureness is not to be trusted


def held_out_answers(
    ensemble: Ensemble,
    blind: Sequence[BlindReaders],
    encoded: EncodedTable,
    folds: list[HeldOut],
) -> list[HeldOutAnswers]:
    """What members of every fold, and its readers of features, say of the entries put aside."""
    return fits_side_by_side(
        lambda place: _of_fold(_OfFold(ensemble, blind[place], place), encoded, folds[place]),
        range(len(folds)),
    )


class _OfFold(NamedTuple):
    """Who has learned from what one fold shows."""

    ensemble: Ensemble
    blind: BlindReaders
    place: int


def _of_fold(own: _OfFold, encoded: EncodedTable, fold: HeldOut) -> HeldOutAnswers:
    """Of rows in which something is judged, some at a time.

    Of all of them at once, what is said would take more room than many a table.
    """
    asked = np.flatnonzero(fold.judging.any(axis=1))
    if not len(asked):
        asked = np.arange(1)  # nothing is judged in it, but it tells the shapes of what is said
    visible, observed = encoded.rows(fold.judged_rows[asked])
    judged = fold.judging[asked]
    shown = observed & ~judged
    heard = []
    for first in range(0, len(asked), ROWS_AT_ONCE):
        rows = slice(first, first + ROWS_AT_ONCE)
        heard.append(_heard(own, visible[rows], shown[rows], judged[rows]))
    known, new = zip(*heard, strict=True)
    counts = len(own.blind.names), own.blind.n_of_classes
    return HeldOutAnswers(_joined(known), _joined(new), visible, judged, shown, *counts)


def _heard(
    own: _OfFold,
    visible: NDArray[np.float32],
    shown: NDArray[np.bool_],
    judged: NDArray[np.bool_],
) -> tuple[Said, Said]:
    """What is said of rows as they are, and of the same rows with all labels hidden."""
    ensemble = own.ensemble
    is_target = ensemble.shape.columns.is_target_unit
    answers = ensemble.answers_of_fold(own.place, visible, shown)
    of_blind = own.blind.said_of_fold(own.place, ensemble, answers, visible, shown)
    known = _said(own, answers, visible, shown, judged, of_blind)
    labelled = np.flatnonzero(shown[:, is_target].any(axis=1))
    if not len(labelled):
        return known, known
    without = ensemble.answers_of_fold(own.place, visible[labelled], shown[labelled] & ~is_target)
    for whole, part in zip(answers, without, strict=True):
        whole[:, labelled] = part
    return known, _said(own, answers, visible, shown & ~is_target, judged, of_blind)


def _joined(parts: Sequence[Said]) -> Said:
    numbers, spread, truth, targets = zip(*parts, strict=True)
    return Said(
        np.concatenate(numbers, axis=1),
        np.concatenate(spread),
        np.concatenate(truth, axis=1),
        np.concatenate(targets, axis=1),
    )


def _said(
    own: _OfFold,
    answers: Answers,
    visible: NDArray[np.float32],
    shown: NDArray[np.bool_],
    judged: NDArray[np.bool_],
    of_blind: BlindSaid,
) -> Said:
    ensemble = own.ensemble
    columns = ensemble.shape.columns
    n_gaussian = columns.wide.layer.n_gaussian
    numbers = judged[:, :n_gaussian]
    discrete = discrete_candidates(ensemble, answers)
    features = (judged & ~columns.is_target_unit)[:, n_gaussian:]
    more = own.blind.numbers(ensemble, of_blind, visible, shown)[:, numbers]
    return Said(
        np.concatenate([judged_candidates(answers, ensemble.n_kinds, numbers), more]),
        spread_of(answers)[numbers],
        truth_probability(
            discrete, visible[:, n_gaussian:], features, columns.wide.layer.n_bernoulli
        ),
        target_candidates(ensemble, discrete, of_blind.targets),
    )


def truth_probability(
    said: NDArray[np.float64],
    truth: NDArray[np.float32],
    judged: NDArray[np.bool_],
    n_bernoulli: int,
) -> NDArray[np.float64]:
    """What each candidate gave to the truth of judged entries, Bernoulli units before groups.

    Parameters
    ----------
    said : ndarray of shape (n_candidates, n_rows, n_discrete)
        Probabilities of all discrete units, of which so many are Bernoulli units.
    truth, judged : ndarray of shape (n_rows, n_discrete)
        What they are, and which of them count.

    Returns
    -------
    ndarray of shape (n_candidates, n_entries)

    Examples
    --------
    >>> said = np.array([[[0.25, 0.5, 0.5]]])
    >>> truth_probability(said, np.array([[0.0, 1.0, 0.0]]), np.ones((1, 3), bool), 1)
    array([[0.75, 0.5 ]])
    """
    is_bernoulli = np.arange(judged.shape[1]) < n_bernoulli
    binary = judged & is_bernoulli
    on = said[:, binary]
    of_binary = truth[binary] * on + (1 - truth[binary]) * (1 - on)
    return np.concatenate([of_binary, said[:, judged & ~is_bernoulli & (truth > 0.5)]], axis=1)
