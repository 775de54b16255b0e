"""What the hidden units of an RBM respond to."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from halfseen.base.estimator import TableModel, whole_number
from halfseen.base.runtime import jax_session
from halfseen.base.tiles import map_tiles
from halfseen.data.schema import Schema
from halfseen.explain.deletion import Floats, Rows, Units, tidy
from halfseen.rbm.model import RBM

_RAREST = 0.01  # rarer categories count as if they were as frequent as this


class Response(NamedTuple):
    """How a hidden unit responds to a column, or to one of its categories."""

    column: str | int
    is_target: bool
    value: Any  # the category; the second one of two; None for numbers
    weight: float  # log-odds of the unit per standard deviation


class ActiveRow(NamedTuple):
    """A row, and the probability that it turns the hidden unit on."""

    row: int
    activation: float


class HiddenUnit(NamedTuple):
    """A hidden unit by what it responds to."""

    machine: int
    unit: int
    strength: float  # standard deviation of its input, were columns independent
    activation: float  # mean over the rows, or that of a row of averages
    responses: tuple[Response, ...]  # the strongest first
    rows: tuple[ActiveRow, ...]  # those that activate it most


class HiddenUnits(NamedTuple):
    """Hidden units, the strongest first."""

    units: tuple[HiddenUnit, ...]

    def table(self) -> list[dict[str, Any]]:
        """One dictionary per response; its fields begin with ``response_``."""
        return tidy(self.units, "responses", "response_")


@jax_session()
def hidden_units(
    model: TableModel, X: Any = None, y: Any = None, *, top: int = 10, n_responses: int = 10,
    n_rows: int = 5,
) -> HiddenUnits:  # fmt: skip
    """Hidden units of an RBM with the columns and values that move them most.

    Parameters
    ----------
    model : a fitted RBMClassifier or RBMImputer
    X, y : a table, and what is known of its targets if anything is
        Rows, of which those are found that activate a unit most, once they are completed.
    top, n_responses, n_rows : number of hidden units, and of columns or values and rows of each

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from halfseen import RBMClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = RBMClassifier(8, random_state=0).fit(X, y)
    >>> found = hidden_units(model, X, top=2)
    >>> [len(unit.responses) for unit in found.units], len(found.units[0].rows)
    ([7, 7], 5)
    """
    check_is_fitted(model)
    rbm, schema = getattr(model, "rbm_", None), model.schema_
    if rbm is None:
        name = type(model).__name__
        raise TypeError(f"{name} has no hidden units to show; use an RBMClassifier.")
    weights = standardised_weights(schema, rbm)
    strength = np.sqrt((weights**2).sum(axis=1))  # (n_estimators, n_hidden)
    n_responses = whole_number("n_responses", n_responses, 1)
    strongest = np.argsort(-strength, axis=None, kind="stable")[: whole_number("top", top, 1)]
    machines, units = np.unravel_index(strongest, strength.shape)
    average = schema.marginals[np.newaxis]
    rows = average if X is None else model._complete_units(Rows.read(model, X, y).encoded)
    activation = map_tiles(lambda tile: hidden_means(rbm, tile)[:, machines, units], rows)
    n_active = whole_number("n_rows", n_rows, 0) if X is not None else 0
    responses, found = _responses(schema), []
    for k, (machine, unit) in enumerate(zip(machines, units, strict=True)):
        own, active = weights[machine, :, unit], activation[:, k]
        most = np.argsort(-np.abs(own), kind="stable")[:n_responses]
        rows_of = np.argsort(-active, kind="stable")[:n_active].tolist()
        facts = float(strength[machine, unit]), float(active.mean(dtype=np.float64))
        moved_by = tuple(responses[u]._replace(weight=float(own[u])) for u in most)
        shown = tuple(ActiveRow(row, float(active[row])) for row in rows_of)
        found.append(HiddenUnit(int(machine), int(unit), *facts, moved_by, shown))
    return HiddenUnits(tuple(found))


def hidden_means(rbm: RBM, visible: Units) -> NDArray[np.float32]:
    """P(h = 1 | v) of each machine, of shape (n_rows, n_estimators, n_hidden)."""
    of_each = jax.vmap(RBM.hidden_mean_from_visible, in_axes=(0, None), out_axes=1)
    return np.asarray(of_each(rbm, jnp.asarray(visible)))


def standardised_weights(schema: Schema, rbm: RBM) -> Floats:
    """Weights per standard deviation of each unit, of shape (n_estimators, n_units, n_hidden).

    What is common to all categories of a column is taken off: it moves nothing. The squares of a
    column then add up to the variance that it brings to the input of a hidden unit.
    """
    weights = np.asarray(rbm.weights, np.float64).copy()
    for j, column in enumerate(schema.columns):
        if column.n_units > 1:
            own = schema.units_of(j)
            common = np.einsum("u,muh->mh", np.array(column.marginal), weights[:, own])
            weights[:, own] -= common[:, np.newaxis]
    return weights * unit_deviations(schema)[:, np.newaxis]


def unit_deviations(schema: Schema) -> Floats:
    """Standard deviation of each unit; of categories such that squares add up as in chi-square."""
    found = np.ones(schema.n_units)
    for j, column in enumerate(schema.columns):
        if column.unit != "gaussian":
            share = np.clip(np.array(column.marginal), _RAREST, 1 - _RAREST)
            square = share if column.n_units > 1 else share * (1 - share)
            found[schema.units_of(j)] = np.sqrt(square)
    return found


def _responses(schema: Schema) -> list[Response]:
    """What each visible unit stands for."""
    found = []
    for u, j in enumerate(schema.unit_column.tolist()):
        column = schema.columns[j]
        value = column.categories[-1] if column.type == "binary" and column.categories else None
        if column.n_units > 1:
            value = column.categories[u - schema.units_of(j).start]
        found.append(Response(column.name, j >= len(schema.features), value, 0.0))
    return found
