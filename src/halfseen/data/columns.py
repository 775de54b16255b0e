"""Column types, and how each is encoded in visible units and decoded from them.

=============  ============================================  ==========================
type           visible units                                 decoded to
=============  ============================================  ==========================
numeric        one Gaussian unit, standardised               a number within the range
log-numeric    one Gaussian unit, ``log(x + shift)``         a number within the range
ordinal        one Gaussian unit, rank among the categories  the nearest category
binary         one Bernoulli unit                            the more probable value
categorical    one unit per category                         the most probable category
ignored        none                                          nothing
=============  ============================================  ==========================
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Any, Literal, Self, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, model_validator

from halfseen.data.raw import Category, RawColumn, category_key, distinct_values, plain, read_column

ColumnType = Literal["numeric", "log-numeric", "ordinal", "binary", "categorical", "ignored"]
UnitKind = Literal["gaussian", "bernoulli", "categorical", "none"]

# Encoded values may lie this many standard deviations outside the training range.
_MARGIN = 1.0
# Differences of values beyond this scale may overflow; they are first divided by it, exactly.
_HUGE = 2.0**600
# A gross outlier lies this many robust standard deviations from the median, ...
_FAR = 20.0
# ... this many times as far as the next value, ...
_GAP = 5.0
# ... by a gap that a power-law tail with the index of the other values shows once in e**7 columns.
_TAIL_GAPS = 7.0
_FEWEST_FOR_OUTLIERS = 8
_UNITS = {
    "numeric": "gaussian", "log-numeric": "gaussian", "ordinal": "gaussian", "binary": "bernoulli",
    "categorical": "categorical bernoulli", "ignored": "none",
}  # fmt: skip


class Column(BaseModel):
    """What is learned of one column: its type, scale or categories, and visible units.

    Examples
    --------
    >>> colour = learn_column(["red", None, "blue", "red"], "colour", "categorical")
    >>> colour.categories
    ('blue', 'red')
    >>> values, observed = colour.encode(["red", None])
    >>> values.tolist(), observed.tolist()
    ([[0.0, 1.0], [0.0, 0.0]], [True, False])
    >>> colour.decode(np.array([[0.3, 0.7]]))
    array(['red'], dtype=object)
    """

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
    marginal: tuple[float, ...] = ()  # observed mean of each unit
    n_observed: Annotated[int, Field(ge=0)] = 0

    @model_validator(mode="after")
    def _check(self) -> Self:
        keys = {category_key(category) for category in self.categories}
        ranks = 0 <= self.low <= self.high <= len(keys) - 1
        shares = self.unit == "gaussian" or all(0 <= share <= 1 for share in self.marginal)
        problems = {
            f"has {self.unit!r} units": self.unit not in _UNITS[self.type].split(),
            "has a reason exactly if ignored": (self.reason is None) == (self.type == "ignored"),
            "has an empty range": self.low > self.high,
            "repeats a category": len(keys) != len(self.categories),
            "needs other categories": bool(self.categories) != self._has_categories,
            "has more than two values": self.type == "binary" and len(keys) > 2,
            "has a range beyond its categories": self.type == "ordinal" and not ranks,
            "has no logarithm": self.type == "log-numeric" and not self.low + self.shift > 0,
            "needs a marginal per unit": len(self.marginal) != self.n_units,
            "has a marginal outside [0, 1]": not shares,
        }
        for problem, found in problems.items():
            if found:
                raise ValueError(f"Column {self.name!r} of type {self.type!r} {problem}.")
        return self

    @property
    def _has_categories(self) -> bool:
        return self.type in ("ordinal", "categorical") or (
            self.type == "binary" and not self.graded
        )

    @property
    def n_units(self) -> int:
        """Number of visible units."""
        if self.type == "categorical":
            return len(self.categories)
        return int(self.type != "ignored")

    @property
    def is_number(self) -> bool:
        """Whether decoded values are numbers rather than categories."""
        return self.type in ("numeric", "log-numeric") or self.graded

    @cached_property
    def _positions(self) -> dict[str, int]:
        """Code of each key; booleans also match 0 and 1 and any case, and 0 and 1 booleans."""
        keys = list(map(category_key, self.categories))
        positions = {key: code for code, key in enumerate(keys)}
        for code, (category, key) in enumerate(zip(self.categories, keys, strict=True)):
            if isinstance(category, bool):
                for text in (str(int(category)), key.lower(), key.upper()):
                    positions.setdefault(text, code)
            elif set(keys) <= {"0", "1"}:
                positions.setdefault(str(key == "1"), code)
        return positions

    def encode(self, column: Any) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """Visible values, of shape (n_rows, n_units) and 0 where unobserved, and observed rows.

        Numbers far outside the training range are clipped. An unseen category is unobserved, and
        a UserWarning names it.
        """
        raw = column if isinstance(column, RawColumn) else read_column(column, self.name)
        values = np.zeros((len(raw), self.n_units), np.float32)
        if self.type == "ignored":
            return values, np.zeros(len(raw), bool)
        if not self._has_categories:
            return self._encode_numbers(raw, values)
        codes, unseen = raw.codes(self._positions)
        observed = raw.observed
        if unseen:
            self._warn_unseen(unseen, "not a category of the training table")
            observed = observed.copy()
            observed[observed] = codes >= 0
            codes = codes[codes >= 0]
        rows = np.flatnonzero(observed)
        if self.type == "categorical":
            values[rows, codes] = 1.0
        elif self.type == "binary":
            values[rows, 0] = codes == len(self.categories) - 1
        else:
            values[rows, 0] = self._standardised(codes.astype(np.float64))
        return values, observed

    def _encode_numbers(
        self, raw: RawColumn, values: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        numbers, observed = raw.numbers(self.name), raw.observed
        if not self.graded:
            values[observed, 0] = self._standardised(numbers)
            return values, observed
        inside = (numbers >= 0) & (numbers <= 1)
        if not inside.all():
            self._warn_unseen(np.unique(numbers[~inside]).tolist(), "outside [0, 1]")
            observed = observed.copy()
            observed[observed] = inside
        values[observed, 0] = numbers[inside]
        return values, observed

    def _warn_unseen(self, unseen: list[Any], why: str) -> None:
        shown = ", ".join(map(repr, unseen[:5])) + (", ..." if len(unseen) > 5 else "")
        warnings.warn(
            f"Column {self.name!r}: {shown} is {why} and taken as missing.",
            stacklevel=4,
        )

    def _unclipped(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        shrink = 1.0 / _HUGE if self.scale > _HUGE else 1.0
        with np.errstate(divide="ignore", over="ignore", under="ignore"):
            if self.type == "log-numeric":
                numbers = np.log(np.maximum(numbers, 0.0) + self.shift)
            return (numbers * shrink - self.centre * shrink) / (self.scale * shrink)

    @cached_property
    def _encoded_range(self) -> tuple[float, float]:
        low, high = self._unclipped(np.array([self.low, self.high]))
        return float(low), float(high)

    def _standardised(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        low, high = self._encoded_range
        return np.clip(self._unclipped(numbers), low - _MARGIN, high + _MARGIN)

    def decode(self, units: NDArray[Any], *, round_whole: bool = False) -> NDArray[Any]:
        """Values in the original scale as float64, or categories as objects; None if ignored.

        Numbers lie within the observed range. With `round_whole` they are rounded where all
        observed values are whole.
        """
        if self.type == "ignored":
            return np.full(len(units), None, dtype=object)
        if self.type == "categorical":
            return self._categories_at(np.argmax(units, axis=1))
        unit = np.asarray(units[:, 0], np.float64)
        if self.graded:
            return np.clip(unit, 0.0, 1.0)
        if self.type == "binary":
            return self._categories_at(np.where(unit >= 0.5, len(self.categories) - 1, 0))
        with np.errstate(over="ignore", under="ignore"):
            numbers = self.centre + self.scale * np.clip(unit, *self._encoded_range)
            if self.type == "log-numeric":
                numbers = np.exp(numbers) - self.shift
        numbers = np.clip(numbers, self.low, self.high)
        if self.type == "ordinal":
            return self._categories_at(np.rint(numbers).astype(np.int64))
        return np.rint(numbers) if round_whole and self.whole else numbers

    def _categories_at(self, codes: NDArray[np.int64]) -> NDArray[Any]:
        return np.array(self.categories, dtype=object)[codes]

    def probabilities(self, units: NDArray[Any]) -> NDArray[np.float64]:
        """Probability of each category, of shape (n_rows, n_categories), rows summing to one."""
        shares = np.clip(np.asarray(units, np.float64), 0.0, 1.0)
        if self.type == "binary":
            return np.hstack([1.0 - shares, shares])
        shares[shares.sum(axis=1) == 0] = 1.0
        return cast(NDArray[np.float64], shares / shares.sum(axis=1, keepdims=True))


def learn_column(
    column: Any,
    name: str | int,
    type: ColumnType,
    *,
    categories: Sequence[Any] | None = None,
    graded: bool = False,
    one_unit_per_class: bool = False,
    reason: str = "by request",
    outliers: list[tuple[str | int, int, float]] | None = None,
) -> Column:
    """Learn a column of a given type from its observed entries.

    Parameters
    ----------
    column : RawColumn or array-like of shape (n_rows,)
        The cells.
    name, type : str or int, str
        Name or position, and type.
    categories : sequence, optional
        Categories in order; by default the observed ones, sorted.
    graded : bool, default=False
        Whether a binary column may hold any number in [0, 1].
    one_unit_per_class : bool, default=False
        Whether categories are independent Bernoulli units rather than one categorical group.
    reason : str
        Why an ignored column is ignored.
    outliers : list, optional
        Receives (name, row, value) of each gross outlier; by default they raise a UserWarning.

    Returns
    -------
    Column
        The learned column.

    Examples
    --------
    >>> age = learn_column([31.0, None, 35.0], "age", "numeric")
    >>> age.centre, age.scale, age.whole
    (33.0, 2.0, True)
    """
    raw = column if isinstance(column, RawColumn) else read_column(column, name)
    n_observed = int(raw.observed.sum())
    if type == "ignored":
        return Column(name=name, type=type, unit="none", reason=reason, n_observed=n_observed)
    if raw.kind == "date":
        raise ValueError(
            f"Column {name!r} holds dates and cannot be {type}. Convert it to numbers first, "
            "for example days since a date, or let it be ignored."
        )
    if n_observed == 0 and categories is None:
        return Column(name=name, type="ignored", unit="none", reason="empty")
    if type in ("numeric", "log-numeric"):
        return _learn_numbers(raw, name, type, outliers)
    is_number = raw.kind in ("number", "bool") and raw.values.dtype != object
    if graded and is_number and raw.seen.min() >= 0 and raw.seen.max() <= 1:
        numbers = raw.numbers(name)
        return Column(
            name=name, type=type, unit="bernoulli", graded=True, low=0.0, high=1.0,
            marginal=(float(numbers.mean()),), n_observed=n_observed,
        )  # fmt: skip
    return _learn_categories(raw, name, type, categories, one_unit_per_class)


def gross_outliers(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Mark finite values that no tail of the others explains.

    Few values count as gross outliers: more than 20 robust standard deviations from the median,
    five times as far as all others, and by a gap that the tail index (Hill) of the others makes
    all but impossible. Where most values are equal, the rule sees the others alone.

    Examples
    --------
    >>> np.flatnonzero(gross_outliers(np.append(np.linspace(-1, 1, 50), 1e6)))
    array([50])
    """
    marked = np.zeros(len(values), dtype=bool)
    if len(values) < _FEWEST_FOR_OUTLIERS:
        return marked
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75], method="nearest")
    if low == high:
        rest = values != middle
        marked[rest] = gross_outliers(values[rest])
        return marked
    # Halves, because a difference of two huge values overflows.
    spread = (high / 2 - low / 2) / 1.349
    distance = np.abs(values / 2 - middle / 2)
    with np.errstate(over="ignore"):
        threshold = _FAR * spread
    if distance.max() <= threshold:
        return marked
    ordered = np.sort(distance)
    n_few = max(2 if len(values) >= 20 else 1, len(values) // 100)
    for n_out in range(n_few, 0, -1):
        others, first = ordered[:-n_out], ordered[-n_out]
        if first > threshold and _is_gap(others[others > 0], first):
            marked = distance >= first
            break
    return marked


def mean_and_scale(values: NDArray[np.float64]) -> tuple[float, float]:
    """Mean and standard deviation at any scale of float64; a constant has scale 1."""
    low, high = float(values.min()), float(values.max())
    if low == high:
        return low, 1.0
    exponent = int(np.frexp(max(-low, high))[1])
    exponent = exponent if abs(exponent) > 400 else 0
    with np.errstate(under="ignore"):
        near = np.ldexp(values, -exponent)
        mean = float(np.ldexp(near.mean(), exponent))
        scale = float(np.ldexp(near.std(), exponent))
    return min(max(mean, low), high), scale if scale > 0.0 else 1.0


def _is_gap(others: NDArray[np.float64], first: np.float64) -> bool:
    n_tail = min(max(5, len(others) // 20), len(others) - 1)
    if n_tail < 1:
        return False
    tail = np.log(others[-n_tail - 1 :])
    hill = float(tail[1:].mean() - tail[0])
    return bool(np.log(first) - tail[-1] > max(np.log(_GAP), _TAIL_GAPS * hill))


def _learn_numbers(raw: RawColumn, name: str | int, type: ColumnType, outliers: Any) -> Column:
    numbers = raw.numbers(name)
    shift, scaled = 0.0, numbers
    if type == "log-numeric":
        if numbers.min() < 0:
            position = int(np.argmin(numbers))
            raise ValueError(
                f"Column {name!r} cannot be log-numeric: row {raw.row(position)} holds "
                f"{numbers[position].item()!r}, which is below 0. Make the column numeric."
            )
        if numbers.min() == 0:
            counts = np.array_equal(numbers, np.floor(numbers))
            positive = numbers[numbers > 0] if not counts else np.ones(1)
            shift = float(np.quantile(positive, 0.01, method="nearest"))
        scaled = np.log(numbers + shift)
    out = gross_outliers(scaled)
    if out.any():
        found = [(name, raw.row(int(p)), numbers[p].item()) for p in np.flatnonzero(out)]
        warn_outliers(found) if outliers is None else outliers.extend(found)
    kept = numbers[~out]
    centre, scale = mean_and_scale(scaled[~out])
    return Column(
        name=name, type=type, unit="gaussian", centre=centre, scale=scale, shift=shift,
        low=float(kept.min()), high=float(kept.max()),
        whole=bool(np.array_equal(kept, np.floor(kept))),
        marginal=(0.0,), n_observed=len(numbers),
    )  # fmt: skip


def warn_outliers(found: list[tuple[str | int, int, float]]) -> None:
    """Name gross outliers in one UserWarning."""
    if not found:
        return
    shown = "; ".join(f"column {name!r}, row {row}: {value!r}" for name, row, value in found[:5])
    more = f"; and {len(found) - 5} more" if len(found) > 5 else ""
    warnings.warn(
        f"Gross outliers are left out of the scale of their columns: {shown}{more}. Correct "
        "them, or use NaN for missing.",
        stacklevel=3,
    )


def _learn_categories(
    raw: RawColumn,
    name: str | int,
    type: ColumnType,
    given: Sequence[Any] | None,
    one_unit_per_class: bool,
) -> Column:
    order = given if given is not None else raw.levels if type == "ordinal" else None
    values = sorted_categories(raw) if order is None else tuple(map(plain, order))
    positions = {category_key(value): code for code, value in enumerate(values)}
    if len(positions) != len(values):
        raise ValueError(f"Categories of column {name!r} repeat: {list(values)!r}.")
    if type == "binary" and len(values) > 2:
        raise ValueError(
            f"Column {name!r} cannot be binary: it has {len(values)} different values, among them "
            f"{', '.join(map(repr, values[:3]))}. Make it categorical, numeric or ordinal; "
            "numbers in [0, 1] are allowed too."
        )
    codes, unseen = raw.codes(positions)
    if unseen:
        raise ValueError(
            f"Column {name!r} holds {unseen[0]!r}, which is not among its categories "
            f"{list(values)!r}. Add it, or use NaN for missing."
        )
    if type == "ordinal":
        ranks = codes if len(codes) else np.arange(len(values))
        centre, scale = mean_and_scale(ranks.astype(np.float64))
        return Column(
            name=name, type=type, unit="gaussian", categories=values, centre=centre, scale=scale,
            low=float(ranks.min()), high=float(ranks.max()), marginal=(0.0,),
            n_observed=len(codes),
        )  # fmt: skip
    counts = np.bincount(codes, minlength=len(values)) if len(codes) else np.ones(len(values))
    shares = tuple((counts / counts.sum()).tolist())
    independent = type == "binary" or one_unit_per_class
    return Column(
        name=name, type=type, unit="bernoulli" if independent else "categorical",
        categories=values, marginal=shares[-1:] if type == "binary" else shares,
        n_observed=len(codes),
    )  # fmt: skip


def sorted_categories(raw: RawColumn) -> tuple[Category, ...]:
    """Distinct observed values by key: numbers in order, then text; booleans are both values."""
    if raw.kind == "bool":
        return (False, True)
    distinct: dict[str, Category] = {}
    for value in distinct_values(raw.seen)[0]:
        distinct.setdefault(category_key(value), value)
    return tuple(sorted(distinct.values(), key=lambda v: (isinstance(v, str), v)))
