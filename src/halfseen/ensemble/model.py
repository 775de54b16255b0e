"""A fitted ensemble: members, class-conditional Gaussians, trees, and how they are stacked."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.base.tiles import map_tiles
from halfseen.data.schema import Encoded, Schema
from halfseen.ensemble.machine import (
    Member,
    MemberPredictions,
    Scale,
    Units,
    member_predictions,
    split_predictions,
)
from halfseen.ensemble.prior import GaussianPrior, log_density
from halfseen.ensemble.stacking import LEAST_PROBABILITY, Pool, pooled
from halfseen.ensemble.trees import Trees

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

FARTHEST = 30.0  # standard deviations at which numbers are clipped
_LEAST_SURE = 0.01  # a Gaussian is no judge of rare cases
_LEAST_SPREAD = 0.05


class ClassPriors(NamedTuple):
    """A Gaussian of the features for each class of the target, along the leading axis."""

    priors: GaussianPrior
    log_share: jax.Array  # (n_classes,)


class Predictions(NamedTuple):
    """What all parts of an ensemble say of rows; the first axis is that of the predictions."""

    numbers: Floats  # (n_predictions, n_rows, n_gaussian)
    spread: Floats  # (n_rows, n_gaussian), standard deviation of a number
    discrete: Floats  # (n_predictions, n_rows, n_units - n_gaussian)
    targets: list[Floats]  # log-probabilities of each target, (n_predictions, n_rows, n_classes)


@dataclass
class Fold:
    """What is fitted to the training entries of one fold."""

    members: list[Member]  # one of each kind
    class_priors: ClassPriors | None = None
    forests: dict[int, Trees] = field(default_factory=dict)  # by target
    boosted: dict[int, Trees] = field(default_factory=dict)


class Residuals(NamedTuple):
    """How far numbers lie from what is predicted: (truth - slope * mean) / spread."""

    slope: float
    quantiles: Floats  # (n_gaussian, n_quantiles)
    scale: Floats  # (n_gaussian,), root mean square
    n_entries: Floats  # (n_gaussian,), on which these rest
    shares: Floats  # (n_shares,), of features that are observed, ascending
    factors: Floats  # (n_shares,), by which residuals are larger in such rows


@dataclass
class Stack:
    """Weights of the predictions."""

    numbers: Floats  # (n_gaussian, n_predictions)
    discrete: Floats  # (n_predictions,)
    pools: list[list[Pool]]  # for rows without and with known targets; of each target
    residuals: Residuals


@dataclass
class Ensemble:
    """Everything that predicts."""

    schema: Schema
    units: Units
    scale: Scale
    n_search: int
    folds: list[Fold]
    stack: Stack | None = None

    def complete(
        self, encoded: Encoded, folds: list[Fold] | None = None
    ) -> tuple[NDArray[np.float32], Floats]:
        """Expected value of every unit given the observed ones, and the spread of numbers."""
        assert self.stack is not None
        found = self.predictions(encoded, self.folds if folds is None else folds)
        n_gaussian = self.units.layer.n_gaussian
        units = np.empty(encoded.values.shape)
        units[:, :n_gaussian] = weighted_sum(self.stack.numbers.T[:, None], found.numbers)
        units[:, n_gaussian:] = weighted_sum(self.stack.discrete, found.discrete)
        knows = np.asarray(encoded.observed[:, self.schema.target_units].any(axis=1))
        for j, log_proba in enumerate(found.targets):
            proba = self.pooled_target(j, log_proba, knows)
            self._put_target(units, j, proba)
        values = np.where(encoded.observed, encoded.values, units).astype(np.float32)
        return values, found.spread

    def pooled_target(self, j: int, log_proba: Floats, knows: Bools) -> Floats:
        """Probabilities of target `j`, by the pools for rows without and with known targets."""
        assert self.stack is not None
        without, with_some = (pooled(log_proba, pools[j]) for pools in self.stack.pools)
        return np.where(knows[:, None], with_some, without)

    def _put_target(self, units: Floats, j: int, proba: Floats) -> None:
        own = self.schema.units_of(len(self.schema.features) + j)
        units[:, own] = proba if own.stop - own.start == proba.shape[1] else proba[:, 1:]

    def predictions(self, encoded: Encoded, folds: list[Fold]) -> Predictions:
        """What each kind of member, averaged over folds, and all other parts say of rows."""
        values = encoded.values.copy()
        numbers = slice(0, self.units.layer.n_gaussian)
        values[:, numbers] = np.clip(values[:, numbers], -FARTHEST, FARTHEST)
        encoded = Encoded(np.where(encoded.observed, values, np.float32(0.0)), encoded.observed)
        of_folds = [self.member_predictions(encoded, fold.members) for fold in folds]
        of_classes = [
            self._class_predictions(encoded, fold.class_priors)
            for fold in folds
            if fold.class_priors is not None
        ]
        completed = [self.completed_features(encoded, members[-1].base) for members in of_folds]
        return Predictions(
            self._numbers(of_folds, of_classes),
            self._spread(of_folds),
            self._discrete(of_folds),
            [
                self._target(j, encoded, folds, of_folds, of_classes, completed)
                for j in range(len(self.schema.targets))
            ],
        )

    def member_predictions(
        self, encoded: Encoded, members: list[Member]
    ) -> list[MemberPredictions]:
        """Predictions of each member."""
        return [
            split_predictions(
                self.units,
                map_tiles(
                    partial(
                        member_predictions,
                        member,
                        self.scale,
                        units=self.units,
                        n_search=self.n_search,
                    ),
                    *encoded,
                ),
            )
            for member in members
        ]

    def _class_predictions(self, encoded: Encoded, priors: ClassPriors) -> tuple[Floats, Floats]:
        """log p(class | features) and expected numbers."""
        target = self.schema.units_of(len(self.schema.features))
        n_classes, n_gaussian = len(priors.log_share), self.units.layer.n_gaussian
        found = map_tiles(
            partial(
                class_predictions, priors, self.scale, target_units=(target.start, target.stop)
            ),
            *encoded,
        ).astype(np.float64)
        return found[:, :n_classes], found[:, n_classes : n_classes + n_gaussian]

    def _numbers(self, of_folds: Any, of_classes: list[tuple[Floats, Floats]]) -> Floats:
        numbers = slice(0, self.units.layer.n_gaussian)
        found = []
        for kind in range(len(of_folds[0])):
            members = [fold[kind] for fold in of_folds]
            found += [
                mean_of([member.base[:, numbers] for member in members]),
                mean_of([member.mean[:, numbers] for member in members]),
            ]
            if self.units.n_bins:
                found.append(mean_of([member.bin_mean for member in members]))
        if of_classes:
            found.append(mean_of([expected for _, expected in of_classes]))
        return np.stack(found)

    def _spread(self, of_folds: Any) -> Floats:
        members = [member for fold in of_folds for member in fold]
        mean = mean_of([member.bin_mean for member in members])
        square = mean_of([member.bin_square for member in members])
        return np.asarray(np.sqrt(np.maximum(square - mean**2, _LEAST_SPREAD**2)))

    def _prior_of_discrete(self, of_folds: Any) -> Floats:
        """What the priors that see targets expect of discrete units, as probabilities."""
        n_gaussian = self.units.layer.n_gaussian
        base = mean_of([fold[0].base[:, n_gaussian:] for fold in of_folds])
        std, mean = (
            np.asarray(a, np.float64)[n_gaussian:] for a in (self.scale.std, self.scale.mean)
        )
        return np.clip(base * std + mean, _LEAST_SURE, 1 - _LEAST_SURE)

    def _discrete(self, of_folds: Any) -> Floats:
        n_gaussian, n_kinds = self.units.layer.n_gaussian, len(of_folds[0])
        kinds = [
            mean_of([fold[k].mean[:, n_gaussian:] for fold in of_folds]) for k in range(n_kinds)
        ]
        prior = self._prior_of_discrete(of_folds)
        first = self.units.layer.n_bernoulli
        for size in self.units.layer.group_sizes:
            group = prior[:, first : first + size]
            group /= group.sum(axis=1, keepdims=True)
            first += size
        return np.stack([*kinds, prior])

    def _target(
        self,
        j: int,
        encoded: Encoded,
        folds: list[Fold],
        of_folds: Any,
        of_classes: Any,
        completed: Any,
    ) -> Floats:
        """Log-probabilities of target `j` by all predictions."""
        schema, n_gaussian = self.schema, self.units.layer.n_gaussian

        def log_proba(units: NDArray[Any]) -> Floats:
            return log_of(schema.probabilities(units, j))

        n_kinds = len(of_folds[0])
        found = [mean_of([log_proba(fold[k].mean) for fold in of_folds]) for k in range(n_kinds)]
        prior = np.zeros(encoded.values.shape)
        prior[:, n_gaussian:] = self._prior_of_discrete(of_folds)
        found.append(log_proba(prior))
        for kind in ("forests", "boosted"):
            trees = [getattr(fold, kind) for fold in folds]
            if all(trees):
                of_trees = [
                    log_of(own[j].predict_proba(X)) if j in own else found[-1]
                    for own, X in zip(trees, completed, strict=True)
                ]
                found.append(mean_of(of_trees))
        if of_classes:
            found.append(mean_of([log_p for log_p, _ in of_classes]))
        return np.stack(found)

    def completed_by_prior(self, encoded: Encoded, fold: Fold) -> NDArray[np.float32]:
        """Features in standard units, the missing ones as the prior of a fold expects them."""
        (found,) = self.member_predictions(encoded, fold.members[-1:])
        return self.completed_features(encoded, found.base)

    def completed_features(
        self, encoded: Encoded, base: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """Features in standard units, missing ones as the prior expects them; for trees."""
        is_feature = ~np.asarray(self.scale.is_target)
        standard = (encoded.values - np.asarray(self.scale.mean)) / np.asarray(self.scale.std)
        return np.where(encoded.observed, standard, base)[:, is_feature].astype(np.float32)


@partial(jax.jit, static_argnames="target_units")
def class_predictions(
    classes: ClassPriors,
    scale: Scale,
    values: jax.Array,
    observed: jax.Array,
    *,
    target_units: tuple[int, int],
) -> jax.Array:
    """log p(class | features) and the expected units of a tile of rows, side by side."""
    standard = (values - scale.mean) / scale.std
    seen = observed & ~scale.is_target
    densities, expected = jax.lax.map(
        lambda prior: log_density(prior, standard, seen), classes.priors
    )
    log_proba = jax.nn.log_softmax(classes.log_share[:, None] + densities, axis=0)
    # A Gaussian is no judge of rare cases: no class has less than a thousandth of its share.
    log_proba = jnp.logaddexp(
        log_proba + jnp.log(0.999), classes.log_share[:, None] + jnp.log(0.001)
    )
    own = slice(*target_units)
    truth = values[:, own].T
    if len(truth) == 1:
        truth = jnp.concatenate([1.0 - truth, truth])
    weight = jnp.where(observed[:, own.start], truth, jnp.exp(log_proba))
    mean = jnp.sum(weight[:, :, None] * expected, axis=0)
    return jnp.concatenate([log_proba.T, mean], axis=1)


def log_of(proba: Floats) -> Floats:
    """Logarithm of probabilities, kept finite."""
    return np.asarray(np.log(np.maximum(proba, LEAST_PROBABILITY)))


def mean_of(parts: list[Any]) -> Floats:
    """Mean of arrays, summed one by one."""
    total = np.zeros(parts[0].shape)
    for part in parts:
        total += part
    return total / len(parts)


def weighted_sum(weights: Floats, parts: Floats) -> Floats:
    """Sum over the first axis, term by term, so that no bit of a row depends on other rows."""
    total = np.zeros(parts.shape[1:])
    for weight, part in zip(weights, parts, strict=True):
        total += weight * part
    return total
