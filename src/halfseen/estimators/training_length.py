"""How long members are trained: in rounds, as long as it pays, as entries put aside tell."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

from halfseen.base.estimator import TrainingInterrupted
from halfseen.estimators.predictive_settings import PredictiveSettings
from halfseen.learning.predictive_training import PredictiveState, Round

LEAST_OF_A_ROUND = 0.035  # part of the squared error that a round takes away, if another follows
_LONGER = 2  # times the last round is the next
_WORTH_A_ROUND = 0.5  # part of its steps for which there must be room

Train = Callable[[PredictiveState, range], Round]


class Trained(NamedTuple):
    """What training has led to, and how long it was."""

    state: PredictiveState
    n_kept: int  # steps that have led to it
    rounds: tuple[int, ...]  # steps of each that was begun
    left_over: tuple[float, ...]  # of the priors' squared error after each, where it was asked
    is_cut_short: bool  # somebody ended it before its time


def train_as_long_as_it_pays(
    train: Train,
    gain: Callable[[PredictiveState], float],
    is_over: Callable[[], bool],
    state: PredictiveState,
    settings: PredictiveSettings,
) -> Trained:
    """Rounds of training, each twice as long as the last, as long as the last one paid.

    Where columns hang together in a straight way, the prior says all there is to say of them, and a
    long training only learns rows by heart. A round that was too much is taken back. So is one that
    was cut short, unless it is the first: its rate of learning had not fallen yet. Ctrl-C between
    rounds ends training, with a warning.

    Parameters
    ----------
    train : callable
        Given a state and the numbers of the steps of a round.
    gain : callable
        The share of the priors' squared error that members of a state take away.
    is_over : callable
        Whether there is no time for another round.
    state : PredictiveState
        Where to start.
    settings : PredictiveSettings
        Steps of the first round, and of all rounds at most.

    Returns
    -------
    Trained
    """
    n_steps = settings.n_steps
    kept = last = train(state, range(n_steps))
    rounds, left_over = [n_steps], list[float]()
    is_cut_short = not last.is_whole
    try:
        while last.is_whole and settings.n_most_steps > settings.n_steps:
            left_over.append(1.0 - gain(last.state))
            if left_over[-1] == min(left_over):
                kept = last
            n_steps = _next_round(rounds[-1], settings.n_most_steps - last.n_taken)
            if not n_steps or not _has_paid(left_over) or is_over():
                break
            rounds.append(n_steps)
            last = train(last.state, range(last.n_taken, last.n_taken + n_steps))
            is_cut_short = not last.is_whole
    except KeyboardInterrupt:
        is_cut_short = True
        warnings.warn(
            "predictive training interrupted; the model keeps what whole rounds have taught it",
            TrainingInterrupted,
            stacklevel=2,
        )
    return Trained(kept.state, kept.n_taken, tuple(rounds), tuple(left_over), is_cut_short)


def _next_round(n_steps: int, room: int) -> int:
    """Steps of the round that follows one of so many; none if there is too little room for it."""
    wanted = _LONGER * n_steps
    return min(wanted, room) if room >= _WORTH_A_ROUND * wanted else 0


def _has_paid(left_over: Sequence[float]) -> bool:
    """Whether the last round has taken away enough of what was left, at first of everything."""
    *_, before, now = 1.0, *left_over
    return now <= (1.0 - LEAST_OF_A_ROUND) * before
