"""Schema: the columns of a table and its target, and the visible units that encode them."""

from __future__ import annotations

import warnings
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple, Self, get_args

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, model_validator

from halfseen.data.columns import Column, Outlier, UnitKind, learn_column, sorted_categories
from halfseen.data.frames import Container, Table, Target, TargetType, check_target_type
from halfseen.data.infer import RequestedType, infer_type, requested_types
from halfseen.data.raw import Bools, Category, RawColumn, category_key, distinct_values, read_column

_BINARY = RequestedType("binary")
_BY_REQUEST = "by request"
_SHOWN = 10
# A target with more classes, each with few known entries, is likely a number or an identifier.
_MANY_CLASSES, _FEW_ENTRIES = 20, 5


class Encoded(NamedTuple):
    """Visible units, 0 where unobserved; both arrays have shape (n_rows, n_units), in C order."""

    values: NDArray[np.float32]
    observed: Bools


class Schema(BaseModel):
    """Columns of a training table and its target, and the visible units that encode them.

    All Gaussian units come first, then all Bernoulli units, then the categorical groups. Within a
    kind, units are in the order of the columns, features before targets.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    features: tuple[Column, ...]
    targets: tuple[Column, ...] = ()
    target_type: TargetType | None = None  # scikit-learn's name
    container: Container  # of the training table

    @model_validator(mode="after")
    def _check(self) -> Self:
        problems = {
            "no feature with units": not any(column.n_units for column in self.features),
            "targets without a type": bool(self.targets) != (self.target_type is not None),
            "a container of another width": len(self.container.dtypes) != len(self.features),
        }
        if found := [problem for problem, is_found in problems.items() if is_found]:
            raise ValueError(f"The schema has {found[0]}.")
        return self

    @property
    def has_feature_names(self) -> bool:
        """Whether features have names rather than positions."""
        return all(isinstance(column.name, str) for column in self.features)

    @property
    def target_names(self) -> list[str]:
        """Names of targets; a single one without a name is called "target"."""
        names = [column.name for column in self.targets]
        is_unnamed = len(names) == 1 and not isinstance(names[0], str)
        return ["target"] if is_unnamed else list(map(str, names))

    @property
    def columns(self) -> tuple[Column, ...]:
        """Features, then targets."""
        return self.features + self.targets

    @property
    def n_gaussian(self) -> int:
        """Number of Gaussian units."""
        return sum(c.n_units for c in self.columns if c.unit == "gaussian")

    @property
    def n_units(self) -> int:
        """Number of visible units."""
        return sum(column.n_units for column in self.columns)

    @cached_property
    def _order(self) -> list[int]:
        """Positions of columns in the order of their units."""
        kinds = get_args(UnitKind)
        return sorted(range(len(self.columns)), key=lambda j: kinds.index(self.columns[j].unit))

    @cached_property
    def _slices(self) -> list[slice]:
        ends = accumulate(self.columns[j].n_units for j in self._order)
        end_of = dict(zip(self._order, ends, strict=True))
        return [slice(end_of[j] - c.n_units, end_of[j]) for j, c in enumerate(self.columns)]

    def units_of(self, j: int) -> slice:
        """Visible units of column `j` of `columns`; empty if it is ignored."""
        return self._slices[j]

    @property
    def unit_column(self) -> NDArray[np.int64]:
        """Position in `columns` of the column of each unit, of shape (n_units,)."""
        return np.repeat(self._order, [self.columns[j].n_units for j in self._order])

    @property
    def target_units(self) -> NDArray[np.int64]:
        """Positions of the units of targets, ascending."""
        return np.flatnonzero(self.unit_column >= len(self.features))

    @property
    def marginals(self) -> NDArray[np.float32]:
        """Observed mean of each unit, of shape (n_units,)."""
        means = (mean for j in self._order for mean in self.columns[j].marginal)
        return np.fromiter(means, np.float32)

    def encode(self, table: Table, target: Target | None = None) -> Encoded:
        """Units of a table and its target; without a target, its units are unobserved."""
        raws = table.columns + (() if target is None else target.columns)
        for what, given, expected in (("X", table, self.features), ("y", target, self.targets)):
            n_columns = len(expected) if given is None else len(given.columns)
            if n_columns != len(expected):
                raise ValueError(f"{what} has {n_columns} columns instead of {len(expected)}.")
        values = np.zeros((table.n_rows, self.n_units), np.float32)
        observed = np.zeros((table.n_rows, self.n_units), dtype=bool)
        for column, units, raw in zip(self.columns, self._slices, raws, strict=False):
            if column.n_units:
                values[:, units], known = column.encode(raw)
                observed[:, units] = known[:, np.newaxis]
        return Encoded(values, observed)

    def decode(
        self, units: NDArray[Any], columns: str = "features", round_whole: bool = False
    ) -> list[NDArray[Any] | None]:
        """Values of each column from all visible units; None for an ignored column."""
        n = len(self.features)
        slices = self._slices[:n] if columns == "features" else self._slices[n:]
        return [
            column.decode(units[:, own], round_whole=round_whole) if column.n_units else None
            for column, own in zip(getattr(self, columns), slices, strict=True)
        ]

    def codes(self, target: Target) -> NDArray[np.float64]:
        """Codes of the classes of a target: -1 of those not trained on, NaN where unknown."""
        codes = np.full(target.observed.shape, np.nan)
        for own, raw, of_column in zip(self.targets, target.columns, codes.T, strict=False):
            of_column[raw.observed] = raw.codes(own.positions)[0]
        return codes

    def probabilities(self, units: NDArray[Any], j: int) -> NDArray[np.float64]:
        """Probability of each class of target `j`, of shape (n_rows, n_categories)."""
        return self.targets[j].probabilities(units[:, self._slices[len(self.features) + j]])


def learn_schema(
    table: Table, target: Target | None = None, feature_types: Any = "auto",
    target_type: str = "auto", one_unit_per_class: bool = False, classes: Any = None,
) -> Schema:  # fmt: skip
    """Learn the columns of a table and its target from their observed entries.

    `one_unit_per_class` makes more than two classes independent Bernoulli units. `classes`, of
    one target or a list for each (or None), are needed where the table may lack some of them.
    """
    outliers: list[Outlier] = []
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
        elif request == _BINARY and raw.kind == "number" and len(raw.seen) and not graded:
            categories = _label_categories(raw) if np.isin(raw.seen, (0, 1)).all() else None
        features.append(
            learn_column(
                raw, name, type, categories=categories, graded=graded and request == _BINARY,
                reason=reason or _BY_REQUEST, outliers=outliers, bounds=request.bounds,
            )
        )  # fmt: skip
    _warn_ignored(features)
    if outliers:
        shown = [f"column {name!r}, row {row}: {value!r}" for name, row, value in outliers[:5]]
        shown += [f"and {len(outliers) - 5} more"] if len(outliers) > 5 else []
        what = f"Gross outliers are left out of the scale of their columns: {'; '.join(shown)}"
        warnings.warn(f"{what}. Correct them, or use NaN for missing.", stacklevel=2)
    found, targets = _learn_targets(target, target_type, one_unit_per_class, classes)
    return Schema(
        features=tuple(features), targets=targets, target_type=found, container=table.container
    )


def _label_categories(raw: RawColumn) -> tuple[Category, ...]:
    """0 and 1 in the type of the column."""
    dtype = bool if raw.values.dtype == object else raw.values.dtype
    return tuple(np.array([0, 1]).astype(dtype).tolist())


def _warn_ignored(features: list[Column]) -> None:
    """Name the columns that no one asked to ignore, and refuse a table without others."""
    found = [column for column in features if column.reason not in (None, _BY_REQUEST)]
    shown = ", ".join(f"{column.name!r} ({column.reason})" for column in found[:_SHOWN])
    shown += f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    if all(column.reason for column in features):
        remedy = "Choose a type with feature_types, convert dates to numbers, or pass others."
        raise ValueError(f"No column of X can be modelled{f': {shown}' if found else ''}. {remedy}")
    remedy = " To model dates, convert them to numbers." * any(c.reason == "date" for c in found)
    if typed := [column.name for column in found if column.reason not in ("date", "empty")]:
        remedy = f" To model one, set its type: feature_types={{{typed[0]!r}: 'categorical'}}."
    if found:
        what = f"Columns pass through and are not modelled: {shown}"
        warnings.warn(f"{what}.{remedy}", stacklevel=3)


def _learn_targets(
    target: Target | None, target_type: str, one_unit_per_class: bool, classes: Any
) -> tuple[TargetType | None, tuple[Column, ...]]:
    if target is None:
        return None, ()
    found = check_target_type(target.columns, target.type if target_type == "auto" else target_type)
    given = _read_classes(classes, len(target.columns), found)
    if target_type == "auto" and any(given):
        found = check_target_type([g or raw for g, raw in zip(given, target.columns, strict=True)])
    is_multilabel = found == "multilabel-indicator"
    known = [raw for raw in target.columns if len(raw.seen)]
    if not known and (is_multilabel or not any(given)):
        raise ValueError("y has no known entry; a classifier needs at least two classes.")
    targets = []
    for j, (raw, of_target) in enumerate(zip(target.columns, given, strict=True)):
        if is_multilabel:
            categories = _label_categories(raw if len(raw.seen) else known[0])
        else:
            categories = sorted_categories(of_target or raw)
        if not categories:
            raise ValueError(f"Column {target.label(j)!r} of y has no known entry; leave it out.")
        if found == "binary" and len(categories) > 2:
            raise ValueError(f"y has {len(categories)} classes, but target_type is 'binary'.")
        two = len(categories) == 2 and found != "multiclass"
        targets.append(
            learn_column(
                raw, target.label(j), "binary" if two else "categorical", categories=categories,
                one_unit_per_class=one_unit_per_class,
            )
        )  # fmt: skip
        if is_multilabel or of_target is None or len(categories) < 2:
            is_alone = found in ("binary", "multiclass")
            _check_n_classes(raw, target.label(j), is_alone, target_type != "auto")
    return found, tuple(targets)


def _read_classes(classes: Any, n_targets: int, found: TargetType) -> list[RawColumn | None]:
    """Classes that are given for each target, None where there are none."""
    listed = [classes] if n_targets == 1 or classes is None else classes
    fit = len(listed) == n_targets and all(c is None or np.ndim(c) == 1 for c in listed)
    if classes is None or (found == "multilabel-indicator" and not fit):
        return [None] * n_targets
    if not fit:
        raise ValueError(f"y has {n_targets} columns; give classes as an array or None for each.")
    given = (c if c is None else list(c) for c in listed)
    return [read_column(c, "classes", parse_text=False, what="y") if c else None for c in given]


def _check_n_classes(raw: RawColumn, name: str | int, alone: bool, is_asked: bool) -> None:
    """Refuse or name a target with too few classes, or with so many that it is likely a number."""
    found = len({category_key(value) for value in distinct_values(raw.seen)[0]})
    if found < 2 and alone:
        raise ValueError("All known entries of y are of one class; a classifier needs two.")
    if 2 <= found <= max(_MANY_CLASSES, len(raw.seen) / _FEW_ENTRIES):
        return
    problem = f"has {'one class' if found else 'no known entry'}; nothing can be learned of it"
    if found >= 2:
        problem = f"has {found} classes among {len(raw.seen)} known entries"
        if raw.kind == "number" and not is_asked:
            remedy = "If it is a number, bin it, or make it a feature of X; if these are classes, "
            raise ValueError(f"Column {name!r} of y {problem}. {remedy}say so by target_type.")
    warnings.warn(f"Column {name!r} of y {problem}.", UserWarning, stacklevel=4)
