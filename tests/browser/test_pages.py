"""Pages in a real browser: nothing fails, nothing is fetched, everything can be used and read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

PHONE, DESKTOP = 390, 1280
WIDTHS = pytest.mark.parametrize("width", [PHONE, DESKTOP])
THEMES = pytest.mark.parametrize("theme", ["light", "dark"])
PAGES = pytest.mark.parametrize("name", ["model", "gallery"])

pytestmark = [
    pytest.mark.browser,
    # The browser's own helpers are closed by it, not by us.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


class Opened:
    """A page that is open, and everything that it complained of or asked for."""

    def __init__(self, browser: Any, address: str, width: int, theme: str) -> None:
        self.context = browser.new_context(
            viewport={"width": width, "height": 844}, color_scheme=theme, reduced_motion="reduce"
        )
        self.page = self.context.new_page()
        self.complaints: list[str] = []
        self.requests: list[str] = []
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append("dialog"), dialog.dismiss()))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(address)


@pytest.fixture
def opened(browser: Any, pages: dict[str, str]) -> Iterator[Any]:
    """Open a page by name; closed when the test is over."""
    made: list[Opened] = []

    def open_page(name: str, width: int = DESKTOP, theme: str = "light") -> Opened:
        made.append(Opened(browser, pages[name], width, theme))
        return made[-1]

    yield open_page
    for one in made:
        one.context.close()


def texts(table: Any, column: int) -> list[str]:
    rows = table.locator("tbody tr:visible")
    cells = rows.locator(f"th:nth-child({column}), td:nth-child({column})")
    return [str(text) for text in cells.all_inner_texts()]


def until(page: Any, script: str) -> None:
    """Wait for something to come true; the page's own policy forbids the browser to do so."""
    for _ in range(100):
        if page.evaluate(script):
            return
        page.wait_for_timeout(50)
    pytest.fail(f"never came true: {script}")


@PAGES
@WIDTHS
@THEMES
class TestEveryPage:
    def test_nothing_fails_and_nothing_is_fetched(
        self, opened: Any, pages: dict[str, str], name: str, width: int, theme: str
    ) -> None:
        one = opened(name, width, theme)
        one.page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        one.page.evaluate("window.scrollTo(0, document.body.scrollHeight)")
        one.page.wait_for_timeout(100)
        assert one.complaints == []
        beyond = [url for url in one.requests if not url.startswith("data:")]
        assert beyond == [pages[name]]

    def test_the_page_never_scrolls_sideways(
        self, opened: Any, name: str, width: int, theme: str
    ) -> None:
        page = opened(name, width, theme).page
        page.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
        page.evaluate(
            "document.querySelectorAll('.below button').forEach(b => b.click())"
        )  # all rows of all tables
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= width
        page.evaluate("window.scrollTo(500, 0)")
        assert page.evaluate("window.scrollX") == 0

    def test_colours_follow_the_theme(self, opened: Any, name: str, width: int, theme: str) -> None:
        page = opened(name, width, theme).page

        def brightness(script: str) -> float:
            colour = page.evaluate(script)
            numbers = colour[colour.index("(") + 1 : -1].replace(",", " ").split()[:3]
            return sum(map(float, numbers)) / 3

        paper = brightness("getComputedStyle(document.body).backgroundColor")
        ink = brightness("getComputedStyle(document.querySelector('svg text.name')).fill")
        line = brightness("getComputedStyle(document.querySelector('svg .axis')).stroke")
        if theme == "dark":
            assert paper < 60 < 120 < min(ink, line)
        else:
            assert paper > 230 > 150 > max(ink, line)

    def test_what_is_seen(
        self, opened: Any, tmp_path: Path, name: str, width: int, theme: str
    ) -> None:
        page = opened(name, width, theme).page
        folder = Path(os.environ.get("HALFSEEN_SCREENSHOTS", tmp_path))
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}-{width}-{theme}.png"
        page.screenshot(path=path, full_page=True)
        assert path.stat().st_size > 50_000
        small = page.evaluate(
            """[...document.querySelectorAll('p, td, th, figcaption, li')]
               .filter(e => parseFloat(getComputedStyle(e).fontSize) < 12).length"""
        )
        assert small == 0
        shown = page.evaluate(
            """Math.min(...[...document.querySelectorAll('.picture svg.fits')].map(
               s => s.getBoundingClientRect().width / s.viewBox.baseVal.width))"""
        )
        assert shown > 0.75  # so that words in pictures stay legible


class TestSorting:
    @pytest.fixture
    def table(self, opened: Any) -> Any:
        return opened("gallery").page.locator("#tables table")

    def sorted_by(self, table: Any, column: int, key: str | None = None) -> str | None:
        button = table.locator("thead th").nth(column).locator("button")
        if key is None:
            button.click()
        else:
            button.focus()
            table.page.keyboard.press(key)
        order: str | None = table.locator("thead th").nth(column).get_attribute("aria-sort")
        return order

    @pytest.mark.parametrize("key", [None, "Enter", "Space"])
    def test_numbers_by_click_and_by_keyboard(self, table: Any, key: str | None) -> None:
        assert self.sorted_by(table, 1, key) == "ascending"
        assert texts(table, 2) == [str(k) for k in range(12)]
        assert self.sorted_by(table, 1, key) == "descending"
        assert texts(table, 2) == [str(k) for k in range(29, 17, -1)]

    def test_what_is_missing_comes_last_both_ways(self, table: Any) -> None:
        table.locator("xpath=ancestor::figure").locator("button.plain").click()
        for _ in range(2):
            self.sorted_by(table, 2)
            assert texts(table, 3)[-6:] == ["\N{EN DASH}"] * 6

    def test_words_with_numbers_in_them(self, table: Any) -> None:
        self.sorted_by(table, 1)
        self.sorted_by(table, 0)
        assert texts(table, 1)[:11] == [f"name {k}" for k in range(11)]
        assert table.locator("thead th[aria-sort]").count() == 1

    def test_every_button_is_reached_by_tab(self, table: Any) -> None:
        first = table.locator("thead button").first
        first.focus()
        for place in range(6):
            focused = table.page.evaluate("document.activeElement.closest('th')?.cellIndex")
            assert focused == place
            table.page.keyboard.press("Tab")


class TestLongTables:
    def test_rows_are_folded_shown_and_searched(self, opened: Any) -> None:
        figure = opened("gallery").page.locator("#tables figure.table")
        rows = figure.locator("tbody tr:visible")
        assert rows.count() == 12
        figure.locator("button.plain").click()
        assert rows.count() == 30
        figure.locator("input").fill("name 2")
        assert rows.count() == 11
        assert "11 of 11" in figure.locator("[role=status]").inner_text()
        figure.locator("input").fill("nothing of the kind")
        assert rows.count() == 0

    def test_a_wide_table_scrolls_in_its_own_box_and_by_keyboard(self, opened: Any) -> None:
        box = opened("gallery", PHONE).page.locator("#tables .scroll")
        assert box.evaluate("e => e.scrollWidth > e.clientWidth")
        assert box.get_attribute("tabindex") == "0"
        box.focus()
        box.page.keyboard.press("ArrowRight")
        until(box.page, "document.querySelector('#tables .scroll').scrollLeft > 0")


class TestReading:
    def test_details_open_by_click_and_by_keyboard(self, opened: Any) -> None:
        page = opened("gallery").page
        details = page.locator("#folded details").first
        inside = page.locator("#folded .note")
        assert not inside.is_visible()
        details.locator("summary").click()
        assert inside.is_visible()
        details.locator("summary").focus()
        page.keyboard.press("Enter")
        assert not inside.is_visible()

    def test_the_contents_lead_to_their_sections(self, opened: Any) -> None:
        page = opened("model").page
        page.locator("nav a", has_text="Unusual rows").click()
        until(page, "document.querySelector('#unusual').getBoundingClientRect().top < 300")
        assert page.url.endswith("#unusual")
        page.wait_for_selector("nav a[aria-current]")

    def test_the_reader_can_switch_the_theme(self, opened: Any) -> None:
        page = opened("gallery", theme="light").page
        paper = "getComputedStyle(document.body).backgroundColor"
        light = page.evaluate(paper)
        page.locator("button.theme").click()
        assert page.evaluate(paper) != light
        page.locator("button.theme").click()
        assert page.evaluate(paper) == light

    def test_print_is_light_whole_and_without_buttons(self, opened: Any) -> None:
        page = opened("gallery", theme="dark").page
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        page.emulate_media(media="print", color_scheme="dark")
        assert page.locator("#folded .note").is_visible()
        assert page.locator("#tables tbody tr:visible").count() == 30
        assert page.locator("#tables .below").is_hidden()
        assert page.locator("nav").is_hidden()
        paper = page.evaluate(
            "getComputedStyle(document.documentElement).getPropertyValue('--paper')"
        )
        assert paper.strip() == "#fdfdfb"
        page.emulate_media(media="screen")
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        assert not page.locator("#folded .note").is_visible()

    def test_without_a_script_everything_is_there(
        self, browser: Any, pages: dict[str, str]
    ) -> None:
        context = browser.new_context(java_script_enabled=False)
        page = context.new_page()
        page.goto(pages["gallery"])
        assert page.locator("#tables tbody tr").count() == 30
        assert page.locator("#tables tbody tr").last.is_visible()
        assert page.locator("button").count() == 0
        context.close()

    def test_pictures_have_names(self, opened: Any) -> None:
        page = opened("model").page
        for image in page.get_by_role("img").all()[:5]:
            assert image.locator("title").first.text_content()
        assert page.get_by_role("navigation").count() == 1
        assert page.get_by_role("main").count() == 1
