"""Negative chains that go on from the filled rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest

from halfseen.learning.data_started_cd import DataStartedCD
from learning.sampled import CASE, FAR, Draws, batch_of, departure, drawer
from learning.small import assert_same_bits

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("double_precision")]


@cache
def _drawer_of(n_steps: int) -> Callable[..., Draws]:
    return drawer(lambda _: DataStartedCD(n_steps))


def draws(batch: Any, n_steps: int) -> Draws:
    """The number of steps is part of what is compiled."""
    return _drawer_of(n_steps)(batch, n_steps)


def test_with_many_steps_the_gradient_is_exact() -> None:
    batch = batch_of(CASE)
    found = departure(draws(batch, 14), batch)
    assert found.in_errors < FAR
    assert found.relative < 0.1


def test_a_single_step_is_biased() -> None:
    batch = batch_of(CASE)
    assert departure(draws(batch, 1), batch).in_errors > 2 * FAR


def test_without_steps_both_terms_are_the_filled_rows() -> None:
    gradient = draws(batch_of(CASE), 0).gradient
    for leaf in gradient:
        np.testing.assert_allclose(leaf, np.zeros_like(leaf), atol=1e-15)


def test_rows_without_weight_do_not_count_in_the_negative_term() -> None:
    """Padding repeats a row of the table, from which a chain may start but must not count."""
    batch = batch_of(CASE)
    last = np.arange(len(batch.rows)) >= len(batch.rows) - 50
    weight = np.where(last, 0.0, batch.weight)
    padded = batch._replace(weight=weight / weight.sum())
    elsewhere = padded._replace(
        visible=np.where(last[:, None] & batch.observed, 1 - batch.visible, batch.visible)
    )
    assert_same_bits(draws(padded, 2).gradient, draws(elsewhere, 2).gradient)


def test_hidden_values_are_not_read() -> None:
    batch = batch_of(CASE)
    behind = batch._replace(visible=np.where(batch.observed, batch.visible, 1e9))
    assert_same_bits(draws(batch, 2), draws(behind, 2))


def test_nothing_is_kept() -> None:
    memory = draws(batch_of(CASE), 1).memory
    assert memory.negative.shape[1:] == (0, 10)
    assert memory.positive.shape[1:] == (0, 10)
