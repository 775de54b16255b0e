"""What accompanies a training, from the parameters of an estimator."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from os import PathLike, fspath
from typing import Any

from halfseen.estimators.checked_values import MOST, check_whole
from halfseen.estimators.fitting import Surroundings
from halfseen.learning.checkpoint import Checkpoint


def checked_surroundings(
    checkpoint: Any,
    checkpoint_every: Any,
    resume: Any,
    callbacks: Any,
    verbose: Any,
    random_state: Any,
) -> Surroundings:
    """The surroundings that an estimator's parameters ask for.

    Examples
    --------
    >>> checked_surroundings(None, 10, False, (), False, 0).checkpoint is None
    True
    """
    check_whole("checkpoint_every", checkpoint_every, 1, MOST)
    if resume not in (True, False):
        raise ValueError(f"resume must be True or False, got {resume!r}")
    if verbose not in (True, False, "auto"):
        raise ValueError(f'verbose must be True, False or "auto", got {verbose!r}')
    if not isinstance(callbacks, Sequence) or not all(map(callable, callbacks)):
        raise ValueError(f"callbacks must be a sequence of callables, got {callbacks!r}")
    if checkpoint is None:
        if resume:
            raise ValueError("resume=True needs the file to go on from in checkpoint")
        return Surroundings(None, callbacks, verbose)
    if not isinstance(checkpoint, str | PathLike):
        raise ValueError(f"checkpoint must be a path or None, got {checkpoint!r}")
    if resume and not isinstance(random_state, Integral):
        raise ValueError(
            "resume=True needs random_state to be a whole number: without it every fit is "
            "another one, and none can be gone on with"
        )
    kept = Checkpoint(fspath(checkpoint), checkpoint_every, resume)
    return Surroundings(kept, callbacks, verbose)
