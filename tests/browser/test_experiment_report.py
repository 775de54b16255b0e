"""The page of a study in a real browser: whole, quiet, sortable, and open to every realisation."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from browser.test_pages import DESKTOP, PHONE, THEMES, WIDTHS, Opened, texts
from halfseen.report.experiment_report import experiment_report
from report.invented_run import FEW, invented_records, write_run

SCENE = "#scene-transductive"
A4 = 673  # pixels between the margins of a sheet
ALL_OPEN = "document.querySelectorAll('details').forEach(d => { d.open = true; })"

pytestmark = [
    pytest.mark.browser,
    # The browser's own helpers are closed by it, not by us.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two data sets, both tasks, with failures and images."""
    folder = tmp_path_factory.mktemp("study")
    records = invented_records(("scene", "digits"), ("transductive", "inductive"), methods=FEW)
    run = write_run(folder, records, n_images=10)
    return experiment_report(run, folder / "report.html").as_uri()


@pytest.fixture
def opened(browser: Any, address: str) -> Iterator[Any]:
    """Open the page; closed when the test is over."""
    made: list[Opened] = []

    def open_page(width: int = DESKTOP, theme: str = "light") -> Opened:
        made.append(Opened(browser, address, width, theme))
        return made[-1]

    yield open_page
    for one in made:
        one.context.close()


def a_cell(page: Any, method: str, column: int) -> Any:
    """A figure of a method in the first table of scene."""
    rows = page.locator(f"{SCENE} table").first.locator("tbody tr")
    row = rows.filter(has=page.locator("th", has_text=method)).first
    return row.locator("td").nth(column).locator("button.opens")


@WIDTHS
@THEMES
class TestTheWholePage:
    def test_nothing_fails_and_nothing_is_fetched(
        self, opened: Any, address: str, width: int, theme: str
    ) -> None:
        one = opened(width, theme)
        one.page.evaluate(ALL_OPEN)
        a_cell(one.page, "CLE", 0).click()
        one.page.keyboard.press("Escape")
        one.page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        one.page.wait_for_timeout(100)
        assert one.complaints == []
        assert [url for url in one.requests if not url.startswith("data:")] == [address]

    def test_the_page_never_scrolls_sideways(self, opened: Any, width: int, theme: str) -> None:
        page = opened(width, theme).page
        page.evaluate(ALL_OPEN)
        page.evaluate("document.querySelectorAll('.below button').forEach(b => b.click())")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        a_cell(page, "CLE", 0).click()
        inside = page.locator("dialog").evaluate("d => [d.scrollWidth, d.clientWidth]")
        assert inside[0] <= inside[1]
        assert page.locator("dialog").bounding_box()["width"] <= width

    def test_what_is_seen(self, opened: Any, tmp_path: Path, width: int, theme: str) -> None:
        page = opened(width, theme).page
        folder = Path(os.environ.get("HALFSEEN_SCREENSHOTS", tmp_path))
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"study-{width}-{theme}.png"
        page.screenshot(path=path, full_page=True)
        assert path.stat().st_size > 50_000
        small = page.evaluate(
            """[...document.querySelectorAll('p, td, th, figcaption, li, small, .spread')]
               .filter(e => parseFloat(getComputedStyle(e).fontSize) < 12).length"""
        )
        assert small == 0
        shown = page.evaluate(
            """Math.min(...[...document.querySelectorAll('.picture svg.fits')].map(
               s => s.getBoundingClientRect().width / s.viewBox.baseVal.width))"""
        )
        assert shown > 0.75  # so that words in pictures stay legible


class TestSorting:
    @pytest.mark.parametrize("column", [1, 4])
    def test_by_the_lower_line_of_the_heads(self, opened: Any, column: int) -> None:
        table = opened().page.locator(f"{SCENE} table").first
        heads = table.locator("thead tr").last.locator("th")
        for order, way in (("ascending", 1), ("descending", -1)):
            heads.nth(column).locator("button").click()
            assert heads.nth(column).get_attribute("aria-sort") == order
            shown = [text.split()[0] for text in texts(table, column + 1)]
            assert shown[-1] == "left"  # what has no figure comes last, either way
            figures = [way * float(text) for text in shown if text != "left"]
            assert figures == sorted(figures)
            assert len(figures) == len(FEW) - 1

    def test_the_upper_line_has_no_buttons(self, opened: Any) -> None:
        table = opened().page.locator(f"{SCENE} table").first
        assert table.locator("thead tr").first.locator("button").count() == 0


class TestDrillDown:
    def test_a_figure_opens_every_realisation(self, opened: Any) -> None:
        page = opened().page
        dialog = page.locator("dialog")
        assert not dialog.is_visible()
        a_cell(page, "CLE", 0).click()
        assert dialog.is_visible()
        assert dialog.locator("h2").inner_text().startswith("CLE on scene, transductive, 50")
        assert texts(dialog.locator("table"), 1) == ["0", "1", "2", "mean", "std"]
        told = dialog.locator("dl").inner_text()
        assert "rank=10" in told
        assert "numpy 2.3.0" in told
        dialog.locator("button", has_text="Close").click()
        assert not dialog.is_visible()

    def test_by_keyboard_and_back_to_where_it_was(self, opened: Any) -> None:
        page = opened().page
        cell = a_cell(page, "GAIN", 2)
        cell.focus()
        page.keyboard.press("Enter")
        assert "FloatingPointError" in page.locator("dialog dl").inner_text()
        page.keyboard.press("Escape")
        assert not page.locator("dialog").is_visible()
        assert cell.evaluate("e => e === document.activeElement")

    def test_what_was_left_out_says_why(self, opened: Any) -> None:
        page = opened(PHONE).page
        a_cell(page, "MisGAN", 1).click()
        assert "need rows that are images" in page.locator("dialog dl").inner_text()

    def test_after_sorting_each_cell_opens_its_own(self, opened: Any) -> None:
        page = opened().page
        page.locator(f"{SCENE} table").first.locator("thead tr").last.locator("button").nth(
            1
        ).click()
        a_cell(page, "NoisyIMC", 3).click()
        assert page.locator("dialog h2").inner_text().startswith("NoisyIMC on scene")

    def test_a_click_beside_it_closes_it(self, opened: Any) -> None:
        page = opened().page
        a_cell(page, "CLE", 0).click()
        page.mouse.click(5, 5)
        assert not page.locator("dialog").is_visible()


class TestReading:
    def test_the_contents_lead_to_every_data_set(self, opened: Any) -> None:
        page = opened().page
        page.locator("nav a", has_text="scene, inductive").click()
        page.wait_for_timeout(100)
        top = page.locator("#scene-inductive").bounding_box()["y"]
        assert -5 <= top < 300

    def test_without_a_script_every_table_is_there(self, browser: Any, address: str) -> None:
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(address)
        assert page.locator(f"{SCENE} tbody tr").first.is_visible()
        assert page.locator("button").count() == 0
        assert page.locator("#drawers").is_hidden()
        context.close()

    def test_print_is_light_and_without_the_drawer(self, opened: Any) -> None:
        page = opened(theme="dark").page
        a_cell(page, "CLE", 0).click()
        page.emulate_media(media="print", color_scheme="dark")
        assert page.locator("dialog").is_hidden()
        page.evaluate(ALL_OPEN)
        page.set_viewport_size({"width": A4, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= A4
        paper = page.evaluate(
            "getComputedStyle(document.documentElement).getPropertyValue('--paper')"
        )
        assert paper.strip() == "#fdfdfb"
