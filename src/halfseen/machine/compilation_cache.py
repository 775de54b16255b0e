"""Compiled programs kept on disk, so that a second process need not compile them again."""

from __future__ import annotations

import hashlib
import os
import platform
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import jax
from jax.experimental.compilation_cache import compilation_cache

from halfseen.machine.shared_context import SharedContext

VARIABLE = "HALFSEEN_COMPILATION_CACHE"
OFF = "off"
MOST_BYTES = 200_000_000
_SETTINGS = (
    "jax_compilation_cache_dir",
    "jax_persistent_cache_min_compile_time_secs",
    "jax_persistent_cache_min_entry_size_bytes",
)
# Options of programs that were measured to run as fast, on a CPU, when LLVM takes a fifth less time
# over them.
QUICKLY_COMPILED = {"xla_backend_optimization_level": 1}
_LEAST_SECONDS = 0.05
_PLACES = ("XDG_CACHE_HOME", "HOME")


@contextmanager
def kept_compilations() -> Iterator[None]:
    """Within it, JAX keeps what it compiles in a folder of halfseen's, and looks there first.

    The folder is named by the environment variable ``HALFSEEN_COMPILATION_CACHE``; without it, it
    is ``halfseen/compiled`` in the user's cache. "off" keeps nothing. A cache that the user gave
    JAX is left as it is, and JAX's settings are put back at the end. What was kept is code, which
    is why the folder must belong to the user alone; at most 200 MB are kept.

    Examples
    --------
    >>> import jax.numpy as jnp
    >>> with kept_compilations():
    ...     float(jax.jit(jnp.sum)(jnp.ones(3)))
    3.0
    """
    with _shared:
        yield


@contextmanager
def _kept() -> Iterator[None]:
    with warnings.catch_warnings():
        # An entry that cannot be read, torn by a crash, is compiled anew: nobody need know.
        warnings.filterwarnings("ignore", message=".*persistent compilation cache")
        theirs = getattr(jax.config, _SETTINGS[0])
        folder = _folder_in(tuple(os.environ.get(name) for name in (VARIABLE, *_PLACES)))
        if theirs or folder is None:
            yield
            return
        before = [getattr(jax.config, name) for name in _SETTINGS]
        _set((str(folder), _LEAST_SECONDS, -1))
        try:
            yield
        finally:
            _set(before)


_shared = SharedContext(_kept)


def _set(values: Sequence[object]) -> None:
    for name, value in zip(_SETTINGS, values, strict=True):
        jax.config.update(name, value)  # type: ignore[no-untyped-call]
    compilation_cache.reset_cache()  # whether there is a cache is asked only once otherwise


@cache
def _folder_in(environment: tuple[str | None, ...]) -> Path | None:
    """The folder, looked at once in a process and environment: every answer asks for it."""
    return cache_folder()


def cache_folder() -> Path | None:
    """The folder of this machine's compiled programs, made if need be; None to keep nothing.

    Programs are compiled for one kind of processor, so each has a folder of its own. Where a
    folder cannot be made, or others could write into it, nothing is kept.

    Examples
    --------
    >>> import os
    >>> os.environ["HALFSEEN_COMPILATION_CACHE"] = "off"
    >>> cache_folder() is None
    True
    >>> del os.environ["HALFSEEN_COMPILATION_CACHE"]
    """
    named = os.environ.get(VARIABLE, "")
    if named == OFF:
        return None
    home = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    root = Path(named).expanduser() if named else home / "halfseen" / "compiled"
    folder = root / f"jax-{jax.__version__}-{_processor()}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        facts = folder.stat()
        if hasattr(os, "getuid") and (facts.st_uid != os.getuid() or facts.st_mode & 0o022):
            return None
        _forget_oldest(folder)
    except (OSError, RuntimeError):
        return None
    return folder


def _forget_oldest(folder: Path) -> None:
    """Remove what was written first, until what is kept is within its bound."""
    entries = sorted((entry.stat().st_mtime, entry) for entry in folder.iterdir())
    sizes = [entry.stat().st_size for _, entry in entries]
    kept = sum(sizes)
    for size, (_, entry) in zip(sizes, entries, strict=True):
        if kept <= MOST_BYTES:
            return
        entry.unlink(missing_ok=True)
        kept -= size


def _processor() -> str:
    """A short name of the kind of processor, by all that the system says of it."""
    facts = [platform.machine(), platform.processor()]
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        wanted = ("model name", "flags", "Features", "CPU part")
        facts += sorted({line for line in lines if line.startswith(wanted)})
    except OSError:
        pass
    return hashlib.sha256("\n".join(facts).encode()).hexdigest()[:12]
