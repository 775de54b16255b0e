"""A data set that is small enough to be compared on in a test."""

from __future__ import annotations

import numpy as np

from halfseen.experiments.data_sets import DataSet


def tiny_data_set(target: str = "labels") -> DataSet:
    """Two factors give six features and three labels, or the classes."""
    generator = np.random.default_rng(0)
    factors = generator.standard_normal((120, 2))
    X = factors @ generator.standard_normal((2, 6)) + 0.1 * generator.standard_normal((120, 6))
    if target == "classes":
        return DataSet("tiny", X, np.eye(2)[(factors[:, 0] > 0).astype(int)], "classes")
    Y = (factors @ generator.standard_normal((2, 3)) > 0).astype(float)
    return DataSet("tiny", X, Y, "labels")
