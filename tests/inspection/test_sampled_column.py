"""Columns in the sampled rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from halfseen.inspection.sampled_column import SampledColumn
from inspection.columns import sampled


def test_codes_of_numbers_and_texts() -> None:
    for column in sampled({"n": [3.0, None, 1.0, 3.0], "t": ["z", None, "a", "z"]}):
        assert column.codes.tolist() == [1, -1, 0, 1]
        assert column.counts.tolist() == [1, 2]
        assert np.array_equal(column.distinct[column.codes[[0, 2]]], column.values[[0, 2]])


def test_what_is_of_use() -> None:
    feature, label, nothing = sampled({"a": [1, 2], "b": ["x", "y"], "c": [None, None]}, ["b"])
    assert (feature.is_used, label.is_used, nothing.is_used) == (True, True, False)
    aside = SampledColumn(
        replace(feature.summary, role="identifier"), feature.values, feature.observed
    )
    assert not aside.is_used
