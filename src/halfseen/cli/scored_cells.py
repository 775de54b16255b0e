"""How far the answers about hidden entries are from the truth, cell by cell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from halfseen.tables import Schema

CellKind = Literal["numbers", "categories", "labels"]
CELL_KINDS: tuple[CellKind, ...] = ("numbers", "categories", "labels")
_N_RESAMPLED = 500


@dataclass(frozen=True)
class ScoredCells:
    """Hidden cells of one kind, and how one method did on each.

    Attributes
    ----------
    kind : {"numbers", "categories", "labels"}
        Which cells: numbers, or categories and yes-or-no columns, among the features; labels.
    row, column : ndarray of int, shape (n_cells,)
        Where the cells are; columns count features first.
    loss : ndarray of float, shape (n_cells,)
        Squared error of a standardised number; for all others the squared distance of the
        probabilities from the truth (Brier).
    is_right : ndarray of bool, shape (n_cells,)
        Whether the decision is the truth; True for numbers.
    probability : ndarray of float, shape (n_cells,)
        Of the value that was decided for; 1 for numbers.

    Examples
    --------
    >>> cells = ScoredCells("numbers", np.array([0, 1]), np.array([0, 0]), np.array([0.0, 4.0]),
    ...                     np.ones(2, bool), np.ones(2))
    >>> cells.rmse
    1.4142135623730951
    """

    kind: CellKind
    row: NDArray[np.int64]
    column: NDArray[np.int64]
    loss: NDArray[np.float64]
    is_right: NDArray[np.bool_]
    probability: NDArray[np.float64]

    @property
    def rmse(self) -> float:
        """Root of the mean loss."""
        return float(np.sqrt(self.loss.mean())) if len(self.loss) else float("nan")

    @property
    def accuracy(self) -> float:
        """Share of cells that were decided right."""
        return float(self.is_right.mean()) if len(self.loss) else float("nan")

    def of_column(self, column: int) -> ScoredCells:
        """The cells of one column."""
        own = self.column == column
        parts = (self.row, self.column, self.loss, self.is_right, self.probability)
        return ScoredCells(self.kind, *(part[own] for part in parts))


def score_cells(
    schema: Schema,
    kind: CellKind,
    truth: NDArray[Any],
    hidden: NDArray[np.bool_],
    units: NDArray[np.float64],
) -> ScoredCells:
    """Compare answers with what was hidden.

    Parameters
    ----------
    schema : Schema
        What the units are.
    kind : {"numbers", "categories", "labels"}
        Which cells.
    truth : ndarray of shape (n_rows, n_visible)
        True values of the units.
    hidden : ndarray of bool, shape (n_rows, n_visible)
        True where a known unit was hidden.
    units : ndarray of shape (n_rows, n_visible)
        The answers.

    Returns
    -------
    ScoredCells

    Examples
    --------
    >>> from halfseen.tables import learn_columns, read_table
    >>> table = read_table([[1.0], [3.0]])
    >>> schema = Schema(learn_columns(table), (), None)
    >>> truth = schema.encode(table, None).visible
    >>> score_cells(schema, "numbers", truth, np.ones((2, 1), bool), np.zeros((2, 1))).loss
    array([1., 1.])
    """
    parts: list[tuple[NDArray[np.float64], ...]] = [(np.zeros(0),) * 5]
    for j, column in enumerate(schema.columns):
        is_label = j >= len(schema.features)
        own = schema.target_units(j - len(schema.features)) if is_label else schema.feature_units(j)
        if column.kind == "empty" or kind != _kind_of(column.unit, is_label):
            continue
        rows = np.flatnonzero(hidden[:, own.start])
        true, said = truth[rows, own].astype(np.float64), units[rows, own]
        where = (rows.astype(np.float64), np.full(len(rows), float(j)))
        if kind == "numbers":
            error = (true[:, 0] - said[:, 0]) ** 2
            parts.append((*where, error, np.ones(len(rows)), np.ones(len(rows))))
            continue
        if column.unit == "bernoulli":
            true = np.hstack([1 - true, true])
            said = np.hstack([1 - said, said])
        said = _shares(said)
        decided = said.argmax(axis=1)
        right = true[np.arange(len(rows)), decided] > 0.5
        brier = ((true - said) ** 2).sum(axis=1)
        parts.append((*where, brier, right.astype(np.float64), said.max(axis=1, initial=0.0)))
    row, place, loss, right, probability = (np.concatenate(p) for p in zip(*parts, strict=True))
    return ScoredCells(
        kind, row.astype(np.int64), place.astype(np.int64), loss, right > 0.5, probability
    )


def loss_difference(ours: ScoredCells, theirs: ScoredCells, seed: int) -> tuple[float, float]:
    """Bounds of 95 % for the mean of our loss minus theirs on the same cells.

    Rows are drawn again with replacement, since cells of one row err together.

    Parameters
    ----------
    ours, theirs : ScoredCells
        Of the same cells.
    seed : int
        Seed of the draws.

    Returns
    -------
    lower, upper : float
        Both below 0 if ours is clearly better.

    Examples
    --------
    >>> rows = np.arange(100)
    >>> def with_loss(loss):
    ...     fill = np.full(100, loss)
    ...     return ScoredCells("numbers", rows, 0 * rows, fill, fill > 0, fill)
    >>> loss_difference(with_loss(1.0), with_loss(2.0), 0)
    (-1.0, -1.0)
    """
    _, row = np.unique(ours.row, return_inverse=True)
    difference = np.bincount(row, weights=ours.loss - theirs.loss)
    n_cells = np.bincount(row)
    generator = np.random.default_rng(seed)
    drawn = generator.integers(len(difference), size=(_N_RESAMPLED, len(difference)))
    means = difference[drawn].sum(axis=1) / n_cells[drawn].sum(axis=1)
    lower, upper = np.quantile(means, [0.025, 0.975])
    return float(lower), float(upper)


def _kind_of(unit: str, is_label: bool) -> CellKind:
    if is_label:
        return "labels"
    return "numbers" if unit == "gaussian" else "categories"


def _shares(said: NDArray[np.float64]) -> NDArray[np.float64]:
    """Answers as probabilities: regressions may say less than nothing and more than everything."""
    inside = np.clip(np.nan_to_num(said), 0.0, 1.0)
    total = inside.sum(axis=1, keepdims=True)
    return np.where(total > 0, inside / np.where(total > 0, total, 1.0), 1.0 / said.shape[1])
