"""Epochs of the objectives by likelihood, Lossy-CD first, in many shapes.

Run with ``python benchmarks/speed.py --only lossy_cd`` (``--quick`` for 794 x 100 alone).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from halfseen.estimators.settings import ObjectiveName
from speed.likelihood_epoch import epoch_flops, epoch_measurement
from speed.measurement import Measurement
from speed.random_rows import layer_of_width, random_rows

MNIST_WIDTH, N_CLASSES = 794, 10
_FLOPS_OF_AN_EPOCH = 6e9
_FEWEST_BATCHES = 2
_MOST_ROWS = 100_000


class Case(NamedTuple):
    """One shape of an epoch."""

    n_visible: int
    n_hidden: int
    batch_size: int
    n_replicas: int = 1


MNIST_CASES = tuple(
    Case(MNIST_WIDTH, 100, batch_size, n_replicas)
    for n_replicas in (1, 10)
    for batch_size in (10, 100, 1000)
)
# One size changed at a time.
SOME_CASES = (
    *MNIST_CASES,
    Case(16, 100, 100),
    Case(300, 100, 100),
    Case(4000, 100, 100),
    Case(MNIST_WIDTH, 500, 100),
    Case(MNIST_WIDTH, 2000, 100),
)
ALL_CASES = MNIST_CASES + tuple(
    Case(n_visible, n_hidden, batch_size, n_replicas)
    for n_visible in (16, 300, MNIST_WIDTH, 4000)
    for n_hidden in (100, 500, 2000)
    for batch_size in (10, 100, 1000)
    for n_replicas in (1, 10)
    if (n_visible, n_hidden) != (MNIST_WIDTH, 100)
    # Ten large machines are ten times the work of one, and say nothing more.
    and (n_replicas == 1 or n_visible * n_hidden <= 50_000)
)


def n_rows_of(case: Case, objective: ObjectiveName = "lossy_cd") -> int:
    """Rows that make an epoch long enough to be timed, in whole minibatches.

    Examples
    --------
    >>> n_rows_of(Case(794, 100, 100)), n_rows_of(Case(4000, 2000, 1000))
    (4700, 2000)
    """
    per_row = epoch_flops(objective, 1, case.n_visible, case.n_hidden) * case.n_replicas
    n_rows = min(_FLOPS_OF_AN_EPOCH / per_row, _MOST_ROWS)
    return max(_FEWEST_BATCHES, round(n_rows / case.batch_size)) * case.batch_size


def likelihood_epochs(
    objective: ObjectiveName,
    cases: Sequence[Case],
    n_repeats: int,
    tell: Callable[[Measurement], None],
) -> None:
    """Tell of epochs of one objective in all cases.

    Tables as wide as MNIST with its classes have a group of ten class units, all others bits alone.
    """
    for case in cases:
        layer = layer_of_width(case.n_visible, N_CLASSES if case.n_visible == MNIST_WIDTH else 0)
        rows = random_rows(n_rows_of(case, objective), layer)
        tell(
            epoch_measurement(
                layer, rows, objective, case.n_hidden, case.batch_size, case.n_replicas, n_repeats
            )
        )
