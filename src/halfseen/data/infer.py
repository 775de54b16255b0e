"""The one rule for the type of a column, for Python and the command line alike."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from halfseen.data.columns import ColumnType, gross_outliers
from halfseen.data.raw import RawColumn, read_column

TYPES: tuple[str, ...] = ("auto", *get_args(ColumnType))

# Words of a name, after it is split at underscores, blanks, digits and capitals.
_IDENTIFIER = re.compile(
    "ids?|uuid|guid|key|index|idx|rowid|serial|name|host|hostname|mac|ip|email|url|unnamed"
)
_CODE = re.compile("codes?|type|class|zip|postcode|category|kind")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ISO_DATE = re.compile(
    r"\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
    r"([T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?( ?(Z|UTC|[+-]\d{2}:?\d{2}))?)?"
)
_FEWEST_FOR_IDENTIFIER = 10
_NEARLY_ALL = 0.9
_MOST_CATEGORIES = 1000
_MOST_CODES = 20
# Two values that are not neighbours, such as 0 and 255, are binary if neither is rare.
_FEWEST_OF_EACH, _LEAST_SHARE = 5, 0.01
# A log scale is for skewness beyond this (an exponential distribution has 2), ...
_SKEWNESS = 3.0
# ... which the logarithm brings below this share of it, ...
_LOG_SKEWNESS = 0.4
# ... where the central 90 % span a factor of 30, or a count reaches this maximum.
_SPAN = 30.0
_HIGHEST_COUNT = 10.0
_FEWEST_FOR_LOG = 20


class InferredType(NamedTuple):
    """A column type, and for an ignored column the reason."""

    type: ColumnType
    reason: str | None = None


def infer_type(values: Any, name: str | int | None = None) -> InferredType:
    """Infer the type of a column from its observed values and its name, unless it is a position.

    1. Nothing is observed: ignored, "empty". Else the first of these that holds decides.
    2. A date type, or text in which every value is an ISO date: ignored, "date".
    3. A boolean type: binary. An ordered categorical type: ordinal. Another categorical type:
       categorical. Text counts as numbers when every value writes one without leading zeros.
    4. Numbers. Whole ones, nearly all distinct, with a name such as "id" or "customerId":
       ignored, "identifier". Two neighbouring whole numbers, -1 and 1, or any two numbers
       neither of which is rare: binary. At most 20 whole values with a name such as "code" or
       "type": categorical. Clearly skewed values not below 0 and not confined to [0, 1],
       nearly symmetric after the logarithm, and skewed counts: log-numeric. All others: numeric.
    5. Text. One value: ignored, "constant text". Two: binary. Nearly all distinct, or with an
       identifier's name at least half: ignored, "identifier". More than 1,000 different:
       ignored, "too many categories". All others: categorical.
    """
    raw = values if isinstance(values, RawColumn) else read_column(values, name)
    if not raw.observed.any():
        return InferredType("ignored", "empty")
    if raw.kind == "date":
        return InferredType("ignored", "date")
    if raw.kind in ("bool", "category"):
        of_category: ColumnType = "categorical" if raw.levels is None else "ordinal"
        return InferredType("binary" if raw.kind == "bool" else of_category)
    return (_infer_numbers if raw.kind == "number" else _infer_text)(raw, name)


def _names(name: str | int | None, words: re.Pattern[str]) -> bool:
    """Whether a word of the name is one of these words."""
    found = _WORD.findall(name) if isinstance(name, str) else []
    return any(words.fullmatch(word.lower()) for word in found)


def _infer_text(raw: RawColumn, name: str | int | None) -> InferredType:
    distinct = set(raw.seen.tolist())
    if all(isinstance(cell, str) and _ISO_DATE.fullmatch(cell.strip()) for cell in distinct):
        return InferredType("ignored", "date")
    if len(distinct) == 1:
        return InferredType("ignored", "constant text")
    if len(distinct) == 2:
        return InferredType("binary")
    needed = 0.5 if _names(name, _IDENTIFIER) else _NEARLY_ALL
    if len(raw.seen) >= _FEWEST_FOR_IDENTIFIER and len(distinct) >= needed * len(raw.seen):
        return InferredType("ignored", "identifier")
    if len(distinct) > _MOST_CATEGORIES:
        return InferredType("ignored", "too many categories")
    return InferredType("categorical")


def _infer_numbers(raw: RawColumn, name: str | int | None) -> InferredType:
    seen = raw.seen
    low, high = seen.min(), seen.max()
    if low == high:
        return InferredType("numeric")
    whole = seen.dtype.kind in "iu" or bool((seen == np.floor(seen)).all())
    named = _names(name, _IDENTIFIER) and len(seen) >= _FEWEST_FOR_IDENTIFIER
    if whole and named and len(np.unique(seen)) >= _NEARLY_ALL * len(seen):
        return InferredType("ignored", "identifier")
    n_low, n_high = np.count_nonzero(seen == low), np.count_nonzero(seen == high)
    if n_low + n_high == len(seen):
        adjacent = whole and (float(high) - float(low) == 1.0 or (low == -1 and high == 1))
        if adjacent or min(n_low, n_high) >= max(_FEWEST_OF_EACH, _LEAST_SHARE * len(seen)):
            return InferredType("binary")
    if whole and _names(name, _CODE) and len(np.unique(seen)) <= _MOST_CODES:
        return InferredType("categorical")
    return InferredType("log-numeric" if is_log_scaled(raw.numbers("")) else "numeric")


def is_log_scaled(numbers: NDArray[np.float64]) -> bool:
    """Whether numbers are clearly more regular on a log scale; gross outliers do not decide."""
    # A cheap necessary condition first: most columns end here.
    if len(numbers) < _FEWEST_FOR_LOG or numbers.min() < 0 or _skewness(numbers) <= _SKEWNESS:
        return False
    kept = numbers[~gross_outliers(numbers)]
    skewness, positive = _skewness(kept), kept[kept > 0]
    if skewness <= _SKEWNESS:
        return False
    if np.array_equal(kept, np.floor(kept)):
        # Counts that are mostly zero stay skewed.
        return bool(kept.max() >= _HIGHEST_COUNT) and abs(_skewness(np.log1p(kept))) < skewness
    # Zeros are allowed as values below a detection limit, not as the common case. Numbers within
    # [0, 1] are shares or were rescaled.
    if len(positive) < max(_FEWEST_FOR_LOG, 0.8 * len(kept)) or kept.max() <= 1.0:
        return False
    logs = np.log(positive)
    low, high = np.quantile(logs, [0.05, 0.95], method="nearest")
    return bool(high - low > np.log(_SPAN)) and abs(_skewness(logs)) < _LOG_SKEWNESS * skewness


def _skewness(values: NDArray[np.float64]) -> float:
    """Skewness; values are first mapped to 0 to 1, so that no power overflows."""
    low, high = values.min() / 2, values.max() / 2
    if low == high:
        return 0.0
    away = (values / 2 - low) / (high - low)
    away -= away.mean()
    return float(np.mean(away * away * away) / away.std() ** 3)  # ten times as fast as away**3


class RequestedType(NamedTuple):
    """A type as a user asks for it: "auto" or a column type, with categories or bounds, or None."""

    type: str
    categories: tuple[Any, ...] | None = None  # in order
    bounds: tuple[float | None, float | None] = (None, None)


def requested_types(
    feature_types: Any, names: Sequence[str] | None, n_columns: int
) -> list[RequestedType]:
    """Read `feature_types`: one type, one per column, or a mapping from name or position to type.

    A type is "auto", a column type, or a pair: ("ordinal", [categories in order]), or ("numeric",
    [low, high]) with the bounds of a column, None for that of the observed values.
    """
    if isinstance(feature_types, str):
        asked = dict.fromkeys(range(n_columns), feature_types)
    elif isinstance(feature_types, Mapping):
        places = {j: j for j in range(n_columns)} | {name: j for j, name in enumerate(names or ())}
        if unknown := [k for k in feature_types if k not in places or isinstance(k, bool)]:
            shown = f"{', '.join(map(repr, names[:20]))}, or " if names is not None else ""
            known = f"columns are {shown}positions 0 to {n_columns - 1}."
            raise ValueError(f"feature_types names the unknown column {unknown[0]!r}; {known}")
        asked = {places[key]: value for key, value in feature_types.items()}
    elif isinstance(feature_types, Sequence | np.ndarray) and len(feature_types) == n_columns:
        asked = dict(enumerate(feature_types))
    else:
        remedy = "give one type, one per column, or a mapping from column to type."
        given = f"{str(feature_types)[:80]} for {n_columns} columns"
        raise ValueError(f"feature_types is {given}; {remedy}")
    labels: Sequence[str | int] = range(n_columns) if names is None else names
    return [_request(asked.get(j, "auto"), label) for j, label in enumerate(labels)]


def _request(value: Any, column: str | int) -> RequestedType:
    if isinstance(value, str) and value in TYPES:
        return RequestedType(str(value))
    is_pair = isinstance(value, list | tuple) and len(value) == 2 and np.ndim(value[1]) == 1
    if is_pair and value[0] in ("ordinal", "categorical", "binary") and len(value[1]):
        return RequestedType(value[0], tuple(value[1]))
    is_bounds = is_pair and all(b is None or isinstance(b, int | float) for b in value[1])
    if is_bounds and value[0] in ("numeric", "log-numeric") and len(value[1]) == 2:
        low, high = (None if bound is None else float(bound) for bound in value[1])
        if low is None or high is None or low <= high:
            return RequestedType(value[0], None, (low, high))
    pairs = "a pair ('ordinal', [categories in order]) or ('numeric', [low, high])"
    allowed = f"one of {', '.join(map(repr, TYPES))}, or {pairs}"
    raise ValueError(f"Unknown feature type {value!r} for column {column!r}; use {allowed}.")
