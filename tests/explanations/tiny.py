"""Models around machines that are small enough to be enumerated, and their brute-force answers."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from exact.reference import TinyMachine, moments
from halfseen import HalfseenClassifier, HalfseenImputer
from halfseen.estimators.fitted_machine import FittedMachine
from halfseen.estimators.fitting import layer_of
from halfseen.explanations.example_model import example_model
from halfseen.learning.progress import Verbosity
from halfseen.machine.completion import CompletionSettings
from halfseen.tables import Column, Encoded, Schema

SIZE = Column("size", "numeric", "gaussian", 10.0, 2.0, (), "float64", (0.0,), 50)
SOLD = Column("sold", "numeric", "gaussian", 2.0, 1.5, (), "float64", (0.0,), 50, "log")
NEW = Column("new", "binary", "bernoulli", 0.0, 1.0, (), "float64", (0.3,), 50)
HOT = Column("hot", "binary", "bernoulli", 0.0, 1.0, (), "float64", (0.4,), 50)
OLD = Column("old", "binary", "bernoulli", 0.0, 1.0, (), "float64", (0.7,), 50)
COLOUR = Column(
    "colour", "categorical", "softmax", 0.0, 1.0, ("blue", "green", "red"), "object",
    (0.5, 0.3, 0.2), 50,
)  # fmt: skip
GRADE = Column("grade", "categorical", "softmax", 0.0, 1.0, (1, 2, 3), "int64", (0.2, 0.2, 0.6), 50)
SHAPE = Column(
    "shape", "categorical", "softmax", 0.0, 1.0, ("flat", "round"), "object", (0.6, 0.4), 50
)
GONE = Column("gone", "empty", "none", 0.0, 1.0, (), "float64", (), 0)


class EnumeratedMachine(FittedMachine):
    """A machine that weighs rows by enumeration rather than by sampling."""

    def log_probability(
        self,
        visible: NDArray[np.float32],
        observed: NDArray[np.bool_],
        verbose: Verbosity = False,
    ) -> NDArray[np.float64]:
        tiny = as_tiny(self)
        nothing = moments(tiny, np.zeros(tiny.n_visible), np.zeros(tiny.n_visible, bool))
        of_rows = [
            moments(tiny, row.astype(float), seen).log_observed
            for row, seen in zip(visible, observed, strict=True)
        ]
        return np.array(of_rows) - nothing.log_observed


def random_machine(
    schema: Schema, seed: int, n_hidden: int = 3, n_machines: int = 1, scale: float = 0.9
) -> FittedMachine:
    rng = np.random.default_rng(seed)
    shape = (n_machines, schema.n_visible, n_hidden)
    marginals = schema.marginals.astype(np.float32)
    return EnumeratedMachine(
        layer_of(schema),
        rng.normal(scale=scale, size=shape).astype(np.float32),
        rng.normal(scale=0.5, size=shape[:2]).astype(np.float32),
        rng.normal(scale=0.5, size=(n_machines, n_hidden)).astype(np.float32),
        rng.uniform(-0.8, 0.2, size=(n_machines, schema.n_gaussian)).astype(np.float32),
        marginals[None],
        marginals,
        CompletionSettings(),
        0,
    )


def tiny_model(
    features: tuple[Column, ...],
    targets: tuple[Column, ...] = (),
    kind: str | None = None,
    machine: FittedMachine | None = None,
    seed: int = 0,
) -> Any:
    """A fitted model around a machine, a random one if none is given."""
    schema = Schema(features, targets, kind)
    model = HalfseenClassifier(verbose=False) if targets else HalfseenImputer(verbose=False)
    model.schema_ = schema
    model.machine_ = random_machine(schema, seed) if machine is None else machine
    model.prediction_ = None
    model.n_features_in_ = len(features)
    model.feature_names_in_ = np.array([column.name for column in features], dtype=object)
    if targets:
        model.thresholds_ = np.full(len(targets), 0.5)
    return model


def enumerated_example() -> HalfseenClassifier:
    """The example model, its rows weighed by enumeration."""
    model = example_model()
    machine = model.machine_
    assert machine is not None
    values = {field.name: getattr(machine, field.name) for field in fields(machine)}
    model.machine_ = EnumeratedMachine(**values)
    return model


def people() -> pd.DataFrame:
    """Rows for the example model."""
    return pd.DataFrame(
        {
            "age": [75.0, np.nan, 5.0, 40.0, 61.5],
            "smokes": [1.0, 0.0, 1.0, np.nan, 0.0],
            "town": ["Lund", "Bern", None, "Pisa", None],
        }
    )


def as_tiny(machine: FittedMachine, index: int = 0) -> TinyMachine:
    """A machine as the brute-force reference takes it."""
    return TinyMachine(
        machine.layer.n_gaussian,
        machine.layer.n_bernoulli,
        machine.layer.group_sizes,
        machine.weights[index].astype(float),
        machine.visible_bias[index].astype(float),
        machine.hidden_bias[index].astype(float),
        np.exp(machine.log_variance[index].astype(float)),
    )


def brute_force(machine: FittedMachine, encoded: Encoded) -> NDArray[np.float64]:
    """E[v | v_o] by enumeration of everything, averaged over machines."""
    per_machine = [
        [
            moments(as_tiny(machine, index), row.astype(float), seen).visible
            for row, seen in zip(*encoded, strict=True)
        ]
        for index in range(len(machine.weights))
    ]
    mean: NDArray[np.float64] = np.mean(per_machine, axis=0)
    return mean


def log_odds(probability: float) -> float:
    return float(np.log(probability) - np.log1p(-probability))


def tiny_models() -> dict[str, Any]:
    """One model for every kind of target, and one without; two visible layers between them."""
    return {
        "labels": tiny_model((SOLD, NEW, GONE, COLOUR), (HOT, OLD), "labels", seed=1),
        "features": tiny_model((SOLD, NEW, GONE, COLOUR, HOT, OLD), seed=2),
        "classes": tiny_model((SIZE, SOLD, NEW, COLOUR), (GRADE,), "classes", seed=3),
        "outputs": tiny_model((SIZE, SOLD, NEW), (COLOUR, GRADE), "outputs", seed=4),
    }


def table_for(model: Any, n_rows: int = 8, seed: int = 0) -> tuple[pd.DataFrame, Any]:
    """Rows with holes, and labels with holes, for one of these models."""
    rng = np.random.default_rng(seed)
    cells = {column.name: _cells(column, n_rows, rng) for column in model.schema_.columns}
    features = [column.name for column in model.schema_.features]
    targets = [column.name for column in model.schema_.targets]
    X = pd.DataFrame({name: cells[name] for name in features})
    if not targets:
        return X, None
    kind = model.schema_.target_kind
    y = pd.DataFrame({name: cells[name] for name in targets})
    return X, y[targets[0]] if kind == "classes" else y


def _cells(column: Column, n_rows: int, rng: np.random.Generator) -> NDArray[Any]:
    cells = np.empty(n_rows, object)
    if column.kind == "numeric":
        cells[:] = column.destandardised(rng.normal(size=n_rows)).tolist()
    elif column.kind == "binary":
        cells[:] = rng.integers(0, 2, n_rows).astype(float).tolist()
    elif column.kind == "categorical":
        cells[:] = [column.categories[k] for k in rng.integers(0, len(column.categories), n_rows)]
    cells[rng.random(n_rows) < 0.35] = None
    is_number = column.kind in ("numeric", "binary", "empty")
    return cells.astype(float) if is_number else cells
