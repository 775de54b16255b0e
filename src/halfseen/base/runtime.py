"""JAX in this process: compiled programs kept on disk, forks refused, old programs forgotten."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jax
from jax.experimental.compilation_cache import compilation_cache
from threadpoolctl import threadpool_limits

VARIABLE = "HALFSEEN_COMPILATION_CACHE"
_MOST_BYTES = 500_000_000
_MOST_SHAPES = 24  # of tables, whose programs stay in memory
_SETTINGS = {
    "jax_persistent_cache_min_compile_time_secs": 0.1,
    "jax_persistent_cache_min_entry_size_bytes": -1,
}


class ForkedProcessError(RuntimeError):
    """JAX was used before this process was forked from another one, and cannot run in it."""


def _new_process(is_broken: bool = False) -> SimpleNamespace:
    """What has happened in this process."""
    return SimpleNamespace(
        lock=threading.RLock(), n_inside=0, n_limited=0, limits=None, before={}, shapes=set(),
        has_run=False, has_pruned=False, is_broken=is_broken,
    )  # fmt: skip


_process = _new_process()


def _after_fork() -> None:
    global _process
    _process = _new_process(_process.has_run or _process.is_broken)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@contextmanager
def jax_session() -> Iterator[None]:
    """Within it, JAX keeps what it compiles in a folder of halfseen's, and looks there first.

    The folder is ``halfseen/compiled`` in the user's cache, or the one that the environment
    variable ``HALFSEEN_COMPILATION_CACHE`` names; "off" keeps nothing. A cache that the user gave
    JAX is left as it is, and JAX's settings are put back at the end.
    """
    if _process.is_broken:
        problem = "This process was forked from one in which halfseen had run; JAX would hang in it"
        remedy = 'Start workers with the method "spawn", or use loky, the default of joblib.'
        raise ForkedProcessError(f"{problem}. {remedy}")
    _process.has_run = True
    _enter()
    try:
        with warnings.catch_warnings():
            # An entry that a crash has torn is compiled anew.
            warnings.filterwarnings("ignore", message=".*persistent compilation cache")
            yield
    finally:
        with _process.lock:
            _process.n_inside -= 1
            if not _process.n_inside and _process.before:
                before, _process.before = _process.before, {}
                _set(before)


def _enter() -> None:
    with _process.lock:
        _process.n_inside += 1
        is_set = _process.n_inside > 1 or jax.config.values["jax_compilation_cache_dir"]
        folder = None if is_set else cache_folder()
        if folder is None:
            return
        if not _process.has_pruned:
            _prune(folder)
            _process.has_pruned = True
        settings = {"jax_compilation_cache_dir": str(folder), **_SETTINGS}
        _process.before = {name: jax.config.values[name] for name in settings}
        _set(settings)


def _set(settings: dict[str, Any]) -> None:
    for name, value in settings.items():
        jax.config.update(name, value)  # type: ignore[no-untyped-call]
    compilation_cache.reset_cache()  # JAX asks only once whether there is a cache


def cache_folder() -> Path | None:
    """The folder of compiled programs, made if need be; None where nothing is to be kept."""
    named = os.environ.get(VARIABLE, "")
    if named == "off":
        return None
    home = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache")
    try:
        folder = (Path(named) if named else home / "halfseen" / "compiled").expanduser()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        facts = folder.stat()
    except (OSError, RuntimeError):
        return None
    # What is kept is code: no one but the user may write into the folder.
    theirs = hasattr(os, "getuid") and (facts.st_uid != os.getuid() or facts.st_mode & 0o022)
    return None if theirs else folder


def _prune(folder: Path) -> None:
    """Delete the oldest programs of a folder that is too large; JAX's own bound needs a package."""
    with suppress(OSError):  # another process prunes, too
        kept = sorted((f.stat().st_mtime, f.stat().st_size, f) for f in folder.glob("*-cache"))
        excess = sum(size for _, size, _ in kept) - _MOST_BYTES
        for _, size, file in kept:
            if excess <= 0:
                break
            file.unlink()
            excess -= size


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within it, BLAS runs in the thread that calls it: its own wait for each other actively."""
    with _process.lock:
        _process.n_limited += 1
        if _process.n_limited == 1:
            _process.limits = threadpool_limits(1, "blas")
    try:
        yield
    finally:
        with _process.lock:
            _process.n_limited -= 1
            if not _process.n_limited:
                _process.limits.restore_original_limits()


def forget_programs(shape: Hashable, *programs: Callable[..., Any]) -> None:
    """Drop the compiled `programs` from memory once tables of very many shapes were fitted."""
    with _process.lock:
        _process.shapes.add(shape)
        if len(_process.shapes) > _MOST_SHAPES:
            _process.shapes = {shape}
            for program in programs:
                program.clear_cache()  # type: ignore[attr-defined]
