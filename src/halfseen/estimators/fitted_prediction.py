"""A trained ensemble on the shelf: one answer from several members, and how sure it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import jax
import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.conformal import Conformal, at_level
from halfseen.estimators.ensemble_answers import Answers, answers_of_tile
from halfseen.estimators.pooling import pooled_classes, pooled_labels
from halfseen.learning.choice import Choice
from halfseen.learning.predictive_member import Member, PredictiveShape, Standard
from halfseen.learning.progress import ProgressLine, Verbosity
from halfseen.learning.replicas import side_by_side
from halfseen.machine.correlated_prior import CorrelatedPrior, LowRankPrior, Prior
from halfseen.machine.predictive_sweeps import PredictiveParameters
from halfseen.machine.tiles import in_tiles

FARTHEST = 30.0  # standard deviations beyond which a number counts as this far away
_SMALLEST_SPREAD = 0.05
_SLACK = 1e-5
_LEAST_SURE = 0.01  # a Gaussian is no judge of rare cases


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

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len(self.prior_mean)

    @cached_property
    def standard(self) -> Standard:
        """Means, scales and knots on the device."""
        # Put there as they are: jnp.asarray would compile a program for every shape.
        return Standard(
            jax.device_put(self.unit_mean),
            jax.device_put(self.unit_scale),
            jax.device_put(self.knots),
        )

    @cached_property
    def members(self) -> tuple[tuple[Member, PredictiveParameters], ...]:
        """The members as the learning room takes them, each by itself, on the device."""
        apart = self.shape.columns.wide.apart
        priors = [self._prior(fold) for fold in range(self.n_folds)]
        unused = jax.device_put(np.float32(0.0))
        members = []
        for member, sees_labels in enumerate(jax.device_put(list(self.prior_sees_labels))):
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
            members.append((own, jax.device_put(parameters)))
        return tuple(members)

    def _prior(self, fold: int) -> Prior:
        mean = jax.device_put(self.prior_mean[fold])
        if self.prior_covariance.shape[2]:
            return CorrelatedPrior(mean, jax.device_put(self.prior_covariance[fold]))
        parts = self.prior_noise[fold], self.prior_loading[fold]
        return LowRankPrior(mean, *map(jax.device_put, parts))

    def answers(
        self,
        visible: NDArray[np.float32],
        observed: NDArray[np.bool_],
        verbose: Verbosity = False,
    ) -> Answers:
        """What every member says of every row."""
        return self._answers(self.members, visible, observed, verbose)

    def answers_of_fold(
        self, fold: int, visible: NDArray[np.float32], observed: NDArray[np.bool_]
    ) -> Answers:
        """What the members of one fold say of every row."""
        own = self.members[fold * self.n_kinds : (fold + 1) * self.n_kinds]
        return self._answers(own, visible, observed, False)

    def _answers(
        self,
        members: Sequence[tuple[Member, PredictiveParameters]],
        visible: NDArray[np.float32],
        observed: NDArray[np.bool_],
        verbose: Verbosity,
    ) -> Answers:
        parts: list[Answers] = []
        line = ProgressLine("predicting, row", len(visible), verbose)

        def of_tile(tile: NDArray[np.float32], seen: NDArray[np.bool_]) -> NDArray[np.float32]:
            near = tile.copy()
            n_gaussian = self.shape.columns.wide.layer.n_gaussian
            near[:, :n_gaussian] = tile[:, :n_gaussian].clip(-FARTHEST, FARTHEST)
            said = side_by_side(
                lambda own: answers_of_tile(self.shape, self.standard, *own, near, seen),
                members,
                (answers_of_tile, self.shape),
            )
            parts.append(Answers(*map(np.stack, zip(*jax.device_get(said), strict=True))))
            return tile[:, :0]

        n_rows = len(in_tiles(of_tile, visible, observed, line.show))
        line.close("done")
        return Answers(
            *(np.concatenate(arrays, axis=1)[:, :n_rows] for arrays in zip(*parts, strict=True))
        )


@dataclass(frozen=True)
class Blend:
    """How the members' answers become one."""

    number: NDArray[np.float64]  # (n_gaussian, 3 n_kinds): priors, values, knots of every kind
    discrete: NDArray[np.float64]  # (n_kinds + 1,), binary and categorical features; prior last
    # In rows without (first), and with (second), some known label:
    target: NDArray[np.float64]  # (2, n_pooled, n_kinds + 1), mixtures of which targets are pooled
    label_power: NDArray[np.float64]  # (2, n_pooled), powers of the odds of labels
    label_shift: NDArray[np.float64]  # (2,), added to their logarithms
    class_power: NDArray[np.float64]  # (2, n_pooled), powers of the probabilities of classes
    lowest: NDArray[np.float64]  # (n_gaussian,), bounds of the numbers
    highest: NDArray[np.float64]


def of_kinds(answers: NDArray[np.float32], n_kinds: int) -> NDArray[np.float64]:
    """Mean over the folds: (n_members, ...) -> (n_kinds, ...)."""
    n_folds = len(answers) // n_kinds
    by_fold = answers.reshape((n_folds, n_kinds, *answers.shape[1:]))
    mean: NDArray[np.float64] = by_fold.mean(axis=0, dtype=np.float64)
    return mean


def number_candidates(answers: Answers, n_kinds: int) -> NDArray[np.float64]:
    """All predictions of the numbers, of shape (3 n_kinds, n_rows, n_gaussian)."""
    n_gaussian = answers.knot_mean.shape[2]
    parts = (answers.base[:, :, :n_gaussian], answers.means[:, :, :n_gaussian], answers.knot_mean)
    return np.concatenate([of_kinds(part, n_kinds) for part in parts])


def discrete_candidates(ensemble: Ensemble, answers: Answers) -> NDArray[np.float64]:
    """All predictions of the discrete units, of shape (n_kinds + 1, n_rows, n_discrete).

    The kinds, and last the prior alone: what it expects of zeros and ones, kept within them.
    """
    layer = ensemble.shape.columns.wide.layer
    discrete = slice(layer.n_gaussian, None)
    kinds = of_kinds(answers.means[:, :, discrete], ensemble.n_kinds)
    speaks = np.flatnonzero(ensemble.prior_sees_labels[: len(answers.base)])
    heard = answers.base[speaks if len(speaks) else slice(None), :, discrete]
    base = heard.mean(axis=0, dtype=np.float64)
    expected = base * ensemble.unit_scale[discrete] + ensemble.unit_mean[discrete]
    prior = np.clip(expected, _LEAST_SURE, 1 - _LEAST_SURE)
    first = layer.n_bernoulli
    for size in layer.group_sizes:
        shares = prior[:, first : first + size].copy()  # summed alike, however many rows there are
        prior[:, first : first + size] = shares / shares.sum(axis=1, keepdims=True)
        first += size
    return np.concatenate([kinds, prior[None]])


def weighted(weights: NDArray[np.float64], parts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum over the first axis, term by term, so that no row's bits depend on the others."""
    total = np.zeros(parts.shape[1:])
    for weight, part in zip(weights, parts, strict=True):
        total += weight * part
    return total


@dataclass(frozen=True)
class FittedPrediction:
    """The ensemble, its blend, and how far the truth may lie from its answers."""

    ensemble: Ensemble
    blend: Blend
    conformal: Conformal
    choices: tuple[Choice, ...] = ()  # what the fit settled by itself, and why

    def complete(
        self,
        visible: NDArray[np.float32],
        observed: NDArray[np.bool_],
        verbose: Verbosity = False,
    ) -> NDArray[np.float32]:
        """Expected value of every unit given the observed ones of its row."""
        return self.complete_with_spread(visible, observed, verbose)[0]

    def complete_with_spread(
        self,
        visible: NDArray[np.float32],
        observed: NDArray[np.bool_],
        verbose: Verbosity = False,
    ) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
        """The same, and how far each number is expected to lie from it, (n_rows, n_gaussian)."""
        answers = self.ensemble.answers(visible, observed, verbose)
        expected = self.blended(answers, observed)
        completed = np.where(observed, visible, expected.astype(np.float32))
        return completed, spread_of(answers)

    def interval(
        self,
        visible: NDArray[np.float32],
        observed: NDArray[np.bool_],
        level: float,
        verbose: Verbosity = False,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper bound of every number, (n_rows, n_gaussian); itself if observed."""
        completed, spread = self.complete_with_spread(visible, observed, verbose)
        numbers = slice(0, spread.shape[1])
        middle = completed[:, numbers].astype(np.float64)
        half = np.where(observed[:, numbers], 0.0, at_level(self.conformal.number, level) * spread)
        # Bounds of the column hold for what is not observed only.
        lowest = np.minimum(self.blend.lowest, middle)
        highest = np.maximum(self.blend.highest, middle)
        # A bound is often a value that the column takes; rounding must not leave it outside.
        slack = np.where(observed[:, numbers], 0.0, _SLACK)
        return np.maximum(middle - half, lowest) - slack, np.minimum(middle + half, highest) + slack

    def smallest_probability(self, level: float, knows_labels: bool) -> float:
        """Classes at least this probable make up the set that holds the truth this often."""
        return 1.0 - float(at_level(self.conformal.label[int(knows_labels)], level))

    def blended(self, answers: Answers, observed: NDArray[np.bool_]) -> NDArray[np.float64]:
        """One expected value of every unit, of shape (n_rows, n_visible)."""
        columns, n_kinds = self.ensemble.shape.columns, self.ensemble.n_kinds
        n_gaussian, is_target = columns.wide.layer.n_gaussian, columns.is_target_unit
        blended = np.empty(observed.shape)
        numbers = weighted(self.blend.number.T[:, None, :], number_candidates(answers, n_kinds))
        blended[:, :n_gaussian] = np.clip(numbers, self.blend.lowest, self.blend.highest)
        said = discrete_candidates(self.ensemble, answers)
        blended[:, n_gaussian:] = weighted(self.blend.discrete, said)
        if is_target.any():
            knows = np.asarray(observed[:, is_target].any(axis=1))
            blended[:, is_target] = self.pooled(said[:, :, is_target[n_gaussian:]], knows)
        return blended

    def pooled(self, said: NDArray[np.float64], knows: NDArray[np.bool_]) -> NDArray[np.float64]:
        """One probability of every target unit, from those of all candidates.

        Parameters
        ----------
        said : ndarray of shape (n_kinds + 1, n_rows, n_target_units)
            The candidates; Bernoulli units first and then groups.
        knows : ndarray of shape (n_rows,)
            Whether some label of the row is known.

        Returns
        -------
        ndarray of shape (n_rows, n_target_units)
        """
        pooled = np.empty(said.shape[1:])
        for context, rows in ((0, ~knows), (1, knows)):
            if rows.any():
                pooled[rows] = self._pooled_alike(said[:, rows], context)
        return pooled

    def _pooled_alike(self, said: NDArray[np.float64], context: int) -> NDArray[np.float64]:
        blend = self.blend
        return pooled_targets(
            np.stack([weighted(mixture, said) for mixture in blend.target[context]]),
            target_groups(self.ensemble.shape),
            blend.label_power[context],
            float(blend.label_shift[context]),
            blend.class_power[context],
        )


def target_groups(shape: PredictiveShape) -> list[slice]:
    """Where the groups of class units stand among the target units, Bernoulli units before them."""
    layer, is_target = shape.columns.wide.layer, shape.columns.is_target_unit
    first_group = layer.n_gaussian + layer.n_bernoulli
    position = int(is_target[:first_group].sum())
    groups, unit = [], first_group
    for size in layer.group_sizes:
        if is_target[unit]:
            groups.append(slice(position, position + size))
            position += size
        unit += size
    return groups


def pooled_targets(
    said: NDArray[np.float64],
    groups: list[slice],
    label_power: NDArray[np.float64],
    label_shift: float,
    class_power: NDArray[np.float64],
) -> NDArray[np.float64]:
    """One probability of all target units, (n_pooled, n_rows, n_units) -> (n_rows, n_units)."""
    pooled = np.zeros(said.shape[1:])
    n_labels = groups[0].start if groups else said.shape[2]
    pooled[:, :n_labels] = pooled_labels(said[:, :, :n_labels], label_power, label_shift)
    for group in groups:
        pooled[:, group] = pooled_classes(said[:, :, group], class_power)
    return pooled


def spread_of(answers: Answers) -> NDArray[np.float64]:
    """Standard deviation of every number under the members' knots together."""
    mean = answers.knot_mean.mean(axis=0, dtype=np.float64)
    square = answers.knot_square.mean(axis=0, dtype=np.float64)
    spread: NDArray[np.float64] = np.sqrt(np.maximum(square - mean**2, _SMALLEST_SPREAD**2))
    return spread
