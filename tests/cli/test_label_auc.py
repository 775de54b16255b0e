from __future__ import annotations

import numpy as np
import pytest

from halfseen.cli.label_auc import label_auc, mean_auc
from halfseen.tables import Schema, learn_columns, learn_target_columns, read_table, read_target


def test_labels_that_are_all_alike_are_left_out() -> None:
    X, y = read_table([[1.0], [2.0], [4.0], [5.0]]), np.array([[0, 1], [1, 1], [0, 1], [1, 1]])
    target = read_target(y)
    schema = Schema(learn_columns(X), learn_target_columns(target), "labels")
    truth = schema.encode(X, target).visible
    said = np.zeros(truth.shape)
    said[:, schema.target_units(0).start] = [0.1, 0.2, 0.3, 0.4]
    aucs = label_auc(schema, truth, np.ones(truth.shape, bool), said)
    assert aucs == {"y0": pytest.approx(0.75)}
    assert mean_auc(aucs) == pytest.approx(0.75)
