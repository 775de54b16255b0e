"""The trainer: epochs, monitoring with look-ahead, roll-back, checkpoints, interruption."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import jax
import numpy as np
from numpy.typing import NDArray

from halfseen.base.estimator import TrainingInterrupted
from halfseen.learning.checkpoint import Checkpoint, fingerprint_of
from halfseen.learning.divergence import MOST_ROLLBACKS, is_sound
from halfseen.learning.epoch import (
    TrainingState,
    epoch_order,
    first_state,
    run_epoch,
)
from halfseen.learning.epoch_on_host import (
    goes_on_host,
    is_on_host,
    run_epoch_on_host,
    state_on_host,
)
from halfseen.learning.history import EpochRecord, History, StopReason
from halfseen.learning.loop_state import (
    LoopState,
    best_machines,
    concluded,
    first_loop_state,
    moved_state,
)
from halfseen.learning.monitor import Losses, Monitor
from halfseen.learning.objective import Beginning, Objective
from halfseen.learning.optimiser import Optimiser, Rates, ScheduleName, schedule_factor
from halfseen.learning.persistent_cd import FullyPersistentCD
from halfseen.learning.progress import ProgressLine, Verbosity
from halfseen.learning.row_source import HeldRows, RowSource
from halfseen.learning.statistics import Offsets
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.random_bits import training_key
from halfseen.machine.visible_layer import VisibleLayer
from halfseen.rbm.training import DivergenceError

Callback = Callable[[EpochRecord], bool | None]


@contextmanager
def interruption_is_the_end() -> Iterator[None]:
    """Within it Ctrl-C ends a fit with a KeyboardInterrupt, and no half-trained model is kept.

    Examples
    --------
    >>> try:
    ...     with interruption_is_the_end():
    ...         warnings.warn("stopped", TrainingInterrupted)
    ... except KeyboardInterrupt:
    ...     print("there is no model")
    there is no model
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error", TrainingInterrupted)
        try:
            yield
        except TrainingInterrupted as interrupted:
            raise KeyboardInterrupt from interrupted


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

    @property
    def begins_on_host(self) -> bool:
        """Whether NumPy trains from the beginning, where nothing is compiled."""
        return goes_on_host(
            self.layer,
            self.objective,
            self.optimiser,
            self.n_hidden,
            self.batch_size,
            self.n_machines,
        )


class TrainingResult(NamedTuple):
    """What training leaves behind."""

    machines: BoltzmannParameters  # every leaf with a leading axis of n_machines
    history: History


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
        self.key = training_key(plan.seed)
        self.beginning = self._beginning()

    def train(self, visible: NDArray[np.float32], observed: NDArray[np.bool_]) -> TrainingResult:
        """Train on a table of shape (n_rows, n_visible), or (n_machines, n_rows, n_visible).

        What stands in ``visible`` behind missing entries is never read.
        """
        return self.train_on(HeldRows(visible, observed))

    def train_on(self, source: RowSource) -> TrainingResult:
        """Train on rows from wherever they come.

        Raises
        ------
        ValueError
            The objective keeps something of every row, and the rows are read as it goes.
        """
        if isinstance(self.plan.objective, FullyPersistentCD) and not source.n_table_rows:
            raise ValueError("chains of every row are kept: give the table as a whole")
        loop = first_loop_state(self.first_state(source.n_table_rows))
        history = History()
        fingerprint = ""
        if self.checkpoint is not None:
            judge = type(self.monitor).__name__
            fingerprint = fingerprint_of(source, (self.plan, judge))
            resumed = self.checkpoint.read(loop, fingerprint)
            if resumed is not None:
                loop, history = resumed
        first_epoch = int(loop.epoch)
        line = ProgressLine("training, epoch", self.plan.n_epochs - first_epoch, self.verbose)
        reason: StopReason = "epochs"
        try:
            for epoch in range(first_epoch, self.plan.n_epochs):
                if not loop.active.any():
                    reason = "look-ahead"
                    break
                loop, record = self._epoch(loop, source, epoch)
                history.add(record)
                if self.checkpoint is not None and self.checkpoint.is_due(epoch):
                    self.checkpoint.write(loop, history, fingerprint)
                line.show(epoch + 1 - first_epoch, _note(record))
                if any([callback(record) for callback in self.callbacks]):
                    reason = "callback"
                    break
            if reason == "epochs":
                self._check_survivors(loop)
        except KeyboardInterrupt:
            reason = "interrupted"
            # What was under way must end before the interpreter may, or JAX crashes on exit.
            jax.block_until_ready(jax.live_arrays())  # type: ignore[no-untyped-call]
        except BaseException:
            line.close("ended by an error")
            raise
        if reason == "epochs" and not loop.active.any():
            reason = "look-ahead"
        history.stop_reason = reason
        history.best_epoch = int(loop.best_epoch.max())
        line.close(f"stopped by {reason}, best epoch {history.best_epoch + 1}")
        if reason == "interrupted":
            warnings.warn(
                f"training interrupted in epoch {len(history) + 1}; the model keeps the best "
                "parameters found so far",
                TrainingInterrupted,
                stacklevel=2,
            )
        return TrainingResult(best_machines(loop), history)

    def _check_survivors(self, loop: LoopState) -> None:
        """Raise if all epochs of a machine were rolled back: it has learned nothing."""
        n_epochs = int(loop.epoch)
        if n_epochs and np.any(loop.n_rollbacks == n_epochs):
            raise DivergenceError(self.plan.learning_rate, n_epochs - 1)

    def _beginning(self) -> Beginning:
        plan = self.plan
        marginals = np.array(plan.start_marginals, np.float32)
        visible = np.array(plan.observed_marginals, np.float32)
        hidden = np.full((plan.n_hidden,), 0.5, np.float32)
        if not plan.centered:
            visible, hidden = np.zeros_like(visible), np.zeros_like(hidden)
        starts, *offsets = jax.device_put([marginals, visible, hidden])
        return Beginning(starts, Offsets(*offsets))

    def first_state(self, n_table_rows: int) -> TrainingState:
        """All machines before any training, for a table of so many rows."""
        plan = self.plan
        state = first_state(
            plan.seed,
            self.key,
            np.array(plan.observed_marginals, np.float32),
            plan.first_variance,
            self.beginning,
            layer=plan.layer,
            objective=plan.objective,
            optimiser=plan.optimiser,
            n_hidden=plan.n_hidden,
            n_machines=plan.n_machines,
            n_table_rows=n_table_rows,
            weight_scale=plan.weight_scale,
        )
        # A fixed variance is to be the same number before and after the first step.
        parameters = state.parameters
        log_variance = np.clip(np.asarray(parameters.log_variance), *self._log_variance_bounds())
        on_device = jax.device_put(log_variance.astype(np.float32))
        state = state._replace(parameters=parameters._replace(log_variance=on_device))
        return state_on_host(state) if plan.begins_on_host else state

    def _log_variance_bounds(self) -> tuple[float, float]:
        plan = self.plan
        return float(np.log(plan.lowest_variance)), float(np.log(plan.highest_variance))

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
        after, _ = self._run(state, HeldRows(visible, observed), n_passes)
        if not np.all(is_sound(after, np.zeros(self.plan.n_machines))):
            raise DivergenceError(self.plan.learning_rate, n_rollbacks=0)
        return after

    def _run(
        self, state: TrainingState, source: RowSource, epoch: int
    ) -> tuple[TrainingState, NDArray[np.float32]]:
        """All minibatches of an epoch, and the mean norm of their gradients, of every machine."""
        plan = self.plan
        lowest, highest = self._log_variance_bounds()
        rates = Rates(
            learning_rate=plan.learning_rate * schedule_factor(plan.schedule, epoch, plan.n_epochs),
            weight_decay=plan.weight_decay,
            lowest_log_variance=lowest,
            highest_log_variance=highest,
        )
        order = epoch_order(plan.seed, epoch, source.shape[-2], plan.batch_size, plan.n_machines)
        mean_norm = np.zeros(plan.n_machines, np.float32)
        # A state stays where it began, though parts of another length might have begun elsewhere.
        run = run_epoch_on_host if is_on_host(state) else run_epoch
        for block in source.blocks(order):
            state, norm = run(
                state,
                block.table,
                block.order,
                rates,
                self.beginning,
                plan.seed,
                epoch,
                block.first,
                layer=plan.layer,
                objective=plan.objective,
                optimiser=plan.optimiser,
            )
            mean_norm += np.asarray(norm) * (block.order.n_batches / order.n_batches)
        return state, mean_norm

    def _epoch(
        self, loop: LoopState, source: RowSource, epoch: int
    ) -> tuple[LoopState, EpochRecord]:
        started = time.perf_counter()
        moved, gradient_norm = self._run(loop.state, source, epoch)
        state = moved_state(loop, moved)
        losses = self._losses(state.parameters, epoch)
        total = np.zeros(self.plan.n_machines) if losses is None else losses.total
        loop, bad = concluded(
            loop,
            state,
            total.astype(np.float32),
            losses is not None,
            self.monitor is not None,
            self.plan.patience,
        )
        if np.any(loop.n_rollbacks > MOST_ROLLBACKS):
            raise DivergenceError(self.plan.learning_rate)
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
        gradient_norm: NDArray[np.float32],
        bad: NDArray[np.bool_],
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
            gradient_norm=_finite(float(np.mean(gradient_norm))) or 0.0,
            weight_norm=float(np.sqrt(np.sum(weights**2) / len(weights))),
            loss=None if losses is None else _finite(float(np.mean(losses.total))),
            feature_loss=None if losses is None else _finite(float(np.mean(losses.features))),
            label_loss=None if losses is None else _finite(float(np.mean(losses.labels))),
            rolled_back=bool(bad.any()),
        )


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None


def _note(record: EpochRecord) -> str:
    return "" if record.loss is None else f"held-out loss {record.loss:.4f}"
