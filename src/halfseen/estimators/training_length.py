"""How long members are trained: in rounds, as long as it pays, as entries put aside tell."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from halfseen.estimators.predictive_settings import PredictiveSettings
from halfseen.learning.predictive_training import PredictiveState

LEAST_OF_A_ROUND = 0.03  # part of the squared error that a round takes away, if another follows
_LONGER = 2  # times the last round is the next
_WORTH_A_ROUND = 0.5  # part of its steps for which there must be room

Train = Callable[[PredictiveState, range], tuple[PredictiveState, int]]


class Trained(NamedTuple):
    """What training has led to, and how long it was."""

    state: PredictiveState
    rounds: tuple[int, ...]  # steps of each
    left_over: tuple[float, ...]  # of the priors' squared error after each, where it was asked
    n_taken: int

    @property
    def is_cut_short(self) -> bool:
        """Whether somebody ended it before its time."""
        return self.n_taken < sum(self.rounds)


def train_as_long_as_it_pays(
    train: Train,
    gain: Callable[[PredictiveState], float],
    state: PredictiveState,
    settings: PredictiveSettings,
) -> Trained:
    """Rounds of training, each twice as long as the last, as long as the last one paid.

    Where columns hang together in a straight way, the prior says all there is to say of them, and a
    long training only learns rows by heart. A round that was too much is taken back.

    Parameters
    ----------
    train : callable
        Given a state and the numbers of the steps of a round; returns the state after them, and
        how many have been taken by then.
    gain : callable
        The share of the priors' squared error of features that members of a state take away.
    state : PredictiveState
        Where to start.
    settings : PredictiveSettings
        Steps of the first round, and of all rounds at most.

    Returns
    -------
    Trained
    """
    n_steps = settings.n_steps
    state, n_taken = train(state, range(n_steps))
    best, rounds, left_over = state, [n_steps], list[float]()
    if settings.n_most_steps == n_steps:
        return Trained(state, (n_steps,), (), n_taken)
    while n_taken == sum(rounds):  # nobody has ended it
        left_over.append(1.0 - gain(state))
        if left_over[-1] == min(left_over):
            best = state
        n_steps = _next_round(rounds[-1], settings.n_most_steps - n_taken)
        if not n_steps or not _has_paid(left_over):
            break
        rounds.append(n_steps)
        state, n_taken = train(state, range(n_taken, n_taken + n_steps))
    # Of a later round that was cut short, whose rate had not fallen yet, nothing is kept.
    kept = best if left_over else state
    return Trained(kept, tuple(rounds), tuple(left_over), n_taken)


def _next_round(n_steps: int, room: int) -> int:
    """Steps of the round that follows one of so many; none if there is too little room for it."""
    wanted = _LONGER * n_steps
    return min(wanted, room) if room >= _WORTH_A_ROUND * wanted else 0


def _has_paid(left_over: Sequence[float]) -> bool:
    """Whether the last round has taken away enough of what was left, at first of everything."""
    *_, before, now = 1.0, *left_over
    return now <= (1.0 - LEAST_OF_A_ROUND) * before
