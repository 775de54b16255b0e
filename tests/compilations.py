"""What JAX compiles while something runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import jax.monitoring

_COMPILED = "/jax/core/compile/backend_compile_duration"


@contextmanager
def counted_compilations() -> Iterator[list[str]]:
    """A list that grows by the name of every program that is compiled meanwhile."""
    compiled: list[str] = []

    def listen(event: str, seconds: float, **of: Any) -> None:
        if event == _COMPILED:
            compiled.append(str(of.get("fun_name", "?")))

    jax.monitoring.register_event_duration_secs_listener(listen)
    try:
        yield compiled
    finally:
        jax.monitoring.clear_event_listeners()
