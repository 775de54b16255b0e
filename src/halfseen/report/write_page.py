"""A page on disk."""

from __future__ import annotations

from os import PathLike

from halfseen.report.page import Page
from halfseen.report.page_html import page_html
from halfseen.storage import write_beside


def write_page(path: str | PathLike[str], page: Page) -> None:
    """Write a page to one file that needs nothing else, beside and then renamed.

    Parameters
    ----------
    path : path-like
        For instance "report.html".
    page : Page
        The page.

    Raises
    ------
    OSError
        The folder does not exist, the path is a folder, or the disk is full; an old file stays as
        it is.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from halfseen.report import Page
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_page(pathlib.Path(folder, "page.html"), Page("A model", "What it is.", ()))
    ...     pathlib.Path(folder, "page.html").read_text(encoding="utf-8")[:15]
    '<!doctype html>'
    """
    write_beside(path, [page_html(page).encode("utf-8")])
