"""From values to places, and the ticks between."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from halfseen.report.number_text import MINUS

SMALLEST_OF_LOG = 1e-300  # what is nearer to zero counts as zero on a log scale


@dataclass(frozen=True)
class Scale:
    """A straight way from values to places on the paper.

    Parameters
    ----------
    low, high : float
        The values at both ends, of which the second is larger.
    start, end : float
        Their places.
    is_log : bool, default=False
        Whether equal ratios, not equal differences, are equally far apart.

    Examples
    --------
    >>> Scale(0.0, 2.0, 100.0, 0.0)(0.5).tolist()
    75.0
    >>> Scale(1.0, 100.0, 0.0, 10.0, is_log=True)(10.0).tolist()
    5.0
    """

    low: float
    high: float
    start: float
    end: float
    is_log: bool = False

    def __call__(self, values: ArrayLike) -> NDArray[np.float64]:
        """The places of some values."""
        numbers = np.asarray(values, np.float64)
        low, high = self.low, self.high
        if self.is_log:
            numbers, low, high = np.log10(numbers), math.log10(low), math.log10(high)
        places: NDArray[np.float64] = self.start + (numbers - low) / (high - low) * (
            self.end - self.start
        )
        return places

    def ticks(self, n_wanted: int = 5) -> list[float]:
        """Round values between both ends, about as many as wanted.

        Examples
        --------
        >>> Scale(0.0, 1.0, 0.0, 1.0).ticks()
        [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
        >>> Scale(0.5, 2000.0, 0.0, 1.0, is_log=True).ticks()
        [1.0, 10.0, 100.0, 1000.0]
        """
        if self.is_log:
            powers = range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
            ticks = [10.0**power for power in powers]
            if len(ticks) >= 2:
                return ticks[:: -(-len(ticks) // (n_wanted + 1))]
            fine = [digit * 10.0**p for p in range(-12, 13) for digit in (1, 2, 5)]
            return [tick for tick in fine if self.low <= tick <= self.high]
        step = round_step((self.high - self.low) / n_wanted)
        first, last = math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)
        decimals = 2 - math.floor(math.log10(step))
        return [round(place * step, decimals) for place in range(first, last + 1)]

    def texts(self, ticks: list[float]) -> list[str]:
        """What is written at ticks.

        Examples
        --------
        >>> Scale(0.1, 10.0, 0.0, 1.0, is_log=True).texts([0.1, 1.0, 10.0])
        ['0.1', '1', '10']
        """
        if self.is_log:
            return [text for tick in ticks for text in tick_texts([tick])]
        return tick_texts(ticks)


def round_step(rough: float) -> float:
    """The smallest of 1, 2, 2.5 and 5 times a power of ten that is not much below a step.

    Examples
    --------
    >>> round_step(0.17), round_step(3.1)
    (0.2, 5.0)
    """
    power = 10.0 ** math.floor(math.log10(rough))
    for factor in (1.0, 2.0, 2.5, 5.0):
        if factor * power >= rough * 0.92:
            return factor * power
    return 10.0 * power


def scale_around(
    values: ArrayLike, start: float, end: float, *, pad: float = 0.05, is_log: bool = False
) -> Scale:
    """A scale on which all finite values find room.

    Parameters
    ----------
    values : array-like
        At least some of them finite; on a log scale those above zero count.
    start, end : float
        Places of the lowest and the highest.
    pad : float, default=0.05
        Room at either end, a share of the range.
    is_log : bool, default=False
        Whether the scale is logarithmic.

    Returns
    -------
    Scale

    Examples
    --------
    >>> scale_around([0.0, 1.0, float("nan")], 0, 10, pad=0.0).high
    1.0
    >>> scale_around([3.0, 3.0], 0, 10).low < 3.0
    True
    """
    numbers = np.asarray(values, np.float64).reshape(-1)
    numbers = numbers[np.isfinite(numbers) & ((numbers >= SMALLEST_OF_LOG) | (not is_log))]
    if not len(numbers):
        return Scale(1.0, 10.0, start, end, is_log) if is_log else Scale(0.0, 1.0, start, end)
    low, high = float(numbers.min()), float(numbers.max())
    if is_log:
        # By logarithms: the ratio of the ends may be beyond all numbers.
        room = max(10.0 ** (pad * (math.log10(high) - math.log10(low))), 1.05)
        lowest, highest = sys.float_info.min, sys.float_info.max
        return Scale(max(low / room, lowest), min(high * room, highest), start, end, is_log=True)
    room = pad * (high - low)
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        room = 0.5 * abs(high) or 0.5
    return Scale(low - room, high + room, start, end)


def tick_texts(ticks: list[float]) -> list[str]:
    """Texts of ticks, all with as many decimals as tell them apart.

    Examples
    --------
    >>> tick_texts([-0.5, 0.0, 0.5]), tick_texts([1000.0, 20000.0]), tick_texts([0.0, 2e6])
    (['−0.5', '0.0', '0.5'], ['1,000', '20,000'], ['0', '2M'])
    """
    largest = max((abs(tick) for tick in ticks), default=0.0)
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M")):
        if size <= largest < 1e15:
            return [_plain(tick / size, letter) for tick in ticks]
    if largest and (largest < 1e-3 or largest >= 1e15):
        return [f"{tick:.3g}".replace("-", MINUS) for tick in ticks]
    near = 1e-3 * min((b - a for a, b in pairwise(ticks)), default=1e-3)
    for decimals in range(9):
        texts = [f"{tick:,.{decimals}f}" for tick in ticks]
        if all(
            abs(float(text.replace(",", "")) - tick) <= near
            for text, tick in zip(texts, ticks, strict=True)
        ):
            break
    return [text.replace("-", MINUS) for text in texts]


def _plain(value: float, letter: str) -> str:
    text = f"{value:g}".replace("-", MINUS)
    return text if value == 0 else f"{text}{letter}"
