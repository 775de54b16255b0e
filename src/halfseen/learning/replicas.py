"""Machines of one shape, trained at the same time and independently of each other.

Every leaf of what they hold has a leading replica axis. On an accelerator all of them go through
one program, batched by ``vmap``. On a CPU a batched product of small matrices is slower than one
product after the other, and cores are few: there every machine goes through the program alone, and
as many of them at a time as there are cores.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import Any, TypeVar

import jax
import jax.numpy as jnp

from halfseen.machine.usable_cores import usable_cores

Result = TypeVar("Result")


def groups_of(n_machines: int) -> list[slice]:
    """Which machines go through a program together: all of them, but on a CPU each alone.

    Examples
    --------
    >>> jax.config.update("jax_platforms", "cpu")
    >>> groups_of(2)
    [slice(0, 1, None), slice(1, 2, None)]
    """
    if jax.default_backend() != "cpu":
        return [slice(0, n_machines)]
    return [slice(machine, machine + 1) for machine in range(n_machines)]


def machines_in(group: slice, of_all: Any) -> Any:
    """The leaves of some machines, with their replica axis."""
    return jax.tree.map(lambda leaf: leaf[group], of_all)


def machines_from(first: int | jax.Array, n_machines: int, of_all: Any) -> Any:
    """The leaves of so many machines in a row; ``first`` may change without a new compilation.

    Examples
    --------
    >>> machines_from(1, 2, jnp.arange(4)).tolist()
    [1, 2]
    """
    return jax.tree.map(lambda leaf: jax.lax.dynamic_slice_in_dim(leaf, first, n_machines), of_all)


def joined(of_groups: Sequence[Any]) -> Any:
    """The leaves of all machines, from those of all groups.

    Examples
    --------
    >>> joined([jnp.zeros(1), jnp.ones(2)]).tolist()
    [0.0, 1.0, 1.0]
    """
    if len(of_groups) == 1:
        return of_groups[0]
    return _concatenated(tuple(of_groups))


@jax.jit
def _concatenated(of_groups: tuple[Any, ...]) -> Any:
    return jax.tree.map(lambda *leaves: jnp.concatenate(leaves), *of_groups)


def over_replicas(function: Callable[..., Any], *of_machines: Any) -> Any:
    """A function of one machine, applied along the replica axis of all arguments.

    Examples
    --------
    >>> over_replicas(jnp.dot, jnp.ones((1, 3)), jnp.ones((1, 3))).tolist()
    [3.0]
    """
    if len(jax.tree.leaves(of_machines[0])[0]) > 1:
        return jax.vmap(function)(*of_machines)
    # A replica axis of length one costs a batched product for nothing.
    alone = [jax.tree.map(lambda leaf: leaf[0], argument) for argument in of_machines]
    return jax.tree.map(lambda leaf: leaf[None], function(*alone))


def side_by_side(
    run: Callable[[Any], Result], arguments: Sequence[Any], program: Hashable
) -> list[Result]:
    """``run`` of every argument, in their order, as many at a time as there are cores.

    Parameters
    ----------
    run : callable
        What machines have to do.
    arguments : sequence
        One for each group of machines.
    program : hashable
        What is compiled. The first call of a program is made alone, for all others to use it.

    Examples
    --------
    >>> side_by_side(lambda number: number**2, [1, 2, 3], program="squares")
    [1, 4, 9]
    """
    alone = 0 if program in _compiled and len(arguments) > 1 else 1
    results = [run(argument) for argument in arguments[:alone]]
    _compiled.add(program)

    def ended(argument: Any) -> Result:
        # JAX returns before a program has ended: without waiting here all would run at once, and
        # hand small programs to and fro between the cores.
        return jax.block_until_ready(run(argument))  # type: ignore[no-any-return, no-untyped-call]

    rest = [_threads().submit(ended, argument) for argument in arguments[alone:]]
    try:
        return results + [future.result() for future in rest]
    finally:
        wait(rest)  # after Ctrl-C, too: what is under way is not to be left to itself


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(usable_cores(), thread_name_prefix="halfseen")


_compiled: set[Hashable] = set()
