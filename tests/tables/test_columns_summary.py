from halfseen.tables import Column
from halfseen.tables.columns_summary import columns_summary

SOLD = Column("sold", "numeric", "gaussian", 2.0, 1.5, (), "float64", (0.0,), 1234567890123, "log")
SIZE = Column("size", "numeric", "gaussian", 10.0, 2.0, (), "float64", (0.0,), 9)
HUE = Column("hue of it", "categorical", "softmax", 0.0, 1.0, ("u", "v"), "<U5", (0.25, 0.75), 4)
EMPTY = Column("a\nb", "empty", "none", 0.0, 1.0, (), "float64", (), 0)


def test_one_line_per_column() -> None:
    assert columns_summary([SOLD, SIZE, HUE, EMPTY]).split("\n") == [
        "name       kind         units       transform     n_observed",
        "sold       numeric      1 gaussian  log        1234567890123",
        "size       numeric      1 gaussian  linear                 9",
        "hue of it  categorical  2 softmax   -                      4",
        "'a\\nb'     empty        none        -                      0",
    ]


def test_no_columns() -> None:
    assert columns_summary([]) == "name  kind  units  transform  n_observed"
