"""What a study ran with: versions of packages, and the machine."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NamedTuple

from halfseen._version import __version__
from halfseen.machine.usable_cores import usable_cores

_PACKAGES = ("numpy", "jax", "scikit-learn")
_PROCESSORS = Path("/proc/cpuinfo")


class Machine(NamedTuple):
    """The computer."""

    cores: int  # that this process may use
    processor: str
    system: str


def versions() -> dict[str, str]:
    """Versions of Python, halfseen and what its numbers hang on.

    Returns
    -------
    dict from package to version

    Examples
    --------
    >>> list(versions())
    ['python', 'halfseen', 'numpy', 'jax', 'scikit-learn']
    """
    found = {"python": platform.python_version(), "halfseen": __version__}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "unknown"
    return found


def machine() -> Machine:
    """The computer that this runs on.

    Returns
    -------
    Machine

    Examples
    --------
    >>> machine().cores >= 1
    True
    """
    return Machine(usable_cores(), _processor(), f"{platform.system()} {platform.machine()}")


def _processor() -> str:
    try:
        for line in _PROCESSORS.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"
