"""Peak memory of a fit, in tables' worth."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from in_own_process import in_own_process

from halfseen import HalfseenClassifier
from halfseen.experiments.peak_memory import forget_peak, peak_megabytes
from speed.finding import Finding

N_COLUMNS = 784
_NARROW = 16
_ROWS_AT_ONCE = 4096


class FitMemory(NamedTuple):
    """Megabytes of a process."""

    bare: float  # before there was a table
    with_table: float
    peak: float
    table: float  # the table alone, as float32


def fit_memory(n_rows: int, n_columns: int, effort: str) -> FitMemory:
    """Fit grey levels with holes in this process, training cut short: it takes no further memory.

    The table is made in float32, a part at a time.
    """
    HalfseenClassifier(verbose=False, effort="fast", n_epochs=1, companion=False).fit(
        np.arange(60.0).reshape(30, 2) % 7, np.arange(30) % 2
    )
    forget_peak()
    bare = peak_megabytes()
    generator = np.random.default_rng(0)
    X = np.empty((n_rows, n_columns), np.float32)
    for first in range(0, n_rows, _ROWS_AT_ONCE):
        part = X[first : first + _ROWS_AT_ONCE]
        part[:] = generator.integers(0, 256, part.shape, np.uint8)
        part[generator.random(part.shape, np.float32) < 0.5] = np.nan
    y = generator.integers(0, 10, n_rows).astype(np.float64)
    y[::2] = np.nan
    with_table = peak_megabytes()
    HalfseenClassifier(
        effort=effort, n_epochs=1, max_seconds=1.0, random_state=0, verbose=False
    ).fit(X, y)
    return FitMemory(bare, with_table, peak_megabytes(), X.nbytes / 2**20)


def memory_of_fits(n_rows: int, tell: Callable[[Finding], None]) -> None:
    """Tell of the peak beyond the bare process, the table itself counted, in tables' worth.

    Of a table of so many rows, and of one that has as many entries in few columns.
    """
    n_long = n_rows * N_COLUMNS // _NARROW
    shapes = (
        (n_rows, N_COLUMNS, "fast"),
        (n_rows, N_COLUMNS, "default"),
        (n_long, _NARROW, "fast"),
    )
    for shape in shapes:
        measured: FitMemory = in_own_process(fit_memory, shape, 3600)
        beyond = (measured.peak - measured.bare) / measured.table
        note = (
            f"{measured.peak - measured.bare:.0f} MB beyond the bare process's "
            f"{measured.bare:.0f}, of which {measured.with_table - measured.bare:.0f} are the "
            "table and what made it"
        )
        what = (
            f"peak memory of a fit to {shape[0]:,} x {shape[1]} ({measured.table:.0f} MB), "
            f'effort="{shape[2]}"'
        )
        tell(Finding(what, beyond, "tables as float32", most=2.5, note=note))
