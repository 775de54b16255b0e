"""Every snippet of the user guide runs, and prints what the page shows."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from guide.conftest import FIRST, GUIDE, STARTING_FILES
from guide.console import Command, commands_of, run_command
from guide.run_page import run_page
from guide.snippets import snippets_of

INDEX = GUIDE / "README.md"
PAGES = sorted(page for page in GUIDE.glob("*.md") if page not in (INDEX, FIRST))
# They need programs that no other page needs, and compiling takes most of the time: a model of
# another shape, and the weighing of rows.
LONG = {"labels-and-classes", "explanations", "reading-the-reports"}
_LINK = re.compile(r"\]\(([^)#:]+)(#[^)]*)?\)")


# One test for many pages, since they share compiled programs: in several processes each page would
# take as long as the first.
def test_the_pages(first_folder: Path, run_elsewhere: Callable[[Path], None]) -> None:
    assert {path.name for path in first_folder.iterdir()} >= {*STARTING_FILES, "filled.csv"}
    _run_all([page for page in PAGES if page.stem not in LONG], run_elsewhere)


@pytest.mark.long
def test_the_pages_that_take_long(run_elsewhere: Callable[[Path], None]) -> None:
    pages = [page for page in PAGES if page.stem in LONG]
    assert len(pages) == len(LONG)
    _run_all(pages, run_elsewhere)


def _run_all(pages: list[Path], run: Callable[[Path], None]) -> None:
    errors = []
    for page in pages:
        try:
            run(page)
        except Exception as error:
            errors.append(error)
    if errors:
        raise ExceptionGroup("pages of the guide", errors)


def test_the_index_has_nothing_to_run_and_names_every_page() -> None:
    assert snippets_of(INDEX) == []
    linked = {target for target, _ in _LINK.findall(INDEX.read_text(encoding="utf-8"))}
    assert {page.name for page in (FIRST, *PAGES)} <= linked


@pytest.mark.parametrize("page", [INDEX, FIRST, *PAGES], ids=lambda page: page.stem)
def test_links_lead_somewhere(page: Path) -> None:
    targets = [target for target, _ in _LINK.findall(page.read_text(encoding="utf-8"))]
    assert targets
    for target in targets:
        assert (page.parent / target).exists(), target


def test_commands_and_what_is_shown_of_them() -> None:
    content = "$ halfseen inspect a.csv \\\n    --all\na\nb\n$ false\n$ echo $?\n1\n"
    assert commands_of(content) == [
        Command("halfseen inspect a.csv      --all", "a\nb\n"),
        Command("false", "", 1),
    ]


def test_stages_of_a_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").write_text("size,'x y'\n1.5,\n")
    ended = run_command("cat a.csv | head -n 1 > 'b c.csv'")
    assert (ended.printed, ended.code) == ("", 0)
    assert Path("b c.csv").read_text() == "size,'x y'\n"
    assert run_command("A=1 halfseen --version | cat").printed.startswith("halfseen ")
    assert run_command("halfseen inspect nowhere.csv").code == 1


@pytest.mark.parametrize(
    "content",
    [
        "```python\nprint(1)\n```\n```text\n2\n```\n",
        "```console\n$ halfseen inspect nowhere.csv\n```\n",
        "```console\n$ halfseen --version\nanother\n```\n",
        "```bash\nhalfseen --version\n```\n",
    ],
)
def test_a_page_that_is_wrong_is_found_out(tmp_path: Path, content: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(content)
    with pytest.raises(AssertionError, match=r"page\.md, line [25]"):
        run_page(page)
