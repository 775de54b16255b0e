"""Start configurations of completion."""

from __future__ import annotations

import numpy as np
import pytest

from halfseen.estimators.restart_configurations import restart_configurations, start_marginals
from halfseen.machine.visible_layer import VisibleLayer

LAYER = VisibleLayer(1, 1, (3,))
MARGINALS = np.array([0.0, 0.25, 0.5, 0.3, 0.2])
LOG_VARIANCE = np.log(np.array([0.25], np.float32))


def drawn(starts: str, n_restarts: int = 400, seed: int = 0) -> np.ndarray:
    return restart_configurations(
        LAYER,
        MARGINALS,
        LOG_VARIANCE,
        n_restarts,
        starts,  # type: ignore[arg-type]
        seed,
    )


def test_marginals_come_first() -> None:
    restarts = drawn("marginals")
    assert restarts.shape == (400, 5)
    assert restarts.dtype == np.float32
    assert restarts[0].tolist() == MARGINALS.astype(np.float32).tolist()


@pytest.mark.parametrize(
    ("starts", "expected"),
    [("marginals", MARGINALS), ("uniform", [0.0, 0.5, 1 / 3, 1 / 3, 1 / 3])],
)
def test_drawn_around(starts: str, expected: np.ndarray) -> None:
    marginals = start_marginals(LAYER, MARGINALS, starts)  # type: ignore[arg-type]
    assert np.allclose(marginals, expected)
    others = drawn(starts)[1:]
    assert np.allclose(others.mean(axis=0), expected, atol=0.1)
    assert others[:, 0].std() == pytest.approx(0.5, rel=0.2)
    assert np.isin(others[:, 1:], (0.0, 1.0)).all()
    assert (others[:, 2:].sum(axis=1) == 1.0).all()


def test_same_seed_same_restarts() -> None:
    assert np.array_equal(drawn("uniform"), drawn("uniform"))
    assert not np.array_equal(drawn("uniform"), drawn("uniform", seed=1))
