from __future__ import annotations

from pathlib import Path

import pytest

from halfseen.cli.destination import beside, checked_destination
from halfseen.cli.problem import Problem
from halfseen.cli.terminal import Terminal


def test_a_new_file_in_a_folder_that_is_there(tmp_path: Path) -> None:
    path = str(tmp_path / "new.csv")
    assert checked_destination(path, Terminal(), [str(tmp_path / "old.csv")]) == path


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="no folder") as caught:
        checked_destination(str(tmp_path / "none" / "new.csv"), Terminal())
    assert caught.value.exit_code == 3


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="is a folder") as caught:
        checked_destination(str(tmp_path), Terminal())
    assert caught.value.exit_code == 3


def test_what_is_read_is_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n")
    (tmp_path / "same.csv").symlink_to(path)
    for same in (path, tmp_path / "same.csv", tmp_path / "." / "t.csv"):
        with pytest.raises(Problem, match="would replace") as caught:
            checked_destination(str(same), Terminal(), [str(path)])
        assert caught.value.exit_code == 2


def test_json_and_standard_output() -> None:
    with pytest.raises(Problem, match="both want standard output"):
        checked_destination("-", Terminal(as_json=True))


@pytest.mark.parametrize(
    ("source", "ending", "expected"),
    [
        ("a.csv", ".safetensors", "a.safetensors"),
        ("x/a.tar.csv.gz", "_filled", "x/a.tar_filled.csv.gz"),
        ("x/a", "_filled", "x/a_filled"),
        ("-", "_filled", "otherwise"),
    ],
)
def test_names_beside(source: str, ending: str, expected: str) -> None:
    assert beside(source, ending, otherwise="otherwise") == expected
