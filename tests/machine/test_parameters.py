"""First parameters reproduce the marginals of the data."""

from __future__ import annotations

import numpy as np
import pytest

from exact.machines import CASES, NAMES, Case, random_means
from exact.reference import TinyMachine, moments
from halfseen.machine.parameters import initial_parameters

pytestmark = pytest.mark.usefixtures("double_precision")


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_without_weights_the_machine_has_the_marginals_of_the_data(case: Case) -> None:
    marginals = random_means(case.machine, 1, np.random.default_rng(0))[0]
    theta = initial_parameters(
        np.random.default_rng(0),
        case.layer,
        3,
        marginals=marginals,
        variance=0.7,
        weight_scale=0.0,
    )
    machine = TinyMachine(
        case.machine.n_gaussian,
        case.machine.n_bernoulli,
        case.machine.group_sizes,
        weights=np.asarray(theta.weights),
        visible_bias=np.asarray(theta.visible_bias),
        hidden_bias=np.asarray(theta.hidden_bias),
        variance=np.exp(np.asarray(theta.log_variance)),
    )
    free = moments(machine, marginals, np.zeros(machine.n_visible, dtype=bool))
    np.testing.assert_allclose(free.visible, marginals, rtol=1e-9)
    np.testing.assert_allclose(free.hidden, 0.5)
    spread = (free.visible_squared - free.visible**2)[: machine.n_gaussian]
    np.testing.assert_allclose(spread, 0.7)


def test_weights_have_the_asked_scale_and_follow_the_seed() -> None:
    layer = CASES[1].layer
    marginals = np.full(5, 0.5)

    def weights(seed: int) -> np.ndarray:
        theta = initial_parameters(
            np.random.default_rng(seed),
            layer,
            997,
            marginals=marginals,
            variance=1.0,
            weight_scale=0.01,
        )
        return np.asarray(theta.weights)

    first = weights(0)
    assert first.shape == (5, 997)
    assert first.std() == pytest.approx(0.01, rel=0.05)
    assert abs(first.mean()) < 4 * 0.01 / np.sqrt(first.size)
    np.testing.assert_array_equal(first, weights(0))
    assert np.all(first != weights(1))


def test_precision_of_the_marginals_is_kept() -> None:
    for precision in (np.float32, np.float64):
        theta = initial_parameters(
            np.random.default_rng(0),
            CASES[0].layer,
            2,
            marginals=np.zeros(2, precision),
            variance=1.0,
            weight_scale=0.1,
        )
        assert {leaf.dtype for leaf in theta} == {np.dtype(precision)}
