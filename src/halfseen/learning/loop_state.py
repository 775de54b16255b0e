"""What the trainer carries from epoch to epoch, and how an epoch is concluded."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from halfseen.learning.divergence import SLOWER, is_sound
from halfseen.learning.epoch import TrainingState
from halfseen.machine.parameters import BoltzmannParameters


class LoopState(NamedTuple):
    """All that the trainer's loop carries from one epoch to the next."""

    epoch: jax.Array  # the next epoch to run
    state: TrainingState
    anchor: TrainingState  # the last state known to be good
    best: BoltzmannParameters
    best_loss: jax.Array  # (n_replicas,), infinite while nothing was judged
    best_epoch: jax.Array  # (n_replicas,)
    n_rollbacks: jax.Array  # (n_replicas,)
    active: jax.Array  # (n_replicas,), bool: not stopped yet


@jax.jit
def first_loop_state(state: TrainingState) -> LoopState:
    """Before the first epoch."""
    n_machines = state.rate_scale.shape[0]
    return LoopState(
        epoch=jnp.zeros((), jnp.int32),
        state=state,
        anchor=state,
        best=state.parameters,
        best_loss=jnp.full((n_machines,), jnp.inf),
        best_epoch=jnp.zeros((n_machines,), jnp.int32),
        n_rollbacks=jnp.zeros((n_machines,), jnp.int32),
        active=jnp.ones((n_machines,), bool),
    )


@jax.jit
def moved_state(loop: LoopState, moved: TrainingState) -> TrainingState:
    """The state after an epoch: machines that have stopped stay where they are."""
    state: TrainingState = chosen(loop.active, moved, loop.state)
    return state


@jax.jit
def concluded(
    loop: LoopState,
    state: TrainingState,
    loss: jax.Array,
    is_judged: jax.Array,
    is_monitored: jax.Array,
    patience: jax.Array,
) -> tuple[LoopState, jax.Array]:
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
    loss : jax.Array of shape (n_replicas,)
        Monitored loss, meaningless unless ``is_judged``.
    is_judged, is_monitored : jax.Array of bool
        Whether there is a loss in this epoch, and whether there is a monitor at all.
    patience : jax.Array
        Look-ahead in epochs.

    Returns
    -------
    loop : LoopState
        After the epoch.
    bad : jax.Array of bool, of shape (n_replicas,)
        Machines that were rolled back.
    """
    sound = is_sound(state, jnp.where(is_judged, loss, 0.0))
    bad = ~sound & loop.active
    better = jnp.where(is_judged, loss < loop.best_loss, ~is_monitored)
    improved = loop.active & sound & better
    anchor = chosen(improved, state, loop.anchor)
    slower = anchor._replace(rate_scale=anchor.rate_scale * jnp.where(bad, SLOWER, 1.0))
    best_epoch = jnp.where(improved, loop.epoch, loop.best_epoch)
    # Only a fresh and sound judgement can end the waiting: patience may be shorter than the time
    # from one to the next, and a machine just rolled back has not shown what it can do.
    is_waiting = (loop.epoch - best_epoch < patience) | ~jnp.asarray(is_judged) | bad
    return LoopState(
        epoch=loop.epoch + 1,
        state=chosen(bad, slower, state),
        anchor=slower,
        best=chosen(improved, state.parameters, loop.best),
        best_loss=jnp.where(improved & is_judged, loss, loop.best_loss),
        best_epoch=best_epoch,
        n_rollbacks=loop.n_rollbacks + bad,
        active=loop.active & is_waiting,
    ), bad


@jax.jit
def best_machines(loop: LoopState) -> BoltzmannParameters:
    """The best parameters; the last ones of a machine that was never judged."""
    machines: BoltzmannParameters = chosen(
        jnp.isinf(loop.best_loss), loop.state.parameters, loop.best
    )
    return machines


def chosen(which: jax.Array, yes: Any, no: Any) -> Any:
    """Replica by replica, the leaves of ``yes`` where ``which`` is True, else those of ``no``."""

    def leaf(left: jax.Array, right: jax.Array) -> jax.Array:
        return jnp.where(which.reshape(which.shape + (1,) * (left.ndim - 1)), left, right)

    return jax.tree.map(leaf, yes, no)
