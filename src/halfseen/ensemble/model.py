"""A fitted ensemble: members, class-conditional Gaussians, trees, and how they are stacked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from halfseen.base.tiles import map_tiles
from halfseen.data.schema import Encoded, Schema
from halfseen.ensemble.machine import Member, MemberPredictions, Scale, Units, member_predictions
from halfseen.ensemble.prior import Floats, GaussianPrior, Rows, log_density
from halfseen.ensemble.trees import Trees
from halfseen.model_file import tree_from_arrays, tree_to_arrays
from halfseen.rbm.units import layer_of

Arrays = dict[str, NDArray[Any]]

FARTHEST = 30.0  # standard deviations at which numbers are clipped
_LEAST_SURE = 0.01  # a Gaussian is no judge of rare cases
_LEAST_SPREAD = 0.05
LEAST_PROBABILITY = 1e-6


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


class Pool(NamedTuple):
    """A logarithmic opinion pool: powers of predictions, and a shift of log-odds of two classes."""

    powers: Floats  # (n_predictions,)
    shift: float


class Fold(NamedTuple):
    """What is fitted to the training entries of one fold; trees by target."""

    member: Member
    class_priors: ClassPriors | None
    forests: dict[int, Trees]
    boosted: dict[int, Trees]


class Residuals(NamedTuple):
    """How far numbers lie from what is predicted: (truth - slope * mean) / spread."""

    slope: float
    quantiles: Floats  # (n_gaussian, n_quantiles)
    scale: Floats  # (n_gaussian,), root mean square
    n_entries: Floats  # (n_gaussian,), on which these rest
    shares: Floats  # (n_shares,), of features that are observed, ascending
    factors: Floats  # (n_shares,), by which residuals are larger in such rows


class Stack(NamedTuple):
    """Weights of the predictions."""

    numbers: Floats  # (n_gaussian, n_predictions)
    discrete: Floats  # (n_predictions,)
    pools: list[list[Pool]]  # for rows without and with known targets; of each target
    residuals: Residuals


class _FoldPredictions(NamedTuple):
    """What the parts of one fold say of rows."""

    member: MemberPredictions
    classes: tuple[Floats, ...]  # log p(class | features) and expected units; or nothing
    trees: list[dict[int, Floats]]  # log-probabilities by target, of forests and boosted trees


@dataclass
class Ensemble:
    """Everything that predicts."""

    schema: Schema
    units: Units
    scale: Scale
    n_search: int
    seed: int
    folds: list[Fold] = field(default_factory=list)
    stack: Stack = field(init=False)

    def complete(self, encoded: Encoded, folds: list[Fold] | None = None) -> tuple[Rows, Floats]:
        """Expected value of every unit given the observed ones, and the spread of numbers."""
        found = self.predictions(encoded, folds or self.folds)
        numbers = weighted_sum(self.stack.numbers.T[:, None], found.numbers)
        units = np.hstack([numbers, weighted_sum(self.stack.discrete, found.discrete)])
        knows = encoded.observed[:, self.schema.target_units].any(axis=1, keepdims=True)
        for j, log_proba in enumerate(found.targets):
            without, with_some = (pooled(log_proba, pools[j]) for pools in self.stack.pools)
            own = self.schema.units_of(len(self.schema.features) + j)
            units[:, own] = np.where(knows, with_some, without)[:, own.start - own.stop :]
        spread = np.ones(units.shape)
        spread[:, : numbers.shape[1]] = found.spread
        return np.where(encoded.observed, encoded.values, units).astype(np.float32), spread

    def predictions(self, encoded: Encoded, folds: list[Fold]) -> Predictions:
        """What each part of the folds, averaged over them, says of rows."""
        n_gaussian = self.units.layer.n_gaussian
        values = np.where(encoded.observed, encoded.values, np.float32(0.0))
        values[:, :n_gaussian] = np.clip(values[:, :n_gaussian], -FARTHEST, FARTHEST)
        of_folds = [self._of_fold(Encoded(values, encoded.observed), fold) for fold in folds]
        member: MemberPredictions
        member, classes = jax.tree.map(
            lambda *parts: mean_of(parts), *((one.member, one.classes) for one in of_folds)
        )
        bins = [member.bin_mean] if self.units.n_bins else []
        numbers = [part[:, :n_gaussian] for part in (member.base, member.mean, *bins, *classes[1:])]
        variance = member.bin_square - member.bin_mean**2
        # What the prior expects of discrete units, as shares:
        std, centre = (np.asarray(part, np.float64) for part in (self.scale.std, self.scale.mean))
        prior = np.clip(member.base * std + centre, _LEAST_SURE, 1 - _LEAST_SURE)
        targets = [
            np.stack([*self._of_target(j, of_folds, prior), *classes[:1]])
            for j in range(len(self.schema.targets))
        ]
        for j, column in enumerate(self.schema.columns):
            if column.unit == "categorical":
                own = self.schema.units_of(j)
                prior[:, own] = column.probabilities(prior[:, own])
        return Predictions(
            numbers=np.stack(numbers),
            spread=np.sqrt(np.maximum(variance, _LEAST_SPREAD**2)),
            discrete=np.stack([part[:, n_gaussian:] for part in (member.mean, prior)]),
            targets=targets,
        )

    def _of_target(self, j: int, of_folds: list[_FoldPredictions], prior: Floats) -> list[Floats]:
        """Log-probabilities of target `j` by members, their prior and trees."""
        units: list[NDArray[Any]] = [*(one.member.mean for one in of_folds), prior]
        *members, of_prior = [log_of(self.schema.probabilities(own, j)) for own in units]
        found = [mean_of(members), of_prior]
        for trees in zip(*(one.trees for one in of_folds), strict=True):
            if all(trees):
                found.append(mean_of([own.get(j, found[-1]) for own in trees]))
        return found

    def _of_fold(self, encoded: Encoded, fold: Fold) -> _FoldPredictions:
        member = self.of_member(encoded, fold.member)
        X = self.completed_features(encoded, member)
        trees = [
            {j: log_of(of_target.predict_proba(X)) for j, of_target in by_target.items()}
            for by_target in (fold.forests, fold.boosted)
        ]
        classes = self._of_classes(encoded, fold.class_priors) if fold.class_priors else ()
        return _FoldPredictions(member, classes, trees)

    def of_member(self, encoded: Encoded, member: Member) -> MemberPredictions:
        """Predictions of one member."""
        predict = partial(
            member_predictions, member, self.scale, units=self.units, n_search=self.n_search
        )
        return MemberPredictions.split(self.units, map_tiles(predict, *encoded))

    def completed_features(self, encoded: Encoded, by: MemberPredictions) -> Rows:
        """Features in standard units, missing ones as a member's prior expects them; for trees."""
        is_feature = ~np.asarray(self.scale.is_target)
        standard = (encoded.values - np.asarray(self.scale.mean)) / np.asarray(self.scale.std)
        return np.where(encoded.observed, standard, by.base)[:, is_feature].astype(np.float32)

    def _of_classes(self, encoded: Encoded, priors: ClassPriors) -> tuple[Floats, ...]:
        target, n_classes = self.schema.units_of(len(self.schema.features)), len(priors.log_share)
        target_units = target.start, target.stop
        predict = partial(class_predictions, priors, self.scale, target_units=target_units)
        found = map_tiles(predict, *encoded).astype(np.float64)
        return found[:, :n_classes], found[:, n_classes:]


@partial(jax.jit, static_argnames="target_units")
def class_predictions(
    classes: ClassPriors, scale: Scale, values: jax.Array, observed: jax.Array,
    *, target_units: tuple[int, int],
) -> jax.Array:  # fmt: skip
    """log p(class | features) and the expected units of a tile of rows, side by side."""
    standard = (values - scale.mean) / scale.std
    seen = observed & ~scale.is_target
    log_densities = partial(log_density, values=standard, observed=seen)
    densities, expected = jax.lax.map(log_densities, classes.priors)
    log_share = classes.log_share[:, None]
    log_proba = jax.nn.log_softmax(log_share + densities, axis=0)
    # A Gaussian is no judge of rare cases: no class has less than a thousandth of its share.
    log_proba = jnp.logaddexp(log_proba + jnp.log(0.999), log_share + jnp.log(0.001))
    own = slice(*target_units)
    truth = values[:, own].T
    if len(truth) == 1:
        truth = jnp.concatenate([1.0 - truth, truth])
    weight = jnp.where(observed[:, own.start], truth, jnp.exp(log_proba))
    mean = jnp.sum(weight[:, :, None] * expected, axis=0)
    return jnp.concatenate([log_proba.T, mean], axis=1)


def weighted_sum(weights: Floats, parts: Floats) -> Floats:
    """Sum over the first axis, term by term, so that no bit of a row depends on other rows."""
    return np.asarray(sum(weight * part for weight, part in zip(weights, parts, strict=True)))


def pooled(log_proba: Floats, pool: Pool) -> Floats:
    """Probabilities of classes from several predictions, (n_predictions, n, n_classes)."""
    heights = weighted_sum(pool.powers, log_proba)
    if pool.shift:
        heights[..., 1] += pool.shift
    return np.asarray(softmax(heights, axis=-1))


def log_of(proba: Floats) -> Floats:
    """Logarithm of probabilities, kept finite."""
    return np.asarray(np.log(np.maximum(proba, LEAST_PROBABILITY)))


def mean_of(parts: Sequence[Any]) -> Floats:
    """Mean of arrays, summed one by one."""
    return np.asarray(sum(np.asarray(part, np.float64) for part in parts) / len(parts))


_STORED = {"n_search": int, "seed": int, "scale": Scale, "folds": list[Fold], "stack": Stack}


def ensemble_to_arrays(ensemble: Ensemble) -> Arrays:
    """All arrays of an ensemble; names are paths such as ``folds.0.member.prior.mean``."""
    return tree_to_arrays({name: getattr(ensemble, name) for name in _STORED})


def ensemble_from_arrays(schema: Schema, arrays: Arrays) -> Ensemble:
    """The inverse of `ensemble_to_arrays`; other arrays are left alone."""
    parts = tree_from_arrays(_STORED, arrays)
    stack, scale, folds = parts.pop("stack"), parts["scale"], parts["folds"]
    units = Units(layer_of(schema), len(scale.centres))
    ensemble = Ensemble(schema, units, **parts)
    ensemble.stack = stack
    n_wide = {fold.member.parameters.weights.shape[0] for fold in folds}
    if n_wide != {units.n_wide} or scale.mean.shape != (units.layer.n_units,):
        raise ValueError("arrays of the ensemble do not match the columns")
    for fold in folds:
        for trees in (*fold.forests.values(), *fold.boosted.values()):
            trees.check()
    return ensemble
