"""What the trainer carries from epoch to epoch, and how an epoch is concluded."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from halfseen.learning.divergence import SLOWER, is_sound
from halfseen.learning.epoch import TrainingState
from halfseen.machine.parameters import BoltzmannParameters


class LoopState(NamedTuple):
    """All that the trainer's loop carries from one epoch to the next.

    Machines are where they are trained; what is decided about them is decided on the host.
    """

    epoch: NDArray[np.int32]  # the next epoch to run
    state: TrainingState
    anchor: TrainingState  # the last state known to be good
    best: BoltzmannParameters
    best_loss: NDArray[np.float32]  # (n_replicas,), infinite while nothing was judged
    best_epoch: NDArray[np.int32]  # (n_replicas,)
    n_rollbacks: NDArray[np.int32]  # (n_replicas,)
    active: NDArray[np.bool_]  # (n_replicas,): not stopped yet


def first_loop_state(state: TrainingState) -> LoopState:
    """Before the first epoch."""
    n_machines = state.rate_scale.shape[0]
    return LoopState(
        epoch=np.array(0, np.int32),
        state=state,
        anchor=state,
        best=state.parameters,
        best_loss=np.full((n_machines,), np.inf, np.float32),
        best_epoch=np.zeros((n_machines,), np.int32),
        n_rollbacks=np.zeros((n_machines,), np.int32),
        active=np.ones((n_machines,), bool),
    )


def moved_state(loop: LoopState, moved: TrainingState) -> TrainingState:
    """The state after an epoch: machines that have stopped stay where they are."""
    state: TrainingState = chosen(loop.active, moved, loop.state)
    return state


def concluded(
    loop: LoopState,
    state: TrainingState,
    loss: NDArray[np.float32],
    is_judged: bool,
    is_monitored: bool,
    patience: int,
) -> tuple[LoopState, NDArray[np.bool_]]:
    """Conclude an epoch, machine by machine.

    A machine that diverged goes back to its anchor with a smaller step. One that is better than
    ever (or, without a monitor, any sound one) becomes the best and the new anchor. One that is
    judged, and whose best epoch lies ``patience`` epochs back, has stopped.

    Parameters
    ----------
    loop : LoopState
        Before the epoch.
    state : TrainingState
        After it.
    loss : ndarray of shape (n_replicas,)
        Monitored loss, meaningless unless ``is_judged``.
    is_judged, is_monitored : bool
        Whether there is a loss in this epoch, and whether there is a monitor at all.
    patience : int
        Look-ahead in epochs.

    Returns
    -------
    loop : LoopState
        After the epoch.
    bad : ndarray of bool, of shape (n_replicas,)
        Machines that were rolled back.
    """
    sound = is_sound(state, loss if is_judged else np.zeros_like(loss))
    bad = ~sound & loop.active
    better = loss < loop.best_loss if is_judged else np.full(loss.shape, not is_monitored)
    improved = loop.active & sound & better
    anchor: TrainingState = chosen(improved, state, loop.anchor)
    if bad.any():
        rate_scale = np.asarray(anchor.rate_scale) * np.where(bad, np.float32(SLOWER), 1)
        anchor = anchor._replace(rate_scale=jnp.asarray(rate_scale, np.float32))
    best_epoch = np.where(improved, loop.epoch, loop.best_epoch)
    # Only a fresh and sound judgement can end the waiting: patience may be shorter than the time
    # from one to the next, and a machine just rolled back has not shown what it can do.
    is_waiting = (loop.epoch - best_epoch < patience) | (not is_judged) | bad
    return LoopState(
        epoch=np.asarray(loop.epoch + 1, np.int32),
        state=chosen(bad, anchor, state),
        anchor=anchor,
        best=chosen(improved, state.parameters, loop.best),
        best_loss=np.where(improved & is_judged, loss, loop.best_loss),
        best_epoch=best_epoch,
        n_rollbacks=np.asarray(loop.n_rollbacks + bad, np.int32),
        active=loop.active & is_waiting,
    ), bad


def best_machines(loop: LoopState) -> BoltzmannParameters:
    """The best parameters; the last ones of a machine that was never judged."""
    machines: BoltzmannParameters = chosen(
        np.isinf(loop.best_loss), loop.state.parameters, loop.best
    )
    return machines


def chosen(which: NDArray[np.bool_], yes: Any, no: Any) -> Any:
    """Replica by replica, the leaves of ``yes`` where ``which`` is True, else those of ``no``.

    Nothing is computed, nor compiled, where all machines agree; as one alone always does.
    """
    if which.all():
        return yes
    return _mixed(which, yes, no) if which.any() else no


@jax.jit
def _mixed(which: jax.Array, yes: Any, no: Any) -> Any:
    def leaf(left: jax.Array, right: jax.Array) -> jax.Array:
        return jnp.where(which.reshape(which.shape + (1,) * (left.ndim - 1)), left, right)

    return jax.tree.map(leaf, yes, no)
