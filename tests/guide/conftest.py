"""The files that the pages of the guide start from."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from guide.run_page import run_page

GUIDE = Path(__file__).parents[2] / "docs" / "guide"
FIRST = GUIDE / "first-table.md"
STARTING_FILES = ("devices.csv", "devices.safetensors")


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for compiled programs, so that the user's own stays as it is."""
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture(scope="session")
def first_folder(tmp_path_factory: pytest.TempPathFactory, compiled: Path) -> Path:
    """A folder in which the first page has been run."""
    folder = tmp_path_factory.mktemp("first-table")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("HALFSEEN_COMPILATION_CACHE", str(compiled))
        run_page(FIRST)
    return folder


@pytest.fixture
def run_elsewhere(
    first_folder: Path, compiled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Path], None]:
    """Run a page in a folder of its own that holds what the first page made."""

    def run(page: Path) -> None:
        folder = tmp_path / page.stem
        folder.mkdir()
        for name in STARTING_FILES:
            shutil.copy(first_folder / name, folder)
        monkeypatch.chdir(folder)
        monkeypatch.setenv("HALFSEEN_COMPILATION_CACHE", str(compiled))
        run_page(page)

    return run
