"""How many cores there are to work with."""

from __future__ import annotations

import os

VARIABLE = "NPROC"  # JAX bounds its own threads by it, too


def usable_cores() -> int:
    """Cores that this process may use: those it is bound to, or fewer if NPROC says so.

    Examples
    --------
    >>> usable_cores() >= 1
    True
    """
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    asked = os.environ.get(VARIABLE, "")
    return max(1, min(there or 1, int(asked))) if asked.isdigit() else there or 1
