"""A small model for examples, written down rather than trained."""

from __future__ import annotations

from functools import partial

import jax
import numpy as np
from numpy.typing import NDArray

from halfseen.estimators import HalfseenClassifier
from halfseen.estimators.fitted_machine import FittedMachine
from halfseen.estimators.fitting import layer_of
from halfseen.learning.progress import Verbosity
from halfseen.machine.completion import CompletionSettings
from halfseen.machine.exact import exact_log_probability
from halfseen.machine.parameters import BoltzmannParameters
from halfseen.machine.visible_layer import VisibleLayer
from halfseen.tables import Column, Schema

_FEATURES = (
    Column("age", "numeric", "gaussian", 50.0, 20.0, (), "float64", (0.0,), 100),
    Column("smokes", "binary", "bernoulli", 0.0, 1.0, (), "float64", (0.3,), 100),
    Column(
        "town",
        "categorical",
        "softmax",
        0.0,
        1.0,
        ("Bern", "Lund", "Pisa"),
        "object",
        (0.5, 0.3, 0.2),
        100,
    ),
)
_LABELS = (
    Column("ill", "binary", "bernoulli", 0.0, 1.0, (), "float64", (0.4,), 100),
    Column("tired", "binary", "bernoulli", 0.0, 1.0, (), "float64", (0.5,), 100),
)
# Visible units: age, smokes, ill, tired, Bern, Lund, Pisa. The first hidden unit stands for illness
# of the old, the second for that of smokers, the third for the air of the towns.
_WEIGHTS = [
    [1.2, -0.3, 0.0],
    [0.2, 1.6, 0.3],
    [1.8, 1.5, -0.4],
    [1.1, 0.9, 0.2],
    [-0.3, 0.0, 1.5],
    [0.2, 0.4, -1.2],
    [0.0, -0.3, -0.2],
]
_VISIBLE_BIAS = [-0.4, -2.1, -2.0, -1.1, -0.2, 0.3, 0.0]
_HIDDEN_BIAS = [-1.2, -1.4, 0.0]


class _EnumerableMachine(FittedMachine):
    """A machine so small that its rows are weighed by enumeration, in no time."""

    def log_probability(
        self,
        visible: NDArray[np.float32],
        observed: NDArray[np.bool_],
        verbose: Verbosity = False,
    ) -> NDArray[np.float64]:
        """log P(v_o) of every row, exactly."""
        one = jax.tree.map(lambda leaf: leaf[0], self.machines)
        return np.asarray(_log_probability(one, visible, observed, self.layer), np.float64)


@partial(jax.jit, static_argnames="layer")
def _log_probability(
    machine: BoltzmannParameters, visible: jax.Array, observed: jax.Array, layer: VisibleLayer
) -> jax.Array:
    return exact_log_probability(machine, layer, visible, observed)


def example_model() -> HalfseenClassifier:
    """A classifier of two labels, ill and tired, from age, smokes and town, as if it were fitted.

    Its machine is small enough to be enumerated. It takes frames with these columns.

    Returns
    -------
    HalfseenClassifier

    Examples
    --------
    >>> import pandas as pd
    >>> people = pd.DataFrame({"age": [75.0, 25.0], "smokes": [1, 0], "town": ["Lund", None]})
    >>> example_model().predict(people).tolist()
    [[1, 1], [0, 0]]
    """
    schema = Schema(_FEATURES, _LABELS, "labels")
    marginals = schema.marginals.astype(np.float32)
    machine = _EnumerableMachine(
        layer=layer_of(schema),
        weights=np.array([_WEIGHTS], np.float32),
        visible_bias=np.array([_VISIBLE_BIAS], np.float32),
        hidden_bias=np.array([_HIDDEN_BIAS], np.float32),
        log_variance=np.array([[-0.5]], np.float32),
        restarts=marginals[None],
        marginals=marginals,
        completion=CompletionSettings(),
        seed=0,
    )
    model = HalfseenClassifier(verbose=False)
    model.schema_ = schema
    model.machine_ = machine
    model.prediction_ = None
    model.thresholds_ = np.full(len(_LABELS), 0.5)
    model.classes_ = [np.array([0, 1]) for _ in _LABELS]
    model.n_features_in_ = len(_FEATURES)
    model.feature_names_in_ = np.array([column.name for column in _FEATURES], dtype=object)
    return model
