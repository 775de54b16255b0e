from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from halfseen.scoring._finite_entries import finite_entries


@pytest.mark.parametrize("bad", [np.nan, np.inf, None, "0.5", pd.NA])
def test_only_chosen_entries_are_read(bad):
    y = np.array([[1, bad], [bad, 4]], dtype=object)
    assert finite_entries(y, np.eye(2, dtype=bool), "y").tolist() == [1.0, 4.0]
    with pytest.raises(ValueError, match=r"filled at row 0, column 1 is .*finite number"):
        finite_entries(y, np.ones((2, 2), dtype=bool), "filled")


def test_the_column_is_named():
    frame = pd.DataFrame({"width": [1.0, 2.0], "height": [1.0, np.nan]})
    with pytest.raises(ValueError, match="row 1, column 'height' is nan"):
        finite_entries(frame, np.ones((2, 2), dtype=bool), "filled")


@pytest.mark.parametrize(
    ("given", "read"), [("f4", "f4"), ("f8", "f8"), ("f2", "f8"), ("i4", "f8"), ("?", "f8")]
)
def test_precision(given, read):
    assert finite_entries(np.ones(2, given), np.ones(2, bool), "y").dtype == read


def test_numbers_of_other_kinds():
    assert finite_entries([Decimal("0.5"), True], np.ones(2, bool), "y").tolist() == [0.5, 1.0]
