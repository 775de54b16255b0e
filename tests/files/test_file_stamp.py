from __future__ import annotations

import os
from pathlib import Path

import pytest

from halfseen.files import TableFileError
from halfseen.files.file_stamp import FileStamp


def test_another_file_under_the_same_name_is_noticed(tmp_path: Path) -> None:
    path, other = tmp_path / "a.csv", tmp_path / "b.csv"
    for file in (path, other):
        file.write_text("a,b\n1,2\n")
        os.utime(file, ns=(10**18, 10**18))
    stamp = FileStamp.of(str(path), "a.csv")
    stamp.check()
    other.replace(path)
    with pytest.raises(TableFileError, match=r"a\.csv: the file changed"):
        stamp.check()


def test_the_same_size_at_another_time_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n")
    os.utime(path, ns=(10**18, 10**18))
    stamp = FileStamp.of(str(path), "a.csv")
    path.write_text("a,b\n1,3\n")
    os.utime(path, ns=(10**18, 10**18 + 1))
    with pytest.raises(TableFileError, match="changed"):
        stamp.check()
