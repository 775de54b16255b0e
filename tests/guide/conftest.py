"""The files that pages of the guide start from."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from guide.run_page import run_page

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GUIDE = DOCS / "guide"
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
    compiled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., None]:
    """Run a page in a folder of its own, with what the first page made if its folder is given."""

    def run(page: Path, first_folder: Path | None = None) -> None:
        folder = tmp_path / page.stem
        folder.mkdir()
        for name in STARTING_FILES if first_folder else ():
            shutil.copy(first_folder / name, folder)
        monkeypatch.chdir(folder)
        monkeypatch.setenv("HALFSEEN_COMPILATION_CACHE", str(compiled))
        run_page(page)

    return run
