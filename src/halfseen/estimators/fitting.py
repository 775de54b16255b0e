"""From an encoded table to a fitted machine: the steps of ``fit``, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from halfseen.estimators.fitted_machine import FittedMachine
from halfseen.estimators.restart_configurations import restart_configurations, start_marginals
from halfseen.estimators.settings import Settings
from halfseen.learning.checkpoint import Checkpoint
from halfseen.learning.epoch import TrainingState, padded_rows
from halfseen.learning.held_out import HeldOut, hold_out
from halfseen.learning.history import History
from halfseen.learning.monitor import HeldOutMonitor, Monitor, OracleMonitor
from halfseen.learning.predictive_loss import PredictiveColumns
from halfseen.learning.progress import Verbosity
from halfseen.learning.row_source import HeldRows, ReadRows, RowSource
from halfseen.learning.trainer import Callback, Trainer, TrainingPlan
from halfseen.machine.compilation_cache import kept_compilations
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.predictive_sweeps import PredictiveLayer
from halfseen.machine.visible_layer import VisibleLayer
from halfseen.tables import Encoded, EncodedTable, Schema


@dataclass(frozen=True)
class Surroundings:
    """What accompanies a training without changing its result."""

    checkpoint: Checkpoint | None = None
    callbacks: Sequence[Callback] = ()
    verbose: Verbosity = "auto"


class Fitted(NamedTuple):
    """What ``fit`` leaves behind."""

    machine: FittedMachine
    history: History


def layer_of(schema: Schema) -> VisibleLayer:
    """The visible layer of a schema."""
    return VisibleLayer(schema.n_gaussian, schema.n_bernoulli, schema.group_sizes)


def predictive_columns(schema: Schema, n_knots: int) -> PredictiveColumns:
    """The columns of a schema as predictive training takes them.

    They are counted in the order of their units: which of a user's columns are numbers is then no
    part of what is compiled, only how many are.
    """
    column, first_unit, of_unit = np.unique(
        schema.column_of_unit, return_index=True, return_inverse=True
    )
    is_target = column >= len(schema.features)
    place = np.empty(len(column), np.int64)
    place[np.lexsort((first_unit, is_target))] = np.arange(len(column))
    return PredictiveColumns(
        PredictiveLayer(layer_of(schema), n_knots),
        tuple(place[of_unit].tolist()),
        int((~is_target).sum()),
        len(schema.targets),
    )


def training_plan(schema: Schema, settings: Settings, n_rows: int, seed: int) -> TrainingPlan:
    """All that decides the training of a table with this schema."""
    layer = layer_of(schema)
    first_variance, lowest_variance, highest_variance = settings.variance_bounds()
    starts = start_marginals(layer, schema.marginals, settings.random_starts)
    return TrainingPlan(
        layer=layer,
        objective=settings.learning_objective(),
        optimiser=settings.learning_optimiser(),
        n_hidden=settings.n_hidden,
        n_epochs=settings.n_epochs,
        # Padded like the rows, so that parts of any length share a compilation.
        batch_size=min(settings.batch_size, padded_rows(n_rows)),
        learning_rate=settings.learning_rate,
        weight_decay=settings.weight_decay,
        schedule=settings.schedule,
        first_variance=first_variance,
        lowest_variance=lowest_variance,
        highest_variance=highest_variance,
        weight_scale=0.01,
        centered=settings.centered,
        start_marginals=tuple(float(value) for value in starts),
        observed_marginals=tuple(float(value) for value in schema.marginals),
        n_machines=settings.n_machines,
        patience=settings.patience,
        monitor_every=settings.monitor_every,
        seed=seed,
    )


@kept_compilations()
def fit_machine(
    schema: Schema,
    encoded: EncodedTable,
    settings: Settings,
    seed: int,
    surroundings: Surroundings,
    oracle: Encoded | None = None,
) -> Fitted:
    """Train on everything observed, judged by some of it that was put aside.

    ``oracle`` holds the true labels for the paper's stopping rule, and is None otherwise.
    """
    if oracle is not None and oracle.n_rows != encoded.n_rows:
        raise ValueError(
            f"oracle_y has {oracle.n_rows} rows, but X has {encoded.n_rows}; give the "
            "true labels of the same rows"
        )
    layer = layer_of(schema)
    if oracle is not None or settings.objective == "fully_persistent_cd":
        encoded = encoded.written_down()  # all rows are judged, or kept something of
    monitor, held_out = _monitor(schema, layer, encoded, settings, seed, oracle)
    trainer = Trainer(
        training_plan(schema, settings, encoded.n_rows, seed),
        monitor,
        surroundings.checkpoint,
        surroundings.callbacks,
        surroundings.verbose,
    )
    result = trainer.train_on(_source(encoded, held_out))
    return Fitted(shelved(result.machines, schema, settings, seed), result.history)


def _source(encoded: EncodedTable, held_out: HeldOut | None) -> RowSource:
    """The rows of a table with what they train with; of a large one they are read as it goes."""
    if isinstance(encoded, Encoded):
        training = encoded.observed if held_out is None else held_out.training(encoded.observed)
        return HeldRows(encoded.visible, training)

    def read(rows: NDArray[np.integer]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        visible, observed = encoded.rows(rows)
        return visible, observed if held_out is None else held_out.training_of(rows, observed)

    return ReadRows(read, encoded.n_rows, encoded.n_visible)


def shelved(
    machines: BoltzmannParameters, schema: Schema, settings: Settings, seed: int
) -> FittedMachine:
    """Parameters as numpy arrays, with the restarts of completion drawn."""
    layer = layer_of(schema)
    log_variance = np.array(machines.log_variance, np.float32)
    return FittedMachine(
        layer=layer,
        weights=np.array(machines.weights, np.float32),
        visible_bias=np.array(machines.visible_bias, np.float32),
        hidden_bias=np.array(machines.hidden_bias, np.float32),
        log_variance=log_variance,
        restarts=restart_configurations(
            layer,
            schema.marginals,
            log_variance.mean(axis=0),
            settings.n_restarts,
            settings.random_starts,
            seed,
        ),
        marginals=schema.marginals.astype(np.float32),
        completion=settings.completion_settings(),
        seed=seed,
    )


@kept_compilations()
def pass_over(
    schema: Schema,
    encoded: Encoded,
    settings: Settings,
    seed: int,
    state: TrainingState | None,
    machine: FittedMachine | None,
    n_passes: int,
) -> TrainingState:
    """One pass over one more part of a table, for ``partial_fit``.

    From ``state``, where the last part left it; else from the parameters of a fitted machine; else
    from the beginning.
    """
    plan = training_plan(schema, settings, len(encoded.visible), seed)
    trainer = Trainer(plan)
    if state is None:
        state = trainer.first_state(padded_rows(len(encoded.visible)))
        if machine is not None:
            state = state._replace(parameters=machine.machines)
    return trainer.one_pass(encoded.visible, encoded.observed, state, n_passes)


def _monitor(
    schema: Schema,
    layer: VisibleLayer,
    encoded: EncodedTable,
    settings: Settings,
    seed: int,
    oracle: Encoded | None,
) -> tuple[Monitor | None, HeldOut | None]:
    """Who judges, and what is put aside for it."""
    marginals = schema.marginals.astype(np.float32)
    if oracle is not None:
        visible, observed = encoded.written_down()
        judging = oracle.observed & ~observed & schema.is_target_unit
        return OracleMonitor(layer, visible, observed, oracle.visible, judging, marginals), None
    if settings.stopping == "none" or settings.held_out_share == 0:
        return None, None
    held_out = hold_out(
        encoded, schema.column_of_unit, schema.is_target_unit, settings.held_out_share, seed
    )
    monitor = HeldOutMonitor(layer, encoded, held_out, schema.is_target_unit, marginals)
    return (monitor if monitor.judges_anything else None), held_out
