"""Compilation for tests: tiny arrays, so that compiling costs more than running."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function(parameters, layer, ...)`` compiled quickly, its layer fixed."""
    return jax.jit(
        function, static_argnums=1, compiler_options={"xla_backend_optimization_level": 0}
    )
