"""A rate that is one."""

from __future__ import annotations


def checked_rate(name: str, rate: float) -> float:
    """The rate, if it is a probability.

    Examples
    --------
    >>> checked_rate("feature_rate", 0.5)
    0.5
    >>> checked_rate("label_rate", 50)
    Traceback (most recent call last):
        ...
    ValueError: label_rate is a probability from 0 to 1, got 50; write 0.5 for 50 %
    """
    if not 0 <= rate <= 1:
        remedy = f"; write {rate / 100:g} for {rate:g} %" if 1 < rate <= 100 else ""
        raise ValueError(f"{name} is a probability from 0 to 1, got {rate!r}{remedy}")
    return rate
