"""How running away is noticed, and what is said."""

from __future__ import annotations

import pickle
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from halfseen import DivergenceError
from halfseen.learning.divergence import is_sound
from halfseen.learning.epoch import TrainingState
from halfseen.learning.objective import Memory
from halfseen.learning.statistics import Offsets
from halfseen.machine.parameters import BoltzmannParameters

NO_LOSS = np.zeros(3)


def three_machines() -> TrainingState:
    ones = [jnp.ones((3, *shape)) for shape in ((4, 2), (4,), (2,), (1,))]
    return TrainingState(
        parameters=BoltzmannParameters(*ones),
        optimiser_state=(),
        memory=Memory(
            jnp.ones((3, 6, 4)), jnp.zeros((3, 0, 4)), Offsets(jnp.ones((3, 4)), jnp.ones((3, 2)))
        ),
        rate_scale=jnp.ones(3),
    )


def test_ordinary_machines_are_sound() -> None:
    assert is_sound(three_machines(), NO_LOSS).tolist() == [True, True, True]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
# Leaf 5 is the positive chains, of which there are none.
@pytest.mark.parametrize("leaf", [0, 1, 2, 3, 4, 6, 7])
def test_a_number_that_is_none_in_one_machine(leaf: int, value: float) -> None:
    state = three_machines()
    leaves, structure = jax.tree.flatten((state.parameters, state.memory))
    changed = np.array(leaves[leaf])
    changed.reshape(3, -1)[1, -1] = value
    leaves[leaf] = jnp.asarray(changed)
    parameters, memory = jax.tree.unflatten(structure, leaves)
    broken: Any = state._replace(parameters=parameters, memory=memory)
    assert is_sound(broken, NO_LOSS).tolist() == [True, False, True]


def test_weights_without_measure() -> None:
    state = three_machines()
    weights = state.parameters.weights.at[2, 1, 1].set(-1e5)
    state = state._replace(parameters=state.parameters._replace(weights=weights))
    assert is_sound(state, NO_LOSS).tolist() == [True, True, False]


def test_losses_out_of_proportion() -> None:
    loss = np.array([5.0, 1e6, np.nan])
    assert is_sound(three_machines(), loss).tolist() == [True, False, False]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (DivergenceError(0.1), "6 times, .* from 0.1 down to 9.7656.e-05"),
        (DivergenceError(8.0, 2), "3 times, .* from 8 down to 0.5"),
        (DivergenceError(0.1, 0), "diverged with a learning rate of 0.1"),
    ],
)
def test_the_error_says_what_to_try(error: DivergenceError, words: str) -> None:
    for attempt in (words, "smaller learning_rate", "batch_size", "outliers"):
        with pytest.raises(DivergenceError, match=attempt):
            raise error


def test_the_error_comes_back_from_a_worker() -> None:
    error = DivergenceError(0.1, 3)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
