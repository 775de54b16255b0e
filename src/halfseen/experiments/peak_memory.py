"""Peak memory of this process, from a moment on."""

from __future__ import annotations

import contextlib
import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def forget_peak() -> None:
    """Count the peak from now on, where the system can (Linux); elsewhere from the start."""
    with contextlib.suppress(OSError):
        _CLEAR.write_text("5")


def peak_megabytes() -> float:
    """Largest memory of this process since :func:`forget_peak`.

    On Linux this is read from the process itself: what ``getrusage`` says also counts the process
    that started this one.

    Examples
    --------
    >>> 10 < peak_megabytes() < 1e6
    True
    """
    with contextlib.suppress(OSError):
        for line in _STATUS.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 2**10
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / 2**20 if sys.platform == "darwin" else peak / 2**10
