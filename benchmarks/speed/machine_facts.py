"""What the figures were measured on and with."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import version

from threadpoolctl import threadpool_info

from halfseen.experiments.versions import machine

_PACKAGES = ("halfseen", "numpy", "jax", "jaxlib", "optax", "scikit-learn")
_PEERS = ("torch", "rbms")
_ASK = """
import importlib.metadata as found, sys
for name in sys.argv[1:]:
    try: print(name, found.version(name))
    except found.PackageNotFoundError: pass
"""


@dataclass(frozen=True)
class MachineFacts:
    """The processor, and the versions of everything that matters."""

    processor: str
    n_cores: int
    n_threads: int  # cores that this process may use
    memory_gigabytes: float
    system: str
    python: str
    versions: tuple[str, ...]  # such as "numpy 2.4.6"
    blas: tuple[str, ...]
    load_before: float  # processes that were at work before the run

    @property
    def lines(self) -> list[str]:
        """For people."""
        return [
            f"{self.processor}, {self.n_cores} cores, {self.n_threads} threads in use, "
            f"{self.memory_gigabytes:.0f} GB; {self.system}",
            f"Python {self.python}, {', '.join(self.versions)}; BLAS: {', '.join(self.blas)}",
            f"load before the run: {self.load_before:.2f}"
            + (" - NOT an idle machine, figures are too low" if self.load_before > 0.5 else ""),
        ]


def machine_facts(peer_python: str = sys.executable) -> MachineFacts:
    """Of the machine and process that asks, and of the interpreter that has the peers.

    Examples
    --------
    >>> machine_facts().n_threads >= 1
    True
    """
    here = machine()
    return MachineFacts(
        processor=here.processor,
        n_cores=os.cpu_count() or 1,
        n_threads=here.cores,
        memory_gigabytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30,
        system=here.system,
        python=platform.python_version(),
        versions=(
            *(f"{name} {version(name)}" for name in _PACKAGES),
            *_versions_in(peer_python),
        ),
        blas=tuple(
            sorted(
                {
                    f"{pool['internal_api']} {pool['version']}, {pool['num_threads']} threads"
                    for pool in threadpool_info()
                    if pool["user_api"] == "blas"
                }
            )
        ),
        load_before=os.getloadavg()[0],
    )


def _versions_in(python: str) -> list[str]:
    """Of the peers that an interpreter has."""
    words = [python, "-c", _ASK, *_PEERS]
    answer = subprocess.run(words, capture_output=True, text=True, check=False)
    return answer.stdout.splitlines()
