"""A function in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any


def in_own_process(function: Callable[..., Any], arguments: tuple[Any, ...], limit: float) -> Any:
    """The result of a function in a fresh process, whose memory and failures are its own.

    Raises
    ------
    TimeoutError
        After ``limit`` seconds; the process is stopped.
    BrokenProcessPool
        The process died.
    """
    pool = ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn"))
    try:
        return pool.submit(function, *arguments).result(timeout=limit)
    except TimeoutError:
        for process in list((pool._processes or {}).values()):
            process.kill()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
