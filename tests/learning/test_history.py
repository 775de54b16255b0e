"""The record of a training, and its way through a file."""

from __future__ import annotations

import json

import numpy as np
import pytest

from halfseen.learning.history import EpochRecord, History


def some_history() -> History:
    history = History(stop_reason="callback", best_epoch=1)
    history.add(EpochRecord(0, 0.1, 0.01, 1 / 3, 2.0))
    history.add(
        EpochRecord(1, 0.2, 0.02, 0.5, 2.5, 0.7, 0.4, 0.30000000000000004, rolled_back=True)
    )
    return history


def test_quantities_over_epochs() -> None:
    history = some_history()
    np.testing.assert_array_equal(history["loss"], [np.nan, 0.7])
    np.testing.assert_array_equal(history["epoch"], [0, 1])
    np.testing.assert_array_equal(history["rolled_back"], [0, 1])
    assert len(history) == 2
    assert [record.epoch for record in history] == [0, 1]


def test_an_unknown_quantity_is_an_error() -> None:
    with pytest.raises(AttributeError, match="los"):
        some_history()["los"]


def test_the_way_through_a_document() -> None:
    document = json.loads(json.dumps(some_history().to_document(), allow_nan=False))
    assert History.from_document(document) == some_history()
    assert History.from_document(json.loads(json.dumps(History().to_document()))) == History()
