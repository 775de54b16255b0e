"""The rows that a fit reads: a stratified sample of a table in parts, and the weights that undo it.

Every row has a priority, uniform in (0, 1), by its position. Of all rows, and of every stratum,
those of lowest priority are kept (coordinated bottom-k samples), which parts can do one by one.
Given the thresholds a row is kept with a known probability, and weighs its inverse
(Horvitz-Thompson).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from halfseen.base.estimator import TableModel, whole_number
from halfseen.data.frames import Table, read_table
from halfseen.data.raw import RawColumn, category_key, distinct_values
from halfseen.engines.parts import SentModel, send

# Beyond it, more rows make no better model: docs/guide/engines.md has the curve.
MOST_ROWS = 100_000
POSITION, PRIORITY, WEIGHT = "_halfseen_position", "_halfseen_priority", "_halfseen_weight"
_HELPERS = (POSITION, PRIORITY, WEIGHT)
_CLASS_SHARE, _COLUMN_SHARE = 0.1, 0.05  # of the rows: for classes of labels, for columns
_FEWEST = 20  # rows of a stratum that are always kept
# Distinct values that become strata, as many as can be categories: of text, and of numbers.
_MOST_VALUES, _MOST_NUMBERS = 1000, 20


@dataclass(frozen=True)
class Sampling:
    """What to sample."""

    targets: tuple[str, ...]
    n_rows: int = MOST_ROWS
    seed: int = 0

    @classmethod
    def of(cls, estimator: TableModel, targets: Sequence[str], n_rows: int) -> Self:
        """For the fit of an estimator, whose seed is used."""
        seed = estimator.get_params(deep=False)["random_state"]
        is_whole = isinstance(seed, int | np.integer)
        return cls(
            tuple(targets), whole_number("max_rows", n_rows, 1), int(seed) if is_whole else 0
        )


class Sample(NamedTuple):
    """Some rows with position, priority and weight, and what has too many values for strata."""

    frame: Any
    crowded: frozenset[str] = frozenset()


def draw(frame: Any, sampling: Sampling, first_row: int, weight: Any = None) -> Sample:
    """Sample a part of a table that begins at row `first_row` of the whole."""
    opened = nw.from_native(frame, eager_only=True)
    n_rows = len(opened)
    # One stream for the table; each row takes one number of it.
    stream = np.random.PCG64(sampling.seed).advance(int(first_row))
    helpers = {
        POSITION: np.arange(first_row, first_row + n_rows),
        PRIORITY: np.random.Generator(stream).random(n_rows),
        WEIGHT: np.ones(n_rows) if weight is None else np.asarray(weight, np.float64),
    }
    backend = opened.implementation
    made = nw.from_dict(helpers, backend=backend).to_native()
    if backend.is_pandas():
        made.index = frame.index
    return _cut(nw.concat([opened, nw.from_native(made)], how="horizontal"), sampling)


def merge(samples: Sequence[Sample], sampling: Sampling) -> Sample:
    """The sample of several parts together."""
    frames = [nw.from_native(sample.frame) for sample in samples]
    kept = [frame for frame in frames if len(frame)] or frames[:1]
    crowded = frozenset().union(*(sample.crowded for sample in samples))
    return _cut(nw.concat(kept, how="vertical"), sampling, crowded)


def rows_of(sample: Sample, sampling: Sampling) -> tuple[Any, NDArray[np.float64]]:
    """The sampled rows in the order of the table, and their weights."""
    frame = nw.from_native(sample.frame)
    if not len(frame):
        raise ValueError("The table has no row; a fit needs some.")
    chance, _ = _chances(frame, sampling, sample.crowded)
    rows = np.flatnonzero(frame[PRIORITY].to_numpy() < chance)
    rows = rows[np.argsort(frame[POSITION].to_numpy()[rows])]
    chosen = frame[rows]
    return chosen.drop(*_HELPERS).to_native(), chosen[WEIGHT].to_numpy() / chance[rows]


def fit_sample(sample: Sample, sampling: Sampling, estimator: TableModel) -> SentModel:
    """Fit an estimator to the sampled rows."""
    rows, weight = rows_of(sample, sampling)
    frame, names = nw.from_native(rows), list(sampling.targets)
    arguments = [frame.drop(*names).to_native()]
    if names:
        y = frame[names[0]] if len(names) == 1 else frame.select(names)
        arguments.append(y.to_native())
    weighted = {} if (weight == 1).all() else {"sample_weight": weight}
    return send(estimator.fit(*arguments, **weighted))


def _cut(frame: Any, sampling: Sampling, crowded: frozenset[str] = frozenset()) -> Sample:
    """The rows that a later merge may still need."""
    if not len(frame):
        return Sample(frame.to_native(), crowded)
    chance, crowded = _chances(frame, sampling, crowded)
    # One row beyond each quota carries the threshold.
    rows = np.flatnonzero(frame[PRIORITY].to_numpy() <= chance)
    return Sample(frame[rows].to_native(), crowded)


def _chances(
    frame: Any, sampling: Sampling, crowded: frozenset[str]
) -> tuple[NDArray[np.float64], frozenset[str]]:
    """Probability of each row to be sampled, and which strata are too many."""
    priority = frame[PRIORITY].to_numpy()
    order = np.argsort(priority)
    rows = frame.drop(*_HELPERS)
    # By its type, because what a part of a column holds may differ from the whole.
    is_number = {name: dtype.is_numeric() for name, dtype in rows.schema.items()}
    table = read_table(rows)
    chance = _extremes(table, is_number, order).astype(np.float64)
    found = set(crowded)
    for stratum in _strata(table, is_number, sampling):
        if stratum.name in found:
            continue
        if stratum.name and stratum.codes.max(initial=-1) >= stratum.most:
            found.add(stratum.name)
            continue
        threshold = np.zeros(len(chance))
        threshold[order] = _thresholds(stratum.codes[order], priority[order], stratum.n_rows)
        chance = np.maximum(chance, threshold)
    return chance, frozenset(found)


class _Strata(NamedTuple):
    codes: NDArray[np.int64]  # stratum of each row, -1 for none
    n_rows: int  # quota of each
    name: str = ""  # of those that may be too many ...
    most: float = np.inf  # ... which then are not used


def _strata(table: Table, is_number: dict[str, bool], sampling: Sampling) -> Iterator[_Strata]:
    """All rows; what is observed together; each column observed or missing; each value."""
    n_rows, observed = sampling.n_rows, table.observed
    yield _Strata(np.zeros(table.n_rows, np.int64), n_rows)
    _, pattern = np.unique(np.packbits(observed, axis=1), axis=0, return_inverse=True)
    yield _Strata(pattern.reshape(-1), _FEWEST, "patterns", _MOST_VALUES)
    of_column = max(_FEWEST, int(_COLUMN_SHARE * n_rows / len(is_number)))
    of_class = max(_FEWEST, int(_CLASS_SHARE * n_rows / max(1, len(sampling.targets))))
    for (name, numeric), raw in zip(is_number.items(), table.columns, strict=True):
        yield _Strata(raw.observed.astype(np.int64), of_column)
        if raw.kind == "date":
            continue
        if name in sampling.targets:
            yield _Strata(_codes(raw), of_class)
        else:
            most = 0 if numeric and _is_fractional(raw) else _MOST_NUMBERS
            yield _Strata(_codes(raw), _FEWEST, name, most if numeric else _MOST_VALUES)


def _is_fractional(raw: RawColumn) -> bool:
    return raw.values.dtype.kind == "f" and bool((raw.seen != np.floor(raw.seen)).any())


def _codes(raw: RawColumn) -> NDArray[np.int64]:
    """Code of each row's value, -1 where it is missing."""
    values, places = distinct_values(raw.seen)
    keys = [category_key(value) for value in values]
    positions = {key: code for code, key in enumerate(dict.fromkeys(keys))}
    codes = np.full(len(raw), -1, np.int64)
    codes[raw.observed] = np.array([positions[key] for key in keys], np.int64)[places]
    return codes


def _thresholds(
    codes: NDArray[np.int64], priority: NDArray[np.float64], quota: int
) -> NDArray[np.float64]:
    """Priority of the first row beyond the quota of each row's stratum, or 1; rows by priority."""
    by_code = np.argsort(codes, kind="stable")
    first = np.searchsorted(codes[by_code], np.arange(codes.max(initial=-1) + 2))
    beyond = first[:-1] + quota
    has_more = beyond < first[1:]
    threshold = np.ones(len(beyond) + 1)
    threshold[:-1][has_more] = priority[by_code[beyond[has_more]]]
    threshold[-1] = 0.0  # of no stratum
    return threshold[codes]


def _extremes(
    table: Table, is_number: dict[str, bool], order: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Rows that hold the least or greatest number of a column; the first by priority of equals."""
    found = np.zeros(table.n_rows, dtype=bool)
    for numeric, raw in zip(is_number.values(), table.columns, strict=True):
        if numeric and raw.observed.any():
            rows = order[raw.observed[order]]
            values = raw.values[rows]
            found[rows[[values.argmin(), values.argmax()]]] = True
    return found
