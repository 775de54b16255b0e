from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from halfseen.cli.missing_strips import MissingStrips


@pytest.mark.parametrize("cuts", [[100], [1, 99], [33, 33, 34]])
def test_strips_do_not_depend_on_how_the_file_is_cut(cuts: list[int]) -> None:
    late = [1.0] * 50 + [None] * 50
    table = pa.table({"late": late, "full": np.arange(100)})
    strips, place = MissingStrips(100, 4), 0
    for n in cuts:
        strips.add(table.slice(place, n))
        place += n
    assert strips.signs("late") == "··██"
    assert strips.signs("full") == "····"
    assert strips.shares("late") == [0.0, 0.0, 1.0, 1.0]


def test_few_rows_have_few_parts() -> None:
    strips = MissingStrips(2)
    strips.add(pa.table({"a": [None, 1.0]}))
    assert strips.signs("a") == "█·"
