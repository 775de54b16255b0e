"""One thing measured several times, and how it stands to the machine's limit."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Measurement:
    """What was done, how much of it, and how long it took each time.

    Parameters
    ----------
    section : str
        What it belongs to, such as "lossy_cd".
    name : str
        Who did it: "halfseen", or a peer.
    seconds : tuple of float
        Of every repeat.
    n_rows : int
        Rows gone over in one repeat, by all replicas together.
    flops : float
        Operations of the matrix products that the model needs in one repeat; 0 where they do not
        say how much work it is.
    n_visible, n_hidden, batch_size, n_replicas : int
        The shape; 0 where there is none.
    note : str
        Anything else that distinguishes it.
    """

    section: str
    name: str
    seconds: tuple[float, ...]
    n_rows: int
    flops: float = 0.0
    n_visible: int = 0
    n_hidden: int = 0
    batch_size: int = 0
    n_replicas: int = 1
    note: str = ""

    @property
    def median(self) -> float:
        """Seconds of one repeat."""
        return float(np.median(self.seconds))

    @property
    def quartiles(self) -> tuple[float, float]:
        """Seconds, between which half of the repeats lie."""
        low, high = np.quantile(self.seconds, (0.25, 0.75))
        return float(low), float(high)

    @property
    def spread(self) -> float:
        """Distance of the quartiles as a share of the median."""
        low, high = self.quartiles
        return (high - low) / self.median

    @property
    def microseconds_per_row(self) -> float:
        """Of the median repeat."""
        return 1e6 * self.median / self.n_rows

    def share_of(self, peak: float) -> float:
        """Model operations per second as a share of ``peak`` operations per second."""
        return self.flops / self.median / peak

    @property
    def case(self) -> tuple[int, int, int, int]:
        """The shape, by which peers are set side by side."""
        return self.n_visible, self.n_hidden, self.batch_size, self.n_replicas


def timed(action: Callable[[], object], n_repeats: int) -> tuple[float, ...]:
    """Seconds of every repeat, after one that does not count.

    Examples
    --------
    >>> len(timed(lambda: None, 3))
    3
    """
    action()
    seconds = []
    for _ in range(n_repeats):
        began = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - began)
    return tuple(seconds)


def matching(
    measurements: Sequence[Measurement], one: Measurement, name: str
) -> Measurement | None:
    """What ``name`` took for the same thing, if it was measured; replicas may differ."""
    for other in measurements:
        if other.name == name and other.section == one.section and other.case[:3] == one.case[:3]:
            return other
    return None
