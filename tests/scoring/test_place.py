import pandas as pd
import polars as pl

from halfseen.scoring._place import column_name, place


def test_frames_know_their_columns():
    assert column_name(pd.DataFrame({"beach": [1]}), 0) == "column 'beach'"
    assert place(pl.DataFrame({"beach": [1], "sky": [0]}), 2, 4, 1) == "row 4, column 'sky'"


def test_arrays_count_them():
    assert place([[0, 1]], 2, 0, 1) == "row 0, column 1"
    assert place([0], 1, 7, 7) == "row 7"
