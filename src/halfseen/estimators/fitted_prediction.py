"""A trained ensemble on the shelf: one answer from several members, and how sure it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.blind_readers import BlindReaders, BlindSaid
from halfseen.estimators.conformal import Conformal, at_level
from halfseen.estimators.ensemble import ROWS_AT_ONCE, Ensemble
from halfseen.estimators.ensemble_answers import Answers
from halfseen.estimators.pooling import log_odds, pooled_classes, pooled_labels
from halfseen.learning.choice import Choice
from halfseen.learning.predictive_member import PredictiveShape
from halfseen.learning.progress import ProgressLine, Verbosity
from halfseen.machine.sigmoid import sigmoid

_SMALLEST_SPREAD = 0.05
_SLACK = 1e-5
_LEAST_SURE = 0.01  # a Gaussian is no judge of rare cases


@dataclass(frozen=True)
class Blend:
    """How the members' answers become one."""

    # (n_gaussian, n_candidates): priors, values, knots of every kind, and what Gaussians of the
    # classes expect, if there are any; the rest to one is the mean's
    number: NDArray[np.float64]
    discrete: NDArray[np.float64]  # (n_kinds + 1,), binary and categorical features; prior last
    # In rows without (first), and with (second), some known label:
    target: NDArray[np.float64]  # (2, n_pooled, n_candidates), mixtures of which targets are pooled
    label_power: NDArray[np.float64]  # (2, n_pooled), powers of the odds of labels
    label_shift: NDArray[np.float64]  # (2,), added to their logarithms
    class_power: NDArray[np.float64]  # (2, n_pooled), powers of the probabilities of classes
    lowest: NDArray[np.float64]  # (n_gaussian,), bounds of the numbers
    highest: NDArray[np.float64]


def of_kinds(answers: NDArray[np.floating[Any]], n_kinds: int) -> NDArray[np.float64]:
    """Mean over the folds: (n_members, ...) -> (n_kinds, ...)."""
    n_folds = len(answers) // n_kinds
    by_fold = answers.reshape((n_folds, n_kinds, *answers.shape[1:]))
    mean: NDArray[np.float64] = by_fold.mean(axis=0, dtype=np.float64)
    return mean


def labels_of_kinds(answers: NDArray[np.float32], n_kinds: int) -> NDArray[np.float64]:
    """The same of probabilities of labels, by the mean of their log-odds over the folds.

    A mean of probabilities is less sure than each of them, and powers that were learned of one fold
    at a time do not make up for it.

    Examples
    --------
    >>> labels_of_kinds(np.array([[0.9], [0.5]]), n_kinds=1).round(3)
    array([[0.75]])
    """
    odds = of_kinds(log_odds(answers.astype(np.float64)), n_kinds)
    probability: NDArray[np.float64] = sigmoid(odds)
    return probability


def number_candidates(answers: Answers, n_kinds: int) -> NDArray[np.float64]:
    """All predictions of the numbers, of shape (3 n_kinds, n_rows, n_gaussian)."""
    return np.concatenate([of_kinds(part, n_kinds) for part in _said_of_numbers(answers)])


def judged_candidates(
    answers: Answers, n_kinds: int, judged: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The same of judged numbers alone, of shape (3 n_kinds, n_judged)."""
    parts = _said_of_numbers(answers)
    return np.concatenate([of_kinds(part[:, judged], n_kinds) for part in parts])


def _said_of_numbers(answers: Answers) -> tuple[NDArray[np.float32], ...]:
    """Priors, values and knots, each of shape (n_members, n_rows, n_gaussian)."""
    n_gaussian = answers.knot_mean.shape[2]
    return answers.base[:, :, :n_gaussian], answers.means[:, :, :n_gaussian], answers.knot_mean


def discrete_candidates(ensemble: Ensemble, answers: Answers) -> NDArray[np.float64]:
    """All predictions of the discrete units, of shape (n_kinds + 1, n_rows, n_discrete).

    The kinds, and last the prior alone: what it expects of zeros and ones, kept within them.
    """
    layer = ensemble.shape.columns.wide.layer
    discrete = slice(layer.n_gaussian, None)
    kinds = of_kinds(answers.means[:, :, discrete], ensemble.n_kinds)
    if ensemble.averages_odds:
        is_label = ensemble.shape.columns.is_target_unit & layer.is_bernoulli
        of_labels = answers.means[:, :, is_label]
        kinds[:, :, is_label[discrete]] = labels_of_kinds(of_labels, ensemble.n_kinds)
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


def target_candidates(
    ensemble: Ensemble, said: NDArray[np.float64], of_blind: Sequence[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """All predictions of target units: the kinds, the prior alone, and who reads no labels.

    From those of all discrete units; of shape (n_candidates, n_rows, n_target_units), Bernoulli
    units first and then groups.
    """
    columns = ensemble.shape.columns
    is_target = columns.is_target_unit[columns.wide.layer.n_gaussian :]
    of_targets = said[:, :, is_target]
    return np.concatenate([of_targets, *(shares[None] for shares in of_blind)])


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
    blind: BlindReaders = field(default_factory=BlindReaders)  # more candidates for targets
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
        completed = np.empty(visible.shape, np.float32)
        spread = np.empty((len(visible), self.ensemble.shape.columns.wide.layer.n_gaussian))
        for rows in _blocks_of_rows(len(visible), verbose):
            answers = self.ensemble.answers(visible[rows], observed[rows])
            expected = self._blended(answers, visible[rows], observed[rows]).astype(np.float32)
            completed[rows] = np.where(observed[rows], visible[rows], expected)
            spread[rows] = spread_of(answers)
        return completed, spread

    def complete_targets(
        self,
        visible: NDArray[np.float32],
        observed: NDArray[np.bool_],
        verbose: Verbosity = False,
    ) -> NDArray[np.float32]:
        """Target units as :meth:`complete` gives them; missing features are left at zero."""
        is_target = self.ensemble.shape.columns.is_target_unit
        completed = np.where(observed, visible, np.float32(0.0))
        for rows in _blocks_of_rows(len(visible), verbose):
            answers = self.ensemble.answers(visible[rows], observed[rows])
            known = observed[rows][:, is_target]
            said = discrete_candidates(self.ensemble, answers)
            of_blind = self.blind.said(self.ensemble, answers, visible[rows], observed[rows])
            expected = self._pooled_of_discrete(said, of_blind, observed[rows])
            of_targets = expected.astype(np.float32)
            completed[rows, is_target] = np.where(known, visible[rows][:, is_target], of_targets)
        return completed

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

    def blended_numbers(
        self, answers: Answers, of_blind: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """One expected value of every number, of shape (n_rows, n_gaussian)."""
        candidates = number_candidates(answers, self.ensemble.n_kinds)
        candidates = np.concatenate([candidates, of_blind])
        numbers = weighted(self.blend.number.T[:, None, :], candidates)
        return np.clip(numbers, self.blend.lowest, self.blend.highest)

    def _blended(
        self, answers: Answers, visible: NDArray[np.float32], observed: NDArray[np.bool_]
    ) -> NDArray[np.float64]:
        """One expected value of every unit, of shape (n_rows, n_visible)."""
        columns = self.ensemble.shape.columns
        n_gaussian, is_target = columns.wide.layer.n_gaussian, columns.is_target_unit
        blended = np.empty(observed.shape)
        of_blind = self.blind.said(self.ensemble, answers, visible, observed)
        more = self.blind.numbers(self.ensemble, of_blind, visible, observed)
        blended[:, :n_gaussian] = self.blended_numbers(answers, more)
        said = discrete_candidates(self.ensemble, answers)
        blended[:, n_gaussian:] = weighted(self.blend.discrete, said)
        if is_target.any():
            blended[:, is_target] = self._pooled_of_discrete(said, of_blind, observed)
        return blended

    def _pooled_of_discrete(
        self,
        said: NDArray[np.float64],
        of_blind: BlindSaid,
        observed: NDArray[np.bool_],
    ) -> NDArray[np.float64]:
        """One probability of every target unit, from the candidates of all discrete units."""
        knows = observed[:, self.ensemble.shape.columns.is_target_unit].any(axis=1)
        candidates = target_candidates(self.ensemble, said, of_blind.targets)
        return self.pooled(candidates, np.asarray(knows))

    def pooled(self, said: NDArray[np.float64], knows: NDArray[np.bool_]) -> NDArray[np.float64]:
        """One probability of every target unit, from those of all candidates.

        Parameters
        ----------
        said : ndarray of shape (n_candidates, n_rows, n_target_units)
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


def _blocks_of_rows(n_rows: int, verbose: Verbosity) -> Iterator[slice]:
    """Rows to be answered at a time, so that what all members say of them stays small."""
    line = ProgressLine("predicting, row", n_rows, verbose)
    for first in range(0, n_rows, ROWS_AT_ONCE):
        rows = slice(first, min(first + ROWS_AT_ONCE, n_rows))
        yield rows
        line.show(rows.stop, "")
    line.close("done")


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
