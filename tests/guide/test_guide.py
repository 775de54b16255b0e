"""Every snippet of the README and of the docs runs, and prints what the page shows."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from guide.conftest import DOCS, FIRST, GUIDE, ROOT, STARTING_FILES
from guide.console import Command, commands_of, run_command
from guide.run_page import run_page
from guide.snippets import snippets_of

PAGES = sorted(
    page
    for page in [*ROOT.glob("*.md"), *DOCS.rglob("*.md")]
    if not {"results", "gallery", "_build", "generated"} & set(page.relative_to(ROOT).parts)
)
WITH_DEVICES = [page for page in PAGES if page.parent == GUIDE and page != FIRST]
OTHERS = [page for page in PAGES if page not in (FIRST, *WITH_DEVICES) and snippets_of(page)]
# They need programs that no other page needs, and compiling takes most of the time; or a service.
LONG = {"labels-and-classes", "explanations", "evaluation", "missingness", "serving"}
_LINK = re.compile(r"\]\(([^)#:\s]+)(#[^)]*)?\)")


# One test for many pages, since they share compiled programs: in several processes each page would
# take as long as the first.
def test_pages_of_the_guide(first_folder: Path, run_elsewhere: Callable[..., None]) -> None:
    assert {path.name for path in first_folder.iterdir()} >= {*STARTING_FILES, "filled.csv"}
    _run_all([page for page in WITH_DEVICES if page.stem not in LONG], run_elsewhere, first_folder)


@pytest.mark.long
@pytest.mark.skipif(shutil.which("curl") is None, reason="one page asks a service with curl")
def test_pages_of_the_guide_that_take_long(
    first_folder: Path, run_elsewhere: Callable[..., None]
) -> None:
    pages = [page for page in WITH_DEVICES if page.stem in LONG]
    assert len(pages) == len(LONG)
    _run_all(pages, run_elsewhere, first_folder)


def _run_all(pages: list[Path], run: Callable[..., None], first_folder: Path) -> None:
    errors = []
    for page in pages:
        try:
            run(page, first_folder)
        except Exception as error:
            errors.append(error)
    if errors:
        raise ExceptionGroup("pages of the guide", errors)


@pytest.mark.parametrize("page", OTHERS, ids=lambda page: page.stem)
def test_other_pages(page: Path, run_elsewhere: Callable[..., None]) -> None:
    run_elsewhere(page)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    made_by_the_site = {"gallery/index.rst"}
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target, _ in _LINK.findall(text):
        found = (page.parent / target).exists() or target in made_by_the_site
        assert found, f"{page.relative_to(ROOT)} links to {target}"


def test_the_index_of_the_guide_names_every_page() -> None:
    linked = {target for target, _ in _LINK.findall((GUIDE / "index.md").read_text("utf-8"))}
    assert {page.name for page in (FIRST, *WITH_DEVICES)} - {"index.md"} <= linked


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
        "```\nhalfseen inspect a.csv --no-such-option\n```\n",
        "```python\nprint(1.5)\n```\n```text\n1.6\n```\n",
    ],
)
def test_a_page_that_is_wrong_is_found_out(tmp_path: Path, content: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(content)
    with pytest.raises(AssertionError, match=r"page\.md, line [25]"):
        run_page(page)
