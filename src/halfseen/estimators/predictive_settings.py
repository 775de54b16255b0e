"""How much work predictive training may take, fixed by the shape of a table and the effort."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from halfseen.learning.epoch import padded_rows
from halfseen.learning.prior_fit import MOST_ROWS, MOST_UNITS_OF_FULL_RANK
from halfseen.learning.table_source import STEPS_AT_ONCE

Effort = Literal["fast", "default", "best"]

_OPERATIONS = {"fast": 0.23e12, "default": 0.64e12, "best": 2.3e12}  # of one member
_MORE_FOR_ROWS = {"fast": 0.5, "default": 1.0, "best": 1.0}  # power of the number of rows
_FOLDS = {"fast": 1, "default": 2, "best": 4}
_FEW_ROWS, _VERY_FEW_ROWS = 1000, 700
_FOLDS_OF_FEW = {"fast": 1, "default": 4, "best": 8}  # few entries are put aside in each
_PASSES = {"fast": 8, "default": 24, "best": 48}
_UNITS_OF_PASSES = 600  # tables of fewer units pass more often, up to three times
_UNITS_OF_PASSES_OF_VERY_FEW = 250  # rows, which have fewer knots
_MOST_TIMES = 3.0
_UNITS_OF_RATE = 1000  # tables of more units take smaller steps, and a few more
_MOST_TIMES_OF_MANY = {1: 1.2, 2: 1.33}  # by the parts of a minibatch: halves take less time
_PART_OF_UNSEEN, _SEEN_OF_ALL_PASSES = 0.58, 0.5  # steps are dear there, and less is to be learned
_STEPS_OF_RATE = 3000  # who takes more steps takes smaller ones, by the root of their number
_FEWEST_STEPS = {"fast": 200, "default": 400, "best": 600}
_FIRST_ROUND, _FIRST_ROUND_OF_FEW = 0.6, 0.45  # times the passes, where others may follow
_ALL_ROUNDS = 4.2
_FEWEST_STEPS_OF_A_ROUND = {"default": 250, "best": 400}
_MANY_ROWS = 6000
_MANY_SEEN = 3000  # rows, if what is seen stood in whole ones
_NARROW = 250
_WIDE = 400
_MANY_NUMBERS = 40
_MOST_STEPS = {"fast": 1000, "default": 3000, "best": 8000}
_MOST_STEPS_OF_MANY = {"fast": 1000, "default": 2000, "best": 8000}
_MOST_STEPS_OF_ONE_KIND = 1400  # where there is but one
_FEW_STEPS_OF_ONE_KIND = 1000  # and rows are not so many
_LONG_ROWS = 8000  # beyond which they grow by the root of the number of rows
_MOST_LONGER = {"fast": 1.0, "default": 2.0, "best": 1.0}
_MORE_PASSES = 5 / 3
_SHRINKAGES = (0.002, 0.02, 0.05, 0.15, 0.4, 0.7, 0.9)
_SHRINKAGES_OF_MANY = (0.002, 0.02, 0.05, 0.15)
_ROWS_PER_UNIT = 5  # below which a covariance is mostly noise
_PAIRS_PER_UNIT = 50  # from which on it is hardly any
_TREES = {"fast": 25, "default": 64, "best": 400}  # of every target, in all folds together
_TREES_OF_FEW = {"fast": 25, "default": 48, "best": 400}
_OF_KINDS = ("learning_rate", "weight_decay")
_OF_BUDGET = {
    "n_hidden": "n_hidden",
    "batch_size": "batch_size",
    "held_out_share": "held_out_share",
    "n_machines": "n_folds",
    "label_weight": "label_weight",
}
_SHARES = ("held_out_share", "label_weight")


@dataclass(frozen=True)
class Kind:
    """One way to train a member; members of several kinds are blended by held-out entries."""

    name: str
    prior_sees_labels: bool
    learning_rate: float
    weight_decay: float
    most_hidden: float
    dropped: float


_HALF = 0.5
CAREFUL = Kind("careful", False, 1.2e-2, 1e-2, 0.9, _HALF)
CAREFUL_WITH_LABELS = Kind("careful, prior over labels", True, 1.2e-2, 1e-2, 0.9, _HALF)
BOLD = Kind("bold", False, 2e-2, 0.0, 0.6, 0.0)
BOLD_WITH_LABELS = Kind("bold, prior over labels", True, 2e-2, 0.0, 0.6, 0.1)


@dataclass(frozen=True)
class PredictiveSettings:
    """The resolved budget of predictive training."""

    n_hidden: int
    n_knots: int
    n_sweeps: int
    n_search_steps: int  # in training; answers take n_answer_search_steps
    n_answer_search_steps: int
    batch_size: int
    n_steps: int
    n_most_steps: int  # with those of further rounds, which are taken where they pay
    n_folds: int
    held_out_share: float
    label_weight: float
    kinds: tuple[Kind, ...]
    shrinkages: tuple[float, ...]  # of the prior, to choose from; none for the usual one
    n_trees: int  # of every fold and target column, pooled with the members; 0 for none
    sees_missing: bool = False
    class_gaussians: bool = True  # pooled with the members, where there is one target
    boosts: bool = True  # trees, likewise

    @property
    def n_parts(self) -> int:
        """Parts of a minibatch among which hidden units are shared out in training.

        One, where rows or units cannot be halved.
        """
        return n_parts_of(self.kinds) if self.n_hidden % 2 == self.batch_size % 2 == 0 else 1

    @property
    def n_members(self) -> int:
        """Members of the ensemble: every kind in every fold."""
        return self.n_folds * len(self.kinds)


def n_parts_of(kinds: tuple[Kind, ...]) -> int:
    """Parts of a minibatch among which hidden units may be shared out.

    Two where all members leave out half of the hidden units: steps then take half as many
    operations.

    Examples
    --------
    >>> n_parts_of((CAREFUL, CAREFUL_WITH_LABELS)), n_parts_of((CAREFUL_WITH_LABELS, BOLD))
    (2, 1)
    """
    return 2 if all(kind.dropped == _HALF for kind in kinds) else 1


def with_users_choices(
    budget: PredictiveSettings, given: Mapping[str, Any], n_rows: int
) -> PredictiveSettings:
    """A budget with everything that is not "auto" in ``given`` put over it.

    A learning rate or a decay of the weights holds for members of every kind; ``n_epochs`` bounds
    the passes over the table.

    Examples
    --------
    >>> budget = predictive_settings(100, 5, 4, "default")
    >>> with_users_choices(budget, {"n_hidden": 7, "n_machines": "auto"}, 100).n_hidden
    7
    """
    given = {name: value for name, value in given.items() if not isinstance(value, str)}
    of_kinds: dict[str, Any] = {name: float(given[name]) for name in _OF_KINDS if name in given}
    kinds = tuple(replace(kind, **of_kinds) for kind in budget.kinds)
    if "sees_missing" in given:
        budget = replace(budget, sees_missing=bool(given["sees_missing"]))
    numbers: dict[str, Any] = {
        own: float(given[name]) if own in _SHARES else int(given[name])
        for name, own in _OF_BUDGET.items()
        if name in given
    }
    if "batch_size" in numbers:
        numbers["batch_size"] = min(numbers["batch_size"], padded_rows(n_rows))
    changed = replace(budget, kinds=kinds, **numbers)
    if "n_epochs" not in given:
        return changed
    n_steps = _whole(n_rows * int(given["n_epochs"]) / changed.batch_size)
    return replace(changed, n_steps=n_steps, n_most_steps=n_steps)


def predictive_settings(
    n_rows: int,
    n_visible: int,
    n_gaussian: int,
    effort: Effort,
    seen: float = 0.5,
    n_targets: int = 1,
) -> PredictiveSettings:
    """The budget for a table of this shape, of which this share of the features is seen.

    Tables of more than 400 units get no knots and 400 hidden units, others 200, or 128 where they
    are narrow and have fewer than 1,000 rows, 64 of fewer than 700, and 12 knots for every number,
    or 8 where there are more than 40 numbers, or fewer than 1,000 rows and at most one target, or 4
    of fewer than 700 rows. Steps are as many as 24 passes over the table need (40 from 6,000 rows
    on; up to three times as many in tables of fewer than 600 units and knots, 250 of fewer than 700
    rows, up to 1.2 times as many in tables of more than 1,000, or 1.33 where hidden units are
    shared out between halves of a minibatch, of which six tenths are taken where next to nothing is
    seen and all where half is), or as about 6e11 operations per member allow if these are fewer,
    with more of them for more than 6,000 rows (with effort "fast" by the root of their number); at
    most 3,000 in tables of at most 400 units, or 2,000 from 6,000 rows on (1,400 where there is but
    one kind of members), by the root of their number up to twice as many for more than 8,000. Where
    there is one kind and fewer than 8,000 rows, 1,000 larger ones do, and 8 knots.
    Steps are smaller in tables of more than 1,000 units and knots, and where there are more than
    3,000 of them.
    Tables of at most one target, fewer than 6,000 rows, at most 400 units and at most 600 units and
    knots (1,000 if there are fewer than 1,000 rows) take six tenths of these steps (less than half,
    of fewer than 1,000 rows), or half of the most, in a first round; further rounds, each twice as
    long, follow where the last one paid, as far as these limits allow. Effort "fast" has one round.
    Of several targets some are known in a row of which others are asked for: it is of use there to
    have learned rows by heart.
    Tables of fewer than 6,000 rows are learned carefully, with half of the hidden units left out
    and a high share of the features hidden again; longer ones boldly, with larger steps and nothing
    left out; narrow ones in both ways if they are short, or so full of holes that what is seen of
    them would not fill 3,000 rows. One of the two kinds has a prior over labels, too, and one has
    not. Tables of at most 400 units, at most one target and 6,000 rows or more are learned boldly
    alone: there a second kind takes as long and adds nothing (effort "default").
    Members are trained in two folds; in four if there are fewer than 1,000 rows.
    Trees take seconds in long tables: effort "fast" has none from 6,000 rows on.

    Examples
    --------
    >>> predictive_settings(2400, 300, 294, "default").n_knots
    8
    """
    is_wide = n_visible > _WIDE
    many = n_rows >= _MANY_ROWS
    few, very_few = n_rows < _FEW_ROWS, n_rows < _VERY_FEW_ROWS
    one_target = n_targets <= 1
    of_one_kind = many and one_target and not is_wide and effort == "default"
    is_short = of_one_kind and n_rows < _LONG_ROWS
    few_knots = n_gaussian > _MANY_NUMBERS or (few and one_target) or is_short
    n_knots = 0 if is_wide else 4 if very_few else 8 if few_knots else 12
    n_hidden, n_sweeps = (400 if is_wide else 200), 2
    if few and n_visible <= _NARROW:
        n_hidden = 64 if very_few else 128
    batch_size = 32 if n_rows < 1000 else 64 if n_rows < 5000 else 128
    n_units = n_visible + n_gaussian * n_knots
    kinds = (BOLD,) if of_one_kind else _kinds(n_rows, n_visible, seen)
    n_parts = n_parts_of(kinds)
    # Two products in each sweep, and three for the derivative of the last.
    per_step = batch_size * (4.0 * n_sweeps + 6.0) * n_units * n_hidden / n_parts
    operations = _OPERATIONS[effort] * max(1.0, n_rows / _MANY_ROWS) ** _MORE_FOR_ROWS[effort]
    units_of_passes = _UNITS_OF_PASSES_OF_VERY_FEW if very_few else _UNITS_OF_PASSES
    often = min(_MOST_TIMES, max(1.0, units_of_passes / n_units))
    often *= min(_MOST_TIMES_OF_MANY[n_parts], max(1.0, n_units / _UNITS_OF_RATE))
    if n_units > _UNITS_OF_RATE:
        often *= min(1.0, _PART_OF_UNSEEN + (1.0 - _PART_OF_UNSEEN) * seen / _SEEN_OF_ALL_PASSES)
    passes = _PASSES[effort] * often * (_MORE_PASSES if many else 1.0) * n_rows / batch_size
    most = operations / per_step
    if not is_wide:
        steps = (_MOST_STEPS_OF_MANY if many else _MOST_STEPS)[effort]
        if of_one_kind:
            steps = _FEW_STEPS_OF_ONE_KIND if is_short else _MOST_STEPS_OF_ONE_KIND
        longer = math.sqrt(max(1.0, n_rows / _LONG_ROWS))
        most = min(most, min(longer, _MOST_LONGER[effort]) * steps)
    n_folds = (_FOLDS_OF_FEW if few else _FOLDS)[effort]
    most_units = _UNITS_OF_RATE if few else _UNITS_OF_PASSES
    if many or is_wide or n_units > most_units or effort == "fast" or not one_target:
        n_steps = n_most_steps = _whole(max(_FEWEST_STEPS[effort], min(passes, most)))
    else:
        # A second round must have room.
        wanted = min((_FIRST_ROUND_OF_FEW if few else _FIRST_ROUND) * passes, most / 2)
        n_steps = _whole(max(_FEWEST_STEPS_OF_A_ROUND[effort], wanted))
        n_most_steps = max(2 * n_steps, _whole(min(_ALL_ROUNDS * passes, most)))
    in_training, in_answers = search_steps(n_visible, seen)
    n_trees = (_TREES_OF_FEW if few else _TREES)[effort] // n_folds
    return PredictiveSettings(
        n_hidden=n_hidden,
        n_knots=n_knots,
        n_sweeps=n_sweeps,
        n_search_steps=in_training,
        n_answer_search_steps=in_answers,
        batch_size=batch_size,
        n_steps=n_steps,
        n_most_steps=n_most_steps,
        n_folds=n_folds,
        held_out_share=0.1,
        label_weight=1.0,
        kinds=_of_rate(_rate(n_units, n_steps, of_one_kind), kinds),
        shrinkages=shrinkages_offered(n_rows, n_visible, effort, seen),
        n_trees=0 if effort == "fast" and many else n_trees,
        boosts=effort != "fast",
    )


def shrinkages_offered(
    n_rows: int, n_visible: int, effort: Effort, seen: float = 0.5
) -> tuple[float, ...]:
    """Shrinkages of the prior to choose from; none if the table is wide and long.

    Of few rows for each unit a covariance is mostly noise, and may have to be shrunk far. Of many
    rows effort "fast" takes the usual one, and of very many, in which two units are seen together,
    little shrinkage is all that is tried.

    Examples
    --------
    >>> shrinkages_offered(2000, 30, "default"), shrinkages_offered(100, 600, "fast")
    ((0.002, 0.02, 0.05, 0.15), (0.002, 0.02, 0.05, 0.15, 0.4, 0.7, 0.9))
    """
    if n_visible > MOST_UNITS_OF_FULL_RANK and n_rows >= n_visible:
        return ()  # trials are dear here
    if n_rows < _ROWS_PER_UNIT * n_visible:
        return _SHRINKAGES
    if effort == "fast":
        return ()
    plenty = min(n_rows, MOST_ROWS) * seen**2 >= _PAIRS_PER_UNIT * n_visible
    return _SHRINKAGES_OF_MANY[: 2 if plenty else None]


def search_steps(n_visible: int, seen: float) -> tuple[int, int]:
    """Steps of the search for the prior's expectation, in training and in answers.

    A covariance of low rank has few directions to search, and so have rows of which little is seen.
    Training is content with an expectation that is a few parts in a hundred away, or ten.

    Examples
    --------
    >>> search_steps(300, 1.0), search_steps(300, 0.5)
    ((10, 60), (7, 60))
    """
    if n_visible > MOST_UNITS_OF_FULL_RANK:
        return 8, 15
    return min(4 + round(6 * seen), n_visible + 2), min(60, 2 * n_visible + 4)


def _whole(n_steps: float) -> int:
    """As many steps, or a few more, as are taken in whole calls."""
    return math.ceil(n_steps / STEPS_AT_ONCE) * STEPS_AT_ONCE


def _kinds(n_rows: int, n_visible: int, seen: float) -> tuple[Kind, ...]:
    if n_visible <= _NARROW and (n_rows < _MANY_ROWS or seen * n_rows < _MANY_SEEN):
        return CAREFUL_WITH_LABELS, BOLD
    return (BOLD, BOLD_WITH_LABELS) if n_rows >= _MANY_ROWS else (CAREFUL, CAREFUL_WITH_LABELS)


def _of_rate(rate: float, kinds: tuple[Kind, ...]) -> tuple[Kind, ...]:
    return tuple(replace(kind, learning_rate=rate * kind.learning_rate) for kind in kinds)


def _rate(n_units: int, n_steps: int, of_one_kind: bool) -> float:
    """Factor of the step: a hidden unit sums over all units; and who has time takes it."""
    of_many_units = min(1.0, _UNITS_OF_RATE / n_units)
    of_many_steps = min(1.0, math.sqrt(_STEPS_OF_RATE / n_steps))
    of_few_steps = max(1.0, math.sqrt(_MOST_STEPS_OF_ONE_KIND / n_steps)) if of_one_kind else 1.0
    return of_many_units * of_many_steps * of_few_steps
