"""Machines side by side: in order, independent, and with nothing left under way."""

from __future__ import annotations

import threading
import time

import jax.numpy as jnp
import numpy as np
import pytest

from halfseen.learning.replicas import (
    groups_of,
    joined,
    machines_from,
    machines_in,
    over_replicas,
    side_by_side,
)
from halfseen.machine.usable_cores import usable_cores


def test_every_machine_is_in_one_group() -> None:
    machines = {"weights": jnp.arange(12.0).reshape(4, 3), "rate": jnp.arange(4)}
    parts = [machines_in(group, machines) for group in groups_of(4)]
    again = joined(parts)
    np.testing.assert_array_equal(again["weights"], machines["weights"])
    np.testing.assert_array_equal(again["rate"], machines["rate"])


def test_machines_in_a_row_are_those_of_their_group() -> None:
    machines = {"weights": jnp.arange(12.0).reshape(4, 3), "rate": jnp.arange(4)}
    found, expected = machines_from(jnp.array(1), 2, machines), machines_in(slice(1, 3), machines)
    np.testing.assert_array_equal(found["weights"], expected["weights"])
    np.testing.assert_array_equal(found["rate"], expected["rate"])


@pytest.mark.parametrize("n_machines", [1, 3])
def test_a_function_of_one_machine_goes_over_all(n_machines: int) -> None:
    left = np.arange(2.0 * n_machines).reshape(n_machines, 2)
    found = over_replicas(jnp.dot, jnp.asarray(left), jnp.asarray(left))
    np.testing.assert_allclose(found, np.sum(left**2, axis=1))


def test_results_come_in_order_and_the_first_of_a_program_runs_alone() -> None:
    running: list[int] = []
    most_beside_first = 0

    def run(number: int) -> int:
        nonlocal most_beside_first
        running.append(number)
        if number == 0:
            time.sleep(0.05)
            most_beside_first = len(running)
        return number**2

    assert side_by_side(run, range(5), program="order") == [0, 1, 4, 9, 16]
    assert most_beside_first == 1


def test_machines_share_the_cores() -> None:
    meeting = threading.Barrier(min(2, usable_cores()), timeout=10)
    side_by_side(lambda _: None, range(1), program="meeting")
    side_by_side(lambda _: meeting.wait(), range(2), program="meeting")


def test_an_error_is_raised_when_all_others_have_ended() -> None:
    ended: list[int] = []

    def run(number: int) -> None:
        if number == 1:
            raise ValueError("machine 1")
        time.sleep(0.02)
        ended.append(number)

    with pytest.raises(ValueError, match="machine 1"):
        side_by_side(run, range(4), program="error")
    assert sorted(ended) == [0, 2, 3]
