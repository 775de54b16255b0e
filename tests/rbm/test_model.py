"""Energy, free energies and conditionals against enumeration of the joint distribution."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import logsumexp, softmax

from halfseen.rbm.model import RBM
from halfseen.rbm.units import VisibleLayer
from rbm.machines import BINARY, MIXED, ROWS, enumerate_states, machine

pytestmark = pytest.mark.usefixtures("double_precision")

each_layer = pytest.mark.parametrize("layer", [MIXED, BINARY], ids=["mixed", "binary"])
NOTHING = np.zeros(MIXED.n_units, bool)


@jax.jit
def everything(rbm: RBM, visible: jax.Array, hidden: jax.Array) -> dict[str, jax.Array]:
    return {
        "energy": rbm.energy(visible[:, None], hidden),
        "log_prior": jnp.sum(rbm.layer.log_prior(visible, rbm.log_variance), axis=-1),
        "free_energy": rbm.free_energy(visible),
        "hidden_mean": rbm.hidden_mean_from_visible(visible),
        "visible_mean": rbm.visible_mean_from_hidden(hidden),
    }


@each_layer
def test_energies_and_conditionals_are_those_of_the_joint_distribution(layer: VisibleLayer) -> None:
    rbm = machine(layer)
    n = rbm.layer.n_units
    nothing = enumerate_states(rbm, ROWS[0, :n], NOTHING[:n])
    # Rows are complete states; their density is the weight of a state with all entries observed.
    rows = ROWS if layer is MIXED else nothing.visible
    complete = [enumerate_states(rbm, row, ~NOTHING[:n]) for row in rows]
    joint = np.concatenate([states.log_weight for states in complete])
    found = everything(rbm, rows, nothing.hidden)

    np.testing.assert_allclose(found["log_prior"][:, None] - found["energy"], joint, atol=1e-12)
    np.testing.assert_allclose(found["free_energy"], -logsumexp(joint, axis=1), rtol=1e-12)
    expected = softmax(joint, axis=1) @ nothing.hidden
    np.testing.assert_allclose(found["hidden_mean"], expected, rtol=1e-10)
    expected = softmax(nothing.log_weight, axis=0).T @ nothing.visible
    np.testing.assert_allclose(found["visible_mean"], expected, rtol=1e-9, atol=1e-10)


def test_temperatures_lead_from_independent_units_to_the_machine() -> None:
    rbm, base_bias = machine(), np.linspace(-1, 1, MIXED.n_units)
    cold = rbm.at_inverse_temperature(1.0, base_bias)
    jax.tree.map(np.testing.assert_array_equal, cold, rbm)
    hot = rbm.at_inverse_temperature(0.0, base_bias)
    hidden = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 1.0]])
    inputs = np.tile(base_bias, (2, 1))
    np.testing.assert_array_equal(hot.visible_input_from_hidden(hidden), inputs)
    np.testing.assert_array_equal(hot.hidden_mean_from_visible(ROWS), np.full((4, 3), 0.5))
    np.testing.assert_array_equal(hot.log_variance, rbm.log_variance)
