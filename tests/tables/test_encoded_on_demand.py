"""Units that are written when they are asked for, against the same units written down."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from halfseen.tables import (
    Encoded,
    Schema,
    Table,
    Target,
    encode_table,
    encoded_on_demand,
    learn_columns,
    learn_target_columns,
    read_table,
    read_target,
)
from halfseen.tables.encoded_on_demand import EncodedOnDemand

N_ROWS = 60


def some_table(seed: int, as_frame: bool = False) -> Any:
    """Numbers, a binary column, a count of heavy tail, an empty column; a third is missing."""
    rng = np.random.default_rng(seed)
    columns = [rng.normal(5, 2, N_ROWS), rng.integers(0, 2, N_ROWS), np.full(N_ROWS, np.nan)]
    columns += [np.floor(np.exp(rng.normal(1, 2, N_ROWS))), rng.random(N_ROWS)]
    values = np.stack(columns, axis=1).astype(np.float32 if seed % 2 else np.float64)
    values[rng.random(values.shape) < 0.3] = np.nan
    return pd.DataFrame(values, columns=list("abcde")) if as_frame else values


def some_target(kind: str | None, seed: int) -> Target | None:
    rng = np.random.default_rng([seed, 1])
    if kind is None:
        return None
    shape = (N_ROWS,) if kind == "classes" else (N_ROWS, 3)
    values = rng.integers(0, 2 if kind == "labels" else 4, shape).astype(float)
    values[rng.random(shape) < 0.4] = np.nan
    return read_target(values, kind)  # type: ignore[arg-type]


def schema_of(table: Table, target: Target | None) -> Schema:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the empty column
        columns = learn_columns(table)
    of_target = () if target is None else learn_target_columns(target)
    return Schema(columns, of_target, None if target is None else target.kind)


def both(kind: str | None, seed: int, as_frame: bool) -> tuple[Encoded, EncodedOnDemand]:
    table, target = read_table(some_table(seed, as_frame)), some_target(kind, seed)
    schema = schema_of(table, target)
    return schema.encode(table, target), EncodedOnDemand(schema, table, target)


def assert_same(found: Encoded, expected: Encoded) -> None:
    np.testing.assert_array_equal(found.visible, expected.visible)
    np.testing.assert_array_equal(found.observed, expected.observed)
    assert found.visible.dtype == np.float32


KINDS = st.sampled_from([None, "classes", "labels", "outputs"])


@pytest.fixture(autouse=True, scope="module")
def parts_of_columns() -> Iterator[None]:
    """Columns are read in parts, the last of them shorter."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoded_on_demand, "_ROWS_AT_ONCE", 25)
        yield


@given(KINDS, st.integers(0, 20), st.booleans(), st.data())
@settings(deadline=None, max_examples=40)
def test_rows_and_units_are_those_written_down(
    kind: str | None, seed: int, as_frame: bool, data: st.DataObject
) -> None:
    encoded, on_demand = both(kind, seed, as_frame)
    assert (on_demand.n_rows, on_demand.n_visible) == encoded.visible.shape
    rows = np.array(data.draw(st.lists(st.integers(0, N_ROWS - 1), max_size=20)), np.int64)
    assert_same(on_demand.rows(rows), encoded.rows(rows))
    assert_same(on_demand.rows(slice(3, 50, 7)), encoded.rows(slice(3, 50, 7)))
    some = st.lists(st.integers(0, encoded.n_visible - 1), max_size=8)
    units = np.array(data.draw(some), np.int64)
    assert_same(on_demand.units(units), encoded.units(units))
    assert_same(on_demand.units(slice(1, 3)), encoded.units(slice(1, 3)))
    assert_same(on_demand.written_down(), encoded)


@given(KINDS, st.integers(0, 20), st.booleans())
@settings(deadline=None, max_examples=20)
def test_what_is_known_of_all_rows_is_the_same(kind: str | None, seed: int, as_frame: bool) -> None:
    encoded, on_demand = both(kind, seed, as_frame)
    np.testing.assert_array_equal(on_demand.share_observed(), encoded.share_observed())
    for found, expected in zip(on_demand.bounds(), encoded.bounds(), strict=True):
        np.testing.assert_array_equal(found, expected)
    seen = np.where(encoded.observed, encoded.visible, np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # units of which nothing is seen
        lowest = np.nanmin(seen, axis=0)
    known = encoded.observed.any(axis=0)
    np.testing.assert_array_equal(encoded.bounds()[0][known], lowest[known])
    assert np.all(encoded.bounds()[0][~known] == np.inf)


def test_what_was_never_seen_is_said_once() -> None:
    learned = read_table(np.array([[0.0], [1.0], [1.0]]))
    schema = schema_of(learned, None)
    later = read_table(np.array([[0.0], [7.0], [1.0]]))
    with pytest.warns(UserWarning, match="column 'x0': 7.0"):
        on_demand = EncodedOnDemand(schema, later, None)
    assert on_demand.rows(slice(None)).observed[:, 0].tolist() == [True, False, True]


def test_rows_that_do_not_match_are_refused() -> None:
    table, target = read_table(some_table(0)), some_target("classes", 0)
    short = read_table(some_table(0)[:-1])
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[59, 60\]"):
        EncodedOnDemand(schema_of(table, target), short, target)


def test_only_a_large_table_of_numbers_is_not_written_down(monkeypatch: Any) -> None:
    table = read_table(some_table(0))
    schema = schema_of(table, None)
    assert isinstance(encode_table(schema, table, None), Encoded)
    monkeypatch.setattr(encoded_on_demand, "LARGE", 4 * N_ROWS * schema.n_visible)
    assert isinstance(encode_table(schema, table, None), EncodedOnDemand)
    words = read_table(pd.DataFrame({"word": ["a", "b"] * 1000}))
    assert isinstance(encode_table(schema_of(words, None), words, None), Encoded)
