"""The old file stays whole whatever happens to the new one."""

import errno
import os
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn

import pytest

from halfseen.storage._write_beside import write_beside


def test_creates_and_replaces(tmp_path: Path) -> None:
    for content in (b"old", b"new"):
        write_beside(tmp_path / "a", [content[:1], memoryview(content[1:]), b""])
        assert (tmp_path / "a").read_bytes() == content
    assert os.listdir(tmp_path) == ["a"]


def test_a_relative_name_goes_into_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_beside("a", [b"x"])
    assert (tmp_path / "a").read_bytes() == b"x"


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "full"), KeyboardInterrupt(), MemoryError()], ids=repr
)
@pytest.mark.parametrize("moment", ["chunk", "fsync", "replace"])
def test_a_failure_leaves_everything_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str, error: BaseException
) -> None:
    (tmp_path / "a").write_bytes(b"old")
    seen: list[list[str]] = []

    def fail(*_: object) -> NoReturn:
        seen.append(os.listdir(tmp_path))
        raise error

    def chunks() -> Iterator[bytes]:
        yield b"x" * 100_000
        if moment == "chunk":
            fail()

    if moment != "chunk":
        monkeypatch.setattr(os, moment, fail)
    with pytest.raises(type(error)):
        write_beside(tmp_path / "a", chunks())
    monkeypatch.undo()
    # The failure came while the new file lay beside the old one.
    assert len(seen[0]) == 2
    assert (tmp_path / "a").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on file size")
def test_a_disk_that_fills_up_leaves_everything_as_it_was(tmp_path: Path) -> None:
    import resource
    import signal

    (tmp_path / "a").write_bytes(b"old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, before[1]))
    try:
        with pytest.raises(OSError, match="File too large"):
            write_beside(tmp_path / "a", [b"x" * 100_000])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert (tmp_path / "a").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_a_folder_that_cannot_be_synced_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fsync = os.fsync

    def only_files(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "no")
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", only_files)
    write_beside(tmp_path / "a", [b"x"])
    assert (tmp_path / "a").read_bytes() == b"x"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"create it first.*nowhere"):
        write_beside(tmp_path / "nowhere" / "a", [b"x"])
    assert os.listdir(tmp_path) == []


def test_a_file_in_place_of_the_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError, match=r"not a folder.*file"):
        write_beside(tmp_path / "file" / "a", [b"x"])


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="name a file in it"):
        write_beside(tmp_path, [b"x"])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes")
def test_a_pipe_is_not_replaced(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="name a regular file"):
        write_beside(tmp_path / "pipe", [b"x"])
    assert stat.S_ISFIFO(os.stat(tmp_path / "pipe").st_mode)


@pytest.mark.skipif(sys.platform == "win32", reason="needs links and modes")
def test_links_and_permissions_stay(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    os.chmod(tmp_path / "real", 0o640)
    (tmp_path / "link").symlink_to("real")
    write_beside(tmp_path / "link", [b"new"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"
    assert stat.S_IMODE(os.stat(tmp_path / "real").st_mode) == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="needs modes")
def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_beside(tmp_path / "a", [b"x"])
    assert os.stat(tmp_path / "a").st_mode == os.stat(tmp_path / "usual").st_mode
