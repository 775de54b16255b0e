"""Steps of predictive training, as a share of the machine's limit."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.predictive_settings import search_steps
from halfseen.learning.predictive_loss import PredictiveColumns
from halfseen.learning.predictive_member import Member, PredictiveShape, Standard
from halfseen.learning.predictive_training import first_state, train_predictively
from halfseen.learning.prior_fit import MOST_UNITS_OF_FULL_RANK
from halfseen.learning.table_source import STEPS_AT_ONCE, Table
from halfseen.machine.correlated_prior import CorrelatedPrior, LowRankPrior, Prior
from halfseen.machine.predictive_sweeps import PredictiveLayer
from halfseen.machine.visible_layer import VisibleLayer
from speed.lossy_cd_epoch import MNIST_WIDTH, N_CLASSES, Case
from speed.measurement import Measurement
from speed.random_rows import layer_of_width, random_rows

N_SWEEPS = 2
SEEN = 0.5  # share of the entries
_RANK = 64
_LONG_ENOUGH = 15.0  # seconds, after which no more repeats are asked for
CASES = (
    Case(MNIST_WIDTH, 300, 10),
    Case(MNIST_WIDTH, 300, 100),
    Case(MNIST_WIDTH, 300, 100, 2),  # no fit has fewer members
    Case(MNIST_WIDTH, 300, 1000),
    Case(MNIST_WIDTH, 300, 1000, 2),
    Case(MNIST_WIDTH, 300, 10, 10),
    Case(MNIST_WIDTH, 300, 100, 10),
    Case(16, 300, 100),
    Case(300, 300, 100),
    Case(4000, 300, 100),
    Case(MNIST_WIDTH, 100, 100),
    Case(MNIST_WIDTH, 2000, 100),
)
QUICK_CASES = (Case(MNIST_WIDTH, 300, 100), Case(MNIST_WIDTH, 300, 100, 2))


def shape_of(layer: VisibleLayer, n_hidden: int, batch_size: int) -> PredictiveShape:
    """What ``fit`` compiles for bits and classes: every unit a feature, a group one target."""
    single = layer.n_gaussian + layer.n_bernoulli
    columns = [*range(single)]
    for index, size in enumerate(layer.group_sizes):
        columns += [single + index] * size
    n_search, _ = search_steps(layer.n_visible, SEEN)
    known = PredictiveColumns(PredictiveLayer(layer, 0), tuple(columns), single, layer.n_groups)
    return PredictiveShape(known, n_hidden, N_SWEEPS, n_search, batch_size)


def prior_of(n_visible: int) -> Prior:
    """A prior of the kind that ``fit`` has for so many units."""
    generator = np.random.default_rng(1)
    nothing, one = jnp.zeros(n_visible), jnp.ones(n_visible)
    if n_visible > MOST_UNITS_OF_FULL_RANK:
        loading = 0.1 * generator.standard_normal((n_visible, _RANK))
        return LowRankPrior(nothing, one, jnp.asarray(loading, jnp.float32))
    factor = generator.standard_normal((n_visible, n_visible)) / np.sqrt(n_visible)
    covariance = np.eye(n_visible) + 0.1 * factor @ factor.T
    return CorrelatedPrior(nothing, jnp.asarray(covariance, jnp.float32))


def prior_products(prior: Prior) -> float:
    """Operations of one product of a row with the covariance."""
    n_visible = len(prior.mean)
    if isinstance(prior, CorrelatedPrior):
        return 2.0 * n_visible**2
    return 4.0 * n_visible * prior.loading.shape[1]


def flops_per_row(shape: PredictiveShape, prior: Prior, is_training: bool) -> float:
    """Of the products of one member: sweeps, in training the derivative of the last, the search.

    A sweep is two products with the weights; the derivative of the last sweep takes three, since
    what it starts from is given. The prior has nothing that is learned here.
    """
    n_products = 2 * shape.n_sweeps + (3 if is_training else 0)
    of_sweeps = 2.0 * n_products * shape.columns.wide.n_units * shape.n_hidden
    return of_sweeps + (shape.n_search_steps + 1) * prior_products(prior)


def members_of(prior: Prior, n_members: int) -> Member:
    """Members that differ in nothing."""

    def of_all(value: float) -> jax.Array:
        return jnp.full(n_members, value)

    return Member(
        prior=jax.tree.map(lambda leaf: jnp.stack([leaf] * n_members), prior),
        prior_sees_labels=jnp.zeros(n_members, bool),
        fold=jnp.zeros(n_members, jnp.int32),
        learning_rate=of_all(1e-3),
        weight_decay=of_all(1e-2),
        most_hidden=of_all(0.9),
        as_they_are=of_all(0.0),
        label_weight=of_all(1.0),
        dropped=of_all(0.5),
    )


def standard_of(layer: VisibleLayer) -> Standard:
    """Standard units that are the units themselves, without knots."""
    n_visible = layer.n_visible
    return Standard(jnp.zeros(n_visible), jnp.ones(n_visible), jnp.zeros((layer.n_gaussian, 0)))


def predictive_measurement(case: Case, n_repeats: int) -> Measurement:
    """Seconds of every fifty steps but the first, which compile; all that ``fit`` does in them."""
    layer = layer_of_width(case.n_visible, N_CLASSES if case.n_visible == MNIST_WIDTH else 0)
    shape, prior = shape_of(layer, case.n_hidden, case.batch_size), prior_of(case.n_visible)
    n_rows = STEPS_AT_ONCE * case.batch_size
    flops = n_rows * case.n_replicas * flops_per_row(shape, prior, is_training=True)
    rows = random_rows(min(n_rows, 10_000), layer)
    moments: list[float] = []

    def after(_: int, __: NDArray[np.float32]) -> bool:
        moments.append(time.perf_counter())
        return len(moments) > n_repeats or moments[-1] - moments[0] > _LONG_ENOUGH

    standard, steps = standard_of(layer), range(STEPS_AT_ONCE * (n_repeats + 1))
    train_predictively(
        shape,
        standard,
        members_of(prior, case.n_replicas),
        first_state(
            shape, standard, np.zeros(case.n_visible, np.float32), [*range(case.n_replicas)]
        ),
        Table(jnp.asarray(rows.visible), jnp.asarray(rows.observed[None])),
        len(rows.visible),
        steps,
        0,
        after,
    )
    seconds = tuple(float(value) for value in np.diff(moments))
    n_all = n_rows * case.n_replicas
    return Measurement("predictive", "halfseen", seconds, n_all, flops, *case)


def predictive_epochs(
    cases: Sequence[Case], n_repeats: int, tell: Callable[[Measurement], None]
) -> None:
    """Tell of predictive training in all cases."""
    for case in cases:
        tell(predictive_measurement(case, n_repeats))
