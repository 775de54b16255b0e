"""Precision and compilation for tests: with tiny arrays, compiling costs more than running."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any

import jax
import jax.experimental


def precision(double: bool) -> AbstractContextManager[None]:
    """Double or single precision for a while; where the switch stands depends on jax's age."""
    place = jax if hasattr(jax, "enable_x64") else jax.experimental
    switch: AbstractContextManager[None] = place.enable_x64(double)
    return switch


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """``function(parameters, layer, ...)`` compiled quickly, its layer fixed, results in numpy.

    Were the results left with jax, every index into them would be compiled as well.
    """
    quick = jax.jit(
        function, static_argnums=1, compiler_options={"xla_backend_optimization_level": 0}
    )

    @wraps(function)
    def call(*arguments: Any) -> Any:
        return jax.device_get(quick(*arguments))

    return call
