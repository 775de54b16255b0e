from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from halfseen.experiments.plan import TableChoice
from halfseen.experiments.user_table import UserTableError, load_user_table

TEXT = """id,size,kind,big,ill,state
a1,1.5,x,0,no,ok
a2,?,y,1,yes,bad
a3,2.5,,0,no,worse
a4,3.5,x,,,ok
a5,0.5,y,1,yes,
a6,4.5,z,0,no,bad
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.csv"
    path.write_text(TEXT)
    return path


def test_text_becomes_columns_that_belong_together(file: Path) -> None:
    data = load_user_table(TableChoice("mine", file, ("ill",), ignore=("state",), missing=("?",)))
    assert data.feature_names == ("size", "kind=x", "kind=y", "kind=z", "big")
    assert data.blocks is not None
    assert data.numeric is not None
    assert data.blocks.tolist() == [0, 1, 1, 1, 2]
    assert data.numeric.tolist() == [True, False, False, False, False]
    assert np.isnan(data.X[2, 1:4]).all()
    assert np.isnan(data.X[1, 0])
    np.testing.assert_array_equal(data.X[5], [4.5, 0, 0, 1, 0])
    np.testing.assert_array_equal(data.Y.ravel(), [0, 1, 0, np.nan, 1, 0])


def test_one_column_of_several_values_are_classes(file: Path) -> None:
    data = load_user_table(TableChoice("mine", file, ("state",), ("size", "b*"), missing=("?",)))
    assert (data.target, data.label_names) == ("classes", ("bad", "ok", "worse"))
    assert data.feature_names == ("size", "big")
    np.testing.assert_array_equal(data.Y[0], [0, 1, 0])
    assert np.isnan(data.Y[4]).all()


def test_two_classes_if_asked(file: Path) -> None:
    choice = TableChoice("mine", file, ("ill",), ("big",), target="classes")
    assert load_user_table(choice).label_names == ("no", "yes")


def test_some_rows(file: Path) -> None:
    choice = TableChoice("mine", file, ("ill",), ("big",))
    assert load_user_table(choice, n_rows=4).X.shape == (4, 1)


@pytest.mark.parametrize(
    ("labels", "features", "target", "said"),
    [
        (("il",), (), "auto", "Did you mean 'ill'?"),
        (("ill",), ("sizes",), "auto", "names in 'features'. Did you mean 'size'?"),
        (("ill",), ("ill",), "auto", "both a label and a feature"),
        (("ill",), ("id",), "auto", "is named as a feature, but is identifier"),
        (("ill", "state"), (), "auto", "label 'state' has 3 different values"),
        (("ill", "big"), (), "classes", "classes stand in one column"),
    ],
)
def test_errors_name_file_and_column(
    file: Path, labels: tuple[str, ...], features: tuple[str, ...], target: str, said: str
) -> None:
    choice = TableChoice("mine", file, labels, features, target=target, missing=("?",))
    with pytest.raises(UserTableError) as raised:
        load_user_table(choice)
    assert "mine.csv" in str(raised.value)
    assert said in str(raised.value)
