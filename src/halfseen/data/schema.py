"""Schema: the columns of a table and its target, and the visible units that encode them."""

from __future__ import annotations

import json
import warnings
from functools import cached_property
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, model_validator

from halfseen.data.columns import Column, learn_column, sorted_categories, warn_outliers
from halfseen.data.frames import Container, Table, Target, TargetType, check_target_type
from halfseen.data.infer import RequestedType, infer_type, requested_types
from halfseen.data.raw import Category, RawColumn

_BINARY = RequestedType("binary")
_BY_REQUEST = "by request"
_SHOWN = 10
# A target with more classes, each with few known entries, is likely a number or an identifier.
_MANY_CLASSES, _FEW_ENTRIES = 20, 5


class Encoded(NamedTuple):
    """Visible units, 0 where unobserved; both arrays have shape (n_rows, n_units), in C order."""

    values: NDArray[np.float32]
    observed: NDArray[np.bool_]


class Schema(BaseModel):
    """Columns of a training table and its target, and the visible units that encode them.

    All Gaussian units come first, then all Bernoulli units, then the categorical groups. Within a
    kind, units are in the order of the columns, features before targets.

    Examples
    --------
    >>> from halfseen.data.frames import read_table, read_target
    >>> table = read_table([["red", 1.5], ["blue", None], ["red", 2.5]])
    >>> schema = learn_schema(table, read_target(["yes", None, "no"]))
    >>> [column.type for column in schema.columns], schema.units_of(0)
    (['binary', 'numeric', 'binary'], slice(1, 2, None))
    >>> schema.encode(table).observed.tolist()
    [[True, True, False], [False, True, False], [True, True, False]]
    >>> Schema.from_document(schema.model_dump(mode="json")) == schema
    True
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    features: tuple[Column, ...]
    targets: tuple[Column, ...] = ()
    target_type: TargetType | None = None  # scikit-learn's name
    has_feature_names: bool  # names rather than positions
    has_target_names: bool
    container: Container  # of the training table

    @model_validator(mode="after")
    def _check(self) -> Self:
        alone = self.target_type in ("binary", "multiclass")
        classes = all(c.type in ("binary", "categorical") and not c.graded for c in self.targets)
        names = all(isinstance(c.name, str) == self.has_feature_names for c in self.features)
        for holds, problem in (
            (any(column.n_units for column in self.features), "no feature with units"),
            (bool(self.targets) == (self.target_type is not None), "targets without a type"),
            (len(self.targets) == 1 or not alone, "more than one target"),
            (classes, "a target without classes"),
            (names, "names that are not text"),
            (len(self.container.dtypes) == len(self.features), "a container of another width"),
        ):
            if not holds:
                raise ValueError(f"The schema has {problem}.")
        return self

    @classmethod
    def from_document(cls, document: dict[str, Any]) -> Schema:
        """Validate what ``model_dump(mode="json")`` gave; lists become tuples."""
        return cls.model_validate_json(json.dumps(document))

    @property
    def columns(self) -> tuple[Column, ...]:
        """Features, then targets."""
        return self.features + self.targets

    def _of_kind(self, unit: str) -> list[int]:
        """Number of units of each column of a kind."""
        return [column.n_units for column in self.columns if column.unit == unit]

    @property
    def n_gaussian(self) -> int:
        """Number of Gaussian units."""
        return sum(self._of_kind("gaussian"))

    @property
    def n_bernoulli(self) -> int:
        """Number of Bernoulli units."""
        return sum(self._of_kind("bernoulli"))

    @property
    def group_sizes(self) -> tuple[int, ...]:
        """Number of units of each categorical group."""
        return tuple(self._of_kind("categorical"))

    @property
    def n_units(self) -> int:
        """Number of visible units."""
        return self.n_gaussian + self.n_bernoulli + sum(self.group_sizes)

    @cached_property
    def _slices(self) -> tuple[slice, ...]:
        slices, start = [slice(0, 0)] * len(self.columns), 0
        for kind in ("gaussian", "bernoulli", "categorical"):
            for j, column in enumerate(self.columns):
                if column.unit == kind:
                    slices[j] = slice(start, start + column.n_units)
                    start += column.n_units
        return tuple(slices)

    def units_of(self, j: int) -> slice:
        """Visible units of column `j` of `columns`; empty if it is ignored."""
        return self._slices[j]

    @property
    def unit_column(self) -> NDArray[np.int64]:
        """Position in `columns` of the column of each unit, of shape (n_units,)."""
        positions = np.empty(self.n_units, np.int64)
        for j, units in enumerate(self._slices):
            positions[units] = j
        return positions

    @property
    def feature_units(self) -> NDArray[np.int64]:
        """Positions of the units of features, ascending."""
        return np.flatnonzero(self.unit_column < len(self.features))

    @property
    def target_units(self) -> NDArray[np.int64]:
        """Positions of the units of targets, ascending."""
        return np.flatnonzero(self.unit_column >= len(self.features))

    @property
    def marginals(self) -> NDArray[np.float32]:
        """Observed mean of each unit, of shape (n_units,)."""
        marginals = np.empty(self.n_units, np.float32)
        for units, column in zip(self._slices, self.columns, strict=True):
            marginals[units] = column.marginal
        return marginals

    def encode(self, table: Table, target: Target | None = None) -> Encoded:
        """Units of a table with the columns of the training table, and of its target.

        Without a target, the units of targets are unobserved.
        """
        if len(table.columns) != len(self.features):
            raise ValueError(
                f"X has {len(table.columns)} features, but {type(self).__name__} is expecting "
                f"{len(self.features)} features as input."
            )
        raws = table.columns
        if target is not None:
            if len(target.columns) != len(self.targets):
                expected = len(self.targets)
                raise ValueError(f"y has {len(target.columns)} columns instead of {expected}.")
            if target.n_rows != table.n_rows:
                sizes = [table.n_rows, target.n_rows]
                raise ValueError(
                    f"Found input variables with inconsistent numbers of samples: {sizes}"
                )
            raws += target.columns
        values = np.zeros((table.n_rows, self.n_units), np.float32)
        observed = np.zeros((table.n_rows, self.n_units), dtype=bool)
        for column, units, raw in zip(self.columns, self._slices, raws, strict=False):
            if column.n_units:
                values[:, units], known = column.encode(raw)
                observed[:, units] = known[:, np.newaxis]
        return Encoded(values, observed)

    def decode(
        self,
        units: NDArray[Any],
        columns: Literal["features", "targets"] = "features",
        round_whole: bool = False,
    ) -> list[NDArray[Any] | None]:
        """Values of each column, of shape (n_rows,), from means or samples of all visible units.

        Numbers are float64, categories objects; an ignored column is None. With `round_whole`,
        numbers are rounded where all observed values are whole.
        """
        first = 0 if columns == "features" else len(self.features)
        decoded = []
        for j, column in enumerate(getattr(self, columns), start=first):
            mine = units[:, self._slices[j]]
            decoded.append(column.decode(mine, round_whole=round_whole) if column.n_units else None)
        return decoded

    def probabilities(self, units: NDArray[Any], j: int) -> NDArray[np.float64]:
        """Probability of each class of target `j`, of shape (n_rows, n_categories)."""
        return self.targets[j].probabilities(units[:, self._slices[len(self.features) + j]])


def learn_schema(
    table: Table,
    target: Target | None = None,
    feature_types: Any = "auto",
    target_type: str = "auto",
    one_unit_per_class: bool = False,
) -> Schema:
    """Learn the columns of a table and its target from their observed entries.

    Parameters
    ----------
    table : Table
        The training table.
    target : Target, optional
        Its target.
    feature_types : str, sequence or mapping, default="auto"
        Types of columns, as in `requested_types`.
    target_type : str, default="auto"
        scikit-learn's name for the type of target; by default the one it was read with.
    one_unit_per_class : bool, default=False
        Whether more than two classes are independent Bernoulli units, not a categorical group.

    Returns
    -------
    Schema
        The columns and their units.

    Examples
    --------
    >>> from halfseen.data.frames import read_table
    >>> table = read_table([[1, 20.5], [0, 21.0], [1, None]])
    >>> schema = learn_schema(table, feature_types={1: "ordinal"})
    >>> [column.type for column in schema.features]
    ['binary', 'ordinal']
    """
    outliers: list[tuple[str | int, int, float]] = []
    requests = requested_types(feature_types, table.names, len(table.columns))
    asked = list(zip(table.columns, requests, strict=True))
    # If one column holds grey levels, those that hold just 0 and 1 in training may do so later.
    graded = any(
        request == _BINARY and raw.kind == "number" and ((raw.seen > 0) & (raw.seen < 1)).any()
        for raw, request in asked
    )
    features = []
    for j, (raw, request) in enumerate(asked):
        name, categories, reason = table.label(j), request.categories, None
        type: Any = request.type
        if type == "auto":
            type, reason = infer_type(raw, name)
        elif request == _BINARY and not graded and _holds_labels(raw):
            categories = _label_categories(raw)
        features.append(
            learn_column(
                raw, name, type, categories=categories, graded=graded and request == _BINARY,
                reason=reason or _BY_REQUEST, outliers=outliers,
            )
        )  # fmt: skip
    _warn_ignored(features)
    warn_outliers(outliers)
    found: TargetType | None = None
    if target is not None:
        asked_type = target.type if target_type == "auto" else target_type
        found = check_target_type(target.columns, asked_type)
    return Schema(
        features=tuple(features), target_type=found,
        targets=_learn_targets(target, found, one_unit_per_class) if target and found else (),
        has_feature_names=table.names is not None,
        has_target_names=target is not None and target.names is not None,
        container=table.container,
    )  # fmt: skip


def _holds_labels(raw: RawColumn) -> bool:
    return raw.kind == "number" and bool(len(raw.seen) and np.isin(raw.seen, (0, 1)).all())


def _label_categories(raw: RawColumn) -> tuple[Category, ...]:
    """0 and 1 in the type of the column."""
    if raw.values.dtype.kind in "bO":
        return (False, True)
    return (0.0, 1.0) if raw.values.dtype.kind == "f" else (0, 1)


def _warn_ignored(features: list[Column]) -> None:
    """Name the columns that no one asked to ignore, and refuse a table without others."""
    found = [column for column in features if column.reason not in (None, _BY_REQUEST)]
    shown = ", ".join(f"{column.name!r} ({column.reason})" for column in found[:_SHOWN])
    shown += f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    if all(column.type == "ignored" for column in features):
        raise ValueError(
            f"No column of X can be modelled{f': {shown}' if found else ''}. Choose a type with "
            "feature_types, convert dates to numbers, or pass other columns."
        )
    typed = [column.name for column in found if column.reason not in ("date", "empty")]
    remedy = f"choose a type, as in feature_types={{{typed[0]!r}: 'categorical'}}" if typed else ""
    if found:
        warnings.warn(
            f"Columns pass through and are not modelled: {shown}. To model one, "
            f"{remedy or 'convert dates to numbers'}.",
            stacklevel=3,
        )


def _learn_targets(
    target: Target, target_type: TargetType, one_unit_per_class: bool
) -> tuple[Column, ...]:
    known = [raw for raw in target.columns if raw.observed.any()]
    if not known:
        raise ValueError("y has no known entry; a classifier needs at least two classes.")
    targets = []
    for j, raw in enumerate(target.columns):
        if target_type == "multilabel-indicator":
            categories = _label_categories(raw if raw.observed.any() else known[0])
        else:
            categories = sorted_categories(raw)
        if not categories:
            raise ValueError(f"Column {target.label(j)!r} of y has no known entry; leave it out.")
        if target_type == "binary" and len(categories) > 2:
            raise ValueError(f"y has {len(categories)} classes, but target_type is 'binary'.")
        two = len(categories) == 2 and target_type != "multiclass"
        column = learn_column(
            raw, target.label(j), "binary" if two else "categorical", categories=categories,
            one_unit_per_class=one_unit_per_class,
        )  # fmt: skip
        _check_classes(column, alone=target_type in ("binary", "multiclass"))
        targets.append(column)
    return tuple(targets)


def _check_classes(column: Column, alone: bool) -> None:
    shares = column.marginal
    shares += (1.0 - shares[0],) if column.type == "binary" else ()
    found = sum(share > 0 for share in shares) if column.n_observed else 0
    if found < 2 and alone:
        raise ValueError("All known entries of y are of one class; a classifier needs two.")
    problem = ""
    if found < 2:
        problem = f"has {'one class' if found else 'no known entry'}; nothing can be learned of it"
    elif found > max(_MANY_CLASSES, column.n_observed / _FEW_ENTRIES):
        problem = (
            f"has {found} classes among {column.n_observed} known entries. If it is a number, bin "
            "it, or make it a feature of X"
        )
    if problem:
        warnings.warn(f"Column {column.name!r} of y {problem}.", UserWarning, stacklevel=4)
