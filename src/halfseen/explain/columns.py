"""What columns do for each other: importance for predictions, and couplings."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from halfseen.base.estimator import TableModel, whole_number
from halfseen.data.raw import Bools
from halfseen.data.schema import Schema
from halfseen.explain.deletion import Floats, Rows, Units, is_discrete, positions
from halfseen.explain.weights import hidden_means, standardised_weights, unit_deviations
from halfseen.rbm.model import RBM

_MOST_ROWS, _FEWEST_ROWS, _MOST_PREDICTIONS = 200, 30, 40_000
# How the losses are shown.
METRICS = {"log_loss": "log-loss", "normalised_rmse": "normalised RMSE"}


class Importance(NamedTuple):
    """How much worse predictions become when a feature is hidden."""

    features: tuple[str | int, ...]
    predicted: tuple[str | int, ...]
    is_target: tuple[bool, ...]  # of each predicted column
    metric: tuple[str, ...]  # "log_loss" or "normalised_rmse", of each predicted column
    loss: Floats  # (n_predicted,), nothing but the predicted entries hidden
    increase: Floats  # (n_predicted, n_features), above 0 where the feature helps

    def table(self) -> list[dict[str, Any]]:
        """One dictionary per predicted column and feature, the largest increase first."""
        order = np.argsort(-self.increase, axis=None, kind="stable")
        pairs = zip(*np.unravel_index(order, self.increase.shape), strict=True)
        return [
            {
                "predicted": self.predicted[t], "is_target": self.is_target[t],
                "metric": self.metric[t], "loss": float(self.loss[t]),
                "feature": self.features[i], "increase": float(self.increase[t, i]),
            }
            for t, i in pairs
        ]  # fmt: skip


def importance(
    model: TableModel, X: Any, y: Any = None, *, columns: Any = None, n_rows: int | None = None,
    random_state: int = 0,
) -> Importance:  # fmt: skip
    """How much worse predictions become when a feature is hidden.

    Entries whose truth is known are predicted twice: from all observed features of their row, and
    from all but one. Targets are hidden throughout, as they are from `predict`. The loss of
    categories, classes and labels is log-loss; that of numbers is the root mean squared error in
    standard deviations of their encoded values. Rows that lack the feature count with no increase.

    Parameters
    ----------
    model : a fitted estimator of halfseen
    X, y : a table, and what is known of its targets if anything is
    columns : str, int or list of them, optional
        Columns that are predicted: names, or positions among the features and then the targets. By
        default all targets; of an imputer a random half of the observed entries of each row.
    n_rows, random_state : rows, drawn at random, and the seed of the choice of rows and entries. By
        default 200 rows, or fewer of a wide table: each takes a prediction for each of its columns

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from halfseen import RBMClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = RBMClassifier(8, random_state=0).fit(X, y)
    >>> found = importance(model, X, y, n_rows=50)
    >>> found.predicted, found.metric, found.increase.shape
    (('target',), ('log_loss',), (1, 4))
    """
    read = Rows.read(model, X, y)
    schema, seen, n_features = read.schema, read.seen, len(read.schema.features)
    n_rows, rng = _rows_to_read(n_rows, schema), np.random.default_rng(random_state)
    is_target = np.arange(len(schema.columns)) >= n_features
    if columns is not None:
        asked = positions(schema, columns)
        targets = [j for j in asked if j >= n_features]
        together = ([targets] if targets else []) + [[j] for j in asked if j < n_features]
        passes = [seen & np.isin(np.arange(len(seen.T)), of_pass) for of_pass in together]
    else:  # entries that are predicted together
        passes = [seen & (is_target if schema.targets else rng.random(seen.shape) < 0.5)]
    parts = []
    for entries in passes:
        rows = np.flatnonzero(entries.any(axis=1))
        if not len(rows):
            raise ValueError("No entry of the columns to predict is known; pass y, or other rows.")
        if len(rows) > n_rows:
            rows = np.sort(rng.choice(rows, n_rows, replace=False))
        truth = read.take(rows)
        parts.append(_losses(truth, truth.hide(entries[rows] | is_target), entries[rows]))
    of_parts, losses, increases = zip(*parts, strict=True)
    predicted = [schema.columns[j] for of_part in of_parts for j in of_part]
    return Importance(
        tuple(column.name for column in schema.features),
        tuple(column.name for column in predicted),
        tuple(j >= n_features for of_part in of_parts for j in of_part),
        tuple("log_loss" if is_discrete(column) else "normalised_rmse" for column in predicted),
        np.concatenate(losses), np.concatenate(increases),
    )  # fmt: skip


def _losses(truth: Rows, given: Rows, entries: Bools) -> tuple[list[int], Floats, Floats]:
    """Predicted columns, their losses, and by how much each feature that is hidden raises them."""
    schema, n_features = truth.schema, len(truth.schema.features)
    predicted = np.flatnonzero(entries.any(axis=0)).tolist()
    code = {j: truth.codes(j) for j in predicted if is_discrete(schema.columns[j])}
    total = np.zeros(len(predicted))
    added = np.zeros((len(predicted), n_features))
    for row, deleted in enumerate(given.deletions()):
        units = np.vstack([deleted.whole, deleted.without])
        for t, j in enumerate(predicted):
            if not entries[row, j]:
                continue
            if j in code:
                loss = -np.log(truth.probabilities(units, j)[:, code[j][row]])
            else:
                unit = schema.units_of(j).start
                loss = (units[:, unit].astype(np.float64) - truth.encoded.values[row, unit]) ** 2
            total[t] += loss[0]
            added[t, deleted.columns] += loss[1:] - loss[0]
    count = entries[:, predicted].sum(axis=0)
    mean, raised = total / count, (total[:, None] + added) / count[:, None]
    for t, j in enumerate(predicted):
        if j not in code:
            known = truth.encoded.values[entries[:, j], schema.units_of(j).start]
            deviation = float(known.std(dtype=np.float64)) or 1.0
            # Of a sum of squares that is 0 rounding may leave less.
            mean[t] = np.sqrt(mean[t]) / deviation
            raised[t] = np.sqrt(np.maximum(raised[t], 0.0)) / deviation
    return predicted, mean, raised - mean[:, None]


def _rows_to_read(n_rows: int | None, schema: Schema) -> int:
    """Of a wide table few, as each takes a prediction for each column."""
    few = min(_MOST_ROWS, max(_FEWEST_ROWS, _MOST_PREDICTIONS // max(1, len(schema.columns))))
    return few if n_rows is None else whole_number("n_rows", n_rows, 1)


class Couplings(NamedTuple):
    """How strongly columns hang together, features before targets."""

    columns: tuple[str | int, ...]
    is_target: tuple[bool, ...]
    strength: Floats  # (n_columns, n_columns), symmetric, 0 on the diagonal
    direction: NDArray[np.int8]  # 1: more of one with more of the other, -1: with less, 0: neither
    method: Literal["weights", "deletion"]

    def table(self, top: int | None = None) -> list[dict[str, Any]]:
        """One dictionary per pair of columns, the strongest first."""
        first, second = np.triu_indices(len(self.columns), 1)
        order = np.argsort(-self.strength[first, second], kind="stable")[:top]
        return [
            {
                "column": self.columns[i], "is_target": self.is_target[i],
                "other": self.columns[j], "other_is_target": self.is_target[j],
                "strength": float(self.strength[i, j]), "direction": int(self.direction[i, j]),
            }
            for i, j in zip(first[order], second[order], strict=True)
        ]  # fmt: skip


def couplings(
    model: TableModel, X: Any = None, y: Any = None, *,
    method: Literal["auto", "weights", "deletion"] = "auto", n_rows: int | None = None,
    random_state: int = 0,
) -> Couplings:  # fmt: skip
    r"""How strongly columns hang together in a model.

    From the weights of an RBM: with the hidden units summed out, two visible units interact by

    .. math:: \partial^2 \log P / \partial v_i \partial v_k = \sum_j w_{ij} w_{kj} s_j (1 - s_j),

    where s_j is the mean of hidden unit j. This is averaged over rows and taken per standard
    deviation of both units. The strength is the root of the sum of its squares over the units of
    two columns: about a correlation, while weights are small.

    By deletion, for any model: a random half of each row is hidden, then each entry that is left.
    The strength is the mean absolute change of the prediction of a hidden entry, in standard
    deviations, averaged over both directions.

    Parameters
    ----------
    model : a fitted estimator of halfseen
    X, y : a table, and what is known of its targets if anything is
        By default rows are drawn from the model. Couplings of targets by deletion need `y`.
    method : "auto" takes the weights of a model that has some
    n_rows, random_state : rows, drawn at random, and the seed of the choice of rows and entries. By
        default 200 rows, or fewer of a wide table: each takes a prediction for each of its columns

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from halfseen import RBMClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = RBMClassifier(8, random_state=0).fit(X, y)
    >>> found = couplings(model, X, y)
    >>> found.strength.shape, found.method, found.is_target
    ((5, 5), 'weights', (False, False, False, False, True))
    """
    check_is_fitted(model)
    if method not in ("auto", "weights", "deletion"):
        raise ValueError(f"method must be 'auto', 'weights' or 'deletion', got {method!r}.")
    rbm: RBM | None = None if method == "deletion" else getattr(model, "rbm_", None)
    if method == "weights" and rbm is None:
        raise TypeError(f"{type(model).__name__} has no weights to show; use method='deletion'.")
    n_rows = _rows_to_read(n_rows, model.schema_)
    if X is None:
        X, y = model.sample(n_rows, random_state)
    read, rng = Rows.read(model, X, y), np.random.default_rng(random_state)
    if len(read.seen) > n_rows:
        read = read.take(np.sort(rng.choice(len(read.seen), n_rows, replace=False)))
    schema = model.schema_
    if rbm is None:
        strength, signed = _by_deletion(read, rng)
    else:
        strength, signed = _from_weights(schema, rbm, model._complete_units(read.encoded))
    # Categories have no order, and so no direction.
    ordered = np.array([column.n_units == 1 for column in schema.columns])
    direction = np.where(ordered & ordered[:, None], np.sign(signed), 0).astype(np.int8)
    np.fill_diagonal(direction, 0)
    np.fill_diagonal(strength, 0.0)
    names = tuple(column.name for column in schema.columns)
    is_target = tuple(j >= len(schema.features) for j in range(len(names)))
    return Couplings(names, is_target, strength, direction, "weights" if rbm else "deletion")


def _from_weights(schema: Schema, rbm: RBM, completed: Units) -> tuple[Floats, Floats]:
    """Strengths averaged over machines, and the sums of the interactions of two columns."""
    weights = standardised_weights(schema, rbm)
    means = hidden_means(rbm, completed).astype(np.float64)
    curvature = (means * (1 - means)).mean(axis=0)  # (n_estimators, n_hidden)
    member = _membership(schema)
    strength = signed = np.zeros((len(schema.columns), len(schema.columns)))
    for of_machine, of_hidden in zip(weights, curvature, strict=True):
        roots = of_machine * np.sqrt(of_hidden)
        interaction = roots @ roots.T
        strength = strength + np.sqrt(member.T @ interaction**2 @ member) / len(weights)
        signed = signed + member.T @ interaction @ member
    # Products of matrices may be rounded differently above and below the diagonal.
    return (strength + strength.T) / 2, (signed + signed.T) / 2


def _by_deletion(read: Rows, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Mean absolute change of one column's prediction by another, and its sign by their values."""
    schema, n_columns = read.schema, len(read.schema.columns)
    given, member = read.hide(rng.random(read.seen.shape) < 0.5), _membership(schema)
    change, count, signed = (np.zeros((n_columns, n_columns)) for _ in range(3))
    deviation = unit_deviations(schema)
    for row, deleted in enumerate(given.deletions()):
        moved, missing = (deleted.whole.astype(np.float64) - deleted.without), ~given.seen[row]
        moved /= deviation
        entries = np.ix_(deleted.columns, missing)
        change[entries] += np.sqrt(moved**2 @ member)[:, missing]
        away = (given.encoded.values[row] - schema.marginals) @ member
        signed[entries] += (away[deleted.columns, None] * (moved @ member))[:, missing]
        count[entries] += 1
    mean = change / np.maximum(count, 1)
    # Of targets that are never observed only one direction is known.
    n_directions = (count > 0).astype(int) + (count.T > 0)
    return (mean + mean.T) / np.maximum(n_directions, 1), signed + signed.T


def _membership(schema: Schema) -> Floats:
    """1 where a unit belongs to a column, of shape (n_units, n_columns)."""
    return np.eye(len(schema.columns))[schema.unit_column]
