"""The columns of features and targets, and their order in the visible layer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from halfseen.tables.column import Column
from halfseen.tables.column_document import column_from_document, column_to_document
from halfseen.tables.columns_summary import columns_summary
from halfseen.tables.encoded import Encoded
from halfseen.tables.encoding import warn_unseen
from halfseen.tables.raw_column import RawColumn
from halfseen.tables.table import Table
from halfseen.tables.target import Target
from halfseen.tables.write_units import Unseen, write_units

_BLOCKS = (("gaussian",), ("bernoulli", "independent"), ("softmax",))
_TARGET_KINDS = ("classes", "labels", "outputs")


@dataclass(frozen=True)
class Schema:
    """Features and targets as one visible layer.

    The visible units lie in three blocks: Gaussian units, then Bernoulli units, then softmax
    groups. Within a block features come first and targets after them, each in column order.

    Attributes
    ----------
    features : tuple of Column
        Learned feature columns.
    targets : tuple of Column
        Learned target columns, empty without a target.
    target_kind : {"classes", "labels", "outputs"} or None
        What the target is.

    Examples
    --------
    >>> from halfseen.tables import learn_columns, learn_target_columns, read_table, read_target
    >>> table, target = read_table([[1.0, "a"], [3.0, None]]), read_target(["no", "yes"])
    >>> schema = Schema(learn_columns(table), learn_target_columns(target), "classes")
    >>> schema.n_gaussian, schema.n_bernoulli, schema.group_sizes
    (1, 0, (1, 2))
    >>> schema.encode(table, target).visible
    array([[-1.,  1.,  1.,  0.],
           [ 1.,  0.,  0.,  1.]], dtype=float32)
    """

    features: tuple[Column, ...]
    targets: tuple[Column, ...]
    target_kind: str | None

    def __post_init__(self) -> None:
        if self.target_kind not in (None, *_TARGET_KINDS):
            raise ValueError(f"Unknown kind of target {self.target_kind!r}.")
        if (self.target_kind is None) != (not self.targets):
            raise ValueError("A schema has a kind of target exactly when it has target columns.")
        if self.target_kind == "classes" and len(self.targets) != 1:
            raise ValueError("Classes are a single target column.")
        unit = ("bernoulli",) if self.target_kind == "labels" else ("softmax", "independent")
        if any(column.unit not in unit for column in self.targets):
            raise ValueError(
                f"Targets of kind {self.target_kind!r} have units {' or '.join(unit)}."
            )
        if any(column.unit == "independent" for column in self.features):
            raise ValueError("Independent units belong to a target, not to a feature.")

    def __str__(self) -> str:
        return columns_summary(self.columns)

    @property
    def columns(self) -> tuple[Column, ...]:
        """All columns, features first."""
        return self.features + self.targets

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        starts, position = [0] * len(self.columns), 0
        for block in _BLOCKS:
            for j, column in enumerate(self.columns):
                if column.unit in block:
                    starts[j] = position
                    position += column.n_units
        return tuple(starts)

    def units(self, j: int) -> slice:
        """Visible units of column `j`, targets counted after the features."""
        return slice(self._starts[j], self._starts[j] + self.columns[j].n_units)

    def feature_units(self, j: int) -> slice:
        """Visible units of feature column `j`; an empty slice for an empty column."""
        return self.units(range(len(self.features))[j])

    def target_units(self, j: int) -> slice:
        """Visible units of target column `j`."""
        return self.units(len(self.features) + range(len(self.targets))[j])

    @property
    def n_gaussian(self) -> int:
        """Number of Gaussian units, the first block."""
        return sum(column.n_units for column in self.columns if column.unit in _BLOCKS[0])

    @property
    def n_bernoulli(self) -> int:
        """Number of Bernoulli units, the second block."""
        return sum(column.n_units for column in self.columns if column.unit in _BLOCKS[1])

    @property
    def group_sizes(self) -> tuple[int, ...]:
        """Sizes of the softmax groups, the third block."""
        return tuple(column.n_units for column in self.columns if column.unit in _BLOCKS[2])

    @property
    def n_visible(self) -> int:
        """Number of visible units."""
        return sum(column.n_units for column in self.columns)

    @cached_property
    def column_of_unit(self) -> NDArray[np.int64]:
        """Column of each unit, of shape (n_visible,): features first, targets after them."""
        owner = np.zeros(self.n_visible, dtype=np.int64)
        for j in range(len(self.columns)):
            owner[self.units(j)] = j
        owner.setflags(write=False)
        return owner

    @cached_property
    def is_target_unit(self) -> NDArray[np.bool_]:
        """Whether a unit belongs to a target, of shape (n_visible,)."""
        is_target: NDArray[np.bool_] = self.column_of_unit >= len(self.features)
        is_target.setflags(write=False)
        return is_target

    @cached_property
    def marginals(self) -> NDArray[np.float64]:
        """Observed marginal of each unit, of shape (n_visible,)."""
        marginals = np.zeros(self.n_visible)
        for j, column in enumerate(self.columns):
            marginals[self.units(j)] = column.marginal
        marginals.setflags(write=False)
        return marginals

    def encode(self, table: Table | None, target: Target | None) -> Encoded:
        """Turn a table and a target into one visible matrix beside `observed`.

        Parameters
        ----------
        table : Table or None
            The features; None leaves all their units unobserved.
        target : Target or None
            The target; None leaves all its units unobserved.

        Returns
        -------
        Encoded
            Visible values, 0 where unobserved, and `observed`.

        Warns
        -----
        UserWarning
            Once, naming categories never seen in training, numbers outside 0 to 1 in a binary
            column, and numbers below 0 in one on a log scale; they count as missing.

        Raises
        ------
        ValueError
            The columns or rows do not match, or a value does not fit its column.
        """
        encoded, unseen = self.write(table, target)
        warn_unseen(unseen)
        return encoded

    def write(self, table: Table | None, target: Target | None) -> tuple[Encoded, Unseen]:
        """What :meth:`encode` gives, and beside it what was never seen in training, unsaid."""
        raws = self.raw_columns(table, target)
        n_rows = next(part.n_rows for part in (table, target) if part is not None)
        places = [self.units(j) for j in range(len(self.columns))]
        return write_units(self.columns, places, raws, (n_rows, self.n_visible))

    def raw_columns(self, table: Table | None, target: Target | None) -> Iterator[RawColumn | None]:
        """The columns as they were read, targets after the features; None of what is not given.

        Raises
        ------
        ValueError
            The columns or rows do not match.
        """
        rows = [part.n_rows for part in (table, target) if part is not None]
        if not rows:
            raise ValueError("Nothing to encode: pass a table, a target, or both.")
        if len(set(rows)) > 1:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {rows}.")
        if table is not None and len(table.columns) != len(self.features):
            raise ValueError(
                f"X has {len(table.columns)} features, but Schema is expecting "
                f"{len(self.features)} features as input."
            )
        if target is not None and target.kind != self.target_kind:
            raise ValueError(f"y holds {target.kind}, but {self.target_kind} were learned.")
        if target is not None and len(target.columns) != len(self.targets):
            raise ValueError(
                f"y has {len(target.columns)} columns, but {len(self.targets)} were learned."
            )
        features: Iterable[RawColumn | None] = repeat(None, len(self.features))
        targets: Iterable[RawColumn | None] = repeat(None, len(self.targets))
        return chain(
            features if table is None else table.columns,
            targets if target is None else target.columns,
        )

    def feature_values(self, visible_mean: NDArray[Any]) -> list[NDArray[Any] | None]:
        """Predicted values of every feature column, as `fill_table` takes them.

        Parameters
        ----------
        visible_mean : ndarray of float, shape (n_rows, n_visible)
            Mean of every visible unit.

        Returns
        -------
        list of ndarray of shape (n_rows,) or None
            Numbers in their own units (on a log scale ``expm1`` of the mean), the probability of a
            binary column, the most probable category (an object array), None for an empty column.
        """
        values: list[NDArray[Any] | None] = []
        for j, column in enumerate(self.features):
            units = visible_mean[:, self.feature_units(j)]
            if column.kind == "empty":
                values.append(None)
            elif column.kind == "categorical":
                values.append(_objects(column)[np.argmax(units, axis=1)])
            elif column.kind == "binary":
                values.append(units[:, 0].astype(np.float64))
            else:
                values.append(column.destandardised(units[:, 0]))
        return values

    def target_probabilities(self, visible_mean: NDArray[Any]) -> list[NDArray[np.float64]]:
        """Predicted probabilities of every target column.

        Parameters
        ----------
        visible_mean : ndarray of float, shape (n_rows, n_visible)
            Mean of every visible unit.

        Returns
        -------
        list of ndarray
            Of shape (n_rows,) for a label, (n_rows, n_classes) with rows that sum to one for
            classes.
        """
        probabilities = []
        for j, column in enumerate(self.targets):
            units = visible_mean[:, self.target_units(j)].astype(np.float64).clip(0.0, 1.0)
            probabilities.append(units[:, 0] if column.unit == "bernoulli" else _normalised(units))
        return probabilities

    def sampled_features(self, visible: NDArray[Any]) -> NDArray[Any]:
        """Feature table of sampled visible rows.

        Parameters
        ----------
        visible : ndarray of float, shape (n_rows, n_visible)
            Sampled units, one-hot within every softmax group.

        Returns
        -------
        ndarray of shape (n_rows, n_features)
            float64, or object when a column holds text; empty columns are NaN or None.
        """
        has_text = any(column.holds_text for column in self.features)
        shape = (len(visible), len(self.features))
        table = np.full(shape, None, object) if has_text else np.full(shape, np.nan)
        for j, values in enumerate(self.feature_values(visible)):
            if values is not None:
                table[:, j] = values
        return table

    def log_scale(self, visible: NDArray[Any], observed: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Logarithm of raw units per unit of the observed Gaussian units, summed per row.

        Subtracted from a log density of standardised values it gives the one in raw units.

        Parameters
        ----------
        visible : ndarray of float, shape (n_rows, n_visible)
            Values of the visible units.
        observed : ndarray of bool, shape (n_rows, n_visible)
            True where a unit is observed.

        Returns
        -------
        ndarray of float64, shape (n_rows,)
            The sum of ``log(scale)``, and of ``log(1 + value)`` for columns on a log scale.
        """
        total = np.zeros(len(observed))
        gaussian = (column for column in self.features if column.unit == "gaussian")
        for unit, column in enumerate(gaussian):
            total += np.where(observed[:, unit], column.log_slope(visible[:, unit]), 0.0)
        return total

    def to_document(self) -> dict[str, Any]:
        """Return the schema as plain values that JSON can hold without loss."""
        return {
            "features": [column_to_document(column) for column in self.features],
            "targets": [column_to_document(column) for column in self.targets],
            "target_kind": self.target_kind,
        }

    @classmethod
    def from_document(cls, document: Any) -> Self:
        """Read a schema from a document, trusting nothing in it.

        Parameters
        ----------
        document : dict
            As `to_document` wrote it.

        Returns
        -------
        Schema
            The same schema.

        Raises
        ------
        ValueError
            The document is no schema.
        """
        fields = {"features", "targets", "target_kind"}
        if not isinstance(document, dict) or set(document) != fields:
            raise ValueError(f"A schema document must have exactly the fields {sorted(fields)}.")
        parts = (document["features"], document["targets"])
        if not all(isinstance(part, list | tuple) for part in parts):
            raise ValueError("Features and targets of a schema document must be lists.")
        kind = document["target_kind"]
        if kind is not None and not isinstance(kind, str):
            raise ValueError(f"The kind of target must be text or null, not {kind!r}.")
        features, targets = (tuple(map(column_from_document, part)) for part in parts)
        return cls(features, targets, kind)


def _objects(column: Column) -> NDArray[Any]:
    categories = np.empty(len(column.categories), dtype=object)
    categories[:] = column.categories
    return categories


def _normalised(units: NDArray[np.float64]) -> NDArray[np.float64]:
    total = units.sum(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares: NDArray[np.float64] = units / total
    return np.where(total > 0.0, shares, 1.0 / units.shape[1])
