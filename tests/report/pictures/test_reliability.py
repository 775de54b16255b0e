from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halfseen.metrics import calibration_error
from halfseen.report.pictures import Reliability, reliability_of, reliability_svg
from report.checked import checked_svg, with_class

entries = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60)


@given(entries)
def test_bins_are_those_of_the_score(pairs: list[tuple[float, bool]]) -> None:
    said, true = (np.array(part) for part in zip(*pairs, strict=True))
    bins = reliability_of("labels", said, true)
    n = np.array(bins.n_entries)
    error = np.sum(n * np.abs(np.array(bins.said) - np.array(bins.came_true))) / n.sum()
    assert n.sum() == len(pairs)
    assert error == pytest.approx(calibration_error(true.astype(float), said), abs=1e-12)


def test_empty_bins_are_not_drawn() -> None:
    curve = Reliability("labels", (0.1, 0.0, 0.9), (0.0, 0.0, 1.0), (5, 0, 7))
    root = checked_svg(reliability_svg([curve], title="T", description="D"))
    assert len(with_class(root, "dot")) == 2
    assert len(with_class(root, "whisker")) == 2
    assert len(with_class(root, "bar")) == 2
    bare = reliability_svg([curve], title="T", description="D", counts=False, whiskers=False)
    assert not with_class(checked_svg(bare), "whisker")
    assert not with_class(checked_svg(bare), "bar")


def test_whiskers_hold_the_share_and_shrink_with_entries() -> None:
    def length(n: int) -> float:
        curve = Reliability("labels", (0.5,), (0.5,), (n,))
        (line,) = with_class(
            checked_svg(reliability_svg([curve], title="T", description="D")), "whisker"
        )
        start, _, end = str(line.get("d")).partition("V")
        return abs(float(end) - float(start.split()[1]))

    assert length(10) > length(100) > length(1000) > 0


def test_no_entries_at_all() -> None:
    curve = reliability_of("labels", [], [])
    checked_svg(reliability_svg([curve], title="T", description="D"))
