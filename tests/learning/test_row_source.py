"""Rows that are read as training goes, against the same rows in one table."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from halfseen.learning import row_source
from halfseen.learning.checkpoint import Checkpoint, fingerprint_of
from halfseen.learning.epoch import epoch_order
from halfseen.learning.mean_field_cd import MeanFieldCD
from halfseen.learning.persistent_cd import PersistentCD
from halfseen.learning.row_source import HeldRows, ReadRows
from halfseen.learning.trainer import Trainer, TrainingPlan
from learning.small import (
    N_ROWS,
    PERSISTENT_PLAN,
    PLAN,
    Bools,
    Floats,
    assert_same_bits,
    small_monitor,
    small_table,
)


def read_rows(visible: Floats, observed: Bools, asked: list[int] | None = None) -> ReadRows:
    def read(rows: Any) -> tuple[Floats, Bools]:
        if asked is not None:
            asked.append(len(rows))
        return visible[rows], observed[rows]

    return ReadRows(read, *visible.shape)


@pytest.fixture(autouse=True)
def few_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_source, "_ROWS_AT_ONCE", 48)
    monkeypatch.setattr(row_source, "_LEAST_BLOCKS", 1)


@pytest.mark.parametrize(
    "plan",
    [
        PLAN,
        replace(PLAN, n_machines=2),
        replace(PLAN, objective=PersistentCD(1, 30, 0.01)),
        replace(PLAN, objective=MeanFieldCD(2, 0.01)),
        replace(PLAN, batch_size=64),
    ],
    ids=["plain", "two machines", "persistent", "mean field", "batches larger than a block"],
)
def test_training_gives_the_same_bits(plan: TrainingPlan) -> None:
    visible, observed = small_table()
    monitor, training = small_monitor(visible, observed)
    held = Trainer(plan, monitor).train(visible, training)
    read = Trainer(plan, monitor).train_on(read_rows(visible, training))
    assert_same_bits(held.machines, read.machines)
    assert [one.loss for one in held.history] == [one.loss for one in read.history]
    norms = [[one.gradient_norm for one in result.history] for result in (held, read)]
    np.testing.assert_allclose(*norms, rtol=1e-5)


def test_every_block_has_one_shape_and_every_minibatch_comes_once() -> None:
    visible, observed = small_table()
    asked: list[int] = []
    source = read_rows(visible, observed, asked)
    order = epoch_order(3, 1, N_ROWS, 20, 1)
    blocks = list(source.blocks(order))
    assert asked == [40, 40, 40]  # of five minibatches of twenty, two at a time
    assert [block.first for block in blocks] == [0, 2, 4]
    assert [block.order.n_batches for block in blocks] == [2, 2, 1]
    for block in blocks:
        for index in range(block.order.n_batches):
            rows = order.rows[0, block.first + index]
            held = np.asarray(block.table.visible)[block.order.rows[0, index]]
            np.testing.assert_array_equal(held, visible[rows])
            np.testing.assert_array_equal(
                block.order.weight[index], order.weight[block.first + index]
            )


def test_parts_are_the_table_and_its_fingerprint_does_not_tell_how_it_is_held() -> None:
    visible, observed = small_table()
    read, held = read_rows(visible, observed), HeldRows(visible, observed)
    assert read.shape == held.shape == visible.shape
    for index, whole in enumerate((visible, observed)):
        np.testing.assert_array_equal(np.concatenate([part[index] for part in read.parts()]), whole)
    assert fingerprint_of(read, PLAN) == fingerprint_of(held, PLAN)


def test_a_checkpoint_of_one_serves_the_other(tmp_path: Path) -> None:
    visible, observed = small_table()
    path = tmp_path / "checkpoint"
    stop = (lambda record: record.epoch == 2,)
    Trainer(PLAN, None, Checkpoint(path, 1, False), stop).train_on(read_rows(visible, observed))
    resumed = Trainer(PLAN, None, Checkpoint(path, 1, True)).train(visible, observed)
    assert_same_bits(resumed.machines, Trainer(PLAN).train(visible, observed).machines)


def test_of_few_rows_few_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_source, "_LEAST_BLOCKS", 2)
    visible, observed = small_table()
    asked: list[int] = []
    list(read_rows(visible, observed, asked).blocks(epoch_order(3, 1, N_ROWS, 10, 1)))
    assert asked == [40, 40, 40]  # of 83 rows in nine minibatches of ten


def test_chains_of_every_row_need_the_whole_table() -> None:
    with pytest.raises(ValueError, match="give the table as a whole"):
        Trainer(PERSISTENT_PLAN).train_on(read_rows(*small_table()))
