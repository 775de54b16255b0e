"""Epochs of the trainer that ``fit`` uses, timed by its own records."""

from __future__ import annotations

import math
from dataclasses import replace

from halfseen.estimators.settings import ObjectiveName, paper_settings
from halfseen.learning.history import EpochRecord
from halfseen.learning.trainer import Trainer, TrainingPlan
from halfseen.machine.visible_layer import VisibleLayer
from speed.measurement import Measurement
from speed.random_rows import RandomRows

_MEAN_FIELD_SWEEPS = 10
_N_WARM = 2  # epochs that compile
_FEWEST_REPEATS = 3
_LONG_ENOUGH = 10.0  # seconds, after which no more repeats are asked for


def training_plan(
    layer: VisibleLayer,
    objective: ObjectiveName,
    n_hidden: int,
    batch_size: int,
    n_replicas: int,
    n_epochs: int,
) -> TrainingPlan:
    """The paper's settings, with this objective and shape, and no stopping."""
    n_steps = _MEAN_FIELD_SWEEPS if objective == "mean_field_cd" else 1
    settings = replace(
        paper_settings(0, layer.n_visible),
        objective=objective,
        n_gibbs_steps=n_steps,
        n_chains=batch_size,
    )
    marginals = (0.5,) * layer.n_visible
    return TrainingPlan(
        layer=layer,
        objective=settings.learning_objective(),
        optimiser=settings.learning_optimiser(),
        n_hidden=n_hidden,
        n_epochs=n_epochs,
        batch_size=batch_size,
        learning_rate=settings.learning_rate,
        weight_decay=settings.weight_decay,
        schedule=settings.schedule,
        first_variance=1.0,
        lowest_variance=1.0,
        highest_variance=1.0,
        # Weights at which sweeps of the mean field neither come to rest early nor run away.
        weight_scale=3.5 / (math.sqrt(layer.n_visible) + math.sqrt(n_hidden)),
        centered=settings.centered,
        start_marginals=marginals,
        observed_marginals=marginals,
        n_machines=n_replicas,
        patience=n_epochs,
        monitor_every=n_epochs,
        seed=0,
    )


def products_per_row(objective: ObjectiveName) -> int:
    """Products with the weight matrix that one row needs in one update, of both terms together.

    A Gibbs step or sweep is two of them (hidden from visible, visible from hidden). After the last
    one come the means of the hidden units and the correlations of the gradient. Sweeps of the mean
    field end with the means of the hidden units, as they begin.
    """
    n_steps = _MEAN_FIELD_SWEEPS if objective == "mean_field_cd" else 1
    return 2 * (2 * n_steps + 2)


def epoch_flops(objective: ObjectiveName, n_rows: int, n_visible: int, n_hidden: int) -> float:
    """Operations of all products of one epoch: two for each entry of the weights.

    Examples
    --------
    >>> epoch_flops("lossy_cd", 1, 794, 100) == 16 * 794 * 100
    True
    """
    return 2.0 * products_per_row(objective) * n_rows * n_visible * n_hidden


def epoch_measurement(
    layer: VisibleLayer,
    rows: RandomRows,
    objective: ObjectiveName,
    n_hidden: int,
    batch_size: int,
    n_replicas: int,
    n_repeats: int,
    note: str = "",
) -> Measurement:
    """Seconds of every epoch but the first two, which compile; nothing is subtracted.

    Epochs hold the order of the rows, the updates, and what the trainer does after an epoch.
    """
    seconds: list[float] = []

    def is_enough(record: EpochRecord) -> bool:
        seconds.append(record.seconds)
        measured = seconds[_N_WARM:]
        return len(measured) >= _FEWEST_REPEATS and sum(measured) > _LONG_ENOUGH

    plan = training_plan(layer, objective, n_hidden, batch_size, n_replicas, n_repeats + _N_WARM)
    Trainer(plan, callbacks=(is_enough,)).train(rows.visible, rows.observed)
    n_rows = len(rows.visible) * n_replicas
    return Measurement(
        objective,
        "halfseen",
        tuple(seconds[_N_WARM:]),
        n_rows,
        epoch_flops(objective, n_rows, layer.n_visible, n_hidden),
        layer.n_visible,
        n_hidden,
        batch_size,
        n_replicas,
        note,
    )
