"""The masked network: an ensemble whose members differ, and what it refuses."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from halfseen.baselines._masked_network_training import ensemble_output
from halfseen.baselines._network_table import NetworkTable
from halfseen.baselines._perceptron import initial_perceptron
from halfseen.baselines.masked_network import MaskedNetwork, side_by_side


def test_the_ensemble_says_the_mean_of_its_networks() -> None:
    generator = np.random.default_rng(0)
    networks = [initial_perceptron(generator, (10, 4, 5)) for _ in range(3)]
    table = NetworkTable(
        *(
            jax.device_put(part)
            for part in (
                generator.normal(size=(6, 3)).astype(np.float32),
                generator.random((6, 3)) < 0.5,
                (generator.random((6, 2)) < 0.5).astype(np.float32),
                generator.random((6, 2)) < 0.5,
            )
        )
    )

    def said(members: list[object]) -> list[np.ndarray]:
        stacked = jax.tree.map(lambda *leaves: side_by_side(leaves), *members)
        return [np.asarray(part) for part in ensemble_output(stacked, table, False)]

    alone = [said([network]) for network in networks]
    together = said(networks)
    for place in range(2):
        expected = np.mean([output[place] for output in alone], axis=0)
        assert together[place] == pytest.approx(expected, abs=1e-5)
    assert not np.allclose(alone[0][0], alone[1][0])


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"n_networks": 0}, "n_networks must be at least 1, got 0"),
        ({"dropout": 1.0}, "dropout is a share, at least 0 and below 1, got 1.0"),
    ],
)
def test_settings_that_cannot_work_are_refused(settings: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        MaskedNetwork(**settings).fit([[1.0], [2.0]], [[0], [1]])
