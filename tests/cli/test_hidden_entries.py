from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from halfseen.cli.hidden_entries import hide_entries

TABLE = pa.table(
    {
        "a": pa.array([None if k % 3 == 0 else float(k) for k in range(60)]),
        "b": pa.array(["x", "y", None] * 20),
        "c": pa.array([None] * 60, pa.int64()),
        "d": pa.array([1] + [None] * 59),
    }
)


@given(st.floats(0.01, 0.95), st.integers(0, 100))
def test_only_known_entries_are_hidden_and_never_all(share: float, seed: int) -> None:
    hidden = hide_entries(TABLE, share, seed)
    assert hidden.schema == TABLE.schema
    for name in TABLE.column_names:
        before, after = TABLE[name].to_pylist(), hidden[name].to_pylist()
        assert all(b == a or a is None for b, a in zip(before, after, strict=True))
        known = sum(value is not None for value in before)
        left = sum(value is not None for value in after)
        assert left == known - min(round(share * known), max(known - 1, 0))


def test_a_column_is_hidden_alike_whatever_stands_behind_it() -> None:
    alone = hide_entries(TABLE.select(["a"]), 0.4, 3)
    assert hide_entries(TABLE, 0.4, 3)["a"].equals(alone["a"])
    other = hide_entries(TABLE, 0.4, 4)["a"]
    assert not np.array_equal(other.is_null().to_numpy(), alone["a"].is_null().to_numpy())
