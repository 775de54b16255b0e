from __future__ import annotations

import errno
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from halfseen.files import TableFileError
from halfseen.files.write_out import write_out


def breaking(error: BaseException) -> Iterator[bytes]:
    yield b"half"
    raise error


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_leaves_the_old_file(number: int, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("old")
    with pytest.raises(TableFileError, match="the disk is full, and nothing was written"):
        write_out(str(path), breaking(OSError(number, "full")), is_gzip=False)
    assert path.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["a.csv"]


def test_standard_output_gets_all_or_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.TextIOWrapper(io.BytesIO())
    monkeypatch.setattr("sys.stdout", out)
    with pytest.raises(RuntimeError):
        write_out("-", breaking(RuntimeError("no")), is_gzip=False)
    assert out.buffer.getvalue() == b""  # type: ignore[attr-defined]
    write_out("-", iter([b"half", b"seen"]), is_gzip=False)
    assert out.buffer.getvalue() == b"halfseen"  # type: ignore[attr-defined]


def test_a_reader_that_has_seen_enough_is_no_fault_of_the_file() -> None:
    with pytest.raises(BrokenPipeError):
        write_out("-", breaking(BrokenPipeError()), is_gzip=False)


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TableFileError, match="cannot be written") as caught:
        write_out(str(tmp_path), [b"x"], is_gzip=False)
    assert caught.value.path == str(tmp_path)
