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
a7,1.5,x,0,no,ok
a8,2.5,y,1,yes,ok
a9,3.5,x,0,no,bad
b1,0.5,z,1,yes,worse
"""


def choice(file: Path, labels: str | tuple[str, ...], **more: object) -> TableChoice:
    return TableChoice(name="mine", file=file, labels=labels, **more)  # type: ignore[arg-type]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.csv"
    path.write_text(TEXT)
    return path


def test_text_becomes_columns_that_belong_together(file: Path) -> None:
    data = load_user_table(choice(file, "ill", ignore="state", missing="?"))
    assert data.feature_names == ("size", "kind=x", "kind=y", "kind=z", "big")
    assert data.blocks is not None
    assert data.numeric is not None
    assert data.blocks.tolist() == [0, 1, 1, 1, 2]
    assert data.numeric.tolist() == [True, False, False, False, False]
    assert np.isnan(data.X[2, 1:4]).all()
    assert np.isnan(data.X[1, 0])
    np.testing.assert_array_equal(data.X[5], [4.5, 0, 0, 1, 0])
    np.testing.assert_array_equal(data.Y.ravel(), [0, 1, 0, np.nan, 1, 0, 0, 1, 0, 1])


def test_one_column_of_several_values_are_classes(file: Path) -> None:
    data = load_user_table(choice(file, "state", features=("size", "b*"), missing="?"))
    assert (data.target, data.label_names) == ("classes", ("bad", "ok", "worse"))
    assert data.feature_names == ("size", "big")
    np.testing.assert_array_equal(data.Y[0], [0, 1, 0])
    assert np.isnan(data.Y[4]).all()


def test_two_classes_if_asked(file: Path) -> None:
    asked = choice(file, "ill", features="big", target="classes")
    assert load_user_table(asked).label_names == ("no", "yes")


def test_some_rows(file: Path) -> None:
    assert load_user_table(choice(file, "ill", features="big"), n_rows=4).X.shape == (4, 1)


@pytest.mark.parametrize(
    ("labels", "features", "target", "said"),
    [
        (("il",), (), "auto", "Did you mean 'ill'?"),
        (("ill",), ("sizes",), "auto", "names in 'features'. Did you mean 'size'?"),
        (("ill",), ("ill",), "auto", "both a label and a feature"),
        (("ill",), ("id",), "auto", "is named as a feature, but is ignored (identifier)"),
        (("ill", "state"), (), "auto", "label 'state' has 3 different values"),
        (("ill", "big"), (), "classes", "classes stand in one column"),
    ],
)
def test_errors_name_file_and_column(
    file: Path, labels: tuple[str, ...], features: tuple[str, ...], target: str, said: str
) -> None:
    with pytest.raises(UserTableError) as raised:
        load_user_table(choice(file, labels, features=features, target=target, missing="?"))
    assert "mine.csv" in str(raised.value)
    assert said in str(raised.value)
