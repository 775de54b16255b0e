"""The members of an ensemble, their priors, and what they say of rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.ensemble_answers import (
    Answers,
    answers_of_tile,
    answers_of_tile_on_host,
)
from halfseen.learning.one_thread import one_thread
from halfseen.learning.predictive_member import Member, PredictiveShape, Standard, prior_base
from halfseen.learning.replicas import side_by_side
from halfseen.machine.compilation_cache import kept_compilations
from halfseen.machine.correlated_prior import CorrelatedPrior, LowRankPrior, Prior
from halfseen.machine.predictive_sweeps import PredictiveParameters
from halfseen.machine.tiles import TILE_ROWS, tile_from

FARTHEST = 30.0  # standard deviations beyond which a number counts as this far away
ROWS_AT_ONCE = 4 * TILE_ROWS  # so that what all members say of them stays small
_MOST_WEIGHTS_OF_HOST = 40_000


@dataclass(frozen=True)
class Ensemble:
    """The members: parameters, priors, and how units stand to standard units.

    Every array of a member has a leading axis; members of one fold follow each other, in the order
    of the kinds. Arrays of a prior have a leading axis of folds.
    """

    shape: PredictiveShape
    n_kinds: int
    weights: NDArray[np.float32]
    visible_bias: NDArray[np.float32]
    hidden_bias: NDArray[np.float32]
    gain: NDArray[np.float32]
    start_bias: NDArray[np.float32]
    missing_weights: NDArray[np.float32]  # of mask units; of no units where there are none
    prior_mean: NDArray[np.float32]  # (n_folds, n_visible)
    prior_covariance: NDArray[np.float32]  # (n_folds, n_visible, n_visible), or of no columns
    prior_noise: NDArray[np.float32]  # (n_folds, n_visible), of a low rank
    prior_loading: NDArray[np.float32]  # (n_folds, n_visible, rank), of a low rank
    prior_sees_labels: NDArray[np.bool_]  # (n_members,)
    unit_mean: NDArray[np.float32]
    unit_scale: NDArray[np.float32]
    knots: NDArray[np.float32]
    # Whether folds meet in the mean of the log-odds of labels, or, as in models of older files, in
    # that of their probabilities.
    averages_odds: bool = True

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self.prior_mean)

    @property
    def answers_on_host(self) -> bool:
        """Whether NumPy answers: members of few weights, on any rows.

        It takes a little longer over them than a program, which would first be compiled. How many
        rows are asked about has no say, or the bits of an answer would hang on it.
        """
        n_weights = self.shape.columns.wide.n_units * self.shape.n_hidden
        return n_weights <= _MOST_WEIGHTS_OF_HOST and self.prior_covariance.shape[2] > 0

    def _placed(self, values: Any) -> Any:
        """Arrays where whoever answers has them, and as they lie there.

        A product of a matrix that lies the other way round is rounded otherwise, and a model that
        was loaded is to answer as the one that was saved.
        """
        if self.answers_on_host:
            return jax.tree.map(lambda leaf: np.asarray(leaf, order="C"), values)
        # Put there as they are: jnp.asarray would compile a program for every shape.
        return jax.device_put(values)

    @cached_property
    def standard(self) -> Standard:
        """Means, scales and knots."""
        return Standard(*map(self._placed, (self.unit_mean, self.unit_scale, self.knots)))

    @cached_property
    def members(self) -> tuple[tuple[Member, PredictiveParameters], ...]:
        """The members as the learning room takes them, each by itself."""
        apart = self.shape.columns.wide.apart
        priors = [self._prior(fold) for fold in range(self.n_folds)]
        unused = self._placed(np.float32(0.0))
        members = []
        for member, sees_labels in enumerate(self._placed(list(self.prior_sees_labels))):
            fold = member // self.n_kinds
            parameters = PredictiveParameters(
                apart(self.weights[member], axis=0),
                apart(self.visible_bias[member]),
                self.hidden_bias[member],
                apart(self.gain[member]),
                apart(self.start_bias[member]),
                self.missing_weights[member] if self.shape.sees_missing else None,
            )
            own = Member(priors[fold], sees_labels, *[unused] * 7)
            members.append((own, self._placed(parameters)))
        return tuple(members)

    def _prior(self, fold: int) -> Prior:
        mean = self._placed(self.prior_mean[fold])
        if self.prior_covariance.shape[2]:
            return CorrelatedPrior(mean, self._placed(self.prior_covariance[fold]))
        parts = self.prior_noise[fold], self.prior_loading[fold]
        return LowRankPrior(mean, *map(self._placed, parts))

    def answers(self, visible: NDArray[np.float32], observed: NDArray[np.bool_]) -> Answers:
        """What every member says of every row."""
        return self._answers(self.members, visible, observed)

    def answers_of_fold(
        self, fold: int, visible: NDArray[np.float32], observed: NDArray[np.bool_]
    ) -> Answers:
        """What the members of one fold say of every row."""
        own = self.members[fold * self.n_kinds : (fold + 1) * self.n_kinds]
        return self._answers(own, visible, observed)

    def compile_answers(self) -> None:
        """Compile what answers any rows; of parameters and priors only the shapes are read.

        Nothing, if NumPy answers.
        """
        if self.answers_on_host:
            return
        n_visible = self.shape.columns.wide.layer.n_visible
        tile = tile_from(0, np.zeros((0, n_visible), np.float32), np.zeros((0, n_visible), bool))
        answers_of_tile.lower(self.shape, self.standard, *self.members[0], *tile).compile()

    def completed_features(
        self, fold: int, visible: NDArray[np.float32], observed: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """Features as the prior of one fold completes them, (n_rows, n_feature_units)."""
        shown = observed & ~self.shape.columns.is_target_unit
        own = self.members[fold * self.n_kinds + self._without_labels]
        n_units = int((~self.shape.columns.is_target_unit).sum())
        completed = np.empty((len(visible), n_units), np.float32)
        for first in range(0, len(visible), ROWS_AT_ONCE):
            rows = slice(first, first + ROWS_AT_ONCE)
            base = self._base(own, visible[rows], shown[rows])
            completed[rows] = self._with_observed(base, visible[rows], shown[rows])[0]
        return completed

    def _base(
        self,
        member: tuple[Member, PredictiveParameters],
        visible: NDArray[np.float32],
        shown: NDArray[np.bool_],
    ) -> NDArray[np.float32]:
        """What the prior of one member expects, as it says in its answers, (1, n_rows, n_visible).

        A program of its own for it would have to be compiled; NumPy needs none.
        """
        if not self.answers_on_host:
            answers: NDArray[np.float32] = self._answers([member], visible, shown).base
            return answers
        base = np.empty((1, *visible.shape), np.float32)
        with one_thread, np.errstate(all="ignore"):
            for first in range(0, len(visible), TILE_ROWS):
                tile, seen = tile_from(first, visible, shown)
                rows: Any = (self._near(tile), seen)
                expected = prior_base(self.shape, self.standard, member[0], *rows)
                base[0, first : first + TILE_ROWS] = expected[: len(visible) - first]
        return base

    def completed_by_priors(
        self, answers: Answers, visible: NDArray[np.float32], observed: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        """The same of every fold, from what all members said, (n_folds, n_rows, n_feature_units).

        In standard units; of a prior that reads no labels.
        """
        base = answers.base[self._without_labels :: self.n_kinds]
        return self._with_observed(base, visible, observed)

    @property
    def _without_labels(self) -> int:
        """The first kind whose prior reads features alone; the first of all if there is none."""
        return int(np.argmin(self.prior_sees_labels[: self.n_kinds]))

    def _with_observed(
        self, base: NDArray[np.float32], visible: NDArray[np.float32], observed: NDArray[np.bool_]
    ) -> NDArray[np.float32]:
        is_feature = ~self.shape.columns.is_target_unit
        values = self.in_standard_units(visible)
        completed: NDArray[np.float32] = np.where(observed, values, base)[:, :, is_feature]
        return completed

    def in_standard_units(self, visible: NDArray[np.float32]) -> NDArray[np.float32]:
        """Rows as the prior takes them, numbers that are very far away brought nearer."""
        values: NDArray[np.float32] = (self._near(visible) - self.unit_mean) / self.unit_scale
        return values

    def _near(self, visible: NDArray[np.float32]) -> NDArray[np.float32]:
        near = visible.copy()
        numbers = slice(0, self.shape.columns.wide.layer.n_gaussian)
        near[:, numbers] = visible[:, numbers].clip(-FARTHEST, FARTHEST)
        return near

    def _answers(
        self,
        members: Sequence[tuple[Member, PredictiveParameters]],
        visible: NDArray[np.float32],
        observed: NDArray[np.bool_],
    ) -> Answers:
        n_rows = len(visible)
        answers = self._room(len(members), n_rows)
        of_rows: Callable[..., Answers] = answers_of_tile
        around: AbstractContextManager[None] = kept_compilations()
        if self.answers_on_host:
            of_rows, around = answers_of_tile_on_host, one_thread

        def of_tile(place: int, first: int) -> None:
            tile, seen = tile_from(first, visible, observed)
            said = of_rows(self.shape, self.standard, *members[place], self._near(tile), seen)
            for room, part in zip(answers, said, strict=True):
                room[place, first : first + TILE_ROWS] = np.asarray(part)[: n_rows - first]

        # All tiles of all members: while one thread puts away what it was told, others go on.
        tiles = range(0, n_rows, TILE_ROWS)
        with around:
            side_by_side(
                lambda task: of_tile(*task),
                [(place, first) for first in tiles for place in range(len(members))],
                (of_rows, self.shape),
            )
        return answers

    def _room(self, n_members: int, n_rows: int) -> Answers:
        layer = self.shape.columns.wide.layer
        widths = (layer.n_visible, layer.n_visible, layer.n_gaussian, layer.n_gaussian)
        return Answers(*(np.empty((n_members, n_rows, width), np.float32) for width in widths))
