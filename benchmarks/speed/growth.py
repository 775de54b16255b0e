"""How time and memory grow with the work: rows, columns, hidden units, labels, holes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from in_own_process import in_own_process

from halfseen.experiments.peak_memory import forget_peak, peak_megabytes
from halfseen.machine.visible_layer import VisibleLayer
from speed.finding import Finding
from speed.likelihood_epoch import epoch_measurement
from speed.random_rows import random_rows

Grown = Literal["n_rows", "n_columns", "n_hidden", "n_labels", "missing_rate"]
_SECONDS_OF_A_POINT = 1200.0
_BATCH_SIZE = 100
_N_REPEATS = 3


@dataclass(frozen=True)
class Work:
    """One table and machine."""

    n_rows: int = 5000
    n_columns: int = 300
    n_hidden: int = 100
    n_labels: int = 0
    missing_rate: float = 0.5


@dataclass(frozen=True)
class GrowthPoint:
    """What one epoch of Lossy-CD took, in a process of its own."""

    grown: Grown
    work: Work
    seconds: tuple[float, ...]
    megabytes: float  # peak beyond what the process held before there was the table

    @property
    def size(self) -> float:
        """What has grown."""
        return float(getattr(self.work, self.grown))

    @property
    def median(self) -> float:
        """Seconds of one epoch."""
        return float(np.median(self.seconds))


@dataclass(frozen=True)
class Study:
    """One thing that grows, and all else that stays."""

    grown: Grown
    sizes: tuple[float, ...]
    work: Work
    most: float | None = None  # goal of the exponent of time


NARROW = Work(n_columns=20, n_hidden=50)
STUDIES = (
    Study("n_rows", (1e3, 1e4, 1e5, 1e6, 1e7), NARROW, 1.05),
    Study("n_columns", (64, 256, 1024, 4096), Work(), 1.05),
    Study("n_hidden", (25, 100, 400, 1600), Work()),
    Study("n_labels", (1, 10, 100, 1000), replace(NARROW, n_rows=20_000)),
    Study("missing_rate", (0.05, 0.25, 0.5, 0.75, 0.95), Work()),
)
QUICK_STUDIES = (
    Study("n_rows", (1e3, 1e4, 1e5), NARROW, 1.05),
    Study("n_columns", (64, 512), Work(n_rows=2000), 1.05),
)


def grown_to(study: Study, size: float) -> Work:
    """The work of one point of a study."""
    value: Any = size if study.grown == "missing_rate" else int(size)
    return replace(study.work, **{str(study.grown): value})


def measured_point(grown: Grown, work: Work) -> GrowthPoint:
    """Epochs in this process."""
    layer = VisibleLayer(0, work.n_columns + work.n_labels)
    # What JAX and its compiler take once does not grow.
    few = random_rows(2 * _BATCH_SIZE, layer)
    epoch_measurement(layer, few, "lossy_cd", work.n_hidden, _BATCH_SIZE, 1, 1)
    forget_peak()
    before = peak_megabytes()
    rows = random_rows(work.n_rows, layer, work.missing_rate)
    measured = epoch_measurement(layer, rows, "lossy_cd", work.n_hidden, _BATCH_SIZE, 1, _N_REPEATS)
    return GrowthPoint(grown, work, measured.seconds, peak_megabytes() - before)


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Slope of the logarithms, by least squares.

    Examples
    --------
    >>> round(exponent([1, 10, 100], [2, 20, 200]), 6)
    1.0
    """
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def growth(
    studies: Sequence[Study],
    tell_point: Callable[[GrowthPoint], None],
    tell: Callable[[Finding], None],
) -> None:
    """Tell of every point, and of the exponents of every study.

    Small work has a fixed cost, which makes the exponent of all points smaller than the one
    between the last two; both are told.
    """
    for study in studies:
        points: list[GrowthPoint] = []
        for size in study.sizes:
            work = grown_to(study, size)
            point: GrowthPoint = in_own_process(
                measured_point, (study.grown, work), _SECONDS_OF_A_POINT
            )
            tell_point(point)
            points.append(point)
        sizes, seconds = [p.size for p in points], [p.median for p in points]
        name = study.grown.removeprefix("n_").replace("_", " ")
        note = f"from {sizes[0]:g} to {sizes[-1]:g}"
        if study.grown == "missing_rate":
            ratio = max(seconds) / min(seconds)
            tell(Finding("time per epoch, slowest over fastest missing rate", ratio, "times"))
            continue
        tell(Finding(f"exponent of time in {name}", exponent(sizes, seconds), "", study.most,
                     note=note))  # fmt: skip
        last = exponent(sizes[-2:], seconds[-2:])
        note = f"from {sizes[-2]:g} to {sizes[-1]:g}"
        tell(Finding(f"exponent of time in {name}, last step", last, "", study.most, note=note))
        megabytes = [max(point.megabytes, 1e-3) for point in points]
        tell(Finding(f"exponent of memory in {name}, last step",
                     exponent(sizes[-2:], megabytes[-2:]), "", note=note))  # fmt: skip
