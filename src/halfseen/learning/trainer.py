"""The trainer: epochs, monitoring with look-ahead, roll-back, checkpoints, interruption."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.learning.checkpoint import Checkpoint, LoopState, fingerprint_of
from halfseen.learning.divergence import MOST_ROLLBACKS, SLOWER, DivergenceError, diverged
from halfseen.learning.epoch import (
    Rows,
    TrainingState,
    epoch_order,
    first_state,
    rows_on_device,
    run_epoch,
)
from halfseen.learning.history import EpochRecord, History, StopReason
from halfseen.learning.monitor import Losses, Monitor
from halfseen.learning.objective import Beginning, Objective
from halfseen.learning.optimiser import Optimiser, Rates, ScheduleName, schedule_factor
from halfseen.learning.progress import ProgressLine, Verbosity
from halfseen.learning.statistics import Offsets
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer

Callback = Callable[[EpochRecord], bool | None]


class TrainingInterrupted(UserWarning):
    """Training was stopped by Ctrl-C; the model is usable as it is."""


@dataclass(frozen=True)
class TrainingPlan:
    """All that decides a training besides the data; see the estimators for the meaning of each."""

    layer: VisibleLayer
    objective: Objective
    optimiser: Optimiser
    n_hidden: int
    n_epochs: int
    batch_size: int
    learning_rate: float
    weight_decay: float
    schedule: ScheduleName
    first_variance: float
    lowest_variance: float
    highest_variance: float
    weight_scale: float
    centered: bool
    start_marginals: tuple[float, ...]
    observed_marginals: tuple[float, ...]
    n_machines: int
    patience: int
    monitor_every: int
    seed: int


class TrainingResult(NamedTuple):
    """What training leaves behind."""

    machines: BoltzmannParameters  # every leaf with a leading axis of n_machines
    history: History
    state: TrainingState


class Trainer:
    """Trains machines of one shape at once, on one table or on one table each.

    Parameters
    ----------
    plan : TrainingPlan
        All that decides the result besides the data.
    monitor : Monitor or None
        Judges the machines; None trains for all epochs and keeps the last parameters.
    checkpoint : Checkpoint or None
        Where to save and from where to resume.
    callbacks : sequence of callables
        Called after every epoch with its record; one that returns True ends the training.
    verbose : "auto" or bool
        Whether to show progress.
    """

    def __init__(
        self,
        plan: TrainingPlan,
        monitor: Monitor | None = None,
        checkpoint: Checkpoint | None = None,
        callbacks: Sequence[Callback] = (),
        verbose: Verbosity = False,
    ) -> None:
        self.plan = plan
        self.monitor = monitor
        self.checkpoint = checkpoint
        self.callbacks = callbacks
        self.verbose = verbose
        self.key = jax.random.key(plan.seed)

    def train(self, visible: NDArray[np.float32], observed: NDArray[np.bool_]) -> TrainingResult:
        """Train on a table of shape (n_rows, n_visible), or (n_machines, n_rows, n_visible).

        What stands in ``visible`` behind missing entries is never read.
        """
        table = rows_on_device(visible, observed)
        loop, history = self._begin(table), History()
        fingerprint = ""
        if self.checkpoint is not None:
            fingerprint = fingerprint_of(visible, observed, self.plan)
            resumed = self.checkpoint.read(loop, fingerprint)
            if resumed is not None:
                loop, history = resumed
        n_rows = visible.shape[-2]
        first_epoch = int(loop.epoch)
        line = ProgressLine("training, epoch", self.plan.n_epochs - first_epoch, self.verbose)
        reason: StopReason = "epochs"
        try:
            for epoch in range(first_epoch, self.plan.n_epochs):
                if not np.any(np.asarray(loop.active)):
                    reason = "look-ahead"
                    break
                loop, record = self._epoch(loop, table, n_rows, epoch)
                history.add(record)
                if self.checkpoint is not None and self.checkpoint.is_due(epoch):
                    self.checkpoint.write(loop, history, fingerprint)
                line.show(epoch + 1 - first_epoch, _note(record))
                if any([callback(record) for callback in self.callbacks]):
                    reason = "callback"
                    break
        except KeyboardInterrupt:
            reason = "interrupted"
            warnings.warn(
                f"training interrupted in epoch {len(history) + 1}; the model keeps the best "
                "parameters found so far",
                TrainingInterrupted,
                stacklevel=2,
            )
        if reason == "epochs" and not np.any(np.asarray(loop.active)):
            reason = "look-ahead"
        never_judged = jnp.isinf(loop.best_loss)
        machines = _chosen(never_judged, loop.state.parameters, loop.best)
        history.stop_reason = reason
        history.best_epoch = int(np.max(np.asarray(loop.best_epoch)))
        line.close(f"stopped by {reason}, best epoch {history.best_epoch + 1}")
        return TrainingResult(machines, history, loop.state)

    def beginning(self) -> Beginning:
        """What chains and offsets begin with."""
        marginals = jnp.asarray(self.plan.start_marginals, jnp.float32)
        n_hidden = self.plan.n_hidden
        if self.plan.centered:
            observed = jnp.asarray(self.plan.observed_marginals, jnp.float32)
            return Beginning(marginals, Offsets(observed, jnp.full((n_hidden,), 0.5)))
        return Beginning(marginals, Offsets(jnp.zeros_like(marginals), jnp.zeros((n_hidden,))))

    def _begin(self, table: Rows) -> LoopState:
        state = self.first_state(table.visible.shape[-2])
        n_machines = self.plan.n_machines
        return LoopState(
            epoch=jnp.asarray(0, jnp.int32),
            state=state,
            anchor=state,
            best=state.parameters,
            best_loss=jnp.full((n_machines,), jnp.inf),
            best_epoch=jnp.zeros((n_machines,), jnp.int32),
            n_rollbacks=jnp.zeros((n_machines,), jnp.int32),
            active=jnp.ones((n_machines,), bool),
        )

    def first_state(self, n_table_rows: int) -> TrainingState:
        """All machines before any training, for a table of so many rows."""
        plan = self.plan
        state: TrainingState = first_state(
            jax.random.split(jax.random.fold_in(self.key, 0), plan.n_machines),
            jnp.asarray(plan.observed_marginals, jnp.float32),
            jnp.asarray(plan.first_variance, jnp.float32),
            self.beginning(),
            layer=plan.layer,
            objective=plan.objective,
            optimiser=plan.optimiser,
            n_hidden=plan.n_hidden,
            n_table_rows=n_table_rows,
            weight_scale=plan.weight_scale,
        )
        return state

    def one_pass(
        self,
        visible: NDArray[np.float32],
        observed: NDArray[np.bool_],
        state: TrainingState,
        n_passes: int,
    ) -> TrainingState:
        """Go once over a table, for learning in parts.

        ``n_passes`` counts the passes before this one. A pass that diverges is undone and ends in
        an error.
        """
        table = rows_on_device(visible, observed)
        after, _ = self._run(state, table, visible.shape[-2], n_passes)
        if np.any(diverged(after, None)):
            raise DivergenceError(self.plan.learning_rate)
        return after

    def _run(
        self, state: TrainingState, table: Rows, n_rows: int, epoch: int
    ) -> tuple[TrainingState, jax.Array]:
        plan = self.plan
        rates = Rates(
            learning_rate=plan.learning_rate * schedule_factor(plan.schedule, epoch, plan.n_epochs),
            weight_decay=plan.weight_decay,
            lowest_log_variance=float(np.log(plan.lowest_variance)),
            highest_log_variance=float(np.log(plan.highest_variance)),
        )
        epoch_key = jax.random.fold_in(jax.random.fold_in(self.key, 1), epoch)
        result: tuple[TrainingState, jax.Array] = run_epoch(
            state,
            table,
            epoch_order(plan.seed, epoch, n_rows, plan.batch_size, plan.n_machines),
            rates,
            self.beginning(),
            jax.random.split(epoch_key, plan.n_machines),
            layer=plan.layer,
            objective=plan.objective,
            optimiser=plan.optimiser,
        )
        return result

    def _epoch(
        self, loop: LoopState, table: Rows, n_rows: int, epoch: int
    ) -> tuple[LoopState, EpochRecord]:
        started = time.perf_counter()
        plan = self.plan
        moved, gradient_norm = self._run(loop.state, table, n_rows, epoch)
        state = _chosen(loop.active, moved, loop.state)
        losses = self._losses(state.parameters, epoch)
        loss = None if losses is None else losses.total
        bad = jnp.asarray(diverged(state, loss)) & loop.active
        improved = loop.active & ~bad
        best_loss = loop.best_loss
        if loss is not None:
            improved = improved & (jnp.asarray(loss) < loop.best_loss)
            best_loss = jnp.where(improved, jnp.asarray(loss), loop.best_loss)
        elif self.monitor is not None:
            improved = jnp.zeros_like(improved)
        anchor = _chosen(improved, state, loop.anchor)
        slower = anchor._replace(rate_scale=anchor.rate_scale * jnp.where(bad, SLOWER, 1.0))
        best_epoch = jnp.where(improved, epoch, loop.best_epoch)
        n_rollbacks = loop.n_rollbacks + bad
        if np.any(np.asarray(n_rollbacks) > MOST_ROLLBACKS):
            raise DivergenceError(plan.learning_rate)
        loop = LoopState(
            epoch=jnp.asarray(epoch + 1, jnp.int32),
            state=_chosen(bad, slower, state),
            anchor=slower,
            best=_chosen(improved, state.parameters, loop.best),
            best_loss=best_loss,
            best_epoch=best_epoch,
            n_rollbacks=n_rollbacks,
            active=loop.active & (epoch - best_epoch < plan.patience),
        )
        return loop, self._record(loop, losses, gradient_norm, bad, epoch, started)

    def _losses(self, machines: BoltzmannParameters, epoch: int) -> Losses | None:
        last = epoch + 1 == self.plan.n_epochs
        if self.monitor is None or not (last or (epoch + 1) % self.plan.monitor_every == 0):
            return None
        return self.monitor.losses(machines)

    def _record(
        self,
        loop: LoopState,
        losses: Losses | None,
        gradient_norm: jax.Array,
        bad: jax.Array,
        epoch: int,
        started: float,
    ) -> EpochRecord:
        weights = np.asarray(loop.state.parameters.weights)
        rate = self.plan.learning_rate * schedule_factor(
            self.plan.schedule, epoch, self.plan.n_epochs
        )
        return EpochRecord(
            epoch=epoch,
            seconds=time.perf_counter() - started,
            learning_rate=rate * float(np.mean(np.asarray(loop.state.rate_scale))),
            gradient_norm=_finite(float(np.mean(np.asarray(gradient_norm)))) or 0.0,
            weight_norm=float(np.sqrt(np.sum(weights**2) / len(weights))),
            loss=None if losses is None else _finite(float(np.mean(losses.total))),
            feature_loss=None if losses is None else _finite(float(np.mean(losses.features))),
            label_loss=None if losses is None else _finite(float(np.mean(losses.labels))),
            rolled_back=bool(np.any(np.asarray(bad))),
        )


def _chosen(which: jax.Array, yes: Any, no: Any) -> Any:
    """Replica by replica, the leaves of ``yes`` where ``which`` is True, else those of ``no``."""

    def leaf(left: jax.Array, right: jax.Array) -> jax.Array:
        return jnp.where(which.reshape(which.shape + (1,) * (left.ndim - 1)), left, right)

    return jax.tree.map(leaf, yes, no)


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _note(record: EpochRecord) -> str:
    return "" if record.loss is None else f"held-out loss {record.loss:.4f}"
