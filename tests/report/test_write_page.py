from __future__ import annotations

from pathlib import Path

import pytest

from halfseen.report import Page, page_html, write_page

PAGE = Page("A model \N{GREEK SMALL LETTER SIGMA}", "What it is.", ())


def test_the_file_is_the_page(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text("old", encoding="utf-8")
    write_page(path, PAGE)
    assert path.read_bytes() == page_html(PAGE).encode("utf-8")
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="create it first"):
        write_page(tmp_path / "nowhere" / "report.html", PAGE)
    assert list(tmp_path.iterdir()) == []
