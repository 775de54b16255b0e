"""Programs compiled in a hurry: the tests compile for minutes what then runs for moments.

Optimised programs, and those of emitters of fused loops, run faster and take several times as long
to compile.
"""

from __future__ import annotations

import os
import subprocess
import sys

import jax

SETTINGS = {
    "jax_disable_most_optimizations": True,
    # A program need not know who called each of its lines.
    "jax_traceback_in_locations_limit": 0,
    # What one process has compiled, others find.
    "jax_persistent_cache_min_compile_time_secs": 0.1,
    "jax_persistent_cache_min_entry_size_bytes": -1,
}
FLAGS = "--xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1"


def hurry(folder: str) -> None:
    """Hurry from now on, here and in all processes yet to be started, which share a folder.

    To be called before anything is compiled.
    """
    for name, value in {**SETTINGS, "jax_compilation_cache_dir": folder}.items():
        if name in jax.config.values:
            os.environ[name.upper()] = str(int(value) if value is True else value)
            jax.config.update(name, value)
    if _are_known(FLAGS):
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {FLAGS}".strip()


def _are_known(flags: str) -> bool:
    """Whether this compiler knows all flags; one that it does not know would end the process."""
    done = subprocess.run(
        [sys.executable, "-c", "import jax; jax.devices()"],
        env=os.environ | {"XLA_FLAGS": flags},
        capture_output=True,
        check=False,
    )
    return done.returncode == 0
