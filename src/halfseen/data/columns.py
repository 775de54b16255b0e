"""Column types, and how each is encoded in visible units and decoded from them.

=============  ============================================  ==========================
type           visible units                                 decoded to
=============  ============================================  ==========================
numeric        one Gaussian unit, standardised               a number within the range
log-numeric    one Gaussian unit, ``log(x + shift)``         a number within the range
ordinal        one Gaussian unit, rank among the categories  the nearest category
binary         one Bernoulli unit                            the more probable value; of
                                                             floats their expectation
categorical    one unit per category                         the most probable category
ignored        none                                          nothing
=============  ============================================  ==========================
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator

from halfseen.data.raw import Category, RawColumn, category_key, distinct_values, plain, read_column

ColumnType = Literal["numeric", "log-numeric", "ordinal", "binary", "categorical", "ignored"]
UnitKind = Literal["gaussian", "bernoulli", "categorical", "none"]
Outlier = tuple[str | int, int, float]  # name or position of the column, row, value

# Encoded values may lie this many standard deviations outside the training range.
_MARGIN = 1.0
# A gross outlier lies this many robust standard deviations from the median, ...
_FAR = 20.0
# ... this many times as far as the next value, ...
_GAP = 5.0
# ... by a gap that a power-law tail with the index of the other values shows once in e**7 columns.
_TAIL_GAPS = 7.0
_FEWEST_FOR_OUTLIERS = 8
_BOOLEANS = {"0": "False", "false": "False", "FALSE": "False"}
_BOOLEANS |= {"1": "True", "true": "True", "TRUE": "True"}
_UNITS = {
    "numeric": "gaussian", "log-numeric": "gaussian", "ordinal": "gaussian", "binary": "bernoulli",
    "categorical": "categorical bernoulli", "ignored": "none",
}  # fmt: skip


class Column(BaseModel):
    """What is learned of one column: its type, scale or categories, and visible units."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    name: Annotated[int, Field(ge=0)] | str  # the position, in a table without names
    type: ColumnType
    unit: UnitKind
    reason: str | None = None  # why a column is ignored
    centre: float = 0.0  # mean and ...
    scale: Annotated[float, Field(gt=0)] = 1.0  # ... standard deviation on the encoded scale
    shift: Annotated[float, Field(ge=0)] = 0.0  # added before the logarithm
    low: float = 0.0  # range of the observed values, of ranks if ordinal; like centre and scale ...
    high: float = 0.0  # ... without gross outliers
    whole: bool = False  # all observed values are whole numbers
    graded: bool = False  # a binary column of any numbers in [0, 1], such as grey levels
    categories: tuple[Category, ...] = ()  # original values in order
    marginal: tuple[Annotated[float, Field(ge=0, le=1)], ...] = ()  # observed mean of each unit
    n_observed: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _check(self) -> Self:
        has_none = self.is_number or self.type == "ignored"
        problems = {
            f"has {self.unit!r} units": self.unit not in _UNITS[self.type].split(),
            "has a reason exactly if ignored": (self.reason is None) == (self.type == "ignored"),
            "has an empty range": self.low > self.high,
            "needs other categories": bool(self.categories) == has_none,
            "has no logarithm": self.type == "log-numeric" and not self.low + self.shift > 0,
            "needs a marginal per unit": len(self.marginal) != self.n_units,
        }
        if found := [problem for problem, is_found in problems.items() if is_found]:
            raise ValueError(f"Column {self.name!r} of type {self.type!r} {found[0]}.")
        return self

    @property
    def n_units(self) -> int:
        """Number of visible units."""
        return len(self.categories) if self.type == "categorical" else int(self.type != "ignored")

    @property
    def is_number(self) -> bool:
        """Whether decoded values are numbers rather than categories."""
        return self.type in ("numeric", "log-numeric") or self.graded

    @cached_property
    def positions(self) -> dict[str, int]:
        """Code of each key; booleans also match 0 and 1 and any case, and 0 and 1 booleans."""
        positions = {category_key(value): code for code, value in enumerate(self.categories)}
        aliases = {"False": "0", "True": "1"} if positions.keys() <= {"0", "1"} else {}
        if any(isinstance(value, bool) for value in self.categories):
            aliases = _BOOLEANS
        found = {alias: positions[key] for alias, key in aliases.items() if key in positions}
        return found | positions

    def encode(self, column: Any) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Values of units, 0 where unobserved, and observed rows; warns of unknown categories."""
        raw = column if isinstance(column, RawColumn) else read_column(column, self.name)
        values = np.zeros((len(raw), self.n_units), np.float32)
        found: NDArray[Any]
        if self.is_number:
            found, why = raw.numbers(self.name), "outside [0, 1]"
            valid = (found >= 0) & (found <= 1) if self.graded else np.ones(len(found), bool)
            unseen = sorted(set(found[~valid].tolist())) if self.graded else []
        else:
            found, unseen = raw.codes(self.positions)
            valid, why = found >= 0, "not a category of the training table"
        if unseen:
            shown = ", ".join(map(repr, unseen[:5])) + (", ..." if len(unseen) > 5 else "")
            problem = f"{shown} is {why} and taken as missing"
            warnings.warn(f"Column {self.name!r}: {problem}.", stacklevel=3)
        observed = raw.observed.copy()
        observed[observed] = valid
        found = found[valid]
        if self.type == "categorical":
            values[observed, found] = 1.0
        elif self.type == "binary":
            values[observed, 0] = found if self.graded else found == len(self.categories) - 1
        else:
            low, high = self._encoded_range
            standardised = self._standardised(found.astype(np.float64))
            values[observed, 0] = standardised.clip(low - _MARGIN, high + _MARGIN)
        return values, observed

    def _standardised(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        # Halves, because a difference of two huge values overflows.
        half = 0.5 if self.scale > 1.0 else 1.0
        with np.errstate(divide="ignore", over="ignore", under="ignore"):
            if self.type == "log-numeric":
                numbers = np.log(np.maximum(numbers, 0.0) + self.shift)
            return np.divide(numbers * half - self.centre * half, self.scale * half)

    def _numbers(self, units: NDArray[Any]) -> NDArray[np.float64]:
        with np.errstate(over="ignore", under="ignore"):
            numbers = self.centre + self.scale * np.clip(units, *self._encoded_range)
            is_log = self.type == "log-numeric"
            return np.asarray(np.exp(numbers) - self.shift if is_log else numbers)

    @cached_property
    def _encoded_range(self) -> tuple[float, float]:
        low, high = self._standardised(np.array([self.low, self.high]))
        return float(low), float(high)

    def decode(self, units: NDArray[Any], *, round_whole: bool = False) -> NDArray[Any]:
        """Numbers within the observed range, rounded on request if whole; or categories."""
        unit = np.asarray(units[:, 0], np.float64)
        if self.graded:
            return np.clip(unit, 0.0, 1.0)
        if self.type == "categorical":
            codes = np.argmax(units, axis=1)
        elif self.type == "binary":
            floats = [value for value in self.categories if isinstance(value, float)]
            if floats and len(floats) == len(self.categories):
                return floats[0] + (floats[-1] - floats[0]) * np.clip(unit, 0.0, 1.0)
            codes = np.where(unit >= 0.5, len(self.categories) - 1, 0)
        else:
            numbers = np.clip(self._numbers(unit), self.low, self.high)
            if self.type != "ordinal":
                return np.rint(numbers) if round_whole and self.whole else numbers
            codes = np.rint(numbers).astype(np.int64)
        return np.asarray(np.array(self.categories, dtype=object)[codes])

    def error_size(self, error: float) -> float:
        """An error on the encoded scale in units of the column; on a log scale, a factor."""
        size = float(self.scale * error)
        return float(np.exp(size)) if self.type == "log-numeric" else size

    def nearest_unit(self, units: NDArray[Any]) -> NDArray[np.float32]:
        """Values of a Gaussian unit moved to the nearest ones that the column can take."""
        if self.whole or self.type == "ordinal":
            units = self._standardised(np.rint(self._numbers(units)))
        return np.asarray(np.clip(units, *self._encoded_range), np.float32)

    def probabilities(self, units: NDArray[Any]) -> NDArray[np.float64]:
        """Probability of each category, of shape (n_rows, n_categories), rows summing to one."""
        shares = np.clip(np.asarray(units, np.float64), 0.0, 1.0)
        if self.type == "binary":
            return np.hstack([1.0 - shares, shares])
        shares[shares.sum(axis=1) == 0] = 1.0
        return np.asarray(shares / shares.sum(axis=1, keepdims=True), np.float64)


def learn_column(
    column: Any, name: str | int, type: ColumnType, *, categories: Sequence[Any] | None = None,
    graded: bool = False, one_unit_per_class: bool = False, reason: str = "by request",
    outliers: list[Outlier] | None = None, bounds: tuple[float | None, float | None] = (None, None),
) -> Column:  # fmt: skip
    """Learn a column of a given type from its observed entries; `outliers` receives gross ones."""
    raw = column if isinstance(column, RawColumn) else read_column(column, name)
    about: dict[str, Any] = {"name": name, "type": type, "n_observed": len(raw.seen)}
    if type == "ignored":
        return Column(**about, unit="none", reason=reason)
    if raw.kind == "date":
        remedy = "Convert it to numbers first, for example days since a date, or let it be ignored."
        raise ValueError(f"Column {name!r} holds dates and cannot be {type}. {remedy}")
    if len(raw.seen) == 0 and categories is None:
        return Column(name=name, type="ignored", unit="none", reason="empty")
    if type in ("numeric", "log-numeric"):
        return _learn_numbers(raw, about, [] if outliers is None else outliers, bounds)
    is_number = raw.kind in ("number", "bool") and raw.values.dtype != object
    if graded and is_number and raw.seen.min() >= 0 and raw.seen.max() <= 1:
        mean = float(raw.numbers(name).mean())
        return Column(**about, unit="bernoulli", graded=True, high=1.0, marginal=(mean,))
    return _learn_categories(raw, about, categories, one_unit_per_class)


def _learn_numbers(
    raw: RawColumn, about: dict[str, Any], outliers: list[Outlier],
    bounds: tuple[float | None, float | None],
) -> Column:  # fmt: skip
    name, numbers = about["name"], raw.numbers(about["name"])
    low, high = (-np.inf if bounds[0] is None else bounds[0]), bounds[1]
    outside = (numbers < low) | (numbers > (np.inf if high is None else high))
    if outside.any():
        first = int(np.argmax(outside))
        problem = f"row {raw.row(first)} holds {numbers[first].item()!r}, outside {list(bounds)!r}"
        raise ValueError(f"Column {name!r}: {problem}. Correct it, or use NaN for missing.")
    shift, scaled, is_log = 0.0, numbers, about["type"] == "log-numeric"
    if is_log:
        if numbers.min() < 0:
            problem = f"row {raw.row(int(np.argmin(numbers)))} holds {numbers.min().item()!r}"
            raise ValueError(f"Column {name!r} cannot be log-numeric, as {problem}, below 0.")
        if numbers.min() == 0:
            counts = np.array_equal(numbers, np.floor(numbers))
            positive = np.ones(1) if counts else numbers[numbers > 0]
            shift = float(np.quantile(positive, 0.01, method="nearest"))
        scaled = np.log(numbers + shift)
    out = gross_outliers(scaled)
    outliers += [(name, raw.row(int(p)), numbers[p].item()) for p in np.flatnonzero(out)]
    kept = numbers[~out]
    centre, scale = mean_and_scale(scaled[~out])
    return Column(
        **about, unit="gaussian", centre=centre, scale=scale, shift=shift, marginal=(0.0,),
        low=float(low if np.isfinite(low) and (not is_log or low + shift > 0) else kept.min()),
        high=float(kept.max() if high is None else high),
        whole=bool(np.array_equal(kept, np.floor(kept))),
    )  # fmt: skip


def _learn_categories(
    raw: RawColumn, about: dict[str, Any], given: Sequence[Any] | None, one_unit_per_class: bool
) -> Column:
    name, type = about["name"], about["type"]
    order = given if given is not None else raw.levels if type == "ordinal" else None
    values = sorted_categories(raw) if order is None else tuple(map(plain, order))
    positions = {category_key(value): code for code, value in enumerate(values)}
    if len(positions) != len(values):
        raise ValueError(f"Categories of column {name!r} repeat: {list(values)!r}.")
    if type == "binary" and len(values) > 2:
        problem = f"Column {name!r} cannot be binary: it has {len(values)} different values"
        remedy = "Make it categorical, numeric or ordinal; numbers in [0, 1] are allowed too."
        raise ValueError(f"{problem}. {remedy}")
    codes, unseen = raw.codes(positions)
    if unseen:
        problem = f"{unseen[0]!r}, which is not among its categories {list(values)!r}"
        raise ValueError(f"Column {name!r} holds {problem}. Add it, or use NaN for missing.")
    if type == "ordinal":
        ranks = (codes if len(codes) else np.arange(len(values))).astype(np.float64)
        centre, scale = mean_and_scale(ranks)
        return Column(
            **about, unit="gaussian", categories=values, centre=centre, scale=scale,
            low=float(ranks.min()), high=float(ranks.max()), marginal=(0.0,),
        )  # fmt: skip
    counts = np.bincount(codes, minlength=len(values)) if len(codes) else np.ones(len(values))
    shares = tuple((counts / counts.sum()).tolist())
    if type == "binary":
        return Column(**about, unit="bernoulli", categories=values, marginal=shares[-1:])
    unit: UnitKind = "bernoulli" if one_unit_per_class else "categorical"
    return Column(**about, unit=unit, categories=values, marginal=shares)


def sorted_categories(raw: RawColumn) -> tuple[Category, ...]:
    """Distinct observed values by key: numbers in order, then text; booleans are both values."""
    if raw.kind == "bool":
        return (False, True)
    # The first value of a key stays.
    distinct = {category_key(value): value for value in reversed(distinct_values(raw.seen)[0])}
    return tuple(sorted(distinct.values(), key=lambda v: (isinstance(v, str), v)))


def gross_outliers(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Mark finite values that no tail of the others explains."""
    marked = np.zeros(len(values), dtype=bool)
    if len(values) < _FEWEST_FOR_OUTLIERS:
        return marked
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75], method="nearest")
    if low == high:  # most values are equal: judge the others alone
        rest = values != middle
        marked[rest] = gross_outliers(values[rest])
        return marked
    # Halves, because a difference of two huge values overflows.
    spread = (high / 2 - low / 2) / 1.349
    distance = np.abs(values / 2 - middle / 2)
    with np.errstate(over="ignore"):
        threshold = _FAR * spread
    ordered = np.sort(distance)
    n_few = max(2 if len(values) >= 20 else 1, len(values) // 100)
    for n_out in range(n_few, 0, -1):
        others, first = ordered[:-n_out], ordered[-n_out]
        if first > threshold and _is_gap(others[others > 0], first):
            return np.asarray(distance >= first)
    return marked


def _is_gap(others: NDArray[np.float64], first: np.float64) -> bool:
    """Whether the tail index (Hill) of the others makes the gap to the first outlier unlikely."""
    n_tail = min(max(5, len(others) // 20), len(others) - 1)
    if n_tail < 1:
        return False
    tail = np.log(others[-n_tail - 1 :])
    hill = float(tail[1:].mean() - tail[0])
    return bool(np.log(first) - tail[-1] > max(np.log(_GAP), _TAIL_GAPS * hill))


def mean_and_scale(values: NDArray[np.float64]) -> tuple[float, float]:
    """Mean and standard deviation at any scale of float64; a constant has scale 1."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        return low, 1.0
    largest = max(-low, high)
    unit = 1.0 if 1e-100 < largest < 1e100 else largest
    mean, scale = float((values / unit).mean() * unit), float((values / unit).std() * unit)
    return min(max(mean, low), high), scale if scale > 0.0 else 1.0
