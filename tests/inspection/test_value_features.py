"""Values as features."""

from __future__ import annotations

import numpy as np

from halfseen.inspection.value_features import value_features
from inspection.columns import sampled


def test_features_of_every_kind() -> None:
    generator = np.random.default_rng(0)
    n = 200
    holes = generator.random(n) < 0.3
    features = value_features(
        sampled(
            {
                "size": [
                    None if h else v for h, v in zip(holes, generator.normal(size=n), strict=True)
                ],
                "flag": (generator.random(n) < 0.5).astype(float),
                "colour": generator.choice(["red", "green", "blue"], n).tolist(),
                "name": [f"n{row}" for row in range(n)],
                "same": [3.0] * n,
            }
        )
    )
    assert features.column.tolist() == [0, 0, 1, 2, 2, 2]
    assert features.meaning == ("high", "extreme", *["category"] * 4)
    assert set(features.category[3:]) == {"red", "green", "blue"}
    assert features.category[2] == "1"
    np.testing.assert_allclose(features.matrix.mean(axis=1), 0.0, atol=1e-6)
    np.testing.assert_allclose(features.matrix.var(axis=1), 1.0, rtol=1e-5)
    assert (features.matrix[:2, holes] == 0.0).all()


def test_no_scale_or_tail_matters() -> None:
    values = np.random.default_rng(1).normal(size=50)
    plain = value_features(sampled({"x": values}))
    heavy = value_features(sampled({"x": np.exp(20 * values)}))
    np.testing.assert_array_equal(plain.matrix, heavy.matrix)
